"""Who is unique: by how few attributes in this table, and how likely in the population it is drawn from."""
