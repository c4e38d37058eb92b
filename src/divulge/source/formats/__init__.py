"""Files of every kind, each by its own library: found, unpacked, recognised and opened."""
