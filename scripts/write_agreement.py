"""Write docs/agreement.md: which published numbers divulge gives, and where paper and data disagree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from divulge._support.wording import number

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
PAGE = ROOT / "docs" / "agreement.md"
Record = dict[str, Any]

FILES = ("discrimination.json", "estimation_error.json", "safe_release.json")
PAPERS = {
    "ITPR paper": "Bkakria, Cuppens, Boulahia Cuppens and Tasidou (2021), ITPR",
    "SeDR paper": "Sondeck, Laurent and Frey (2017), semantic discrimination rate",
    "thesis": "Sondeck (2017), thesis",
    "Rebollo-Monedero": "Rebollo-Monedero, Parra-Arnau, Diaz and Forné (2013), estimation error",
    "Bezzi": "Bezzi, De Capitani di Vimercati, Foresti, Livraga, Samarati and Sassi (2012), safe release",
}
HEAD = """\
# Agreement with the papers

*This page is written by `scripts/write_agreement.py` from the numbers that the tests check.*

Every number that the five papers print, or define on their examples, was computed again from the tables they
print. Where a paper and its own data disagree, the data win: divulge gives the number in the column before
the last. The tests in `tests/golden` check each number; those that are averages over random orders are
checked by `make test-slow`.

- **Agree**: what divulge gives is the printed number, rounded or cut off at its last digit.
- **Misprint**: the printed number does not follow from the printed data.
- **Open**: the paper allows more than one reading, or does not give the data. The table says which reading
  is used.

| paper | numbers | agree | misprints | open |
|---|---|---|---|---|
"""
TABLE = """
## {title}

| where | what | printed | by the data | why |
|---|---|---|---|---|
"""


def page() -> str:
    """The page: a line for each paper, then what differs in each."""
    records = [one for name in FILES for one in json.loads((GOLDEN / name).read_text("utf-8"))]
    by_paper = {name: [one for one in records if one["source"].startswith(name)] for name in PAPERS}
    parts = [HEAD, *(_totals(PAPERS[name], those) for name, those in by_paper.items())]
    for name, those in by_paper.items():
        parts += [TABLE.format(title=PAPERS[name]), *_differences(those)]
    return "".join(parts)


def _totals(title: str, records: Sequence[Record]) -> str:
    status = Counter(one["status"] for one in records)
    return f"| {title} | {len(records)} | {status['ok']} | {status['erratum']} | {status['ambiguous']} |\n"


def _differences(records: Sequence[Record]) -> Iterator[str]:
    """A line for each place and reason; numbers that differ for the same reason stand together."""
    lines: dict[tuple[str, str], list[Record]] = {}
    for one in records:
        if one["status"] != "ok":
            lines.setdefault((one["where"], one["note"] or ""), []).append(one)
    for (where, why), those in lines.items():
        kind = "Misprint" if those[0]["status"] == "erratum" else "Open"
        what = "; ".join(dict.fromkeys(_what(one) for one in those))
        printed = "; ".join(_shown(one["published"]) for one in those)
        computed = "; ".join(_shown(one["computed"]) for one in those)
        yield _row(where, what, printed, computed, f"{kind}. {why}".strip())


def _what(one: Record) -> str:
    about = one.get("y") or one.get("target") or one.get("X")
    told = ", ".join(map(str, about)) if isinstance(about, list) else about
    return f"{one['metric']}, {told}" if told else str(one["metric"])


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return number(value) if isinstance(value, float) else str(value)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in cells) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
