"""The estimate command: what a query counts in a release, beside what it counts in the original."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from divulge import documents
from divulge._support.small_counts import SMALL, hidden
from divulge._support.wording import amount, in_words, many
from divulge.alignment.tables import counterparts
from divulge.cli.progress import progress
from divulge.cli.requests.tables import EstimateRequest
from divulge.cli.tables import pairs
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.questions.data import Data, read
from divulge.utility.estimated_count import (
    GroupReading,
    QueryCondition,
    estimated_count,
    values_behind,
    whole_numbers,
)


def run_estimate(asked: EstimateRequest) -> None:
    reading: GroupReading = "one of the group" if asked.one_of_group else "uniform"
    with progress("Reading"):
        trees = pairs(asked.hierarchies, "--hierarchy", None)
        data = opened(read(asked.file, hierarchies=trees, **asked.source.given()))
        beside = asked.source.given("file", "values")
        original = None if asked.original is None else opened(read(asked.original, **beside))
        where = _conditions(asked, data)
        behind = _behind(asked, data, original, where)
        tests = {one.attribute: one.holds for one in where}
        estimate = _said(estimated_count(data, tests, behind, reading), data.people)
        truth = None if original is None else _said(_true_count(original, data, where), original.people)
    if asked.as_json:
        body = {
            "where": list(asked.where),
            "people": data.people,
            "estimate": estimate,
            "true_count": truth,
            "reading": reading,
        }
        sys.stdout.write(as_json(documents.headed("estimate", body)))
        return
    print(f"Estimated from {data.source.name}: {_words(estimate)} of {many(data.people)} people.")
    if original is not None and truth is not None:
        print(f"Counted in {original.source.name}: {_words(truth)} of {many(original.people)} people.")


def _conditions(asked: EstimateRequest, data: Data) -> list[QueryCondition]:
    where = [QueryCondition.read(text, data.released_attributes) for text in asked.where]
    named = [one.attribute for one in where]
    if twice := [name for name in named if named.count(name) > 1]:
        raise ParameterError(
            f"'{twice[0]}' is in several conditions.", hint="Give one condition for each attribute."
        )
    return where


def _behind(
    asked: EstimateRequest, data: Data, original: Data | None, where: Sequence[QueryCondition]
) -> dict[str, dict[str, list[object]]]:
    """What coarser values may stand for, by attribute."""
    given = pairs(asked.ranges, "--range", data.schema.attributes)
    numbers = {name: whole_numbers(text, name) for name, text in given.items()}
    found = {
        one.attribute: values_behind(data, one.attribute, original, numbers.get(one.attribute))
        for one in where
    }
    return {name: dict(values) for name, values in found.items() if values is not None}


def _true_count(original: Data, data: Data, where: Sequence[QueryCondition]) -> float:
    matched, _ = counterparts(original.schema.attributes, data.schema.attributes, {})
    ours = {theirs: name for name, theirs in matched.items()}
    lost = [one.attribute for one in where if one.attribute not in ours]
    if lost:
        raise ParameterError(
            f"{original.source.name} has no attribute like '{lost[0]}' that could be counted.",
            hint="Leave out --original, or the condition.",
        )
    return estimated_count(original, {ours[one.attribute]: one.holds for one in where})


def _said(count: float, people: int) -> float | str:
    """A count of people as an output may say it."""
    whole = round(count) if abs(count - round(count)) < 1e-9 else count
    return hidden(whole, people if people >= 2 * SMALL else None)


def _words(count: float | str) -> str:
    return in_words(count) if isinstance(count, str) else amount(count)
