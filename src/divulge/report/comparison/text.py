"""The comparison for the terminal: the recommendation, releases in short, checks, attacks, and notes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest

from divulge._support.wording import WIDTH, capitalized, enumerated, in_words, many, percent
from divulge.report.audit.text import asked_by_regulators, listed
from divulge.report.comparison import attacks as attacks
from divulge.report.comparison import tables as tables
from divulge.report.comparison.needs import models_kept, needs
from divulge.report.comparison.overview import HEAD, overview
from divulge.report.comparison.side_by_side import ORIGINAL, ShownCell, ShownRow, SideBySide, named, names
from divulge.report.comparison.wording import CHANGED, MISREAD, said_once, with_warnings
from divulge.report.shared.formats import NOTHING, clipped, rate
from divulge.report.shared.lines import SIGN, wrapped
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import OUTCOMES

ACROSS = 3  # releases beside each other
CELL, FIRST = 15, 8  # signs of a release's cell, unless more are needed, and of the original's
LABEL, SHORTEST = 23, 16  # signs that a label has if there is room, and in any case
MOST_NOTES = 8
MODELS = "Models: share kept beyond guessing (=: as much as the original, within chance)"
OUTCOME = {outcome.word: SIGN[name] for name, outcome in OUTCOMES.items()}


def text(document: Document, *, width: int = WIDTH, report: str | None = None) -> str:
    """The document as plain lines, none wider than asked unless a name is."""
    document = said_once(document)
    called = _called(document)
    lines = [
        *_source(document, called, width),
        *_notices(document, width),
        *_recommendation(document, width),
        *_overview(document, called, width),
        *_side("Checks", tables.checks(document), called, width),
        *_side("Before and after", tables.readings(document), called, width),
        *_side("Attacks: risk, and people affected", _attacks(document), called, width),
        *_what_risk_is(document, width),
        *_side("Needs: utility", needs(document), called, width),
        *_side(MODELS, models_kept(document), called, width),
        *listed("Look at", _remarks(document), MOST_NOTES, width, report),
        *_regulators(document, width, report),
    ]
    if report is not None:
        lines += ["", f"Report: {report}"]
    return "\n".join(lines) + "\n"


def _regulators(document: Document, width: int, report: str | None) -> Iterator[str]:
    found = document.get("regulators", ())
    for one in found[:ACROSS]:
        yield from asked_by_regulators(one, width, f" of {one['release']}")
    if len(found) > ACROSS:
        where = "with --json" if report is None else "in the report"
        yield f"  ... and of {len(found) - ACROSS} more releases {where}"


def _called(document: Document) -> dict[str, str]:
    """What stands over the columns: names where three fit, else numbers with a legend."""
    found = names(document)
    if len(found) <= ACROSS and max(map(len, found), default=0) <= CELL:
        return {name: name for name in found}
    return {name: f"R{place}" for place, name in enumerate(found, start=1)}


def _source(document: Document, called: dict[str, str], width: int) -> Iterator[str]:
    original = document["original"]
    number = len(document["releases"])
    said = f"{original['name']}: {in_words(original['records'])} records, {original['attributes']} attributes"
    yield from wrapped(f"{said}, and {number} release{'s'[: number != 1]} of it", "", width)
    chosen = document["recommendation"]["release"]
    for (name, short), release in zip(called.items(), document["releases"], strict=True):
        label = f"{short} = {name}" if short != name else name
        mark = f", recommended{with_warnings(document)}" if name == chosen and number > 1 else ""
        how = release["alignment"]["how"]
        how = how.replace("not ", "not matched ", 1) if how.startswith("not") else f"aligned {how}"
        number_of = f"{many(release['records'])} record{'s'[: release['records'] != 1]}"
        yield from wrapped(f"{label}: {number_of}, {how}{mark}", "  ", width)


def _notices(document: Document, width: int) -> Iterator[str]:
    """What has to be known before any figure."""
    for title, texts in tables.notices(document):
        yield ""
        yield from wrapped(f"NOTE{f' on {title}' if title else ''}: {' '.join(texts)}", "", width)


def _recommendation(document: Document, width: int) -> Iterator[str]:
    found = document["recommendation"]
    yield ""
    first = "RECOMMENDED" if len(document["releases"]) > 1 else "NO CHECK FAILS"  # of one there is no choice
    first += with_warnings(document).upper()
    yield from wrapped(f"{first}: {found['release']}" if found["release"] else "NONE RECOMMENDED", "", width)
    for sentence in found["sentences"]:
        yield from wrapped(sentence, "  ", width)


def _overview(document: Document, called: dict[str, str], width: int) -> Iterator[str]:
    """The releases in short, a line for each."""
    rows = [(called.get(row.name, row.name), *map(_short, row.cells)) for row in overview(document)]
    columns = list(zip(("Release", *HEAD), *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    widths[0] = min(widths[0], max(SHORTEST, width - sum(widths[1:]) - 2 * len(widths)))
    yield ""
    for line in zip(*columns, strict=True):
        shown = (f"{clipped(cell, room):{room}}" for cell, room in zip(line, widths, strict=True))
        yield f"  {'  '.join(shown)}".rstrip()


def _short(cell: ShownCell) -> str:
    """A cell of a line: what is not measured says so, and the others leave their notes out."""
    if cell.text == NOTHING:
        return cell.word or NOTHING
    return f"{cell.text}, {cell.word}" if cell.word else cell.text


def _attacks(document: Document) -> SideBySide:
    """The attacks with the share of people in place of their number, which takes less room."""
    rows = []
    for one, found in attacks.matched_attacks(document):
        rows.append(ShownRow(_titled(one), _all_reached(found, document)))
        if any(_uncounted(attack) for attack in found):
            rows.append(ShownRow("  people affected", [_people(attack) for attack in found]))
        if (chances := attacks.at_random(found)) is not None:
            rows.append(ShownRow("  of a link at random", chances))
        if (guesses := attacks.recipe_guesses(found)) is not None:
            rows.append(ShownRow("  right guesses, recipe known", guesses))
    unknown = [row._replace(group="", label="Still unknown, overall") for row in attacks.overall(document)]
    return SideBySide("attack", names(document), [*rows, *unknown])


def _what_risk_is(document: Document, width: int) -> Iterator[str]:
    """That the risk of some attacks is a share of the information, and not of people."""
    found = [one for one, _ in attacks.matched_attacks(document) if one["attack"] in attacks.BY_RATE]
    if found:
        titles = dict.fromkeys(_titled(one).partition(",")[0] for one in found)
        named = enumerated([*titles], most=len(found))
        said = (
            "the risk is the share of the information that a quasi-identifier gives on average, not of people"
        )
        yield from wrapped(f"{named}: {said}.", "    ", width)


def _titled(attack: Document) -> str:
    """An attack as the table calls it."""
    title = str(attack["title"]).replace("Identity disclosure", "Identity")
    return title.removesuffix(" attack").removesuffix(" risk")


def _uncounted(attack: Document | None) -> bool:
    """Whether an attack has a risk, but nobody could count the people it concerns."""
    return attack is not None and attack["risk"] is not None and attack.get("people_undefined") is not None


def _people(attack: Document | None) -> ShownCell:
    share = attacks.reach(attack)
    return ShownCell("not measured" if share is None else percent(share))


def _all_reached(found: list[Document | None], document: Document) -> list[ShownCell]:
    """What an attack reaches in each release, marked where that is about released values and not people."""
    _, risks = attacks.risks(found, document)
    return [
        cell._replace(word=risk.word) if risk.word == "not comparable" else cell
        for cell, risk in zip(map(_reached, found), risks, strict=True)
    ]


def _reached(attack: Document | None) -> ShownCell:
    if attack is None or attack["risk"] is None:
        return ShownCell("not measured")
    if isinstance(attack["people"], str):  # hidden: so few that the number points at them
        return ShownCell(f"{rate(attack['risk'])}, {attack['people']}")
    share = attacks.reach(attack)
    most = "" if attack.get("people_at_most") is None else "at most "
    return ShownCell(rate(attack["risk"]) + ("" if share is None else f", {most}{percent(share)}"))


def _side(title: str, side: SideBySide, called: dict[str, str], width: int) -> Iterator[str]:
    for part in side.parts(ACROSS):
        yield ""
        yield title
        yield from _part(part, called, width)


def _part(side: SideBySide, called: dict[str, str], width: int) -> Iterator[str]:
    longest = max((len(_cell(cell)) for row in side.rows for cell in row.cells), default=0)
    label = max((len(row.short or row.label) + 2 * _depth(row) for row in side.rows), default=0)
    releases = [name for name in side.columns if name != ORIGINAL]
    left = width - min(label, LABEL) - 2 * len(side.columns) - FIRST * (len(side.columns) - len(releases))
    wide = max(CELL, min(longest, left // max(len(releases), 1)))
    widths = [FIRST if name == ORIGINAL else wide for name in side.columns]
    room = min(label, max(SHORTEST, width - sum(widths) - 2 * len(widths)))
    yield _line("", [called.get(name, name) for name in side.columns], widths, room)
    for group, rows in side.groups:
        if group:
            yield f"  {group}"
        for row in rows:
            indent = "  " * _depth(row)
            label_lines = textwrap.wrap(
                row.short or row.label, room, initial_indent=indent, subsequent_indent=f"{indent}  "
            )
            cells = [_wrapped(_cell(cell), at) for cell, at in zip(row.cells, widths, strict=True)]
            for label_line, *parts in zip_longest(label_lines, *cells, fillvalue=""):
                yield _line(label_line, parts, widths, room)


def _wrapped(said: str, width: int) -> list[str]:
    """The lines of a cell; words that say together that nothing can be compared stay together."""
    whole = said.replace("not comparable", "not\xa0comparable")
    return [line.replace("\xa0", " ") for line in textwrap.wrap(whole, width, break_long_words=False)]


def _depth(row: ShownRow) -> int:
    return 2 if row.group else 1


def _line(label: str, cells: list[str], widths: list[int], room: int) -> str:
    shown = (f"{clipped(cell, width):{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join([f"{label:{room}}", *shown]).rstrip()


def _cell(cell: ShownCell) -> str:
    if cell.word in OUTCOME:
        said = OUTCOME[cell.word]
        return said if cell.text == said.lower() else f"{said} {cell.text}"
    if cell.word in ("not measured", "no value"):
        return cell.word
    return " ".join(filter(None, [cell.text, cell.sign, cell.word]))


def _remarks(document: Document) -> list[str]:
    """What could not be aligned or measured, each thing said once."""
    left_out = dict(attacks.untried(document))
    said = [
        *((name, release["lacking"]) for name, release in named(document) if release["lacking"]),
        *tables.notes(document),
        *((name, why) for name, one in named(document) if (why := one["score"].get("utility_undefined"))),
        *(
            (name, reason)
            for name, release in named(document)
            for attack in release["attacks"]
            if attack["title"] not in left_out
            if (reason := attack["undefined"] or attack.get("people_undefined"))
        ),
        *((f"{title} not measured", reason) for title, reason in left_out.items()),
        *(
            (name, f"share kept of {task['task']}: {task['undefined']}")
            for name, release in named(document)
            for task in release["mining"] or ()
            if task["undefined"]
        ),
    ]
    noted = {(one["release"], one["text"].rstrip(".")) for one in document.get("notices", ())}
    noted |= {(name, capitalized(words)) for name in names(document) for words in (CHANGED, MISREAD)}
    by_reason: dict[str, dict[str, None]] = {}
    for name, reason in said:
        if (name, capitalized(reason).rstrip(".")) in noted:
            continue
        by_reason.setdefault(reason.rstrip("."), {})[name] = None
    return [f"{', '.join(of)}: {reason}." for reason, of in by_reason.items()]
