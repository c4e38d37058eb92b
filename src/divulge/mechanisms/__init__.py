"""What can be done to a table before it is released, each mechanism with its facts beside it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from divulge.mechanisms.registry import MECHANISMS, mechanism_named

__all__ = ["MECHANISMS", "mechanism_named"]

if not TYPE_CHECKING:  # imported when first used: what needs one mechanism does not load all

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(import_module(f"{__name__}.registry"), name)
