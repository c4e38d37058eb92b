"""Releases beside their original: attacks, information lost, utility, and which to prefer."""

from __future__ import annotations

from divulge.comparison.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
