"""Everything there is to say of how well a sender is hidden, as plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy.typing as npt

from divulge.documents.attacker import AnonymityEntry, CrowdEntry, SuspectEntry
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.information.entropy import distribution_of
from divulge.estimation.scenarios.anonymity import (
    berthold,
    clauss_schiffner,
    diaz,
    edman,
    edman_possible,
    innocence,
    reiter_rubin,
    serjantov_danezis,
    toth,
)
from divulge.estimation.scenarios.crowds import CorruptedCrowd, Crowd, members_for_probable_innocence


def anonymity_entry(posterior: npt.ArrayLike, orders: Sequence[float] = ()) -> AnonymityEntry:
    """The degrees of anonymity of a posterior over users."""
    likely = distribution_of(posterior)
    local = toth(likely)
    return {
        "users": len(likely),
        "berthold": berthold(len(likely)),
        "serjantov_danezis": serjantov_danezis(likely),
        "diaz": diaz(likely),
        "source_hiding": local.source_hiding,
        "min_entropy": local.min_entropy,
        "max_entropy": local.max_entropy,
        "innocence": str(innocence(likely)[int(likely.argmax())]),
        "renyi": [
            {"order": None if math.isinf(one) else one, "entropy": clauss_schiffner(likely, one)}
            for one in orders
        ],
    }


def suspects(names: Sequence[str], posterior: npt.ArrayLike) -> list[SuspectEntry]:
    """Each user with the probability of being the sender, the likeliest first."""
    likely = distribution_of(posterior)
    lines = zip(names, likely.tolist(), reiter_rubin(likely).tolist(), innocence(likely), strict=True)
    found: list[SuspectEntry] = [
        {"user": name, "probability": share, "not_the_sender": rest, "innocence": str(level)}
        for name, share, rest, level in lines
    ]
    return sorted(found, key=lambda one: -one["probability"])


def link_degree(links: FloatArray) -> float:
    """The degree of anonymity of links that are merely possible or not, or of their probabilities."""
    return edman_possible(links) if set(links.ravel().tolist()) <= {0.0, 1.0} else edman(links)


def crowd_entry(crowd: Crowd | CorruptedCrowd, orders: Sequence[float] = ()) -> CrowdEntry:
    """What a crowd costs, and what someone who sees a message believes of who started it.

    >>> crowd_entry(Crowd(users=10, submit=0.5))["posterior"]
    0.55
    """
    if isinstance(crowd, Crowd):
        honest, corrupted, submit, hit = crowd.users, 0, crowd.submit, crowd.hit
        forwards, seen = crowd.forwards, 1.0
    else:
        honest, corrupted, submit, hit = crowd.honest, crowd.corrupted, 1 - crowd.forward, crowd.predecessor
        forwards, seen = 1 / submit, crowd.seen  # handed on once, and then again and again
    others = (1 - hit) / (honest - 1) if honest > 1 else 0.0
    return {
        "users": honest + corrupted,
        "corrupted": corrupted,
        "submit": submit,
        "forwards": forwards,
        "seen": seen,
        "posterior": hit,
        "posterior_others": others,
        "probable_innocence": hit <= 0.5 + 1e-12,
        "users_needed": _users_needed(corrupted, submit),
        "anonymity": anonymity_entry([hit, *[others] * (honest - 1)], orders),
    }


def _users_needed(corrupted: int, submit: float) -> int | None:
    """The fewest users of whom nobody seen is likelier to have started than not; None where none are enough.

    Without corrupted users p + (1 - p)/n is at most a half from n = (1 - p)/(1/2 - p) on.
    """
    if submit >= 0.5:
        return None
    if corrupted:
        return members_for_probable_innocence(corrupted, 1 - submit)
    return math.ceil((1 - submit) / (0.5 - submit) * (1 - 1e-12))
