"""What would help: changes, what they cost, and plans of several."""
