"""How well senders are hidden, in rows that the page and the terminal share."""

from __future__ import annotations

from divulge._support.wording import number
from divulge.report.shared.tables import Document

Rows = list[tuple[str, float | int | str]]

DEGREES = {
    "berthold": "number of users (Berthold et al.), bits",
    "serjantov_danezis": "effective anonymity set (Serjantov, Danezis), bits",
    "diaz": "the same as a share of the most (Diaz et al.)",
    "source_hiding": "probability of the most likely user (Tóth et al.)",
    "min_entropy": "min-entropy (Tóth et al.), bits",
    "max_entropy": "max-entropy (Tóth et al.), bits",
}
CROWD = {
    "posterior": "probability that the user who is seen started it",
    "posterior_others": "probability of each other user",
    "seen": "probability that the attacker sees the message",
    "forwards": "times a message is passed on, on average",
}
MIX = {
    "entropy": "all correspondences together, bits",
    "error": "all guessed at once, probability of a mistake",
    "link_error": "one message guessed, probability of a mistake",
    "degree": "degree of anonymity (0 none, 1 full)",
    "long_run_entropy": "one sender after very many rounds, bits",
}


def crowd_rows(found: Document) -> Rows:
    """What a crowd costs, and how well it hides who started a message."""
    hidden, needed = found["anonymity"], found["users_needed"]
    return [
        *((said, found[name]) for name, said in CROWD.items()),
        ("users needed for probable innocence", "no number is enough" if needed is None else needed),
        ("the user who is seen (Reiter, Rubin)", hidden["innocence"]),
        ("degree of anonymity (Diaz), 0 none, 1 full", hidden["diaz"]),
        (DEGREES["serjantov_danezis"], hidden["serjantov_danezis"]),
    ]


def mix_rows(found: Document) -> Rows:
    """How uncertain a mix leaves who wrote to whom."""
    return [(said, found[name]) for name, said in MIX.items() if found[name] is not None]


def degree_rows(found: Document) -> Rows:
    """The degrees of anonymity of several authors."""
    hidden, edman = found["anonymity"], found["edman"]
    rows: Rows = []
    if hidden is not None:
        rows += [(said, hidden[name]) for name, said in DEGREES.items()]
        rows += [
            (f"Rényi entropy of order {_order(one['order'])} (Clauß, Schiffner), bits", one["entropy"])
            for one in hidden["renyi"]
        ]
    return rows + ([] if edman is None else [("all correspondences (Edman et al.), 0 to 1", edman)])


def _order(order: float | None) -> str:
    return "infinity" if order is None else number(order)
