"""What a released set is held to: which tests, how strict, and how their critical values are found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from divulge.errors import ParameterError, suggestion
from divulge.table.schema import names

MIS, KLD, CST, DQT, SEQ = "mis", "kld", "cst", "dqt", "seq"
TESTS = (MIS, KLD, CST, DQT, SEQ)
TITLES = {
    MIS: "significance of the mutual information",
    KLD: "significance of the distance of each target",
    CST: "chi-square goodness of fit of each target",
    DQT: "Dixon's Q-test for one target among the others",
    SEQ: "odds against the baseline, whenever an observer looks",
}
UNITS = {MIS: "bits", KLD: "bits", CST: "", DQT: "", SEQ: "odds"}
EACH, MEAN, JOINT = "each", "mean", "joint"
FORMS = (EACH, MEAN, JOINT)  # of the sequential test
DEGREES = ("domain", "present")
LEAST_SHARED = 1e-6  # alpha, where it is shared or odds are held to its inverse
SMALLEST, LEFT, RIGHT, UNMERGED = MERGING = ("smallest", "left", "right", "none")
MOMENTS, CHI_SQUARE = LIMITS = ("moments", "chi-square")  # what limits of information follow
#: What Dixon's test, as the paper defines it, does not keep to.
DIXON_FAULT = (
    "DQT does not keep its level: its critical values assume equally precise distances, and a target "
    "with fewer records is farther from the baseline by chance alone. With values and targets unrelated, "
    "alpha 0.05 and five targets, it is exceeded in 11% of cases with 300 records each, and in 91% with 400 "
    "records each of four targets and 50 of the fifth. It also passes two targets that stand out together."
)
#: What the chi-square test and Dixon's, as the paper defines them, let pass where no other test is added.
ALONE_FAULT = (
    "CST and DQT alone bound nothing: CST passes any values of a target that are merged into one bin, and "
    "DQT passes two unusual targets together. What they release can show other tests as much as a release "
    "without any test. Add mis, kld or seq, or use cst with the merging none."
)


@dataclass(frozen=True)
class Rules:
    """The tests a released set has to pass, all of them, and the significance level they share.

    The higher ``alpha``, the less leaves: an observer who accepts to be wrong with a probability below
    ``alpha`` finds nothing. It is the level of each comparison: ``kld`` and ``cst`` make one for each target.
    With ``familywise`` it is the level of all comparisons together. ``limits`` says what the limits of
    information follow: the mean and the variance that chance gives (``moments``), or ``chi-square`` as in the
    paper, from ``reach`` times values times targets records on, where a release can get stuck. There
    ``degrees`` counts values and targets for the degrees of freedom: those of the domain, or those present in
    what is outside, as the paper's formulas have it. ``samples`` and ``seed`` are those of the simulated
    limits of small releases. ``merging`` says how the chi-square test joins neighbouring values with fewer
    than five records: the smallest with its smaller neighbour, accumulating from the left or the right, or
    ``none``, where its limit goes by the number of records. ``form`` says what the sequential test holds
    below 1/alpha: the odds of ``each`` target, their ``mean``, or the ``joint`` odds of all targets. With
    ``known_counts`` observers know how often each value occurs in the table, and not only its share.
    """

    tests: tuple[str, ...]
    alpha: float
    degrees: Literal["domain", "present"] = "domain"
    merging: Literal["smallest", "left", "right", "none"] = "smallest"
    samples: int = 10_000
    seed: int = 0
    reach: int = 2
    familywise: bool = False
    form: Literal["each", "mean", "joint"] = "each"
    known_counts: bool = False
    limits: Literal["moments", "chi-square"] | None = None  # None: moments, if degrees are the domain's

    def __post_init__(self) -> None:
        if self.limits is None:
            object.__setattr__(self, "limits", CHI_SQUARE if self.degrees == "present" else MOMENTS)
        if not self.tests:
            raise ParameterError("No test given.", hint=f"Choose among {', '.join(TESTS)}.")
        for test in self.tests:
            _among("test", test, TESTS)
        if len(set(self.tests)) < len(self.tests):
            raise ParameterError("A test is given twice.", hint="Name each of them once.")
        _among("way to count degrees of freedom", self.degrees, DEGREES)
        _among("way of merging", self.merging, MERGING)
        _among("form of the sequential test", self.form, FORMS)
        _among("kind of limits", self.limits, LIMITS)
        if self.degrees == "present" and self.limits == MOMENTS:
            raise ParameterError(
                "Degrees of freedom of what is outside are for limits that follow chi-square.",
                hint="Use the limits chi-square, or the degrees domain.",
            )
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise ParameterError(
                f"The significance level must be between 0 and 1, not {self.alpha}.",
                hint="Usual levels are 0.2 (cautious) to 0.05.",
            )
        if not isinstance(self.samples, int) or self.samples < 100:
            raise ParameterError(f"Critical values need at least 100 samples, not {self.samples}.")
        if not isinstance(self.reach, int) or isinstance(self.reach, bool) or self.reach < 1:
            raise ParameterError(f"Critical values are simulated for a reach of 1 or more, not {self.reach}.")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 63:
            raise ParameterError("The seed must be a whole number from 0 to 2^63 - 1.")
        for name in ("familywise", "known_counts"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} must be true or false.")
        if SEQ in self.tests and self.known_counts and self.form == MEAN:
            raise ParameterError(
                "With known counts targets are drawn from the same records, so the mean of their odds has no "
                "limit that chance keeps.",
                hint="Use the form joint, or each with familywise.",
            )
        if (self.familywise or SEQ in self.tests) and self.alpha < LEAST_SHARED:
            what, why = "level of the whole set", "each target gets a part of it"
            if SEQ in self.tests:
                what, why = "level of the sequential test", "odds are held below 1/alpha"
            raise ParameterError(
                f"The {what} must be {LEAST_SHARED} or more, not {self.alpha}: {why}.",
                hint="Usual levels are 0.2 (cautious) to 0.05.",
            )

    @classmethod
    def of(cls, tests: str | Sequence[str], alpha: float, **options: Any) -> Rules:
        """Rules from names in any case, one or several; each test counts once, in a fixed order."""
        given = [part.strip().lower() for name in names(tests) for part in name.split(",") if part.strip()]
        for name in given:
            _among("test", name, TESTS)
        return cls(tuple(test for test in TESTS if test in given), alpha, **options)

    @classmethod
    def kept(cls, given: Mapping[str, Any]) -> Rules:
        """Rules that were written down by ``to_dict``; without a word on limits they follow chi-square."""
        return cls.of(**{"limits": CHI_SQUARE, **given})

    def comparisons(self, targets: int) -> int:
        """How often a set of so many targets is compared with a critical value."""
        return sum(targets if test in self.by_target else 1 for test in self.tests)

    @property
    def by_target(self) -> tuple[str, ...]:
        """The tests that hold every target to a limit of its own."""
        return tuple(test for test in self.tests if test in (KLD, CST) or (test == SEQ and self.form == EACH))

    @property
    def warnings(self) -> list[str]:
        """What these tests do not keep to."""
        bounding = {MIS, KLD, SEQ} | ({CST} if self.merging == UNMERGED else set())
        bounded = bounding & {*self.tests}
        return [*([] if bounded else [ALONE_FAULT]), *([DIXON_FAULT] if DQT in self.tests else [])]

    def level(self, targets: int) -> float:
        """The level of each comparison.

        With ``familywise`` it is 1 - (1 - alpha)^(1/comparisons) (Sidak): independent comparisons then go
        beyond any of their critical values with probability alpha, and those that rise together less often.
        Odds of targets with known counts are not independent, so there it is alpha / comparisons.

        >>> round(Rules.of("kld", 0.05, familywise=True).level(5), 6)
        0.010206
        """
        comparisons = self.comparisons(targets)
        if not self.familywise or comparisons < 2:
            return self.alpha
        if SEQ in self.tests and self.known_counts:
            return self.alpha / comparisons
        return -math.expm1(math.log1p(-self.alpha) / comparisons)

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values, from which ``Rules.kept`` makes them again.

        Rules that do not use ``familywise``, the sequential test or limits by moments do not mention it, so
        that they have the digest they always had.
        """
        unused = {
            "familywise": not self.familywise,
            "form": SEQ not in self.tests,
            "known_counts": SEQ not in self.tests or not self.known_counts,
            "limits": self.limits == CHI_SQUARE,
        }
        found = {**vars(self), "tests": list(self.tests)}
        return {name: value for name, value in found.items() if not unused.get(name)}


def _among(what: str, given: object, known: Sequence[str]) -> None:
    if given not in known:
        raise ParameterError(
            f"Unknown {what}: '{given}'. Choose from {', '.join(known)}.", hint=suggestion(str(given), known)
        )
