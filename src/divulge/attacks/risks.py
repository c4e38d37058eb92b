"""Re-identification as a wager: the prosecutor, the journalist and the marketer each guess within a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many, number, percent, records
from divulge.alignment.tables import counterparts
from divulge.attacks.identity import NOT_COMPARED
from divulge.attacks.linkage.candidates import Links, link, share
from divulge.attacks.outcome import Outcome
from divulge.attacks.questions import NO_KEYS, AttackQuestion, ask
from divulge.counting.counts import Integers
from divulge.counting.statistics import RISK
from divulge.questions.data import Data

THRESHOLDS = (0.2, 0.1, 0.05)
NO_SHARED_KEY = "the population table has none of the quasi-identifiers of the release"


def prosecutor(released: Data, *, thresholds: Sequence[float] = THRESHOLDS) -> Outcome:
    """The risk for someone who is known to be in the release: one over the group size.

    The risk is the highest of all people. People are records above the first threshold. Suppressed cells
    match anything; records whose keys are all suppressed are in no group, and nothing is learned about
    them.
    """
    outcome = Outcome(
        "prosecutor", "Prosecutor risk", "that someone is in the release, and their quasi-identifiers"
    )
    asked = _ask(released)
    if isinstance(asked, str):
        return outcome.failed(asked)
    counts = asked.fitting
    times = counts.members if counts.multiplicity is None else counts.members * counts.multiplicity
    details = {"classes": counts.classes}
    return _guessed(outcome, counts.statistic(RISK), times, thresholds, details, asked.of)


def journalist(
    released: Data,
    population: Data,
    *,
    on: Mapping[str, str] | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Outcome:
    """The risk that someone of the population is linked to a record: one over the people who fit it.

    Released values are matched with those of the population by what they may stand for. The risk is the
    highest of all people. People are records above the first threshold. ``on`` maps attributes of the
    population to those of the release that are called otherwise.
    """
    outcome = Outcome(
        "journalist",
        "Journalist risk",
        "a population table that contains the people of the release, and more",
    )
    links, columns = _linked(released, population, on)
    if links is None or not links.matched.any():
        return outcome.failed(NOT_COMPARED if columns else NO_SHARED_KEY)
    details = {"on": columns, "population": population.records, **links.to_dict()}
    once = np.ones(len(links.crowd), np.int64)
    return _guessed(outcome, 1 / links.crowd, once, thresholds, details, len(once) + links.suppressed)


def marketer(
    released: Data, population: Data | None = None, *, on: Mapping[str, str] | None = None
) -> Outcome:
    """The share of records that are linked to the right person when all are linked.

    With a population table each record is linked to someone who fits it, without one to someone of its group.
    People are the expected right links.
    """
    outcome = Outcome(
        "marketer", "Marketer risk", "the quasi-identifiers of everyone, to link as many as possible"
    )
    if population is not None:
        links, columns = _linked(released, population, on)
        if links is None or not links.of:
            return outcome.failed(NOT_COMPARED if columns else NO_SHARED_KEY)
        expected, of = float((1 / links.crowd).sum()), links.of + links.suppressed
        details: dict[str, Any] = {"on": columns, "population": population.records, **links.to_dict()}
    else:
        asked = _ask(released)
        if isinstance(asked, str):
            return outcome.failed(asked)
        counts, of = asked.fitting, asked.of
        expected = counts.over_records(RISK)
        details = {"classes": counts.classes}
    return replace(
        outcome,
        risk=expected / of,
        people=round(expected),
        of=of,
        details=details,
        sentence=f"{percent(expected / of)} of {many(of)} records are linked to the right person "
        "if all are linked.",
    )


def _ask(released: Data) -> AttackQuestion | str:
    """The release by its quasi-identifiers, or why that cannot be had."""
    keys = released.schema.quasi_identifiers
    if not keys:
        return NO_KEYS
    asked = ask(released, keys)
    return asked if asked.undefined is None else asked.undefined


def _linked(
    released: Data, population: Data, on: Mapping[str, str] | None
) -> tuple[Links | None, dict[str, str]]:
    """The population's records behind each released one, by the quasi-identifiers that both have."""
    found, _ = counterparts(population.schema.attributes, released.schema.attributes, on or {})
    keys = released.schema.quasi_identifiers
    columns = {name: counterpart for name, counterpart in found.items() if counterpart in keys}
    if not columns:
        return None, columns
    return link(list(share(released, population, columns).values())), columns


def _guessed(
    outcome: Outcome,
    risk: npt.NDArray[Any],
    times: Integers,
    thresholds: Sequence[float],
    details: dict[str, Any],
    of: int,
) -> Outcome:
    """The outcome of guessing: for each risk how many records have it, of so many in all."""
    above = [(one, int(times[risk > one + 1e-12].sum())) for one in thresholds]
    highest, average = float(risk.max()), float((risk * times).sum()) / of
    lines = [{"threshold": one, "records": some, "share": some / of} for one, some in above]
    first, people = above[0] if above else (None, None)
    said = f"The highest re-identification risk is {number(highest)}, the average {number(average)}"
    more = "" if people is None else f"; above {number(first or 0.0)} for {records(people, of=of)}"
    return replace(
        outcome,
        risk=highest,
        people=people,
        of=of,
        details={"highest": highest, "average": average, "above": lines, **details},
        sentence=f"{said}{more}.",
    )


def guessed(
    outcome: Outcome, probability: npt.NDArray[Any], thresholds: Sequence[float], details: dict[str, Any]
) -> Outcome:
    """The outcome of guessing people one by one, each with a probability of being right."""
    once = np.ones(len(probability), np.int64)
    return _guessed(outcome, probability, once, thresholds, details, len(once))
