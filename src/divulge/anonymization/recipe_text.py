"""The recipe of a search as text, with the files that it names: made hierarchies, and the policy."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divulge._support.toml_text import in_comment, toml_key, toml_value
from divulge.anonymization.result.unsaid import loss_of_best
from divulge.errors import ParameterError
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.policy import Policy
from divulge.recipes.draft import missing_line, step_text
from divulge.table.hierarchy import Hierarchy

if TYPE_CHECKING:
    from divulge.anonymization.found import Anonymization

_HEAD = """\
# What divulge anonymize found: {loss} {value}.
# {sentence}
# Make the release with: divulge transform {source} --recipe {name} --out released.csv
format = 1"""


def recipe_files(
    found: Anonymization, path: Path, source: str, tables: Mapping[str, Any] | None
) -> dict[Path, str]:
    """The recipe, and what it needs beside it; ``tables`` are those of a policy that has no file."""
    files: dict[Path, str] = {}
    steps = []
    for step in found.recipe.given["step"]:
        said = dict(step)
        if isinstance(step.get("hierarchy"), Hierarchy):
            said["hierarchy"] = _hierarchy_file(step["hierarchy"], path, files)
        if isinstance(step.get("mapping"), CombinationMapping):
            beside = path.with_name(f"{path.stem}-mapping.csv")
            files[beside] = step["mapping"].text()
            said["mapping"] = beside.name
        if isinstance(step.get("policy"), Policy):
            said["policy"] = _policy_file(step["policy"], path, files, tables)
        steps.append(step_text(said))
    head = _HEAD.format(
        loss=found.lattice.costs.loss.name,
        value=f"{found.loss:.12g}",
        sentence=in_comment(found.sentence)
        if found.local is None or found.local.alike
        else "Each group is recoded by itself; recoding all records alike has "
        f"{loss_of_best(found):.12g} at best.",
        source=in_comment(source),
        name=in_comment(shlex.quote(path.name if path.is_absolute() else str(path))),
    )
    head += missing_line(found.data.missing_values)
    return {path: "\n\n".join([head, *steps]) + "\n", **files}


def hierarchy_text(tree: Hierarchy) -> str:
    """A hierarchy as a file: a value, then its group at level 1, 2 and so on."""
    to = io.StringIO()
    csv.writer(to, delimiter=";", lineterminator="\n").writerows(zip(tree.values, *tree.groups, strict=True))
    return to.getvalue()


def policy_beside(recipe: Path) -> Path:
    """The policy that is written beside a recipe where it has no file."""
    return recipe.with_name(f"{recipe.stem}-policy.toml")


def _hierarchy_file(tree: Hierarchy, path: Path, files: dict[Path, str]) -> str:
    if tree.path is not None:
        return _from_there(Path(tree.path), path)
    name = re.sub(r"[^\w.-]+", "_", tree.attribute)
    beside = path.with_name(f"{path.stem}-{name}.csv")
    files[beside] = hierarchy_text(tree)
    return beside.name


def _policy_file(policy: Policy, path: Path, files: dict[Path, str], tables: Mapping[str, Any] | None) -> str:
    if tables is None and policy.text is None:
        raise ParameterError(
            "The recipe needs its policy as a file, and this policy has none.",
            hint="Give the policy as a file, as a mapping, or by thresholds.",
        )
    if tables is None:
        return _from_there(Path(policy.name), path)
    beside = policy_beside(path)
    lines: list[str] = []
    for name, table in tables.items():
        lines += ["", f"[{toml_key(name)}]"]
        lines += [f"{toml_key(key)} = {toml_value(_plain(one, path, files))}" for key, one in table.items()]
    files[beside] = "\n".join([*lines[1:], ""])
    return beside.name


def _plain(value: Any, path: Path, files: dict[Path, str]) -> Any:
    """A value of a policy as TOML writes it, a hierarchy by its file."""
    if isinstance(value, Hierarchy):
        return _hierarchy_file(value, path, files)
    if isinstance(value, Mapping):
        return {key: _plain(one, path, files) for key, one in value.items()}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _from_there(file: Path, recipe: Path) -> str:
    """A file as the recipe names it: from its own folder."""
    return Path(os.path.relpath(file, recipe.parent)).as_posix()
