"""The audit as a comment on a pull request: the verdict, the checks, and what to do about them."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge._support.wording import capitalized, clipped, enumerated, many, records
from divulge.report.audit.summary import remarks, tiles, verdict_line
from divulge.report.shared import regulators
from divulge.report.shared.wording import by_outcome

MOST_CHECKS, MOST_HELPS = 18, 3
LONGEST = 600  # signs of one text


def markdown(document: Mapping[str, Any]) -> str:
    """The document as Markdown of fewer than 60 lines, the worst checks first."""
    lines = [
        f"### divulge: {plain(verdict_line(document))}",
        "",
        _source(document),
        "",
        *table(["in numbers", "", ""], [list(tile[:3]) for tile in tiles(document)]),
        *_checks(document["checks"]),
        *([" ".join(map(plain, remarks(document))), ""] if remarks(document) else []),
        *_listed("What would help", _helps(document), MOST_HELPS),
        *asked_by_regulators(document.get("regulators")),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _helps(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Changes that make checks pass; none where all pass."""
    if document["verdict"].get("outcome") == "pass":
        return []
    return [*filter(None, [document["plan"]]), *document["helps"]]


def _source(document: Mapping[str, Any]) -> str:
    source, policy = document["source"], document["policy"]
    left = [f"{many(source[word])} {word}" for word in ("suppressed", "dropped") if source[word]]
    data = ", ".join([f"{source['name']}: {records(source['records'])}", *left])
    asked = "default checks" if policy is None else f"thresholds of {policy['name']}"
    guessed = " No roles given; using suggestions." if document["roles"]["proposed"] else ""
    return plain(f"{'. '.join([data, capitalized(asked)])}.{guessed}")


def _checks(checks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = Counter(map(_name, checks))
    worst = by_outcome(checks)
    yield from table(
        ["result", "check", "found", "required", "concerned"],
        [_row(one, alike=names[_name(one)] > 1) for one in worst[:MOST_CHECKS]],
        bold={place for place, one in enumerate(worst) if one["outcome"] != "pass"},
    )
    if len(worst) > MOST_CHECKS:
        left = Counter(one["outcome"] for one in worst[MOST_CHECKS:])
        yield f"Not shown: {', '.join(f'{times} {outcome}' for outcome, times in left.items())}."
        yield ""


def _name(check: Mapping[str, Any]) -> str:
    title, target = check["title"], check["target"]
    return title if target == "@record" or target in title else f"{title} of {target}"


def _row(check: Mapping[str, Any], *, alike: bool) -> list[str]:
    name = f"{_name(check)} by {enumerated(check['keys'])}" if alike else _name(check)
    found = check["undefined"] if check["outcome"] == "not evaluated" else check["found_text"]
    if (check.get("baseline") or {}).get("worse"):
        found = f"{found}, worse than the baseline"
    return [check["outcome"], name, found, check["asked"], check["concerns"]]


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, bold: set[int] | None = None
) -> Iterator[str]:
    """The lines of a table, none where it has no rows; the first cell of some rows in bold."""
    if not rows:
        return
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for place, row in enumerate(rows):
        first, *rest = map(plain, row)
        yield f"| {' | '.join([f'**{first}**' if place in (bold or ()) else first, *rest])} |"
    yield ""


def asked_by_regulators(found: Mapping[str, Any] | None, whose: str = "") -> Iterator[str]:
    """What regulators ask, with the readings that speak to it."""
    if found is not None:
        yield from table([f"{regulators.TITLE}{plain(whose)}", ""], regulators.risks(found))
        yield plain(regulators.listed(found))
        yield ""


def _listed(title: str, found: Sequence[Mapping[str, Any]], most: int) -> Iterator[str]:
    if found:
        yield f"**{title}**"
        yield ""
        yield from (f"- {plain(one['sentence'])}" for one in found[:most])
        if len(found) > most:
            yield f"- Shown: {most} of {len(found)}."
        yield ""


def plain(text: str | None) -> str:
    """A text that shows as it is: one line, no HTML, no Markdown, and nobody called by an @."""
    line = " ".join((text or "").split())
    line = clipped(line, LONGEST)
    line = re.sub(r"[\\`*\[\]|~#]|(?<!\w)_|_(?!\w)", r"\\\g<0>", line)
    return html.escape(line, quote=False).replace("@", "@&#8203;")
