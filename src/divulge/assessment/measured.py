"""What was not looked at: gaps that make a verdict weaker, and what no count of one table can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge.assessment.asked_check import Answer, AskedCheck, Outcome
from divulge.assessment.copies import copied
from divulge.assessment.learned import never_asked
from divulge.assessment.scope import Scope
from divulge.data import Data
from divulge.errors import counted
from divulge.policy import Demands
from divulge.wording import enumerated, many, percent

WHY = "A verdict is about what was measured. What was not measured is not known to be harmless."
TITLE = "Gaps in what was measured"
COMPLETE = (
    "No gap: a sensitive attribute is given, there are at least 100 records, and at most 5% were left out."
)
MOST_LIMITS = 12
FEW = 100  # records below which shares say little
LEFT_OUT = 0.05
SAMPLED = 200  # values of an attribute that are looked at for free text
FEW_TEXTS = 20  # up to which they are labels
WORDS = 4  # from which on a text is more than a name or a label
MOST = 0.5


def measured(demands: Demands, scope: Scope, *, proposed: bool, unasked: Sequence[str] = ()) -> AskedCheck:
    """The check of what was not measured; no change is made for its sake, but one may make it warn.

    ``unasked`` are questions that a policy does not ask.
    """
    limits = enumerated([*unasked, *unmeasured(scope, proposed=proposed)], most=MOST_LIMITS)
    ignored, copies = demands.measured == "ignore", list(_copied(scope.data))

    def ask(changed: Scope) -> Answer:
        same = copies if changed is scope or scope.data.distant else list(_copied(changed.data))
        return _answer([*gaps(changed), *same], changed, ignored, f"Not measured: {limits}.")

    return AskedCheck("measured", TITLE, (), (), "no gap", 0.0, WHY, ask, ask(scope), mendable=False)


def _answer(found: Sequence[str], scope: Scope, ignored: bool, limits: str) -> Answer:
    said = " ".join(found or [COMPLETE])
    if ignored and found:
        said = f"{said} The policy ignores this."
    outcome: Outcome = "warn" if found and not ignored else "pass"
    text = counted(len(found), "gap") if found else "no gap"
    return Answer(outcome, None, None, scope.data.records, said, text=text, note=limits)


def gaps(scope: Scope) -> list[str]:
    """What makes the verdict weaker, a sentence each; copies of records aside."""
    return [*_no_sensitive(scope), *_few(scope.data), *_left_out(scope)]


def _no_sensitive(scope: Scope) -> Iterator[str]:
    if not scope.sensitive:
        yield "No attribute is said to be sensitive, so what could be learned was not measured."


def _few(data: Data) -> Iterator[str]:
    if data.records < FEW:
        yield f"There are fewer than {FEW} records, so shares and chance say little."


def _left_out(scope: Scope) -> Iterator[str]:
    question = scope.question(scope.keys) if scope.keys else None
    if question is None:
        return
    left = question.suppressed_records + question.dropped_records
    if left > LEFT_OUT * scope.data.records:
        yield f"{many(left)} records ({percent(left / scope.data.records)}) were left out of the counts."


def _copied(data: Data) -> Iterator[str]:
    more = copied(data)
    if more:
        said = "Fewer than 5 records are" if more < 5 else f"{many(more)} records are"
        how = "copies count as people of their own here" if data.distant else "copies were counted once"
        yield f"{said} copies of others; {how}."


def unmeasured(scope: Scope, *, proposed: bool) -> Iterator[str]:
    """What is never measured here, or was not in this table."""
    yield "whether someone is in the table"
    yield "what other releases add"
    if scope.others:
        yield f"attributes without a role ({enumerated(scope.others)})"
    if texts := free_texts(scope):
        yield f"free text ({enumerated(texts)})"
    if proposed:
        yield "whether the suggested roles are right"
    if scope.population is None and scope.data.weights is None:
        yield "whether the table is a sample"
    if (skipped := never_asked(scope)) is not None:
        yield skipped


def free_texts(scope: Scope) -> list[str]:
    """Attributes whose values are mostly texts of several words, which may say anything."""
    found = []
    for name in (*scope.others, *scope.sensitive):
        summary = scope.data.summary(name, SAMPLED)
        texts = [str(value) for value in summary.sample if isinstance(value, str)]
        if (
            summary.distinct > FEW_TEXTS
            and texts
            and sum(len(text.split()) >= WORDS for text in texts) > MOST * len(texts)
        ):
            found.append(name)
    return found
