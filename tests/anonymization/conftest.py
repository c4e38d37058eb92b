"""What tests of this folder share."""

from staying_tables import stored

__all__ = ["stored"]
