"""Secondary suppression: which further cells to leave out so that nobody works out those at risk."""
