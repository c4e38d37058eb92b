"""Questions, joint counts, and statistics of each class."""
