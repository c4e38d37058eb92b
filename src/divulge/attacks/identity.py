"""Identity disclosure: whom is a record about? With the original, the release alone, or an outside table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.alignment import Alignment, counterparts
from divulge.attacks.asking import NO_KEYS, ask, ask_each, suppressed_keys
from divulge.attacks.linkage import Links, Shared, link, share
from divulge.attacks.originals import as_sets, brief, by_record
from divulge.attacks.outcome import AttackReading, Outcome, mean_rate, on_average, told_by_others, why
from divulge.attacks.recognition import Groups
from divulge.data import Data
from divulge.errors import SchemaError, listing
from divulge.measures import get
from divulge.statistics import ALONE, RISK
from divulge.wording import enumerated, percent, records

AT_MOST = (1, 2, 5, 10)
NO_COUNTERPART = "it has no counterpart in the release"
NOT_COMPARED = (
    "no released record could be compared: all are suppressed or hold values that were not recognised"
)


def identity_white_box(
    alignment: Alignment, *, groups: Mapping[str, Groups] | None = None, show_values: bool = False
) -> Outcome:
    """How far released quasi-identifiers give their original values away to someone who holds both tables.

    Read in two ways: record by record where rows are aligned, and as sets, where the attacker has the values
    of both tables without knowing which belong together and goes by what a released value may stand for.
    ``groups`` says so where its spelling and the hierarchies do not: for an attribute of the original, the
    original values behind each released one. People are released records that fit a single original record on
    all quasi-identifiers (where rows are aligned: the right one).
    """
    outcome = Outcome(
        "identity_white_box",
        "Identity disclosure, white box",
        "the original and the released quasi-identifiers, but not which records belong together",
    )
    named = alignment.original.schema.quasi_identifiers
    kept = {name: alignment.columns[name] for name in named if name in alignment.columns}
    lost = [AttackReading((name,), name, undefined=NO_COUNTERPART) for name in named if name not in kept]
    if not kept:
        return outcome.failed("the release has none of the quasi-identifiers" if named else NO_KEYS, lost)
    shared = share(alignment.released, alignment.original, kept, groups)
    sets = [as_sets(kept[name], name, one, show_values=show_values) for name, one in shared.items()]
    by_rows = alignment.rows is not None
    readings = [by_record(alignment, name, show_values=show_values) for name in kept] if by_rows else sets
    readings = [*readings, *lost]
    hidden = [*suppressed_keys(alignment.released), *(one.target for one in lost)]
    risk = mean_rate(readings, hidden)
    if risk is None or mean_rate(readings) is None:
        return outcome.failed(why(readings), readings)
    links = link(list(shared.values()))
    alone, fitting = _right(alignment, list(shared.values()), links)
    details: dict[str, Any] = {
        "how": "record by record" if by_rows else "as sets",
        "as_sets": [brief(one, shared[one.target]) for one in sets],
        "fits_its_original": fitting,
        **links.to_dict(),
        **told_by_others(readings, hidden),
    }
    return replace(
        outcome,
        risk=risk,
        people=alone,
        of=links.of,
        readings=readings,
        details=details,
        sentence=_white_box(risk, alone, links, details, in_order=alignment.how == "by order"),
    )


def identity_black_box(released: Data, *, show_values: bool = False) -> Outcome:
    """How far the released quasi-identifiers single records out, for someone who has nothing but the release.

    People are the records that are alone with their combination of values. A suppressed cell may hold
    anything, so that a record is not alone where another could be the same.
    """
    outcome = Outcome("identity_black_box", "Identity disclosure, black box", "the release, and nothing else")
    keys = released.schema.quasi_identifiers
    if not keys:
        return outcome.failed(NO_KEYS)
    readings = [one.reading(show_values=show_values) for one in ask_each(released)]
    together = ask(released, keys)
    if together.undefined is not None:
        return outcome.failed(together.undefined, readings)
    counts, of = together.fitting, together.of
    hidden = suppressed_keys(released)
    k, people = int(get("k_anonymity").compute(counts)), int(counts.over_records(ALONE))
    return replace(
        outcome,
        risk=mean_rate(readings, hidden),
        people=people,
        of=of,
        readings=readings,
        details={
            "k": k,
            "uniqueness": people / of,
            "classes": counts.classes,
            "average_risk": counts.over_records(RISK) / of,
            **told_by_others(readings, hidden),
        },
        sentence=f"By {enumerated(keys)}, {records(people, of=of)} can be singled out; "
        f"the smallest crowd in which someone hides has {k}.",
    )


def identity_grey_box(
    released: Data,
    outside: Data,
    *,
    on: Mapping[str, str] | Sequence[str] = (),
    groups: Mapping[str, Groups] | None = None,
) -> Outcome:
    """How many released records an outside table leads to, by the attributes that both have.

    ``on`` names attributes of the outside table, or maps them to those of the release; unless given, all
    that are quasi-identifiers of the release count. The risk is the expected share of right links, if each
    record is linked to one that fits it. People are records that fit one outside record, alone among the
    released.
    """
    columns = _shared_columns(released, outside, on)
    outcome = Outcome(
        "identity_grey_box",
        "Identity disclosure, grey box",
        f"the release, and an outside table with {enumerated([*columns] or ['nothing in common'])}",
    )
    if not columns:
        return outcome.failed("the outside table has none of the quasi-identifiers of the release")
    links = link(list(share(released, outside, columns, groups).values()))
    if not links.of:
        return outcome.failed(NOT_COMPARED)
    expected, of = float((1 / links.crowd).sum()), links.of + links.suppressed
    people = int(links.alone.sum())
    return replace(
        outcome,
        risk=expected / of,
        people=people,
        of=of,
        details={
            "on": columns,
            "fits_at_most": [
                {"outside_records": n, "records": int((links.matched & (links.fitting <= n)).sum())}
                for n in AT_MOST
            ],
            "expected_correct_links": expected,
            **links.to_dict(),
        },
        sentence=f"By {enumerated(list(columns))}, {records(people, of=of)} can be traced to one "
        f"person of the outside table; whoever links all is right for {percent(expected / of)}.",
    )


def _shared_columns(released: Data, outside: Data, on: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """The attributes of the outside table that lead into the release, with their counterparts there."""
    given = on if isinstance(on, Mapping) else {}
    columns, _ = counterparts(outside.schema.attributes, released.schema.attributes, given)
    if on:
        outside.schema.check(on)
        lost = [name for name in on if name not in columns]
        if lost:
            raise SchemaError(
                f"{listing(lost)} of the outside table has no counterpart in the release.",
                hint="Map each attribute of the outside table to one of the release.",
            )
        return {name: columns[name] for name in on}
    keys = released.schema.quasi_identifiers
    return {name: counterpart for name, counterpart in columns.items() if counterpart in keys}


def _right(alignment: Alignment, shared: Sequence[Shared], links: Links) -> tuple[int, float | None]:
    """Records that lead to one original, and the share of aligned records that fit their own original.

    Where rows are aligned, the one original must be the right one.
    """
    if alignment.rows is None:
        return int(links.alone.sum()), None
    ours, theirs = alignment.rows
    right = np.logical_and.reduce([one.holds(theirs, ours) for one in shared])
    compared = links.compared[theirs]
    alone = int((links.alone[theirs] & right).sum())
    return alone, float(right[compared].mean()) if compared.any() else None


def _white_box(risk: float, people: int, links: Links, details: Mapping[str, Any], *, in_order: bool) -> str:
    average = on_average(details["hidden_keys"])
    told = f"A released quasi-identifier tells {percent(risk)} of its original value {average}"
    if not links.of:
        return f"{told}; {NOT_COMPARED}."
    said = f"{told}, and {records(people, of=links.of)} can be traced to a single original record."
    fitting = details["fits_its_original"]
    if fitting is not None and fitting < 1:
        doubt = ": values were changed, or rows are in another order" if in_order else ": values were changed"
        said += f" Only {percent(fitting)} of the records fit their own original{doubt}."
    return said
