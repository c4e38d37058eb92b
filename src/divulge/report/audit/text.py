"""The audit for the terminal: verdict, four numbers, checks, what would help, roles, where the report is."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from shlex import join
from typing import Any

from divulge._support.wording import WIDTH, enumerated, in_words, many, people
from divulge.report.audit.beyond_table import TITLE, sentences
from divulge.report.audit.helps import MOST_ROWS, recipe_steps
from divulge.report.audit.sections import LONE, lone_values
from divulge.report.audit.summary import passed, remarks, tiles, unmeasured_attributes, verdict_line
from divulge.report.shared import regulators
from divulge.report.shared.formats import NOTHING
from divulge.report.shared.lines import SIGN, wrapped
from divulge.report.shared.wording import MISSING, by_outcome

MOST_DRIVERS, MOST_HELPS, MOST_WARNINGS, MOST_BEYOND = 3, 3, 8, 12


def text(
    document: Mapping[str, Any],
    *,
    width: int = WIDTH,
    report: str | None = None,
    called: Sequence[str] | None = None,
) -> str:
    """The document as plain lines, none wider than asked unless a name is.

    ``called`` is how a command names the table and the policy where this is read; documents know no folders.
    """
    lines = [
        *_verdict(document, width),
        *_numbers(document),
        *_checks(document, width),
        *_what_would_help(document, width, report, called),
        *listed("What drives the risk", _drivers(document), MOST_DRIVERS, width, None),
        *listed(TITLE, sentences(document), MOST_BEYOND, width, None),
        *listed("Data quality", _remarks(document), MOST_WARNINGS, width, report),
        *asked_by_regulators(document.get("regulators"), width),
        *_roles(document, width),
    ]
    if report is not None:
        lines += ["", f"Report: {report}"]
    return "\n".join(lines) + "\n"


def _source(document: Mapping[str, Any], width: int) -> list[str]:
    """What was audited, and how much of it."""
    source, attributes = document["source"], len(document["roles"]["attributes"])
    left = [f"{many(source[word])} {word}" for word in ("suppressed", "dropped") if source[word]]
    counted, whose = source["people"], ""
    if isinstance(counted, int) and counted != source["records"]:
        whose = f" of {people(counted)}"
    said = f"{source['name']}: {_size(source['records'], 'record')}{whose}, {_size(attributes, 'attribute')}"
    said_of = "; ".join([said, *unmeasured_attributes(document), *left])
    return textwrap.wrap(said_of, width, break_on_hyphens=False)


def _roles(document: Mapping[str, Any], width: int) -> Iterator[str]:
    """The roles, what missing values count as, and where roles were suggested the command that gives them."""
    source, roles = document["source"], document["roles"]
    yield ""
    yield "Roles (suggested, since none were given)" if roles["proposed"] else "Roles"
    for role in ("identifier", "quasi-identifier", "sensitive"):
        names = [one["name"] for one in roles["attributes"] if one["role"] == role]
        if names:
            yield from wrapped(", ".join(names), f"  {role + ':':18}", width)
    if (missing := _missing(source)) is not None:
        yield from wrapped(missing, "  missing values:   ", width)
    if roles["proposed"]:
        yield "To give them yourself, start from:"
        yield f"  {roles['explicit']}"


def _size(count: int, noun: str) -> str:
    """The size of a table, which is no secret however small."""
    return f"{many(count)} {noun}{'' if count == 1 else 's'}"


def _missing(source: Mapping[str, Any]) -> str | None:
    """How many records miss something that is asked about, and how these are counted."""
    found = source.get("with_missing", 0)
    if found == 0:
        return None
    noun = "record has" if found == 1 else "records have"
    some = f"{'some' if found is None else in_words(found)} {noun} a missing quasi-identifier or"
    return f"{some} sensitive value; {MISSING[source['missing']]}"


def _verdict(document: Mapping[str, Any], width: int) -> Iterator[str]:
    verdict, findings = document["verdict"], passed(document)
    yield from _source(document, width)
    yield ""
    yield from wrapped(f"{verdict['outcome'].upper()}: {verdict_line(document)}", "", width)
    if findings:
        yield from wrapped(f"{findings}.", "  ", width)
    if verdict["thresholds"] != "policy":
        yield from wrapped("Default checks; a policy sets your own (divulge init).", "  ", width)


def _numbers(document: Mapping[str, Any]) -> Iterator[str]:
    rows = tiles(document)
    title = max((len(one.title) for one in rows), default=0)
    value = max((len(one.text) for one in rows), default=0)
    yield ""
    for one in rows:
        said = one.meaning if one.meaning.startswith("required") else ""
        said = "not measured" if one.text == NOTHING else said
        yield f"  {one.title:{title}}  {one.text:>{value}}  {said}".rstrip()


def _checks(document: Mapping[str, Any], width: int) -> Iterator[str]:
    yield ""
    yield "Checks"
    for one in by_outcome(document["checks"]):
        yield from wrapped(one["sentence"], f"  {SIGN[one['outcome']]}  ", width)
        if one.get("baseline") and one["baseline"]["worse"]:
            yield from wrapped("It is worse than in the baseline.", "        ", width)
        if one["outcome"] != "pass" and one["fix"]:
            yield from wrapped(one["fix"], "        ", width)
    for sentence in remarks(document):
        yield from wrapped(sentence, "  note  ", width)


def _what_would_help(
    document: Mapping[str, Any], width: int, report: str | None, called: Sequence[str] | None
) -> Iterator[str]:
    """Changes that make checks pass; where all pass there is nothing to help with."""
    if document["verdict"]["outcome"] == "pass":
        return
    yield from listed("What would help", _helps(document), MOST_HELPS, width, report, MOST_ROWS - 1)
    if document["plan"] is not None:
        yield from wrapped("To write this plan as a recipe, add --write-recipe recipe.toml.", "  ", width)
        if document["policy"] is not None:
            named = called or [document["source"]["name"], "--policy", document["policy"]["name"]]
            out = "anonymized.csv" if PurePath(named[0]).name == "released.csv" else "released.csv"
            search = f"divulge anonymize {join(named)} --suppress 5% --loss precision --out {out}"
            first = ""
            if names := _to_be_removed(document):
                them = "it" if len(names) == 1 else "them"
                first = (
                    f", first give {enumerated(names)} the role identifier, which removes {them}, then run"
                )
            said = f"To search for a release by another loss, such as precision{first}:"
            yield from wrapped(said, "  ", width)
            yield f"    {search}"  # on one line, to be copied
    for one in document["not_tried"]:
        yield from wrapped(one, "  - ", width)


def _to_be_removed(document: Mapping[str, Any]) -> list[str]:
    """Attributes that name people and have another role, with which no release is searched for."""
    others = {one["name"] for one in document["roles"]["attributes"] if one["role"] == "other"}
    naming = [
        one for one in document["checks"] if one["measure"] == "identifiers" and one["outcome"] == "fail"
    ]
    return [name for one in naming for name in one["keys"] if name in others]


def _helps(document: Mapping[str, Any]) -> list[str]:
    plan = [] if document["plan"] is None else [document["plan"]]
    useful = [one for one in document["helps"] if one["matters"] or one["failing"] == 0]
    return [" ".join(filter(None, [one["sentence"], recipe_steps(one)])) for one in (*plan, *useful)]


def _drivers(document: Mapping[str, Any]) -> list[str]:
    """What makes the risk what it is; lone values are among the remarks on data quality."""
    return [one["sentence"] for one in document["drivers"] if one["kind"] != "value"]


def _remarks(document: Mapping[str, Any]) -> list[str]:
    """Warnings and hints, those at lone values in one line."""
    lone = [f"{name} ({many(few)} of {many(values)})" for name, few, values in lone_values(document).rows]
    said = (
        [f"Values that only one record has: {', '.join(lone)}. Each makes its person unique."] if lone else []
    )
    hints = [one for one in document["hints"] if one["kind"] != LONE]
    return [*(one["sentence"] for one in (*document["warnings"], *hints)), *said]


def asked_by_regulators(found: Mapping[str, Any] | None, width: int, whose: str = "") -> Iterator[str]:
    """What regulators ask, with the readings that speak to it."""
    if found is None:
        return
    yield ""
    yield f"{regulators.TITLE}{whose}"
    for risk, said in regulators.risks(found):
        yield from wrapped(said, f"  {risk + ':':14}", width)
    yield from wrapped(regulators.listed(found), "  ", width)


def listed(
    title: str,
    sentences: Iterable[str],
    most: int,
    width: int,
    report: str | None,
    in_report: int | None = None,
) -> Iterator[str]:
    """The first sentences, and where the others are: a report has the first ``in_report``, or all."""
    sentences = list(sentences)
    if not sentences:
        return
    yield ""
    yield title
    for sentence in sentences[:most]:
        yield from wrapped(sentence, "  - ", width)
    others = sentences[most:]
    shown = 0 if report is None else len(others[: None if in_report is None else in_report - most])
    left = [(shown, "in the report"), (len(others) - shown, "with --json")]
    if others:
        yield f"  ... and {', '.join(f'{count} more {where}' for count, where in left if count)}"
