"""Outcomes on changed values: counted against the truth where it is given, not measured where it is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.small_counts import SMALL
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, many, number, percent, records, share_in_percent
from divulge.attacks.changed_values.correspondence import Correspondence, correspondence
from divulge.attacks.changed_values.nearest import RightLinks, right_links
from divulge.attacks.changed_values.originals import beyond_chance
from divulge.attacks.changed_values.own_values import about_own_values, right_of_others
from divulge.attacks.changed_values.truth import (
    MOST_CHANGED,
    NAME_AN_IDENTIFIER,
    TOO_MANY,
    Truth,
    or_misread,
)
from divulge.attacks.linkage.candidates import Mask, link, share
from divulge.attacks.outcome import Outcome, mean_rate
from divulge.attacks.risks import THRESHOLDS, guessed
from divulge.table.packing import coded, combinations

OF_VALUES = ("background_knowledge", "similarity", "skewness")  # attacks that read sensitive values
NEAREST = "Linking each person to the released record with the nearest values"
NEAREST_RANKS = f"{NEAREST} (numbers by rank, each in its own table)"
LIKELIEST = (
    "Linking each person to the released record that is most likely theirs, by how much each attribute was "
    "changed,"
)


@dataclass(frozen=True, eq=False)
class Judge:
    """Holds outcomes of attacks on released values against whose values these are."""

    truth: Truth
    seed: int = SEED

    @cached_property
    def links(self) -> RightLinks:
        """How often the nearest released record is the right one; records must be aligned."""
        return right_links(self.truth, self.seed)

    @property
    def aligned(self) -> bool:
        return self.truth.alignment.rows is not None

    @property
    def why_not(self) -> str:
        """Why people cannot be counted on released values as they stand."""
        return self.truth.unknown or self.truth.changed or f"{self.exchanged}"

    @cached_property
    def average_risk(self) -> float | None:
        """The average risk that a person is linked to the own record; None where that is not known."""
        return self.links.rate if self.aligned else None

    def judged(self, outcome: Outcome) -> Outcome:
        """The outcome itself where released values are the people's own, otherwise what is known of it."""
        if outcome.undefined is not None:
            return outcome
        if outcome.attack == "homogeneity":
            return self._homogeneity(outcome)
        if self.truth.changed is None:
            return self._of_sensitive_values(outcome)
        attacks: dict[str, Callable[[Outcome], Outcome]] = {
            "identity_white_box": self._white_box,
            "marketer": self._marketer,
            "prosecutor": self._prosecutor,
            "background_knowledge": self._beyond_chance,
            "similarity": self._beyond_chance,
            "identity_black_box": self._black_box,
            "skewness": self._not_measured,
            "journalist": self._not_measured,
            "identity_grey_box": self._not_measured,
        }
        return attacks.get(outcome.attack, self._not_measured)(outcome)

    def _of_sensitive_values(self, outcome: Outcome) -> Outcome:
        """An outcome where keys are the people's own, and sensitive values may not be."""
        if self.exchanged is None:
            return outcome
        if outcome.attack == "identity_white_box" and not self.aligned:  # keys may be those of others as well
            return outcome.failed(self.exchanged, outcome.readings)
        if outcome.attack not in OF_VALUES:
            return outcome
        return self._not_measured(outcome) if outcome.attack == "skewness" else self._beyond_chance(outcome)

    # -- linking people ------------------------------------------------------------------------------

    def _white_box(self, outcome: Outcome) -> Outcome:
        if not self.aligned:
            return outcome.failed(self.why_not, outcome.readings)
        if outcome.people_undefined is not None and outcome.people_undefined == self._few_matched:
            return outcome
        found = self.links
        certain = int((found.probability == 1).sum())
        return replace(
            outcome,
            **self._counted(certain),
            details={**outcome.details, **self._drawn()},
            sentence=f"{_first(outcome.sentence)} {self._linking} is right and unambiguous for "
            f"{self._people(certain)}. {self._changed()}.",
        )

    @property
    def _few_matched(self) -> str | None:
        return self.truth.alignment.few_matched

    def _marketer(self, outcome: Outcome) -> Outcome:
        if "population" in outcome.details or not self.aligned:
            return outcome.failed(self.why_not)
        found = self.links
        return replace(
            outcome,
            risk=found.rate,
            **self._counted(round(found.rate * found.drawn), math.ceil(found.at_most * found.people)),
            details={
                **outcome.details,
                "by_class_sizes": outcome.risk,
                "chance": found.chance,
                **self._drawn(),
            },
            sentence=f"{self._linking} is right for {found.said}; at random it would be right for "
            f"{percent(found.chance)}. {self._changed()}.",
        )

    def _prosecutor(self, outcome: Outcome) -> Outcome:
        if not self.aligned:
            return outcome.failed(self.why_not)
        found, details = self.links, {"by_class_sizes": outcome.risk, **self._drawn()}
        blank = replace(outcome, details={}, sentence="")
        counted = guessed(blank, found.probability, THRESHOLDS, details)
        if not found.sampled:
            return replace(counted, sentence=f"{counted.sentence} {self._changed()}.")
        some, highest = counted.people or 0, number(counted.risk or 0.0)
        lines = [
            {
                **one,
                "records": round(one["share"] * found.people),
                "share_at_most": found.at_most_above(one["threshold"]),
            }
            for one in counted.details["above"]
        ]
        return replace(
            counted,
            **self._counted(some),
            details={**counted.details, "above": lines},
            sentence=f"The highest re-identification risk is {highest} among {many(found.drawn)} people "
            f"drawn at random; it is above {number(THRESHOLDS[0])} for {self._people(some)}. "
            f"{self._changed()}.",
        )

    def _black_box(self, outcome: Outcome) -> Outcome:
        """What released values single out of the people themselves: what they tell of the original ones."""
        if not self.aligned:
            return outcome.failed(self.why_not, outcome.readings)
        names = {there: here for here, there in self.truth.alignment.columns.items()}
        readings = [
            about_own_values(self.truth.alignment, one, names.get(one.keys[0]), self.seed)
            for one in outcome.readings
        ]
        counted = [replace(one, discrimination_rate=one.adjusted) for one in readings]
        risk = mean_rate(counted, outcome.details.get("hidden_keys", []))
        if risk is None:
            return outcome.failed(f"{self.why_not}; nearly all released values are unique", readings)
        return replace(
            self._without_people(outcome),
            risk=risk,
            readings=readings,
            details={**outcome.details, "by_class_sizes": outcome.risk},
        )

    # -- inferring values ----------------------------------------------------------------------------

    def _beyond_chance(self, outcome: Outcome) -> Outcome:
        """The rates beyond chance, and nobody counted."""
        hidden = outcome.details.get("hidden_keys", [])
        counted = [beyond_chance(one) for one in outcome.readings]
        risk = mean_rate(counted, hidden)
        if risk is None:
            return outcome.failed(f"{self.why_not}; nearly all released values are unique", outcome.readings)
        return replace(
            self._without_people(outcome),
            risk=risk,
            sentence=f"Beyond chance, a quasi-identifier gives {percent(risk)} of a sensitive attribute on "
            f"average. {self._changed()}.",
        )

    def _homogeneity(self, outcome: Outcome) -> Outcome:
        if self._doubtful:
            return outcome
        if not self.aligned:
            apart = self.apart
            if apart is None:
                return outcome
            found = self._beyond_chance(outcome)
            return replace(
                found, people=None, of=None, people_undefined=apart, sentence=_first(found.sentence)
            )
        if self.truth.changed is None and self.exchanged is None:
            return outcome
        counted = self._beyond_chance(outcome)
        lines = [self._certain(name, own, self.noise[name]) for name, own in self._holds.items()]
        worst = max(lines, key=lambda line: (line["own"], line["own_at_most"]))
        keys = enumerated(self.truth.alignment.released.schema.quasi_identifiers)
        sampled = self.truth.changed is not None and self.links.sampled
        own = (
            self._at_most(worst["own_at_most"], worst["of"])
            if sampled
            else records(worst["own"], of=worst["of"])
        )
        return replace(
            counted,
            people=None if sampled else worst["own"],
            people_at_most=worst["own_at_most"] if sampled else None,
            of=worst["of"],
            people_undefined=None,
            details={**outcome.details, "own": lines},
            sentence=f"{_first(counted.sentence)} {records(worst['records'], of=worst['of'])} share one "
            f"value of {worst['target']} with all who have the same {keys}. For "
            f"{own} the person can be linked to the record, and the value is the person's own"
            f"{self._by_chance(worst)}.",
        )

    def _by_chance(self, line: dict[str, Any]) -> str:
        """How many values would be the person's own in a random order; nothing where none was changed."""
        if line["changed"] <= MOST_CHANGED or line["own_by_chance"] is None:
            return ""
        return f" (with values in a random order: {percent(line['own_by_chance'])})"

    @cached_property
    def _holds(self) -> dict[str, Mask]:
        return self.truth.holds(self.truth.alignment.original.schema.sensitive)

    @cached_property
    def noise(self) -> dict[str, float]:
        """The share of aligned records whose value of each sensitive attribute is not the person's own."""
        return {name: float(1 - own.mean()) for name, own in self._holds.items()}

    def corresponding(self, target: str) -> Correspondence:
        """Whose released value of a sensitive attribute reveals their own, where records are aligned."""
        alignment = self.truth.alignment
        name = next(here for here, there in alignment.columns.items() if there == target)
        own = self._holds[name] if name in self._holds else self.truth.holds([name])[name]
        return correspondence(alignment, name, own, self.seed)

    @property
    def noisy_columns(self) -> tuple[str, ...]:
        """Released sensitive attributes whose values are not the people's own, where records are aligned."""
        if self._doubtful:
            return ()
        columns = self.truth.alignment.columns
        return tuple(columns[name] for name, share in self.noise.items() if share > MOST_CHANGED)

    @cached_property
    def exchanged(self) -> str | None:
        """That sensitive values are not the people's own, in words; None where they may be."""
        if self.truth.changed is not None or not self.aligned or self._doubtful:
            return self.apart
        names = [name for name, share in self.noise.items() if share > MOST_CHANGED]
        if not names:
            return None
        some = share_in_percent(max(self.noise.values()), self.truth.alignment.aligned)
        return f"{some} of the values of {enumerated(names)} are not the person's own, so values were changed"

    @property
    def _doubtful(self) -> bool:
        """Whether rows go by an order in which some keys do not fit, though each fits somebody."""
        truth = self.truth
        return self.aligned and not truth.alignment.identified and not truth.changed and truth.fitting != 1

    def _certain(self, target: str, own: Mask, noise: float) -> dict[str, Any]:
        """Aligned records whose class has one value of the target, and those where it is the person's own."""
        alignment = self.truth.alignment
        assert alignment.rows is not None
        released, theirs = alignment.released, alignment.rows[1]
        keys = [released.column(name) for name in released.schema.quasi_identifiers]
        kind = combinations(coded(keys), released.records).number
        cells = combinations(coded([*keys, released.column(alignment.columns[target])]), released.records)
        certain = (np.bincount(kind[cells.first]) == 1)[kind][theirs]
        right = certain & own
        few = 0 < int(certain.sum()) < SMALL  # then it would say which value they have
        chance = None if few else float((right_of_others(self.truth.alignment, target) * certain).mean())
        at_most = int(right.sum())
        if self.truth.changed is not None:  # then the own record is found, if at all, by the nearest values
            right = right[self.links.who] & (self.links.probability > 0)
            chance = None if chance is None else chance * float((self.links.probability > 0).mean())
            at_most = min(self.links.people_at_most(int(right.sum())), at_most)
        return {
            "target": target,
            "records": int(certain.sum()),
            "own": min(round(float(right.mean()) * len(theirs)), int(certain.sum())),
            "own_at_most": at_most,
            "own_by_chance": chance,
            "of": len(theirs),
            "changed": noise,
        }

    @cached_property
    def apart(self) -> str | None:
        """That released keys and sensitive values do not belong together, in words; None where they may.

        It is not needed, and not asked, where records are aligned.
        """
        if self.truth.changed is not None:
            return self.why_not
        if self.aligned:
            return None
        alignment = self.truth.alignment
        sensitive = [name for name in alignment.original.schema.sensitive if name in alignment.columns]
        if not sensitive:
            return None
        columns = {name: alignment.columns[name] for name in sensitive}
        more = share(alignment.released, alignment.original, columns)
        links = link([*self.truth.shared.values(), *more.values()])
        if not links.of:
            return None
        strange = 1 - float(links.matched[links.compared].mean())
        crowded = float(links.crowded_out[links.compared].mean())
        if max(strange, crowded) <= MOST_CHANGED:
            return None
        some, which = (strange, "fit no original record") if strange > MOST_CHANGED else (crowded, TOO_MANY)
        misread = or_misread(alignment, {**self.truth.shared, **more})
        return (
            f"{share_in_percent(some, links.of)} of the released records {which} once "
            f"{enumerated(sensitive)} is compared too, so values were exchanged or changed{misread}; "
            f"{NAME_AN_IDENTIFIER}"
        )

    @property
    def _linking(self) -> str:
        if self.links.informed:
            return LIKELIEST
        return NEAREST_RANKS if self.links.ranked else NEAREST

    # -- words ---------------------------------------------------------------------------------------

    def _not_measured(self, outcome: Outcome) -> Outcome:
        return outcome.failed(self.why_not)

    def _without_people(self, outcome: Outcome) -> Outcome:
        return replace(
            outcome,
            people=None,
            of=None,
            people_undefined=self.why_not,
            sentence=f"{outcome.sentence} {self._changed()}.",
        )

    def _changed(self) -> str:
        said = self.why_not
        return said[:1].upper() + said[1:]

    def _drawn(self) -> dict[str, Any]:
        found = self.links
        return {"people_drawn": found.drawn, "right_links": found.rate, "right_links_at_most": found.at_most}

    def _counted(self, some: int, at_most: int | None = None) -> dict[str, Any]:
        """People of whom so many were drawn: a number where everybody was, otherwise no more than a bound."""
        found = self.links
        bound = found.people_at_most(some) if at_most is None else at_most
        return {
            "people": None if found.sampled else some,
            "people_at_most": bound if found.sampled else None,
            "people_undefined": None,
            "of": found.people,
        }

    def _people(self, some: int) -> str:
        found = self.links
        if not found.sampled:
            return records(some, of=found.people)
        return self._at_most(found.people_at_most(some), found.people)

    def _at_most(self, most: int, of: int) -> str:
        estimated = f"95% confidence, estimated from {many(self.links.drawn)} drawn at random"
        return f"at most {many(most)} people, {percent(most / of)} of {many(of)} ({estimated})"


def _first(sentence: str) -> str:
    """The first sentence, which is about rates; those that follow count people."""
    first, dot, _ = sentence.partition(". ")
    return first + "." if dot else first
