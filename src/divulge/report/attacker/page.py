"""An account of an attacker as one HTML file, in the look of an audit."""

from __future__ import annotations

import math

from divulge._support.wording import percent
from divulge.report.attacker.charts import attacker_charts, bounds_table, moved_table
from divulge.report.attacker.sender_rows import crowd_rows, mix_rows
from divulge.report.attacker.wording import (
    BELIEVED,
    believed,
    confidence,
    counts_wrong_guesses,
    repeated,
    sampled,
    short,
    verdict,
)
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document, ReportTable, finite, table

PARTS = {
    "verdict": "Verdict",
    "error": "Attacker's remaining error",
    "cost": "Privacy against loss",
    "information": "Information leaked",
    "appendix": "Appendix: bounds",
    "glossary": "Glossary",
    "made": "How this was made",
}
WORDS = (
    ("secret", "What the attacker wants to know, with a prior probability for each value."),
    ("observation", "What the attacker sees. Its probability depends on the secret through the channel."),
    ("remaining error", "The expected distortion of the attacker's best estimate after an observation."),
    ("worst case", "The observation that leaves the least error."),
    ("distortion", "What a wrong estimate costs: hamming counts wrong guesses, the others are distances."),
    ("leakage", "How much the attacker gains by observing."),
    ("capacity", "The most bits that one observation can give, over all priors."),
    (
        "epsilon",
        "The largest natural logarithm of a ratio of probabilities of one observation under two secrets.",
    ),
)


def page(document: Document) -> str:
    """The report of an account, one self-contained file of less than a megabyte."""
    charts = attacker_charts(document)
    drawn = drawings(charts, document)
    tables = {
        "privacy": _privacy(document),
        "observations": _observations(document),
        "entropies": _entropies(document),
        "leakage": _leakage(document),
        "bounds": bounds_table(document),
        "moved": moved_table(document),
        "believed": _believed(document),
        "senders": _senders(document),
    }
    return fitted(
        lambda most: framed(
            "attacker.html.j2",
            document,
            charts=charts,
            drawn=drawn,
            most=most,
            measures=(),
            parts=PARTS,
            words=WORDS,
            first=next((chart.name for chart in charts if drawn[chart.name]), None),
            verdict=verdict(document),
            numbers=_numbers(document),
            facts=_facts(document),
            sampled=sampled(document),
            repeated=repeated(document),
            believed=believed(document),
            confidence=confidence(document),
            same_error=math.isclose(document["privacy"]["worst"], document["privacy"]["best"]),
            tables={name: shown(one, most) for name, one in tables.items()},
        )
    )


def _numbers(document: Document) -> list[tuple[str, str, str]]:
    """A title, a number and what it means: how good guesses are, and how much is learned."""
    found, bits = document["privacy"], document["leakage"][0]
    if counts_wrong_guesses(document):
        cases = [
            ("Right without observing", percent(1 - found["prior"]), "the best guess from the prior alone"),
            ("Right on average", percent(1 - found["average"]), "over all observations"),
            ("Right at worst", percent(1 - found["worst"]), "after the observation that reveals most"),
        ]
    else:
        unit = document["error_unit"]
        cases = [
            ("Error without observing", short(found["prior"]), unit),
            ("Error on average", short(found["average"]), unit),
            ("Least error", short(found["worst"]), "after the observation that reveals most"),
        ]
    leaked = "infinite" if bits["additive"] is None else f"{short(bits['additive'])} bits"
    return [*cases, ("Information leaked", leaked, f"of {short(bits['prior'])} bits to know")]


def _privacy(document: Document) -> ReportTable:
    found = document["privacy"]
    words = {
        "prior": "without the observation",
        "worst": "after the observation that reveals most",
        "average": "on average over observations",
        "best": "after the observation that reveals least",
        "reduction": "reduction by observing, on average",
    }
    head = {"attacker's remaining error": "text", document["error_unit"]: "number"}
    return table(head, ([words[name], found[name]] for name in words))


def _observations(document: Document) -> ReportTable:
    head = {"observation": "text", "probability": "share", "remaining error": "number", "estimate": "text"}
    names = ("label", "probability", "privacy", "estimate")
    return table(head, ([one[name] for name in names] for one in document["observations"]))


def _entropies(document: Document) -> ReportTable:
    head = {"uncertainty": "text", "unit": "text", "before": "number", "after": "number"}
    known = [(f"{one['name']} entropy", "bits", one) for one in document["entropies"]]
    known.append(("needed on average", "guesses", document["guessing_entropy"]))
    return table(head, ([name, unit, one["prior"], one["posterior"]] for name, unit, one in known))


def _leakage(document: Document) -> ReportTable:
    head = {"leakage": "text", "gained": "number", "unit": "text", "times": "number"}
    rows = (
        [one["name"], finite(one["additive"]), one["unit"], finite(one["multiplicative"])]
        for one in document["leakage"]
    )
    return table(head, rows)


def _believed(document: Document) -> ReportTable:
    found = document["believed"]
    head = {"with the believed prior": "text", "average": "number", "least": "number", "most": "number"}
    rows = BELIEVED.items() if found else ()
    return table(
        head, ([said, *(found[name][case] for case in ("average", "least", "most"))] for name, said in rows)
    )


def _senders(document: Document) -> ReportTable:
    """What a crowd or a mix hides."""
    crowd, mix = document["crowd"], document["mix"]
    rows = crowd_rows(crowd) if crowd else mix_rows(mix) if mix else []
    return table({"crowd" if crowd else "remaining uncertainty": "text", "": "number"}, map(list, rows))


def _facts(document: Document) -> list[tuple[str, str]]:
    capacity = document["capacity"]
    found = [
        ("Source", document["source"]),
        ("Secrets", str(document["inputs"])),
        ("Observations", str(document["outputs"])),
        ("Distortion", document["distortion"]),
        ("Guesses", str(document["guesses"])),
        ("Capacity is certified to", None if capacity is None else f"{capacity['gap']:.1g} bits"),
        ("divulge", document["divulge"]),
        ("Version of the document", str(document["version"])),
    ]
    return [(name, value) for name, value in found if value is not None]
