"""What a policy asks, as the search decides it: of each class, of what is left, or of the release itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge._support.rounding import ABSOLUTE, RELATIVE, above
from divulge.counting.counts import RECORD
from divulge.errors import ParameterError
from divulge.measures import get
from divulge.measures.registry import Law
from divulge.policy import Demands, Threshold

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Target = tuple[str, ...]


class Kind(IntEnum):
    """A number of a class that is held against a bound; ``_compiled/generalization.c`` has the same list."""

    SIZE = 0
    RISK = 1
    DISTINCT = 2
    ENTROPY_VALUES = 3
    ENTROPY_RISK = 4
    DOMINANCE = 5
    TOP_SHARE = 6
    ERROR = 7
    EQUAL = 8
    ORDERED = 9
    HIERARCHICAL = 10
    DISCLOSURE = 11
    GAIN = 12
    ENHANCED_GAIN = 13
    DIVERGENCE = 14


LOW = (Kind.SIZE, Kind.DISTINCT, Kind.ENTROPY_VALUES, Kind.ERROR)  # riskier the lower


class Criterion(NamedTuple):
    """A bound on a number of each class, rounding forgiven: records of a class beyond it are suppressed."""

    kind: Kind
    target: int  # its place among the targets; -1 where classes are only counted
    parameter: int
    bound: float
    threshold: Threshold


class RestSums(NamedTuple):
    """What a measure of the whole table reads from: sums over the classes that are kept, node by node."""

    sums: NodeSums
    records: Floats  # that are left
    target: int

    @property
    def entropy(self) -> Floats:
        """n H(X) of what is left; about records, n log2 n."""
        if self.target < 0:
            return self.records * np.log2(np.maximum(self.records, 1))
        return self.sums.entropy[:, self.target]

    @property
    def unknown(self) -> Floats:
        """n H(X|Y) of what is left."""
        return self.sums.record_bits if self.target < 0 else self.sums.left[:, self.target]

    @property
    def least_unknown(self) -> Floats:
        """The least n H(X|y) of a class."""
        if self.target >= 0:
            return self.sums.least_left[:, self.target]
        least = np.maximum(self.sums.least, 1).astype(np.float64)
        return least * np.log2(least)

    @property
    def guessed(self) -> Floats:
        """In how many records the best guess is right."""
        return self.sums.kept.astype(np.float64) if self.target < 0 else self.sums.top[:, self.target]


def _rate(left: RestSums) -> Floats:
    """H(X|Y) / H(X), at most 1; not a number where nothing is there to be learned."""
    entropy = left.entropy
    share = np.divide(left.unknown, entropy, out=np.full(len(entropy), np.nan), where=entropy > 0)
    return np.minimum(share, 1.0)


def _itpr(left: RestSums) -> Floats:
    entropy = left.entropy
    out = np.full(len(entropy), np.nan)
    share = np.divide(left.sums.kept * left.least_unknown, entropy, out=out, where=entropy > 0)
    return np.maximum(1 - share, 0.0)


def _information(left: RestSums) -> Floats:
    return np.maximum(left.entropy - left.unknown, 0.0) / np.maximum(left.records, 1)


Reading = Callable[[RestSums], Floats]
#: Measures of the whole table that are read from sums of nodes, by name and parameters.
OF_WHAT_IS_LEFT: dict[tuple[str, tuple[tuple[str, Any], ...]], Reading] = {
    ("discrimination_rate", ()): lambda left: 1 - _rate(left),
    ("normalized_conditional_entropy", ()): _rate,
    ("conditional_entropy", ()): lambda left: left.unknown / np.maximum(left.records, 1),
    ("mutual_information", ()): _information,
    ("conditional_privacy", ()): lambda left: -np.expm1(-_information(left) * math.log(2)),
    ("itpr", ()): _itpr,
    ("uniqueness", ()): lambda left: left.sums.unique / np.maximum(left.records, 1),
    ("reidentification_risk", (("kind", "average"),)): lambda left: (
        left.sums.kept / np.maximum(left.records, 1)
    ),
    ("average_class_size", ()): lambda left: left.records / np.maximum(left.sums.kept, 1),
    ("class_count", ()): lambda left: left.sums.kept.astype(np.float64),
    ("attacker_error", (("kind", "average"),)): lambda left: (
        np.maximum(left.records - left.guessed, 0.0) / np.maximum(left.records, 1)
    ),
}
#: What a measure says of each class, by name and parameters; l of recursive diversity is taken from these.
OF_A_CLASS: dict[tuple[str, tuple[tuple[str, Any], ...]], Kind] = {
    ("k_anonymity", ()): Kind.SIZE,
    ("reidentification_risk", (("kind", "highest"),)): Kind.RISK,
    ("distinct_l_diversity", ()): Kind.DISTINCT,
    ("entropy_l_diversity", ()): Kind.ENTROPY_VALUES,
    ("entropy_l_diversity_risk", ()): Kind.ENTROPY_RISK,
    ("alpha_k_anonymity", ()): Kind.TOP_SHARE,
    ("worst_posterior", ()): Kind.TOP_SHARE,
    ("attacker_error", (("kind", "worst"),)): Kind.ERROR,
    ("t_closeness", (("ground", "equal"),)): Kind.EQUAL,
    ("t_closeness", (("ground", "ordered"),)): Kind.ORDERED,
    ("t_closeness", (("ground", "hierarchical"),)): Kind.HIERARCHICAL,
    ("delta_disclosure", ()): Kind.DISCLOSURE,
    ("beta_likeness", (("enhanced", False),)): Kind.GAIN,
    ("beta_likeness", (("enhanced", True),)): Kind.ENHANCED_GAIN,
    ("kl_closeness", ()): Kind.DIVERGENCE,
}
_USUAL: dict[str, dict[str, Any]] = {
    "reidentification_risk": {"kind": "highest"},
    "attacker_error": {"kind": "average"},
    "t_closeness": {"ground": "equal"},
    "beta_likeness": {"enhanced": False},
}


class RestCondition(NamedTuple):
    """A threshold that must hold on what is left once records are suppressed."""

    read: Reading
    target: int
    threshold: Threshold

    def holds(self, sums: NodeSums, records: Floats) -> Mask:
        """The nodes on which it holds; none where the measure is undefined."""
        with np.errstate(invalid="ignore"):
            found = self.read(RestSums(sums, records, self.target))
            kept: Mask = np.asarray(self.threshold.keeps(found)) & ~np.isnan(found)
        return kept

    @property
    def laws(self) -> frozenset[Law]:
        """What holds of the measure when classes are merged."""
        return _laws(self.threshold)


class SmallClasses(NamedTuple):
    """That at most a share of what is left is in classes of fewer than ``few`` records."""

    few: int
    most: float

    def holds(self, sums: NodeSums, records: Floats) -> Mask:
        """The nodes on which it holds."""
        held: Mask = ~np.asarray(above(sums.small / np.maximum(records, 1), self.most))
        return held

    @property
    def laws(self) -> frozenset[Law]:
        """Merging classes never makes one smaller, so that no record comes into a small one."""
        return frozenset({Law.COARSENING})


@dataclass(frozen=True, eq=False)
class Criteria:
    """What a policy asks, in the three ways in which it is decided.

    Records of classes beyond a criterion are suppressed. Conditions must hold on what is left. What remains
    is decided on the release itself, by the checks of an audit: thresholds that no count of classes decides,
    and ``questions`` of people beside them.
    """

    targets: tuple[Target, ...]
    of_classes: tuple[Criterion, ...]
    of_rest: tuple[RestCondition | SmallClasses, ...]
    unknown: tuple[Threshold, ...] = field(default=())
    questions: bool = False
    suppressed_below: int = (
        0  # the size below which a question of people has the records of a class suppressed
    )

    @property
    def by_release(self) -> bool:
        """Whether something is decided on the release itself."""
        return self.questions or bool(self.unknown)

    @property
    def few(self) -> int:
        """The records below which a class counts as small; 0 where that does not matter."""
        return max((one.few for one in self.of_rest if isinstance(one, SmallClasses)), default=0)

    @property
    def size(self) -> int:
        """How many bounds and conditions are decided by counts."""
        return len(self.of_classes) + len(self.of_rest)

    @property
    def coarsening(self) -> bool:
        """Whether a node that passes passes at every coarser level, where nothing may be suppressed."""
        lawful = self.lawful(0)
        return not self.by_release and lawful is not None and lawful.size == self.size

    def lawful(self, limit: int) -> Criteria | None:
        """The part of it by which a node that fails fails at every finer level; None where there is none.

        Where nothing may be suppressed, these are all measures that merging groups never makes riskier. Where
        records may be, merging must never take a group beyond a bound that either part of it is within: then
        no record that a coarser level suppresses is kept by a finer one.
        """
        law = Law.COARSENING if limit == 0 else Law.ABSORPTION
        classes = tuple(one for one in self.of_classes if law in _laws(one.threshold))
        rest = tuple(one for one in self.of_rest if limit == 0 and law in one.laws)
        if not classes and not rest:
            return None
        return replace(self, of_classes=classes, of_rest=rest, unknown=(), questions=False)

    def asking(
        self, demands: Demands, keys: Sequence[str], *, plainly: bool, suppress: float = 0.0
    ) -> Criteria:
        """The same with questions of people, of which counts decide who is in a small class.

        That is so where everyone is one record, ``plainly`` counted. Questions that only warn do not count.
        Where the share of records that ``suppress`` allows is at least what a question allows, the records
        of small classes are suppressed: then no transformation is lost that would meet it without.
        """
        singled = [one for one in demands.singled_out if one.severity == "fail"]
        able = [one for one in singled if plainly and (one.keys is None or set(one.keys) == set(keys))]
        driving = [one for one in able if 0 < suppress >= one.max]
        least = max((one.k for one in driving), default=0)
        held = [one for one in able if one.k <= least]  # nobody is left in a class that is small
        strictest = max((one for one in able if one not in held), key=lambda one: one.k, default=None)
        small = () if strictest is None else (SmallClasses(strictest.k, strictest.max),)
        learned = any(one.severity == "fail" for one in demands.learned)
        return replace(
            self,
            of_classes=(*self.of_classes, *([_least_size(least)] if least else [])),
            of_rest=(*self.of_rest, *small),
            questions=learned or len(singled) > len(held) + len(small),
            suppressed_below=least,
        )

    def also_counting(self, target: Target) -> tuple[Criteria, int]:
        """The same with a target that is counted as well, and its place among the targets."""
        targets = tuple(dict.fromkeys([*self.targets, target]))
        return replace(self, targets=targets), targets.index(target)

    @property
    def against_table(self) -> bool:
        """Whether classes are compared with the table, so that what is left may differ from the original."""
        return any(one.threshold.measure.against_table for one in self.of_classes)


def _laws(threshold: Threshold) -> frozenset[Law]:
    return threshold.measure.laws_of(threshold.parameters)


def criteria_of(
    thresholds: Sequence[Threshold],
    keys: Sequence[str],
    sensitive: Sequence[str],
    *,
    person: Target | None = None,
    weighted: bool = False,
) -> Criteria:
    """Thresholds as the search decides them.

    ``person`` are the identifiers where people have several records: then a class has as many people as
    there are different values of these. Where records are ``weighted``, what is left is not read from sums,
    which count records.
    """
    targets: dict[Target, int] = {}
    classes, rest, unknown = list[Criterion](), list[RestCondition](), list[Threshold]()
    for threshold in thresholds:
        if threshold.adjusted or not (threshold.keys is None or set(threshold.keys) == set(keys)):
            unknown.append(threshold)
            continue
        name = threshold.measure.name
        given = {**_USUAL.get(name, {}), **threshold.parameters}
        for target in _targets(threshold, sensitive):
            asked = (name, tuple(sorted(given.items())))
            if target == (RECORD,) and person is not None and name not in _OF_RECORDS:
                one = _about_people(threshold, asked, targets.setdefault(person, len(targets)))
                if one is None:
                    unknown.append(threshold)
                    continue
                if weighted and one.kind is not Kind.DISTINCT:
                    raise _weighted_people(name)
                classes.append(one)
                continue
            if weighted and target == (RECORD,) and threshold.measure.reads_target:
                if asked in OF_A_CLASS:
                    raise _weighted_people(name)
                unknown.append(threshold)
                continue
            place = -1 if target == (RECORD,) else targets.setdefault(target, len(targets))
            if name == "recursive_cl_diversity":
                classes.append(_criterion(Kind.DOMINANCE, place, int(given.get("l", 2)), threshold))
            elif place < 0 and asked in OF_A_CLASS and name in _ABOUT_RECORDS:
                classes.append(_about_records(name, threshold))
            elif asked in OF_A_CLASS:
                classes.append(_criterion(OF_A_CLASS[asked], place, 0, threshold))
            elif asked in OF_WHAT_IS_LEFT and not (weighted and place >= 0):
                rest.append(RestCondition(OF_WHAT_IS_LEFT[asked], place, threshold))
            else:
                unknown.append(threshold)
    return Criteria(tuple(targets), tuple(classes), tuple(rest), tuple(unknown))


#: With the target @record each record is its own value: classes differ by their size alone.
_ABOUT_RECORDS = {
    "worst_posterior": lambda bound: 1 / bound,
    "attacker_error": lambda bound: 1 / (1 - bound),
    "entropy_l_diversity": lambda bound: bound,
    "entropy_l_diversity_risk": lambda bound: 1 / bound,
}


def _about_records(name: str, threshold: Threshold) -> Criterion:
    """The least size of a class under which a bound on its records as target holds."""
    bound = threshold.max if threshold.min is None else threshold.min
    assert bound is not None, "a threshold has a bound"
    least = math.inf if bound == (1 if name == "attacker_error" else 0) else _ABOUT_RECORDS[name](bound)
    return Criterion(Kind.SIZE, -1, 0, least - _slack(least) if math.isfinite(least) else least, threshold)


def _weighted_people(name: str) -> ParameterError:
    return ParameterError(
        f"{name} of @record differs by the weight of each record, and the search counts together what is "
        "alike.",
        hint="Leave weights out of [data], or ask for k_anonymity.",
    )


_OF_RECORDS = ("average_class_size", "class_count")  # however many people these are about


def _about_people(
    threshold: Threshold, asked: tuple[str, tuple[tuple[str, Any], ...]], person: int
) -> Criterion | None:
    """A bound on the people of a class, who are the values of a target; None where no class decides it."""
    kind = OF_A_CLASS.get(asked)
    if kind is Kind.SIZE:
        return _criterion(Kind.DISTINCT, person, 0, threshold)
    if kind is Kind.RISK:
        least = 1 / threshold.max if threshold.max else math.inf
        return Criterion(Kind.DISTINCT, person, 0, least - _slack(least), threshold)
    return None if kind is None else _criterion(kind, person, 0, threshold)


def _targets(threshold: Threshold, sensitive: Sequence[str]) -> list[Target]:
    if threshold.target is not None:
        return [threshold.target]
    return [(name,) for name in sensitive] if threshold.measure.reads_target else [(RECORD,)]


def _criterion(kind: Kind, target: int, parameter: int, threshold: Threshold) -> Criterion:
    bound = threshold.min if kind in LOW else threshold.max
    assert bound is not None, "a threshold has a bound on its riskier side"
    return Criterion(kind, target, parameter, bound + (-1 if kind in LOW else 1) * _slack(bound), threshold)


def _least_size(k: int) -> Criterion:
    """The bound on the size of a class by which nobody is in one of fewer than k records."""
    threshold = Threshold(get("k_anonymity"), {}, None, None, k, None, False, "fail", "singled_out")
    return _criterion(Kind.SIZE, -1, 0, threshold)


def _slack(bound: float) -> float:
    return ABSOLUTE + RELATIVE * abs(bound)
