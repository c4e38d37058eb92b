"""An account of an attacker as one HTML file, in the look of an audit."""

from __future__ import annotations

from divulge._support.wording import number
from divulge.report.attacker.charts import ATTACKER_CHARTS, bounds_table
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document, ReportTable, finite, table

PARTS = {
    "privacy": "What is left to get wrong",
    "observations": "Observations",
    "cost": "What privacy would cost",
    "information": "Entropies and leakage",
    "bounds": "Bounds",
    "glossary": "Glossary",
    "made": "How this was made",
}
WORDS = (
    ("secret", "What the attacker wants to know, with a prior probability for each value."),
    ("observation", "What the attacker sees; its probability depends on the secret through the channel."),
    ("error left", "The expected distortion of the attacker's best estimate after an observation."),
    ("worst case", "The observation that leaves least error: the person worst off."),
    ("leakage", "How much better off the attacker is for having observed."),
    ("capacity", "The most bits one observation tells, over all priors."),
    (
        "epsilon",
        "The largest natural logarithm of a ratio of probabilities of one observation under two secrets.",
    ),
)


def page(document: Document) -> str:
    """The report of an account, one self-contained file of less than a megabyte."""
    drawn = drawings(ATTACKER_CHARTS, document)
    tables = {
        "privacy": _privacy(document),
        "observations": _observations(document),
        "entropies": _entropies(document),
        "leakage": _leakage(document),
        "bounds": bounds_table(document),
    }
    return fitted(
        lambda most: framed(
            "attacker.html.j2",
            document,
            charts=ATTACKER_CHARTS,
            drawn=drawn,
            most=most,
            measures=(),
            parts=PARTS,
            words=WORDS,
            facts=_facts(document),
            sampled=sampled(document),
            tables={name: shown(one, most) for name, one in tables.items()},
        )
    )


def _privacy(document: Document) -> ReportTable:
    found = document["privacy"]
    words = {
        "prior": "before observing anything",
        "worst": "after the observation that tells most",
        "average": "on average over observations",
        "best": "after the observation that tells least",
        "reduction": "less than before, on average",
    }
    head = {"error left": "text", document["error_unit"]: "number"}
    return table(head, ([words[name], found[name]] for name in words))


def _observations(document: Document) -> ReportTable:
    head = {"observation": "text", "probability": "share", "error left": "number", "estimate": "text"}
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


def sampled(document: Document) -> list[str]:
    """What this table tells, exactly; what may be true of the population; what unrelated columns tell."""
    found = document["sampled"]
    if found is None:
        return []
    if found["undefined"] is not None:
        return [f"Discrimination rate: none, since {found['undefined']}"]
    test = found["test"]
    told = "nothing to tell" if found["rate"] is None else f"{number(found['rate'])} of what there is to know"
    sentences = [
        f"Discrimination rate, this table: {told} (exact)",
        f"Discrimination rate, the population it was drawn from: {_population(found['interval'])}",
        _corrected(found),
    ]
    if test is not None:
        sentences.append(
            f"Unrelated columns would give {number(test['expected'])} bits "
            f"(p {number(test['p_value'])}, from {test['permutations']} shuffles)"
        )
    return sentences


def _corrected(found: Document) -> str:
    """The information that a sample of this size bears, as far as a correction can say."""
    if found["too_sparse"]:
        most = f"at most {number(found['possible'])} bits (too sparse to say more)"
        return f"Information, corrected for the sample: {most}"
    return f"Information, corrected for the sample: {number(found['estimate'])} bits"


def _population(found: Document) -> str:
    """Between what a rate lies, and how well that is known.

    >>> _population({"low": 0.01, "high": 0.25, "estimate": None, "reason": "too few records"})
    'between 0.01 and 0.25 (too few records)'
    """
    if found["low"] is None:
        return f"cannot be told, since {found['reason']}"
    between = f"between {_rounded(found['low'])} and {_rounded(found['high'])}"
    if found["estimate"] is None:
        return f"{between} ({found['reason']})"
    return f"about {_rounded(found['estimate'])}, {between} (95% interval)"


def _rounded(rate: float) -> str:
    return number(round(rate, 3))
