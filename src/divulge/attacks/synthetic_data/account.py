"""All attacks on synthetic data as plain values, with what is undefined and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from divulge.attacks.synthetic_data.attacks import (
    Membership,
    SyntheticAttack,
    inference,
    linkability,
    membership,
    singling_out,
)
from divulge.attacks.synthetic_data.success_rates import SuccessRate
from divulge.attacks.synthetic_data.tables import AttackTables
from divulge.errors import Undefined
from divulge.questions.data import Data, read


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
    asked.append(("membership", lambda: membership(tables, seed=seed)))
    return [_said(name, attack) for name, attack in asked]


def _said(name: str, attack: Callable[[], SyntheticAttack | Membership]) -> dict[str, Any]:
    try:
        found = attack()
    except Undefined as reason:
        return {"attack": name, "undefined": str(reason)}
    if isinstance(found, Membership):
        low, high = found.nearer.interval
        return {
            "attack": name,
            "undefined": None,
            "risk": found.risk,
            "interval": [max(2 * low - 1, 0.0), max(2 * high - 1, 0.0)],
            "success": _rate(found.nearer),
            "equal": found.equal,
        }
    low, high = found.risk.interval
    return {
        "attack": name,
        "undefined": None if found.stronger_than_guessing else "the attack is no better than a guess",
        "attacks": found.attacks,
        "risk": max(found.risk.value, 0.0) if found.stronger_than_guessing else None,
        "interval": [low, max(high, 0.0)] if found.stronger_than_guessing else None,
        "success": _rate(found.success),
        "control": _rate(found.control),
        "guess": _rate(found.baseline),
    }


def _rate(rate: SuccessRate) -> dict[str, float]:
    return {"value": rate.value, "error": rate.error}
