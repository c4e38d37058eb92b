"""The algorithms of mechanisms: arrays in, arrays out; nothing here knows a table or a recipe."""
