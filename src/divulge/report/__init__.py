"""An audit shown: as a page for a browser, in a notebook, as text for machines and people."""
