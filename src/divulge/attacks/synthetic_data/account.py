"""All attacks on synthetic data as plain values, with what is undefined and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from divulge._support.small_counts import hidden, said_share
from divulge._support.wording import enumerated
from divulge.attacks.synthetic_data.attacks import (
    Membership,
    SyntheticAttack,
    inference,
    linkability,
    membership,
    singling_out,
)
from divulge.attacks.synthetic_data.control_group import ORIGINALS, holds_originals, unreadable
from divulge.attacks.synthetic_data.success_rates import SuccessRate
from divulge.attacks.synthetic_data.tables import AttackTables
from divulge.errors import Undefined
from divulge.questions.data import Data, read

MANY = 500  # originals from which on an interval of membership holds
NO_BETTER = "the attack is no better than a guess"
FEW = "fewer than five people were hit, or were not, and a rate would tell how many"


def synthetic_attacks(
    original: object,
    synthetic: object,
    control: object,
    *,
    attributes: Sequence[str] | None = None,
    secrets: Sequence[str] = (),
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Singling out, linkability, inference of each secret and membership, beside a control group.

    Numbers in another unit than the original's are read in its unit, and ``rescaled`` names them. All are
    undefined where the control group holds originals, and membership where values match no original value.
    For linkability the attributes are known in two halves, every second one in each.
    """
    used, made, others = (
        one if isinstance(one, Data) else read(one) for one in (original, synthetic, control)
    )
    tables = AttackTables.of(used, made, others, attributes)
    names = tables.attributes
    asked: list[tuple[str, Callable[[], SyntheticAttack | Membership]]] = [
        ("singling out", lambda: singling_out(tables, seed=seed))
    ]
    if len(names) > 1:
        asked.append(("linkability", lambda: linkability(tables, names[::2], names[1::2], seed=seed)))
    for secret in secrets or tables.original.schema.sensitive:
        known = [name for name in names if name != secret]
        asked.append((f"inference of {secret}", partial(inference, tables, known, secret, seed=seed)))
    asked.append(("membership", lambda: _membership_of(tables, seed)))
    if holds_originals(used, others):
        return [{"attack": name, "undefined": ORIGINALS} for name, _ in asked]
    read_so = {"rescaled": list(tables.rescaled)} if tables.rescaled else {}
    return [{**_said(name, attack), **read_so} for name, attack in asked]


def _membership_of(tables: AttackTables, seed: int) -> Membership:
    """Undefined where some attribute can be compared with nobody's: who is nearest is then by chance."""
    if names := unreadable(tables):
        whose, them = ("its", "it") if len(names) == 1 else ("their", "them")
        raise Undefined(
            f"{enumerated(names)}: {whose} released values match no original value, so distances by {them} "
            "say nothing"
        )
    return membership(tables, seed=seed)


def _said(name: str, attack: Callable[[], SyntheticAttack | Membership]) -> dict[str, Any]:
    try:
        found = attack()
    except Undefined as reason:
        return {"attack": name, "undefined": str(reason)}
    if isinstance(found, Membership):
        return _membership(name, found)
    low, high = found.risk.interval
    told, better = _told(found), found.stronger_than_guessing
    return {
        "attack": name,
        "undefined": None if better and told else NO_BETTER if not better else FEW,
        "attacks": found.attacks,
        "risk": max(found.risk.value, 0.0) if better and told else None,
        "interval": [low, max(high, 0.0)] if better and told else None,
        "success": _rate(found.success, told),
        "control": _rate(found.control, told),
        "guess": _rate(found.baseline, told),
    }


def _told(found: SyntheticAttack) -> bool:
    """Whether rates may be said: not where fewer than five people were hit, or were not, by an attack."""
    counted = [round(rate.successes(found.attacks)) for rate in (found.success, found.control)]
    return all(isinstance(hidden(count, of=found.attacks), int) for count in counted)


def _membership(name: str, found: Membership) -> dict[str, Any]:
    """Its interval holds only where many records were drawn from."""
    low, high = found.nearer.interval
    return {
        "attack": name,
        "undefined": None,
        "risk": found.risk,
        "interval": [max(2 * low - 1, 0.0), max(2 * high - 1, 0.0)] if found.of >= MANY else None,
        "success": _rate(found.nearer, True),
        "equal": said_share(found.equal, of=found.asked),
    }


def _rate(rate: SuccessRate, told: bool) -> dict[str, float] | None:
    return {"value": rate.value, "error": rate.error} if told else None
