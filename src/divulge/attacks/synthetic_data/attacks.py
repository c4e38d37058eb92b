"""Singling out, linkability, inference and membership, on synthetic data.

Definitions follow Giomi, Boenisch, Wehmeyer and Tasnádi (2023). Each attack is also made on a control group
of people who were not used: what it reaches there is what the synthetic data tell about anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.attacks.record_linkage.nearest import nearest
from divulge.attacks.synthetic_data.predicates import ConditionTable, guessed_predicates
from divulge.attacks.synthetic_data.success_rates import SuccessRate, beyond
from divulge.attacks.synthetic_data.tables import AttackTables, Floats, Integers
from divulge.errors import Undefined
from divulge.questions.data import Data

ATTACKS = 2000
TOLERANCE = 0.05  # relative, by which a guessed number may be off
FEWEST = 20  # attacks below which nothing is said


@dataclass(frozen=True)
class SyntheticAttack:
    """How often an attack succeeds on those used, on others, and what is left beyond these."""

    name: str
    attacks: int
    success: SuccessRate
    control: SuccessRate
    baseline: SuccessRate  # a guess that looks at nothing

    @property
    def risk(self) -> SuccessRate:
        return beyond(self.success, self.control)

    @property
    def stronger_than_guessing(self) -> bool:
        """Whether the attack is better than a guess; where it is not, it says nothing."""
        return self.success.interval[0] > self.baseline.interval[1]


def _result(name: str, found: Sequence[npt.NDArray[np.bool_]]) -> SyntheticAttack:
    rates = [SuccessRate.of(int(one.sum()), len(one)) for one in found]
    return SyntheticAttack(name, len(found[0]), rates[0], rates[1], rates[2])


def _targets(tables: AttackTables, rng: np.random.Generator, attacks: int) -> tuple[Integers, Integers]:
    """As many originals and others to attack, drawn without replacement."""
    many = min(attacks, tables.original.records, tables.control.records)
    if many < FEWEST:
        raise Undefined(f"there are fewer than {FEWEST} records to attack")
    return tuple(
        rng.choice(table.records, many, replace=False) for table in (tables.original, tables.control)
    )  # type: ignore[return-value]


def singling_out(
    tables: AttackTables, *, attributes: int = 3, attacks: int = ATTACKS, seed: int = 0
) -> SyntheticAttack:
    """Conditions that single out one synthetic record: how many single out one original person?"""
    rng = np.random.default_rng(seed)
    made, used, others = (
        ConditionTable(one, tables.attributes) for one in (tables.synthetic, tables.original, tables.control)
    )
    found = guessed_predicates(made, attributes, attacks, rng)
    if len(found) < FEWEST:
        raise Undefined(f"fewer than {FEWEST} conditions single out one synthetic record")
    blind = guessed_predicates(made, attributes, len(found), rng, unique=False)
    return _result(
        "singling out", [used.singled_out(found), others.singled_out(found), used.singled_out(blind)]
    )


def linkability(
    tables: AttackTables,
    first: Sequence[str],
    second: Sequence[str],
    *,
    attacks: int = ATTACKS,
    seed: int = 0,
) -> SyntheticAttack:
    """Two parts of a person's record: does the synthetic record nearest to each link them?"""
    rng = np.random.default_rng(seed)
    parts = [tables.points(first), tables.points(second)]
    chosen = _targets(tables, rng, attacks)

    def linked(group: int, rows: Integers) -> npt.NDArray[np.bool_]:
        one, other = (_closest(part[1], part[2 * group][rows]) for part in parts)
        return np.asarray(one == other, np.bool_)

    guess = rng.integers(0, len(parts[0][1]), (2, len(chosen[0])))
    return _result("linkability", [linked(0, chosen[0]), linked(1, chosen[1]), guess[0] == guess[1]])


def inference(
    tables: AttackTables, known: Sequence[str], secret: str, *, attacks: int = ATTACKS, seed: int = 0
) -> SyntheticAttack:
    """A secret value guessed as that of the synthetic record nearest by what is known."""
    rng = np.random.default_rng(seed)
    original, synthetic, control = tables.points(known)
    chosen = _targets(tables, rng, attacks)
    guesses = [
        _closest(synthetic, points[rows]) for points, rows in zip((original, control), chosen, strict=True)
    ]
    blind = rng.integers(0, len(synthetic), len(chosen[0]))
    held = (tables.original, tables.control, tables.original)
    rows = (chosen[0], chosen[1], chosen[0])
    return _result(
        "inference",
        [
            _right(tables, secret, guess, table, row)
            for guess, table, row in zip((*guesses, blind), held, rows, strict=True)
        ],
    )


def _right(
    tables: AttackTables, secret: str, guess: Integers, table: Data, rows: Integers
) -> npt.NDArray[np.bool_]:
    """Whether guessed values are those of the people attacked; a number may be off a little."""
    said, truth = tables.synthetic.numbers(secret)[guess], table.numbers(secret)[rows]
    if not np.isnan(truth).all() and len({*table.column(secret).values}) > 2:
        return np.asarray(np.abs(said - truth) <= TOLERANCE * np.abs(truth), np.bool_)
    words = np.array(["", *map(str, tables.synthetic.column(secret).values)], object)
    true = np.array(["", *map(str, table.column(secret).values)], object)
    return np.asarray(
        words[tables.synthetic.column(secret).codes[guess]] == true[table.column(secret).codes[rows]],
        np.bool_,
    )


def _closest(points: Floats, looked_from: Floats) -> Integers:
    return np.asarray(nearest(points, looked_from).found, np.int64)


@dataclass(frozen=True)
class Membership:
    """Synthetic records that are nearer to an original than to a control record: half where none leak."""

    nearer: SuccessRate
    equal: float  # share of synthetic records that are an original record
    of: int = 0  # originals, and as many others
    asked: int = 0  # synthetic records

    @property
    def risk(self) -> float:
        """How far beyond one half, from 0 to 1."""
        return max(2 * self.nearer.value - 1, 0.0)


def membership(tables: AttackTables, *, attacks: int = ATTACKS, seed: int = 0) -> Membership:
    """Distance to the closest record, against a holdout of the same size."""
    rng = np.random.default_rng(seed)
    original, synthetic, control = tables.points(tables.attributes)
    size = min(len(original), len(control))
    if size < FEWEST:
        raise Undefined(f"there are fewer than {FEWEST} records to compare with")
    used = original[rng.choice(len(original), size, replace=False)]
    held = control[rng.choice(len(control), size, replace=False)]
    asked = synthetic[rng.choice(len(synthetic), min(attacks, len(synthetic)), replace=False)]
    to_used, to_held = nearest(used, asked).nearest, nearest(held, asked).nearest
    ties = to_used == to_held
    nearer = int((to_used < to_held).sum()) + int(ties.sum()) // 2
    return Membership(SuccessRate.of(nearer, len(asked)), float((to_used == 0).mean()), size, len(asked))
