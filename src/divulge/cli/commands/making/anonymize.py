"""The anonymize command: the release of least loss that meets a policy, its recipe and the proof."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from divulge._support.small_counts import hidden_part
from divulge._support.wording import aligned, capitalized, in_words, many, number, share_of, some_of
from divulge.anonymization.anonymizing import anonymize, hierarchies_of, shown_hierarchies
from divulge.anonymization.found import Anonymization
from divulge.anonymization.options import policy_tables, threshold_of
from divulge.anonymization.recipe_text import recipe_files
from divulge.cli.outputs import refuse_outputs
from divulge.cli.parameters import flag_of
from divulge.cli.progress import progress
from divulge.cli.requests.making import AnonymizeRequest
from divulge.cli.requests.tables import RolesRequest
from divulge.cli.tables import pairs, table_with_roles
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.files import refuse_existing, refuse_release
from divulge.report.shared.writing import write
from divulge.source.options import OPTIONS, READING

_LOCAL = {
    "levels": "Local recoding",
    "numbers": "Local recoding, numbers split where they lie",
    "cells": "Single cells suppressed",
}


def run_anonymize(asked: AnonymizeRequest) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    _refuse(asked, policy)
    weights = {
        name: _number(name, one) for name, one in pairs(asked.importance, "--importance", None).items()
    }
    trees = pairs(asked.hierarchies, "--hierarchy", None)
    with progress("Reading") as stage:
        data = opened(_table(asked, policy))
        thresholds = _thresholds(asked)
        if asked.show_hierarchies:
            shown = hierarchies_of(data, trees if policy is not None else None)
            sys.stdout.write(shown_hierarchies(*shown))
            return
        found = anonymize(
            data,
            policy,
            thresholds=thresholds,
            suppress=asked.suppress,
            loss=asked.loss,
            weights=weights,
            needs=asked.need,
            predict=asked.predict,
            hierarchies=trees if policy is not None else None,
            leave_out=asked.leave_out,
            local="mondrian" if asked.mondrian else asked.local,
            suppress_cells=asked.suppress_cells,
            time=asked.time,
            seed=asked.seed,
            keep_order=asked.keep_order,
            stage=stage,
        )
        stage("Writing")
        if asked.out is not None:
            found.save(asked.out, overwrite=asked.overwrite)
        for path, text in _recipe(found, asked, thresholds).items():
            refuse_existing(path, overwrite=asked.overwrite)
            write(path, text)
    sys.stdout.write(as_json(found.to_dict()) if asked.as_json else _page(found, asked))


def _refuse(asked: AnonymizeRequest, policy: Policy | None) -> None:
    """Refuse before the work begins what cannot be meant together, or cannot be written."""
    source = asked.file or (None if policy is None else policy.data.source)
    if source is None:
        raise ParameterError("No FILE was given.", hint="Name a table, or a policy that names one: --policy.")
    if policy is None and asked.k is None and not asked.thresholds and not asked.show_hierarchies:
        raise ParameterError("Nothing is asked of the release.", hint="Give --policy, --k or --threshold.")
    if policy is not None:
        twice = ["--k"] if asked.k is not None else []
        twice += ["--threshold"] if asked.thresholds else []
        twice += [
            flag_of(one)
            for one in fields(RolesRequest)
            if one.name != "hierarchies" and getattr(asked, one.name) is not None
        ]
        twice += [OPTIONS[name].flag for name in asked.source.given("values")]
        if twice:
            raise ParameterError(
                f"{', '.join(twice)} cannot be given together with --policy, which sets it.",
                hint=f"Set it in {policy.name}, or leave out --policy.",
            )
    if asked.out is not None:
        refuse_release(Path(asked.out), overwrite=asked.overwrite)
    if asked.recipe_out is not None:
        refuse_existing(Path(asked.recipe_out), overwrite=asked.overwrite)
    refuse_outputs(asked.out, asked.recipe_out, inputs=(source, asked.policy, asked.need))


def _table(asked: AnonymizeRequest, policy: Policy | None) -> Data:
    if policy is None:
        return table_with_roles(asked)
    return policy.open(asked.file, **asked.source.given(*READING))


def _thresholds(asked: AnonymizeRequest) -> dict[str, Any] | None:
    """Thresholds from options, several of one measure in a list."""
    found: dict[str, Any] = {} if asked.k is None else {"k_anonymity": [{"min": asked.k}]}
    for text in asked.thresholds or ():
        name, table = threshold_of(text)
        found.setdefault(name, []).append(table)
    return found or None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"--importance of '{name}' is no number.", hint=f"Write {name}=2.") from None


def _recipe(
    found: Anonymization, asked: AnonymizeRequest, thresholds: Mapping[str, Any] | None
) -> dict[Path, str]:
    if asked.recipe_out is None:
        return {}
    tables = None if thresholds is None else policy_tables(found.data, thresholds, {})
    return recipe_files(found, Path(asked.recipe_out), Path(asked.file or "table.csv").name, tables)


def _page(found: Anonymization, asked: AnonymizeRequest) -> str:
    """The lines that are printed: the best, its levels, the proof, and those that come next."""
    best, records = found.best, found.data.records
    loss = found.lattice.costs.loss
    lines = [
        f"Loss {number(best.loss)} ({loss.title}).",
        f"{capitalized(some_of(best.suppressed, records))} records suppressed "
        f"({share_of(best.suppressed, records)}); {many(best.classes)} groups are left.",
        "",
    ]
    lines += aligned(
        ["attribute", "level", "of", "hierarchy"],
        [
            [name, str(level), str(found.hierarchies[name].levels), "made" if name in found.made else "given"]
            for name, level in best.levels.items()
        ],
        right={1, 2},
    )
    lines += ["", found.sentence, ""]
    if len(found.result.best) > 1:
        rows = [
            [
                number(one.loss),
                in_words(hidden_part(one.suppressed, records)),
                many(one.classes),
                ", ".join(f"{name} {level}" for name, level in one.levels.items()),
            ]
            for one in found.result.best
        ]
        lines += aligned(["loss", "suppressed", "groups", "levels"], rows, right={0, 1, 2})
        lines.append("")
    if found.local is not None and found.local.alike:
        lines.append(f"{_LOCAL[found.local.kind]}: no less would be lost, so the best above is released.")
    elif found.local is not None:
        share = f", {number(found.local.loss / best.loss)} of the best above" if best.loss else ""
        lines.append(
            f"{_LOCAL[found.local.kind]}: loss {number(found.local.loss)}{share}; "
            f"{many(found.local.groups)} groups."
        )
    lines += [f"Release: {asked.out}"] if asked.out else ["No release written; name a file with --out."]
    lines += [f"Recipe: {asked.recipe_out}"] if asked.recipe_out else []
    return "\n".join([*lines, ""])
