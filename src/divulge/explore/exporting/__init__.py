"""What goes out and what stays: the files of an archive, and the sheet to be signed."""
