"""All attacks in a few lines: the global risk of each, and the information lost to its attacker."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from divulge.attacks.outcome import Outcome

#: Attacks whose risk is a mean discrimination rate: only of a rate the rest is information lost.
BY_RATE = ("identity_white_box", "identity_black_box", "homogeneity", "background_knowledge", "similarity")
OVERALL = ("identity_white_box", "homogeneity")


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The risk and the information loss of each attack, and the mean loss over identity and homogeneity.

    >>> one = Outcome("identity_white_box", "Identity", "both tables", risk=0.6)
    >>> other = Outcome("homogeneity", "Homogeneity", "the keys", risk=0.5)
    >>> summary([one, other])["overall_information_loss"]
    0.45
    """
    lines = [
        {"attack": one.attack, "title": one.title, "risk": one.risk, "information_loss": _loss(one)}
        for one in outcomes
    ]
    losses = [line["information_loss"] for line in lines if line["attack"] in OVERALL]
    known = [loss for loss in losses if isinstance(loss, float)]
    return {
        "lines": lines,
        "overall_information_loss": fmean(known) if len(known) == len(OVERALL) else None,
    }


def _loss(one: Outcome) -> float | None:
    return 1 - one.risk if one.risk is not None and one.attack in BY_RATE else None
