"""An account of an attacker as text."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.wording import WIDTH, aligned, many, number
from divulge.cli.outputs import number_or_dash
from divulge.documents.attacker import AttackerDocument, BoundEntry, CrowdEntry
from divulge.errors import counted
from divulge.report.attacker.sender_rows import Rows, crowd_rows
from divulge.report.attacker.wording import BELIEVED, believed, confidence, repeated, sampled, verdict
from divulge.report.shared.lines import wrapped

MOST_LINES = 10


def account_lines(document: AttackerDocument) -> list[str]:
    """What an account found, line by line: the answer first."""
    return [
        f"{document['source']}: {counted(document['inputs'], 'secret')}, "
        f"{counted(document['outputs'], 'observation')}",
        "",
        *wrapped(verdict(document), "", WIDTH),
        *_sentences(repeated(document)),
        "",
        *_errors(document),
        *_repeated(document),
        *_believed(document),
        *_crowd(document["crowd"]),
        *_uncertainty(document),
        "",
        *(_bound(one) for one in document["bounds"]),
        "",
        *_observations(document),
    ]


def _sentences(said: Sequence[str]) -> list[str]:
    return [line for one in said for line in wrapped(one, "", WIDTH)]


def _errors(document: AttackerDocument) -> list[str]:
    privacy = document["privacy"]
    return [
        *wrapped(
            f"The attacker's remaining error, by {document['distortion']} distortion (lower is riskier), "
            f"in: {document['error_unit']}",
            "",
            WIDTH,
        ),
        *aligned(
            ["without observing", "worst", "average", "best", "reduction"],
            [[number(privacy[name]) for name in ("prior", "worst", "average", "best", "reduction")]],
            right=range(5),
        ),
        "",
    ]


def _repeated(document: AttackerDocument) -> list[str]:
    """The error by the number of observations."""
    rows = [
        [many(one["observations"]), *map(number_or_dash, (one["average"], one["worst"], one["best"]))]
        for one in document["repeated"] or ()
    ]
    if not rows:
        return []
    return [*aligned(["observations", "average", "worst", "best"], rows, right=range(4)), ""]


def _believed(document: AttackerDocument) -> list[str]:
    """What an attacker with another prior gets wrong, and how sure they are of it."""
    found = document["believed"]
    if found is None:
        return []
    rows = [
        [said, *(number(found[name][case]) for case in ("average", "least", "most"))]  # type: ignore[literal-required]
        for name, said in BELIEVED.items()
    ]
    table = aligned(["with the believed prior", "average", "least", "most"], rows, right=(1, 2, 3))
    return [*_sentences(believed(document)), *table, ""]


def _crowd(found: CrowdEntry | None) -> list[str]:
    if found is None:
        return []
    return [*aligned(["crowd", ""], said_rows(crowd_rows(found)), right=(1,)), ""]


def said_rows(rows: Rows) -> list[list[str]]:
    """Rows of a name and a number, a count or a word, as text."""
    return [[name, _said(value)] for name, value in rows]


def _said(value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    return many(value) if isinstance(value, int) else number(value)


def _uncertainty(document: AttackerDocument) -> list[str]:
    capacity, epsilon = document["capacity"], document["epsilon"]
    lines = [
        *aligned(
            ["entropy, bits", "before", "after"],
            [[one["name"], number(one["prior"]), number(one["posterior"])] for one in document["entropies"]],
            right=(1, 2),
        ),
        confidence(document),
        "",
        *aligned(
            ["leakage", "gained", "unit", "times"],
            [
                [one["name"], _number(one["additive"]), one["unit"], _number(one["multiplicative"])]
                for one in document["leakage"]
            ],
            right=(1, 3),
        ),
        f"Maximal leakage: {number(document['maximal_leakage'])} bits",
        *sampled(document),
    ]
    if capacity is not None:
        lines.append(f"Capacity: {number(capacity['value'])} bits, at most {capacity['gap']:.1g} more")
    return [*lines, f"Epsilon: {_number(epsilon)}{'' if epsilon is None else ' nats'}"]


def _observations(document: AttackerDocument) -> list[str]:
    """The observations that reveal most; of a channel with how far beliefs move and what that can gain."""
    listed = document["observations"][:MOST_LINES]
    rows = [
        [one["label"], *map(number_or_dash, (one["probability"], one["privacy"])), one["estimate"] or "-"]
        for one in listed
    ]
    lines = aligned(["observation", "probability", "remaining error", "estimate"], rows, right=(1, 2))
    more = len(document["observations"]) - len(rows)
    lines += [f"  ... and {many(more)} more, with --json"] if more else []
    moved = [one for one in listed if one["total_variation"] is not None]
    if not moved:
        return lines
    bounds = [
        [
            one["label"],
            *map(
                number_or_dash,
                (
                    one["divergence"],
                    one["total_variation"],
                    one["gained"],
                    one["gained_at_most"],
                    one["gained_by_divergence"],
                ),
            ),
        ]
        for one in moved
    ]
    head = ["bounds", "divergence, bits", "total variation", "error saved", "at most", "by divergence"]
    return [*aligned(head, bounds, right=range(1, 6)), "", *lines]


def _bound(one: BoundEntry) -> str:
    said = "holds" if one["holds"] else "does not hold"
    return f"{one['name']}: {_number(one['left'])} <= {_number(one['right'])} {one['unit']}, {said}"


def _number(value: float | None) -> str:
    return "infinite" if value is None else number(value)
