"""Identity disclosure: whom is a record about? With the original, the release alone, or an outside table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from divulge._support.seeds import SEED
from divulge._support.wording import capitalized, enumerated, percent, records
from divulge.alignment.recognition import Groups
from divulge.alignment.tables import Alignment, counterparts
from divulge.attacks.changed_values.originals import as_sets, beyond_chance, brief, by_record
from divulge.attacks.changed_values.truth import MOST_CHANGED, Truth, unread, unrecognised
from divulge.attacks.linkage.candidates import Mask, link, share
from divulge.attacks.outcome import AttackReading, Outcome, mean_rate, on_average, told_by_others, why
from divulge.attacks.questions import NO_KEYS, ask, ask_each, suppressed_keys
from divulge.counting.statistics import ALONE, RISK
from divulge.errors import SchemaError, listing
from divulge.measures import get
from divulge.questions.data import Data

AT_MOST = (1, 2, 5, 10)
NO_COUNTERPART = "it has no counterpart in the release"
NOT_COMPARED = (
    "no released record could be compared: all are suppressed or hold values that were not recognised; a "
    "hierarchy (--hierarchy) can say what they mean"
)


def identity_white_box(
    alignment: Alignment,
    *,
    groups: Mapping[str, Groups] | None = None,
    show_values: bool = False,
    truth: Truth | None = None,
    seed: int = SEED,
) -> Outcome:
    """How far released quasi-identifiers reveal their original values to someone who has both tables.

    The attacker has the values of both tables without knowing which belong together, and uses what a
    released value may stand for. So values are compared as sets, and the order of rows does not matter.
    ``groups`` says what values stand for where their spelling and the hierarchies do not: for an attribute of
    the original, the original values behind each released one. Where values were changed or are not
    recognised, they are compared record by record if rows are aligned, beyond chance. People are
    released records that fit a single original record on all quasi-identifiers (where identifiers are given:
    the right one; those whose person is not known are not counted, and if these are most, nobody is).
    """
    outcome = Outcome(
        "identity_white_box",
        "Identity disclosure, white box",
        "the original and the released quasi-identifiers, but not which records belong together",
    )
    named = alignment.original.schema.quasi_identifiers
    kept = {name: alignment.columns[name] for name in named if name in alignment.columns}
    lost = [AttackReading((name,), name, undefined=NO_COUNTERPART) for name in named if name not in kept]
    truth = truth or Truth.of(alignment, groups)
    if truth is None:
        return outcome.failed("the release has none of the quasi-identifiers" if named else NO_KEYS, lost)
    shared, links = truth.shared, truth.links
    weights = alignment.original.record_weights()
    sets = {
        name: as_sets(kept[name], name, one, show_values=show_values, weights=weights)
        for name, one in shared.items()
    }
    by_rows = {name for name in kept if _needs_rows(truth, name)}
    readings = [
        by_record(alignment, name, show_values=show_values, seed=seed) if name in by_rows else sets[name]
        for name in kept
    ] + lost
    counted = [beyond_chance(one) if one.target in by_rows else one for one in readings]
    hidden = [*suppressed_keys(alignment.released), *(one.target for one in lost)]
    risk = mean_rate(counted, hidden)
    if risk is None:
        return outcome.failed(why(counted), readings)
    unknown = truth.unknown or unread(alignment, shared)
    if unknown is not None:
        return outcome.failed(unknown, readings)
    of = _compared(truth)
    unmeasured = alignment.few_matched if alignment.identified else None
    unmeasured = unmeasured or (None if of else NOT_COMPARED)
    people = int(_traced(truth).sum()) if unmeasured is None else None
    details: dict[str, Any] = {
        "how": "record by record" if by_rows else "as sets",
        "as_sets": [brief(one, shared[name]) for name, one in sets.items()],
        "fits_its_original": truth.fitting,
        "fits_no_original": truth.strangers,
        **links.to_dict(),
        **told_by_others(counted, hidden),
    }
    return replace(
        outcome,
        risk=risk,
        people=people,
        people_undefined=unmeasured,
        of=of if people is not None else None,
        readings=readings,
        details=details,
        sentence=_white_box(risk, people, of, unmeasured, truth, details),
    )


def _needs_rows(truth: Truth, name: str) -> bool:
    """Whether an attribute has to be read record by record, and can be."""
    if truth.alignment.rows is None:
        return False
    return unrecognised(truth.shared[name]) > MOST_CHANGED or truth.changed is not None


def _traced(truth: Truth) -> Mask:
    """Released records that lead to a single original record; by identifiers, to the right one."""
    if not truth.alignment.identified or truth.own is None or truth.alignment.rows is None:
        return truth.links.alone
    return truth.links.alone[truth.alignment.rows[1]] & truth.own


def _compared(truth: Truth) -> int:
    """How many released records people are counted among; by identifiers, those whose person is known."""
    if not truth.alignment.identified or truth.own is None or truth.alignment.rows is None:
        return truth.links.of
    return int(truth.links.compared[truth.alignment.rows[1]].sum())


def identity_black_box(released: Data, *, show_values: bool = False) -> Outcome:
    """How far the released quasi-identifiers single out records, for someone who has only the release.

    People are the unique records. A suppressed cell may be anything, so that a record is not unique where
    another could be the same.
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
        sentence=f"{capitalized(records(people, of=of))} {'is' if people == 1 else 'are'} unique on "
        f"{enumerated(keys)}. The smallest group has {records(k)}.",
    )


def identity_grey_box(
    released: Data,
    outside: Data,
    *,
    on: Mapping[str, str] | Sequence[str] = (),
    groups: Mapping[str, Groups] | None = None,
) -> Outcome:
    """How many released records can be linked to an outside table by the attributes that both have.

    ``on`` names attributes of the outside table, or maps them to those of the release; by default all
    quasi-identifiers of the release. The risk is the expected share of right links, if each
    record is linked to one that fits it. People are unique released records that fit one outside record.
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
        sentence=f"{capitalized(records(people, of=of))} match{'es'[: 2 * (people == 1)]} one person of the "
        f"outside table on {enumerated(list(columns))}. Linking every record is right for "
        f"{percent(expected / of)} of them.",
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


def _white_box(
    risk: float,
    people: int | None,
    of: int,
    unmeasured: str | None,
    truth: Truth,
    details: Mapping[str, Any],
) -> str:
    average = on_average(details["hidden_keys"])
    said = f"A released quasi-identifier gives {percent(risk)} of its original value {average}"
    if truth.changed is not None:
        return f"{said}, beyond chance. {truth.changed[0].upper()}{truth.changed[1:]}."
    if people is None:
        said += f". How many people are concerned was not measured: {unmeasured}."
    else:
        found = records(people, of=of)
        said += f", and {found} can be traced to a single original record."
    if truth.alignment.identified and truth.unfitting is not None:
        said += f" {truth.unfitting} of the records do not fit their own original."
    return said
