"""What a file holds beside the records that were read from it."""
