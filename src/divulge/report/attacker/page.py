"""An account of an attacker as one HTML file, in the look of an audit."""

from __future__ import annotations

from divulge.report.attacker.charts import ATTACKER_CHARTS, bounds_table
from divulge.report.attacker.samples import sampled
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document, ReportTable, TableColumn

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
            tables={
                "privacy": shown(_privacy(document), most),
                "observations": shown(_observations(document), most),
                "entropies": shown(_entropies(document), most),
                "leakage": shown(_leakage(document), most),
                "bounds": shown(bounds_table(document), most),
            },
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
    head = (TableColumn("error left"), TableColumn(document["error_unit"], "number"))
    return ReportTable(head, [[words[name], found[name]] for name in words])


def _observations(document: Document) -> ReportTable:
    head = (
        TableColumn("observation"),
        TableColumn("probability", "share"),
        TableColumn("error left", "number"),
        TableColumn("estimate"),
    )
    return ReportTable(
        head,
        [
            [one["label"], one["probability"], one["privacy"], one["estimate"]]
            for one in document["observations"]
        ],
    )


def _entropies(document: Document) -> ReportTable:
    head = (
        TableColumn("uncertainty"),
        TableColumn("unit"),
        TableColumn("before", "number"),
        TableColumn("after", "number"),
    )
    rows = [
        [f"{one['name']} entropy", "bits", one["prior"], one["posterior"]] for one in document["entropies"]
    ]
    guessing = document["guessing_entropy"]
    return ReportTable(
        head, [*rows, ["needed on average", "guesses", guessing["prior"], guessing["posterior"]]]
    )


def _leakage(document: Document) -> ReportTable:
    def told(value: float | None) -> float | str:
        return "infinite" if value is None else value

    head = (
        TableColumn("leakage"),
        TableColumn("gained", "number"),
        TableColumn("unit"),
        TableColumn("times", "number"),
    )
    rows = [
        [one["name"], told(one["additive"]), one["unit"], told(one["multiplicative"])]
        for one in document["leakage"]
    ]
    return ReportTable(head, rows)


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
