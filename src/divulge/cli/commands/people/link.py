"""The link command: how many released records can be linked with their originals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import typer

from divulge._support.stages import Stage
from divulge._support.wording import enumerated
from divulge.attacks.record_linkage.account import UNKNOWN, RecordLinkage, link
from divulge.attacks.record_linkage.coordinates import Scale
from divulge.attacks.record_linkage.intervals import Width
from divulge.attacks.record_linkage.one_to_one import one_to_one
from divulge.attacks.record_linkage.structure import link_by_structure
from divulge.attacks.synthetic_data.account import synthetic_attacks
from divulge.attacks.synthetic_data.control_group import rows_repeat
from divulge.attacks.text_linkage.fuzzy import fuzzy_linkage
from divulge.cli.exit_codes import NOT_EVALUATED
from divulge.cli.progress import progress
from divulge.cli.requests.linkage import LinkRequest
from divulge.cli.tables import pairs, seed_of, sharing_memory, split, table_with_roles
from divulge.cli.verbosity import is_quiet
from divulge.documents import as_json
from divulge.errors import ParameterError, Undefined, not_among
from divulge.questions.data import read
from divulge.report.linkage_text import page

EARLY = "No link can be known to be right: nothing says whose record is whose."
ROWS_REPEAT = (
    "Most records of the original have others alike in all attributes. The attacks beside the control group "
    "count records, not people: if people have several, their intervals are too narrow."
)
ASKED_FOR = ("one_to_one", "fuzzy", "structure")  # beside the usual ways to link


def run_link(asked: LinkRequest) -> None:
    tables = 2 if asked.control is None else 3
    asked = replace(asked, source=sharing_memory(asked.source, tables))
    scale, by = (
        _one_of(asked.scale, get_args(Scale), "scale"),
        _one_of(asked.width_by, get_args(Width), "width"),
    )
    with progress("Reading") as stage:
        original = table_with_roles(asked)
        attributes = original.schema.attributes
        found = link(
            original,
            read(asked.released, **asked.source.given()),
            keys=split(asked.keys, attributes),
            by=split(asked.by, attributes),
            columns=pairs(asked.columns, "--column", attributes),
            scale=cast(Scale, scale),
            width=asked.width,
            width_by=cast(Width, by),
            stage=stage,
        )
    if found.refused is not None and (asked.fuzzy or asked.structure or asked.control is not None):
        raise found.refused  # these look at each record
    if found.rows is None and not is_quiet():  # known at once, and what follows may take long
        sys.stderr.write(f"divulge: {EARLY}\n")
    with progress("Linking") as stage:
        document = _document(asked, found, stage)
        if asked.control is not None:
            stage("Attacking")
            control = read(asked.control, **asked.source.given())
            held = found.alignment.original, found.alignment.released, control
            document["synthetic"] = synthetic_attacks(
                *held, attributes=(*found.keys, *original.schema.sensitive), seed=seed_of(asked.seed)
            )
            document["notes"] += _rescaled(document["synthetic"])
            document["notes"] += [ROWS_REPEAT] if rows_repeat(held[0]) else []
    sys.stdout.write(as_json(document) if asked.as_json else "\n".join([*page(document), ""]))
    if any(document.get(name, {}).get("undefined") is not None for name in ASKED_FOR):
        raise typer.Exit(NOT_EVALUATED)


def _document(asked: LinkRequest, found: RecordLinkage, stage: Stage) -> dict[str, Any]:
    """The usual ways to link, and those that were asked for."""
    seed, one, other = seed_of(asked.seed), found.alignment.original, found.alignment.released
    fuzzy = split(asked.fuzzy, one.schema.attributes)
    if not found.keys and not asked.one_to_one and (fuzzy or asked.structure):
        document = found.without_keys()
    else:
        document = found.to_dict(seed, stage)
    if asked.one_to_one:
        stage("Linking one to one")
        document["one_to_one"] = _one_to_one(found, seed)
    if fuzzy:
        stage("Linking by text")
        document["fuzzy"] = fuzzy_linkage(found.alignment, fuzzy, found.keys, seed=seed)
    if asked.structure:
        stage("Linking by structure")
        related = _related(asked.structure, one.schema.attributes, other.schema.attributes)
        document["structure"] = link_by_structure(one, other, found.rows, *related, groups=asked.groups)
    return document


def _rescaled(attacks: Sequence[dict[str, Any]]) -> list[str]:
    """Which numbers are in another unit, so that attacks beside the control group read them in that unit."""
    names = attacks[0].get("rescaled", []) if attacks else []
    if not names:
        return []
    are, them = ("is", "it") if len(names) == 1 else ("are", "them")
    return [
        f"{enumerated(names)} {are} in another unit than in the original, as the spread of the values shows. "
        f"The attacks beside the control group read {them} in that of the original, as an attacker would."
    ]


def _one_to_one(found: RecordLinkage, seed: int) -> dict[str, Any]:
    if found.rows is None:
        return {"undefined": UNKNOWN}
    try:
        points = found.points
    except Undefined as reason:
        return {"undefined": str(reason)}
    return one_to_one(points, found.rows, seed=seed).to_dict(seed)


def _related(
    given: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Attributes of the original and of the release from A,B=C,D, given once or several times."""
    one, other = list[str](), list[str]()
    for text in given:
        left, equals, right = text.partition("=")
        if not (left and equals and right):
            raise ParameterError(
                f"--structure takes attributes of the original = attributes of the release, not '{text}'.",
                hint="Write for example --structure income,rent=tax.",
            )
        one += split([left], ours)
        other += split([right], theirs)
    return tuple(dict.fromkeys(one)), tuple(dict.fromkeys(other))


def _one_of(given: str, known: tuple[Any, ...], what: str) -> str:
    if given not in known:
        words, hint = not_among(given, known, what)
        raise ParameterError(words, hint=hint)
    return given
