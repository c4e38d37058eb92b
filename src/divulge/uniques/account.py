"""Everything there is to say about who is unique: in the table, in the population, and how special."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden, hidden_part, said_share
from divulge._support.stages import Stage, silent
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, in_words, many, percent, share_of
from divulge._support.wording import records as so_many
from divulge.questions.data import Data, read
from divulge.table.partition import Partition
from divulge.table.schema import names
from divulge.uniques.individual_risk import expected_reciprocal, of_household
from divulge.uniques.k_map import EstimatedPresence
from divulge.uniques.loglinear_estimates import LOGLINEAR, loglinear_estimates
from divulge.uniques.match_chance import (
    Bracket,
    average_risk,
    expected_named,
    known_match_chance,
    match_chance,
)
from divulge.uniques.minimal_uniques import MinimalUniques, minimal_uniques
from divulge.uniques.population_models import MODELS, ModelEstimate, estimates
from divulge.uniques.sample import (
    Floats,
    Integers,
    KnownPopulation,
    Sample,
    given_population,
    one_by_one,
    people_alike,
    population_size,
    sized_sample,
)
from divulge.uniques.size_counts import SizeCounts
from divulge.uniques.special_scores import (
    FRACTION,
    Scale,
    SpecialScores,
    ValueContribution,
    named_scale,
    special_scores,
    value_contributions,
)
from divulge.uniques.special_summary import SpecialSummary

FEW = "fewer than five people are unique or in groups of two, and an estimate would tell how many"
E_OF_RISK = "E(1/F), Benedetti and Franconi"
TWO_ENDS = "a sample gives two ends, and no number between them that can be relied on"


@dataclass(frozen=True, eq=False, repr=False)
class Uniqueness:
    """Who is unique on some attributes."""

    sample: Sample
    population: float | None  # people the table was drawn from
    known: KnownPopulation | None
    minimal: MinimalUniques | None
    household: Integers | None
    chosen: tuple[str, ...] | None = None  # models; None: all
    shows_values: bool = False
    scale: Scale = "published"  # of the scores of special uniques

    def __repr__(self) -> str:
        return (
            f"Uniqueness({self.sample.name} by {enumerated(self.sample.keys)}: {so_many(self.sample.whole)})"
        )

    def _repr_html_(self) -> str:
        found = self.to_dict()
        spread, special = found["spread"], found["special"]
        rows: list[list[object]] = [
            ["groups", found["sample"]["groups"]],
            ["smallest group", found["sample"]["k"]],
            ["unique in the table", share_of(self.counts.of_size(1), self.sample.units)],
        ]
        if found["risk"]["average"] is not None:
            rows.append(["average risk", percent(found["risk"]["average"])])
        elif self.average_risk is not None:
            low, high = map(percent, found["average_risk"]["interval"])
            rows.append(["average risk of everyone in the population", f"{low} to {high}"])
        if spread is not None:
            said = f"{many(round(spread['least']))} to {many(round(spread['largest']))} people"
            rows.append(["unique in the population, by different models", said])
        if special is not None:
            rows.append(["unique by few attributes already", f"{in_words(special['records'])} records"])
        known = f"known: {enumerated(self.sample.keys)}"
        return table_view(f"Uniqueness of {self.sample.name}", ["reading", "value"], rows, known)

    @cached_property
    def counts(self) -> SizeCounts:
        """Classes by size, and the units there that theirs stand for: of someone in several, several."""
        sample, weights = self.sample, None if self.known else self.sample.weights
        each = sample.units / max(sample.drawn, 1)
        there = (self.population or 0.0) * each if weights is None else float(weights.sum())
        return sample.size_counts(max(there, float(sample.units)))

    @property
    def fraction(self) -> float | None:
        """The share of the population that is in the table."""
        return None if self.population is None else self.counts.fraction

    @property
    def _said_fraction(self) -> float | None:
        """The same, not so exactly that it tells how few records were left out."""
        share = self.fraction
        if share is None or isinstance(hidden_part(self.sample.records, of=self.sample.whole), int):
            return share
        return min(float(f"{share:.2g}"), 0.99) if share < 1 else share

    @cached_property
    def people(self) -> Floats | None:
        """For each unit how many people of the population share its values: known, or estimated."""
        sample = self.sample
        if self.known is not None:
            return self.known.alike[sample.class_of].astype(np.float64)
        if sample.weights is not None:
            alike = np.bincount(sample.class_of, weights=sample.weights)
            return alike.astype(np.float64)[sample.class_of]
        return None if self.fraction is None else sample.sizes / self.fraction

    @cached_property
    def risk(self) -> Floats:
        """The chance to name the person of each unit: 1/F, its expectation, or 1/f if nothing is known."""
        people, sizes = self.people, self.sample.sizes
        if people is None:
            return 1 / sizes
        return 1 / people if self.known is not None else expected_reciprocal(sizes, sizes / people)

    @cached_property
    def models(self) -> list[ModelEstimate]:
        """What each model says of the population; none where its size is not known."""
        if self.population is None:
            return []
        named = [name for name in (*MODELS, *LOGLINEAR) if self.chosen is None or name in self.chosen]
        if self.unsaid is not None:
            return [ModelEstimate(name, undefined=self.unsaid) for name in named]
        found = [
            *estimates(self.counts),
            *loglinear_estimates(self.sample, self.counts.fraction, self.chosen),
        ]
        return [one for one in found if one.model in named]

    @property
    def match(self) -> Bracket | None:
        """The chance that a match with a unique record is right; None where it is not known."""
        if self.population is None:
            return None
        if self.known is not None:
            few = self._few(self.counts.of_size(1))
            return None if few else known_match_chance(self.sample.class_sizes, self.known.alike)
        return None if self.unsaid is not None else match_chance(self.counts)

    @property
    def average_risk(self) -> Bracket | None:
        """Between what everyone's average risk in the population lies, where that has to be estimated."""
        known = self.population is None or self.known is not None or self.unsaid is not None
        return None if known else average_risk(self.counts)

    @property
    def expected(self) -> Bracket | None:
        """Ends of expected re-identifications; None where these are known, or not to be said."""
        return None if self.average_risk is None else expected_named(self.counts)

    @property
    def presence(self) -> EstimatedPresence | None:
        """Ends of k-map and delta-presence; None where these are known, or the population is not."""
        if self.population is None or self.known is not None:
            return None
        weights = self.sample.weights
        largest = self.counts.fraction if weights is None else 1 / float(weights.min())
        return EstimatedPresence(self.counts, min(largest, 1.0), self.match)

    @property
    def _unmodelled(self) -> str | None:
        asked = self.chosen is None or "pitman_yor" in self.chosen
        return self.unsaid if asked else "the Pitman-Yor model was not asked for"

    @property
    def unsaid(self) -> str | None:
        """Why nothing is estimated of the population: weights that differ, or counts that it would reveal."""
        weights, counts = self.sample.weights, self.counts
        if weights is not None and self.known is None and weights.max() > weights.min() * (1 + 1e-9):
            return "weights differ, and these models take every person to be drawn with the same chance"
        return FEW if self._few(counts.of_size(1)) or self._few(2 * counts.of_size(2)) else None

    def _few(self, people: int) -> bool:
        return isinstance(hidden(people, of=self.sample.units), str)

    @cached_property
    def scores(self) -> SpecialScores | None:
        if self.minimal is None:
            return None
        share = self.fraction if self.fraction is not None else FRACTION
        return special_scores(self.minimal, self.sample.sizes, fraction=min(share, 1.0), scale=self.scale)

    def values(self) -> list[ValueContribution]:
        """What each value contributes to the scores of special uniques, largest first."""
        if self.minimal is None:
            return []
        return value_contributions(self.minimal, self.sample.columns, self.sample.keys, self.scale)

    def records(self) -> dict[str, list[Any]]:
        """One line for each record, in the order of the table: what is known of its risk."""
        self.sample.check_listed()
        unit, people = self.sample.unit_of, self.people
        table: dict[str, Sequence[Any]] = {
            "row": (self.sample.rows + 1).tolist(),
            "group_size": self.sample.sizes[unit].tolist(),
            "people": [None] * len(unit) if people is None else people[unit].tolist(),
            "risk": self.risk[unit].tolist(),
        }
        if self.household is not None:
            table["household_risk"] = self.household_risk[unit].tolist()
        special = self.special
        if special is not None:
            for name, values in (("score", special.scores.score), ("dis", special.scores.dis)):
                known = values.astype(object)
                known[special.unscored] = None
                table[name] = known[unit].tolist()
            table["minimal_sets"] = [self.sets_of(record) for record in range(len(unit))]
        return {name: list(column) for name, column in table.items()}

    @property
    def household_risk(self) -> Floats:
        """The risk of each unit through anyone of its household."""
        return self.risk if self.household is None else of_household(self.risk, self.household)

    def sets_of(self, record: int) -> list[list[str]]:
        """The minimal sets of attributes that make a record unique; records are counted from 0."""
        if self.minimal is None:
            return []
        return [
            [self.sample.keys[a] for a in one] for one in self.minimal.of(int(self.sample.unit_of[record]))
        ]

    def to_dict(self) -> dict[str, Any]:
        """The document of ``divulge uniqueness --json``."""
        found: dict[str, Any] = documents.headed("uniqueness", self.body())
        return found

    def body(self, *, exact: bool = True) -> dict[str, Any]:
        """The same without the head that every document has; ``exact`` are sums and shares of scores."""
        counted = hidden_part(self.sample.records, of=self.sample.whole)
        size, share, special = self.population, self.fraction, self.special
        if isinstance(counted, str) and size is not None and share is not None:  # one gives it with the other
            given = float(f"{share:.3g}") == share
            size, share = (float(f"{size:.2g}"), share) if given else (size, float(f"{share:.2g}"))
        return {
            "source": self.sample.name,
            "keys": list(self.sample.keys),
            "records": self.sample.whole,
            "counted": counted,
            "population_size": size,
            "fraction": share,
            "sample": self._sample(),
            "population": {one.model: one.to_dict() for one in self.models},
            "spread": self._spread(),
            "known": self._known(),
            "estimated": None if self.presence is None else self.presence.to_dict(self._unmodelled),
            "match": None if self.match is None else self.match.to_dict(),
            "average_risk": None if self.average_risk is None else self.average_risk.to_dict(),
            "risk": self._risk(),
            "special": None
            if special is None
            else special.to_dict(shows_values=self.shows_values, exact=exact),
            "shows_values": self.shows_values,
        }

    def _sample(self) -> dict[str, Any]:
        counts = self.counts
        people = self.sample.units
        return {
            "groups": counts.occupied,
            "k": int(counts.sizes.min()),
            "unique": hidden(counts.of_size(1), of=people),
            "share": said_share(counts.of_size(1) / people, of=people),
            "in_pairs": hidden(2 * counts.of_size(2), of=people),
        }

    def _spread(self) -> dict[str, float] | None:
        """The least and the largest of what models say; never one number alone."""
        said = [one.uniques for one in self.models if one.uniques is not None]
        return {"least": min(said), "largest": max(said)} if said else None

    def _known(self) -> dict[str, Any] | None:
        return None if self.known is None else self.known.to_dict(self.sample.class_sizes)

    def in_known_population(self) -> dict[str, Any]:
        """The part of the document that a table of the whole population gives."""
        return {
            "people": self.population,
            "fraction": self._said_fraction,
            **(self._known() or {}),
            "match": None if self.match is None else self.match.to_dict(),
            "risk": self._risk(),
        }

    def _risk(self) -> dict[str, Any]:
        """How many people would be named if all were guessed, and the largest risk.

        Where F has to be estimated there are two ends, and what a model says stands apart from them.
        """
        method = "1/f: an upper bound, since no population is given"
        if self.known is not None:
            method = "1/F, in the population given"
        elif self.population is not None:
            method = E_OF_RISK
        found: dict[str, Any] = {
            "method": method,
            "expected": self.sample.add_up(self.risk),
            "average": self.sample.add_up(self.risk) / self.sample.units,
            "largest": float(self.risk.max()),
        }
        if self.household is not None:
            found["expected_by_household"] = float(self.household_risk.sum())
        named = self.expected
        if named is None:
            return found
        return {
            "method": named.method,
            "expected": named.value,
            "interval": [named.low, named.high],
            "average": None if named.value is None else named.value / self.sample.units,
            "largest": None,
            "undefined": None if named.value is not None else TWO_ENDS,
            "model": found,
        }

    @property
    def special(self) -> SpecialSummary | None:
        """Records that few attributes make unique; None where they were not searched."""
        if self.minimal is None or self.scores is None:
            return None
        return SpecialSummary(self.sample, self.minimal, self.scores, self.scale)


def uniqueness(
    data: object,
    *,
    keys: str | Sequence[str] | None = None,
    partitions: Mapping[str, Partition] | None = None,
    population: object | None = None,
    size: int | None = None,
    fraction: float | None = None,
    special: bool = False,
    largest: int | None = None,
    scores: str = "published",
    household: str | None = None,
    models: Sequence[str] | None = None,
    show_values: bool = False,
    stage: Stage = silent,
) -> Uniqueness:
    """Who is unique on the keys, in the table and in the population it was drawn from.

    ``population`` is a table of everyone, ``size`` how many people there are, ``fraction`` the share that is
    in the table; weights of the data say how many people each record stands for. At most one of these is
    given. ``special`` looks for minimal sets of up to ``largest`` attributes that make records unique, and
    ``scores`` are as published, or scaled as sdcMicro has them too.
    ``household`` is an attribute that people who live together share, ``partitions`` the groups of values by
    which keys are known.

    >>> found = uniqueness({"age": [22, 22, 35], "sex": ["f", "m", "m"]}, keys=["age", "sex"], special=True)
    >>> found.sets_of(1), found.risk.tolist()
    ([['age', 'sex']], [1.0, 1.0, 1.0])
    """
    table = data if isinstance(data, Data) else read(data)
    asked = names(keys) or table.schema.quasi_identifiers
    given, weighed = given_population(table, population, size, fraction), named_scale(scores)
    stage("Counting")
    needed = {"a population table": population is not None, "the search for special uniques": special}
    sized = sized_sample(table, asked, partitions or {}, **needed, household=household)
    if sized is None:
        table = one_by_one(table, [*asked, *([] if household is None else [household])])
    sample = Sample.of(table, asked, partitions or {}) if sized is None else sized
    people = population_size(sample, given)
    known = None
    if population is not None:
        whole = population if isinstance(population, Data) else read(population)
        known = people_alike(sample, whole)
        people = float(known.people)
    found = None
    if special:
        stage("Searching special uniques")
        found = minimal_uniques(sample.columns, largest)
    home = None
    if household is not None:
        home = sample.households(table.column(household))
    chosen = None if models is None else tuple(models)
    return Uniqueness(sample, people, known, found, home, chosen, show_values, weighed)
