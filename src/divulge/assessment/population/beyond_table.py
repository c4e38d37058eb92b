"""Who is unique beyond the table, by some keys of a scope: counted once for each scope."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from divulge.assessment.people.copies import copies
from divulge.assessment.population.declared import Way, declared
from divulge.assessment.population.few_alike import whole_households
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.errors import DivulgeError, EmptySource, ParameterError, Undefined
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.uniques.account import Uniqueness
from divulge.uniques.minimal_uniques import MOST_ATTRIBUTES, MinimalUniques, minimal_uniques, search_work
from divulge.uniques.sample import Sample, SizedSample, people_alike, population_size

MOST_RECORDS = 5_000_000  # that are looked at one by one
MOST_UNASKED = 1_000_000  # the same where nothing says what the table is a sample of
MOST_SEARCHED = 10**8  # rows times sets of attributes: about a second
ELSEWHERE = (
    "the records are counted in a database, in Spark, on disk or on a graphics card, and are not at hand one "
    "by one"
)
TOO_MANY = "there are too many records to look at one by one, and nothing says what the table is a sample of"
OVERLAP = "a missing value fits any value here, so that groups overlap"
NOT_SEARCHED = "there are too many records or attributes to search sets of attributes in an audit"


@dataclass(frozen=True, eq=False)
class BeyondTable:
    """What is known of who is unique, and what says what the table is a sample of; or why nothing is."""

    declared: Way | None
    found: Uniqueness | None = None
    undefined: str | None = None
    clustered: bool = False  # whether people were drawn with their households


def beyond_table(scope: Scope, keys: Sequence[str] | None = None) -> BeyondTable:
    """What is known by these keys, all quasi-identifiers unless given."""
    asked = tuple(scope.keys if keys is None else keys)
    place = ("beyond the table", asked)
    if place not in scope.answers:
        scope.answers[place] = _beyond_table(scope, asked)
    answer: BeyondTable = scope.answers[place]
    return answer


def refuse_unusable(scope: Scope) -> None:
    """Refuse what cannot be the population of the table: one that lacks its people, weights below 1."""
    if scope.population is None or scope.data.missing == "wildcard":
        return
    data = _one_by_one(scope)
    if data is None and scope.everyone is not None:
        raise ParameterError(
            f"A table of the population cannot be used: {ELSEWHERE}.",
            hint="Give how many people there are: --population N.",
        )
    if data is not None:
        with suppress(EmptySource, Undefined):
            known = _uniqueness(scope, data, scope.keys)
            found = BeyondTable(declared(scope), known, clustered=whole_households(scope))
            scope.answers["beyond the table", scope.keys] = found


def _beyond_table(scope: Scope, keys: tuple[str, ...]) -> BeyondTable:
    way, data = declared(scope), _one_by_one(scope)
    if scope.data.missing == "wildcard":
        return BeyondTable(way, undefined=OVERLAP)
    by_sizes = way in ("size", "fraction") and scope.household is None
    if data is None and not by_sizes:
        return BeyondTable(way, undefined=ELSEWHERE)
    if data is not None and way is None and data.records > MOST_UNASKED:
        return BeyondTable(way, undefined=TOO_MANY)
    try:
        known = _by_sizes(scope, keys) if data is None else _uniqueness(scope, data, keys)
        return BeyondTable(way, known, clustered=whole_households(scope))
    except DivulgeError as error:  # such as weights below 1, which say nothing of a population
        return BeyondTable(way, undefined=error.message[:1].lower() + error.message[1:].rstrip("."))


def _one_by_one(scope: Scope) -> Data | None:
    """The data with a row for each record; None where they are not at hand, or too many."""
    data = scope.data if scope.data.has_each_record() else scope.at_hand
    if data is None or data.records > MOST_RECORDS:
        return None
    asked = scope.population
    weights = data.sample_weights if asked is None else asked.weight
    needed = {name for name in (weights, scope.household) if name is not None}
    if not needed <= {*data.source.attributes}:
        return None
    return replace(data, weights=weights).one_by_one()


def _by_sizes(scope: Scope, keys: tuple[str, ...]) -> Uniqueness:
    """What sizes of groups say, of records that are counted elsewhere or are too many."""
    sample = SizedSample.of_sizes(_asked(scope, replace(scope.data, weights=None), keys))
    return Uniqueness(sample, population_size(sample, scope.population), None, None, None, shows_values=True)


def _asked(scope: Scope, data: Data, keys: tuple[str, ...]) -> Question:
    partitions = {name: one for name, one in scope.partitions.items() if name in keys}
    return Question(data, keys, (RECORD,), partitions).with_everyone_alike()


def _uniqueness(scope: Scope, data: Data, keys: tuple[str, ...]) -> Uniqueness:
    same = copies(data) if data.has_each_record() and not data.schema.identifiers else None
    sample = Sample.of_question(_asked(scope, data, keys), same)
    there = scope.everyone
    known = None if there is None else people_alike(sample, there.data, there.identifiers)
    people = population_size(sample, scope.population) if known is None else float(known.people)
    household = None
    if scope.household is not None:
        household = sample.households(data.column(scope.household))
    return Uniqueness(sample, people, known, _minimal(sample), household, None, shows_values=True)


def _minimal(sample: Sample) -> MinimalUniques | None:
    """The minimal sets of attributes that make records unique, as large as are soon found."""
    attributes, rows = len(sample.keys), len(np.flatnonzero(sample.class_sizes))
    if attributes > MOST_ATTRIBUTES:
        return None
    sizes = range(1, attributes + 1)
    fits = [size for size in sizes if search_work(rows, attributes, size) <= MOST_SEARCHED]
    return minimal_uniques(sample.columns, max(fits)) if fits else None
