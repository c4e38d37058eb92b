"""Pairs of records scored by Splink: a probabilistic model whose agreement has levels, for typing errors.

An attribute in which typing errors are allowed agrees, differs by one letter, by two, or by more; others
agree or not; a missing value says nothing. As in our own model u comes from pairs of any records, one pair in
as many as there are originals belongs together, and m is found by expectation and maximization. The words of
Splink's log and errors do not leave this module.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many
from divulge.attacks.text_linkage.blocking import BlockingRule, TextColumn
from divulge.errors import Undefined

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
EDITS = (1, 2)
LEVELS = ("equal", *(f"{edits} letter{'s' if edits > 1 else ''}" for edits in EDITS), "different")
ROUNDS = 200
#: Changes below which training ends. A probability that runs against zero makes Splink stop with an error;
#: then training ends earlier.
CLOSE = (1e-4, 1e-2)
TRAINING_PAIRS = 2_000_000


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs that were compared: which records, Splink's weight (log2 of the odds) and chance of a match."""

    original: Integers
    released: Integers
    weight: Floats
    chance: Floats
    levels: Mapping[str, Mapping[str, tuple[float | None, float | None]]]  # by attribute and level: m and u
    rounds: int


def scored_pairs(
    database: Any, columns: Sequence[TextColumn], rules: Sequence[BlockingRule], *, seed: int
) -> ScoredPairs:
    """Train a model on two tables and score the pairs that some rule makes."""
    from splink.internals.exceptions import SplinkException

    originals = len(columns[0].original)
    with _unheard() as heard:
        try:
            linker = _trained(database, columns, rules, heard, seed)
            found = linker.inference.predict(warning_mode="never").as_pyarrow_table()
            model = linker.misc.save_model_to_json()
        except SplinkException as error:
            kind = type(error.__cause__ or error).__name__
            raise Undefined(f"Splink ended with an error ({kind}), whose words are not shown") from None
    left, right = (found[name].to_numpy().astype(np.int64) for name in ("row_l", "row_r"))
    if not len(left):
        raise Undefined("no pair agrees on anything by which pairs are chosen")
    assert left.max() < originals <= right.min(), "Splink puts the first table on the left"
    return ScoredPairs(
        left,
        right - originals,
        found["match_weight"].to_numpy(),
        found["match_probability"].to_numpy(),
        {column.name: _levels(one) for column, one in zip(columns, model["comparisons"], strict=True)},
        heard.rounds,
    )


def _trained(
    database: Any, columns: Sequence[TextColumn], rules: Sequence[BlockingRule], heard: _Rounds, seed: int
) -> Any:
    """A model of the two tables: u from pairs at random, then m."""
    for close in CLOSE:
        linker = _linker(database, columns, rules, close)
        linker.training.estimate_u_using_random_sampling(
            max_pairs=TRAINING_PAIRS, seed=seed % (1 << 31), min_count_per_level=None, num_chunks=1
        )
        try:
            _find_m(linker, columns, heard)
        except ValueError:  # a probability is too small for Splink
            continue
        return linker
    raise Undefined("the probabilities of agreement run against zero")


def _linker(database: Any, columns: Sequence[TextColumn], rules: Sequence[BlockingRule], close: float) -> Any:
    import splink.comparison_library as compare
    from splink import Linker, SettingsCreator

    tables = [database.register(_table(columns, side)) for side in ("original", "released")]
    comparisons = [
        compare.LevenshteinAtThresholds(f"a{place}", list(EDITS)).configure(term_frequency_adjustments=True)
        if column.fuzzy
        else compare.ExactMatch(f"a{place}")
        for place, column in enumerate(columns)
    ]
    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="row",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=[rule.sql for rule in rules],
        probability_two_random_records_match=1 / max(len(columns[0].original), 2),
        retain_matching_columns=False,
        retain_intermediate_calculation_columns=False,
        max_iterations=ROUNDS,
        em_convergence=close,
    )
    return Linker(tables, settings, log_level=None)


def _table(columns: Sequence[TextColumn], side: str) -> Any:
    """A table of texts whose attributes are called by their places; rows are numbered through both tables."""
    import pyarrow as pa

    first = len(columns[0].original) if side == "released" else 0
    length = len(getattr(columns[0], side))
    held = {"row": pa.array(np.arange(first, first + length))}
    for place, column in enumerate(columns):
        held[f"a{place}"] = pa.array(column.texts, pa.string()).take(pa.array(getattr(column, side)))
    return pa.table(held)


def _find_m(linker: Any, columns: Sequence[TextColumn], heard: _Rounds) -> None:
    """Find m: on every pair where they are few, otherwise on pairs that agree on each attribute in turn."""
    few = len(columns[0].original) * len(columns[0].released) <= TRAINING_PAIRS
    from splink.internals.exceptions import EMTrainingException

    rules = ["1=1"] if few else [f"l.a{place} = r.a{place}" for place in range(len(columns))]
    learned = 0
    for rule in rules:
        heard.rounds = 0
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(
                rule,
                estimate_without_term_frequencies=True,
                fix_probability_two_random_records_match=True,
                max_pairs=None if few else TRAINING_PAIRS,
            )
        except EMTrainingException:  # no pair agrees on this attribute
            continue
        learned += 1
        if heard.rounds >= ROUNDS:
            raise Undefined(f"the probabilities of agreement did not settle within {many(ROUNDS)} rounds")
    if not learned:
        raise Undefined("no two records agree on any attribute, so that nothing can be learned")


def _levels(comparison: Mapping[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    """m and u of each level; None where no pair is on it."""
    levels = [one for one in comparison["comparison_levels"] if not one.get("is_null_level")]
    words = LEVELS if len(levels) == len(LEVELS) else (LEVELS[0], LEVELS[-1])
    return {
        word: (one.get("m_probability"), one.get("u_probability"))
        for word, one in zip(words, levels, strict=True)
    }


class _Rounds(logging.Handler):
    """Takes what Splink would log, and remembers how many rounds its training took."""

    rounds = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.rounds += str(record.msg).startswith("Iteration ")


@contextmanager
def _unheard() -> Iterator[_Rounds]:
    logger, handler = logging.getLogger("splink"), _Rounds()
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]
