"""What a release simulation found, in sentences that the page and the terminal share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divulge._support.wording import enumerated, many, number, percent
from divulge.report.charts.theme import LONGEST_LABEL, labels
from divulge.report.shared.formats import bound, cell
from divulge.report.shared.tables import Document
from divulge.safe_release.rules import Rules

#: What each test computes from the released records.
READS = {
    "mis": "mutual information",
    "kld": "Kullback-Leibler distance",
    "cst": "Pearson's statistic",
    "dqt": "Dixon's coefficient",
    "seq": "odds against the baseline",
}
#: Whose odds the sequential test holds below 1/alpha.
FORMS = {
    "each": "The odds are those of each target.",
    "mean": "The odds are the mean of those of all targets.",
    "joint": "The odds are those of all targets together.",
}

NOTHING_HELD_BACK = "All requests were released, for every target."
FEW_RECORDS = "Numbers that would reveal how few records of a target exist, or wait, are not shown."


def average(value: float | str | None) -> float | str | None:
    """An average of records as precise as it is worth reading: whole from a hundred on.

    >>> average(1150.23), average(39.341), average("<5"), average(None)
    (1150, 39.3, '<5', None)
    """
    if value is None or isinstance(value, str):
        return value
    return round(value) if abs(value) >= 99.95 else round(value, 1)


def averaged(value: float | str | None) -> str:
    """An average of records in words.

    >>> averaged(1150.23), averaged(39.341), averaged(None)
    ('1,150', '39.3', '–')
    """
    return cell(average(value), "number")


def released_of(target: Document) -> str:
    """How many records of those requested were released; of few both are rounded, and never to more.

    >>> released_of({"released": 31.7, "requested": 89.7}), released_of({"released": "~10", "requested": 6})
    ('31.7 of 89.7', '~6 of 6')
    """
    out, asked = target["released"], averaged(target["requested"])
    if isinstance(out, str) and out.startswith("~") and bound(out) > bound(target["requested"]):
        return f"~{asked.removeprefix('~')} of {asked}"
    return f"{averaged(out)} of {asked}"


def shortened(names: Iterable[str], longest: int = LONGEST_LABEL) -> dict[str, str]:
    """What stands for each target: of a long name both ends, since targets often begin alike.

    >>> list(shortened(["ward 1", "hospital in town, ward 1", "hospital in town, ward 2"], 16).values())
    ['ward 1', 'hospital… ward 1', 'hospital… ward 2']
    """
    half = (longest - 1) // 2
    ends = {
        name: name if len(name) <= longest else f"{name[: longest - 1 - half]}…{name[-half:]}"
        for name in dict.fromkeys(names)
    }
    if len(set(ends.values())) < len(ends):
        return labels(ends, longest)
    found = labels(ends.values(), longest)
    return {name: found[end] for name, end in ends.items()}


def headline(document: Document) -> str:
    """How many requests were released, and how many wait."""
    over = " on average" if document["runs"] > 1 else ""
    out, asked = averaged(document["released"]), many(document["requests"])
    waiting, refused = averaged(document["waiting"]), averaged(document["refused"])
    said = f"{out} of {asked} requests released{over}, {waiting} wait{'s'[: waiting == '1']}"
    return f"{said}, {refused} refused for good" if document["refused"] else said


def answer(document: Document) -> list[str]:
    """What is refused or held back most, how near the limit came, and what that leaves room for."""
    return [
        *_refused(document),
        *_stuck(document),
        _held_back(document),
        _nearest(document),
        *([] if _mostly_waiting(document) else room(document.get("typical"), "After the first run")),
        _fitting(document),
    ]


def _mostly_waiting(document: Document) -> bool:
    """Whether most requests wait in the end: typical records then say nothing about those who ask."""
    asked = [one for one in document["by_target"] if one["share"] is not None]
    requested = sum(one["requested"] for one in asked)
    return 2 * sum(one["released"] for one in asked) < requested


def room(typical: Document | None, when: str) -> list[str]:
    """How many more typical records could be released: what a part of a limit that is used implies.

    >>> room({"requested": 100, "released": 82.9}, "Now")
    ['Now, about 83 of the next 100 typical records could be released.']
    """
    if typical is None:
        return []
    more = round(typical["released"])
    return [f"{when}, about {more} of the next {typical['requested']} typical records could be released."]


def passing(document: Document) -> str:
    """What the table of tests passed in the end counts."""
    runs = document["runs"]
    return f"Of {many(runs)} run{'s'[: runs != 1]}, how many end with released records that pass each test"


def rules(document: Document) -> list[str]:
    """What a record had to pass to leave, and which way is stricter."""
    asked = document["rules"]
    return [
        f"A record is released only if all released records, this one included, pass {_tests(document)} at a "
        f"significance level alpha of {number(asked['alpha'])}. Otherwise it waits and is tried again "
        "after every release, in order of arrival.",
        *_level(document),
        *_odds(
            document,
            f"SEQ: at no time do its odds against the baseline reach {number(1 / document['level'])}, "
            "whenever an observer looks.",
        ),
        *_together(document),
        *Rules.kept(asked).warnings,
        "A higher alpha is stricter.",
    ]


def _together(document: Document) -> Iterator[str]:
    """All dependencies, where several are guarded."""
    if document.get("dependencies"):
        yield (
            f"Several dependencies are guarded: {enumerated(document['dependencies'], most=9)}. A record is "
            "released only if the released records pass under each of them."
        )


def set_rules(document: Document) -> list[str]:
    """What a given set has to pass."""
    return [
        f"The set has to stay below every critical value of {_tests(document)} at a significance level alpha "
        f"of {number(document['rules']['alpha'])}.",
        *_level(document),
        *_odds(
            document,
            "SEQ: the odds are those of the set as it is. Whether they were higher while it was released is "
            "not checked.",
        ),
        *document["warnings"],
        "A higher alpha is stricter.",
    ]


def _tests(document: Document) -> str:
    """The tests by name, with what each computes."""
    return enumerated([f"{test.upper()} ({READS[test]})" for test in document["rules"]["tests"]], most=5)


def _odds(document: Document, kept: str) -> Iterator[str]:
    """What the sequential test keeps to, and what it does not."""
    asked = document["rules"]
    if "seq" in asked["tests"]:
        known = " Observers know how often each value occurs in the table." * asked.get("known_counts", False)
        yield f"{kept} {FORMS[asked['form']]}{known} Another test may show more."


def _level(document: Document) -> Iterator[str]:
    """What the level is that of: one comparison, or all of them."""
    asked, comparisons = document["rules"], document["comparisons"]
    if asked.get("familywise"):
        yield (
            "Alpha is the level of the whole set: chance alone exceeds one critical value or more with about "
            f"that probability, or less. Each of the {many(comparisons)} comparisons has a level of "
            f"{number(document['level'])}."
        )
    elif asked["tests"] == ["seq"]:
        return
    elif comparisons > 1:
        together = 1 - (1 - asked["alpha"]) ** comparisons
        most = "up to " * ("seq" in asked["tests"])
        each = "target" if len(asked["tests"]) == 1 else "comparison"
        yield (
            f"Alpha is the level of each {each}, not of the set: if all {many(comparisons)} were "
            f"independent, chance alone would exceed at least one critical value in {most}"
            f"{percent(together)} of sets. --familywise makes alpha the level of the set."
        )


def _refused(document: Document) -> Iterator[str]:
    """Why requests are refused for good, where some are."""
    reasons = {
        "unknown value": "a value that the baseline does not expect",
        "unknown target": "a target that the baseline does not have",
    }
    found = [
        f"{averaged(mean)} with {reasons[reason]}"
        for reason, mean in document["refused_by_reason"].items()
        if mean
    ]
    if found:
        yield f"Refused for good: {enumerated(found)}. These records are never released."


def _stuck(document: Document) -> Iterator[str]:
    """Whether a release ended where nothing more can be released; documents of before do not say it."""
    runs, targets = document.get("stuck_runs", 0), document.get("stuck_targets", 0.0)
    if runs:
        yield (
            f"Stuck: {many(runs)} of {many(document['runs'])} run{'s'[: document['runs'] != 1]} ended with a "
            f"set that no record could join, whatever its value and target.{_unstuck(document)}"
        )
    elif targets:
        yield (
            f"Stuck: at the end, no record of {averaged(targets)} of {many(len(document['targets']))} "
            f"targets could be released, whatever its value.{_unstuck(document)}"
        )


def _unstuck(document: Document) -> str:
    """What would not get stuck, where these rules can."""
    rules = Rules.kept(document["rules"])
    steps = rules.limits == "chi-square" and {"mis", "kld"} & {*rules.tests}
    merged = "cst" in rules.tests and rules.merging != "none"
    found = [*(["--limits moments"] if steps else []), *(["--merging none"] if merged else [])]
    return f" Use {' and '.join(found)}." if found else ""


def _held_back(document: Document) -> str:
    shares = [one for one in document["by_target"] if one["share"] is not None]
    least = min(shares, key=lambda one: one["share"], default=None)
    few = any(isinstance(one[part], str) for one in document["by_target"] for part in ("records", "released"))
    if least is None and few:
        return FEW_RECORDS
    if least is None or least["share"] == 1:
        return f"All requests for other targets were released. {FEW_RECORDS}" if few else NOTHING_HELD_BACK
    (name,) = shortened([least["target"]], 60).values()
    return f"Fewest released: {name}, {released_of(least)} requests ({percent(least['share'])})."


def _nearest(document: Document) -> str:
    found = [(moment, one) for moment in document["evolution"] for one in moment["exposures"]]
    above = {moment["records"] for moment, one in found if not one["safe"]}
    if above:
        return (
            f"At {many(len(above))} of the {many(len(document['evolution']))} sizes of the first run, "
            "the released records did not stay below a critical value."
        )
    known = [(share, moment, one) for moment, one in found if (share := used(one)) is not None]
    if not known:
        return "Too few records were released for a test to be carried out."
    share, moment, one = max(known, key=lambda entry: entry[0])
    of = "".join(f" of {name}" for name in shortened(filter(None, [one["target"]]), 60).values())
    near = percent(share).replace(">", "more than ")
    outside = f"{many(moment['records'])} record{'s'[: moment['records'] != 1]} released"
    return (
        "At every size checked in the first run, the released records stayed below the critical value. "
        f"Closest: {near} of it ({READS[one['test']]}{of}, {outside})."
    )


def _fitting(document: Document) -> str:
    return (
        f"If each target had to match the baseline exactly, {averaged(document['fitting'])} of all "
        f"{many(document['records'])} records could be released."
    )


def used(exposure: Document) -> float | None:
    """How much of the critical value an exposure takes up: 1 is the limit."""
    if exposure["value"] is None or not exposure["critical"]:
        return None
    return exposure["value"] / exposure["critical"]
