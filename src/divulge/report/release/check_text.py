"""The check of a released set for the terminal: whether the tests are passed, then each of them."""

from __future__ import annotations

from collections.abc import Iterator

from divulge._support.wording import WIDTH, aligned, in_words, many, number, percent, records
from divulge.report.release.wording import READS, set_rules, shortened, used
from divulge.report.shared.formats import clipped, listing
from divulge.report.shared.lines import wrapped
from divulge.report.shared.tables import Document

MOST_LINES = 40
LONGEST = 22  # signs of a name


def check_text(document: Document) -> str:
    """The document as plain lines, none wider than a terminal."""
    sentences = [*_answer(document), *_unknown(document)]
    lines = [
        *wrapped(_asked(document), "", WIDTH),
        "",
        *(line for sentence in sentences for line in wrapped(sentence, "", WIDTH)),
        "",
        *_tests(document),
        "",
        *wrapped(" ".join(set_rules(document)), "", WIDTH),
    ]
    return "\n".join(lines) + "\n"


def _asked(document: Document) -> str:
    return (
        f"{clipped(document['source'], 60)}: {records(document['records'])} from "
        f"{clipped(document['table'], 60)}, {many(document['values'])} values of {listing(document['x'])}, "
        f"{many(len(document['by_target']))} targets of {listing(document['y'])}"
    )


def _answer(document: Document) -> Iterator[str]:
    beyond = [one for one in document["exposures"] if not one["safe"]]
    if not beyond:
        yield "All tests passed." if document["passes"] else "Not passed."
        return
    tests = sorted({one["test"].upper() for one in beyond})
    reach = "reaches its critical value" if len(beyond) == 1 else "reach their critical values"
    yield (
        f"Not passed: {many(len(beyond))} of {many(len(document['exposures']))} comparisons {reach} "
        f"({', '.join(tests)})."
    )


def _unknown(document: Document) -> Iterator[str]:
    for part, what in (
        ("unknown_values", "a value that the baseline does not expect"),
        ("unknown_targets", "a target that the baseline does not have"),
    ):
        if document[part]:
            yield f"Records with {what}: {in_words(document[part])}. They should not be released."


def _tests(document: Document) -> Iterator[str]:
    """A line for each comparison, those that do not pass first."""
    found = sorted(document["exposures"], key=lambda one: (one["safe"], -(used(one) or 0.0)))
    names = shortened((one["target"] or "all" for one in found), LONGEST)
    rows = [
        [
            one["test"].upper(),
            READS[one["test"]],
            names[one["target"] or "all"],
            *(number(one[part]) if one[part] is not None else "–" for part in ("value", "critical")),
            percent(share) if (share := used(one)) is not None else "–",
            "yes" if one["safe"] else "no",
        ]
        for one in found[:MOST_LINES]
    ]
    head = ["test", "exposure", "target", "value", "critical", "used", "passed"]
    yield from aligned(head, rows, right=range(3, 6))
    if len(found) > MOST_LINES:
        yield f"  ... and {many(len(found) - MOST_LINES)} comparisons, with --json"
