"""Secrets, observations and estimates as people write them."""

from __future__ import annotations

from divulge._support.wording import value_label


def written(name: object) -> str:
    """A name in words; of several keys or coordinates each part, with commas between.

    >>> written(("22", "35510")), written((1.0, 2.5)), written(("a", None)), written("flu")
    ('22, 35510', '1, 2.5', 'a, (missing)', 'flu')
    """
    if not isinstance(name, tuple):
        return value_label(name)
    return ", ".join(f"{part:g}" if isinstance(part, float) else written(part) for part in name)
