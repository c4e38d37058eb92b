"""A dependency as a request describes it: the tests that hold it, and what observers expect of X."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from divulge.cli.requests.release import RulesRequest
from divulge.cli.tables import records_to_release, split
from divulge.errors import ParameterError, UnknownAttribute
from divulge.questions.data import Data
from divulge.safe_release import Baseline, Guard, HolderTable, Rules, occurrences
from divulge.safe_release.domain import shares_by_value
from divulge.safe_release.several.tables import Dependency
from divulge.table.partition_files import as_partitions


def rules_of(asked: RulesRequest) -> Rules:
    """The tests and how they are carried out."""
    return Rules.of(
        asked.tests or ["mis"],
        asked.alpha,
        limits=asked.limits,
        degrees=asked.degrees,
        merging=asked.merging,
        samples=asked.samples,
        reach=asked.reach,
        familywise=asked.familywise,
        form=asked.form,
        known_counts=asked.known_counts,
    )


def dependencies_of(asked: RulesRequest, attributes: Sequence[str]) -> list[Dependency]:
    """X and Y of every dependency to watch, the first one first."""
    first = split(asked.x, attributes), split(asked.y, attributes)
    return [first, *(_dependency(text, attributes) for text in asked.also or ())]


def _dependency(text: str, attributes: Sequence[str]) -> Dependency:
    """X:Y, where names may hold colons."""
    places = [place for place, sign in enumerate(text) if sign == ":"]
    if not places:
        raise ParameterError(f"--also takes X:Y, not '{text}'.", hint="For example: --also Rank:Location.")
    for place in places[:-1]:
        with suppress(UnknownAttribute):
            return split([text[:place]], attributes), split([text[place + 1 :]], attributes)
    return split([text[: places[-1]]], attributes), split([text[places[-1] + 1 :]], attributes)


def guards_of(asked: RulesRequest, tables: Sequence[HolderTable]) -> list[Guard]:
    """What holds the records of a table, by their cells in each dependency."""
    if asked.baseline_shares is not None and len({one.domain.x for one in tables}) > 1:
        raise ParameterError(
            "A table of shares is for one X, and the dependencies have several.",
            hint="Use --baseline with a table that has all of them.",
        )
    found = []
    for table in tables:
        expected = expected_by_observers(asked, table.domain.x)
        baseline = Baseline.of(table) if expected is None else Baseline.reference(table, expected)
        found.append(Guard(baseline, rules_of(asked)))
    return found


def table_of(asked: RulesRequest) -> Data:
    """The table to release from."""
    return records_to_release(asked.file, asked.source, asked.orders)


def expected_by_observers(asked: RulesRequest, x: tuple[str, ...]) -> Mapping[object, float] | None:
    """How often the baseline has each value of X; None where the table itself is the baseline."""
    if asked.baseline is not None and asked.baseline_shares is not None:
        raise ParameterError("There can be one baseline only.", hint="Give one of the two.")
    if asked.baseline_shares is not None:
        return shares_by_value(records_to_release(asked.baseline_shares, asked.source, asked.orders), x)
    if asked.baseline is None:
        return None
    groups = {name: group for name, group in as_partitions(asked.partitions).items() if name in x}
    return occurrences(records_to_release(asked.baseline, asked.source, asked.orders), x, groups)
