"""What was not looked at: gaps that make a verdict weaker, and what no count of one table can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge._support.wording import capitalized, enumerated, many, percent, records
from divulge.assessment.checks.learned import never_asked
from divulge.assessment.checks.table_check import CheckAnswer, Outcome, TableCheck
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.people.copies import copied, look_copied
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.observed import ObservedColumn

WHY = "A verdict is about what was measured. What was not measured is not known to be harmless."
TITLE = "Gaps in what was measured"
COMPLETE = (
    "No gap: a sensitive attribute is given, there are at least 100 records, and this audit left out at most "
    "5% of them."
)
MOST_LIMITS = 12
FEW = 100  # records below which shares say little
LEFT_OUT = 0.05
SAMPLED = 200  # values of an attribute that are looked at for free text
FEW_TEXTS = 20  # up to which they are labels
NEARLY_ALL = 0.9  # of the records that have a value
WORDS = 4  # from which on a text is more than a name or a label
MOST = 0.5


def measured(
    demands: Demands, scope: Scope, *, proposed: bool, unasked: Sequence[str] = (), grouped: bool = False
) -> TableCheck:
    """The check of what was not measured; no change is made for its sake, but one may make it warn.

    ``unasked`` are questions that a policy does not ask. Suppressed records may be ``grouped``, and measured
    as a group.
    """
    limits = enumerated([*unasked, *unmeasured(scope, proposed=proposed, grouped=grouped)], most=MOST_LIMITS)
    ignored, copies = demands.measured == "ignore", list(_copied(scope.data))

    def ask(changed: Scope) -> CheckAnswer:
        anew = changed is not scope and scope.data.has_each_record()
        same = list(_copied(changed.data)) if anew else copies
        return _answer([*gaps(changed), *same], changed, ignored, f"Not measured: {limits}.")

    return TableCheck("measured", TITLE, (), (), "no gap", 0.0, WHY, ask, ask(scope), mendable=False)


def _answer(found: Sequence[str], scope: Scope, ignored: bool, limits: str) -> CheckAnswer:
    said = " ".join(found or [COMPLETE])
    if ignored and found:
        said = f"{said} The policy ignores this."
    outcome: Outcome = "warn" if found and not ignored else "pass"
    text = counted(len(found), "gap") if found else "no gap"
    return CheckAnswer(outcome, None, None, scope.data.records, said, text=text, note=limits)


def gaps(scope: Scope) -> list[str]:
    """What makes the verdict weaker, a sentence each; copies of records aside."""
    return [
        *_no_sensitive(scope),
        *_few(scope.data),
        *_left_out(scope),
        *_own_values(scope),
        *_unweighed(scope),
    ]


def _no_sensitive(scope: Scope) -> Iterator[str]:
    if not scope.sensitive:
        yield "No sensitive attribute is given, so what could be learned was not measured."


def _few(data: Data) -> Iterator[str]:
    if data.records < FEW:
        yield f"There are fewer than {FEW} records, so shares and comparisons with chance are unreliable."


def _left_out(scope: Scope) -> Iterator[str]:
    left = _uncounted(scope)
    if left > LEFT_OUT * scope.data.records:
        yield f"{capitalized(records(left, of=scope.data.records))} were left out of the counts."
    for target in scope.sensitive if scope.data.missing == "drop" else ():
        asked = scope.question(scope.keys, target)
        more = asked.suppressed_records + asked.dropped_records
        if more > max(LEFT_OUT * scope.data.records, left):
            share = percent(more / scope.data.records)
            yield f"{many(more)} records ({share}) were left out of the counts on {target}."


def _own_values(scope: Scope) -> Iterator[str]:
    """Sensitive attributes of which no value is shared, and which were not asked about in bands or groups."""
    for name in scope.sensitive if scope.keys else ():
        summary = scope.data.summary(name)
        if summary.distinct <= FEW_TEXTS or summary.distinct < NEARLY_ALL * summary.present:
            continue
        if all(one.plain for one in Inference(scope, name, (), 1, ()).asked):
            said = f"Nearly every record has a different value of {name}"
            yield f"{said}, so what could be learned about it was not measured."


def _uncounted(scope: Scope) -> int:
    """Records that are in the file, but suppressed or incomplete."""
    if not scope.keys:
        return 0
    question = scope.question(scope.keys)
    return question.suppressed_records + question.dropped_records


def _unweighed(scope: Scope) -> Iterator[str]:
    named = scope.population is not None and scope.population.weight is not None
    there = not named and scope.rows is None and scope.people_there is not None
    weighed = (named or scope.data.weights is not None) and not there
    if weighed and scope.rows is None and scope.sensitive and scope.keys:
        yield "What is learned was counted without weights."


def _copied(data: Data) -> Iterator[str]:
    more = copied(data)
    if more:
        said = f"{capitalized(records(more))} are"
        once = data.has_each_record()
        how = "copies were counted once" if once else "copies count as separate people here"
        yield f"{said} copies of others; {how}."
    elif (looks := look_copied(data)) is not None:
        said = f"The {many(data.records)} records look copied: only {many(looks.different)} are different"
        if looks.times > 1:
            before, times = many(data.records // looks.times), many(looks.times)
            said += f", and each occurs a multiple of {times} times, as if {before} were pasted {times} times"
        yield f"{said}. Remove the copies, or add an attribute that distinguishes people."


def unmeasured(scope: Scope, *, proposed: bool, grouped: bool = False) -> Iterator[str]:
    """What is never measured here, or was not in this table."""
    yield "whether someone is in the table"
    yield "what other releases reveal"
    if left := scope.question(scope.keys).dropped_records if grouped else _uncounted(scope):
        hold = f" (and their {enumerated(scope.sensitive)})" if scope.sensitive else ""
        yield f"{records(left)} that are {'' if grouped else 'suppressed or '}incomplete{hold}"
    if scope.others:
        yield f"attributes without a role ({enumerated(scope.others)})"
    if texts := free_texts(scope):
        yield f"free text ({enumerated(texts)})"
    if unread := [one for one in (*scope.others, *scope.sensitive) if not _searched(scope.data, one)]:
        yield f"e-mail addresses in values that were not looked at ({enumerated(unread)})"
    if proposed:
        yield "whether the suggested roles are right"
    if scope.population is None and scope.data.sample_weights is None:
        yield "whether the table is a sample"
    if (skipped := never_asked(scope)) is not None:
        yield skipped


def _searched(data: Data, attribute: str) -> bool:
    return ObservedColumn.of(data, attribute).searched


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
