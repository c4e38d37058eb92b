"""What the risk comes from: attributes, their combinations, classes and values."""
