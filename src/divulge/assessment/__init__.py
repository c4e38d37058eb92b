"""Readings against thresholds: a verdict with reasons, and everything a report is made from."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from divulge.assessment.assessment import Assessment, audit
    from divulge.assessment.baseline import read_baseline

__all__ = ["Assessment", "audit", "read_baseline"]

# Imported when first used: the search for a release needs the checks, and not all of an audit.
_HOME = {"Assessment": "assessment", "audit": "assessment", "read_baseline": "baseline"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
