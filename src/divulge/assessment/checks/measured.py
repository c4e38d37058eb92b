"""What was not looked at: gaps that make a verdict weaker, and what no count of one table can say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from divulge._support.small_counts import hidden_part
from divulge._support.wording import capitalized, enumerated, in_words, many, percent, records
from divulge.assessment.checks.gaps.beside_keys import known_as_well, weights_in_words
from divulge.assessment.checks.gaps.counted_groups import CountedGroups, counted_groups, groups_in_words
from divulge.assessment.checks.gaps.free_text import texts_in_words, unread_texts
from divulge.assessment.checks.gaps.multiplied_groups import multiplied_in_words
from divulge.assessment.checks.gaps.overlooked import in_words_of, overlooked_attributes
from divulge.assessment.checks.gaps.records_alike import several_in_words
from divulge.assessment.checks.gaps.unread_parts import harmless_parts, parts_in_words
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.checks.learned import never_asked
from divulge.assessment.checks.table_check import CheckAnswer, Outcome, TableCheck
from divulge.assessment.checks.uncounted import sampled, unseen
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.people.copies import LookCopied, copied, look_copied
from divulge.assessment.people.copies_there import look_copied_there
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined, counted, listed_attributes
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.free_text import FEW_TEXTS, free_texts
from divulge.roles.observed import ObservedColumn
from divulge.roles.proposal import propose
from divulge.table.schema import Role

WHY = "A verdict is about what was measured. What was not measured is not known to be harmless."
TITLE = "Gaps in what was measured"
COMPLETE = (
    "No gap weakens this result: a sensitive attribute is given, there are at least 100 records, and at most "
    "5% of them were left out."
)
NONE = "none that warns"
MOST_LIMITS = 12
FEW = 100  # records below which shares say little
LEFT_OUT = 0.05
NEARLY_ALL = 0.9  # of the records that have a value
MOSTLY = 0.5  # of these, from which on it counts whether values have something in common
ALL_ASKED = 3  # keys of which every set is looked at: all together, each alone, and each two


def measured(
    demands: Demands,
    scope: Scope,
    *,
    proposed: bool,
    given: Collection[str] = (),
    unasked: Sequence[str] = (),
    grouped: bool = False,
    known: Collection[str] = (),
) -> TableCheck:
    """The check of what was not measured; no change is made for its sake, but one may make it warn.

    ``given`` are attributes whose role someone chose, ``unasked`` questions that a policy does not ask.
    Suppressed records may be ``grouped``, and measured as a group. ``known`` is what some check takes an
    attacker to know.
    """
    limits = enumerated([*unasked, *unmeasured(scope, proposed=proposed, grouped=grouped)], most=MOST_LIMITS)
    ignored, copies = demands.measured == "ignore", list(_copied(scope))
    overlooked, texts = overlooked_attributes(demands, scope, given), unread_texts(demands, scope.data, given)
    suggested = scope.data.schema.identifiers if proposed and scope.data.people < scope.data.records else ()
    coarser = counted_groups(scope, known)
    unread = list(parts_in_words(scope.data))
    weighed, beside = list(weights_in_words(demands, scope)), "" if overlooked else known_as_well(scope)

    def ask(changed: Scope) -> CheckAnswer:
        anew = changed is not scope and scope.data.has_each_record()
        same = list(_copied(changed)) if anew else copies
        left = [one for one in overlooked if changed.given_up.isdisjoint(one.attributes)]
        read = [name for name in texts if name not in changed.given_up]
        people = [name for name in suggested if name not in changed.given_up]
        still = [one for one in coarser if _counted_as_before(one, scope, changed)]
        found = [
            *groups_in_words(still),
            *gaps(demands, changed),
            *unread,
            *_told_apart(scope.data, people),
            *in_words_of(left),
            *weighed,
            *texts_in_words(scope.data, read),
            *several_in_words(changed),
            *same,
            *(() if same else multiplied_in_words(changed)),
        ]
        return _answer(found, changed, ignored, f"Not measured: {limits}.", beside)

    return TableCheck("measured", TITLE, (), (), NONE, 0.0, WHY, ask, ask(scope), mendable=False)


def gaps_of_release(
    demands: Demands,
    scope: Scope,
    known: Collection[str],
    added: Collection[str] = (),
    *,
    apart: Collection[str] = (),
    restated: Sequence[tuple[str, str, bool]] = (),
) -> list[TableCheck]:
    """The gaps that a release is held to: keys are counted in groups that it does not have, or it adds more.

    What its original has was looked at there; ``added`` are attributes that the original does not have. What
    those ``apart`` tell of its values is not known; ``restated`` are those that say much of one of its
    attributes, beside it.
    """
    overlooked = overlooked_attributes(demands, scope, (), added) if added else []
    texts = [name for name in unread_texts(demands, scope.data) if name in added] if added else []
    found = [
        *groups_in_words(counted_groups(scope, known)),
        *parts_in_words(scope.data),
        *in_words_of(overlooked),
        *texts_in_words(scope.data, texts),
        *_not_compared([name for name in apart if name in added]),
        *_not_compared([name for name in apart if name not in added], new_values=True),
        *_restating(restated),
    ]
    if not found:
        return []
    answer = _answer(found, scope, demands.measured == "ignore", "")
    return [
        TableCheck("measured", TITLE, (), (), NONE, 0.0, WHY, lambda changed: answer, answer, mendable=False)
    ]


def _not_compared(attributes: Collection[str], *, new_values: bool = False) -> Iterator[str]:
    """That attributes may be those of the original under other names, where nobody could see it."""
    if attributes:
        one = len(attributes) == 1
        it, tells = ("it", "tells") if one else ("they", "tell")
        what = f"{'is' if one else 'are'} not in the original"
        if new_values:
            what = f"{'has' if one else 'have'} values that the original does not have"
        yield (
            f"{listed_attributes(list(attributes))} {what}, and records are not matched, so it "
            f"was not looked at whether {it} {tells} what the original says under another name. Name an "
            f"identifier that both tables have (--by), or leave {'it' if one else 'them'} out."
        )


def _restating(found: Sequence[tuple[str, str, bool]]) -> Iterator[str]:
    """That a new attribute says much of one of the original, and that no figure counts it."""
    for new, name, follows in found:
        if follows:
            yield (
                f"{new} follows from {name}, or nearly, which the release does not have under its name, so "
                f"no figure says what is revealed by it. Name it as {name} (--column {name}={new}), or leave "
                "it out."
            )
        else:
            yield (
                f"{new} tells far more of {name} than the release does under that name, and no figure says "
                "what is revealed by it. Leave it out."
            )


def _counted_as_before(one: CountedGroups, scope: Scope, changed: Scope) -> bool:
    """Whether a change leaves an attribute as it is: one that puts groups into the file leaves no gap."""
    name = one.attribute
    return name not in changed.given_up and changed.partitions.get(name) is scope.partitions[name]


def _answer(found: Sequence[str], scope: Scope, ignored: bool, limits: str, beside: str = "") -> CheckAnswer:
    said = " ".join(found or filter(None, [COMPLETE, beside]))
    if ignored and found:
        said = f"{said} The policy ignores this."
    outcome: Outcome = "warn" if found and not ignored else "pass"
    text = counted(len(found), "gap") if found else NONE
    return CheckAnswer(outcome, None, None, scope.data.records, said, text=text, note=limits)


def gaps(demands: Demands, scope: Scope) -> list[str]:
    """What makes the verdict weaker, a sentence each; copies of records aside."""
    return [
        *_no_sensitive(scope),
        *_few(scope.data),
        *_left_out(scope),
        *_own_values(scope),
        *_unweighed(scope),
        *_population_copied(scope),
        *_unseen(demands, scope),
        *_linked(demands, scope),
    ]


def lasting_gaps(demands: Demands, scope: Scope, given: Collection[str]) -> list[str]:
    """The gaps that a release keeps whatever becomes of its quasi-identifiers, a sentence each."""
    overlooked = [one for one in overlooked_attributes(demands, scope, given) if one.lasting]
    texts = [name for name in unread_texts(demands, scope.data) if name not in scope.keys]
    return [
        *_no_sensitive(scope),
        *_few(scope.data),
        *_unweighed(scope),
        *in_words_of(overlooked),
        *texts_in_words(scope.data, texts),
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
    """Sensitive attributes of whose values few are shared, and which were not asked about in other ways."""
    for name in scope.sensitive if scope.keys else ():
        summary = scope.data.summary(name)
        if summary.distinct <= FEW_TEXTS or summary.distinct < MOSTLY * summary.present:
            continue
        asked = Inference(scope, name, (), 1, ())
        if asked.in_common >= MOSTLY:
            continue
        if summary.distinct >= NEARLY_ALL * summary.present:
            said = f"Nearly every record has a different value of {name}"
            yield f"{said}, so what could be learned about it was not measured."
        else:
            said = f"More than half of the values of {name} differ from each other"
            yield f"{said}: single texts were compared, and not what they have in common."


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


def _population_copied(scope: Scope) -> Iterator[str]:
    """That a table of everyone seems to have several rows of each person, who then count as several."""
    looks = None if scope.everyone is None else scope.everyone.looks_copied
    if looks is not None:
        times = many(looks.times)
        yield (
            "The rows of the population table do not look like people: combinations of the quasi-identifiers "
            f"occur a multiple of {times} times, as if each person were there {times} times. Give a table "
            "with one row for each person, or with the identifier of the policy."
        )


def _unseen(demands: Demands, scope: Scope) -> Iterator[str]:
    """Keys that split a sample too finely, where nothing shows what three or more of them reveal.

    In groups that small nobody learns of all people alike, neither here nor outside. But by a part of the
    keys, or by wider groups of their values, groups are larger, and what they reveal is lost among the groups
    of all keys.
    """
    asked = dict[tuple[str, ...], float]()
    for level in demands.learned if scope.sensitive else ():
        keys = tuple(key for key in level.keys or scope.keys if key not in scope.given_up)
        asked[keys] = min(level.certain, asked.get(keys, 1.0))
    for keys, certain in asked.items():
        found = unseen(scope, keys, certain) if len(keys) >= ALL_ASKED else None
        if found is not None:
            whom = found.some_of if not found.left_out else "most people" if found.most else "many people"
            what = "all three reveal together" if len(keys) == ALL_ASKED else "three or more reveal"
            yield (
                f"{capitalized(whom)} are {found.where} of this sample on {enumerated(keys)}, and of fewer "
                f"quasi-identifiers only each one and each pair were looked at: what {what} "
                f"was not measured. Look at fewer "
                "quasi-identifiers at a time, or at wider groups of their values."
            )


def _linked(demands: Demands, scope: Scope) -> Iterator[str]:
    """Identifiers that the policy allows and that several records share: these were looked at one by one.

    Six visits may each be like many others although nobody else has the same six.
    """
    allowed = _allowed(demands, scope)
    free = [name for name in allowed if scope.data.schema.role(name) is not Role.IDENTIFIER]
    texts = free_texts(scope.data, free)  # which say again what others say, and number nobody
    for name in allowed:
        summary = scope.data.summary(name)
        if name in texts:
            continue
        if several := summary.distinct - summary.lone:
            person = scope.data.schema.role(name) is Role.IDENTIFIER and name != scope.household
            shown = in_words(hidden_part(several, of=summary.distinct))
            whose = f"{shown} people" if person else f"{shown} of its values"
            yield (
                f"'{name}', which the policy allows, links several records for each of {whose}: what these "
                "reveal together was not measured."
            )


def _allowed(demands: Demands, scope: Scope) -> list[str]:
    """The identifiers that stay by the policy's word, by their role or because [allow] calls them so."""
    data, allowed = scope.data, set(demands.allowed)
    left = [name for name in data.released_attributes if name not in scope.given_up]
    free = [name for name in left if data.schema.role(name) is Role.OTHER]
    found = {name for name in free if name in allowed}
    if demands.identifiers == "allow":
        allowed = set(left)
        found |= {one.attribute for one in propose(data, free) if one.role is Role.IDENTIFIER}
    found |= allowed & set(data.schema.identifiers)
    return [name for name in left if name in found]


def _told_apart(data: Data, suggested: Sequence[str]) -> Iterator[str]:
    """That nobody said whose records are whose, where a suggestion makes several of them one person's."""
    if suggested:
        named = enumerated([f"'{called_in_words(data, name)}'" for name in suggested])
        yield (
            f"Records with the same {named} count as one person, and that role was only suggested. "
            "If it is right, give the roles."
        )


def _copied(scope: Scope) -> Iterator[str]:
    data = scope.data
    more = copied(data)
    if more:
        said = f"{capitalized(records(more))} are"
        once = data.has_each_record()
        how = "copies were counted once" if once else "copies count as separate people here"
        yield f"{said} copies of others; {how}."
    elif (looks := _look_copied(scope)) is not None:
        said = f"The {many(data.records)} records look copied: only {many(looks.different)} are different"
        if looks.times > 1:
            before, times = many(data.records // looks.times), many(looks.times)
            each = "each occurs" if looks.all_of_them else "nearly all occur"
            said += f", and {each} a multiple of {times} times, as if {before} were pasted {times} times"
        yield f"{said}. Remove the copies, or add an attribute that distinguishes people."


def _look_copied(scope: Scope) -> LookCopied | None:
    if scope.data.has_each_record():
        return look_copied(scope.data)
    try:
        return look_copied_there(scope.data, scope.question(scope.keys).counts if scope.keys else None)
    except (EmptySource, Undefined):
        return None


def unmeasured(scope: Scope, *, proposed: bool, grouped: bool = False) -> Iterator[str]:
    """What is never measured here, or was not in this table."""
    yield "whether someone is in the table"
    yield "what other releases reveal"
    if left := scope.question(scope.keys).dropped_records if grouped else _uncounted(scope):
        hold = f" (and their {enumerated(scope.sensitive)})" if scope.sensitive else ""
        yield f"{records(left)} that are {'' if grouped else 'suppressed or '}incomplete{hold}"
    if scope.others:
        yield f"attributes without a role ({enumerated(scope.others)})"
    if texts := free_texts(scope.data, (*scope.others, *scope.sensitive)):
        yield f"free text ({enumerated(texts)})"
    yield from harmless_parts(scope.data)
    if unread := [one for one in (*scope.others, *scope.sensitive) if not _searched(scope.data, one)]:
        yield f"e-mail addresses in values that were not looked at ({enumerated(unread)})"
    if proposed:
        yield "whether the suggested roles are right"
    if not scope.data.schema.identifiers:
        yield "whether a person has several records"
    if scope.population is None and scope.data.sample_weights is None:
        yield "whether the table is a sample"
    if scope.sensitive and len(scope.keys) > ALL_ASKED and sampled(scope):
        yield "what sets of three or more quasi-identifiers reveal, all together aside"
    if (skipped := never_asked(scope)) is not None:
        yield skipped


def _searched(data: Data, attribute: str) -> bool:
    return ObservedColumn.of(data, attribute).searched
