"""What makes a verdict weaker: attributes and values that no check counts."""
