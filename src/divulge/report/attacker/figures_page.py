"""Epsilon, typical sequences, degrees of anonymity and the best mechanisms, each as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from divulge._support.wording import number
from divulge.report.attacker.beliefs import belief
from divulge.report.attacker.figure_wording import (
    VALUES,
    degrees_verdict,
    epsilon_verdict,
    mechanism_verdict,
    typical_verdict,
)
from divulge.report.attacker.lines import line
from divulge.report.attacker.sender_rows import degree_rows
from divulge.report.charts.theme import Spec
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Chart, Document, ReportTable, finite, table

PARTS = {"verdict": "Verdict", "figures": "Figures", "glossary": "Glossary", "made": "How this was made"}
MOST_BARS = 12
TRADE_OFF = "Each point is the best mechanism for what it costs: no other is more private at the same cost."


@dataclass(frozen=True)
class FigureKind:
    """How a kind of document is drawn: its title, what it says, its charts and its tables by caption."""

    title: Callable[[Document], str]
    verdict: Callable[[Document], str]
    assumed: str  # about the attacker
    charts: tuple[Chart, ...]
    tables: Mapping[str, Callable[[Document], ReportTable]]
    words: tuple[tuple[str, str], ...]


def page(document: Document) -> str:
    """The report of such a document, one self-contained file."""
    kind = KINDS[document["document"].removeprefix("divulge ")]
    drawn = drawings(kind.charts, document)
    tables = {caption: made(document) for caption, made in kind.tables.items()}
    return fitted(
        lambda most: framed(
            "figures.html.j2",
            document,
            charts=kind.charts,
            drawn=drawn,
            most=most,
            measures=(),
            parts=PARTS,
            words=kind.words,
            title=kind.title(document),
            verdict=kind.verdict(document),
            assumed=kind.assumed,
            names=[chart.name for chart in kind.charts],
            tables={caption: shown(one, most) for caption, one in tables.items() if one.rows},
            facts=[
                *([("Source", document["source"])] if "source" in document else []),
                ("divulge", document["divulge"]),
                ("Version of the document", str(document["version"])),
            ],
        )
    )


# -- epsilon -----------------------------------------------------------------------------------------


def _epsilon_line(document: Document) -> Spec | None:
    points = [(one["epsilon"], one["error"]) for one in document["curve"]]
    level = (f"epsilon {number(document['epsilon'])}", document["error"])
    return line(points, ("epsilon", ".3~g"), ("probability of a wrong guess", "~%"), level)


def _epsilon_table(document: Document) -> ReportTable:
    rows = ([one["epsilon"], one["error"]] for one in document["curve"])
    return table({"epsilon": "number", "probability of a wrong guess": "number"}, rows)


# -- typical sequences -------------------------------------------------------------------------------


def _bits_line(document: Document) -> Spec | None:
    """The logarithm of the number of sequences per place, or the most it can be."""
    points = [(one["length"], (one["log2_size"][1] or 0.0) / one["length"]) for one in document["lengths"]]
    if len(points) < 2:
        return None
    title = "bits per place of their number"
    level = ("all sequences", document["possible"] / document["length"])
    return line(points, ("length", "d"), (title, ".3~g"), level)


def _certain_line(document: Document) -> Spec | None:
    points = [(one["length"], one["probability"][0]) for one in document["lengths"]]
    return line(points, ("length", "d"), ("probability together", "~%")) if len(points) > 1 else None


def _length_table(document: Document) -> ReportTable:
    head = {"length": "count", "log2 of their number, at least": "number", "at most": "number"}
    head |= {"probability, at least": "number", "probability, at most": "number"}
    rows = (
        [one["length"], *("none" if size is None else size for size in one["log2_size"]), *one["probability"]]
        for one in document["lengths"]
    )
    return table(head, rows)


# -- degrees of anonymity ----------------------------------------------------------------------------


def _user_bars(document: Document) -> Spec | None:
    """The likeliest users; strokes are where all are equally likely."""
    every = document["users"]
    listed = every[:MOST_BARS]
    if not listed:
        return None
    found: dict[str, Any] = {
        "form": "bars",
        "secrets": [one["user"] for one in listed],
        "prior": [1 / len(every)] * len(listed),
        "posterior": [[one["probability"] for one in listed]],
    }
    return belief({"belief": found})


def _user_table(document: Document) -> ReportTable:
    head = {"user": "text", "probability": "share", "not the sender": "share", "Reiter, Rubin": "text"}
    names = ("user", "probability", "not_the_sender", "innocence")
    return table(head, ([one[name] for name in names] for one in document["users"]))


def _degree_table(document: Document) -> ReportTable:
    return table({"degree of anonymity": "text", "": "number"}, map(list, degree_rows(document)))


# -- the best mechanism ------------------------------------------------------------------------------


def _trade_off(document: Document) -> Spec | None:
    points = [(one["loss"], one["value"]) for one in document["curve"] or ()]
    if len(points) < 2:
        return None
    across = "epsilon" if document["goal"] == "epsilon" else "expected loss of the system"
    return line(points, (across, ".3~g"), (VALUES[document["goal"]], ".3~g"))


def _trade_off_table(document: Document) -> ReportTable:
    across = "epsilon" if document["goal"] == "epsilon" else "expected loss"
    head = {across: "number", VALUES[document["goal"]]: "number", "price": "number"}
    rows = ([one["loss"], one["value"], finite(one["price"])] for one in document["curve"] or ())
    return table(head, rows)


def _matrix_table(document: Document) -> ReportTable:
    head = {"input": "text", **dict.fromkeys(document["outputs"], "number")}
    pairs = zip(document["inputs"], document["matrix"], strict=False)  # there is none without a budget
    return table(head, ([name, *row] for name, row in pairs))


KINDS = {
    "epsilon": FigureKind(
        lambda found: f"epsilon {number(found['epsilon'])}",
        epsilon_verdict,
        "This holds for every mechanism with this epsilon, and for every observation.",
        (
            Chart(
                "epsilon",
                "Least error, by epsilon",
                "The line is the least error that an epsilon leaves. The broken line is the error here.",
                _epsilon_line,
                _epsilon_table,
            ),
        ),
        {},
        (
            (
                "epsilon",
                "No observation is more than e to the epsilon times as likely for one secret as another.",
            ),
            ("error", "How often the best guess is wrong."),
        ),
    ),
    "typical": FigureKind(
        lambda found: f"typical sequences of {found['source']}",
        typical_verdict,
        "The secrets of a sequence are independent of each other, and the attacker knows their "
        "probabilities.",
        (
            Chart(
                "sizes",
                "Number of typical sequences, by length",
                "The line is the most bits per place of their number. The broken line is that of all "
                "sequences.",
                _bits_line,
                _length_table,
            ),
            Chart(
                "certain",
                "Probability of the typical sequences, by length",
                "The line is the least probability of all typical sequences together.",
                _certain_line,
                _length_table,
            ),
        ),
        {},
        (
            ("typical", "A sequence whose surprise per place is within epsilon of the entropy."),
            ("surprise", "The negative logarithm of a probability, in bits."),
        ),
    ),
    "degrees": FigureKind(
        lambda found: "degrees of anonymity",
        degrees_verdict,
        "The attacker holds these probabilities for the users.",
        (
            Chart(
                "users",
                "Probability of each user",
                f"Strokes are where all users are equally likely. At most {MOST_BARS} users are drawn.",
                _user_bars,
                _user_table,
            ),
        ),
        {"Degrees of anonymity of several authors": _degree_table},
        (
            ("degree of anonymity", "How well a sender is hidden: 0 is not at all, 1 as well as possible."),
            ("effective anonymity set", "So many equally likely users are as uncertain, as a logarithm."),
            ("beyond suspicion", "No likelier the sender than any other user (Reiter, Rubin)."),
            ("probable innocence", "No likelier the sender than not (Reiter, Rubin)."),
        ),
    ),
    "mechanism": FigureKind(
        lambda found: f"best mechanisms for {found['source']}, goal {found['goal']}",
        mechanism_verdict,
        "The attacker is assumed to know the prior and the mechanism, and to estimate as well as possible.",
        (Chart("curve", "Privacy against loss", TRADE_OFF, _trade_off, _trade_off_table),),
        {"The best mechanism, p(y|x)": _matrix_table},
        (
            ("loss", "The expected distortion between what goes into the mechanism and what comes out."),
            ("price", "How much the value improves for one more unit of budget."),
        ),
    ),
}
