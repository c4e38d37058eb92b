"""The release commands at work: what would leave, the holder's service, and requests to it."""
