"""The local page over HTTP: who may ask, and what is answered."""
