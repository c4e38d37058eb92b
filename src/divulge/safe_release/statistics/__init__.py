"""What single tests compute: merged bins, the gaps of distances, likelihood ratios."""
