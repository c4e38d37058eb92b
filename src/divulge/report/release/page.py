"""A release simulation as one HTML file, in the look of an audit."""

from __future__ import annotations

from divulge._support.references import REFERENCES
from divulge._support.wording import many, number, percent
from divulge.report.release import tables as tables
from divulge.report.release.bars import MOST_BARS
from divulge.report.release.charts import EXPOSURES, RELEASE_CHARTS
from divulge.report.release.curves import MOST_PANELS
from divulge.report.release.wording import answer, averaged, headline, passing, rules
from divulge.report.shared.formats import listing
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document
from divulge.safe_release.rules import Rules

PARTS = {
    "answer": "Answer",
    "released": "Released records",
    "exposure": "Exposure as records are released",
    "readings": "Information about targets",
    "tests": "Test by test",
    "chance": "The test statistic by chance",
    "glossary": "Glossary",
    "made": "How this was made",
}
WORDS = (
    ("target", "What observers should learn nothing unusual about: a value of the attributes Y."),
    ("value", "A value of the attributes X, whose distribution might reveal a target."),
    ("released", "All records released so far: what observers see."),
    ("baseline", "How observers expect values to be distributed, for every target."),
    ("typical record", "One drawn as the baseline expects: its value and its target at random."),
    ("exposure", "How much the released records differ from the baseline, as a test measures it."),
    (
        "critical value",
        "What chance alone exceeds with probability alpha if values and targets are unrelated. KLD and CST "
        "have one for each target, and alpha is then the probability for each of them.",
    ),
    (
        "alpha",
        "The significance level of each comparison; with --familywise that of all comparisons together. A "
        "higher alpha means a lower critical value and fewer releases.",
    ),
    ("MIS", "Keeps the mutual information of values and targets below its critical value."),
    (
        "KLD",
        "Keeps the Kullback-Leibler distance of every target from the baseline below its critical value.",
    ),
    ("CST", "Every target must pass a chi-square test of its fit to the baseline, sparse values merged."),
    ("DQT", "Targets must pass Dixon's Q-test: none may be an outlier by its distance from the baseline."),
    (
        "SEQ",
        "Keeps the odds against the baseline below 1/alpha after every release, for an observer who may look "
        "at any time. The odds are how much more probable the released values are if shares differ from the "
        "baseline than if they do not.",
    ),
    ("waiting", "Requested and not released yet; tried again after every release, in order of arrival."),
    (
        "refused",
        "Never released: the baseline does not expect the record's value, or does not have its target.",
    ),
    (
        "fitting the baseline",
        "The simple alternative: of each target only so many records are released that their values are "
        "distributed exactly as in the baseline.",
    ),
)


def page(document: Document) -> str:
    """The report of a simulation, one self-contained file of less than a megabyte."""
    drawn = drawings(RELEASE_CHARTS, document)
    return fitted(
        lambda most: framed(
            "release.html.j2",
            document,
            charts=RELEASE_CHARTS,
            drawn=drawn,
            most=most,
            measures=("discrimination_rate", "itpr"),
            parts=PARTS,
            words=WORDS,
            headline=headline(document),
            answer=answer(document),
            rules=rules(document),
            numbers=_numbers(document),
            exposures=[EXPOSURES[test].name for test in document["rules"]["tests"]],
            in_panels=bool(Rules.kept(document["rules"]).by_target),
            most_panels=MOST_PANELS,
            most_bars=MOST_BARS,
            passing=passing(document),
            passed=shown(tables.passed(document), most),
            facts=_facts(document),
        )
    )


def _numbers(document: Document) -> list[tuple[str, str, str]]:
    """The totals: a title, a number and what it means."""
    requests, records, runs = document["requests"], document["records"], document["runs"]
    refused = document["refused"]
    asked = "every record once" if requests == records else f"of {many(records)} records"
    over = f"on average over {many(runs)} runs" if runs > 1 else "in one run"
    return [
        ("Requested", many(requests), f"{asked}, in random order"),
        ("Released", averaged(document["released"]), f"{percent(document['share'])} of the requests, {over}"),
        ("Waiting", averaged(document["waiting"]), "at the end of a run"),
        *([("Refused", averaged(refused), "for good: the baseline does not expect them")] if refused else []),
        ("Could match the baseline", averaged(document["fitting"]), f"of all {many(records)} records"),
    ]


def _facts(document: Document) -> list[tuple[str, str]]:
    asked = document["rules"]
    return [
        ("Source", document["source"]),
        ("X, the values", listing(document["x"])),
        ("Y, the targets", listing(document["y"])),
        ("Tests", tables.title(document)),
        ("Alpha", number(asked["alpha"])),
        ("Level of each comparison", number(document["level"])),
        ("Degrees of freedom", DEGREES[asked["degrees"]]),
        ("Merging of sparse values (CST)", MERGING[asked["merging"]]),
        (
            "Critical values of small releases",
            f"simulated from {many(asked['samples'])} samples, seed {asked['seed']}",
        ),
        ("Runs", many(document["runs"])),
        ("Values of records", "shown" if document["shows_values"] else "not shown"),
        ("Seed", str(document["seed"])),
        ("Method", REFERENCES["bezzi2012"]),
        ("divulge", document["divulge"]),
        ("Version of the document", str(document["version"])),
    ]


DEGREES = {
    "domain": "from all values and targets there are",
    "present": "from the values and targets among the released records",
}
MERGING = {
    "smallest": "the smallest with its smaller neighbour",
    "left": "accumulating from the left",
    "right": "accumulating from the right",
}
