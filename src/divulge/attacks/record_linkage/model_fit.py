"""Whether a model of agreement found the records that belong together, as far as that can be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge._support.wording import enumerated, percent, share_in_percent
from divulge.attacks.record_linkage.fellegi_sunter import (
    LEAST,
    MOST,
    LinkageModel,
    Rows,
    link_chances,
    own_patterns,
)
from divulge.table.packing import Column

Integers = npt.NDArray[np.int64]
FAR = 0.1  # by which m may differ from how often records that belong together do agree
EVEN = 0.5  # the chance from which on a pair rather belongs together than not
TOLD = 0.9  # the share of the pairs that belong together that a model should tell from the others


def unsure(model: LinkageModel) -> str:
    """Why a model may be far from the truth, where that is not known; empty where nothing speaks for it."""
    expected = model.posterior * model.counts
    told = float(expected[model.posterior >= EVEN].sum() / expected.sum())
    if told >= TOLD:
        return ""
    return (
        f"the model recognizes only {percent(told)} of true pairs, by its own estimate (a chance of 0.5 or "
        "more). With so few its m can be far from the truth, and links wrong. Say which records belong "
        "together (--by), or take more attributes."
    )


def off(
    model: LinkageModel,
    names: Sequence[str],
    ours: Sequence[Column],
    theirs: Sequence[Column],
    rows: Rows,
    times: tuple[Integers | None, Integers | None] = (None, None),
) -> str:
    """How far m is from the truth, and what links by the true m would be; empty where it is near.

    ``rows`` belong together; ``times`` says how many originals a row stands for, and how many pairs.
    """
    own = own_patterns(ours, theirs, rows)
    originals, pairs = times
    true = np.array([np.average(own >> a & 1, weights=pairs) for a in range(model.attributes)])
    far = np.flatnonzero(np.abs(model.m - true) > FAR).tolist()
    if not far:
        return ""
    of = len(own) if pairs is None else int(pairs.sum())
    best = replace(model, m=np.clip(true, LEAST, MOST))
    chances = link_chances(best, ours, theirs, rows, originals)
    linked = float(chances.sum() if pairs is None else chances @ pairs) / of
    listed = enumerated(
        [f"{names[a]} ({percent(float(model.m[a]))}, really {share_in_percent(true[a], of)})" for a in far]
    )
    return (
        f"the model is far from how often records that belong together agree: {listed}. An attacker who "
        f"knows these shares links {share_in_percent(linked, of)} to their original."
    )
