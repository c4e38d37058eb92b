"""What can be done to a table before it is released, each mechanism with its facts beside it."""

from divulge.mechanisms.registry import MECHANISMS, mechanism_named

__all__ = ["MECHANISMS", "mechanism_named"]
