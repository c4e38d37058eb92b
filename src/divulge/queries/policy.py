"""What a guarded table answers, to whom and how exactly, as a TOML file says it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from divulge.policy.place import PolicyPlace, file_place, parsed

KINDS = ("exact", "camouflage", "cell key", "differential privacy")
LEAST_EPSILON = Decimal("0.000001")
DECIDED_FROM = ("memberships", "answers")
_SHAPE = "A policy for queries has [table], a [columns.NAME] for each column, [controls] and [answers]."
_TABLES = ("table", "columns", "controls", "answers")
_TABLE = ("source", "name", "record", "person", "records_per_person", "timeout")
_COLUMN = ("known", "conditions", "bounds", "camouflage", "grain")
_CONTROLS = ("set_size", "overlap", "differencing")
_OF_KIND = {
    "exact": (),
    "camouflage": (),
    "cell key": ("largest", "variance"),
    "differential privacy": ("epsilon", "budget", "total"),
}


@dataclass(frozen=True)
class TableRule:
    """Which table is guarded, and whom its records are about."""

    name: str
    record: str
    source: str | None = None
    person: str | None = None
    records_per_person: int = 1  # under differential privacy; further ones are left out
    timeout: float = 30.0  # seconds


@dataclass(frozen=True)
class ColumnRule:
    """What may be asked of a column."""

    known: bool = False  # whether an attacker is taken to know it of everyone
    conditions: bool = False
    bounds: tuple[Decimal, Decimal] | None = None  # of values that may be summed
    camouflage: Decimal | None = None  # the width of a value's interval
    grain: Decimal = Decimal(1)  # the steps in which sums under differential privacy are made


@dataclass(frozen=True)
class Differencing:
    """What the audit of differencing refuses."""

    margin: Decimal = Decimal(0)  # as a share of the width of bounds; 0: only what is known exactly
    decided_from: str = "memberships"


@dataclass(frozen=True)
class Controls:
    """Which queries are refused; None where a control is not used."""

    set_size: int | None = None
    overlap: int | None = None
    differencing: Differencing | None = None


@dataclass(frozen=True)
class AnswerRule:
    """How exact answers are, and what they cost."""

    kind: str = "exact"
    largest: int = 3  # change of a count by its key
    variance: float = 2.0  # of that change
    epsilon: Decimal = Decimal(0)  # of each answer
    budget: Decimal = Decimal(0)  # of each analyst
    total: Decimal | None = None  # of all analysts together


@dataclass(frozen=True)
class QueryPolicy:
    """Everything that a guard holds queries to."""

    table: TableRule
    columns: Mapping[str, ColumnRule]
    controls: Controls = field(default=Controls())
    answers: AnswerRule = field(default=AnswerRule())
    name: str = "the policy"
    folder: Path = Path()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> QueryPolicy:
        """The policy in a TOML file; paths in it start from its folder."""
        place, _ = file_place(path, "policy", _SHAPE)
        return policy_of(parsed(place), place, Path(path).parent)

    @classmethod
    def of(cls, given: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> QueryPolicy:
        """A policy from a mapping of the same shape.

        >>> table = {"name": "patients", "record": "id"}
        >>> columns = {"age": {"known": True}, "salary": {"bounds": [0, 100_000]}}
        >>> policy = QueryPolicy.of({"table": table, "columns": columns, "controls": {"set_size": 5}})
        >>> policy.summed, policy.conditions
        (('salary',), ('age',))
        """
        return policy_of(given, PolicyPlace("the policy"), Path(folder or ""))

    @property
    def summed(self) -> tuple[str, ...]:
        """The columns that may be summed."""
        return tuple(name for name, rule in self.columns.items() if rule.bounds is not None)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The columns that may be in conditions."""
        return tuple(name for name, rule in self.columns.items() if rule.conditions)

    @property
    def warning(self) -> str | None:
        """What a policy leaves open that looks guarded, in a sentence; None where it leaves nothing so."""
        if self.answers.kind != "exact" or not self.summed or self.controls.differencing is not None:
            return None
        return (
            "Exact answers are not audited under this policy: two or three queries can give one person's "
            "value away, whatever their sizes. Write differencing = true below [controls]."
        )

    def document(self) -> dict[str, Any]:
        """The policy for a log: numbers as texts, exactly; without the source, which may have a password."""
        columns = {name: {**_plain(rule)} for name, rule in self.columns.items()}
        differencing = self.controls.differencing
        controls = {"set_size": self.controls.set_size, "overlap": self.controls.overlap}
        return {
            "table": {key: held for key, held in _plain(self.table).items() if key != "source"},
            "columns": columns,
            "controls": {**controls, "differencing": differencing and _plain(differencing)},
            "answers": _plain(self.answers),
        }


def _plain(rule: object) -> dict[str, Any]:
    def text(held: Any) -> Any:
        if isinstance(held, tuple):
            return [text(one) for one in held]
        return str(held) if isinstance(held, Decimal) else held

    return {key: text(held) for key, held in vars(rule).items()}


def policy_of(given: object, root: PolicyPlace, folder: Path) -> QueryPolicy:
    """A policy from what was parsed."""
    tables = root.table(given, _SHAPE)
    root.check_keys(tables, _TABLES, _SHAPE)
    for needed in ("table", "columns"):
        if needed not in tables:
            raise root.error(f"there is no [{needed}].", _SHAPE)
    answers = _answers(tables.get("answers", {}), root / "answers")
    table = _table(tables["table"], root / "table", answers.kind)
    columns = _columns(tables["columns"], root / "columns", answers.kind)
    for name in filter(None, (table.record, table.person)):
        if name in columns:
            raise (root / "columns" / name).error(
                "this column says whose record it is, so nothing may be asked of it.", "Leave it out here."
            )
    controls = _controls(tables.get("controls", {}), root / "controls", answers.kind)
    policy = QueryPolicy(table, columns, controls, answers, root.name, folder)
    _check_confidential(policy, root)
    return policy


def _check_confidential(policy: QueryPolicy, root: PolicyPlace) -> None:
    """Refuse conditions on confidential columns where answers would give them away."""
    if policy.answers.kind == "differential privacy":
        return
    for name in policy.conditions:
        if not policy.columns[name].known:
            raise (root / "columns" / name / "conditions").error(
                "conditions on a confidential column are answered under differential privacy only: other "
                "answers would tell who meets them.",
                'Write kind = "differential privacy", or known = true if an attacker may know the column.',
            )


def _table(given: object, place: PolicyPlace, kind: str) -> TableRule:
    hint = 'Write name = "patients" and record = "id".'
    table = place.table(given, hint)
    place.check_keys(table, _TABLE)
    found: dict[str, Any] = {}
    for key in ("name", "record"):
        if key not in table:
            raise place.error(f"this has no {key}.", hint)
    for key in ("name", "record", "source", "person"):
        if key in table:
            found[key] = (place / key).string(table[key], hint)
    if found.get("person") == found["record"]:
        raise (place / "person").error(
            "this is the column of record.", "Leave it out: a person has a record."
        )
    if "records_per_person" in table:
        if kind != "differential privacy" or "person" not in table:
            raise (place / "records_per_person").error(
                "this is for differential privacy and a person column.", "Leave it out."
            )
        found["records_per_person"] = _whole(table, place, "records_per_person", 1)
    elif kind == "differential privacy" and "person" in table:
        raise place.error("this has no records_per_person.", "Write records_per_person = 3.")
    if "timeout" in table:
        found["timeout"] = float(_decimal(table["timeout"], place / "timeout", Decimal(0), Decimal(3600)))
    return TableRule(**found)


def _columns(given: object, place: PolicyPlace, kind: str) -> dict[str, ColumnRule]:
    hint = "Write [columns.age], and below it known = true."
    found = {}
    for name, entry in place.table(given, hint).items():
        here = place / name
        table = here.table(entry, hint)
        here.check_keys(table, _COLUMN)
        known = here.flag(table, "known", False)
        rule: dict[str, Any] = {"known": known, "conditions": here.flag(table, "conditions", known)}
        if "bounds" in table:
            if known:
                raise (here / "bounds").error(
                    "a column that an attacker knows needs no answers.", "Leave known or bounds out."
                )
            rule["bounds"] = _bounds(table["bounds"], here / "bounds")
        for key, of in (("camouflage", "camouflage"), ("grain", "differential privacy")):
            if key in table and (kind != of or "bounds" not in table):
                raise (here / key).error(f"this is for sums and answers of kind '{of}'.", "Leave it out.")
            if key in table:
                low, high = rule["bounds"]
                rule[key] = _decimal(table[key], here / key, Decimal(0), high - low)
        if kind == "camouflage" and "bounds" in table and "camouflage" not in table:
            raise here.error("this has bounds and no camouflage.", "Write camouflage = 5000: a width.")
        if not (rule["conditions"] or "bounds" in rule):
            raise here.error(
                "nothing may be asked of this column.", "Write known = true, or bounds = [0, 100]."
            )
        found[name] = ColumnRule(**rule)
    if not found:
        raise place.error("there are no columns.", hint)
    return found


def _bounds(given: object, place: PolicyPlace) -> tuple[Decimal, Decimal]:
    hint = "Write bounds = [0, 1000]: no value is outside of them."
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise place.error("this must be two numbers.", hint)
    most = Decimal(10) ** 15
    low, high = (_decimal(one, place, -most - 1, most, hint) for one in given)
    if low >= high:
        raise place.error("the first has to be below the second.", hint)
    return low, high


def _controls(given: object, place: PolicyPlace, kind: str) -> Controls:
    table = place.table(given, "Write [controls], and below it set_size = 5 and differencing = true.")
    place.check_keys(table, _CONTROLS)
    if table and kind == "differential privacy":
        raise place.error(
            "a refusal by exact numbers is outside of what differential privacy promises.",
            "Leave [controls] out: the budget is the control.",
        )
    found: dict[str, Any] = {}
    for key, least in (("set_size", 1), ("overlap", 0)):
        if key in table:
            found[key] = _whole(table, place, key, least)
    asked, here = table.get("differencing", False), place / "differencing"
    if isinstance(asked, bool):
        found["differencing"] = Differencing() if asked else None
    else:
        inner = here.table(
            asked, 'Write differencing = true, or { margin = 0.05, decided_from = "answers" }.'
        )
        here.check_keys(inner, ("margin", "decided_from"))
        margin = Decimal(0)
        if "margin" in inner:
            hint = "Write a share of the width of the bounds, such as 0.05."
            margin = _decimal(inner["margin"], here / "margin", Decimal(0), Decimal(1), hint)
        word = (here / "decided_from").choice(
            inner.get("decided_from", "memberships"), DECIDED_FROM, "way to decide"
        )
        if word == "answers" and not margin:
            raise here.error("answers decide about a margin alone.", "Add margin = 0.05.")
        found["differencing"] = Differencing(margin, word)
    if found["differencing"] and kind != "exact":
        raise here.error(
            f"the audit is of exact answers, and these are of kind '{kind}'.", "Leave differencing out."
        )
    return Controls(**found)


def _answers(given: object, place: PolicyPlace) -> AnswerRule:
    table = place.table(given, 'Write [answers], and below it kind = "exact".')
    kind = (place / "kind").choice(table.get("kind", "exact"), KINDS, "kind of answer")
    every = tuple(key for keys in _OF_KIND.values() for key in keys)
    place.check_keys(table, ("kind", *every))
    found: dict[str, Any] = {"kind": kind}
    for key in table:
        if key != "kind" and key not in _OF_KIND[kind]:
            raise (place / key).error(f"this is not for answers of kind '{kind}'.", "Leave it out.")
    if "largest" in table:
        found["largest"] = _whole(table, place, "largest", 1)
    if "variance" in table:
        found["variance"] = float(_decimal(table["variance"], place / "variance", Decimal(0), Decimal(10**4)))
    rule = AnswerRule(**found)
    reached = 0.9 * rule.largest**2  # by cell_key.change_distribution
    if rule.variance > reached:
        raise (place / ("variance" if "variance" in table else "largest")).error(
            f"changes of at most {rule.largest} have a variance of at most {reached:g}, not of "
            f"{rule.variance:g}.",
            f"Write variance = {reached:g} or less, or a larger change.",
        )
    for key in _OF_KIND["differential privacy"] if kind == "differential privacy" else ():
        if key in table:
            found[key] = _decimal(table[key], place / key, Decimal(0), Decimal(1000))
            if found[key] < LEAST_EPSILON:
                raise (place / key).error(
                    f"this is below {LEAST_EPSILON}: answers would be noise alone.", "Write a larger number."
                )
        elif key != "total":
            raise place.error(f"this has no {key}.", "Write epsilon = 0.1 and budget = 1.")
    if kind == "differential privacy" and found["budget"] < found["epsilon"]:
        raise (place / "budget").error("this is below the epsilon of one answer.", "Write a larger budget.")
    return AnswerRule(**found)


def _decimal(
    given: object, place: PolicyPlace, above: Decimal, most: Decimal, hint: str | None = None
) -> Decimal:
    """A number above one and up to another, exactly as it is written."""
    hint = hint or f"Write a number above {above.normalize():f} and up to {most.normalize():f}."
    found = Decimal(repr(place.number(given, hint)))
    if not found.is_finite() or not above < found <= most:
        raise place.error("this is out of range.", hint)
    return found


def _whole(table: Mapping[str, Any], place: PolicyPlace, key: str, least: int) -> int:
    hint = f"Write a whole number of at least {least}."
    found = (place / key).number(table[key], hint)
    if not isinstance(found, int) or not least <= found <= 10**9:
        raise (place / key).error("this is out of range.", hint)
    return found
