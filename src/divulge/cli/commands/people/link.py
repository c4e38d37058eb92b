"""The link command: how many released records can be linked with their originals."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, cast, get_args

from divulge.attacks.record_linkage.account import link
from divulge.attacks.record_linkage.coordinates import Scale
from divulge.attacks.record_linkage.intervals import Width
from divulge.attacks.synthetic_data.account import synthetic_attacks
from divulge.cli.progress import progress
from divulge.cli.requests.linkage import LinkRequest
from divulge.cli.tables import pairs, seed_of, sharing_memory, split, table_with_roles
from divulge.documents import as_json
from divulge.errors import ParameterError, not_among
from divulge.questions.data import read
from divulge.report.linkage_text import page


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
        stage("Linking")
        document = found.to_dict(seed_of(asked.seed))
        if asked.control is not None:
            stage("Attacking")
            control = read(asked.control, **asked.source.given())
            held = found.alignment.original, found.alignment.released, control
            document["synthetic"] = synthetic_attacks(
                *held, attributes=(*found.keys, *original.schema.sensitive), seed=seed_of(asked.seed)
            )
    sys.stdout.write(as_json(document) if asked.as_json else "\n".join([*page(document), ""]))


def _one_of(given: str, known: tuple[Any, ...], what: str) -> str:
    if given not in known:
        words, hint = not_among(given, known, what)
        raise ParameterError(words, hint=hint)
    return given
