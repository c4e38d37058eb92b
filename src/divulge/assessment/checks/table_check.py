"""A check that answers a question about a table in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from divulge._support.rounding import above
from divulge._support.small_counts import FEW, hidden, hidden_part
from divulge._support.wording import capitalized, in_words, percent
from divulge.assessment.checks.unmet import Mask, Unmet
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.policy import SinglingOut

Outcome = Literal["pass", "warn", "fail", "not evaluated"]


@dataclass(frozen=True, repr=False)
class CheckAnswer:
    """What was found: the outcome, the share of people concerned, and how that is said."""

    outcome: Outcome
    found: float | None
    concerned: int | None
    counted: int
    sentence: str  # said where it does not pass, or to say what passes
    fix: str = ""
    hint: str = ""  # said beside the sentence where it is the worst
    undefined: str | None = None
    text: str = ""  # what was found in a word or two, where it is no share of people
    brief: str = ""  # what was found, for a headline
    note: str = ""  # said once for the whole table, whatever the outcome
    by: tuple[str, ...] = ()  # the fewest attributes that reveal it
    whom: Callable[[], Mask] | None = None  # the rows because of which it does not pass
    going: float = 0.0  # the share of the records that these are at least, where that is known
    by_key_set: tuple[tuple[tuple[str, ...], int], ...] = ()  # each that reveals it, to how many at least
    not_counted: int | str | None = None  # people whom it leaves to another check, as it may be said
    by_chance: bool = False  # whether chance explains what was found
    lasting: bool = False  # whether it stays so whatever becomes of the quasi-identifiers
    many: str = ""  # how many people are concerned, in the words of the sentence
    bound: str | None = None  # said instead of their number, beside that of another check

    def __repr__(self) -> str:
        return f"Answer({self.outcome}: {self.sentence})"


Ask = Callable[[Scope], CheckAnswer]


def answered_once(ask: Ask) -> Ask:
    """The same question, answered once for each scope."""

    def asked(scope: Scope) -> CheckAnswer:
        if asked not in scope.answers:
            scope.answers[asked] = ask(scope)
        answer: CheckAnswer = scope.answers[asked]
        return answer

    return asked


def by_severity(levels: Iterable[tuple[str, str]]) -> str:
    """What levels require, in words; where some fail and others warn, each with what it does.

    >>> by_severity([("fail", "nobody with 90% certainty"), ("warn", "nobody with 50% certainty")])
    'fails: nobody with 90% certainty / warns: nobody with 50% certainty'
    """
    said = dict[str, list[str]]()
    for severity, words in sorted(levels, key=lambda level: level[0]):
        said.setdefault(severity, []).append(words)
    if len(said) == 1:
        return " and ".join(*said.values())
    return " / ".join(f"{severity}s: {' and '.join(own)}" for severity, own in said.items())


@dataclass(frozen=True, eq=False, repr=False)
class TableCheck:
    """A question held against bounds on shares of people; ``bound`` is the strictest of them."""

    measure_name: str
    name: str
    keys: tuple[str, ...]
    target: tuple[str, ...]
    asked: str
    bound: float
    why: str
    ask: Ask
    answer: CheckAnswer
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fix: str = ""
    baseline: dict[str, Any] | None = None
    mendable: bool = True  # whether a change to the data could make it pass
    glance: Callable[[Scope], float | None] | None = None  # a share of people beyond the bound, soon seen
    singled_out: tuple[SinglingOut, ...] = ()  # the levels that it holds sizes of groups against

    @property
    def levels(self) -> int:
        """How many levels it holds people against."""
        return max((len(one) for one in self.parameters.values() if isinstance(one, list)), default=1)

    @property
    def outcome(self) -> Outcome:
        worse = bool((self.baseline or {}).get("worse"))
        return "fail" if worse and self.answer.outcome in ("pass", "warn") else self.answer.outcome

    def saying(self, bound: str) -> TableCheck:
        """The same check that says a bound instead of how many people are concerned."""
        words = f"{capitalized(in_words(bound))} people"
        said = self.answer.sentence.replace(self.answer.many, words, 1)
        return replace(self, answer=replace(self.answer, sentence=said, fix="", bound=bound))

    @property
    def bound_said(self) -> str | None:
        """What is said instead of how many people are concerned, if anything is."""
        return self.answer.bound

    @property
    def found(self) -> float | None:
        return self.answer.found

    @property
    def undefined(self) -> str | None:
        return self.answer.undefined

    @property
    def concerned(self) -> int | None:
        return self.answer.concerned

    @property
    def counted(self) -> int:
        return self.answer.counted

    @property
    def concerns(self) -> str:
        return self.answer.sentence

    @property
    def sentence(self) -> str:
        """What was found, and what to say beside it."""
        return " ".join(filter(None, [self.answer.sentence, self.answer.hint]))

    @property
    def severity(self) -> Literal["fail", "warn"]:
        return "warn" if self.outcome == "warn" else "fail"

    @property
    def target_name(self) -> str:
        return ", ".join(self.target)

    @property
    def found_text(self) -> str:
        if self.found is None or self.answer.text:
            return self.answer.text or "not evaluated"
        if self.found == 1:
            return "100% of people"  # the table says how many these are
        shown = percent(self._shown)
        side = "<" if self.few else ">" if self.nearly_all else ""
        return f"{'' if shown[0] in '<>' else side}{shown} of people"

    def __repr__(self) -> str:
        return f"AskedCheck({self.name}: {self.outcome}, {self.found_text})"

    def holds(self, found: float | None) -> bool:
        """Whether a share of people is within the strictest bound."""
        return not self.mendable or (found is not None and not above(found, self.bound))

    def again(self, scope: Scope) -> float | None:
        """What the same question finds when something about the data is changed.

        Where it does not pass, some of the people may be enough to see that.
        """
        seen = None if self.glance is None or self.ask in scope.answers else self.glance(scope)
        return self.ask(scope).found if seen is None else seen

    def unmet(self, scope: Scope, most: float = 1.0) -> Unmet | None:
        """What keeps it from passing when something about the data is changed; None where it passes.

        The rows are not looked for where they are known to be more than a share of all.
        """
        if not self.mendable:
            return None
        answer = self.ask(scope)
        if self.holds(answer.found):
            return None
        many = max(answer.counted, 1)
        sets = [(keys, few / many) for keys, few in answer.by_key_set]
        if most < 1 and above(answer.going, most):
            return Unmet(answer.going, None, answer.by, sets, too_many=True)
        rows = None if answer.whom is None else answer.whom()
        some = 1.0 if answer.found is None else min(answer.found, 1.0)
        share = some if rows is None else scope.share(rows)
        return Unmet(share, rows, answer.by, sets)

    def worse(self, one: float, *, than: float) -> bool:
        """Whether one share is riskier than another, beyond rounding."""
        return bool(above(one, than))

    @property
    def few(self) -> bool:
        """Whether so few people are concerned that their number is not said."""
        few = self.answer.bound or (self.concerned is not None and hidden(self.concerned))
        return isinstance(few, str)

    @property
    def nearly_all(self) -> bool:
        """Whether so few people are not concerned that their number is not said."""
        return not self.few and isinstance(self._said, str)

    @property
    def _said(self) -> int | str | None:
        if self.answer.bound is not None:
            return self.answer.bound
        return None if self.concerned is None else hidden_part(self.concerned, of=self.counted)

    @property
    def _shown(self) -> float:
        """The share found; where few people are concerned, or few are not, what five would make it."""
        five = min(int((self.answer.bound or FEW)[1:]) / max(self.counted, 1), 1.0)
        return five if self.few else 1 - five if self.nearly_all else self.found or 0.0

    def to_dict(self) -> dict[str, Any]:
        known = self.found is not None
        return {
            "measure": self.measure_name,
            "title": self.name,
            "parameters": dict(self.parameters),
            "keys": list(self.keys),
            "target": self.target_name or RECORD,
            "severity": self.severity,
            "outcome": self.outcome,
            "adjusted": False,
            "min": None,
            "max": self.bound,
            "asked": self.asked,
            "found": self._shown if known else None,
            "found_is_below": self.few,
            "found_is_above": self.nearly_all,
            "found_text": self.found_text,
            "undefined": self.undefined,
            "records": self._said,
            "share": self._shown if known and isinstance(self._said, int) else None,
            **({} if self.answer.not_counted is None else {"not_counted": self.answer.not_counted}),
            **({"brief": self.answer.brief} if self.answer.brief else {}),
            "sentence": self.sentence,
            "concerns": self.concerns,
            "why": self.why,
            "fix": self.fix or self.answer.fix,
            "baseline": self.baseline,
        }


def said_to(check: TableCheck, severity: str) -> TableCheck:
    """A check of one level among several, which says whether it fails or warns, and what chance explains."""
    said = replace(check, asked=f"{severity}s: {check.asked}")
    if not check.answer.by_chance:
        return said
    return replace(said, answer=replace(check.answer, text=f"{check.found_text}, which chance explains"))
