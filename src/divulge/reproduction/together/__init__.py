"""All five papers on one table: what their measures see as a mechanism gets stronger."""

from divulge.reproduction.together import strength
from divulge.reproduction.together.paper import PAPER

__all__ = ["PAPER", "strength"]
