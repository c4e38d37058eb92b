"""What a table is: margins with their hierarchies, cells, and the sums that tie cells to each other."""
