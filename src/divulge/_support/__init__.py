"""What every room uses: numbers in words, small counts, threads and references, without a table."""
