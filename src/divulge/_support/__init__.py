"""What every room uses: numbers in words, small counts, threads, references. Nothing here knows a table."""
