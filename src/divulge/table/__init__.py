"""What a table is: values as codes, roles, partitions, hierarchies."""
