"""The init command: a policy drafted from suggested roles."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from divulge._support.wording import one_line
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.tables import InitRequest
from divulge.cli.tables import file_in_command, pairs
from divulge.cli.verbosity import opened
from divulge.errors import ParameterError, RecipeError
from divulge.mechanisms.suppression.records import NO_RECORD
from divulge.questions.data import Data, read
from divulge.recipes.draft import GROUP, recipe_draft
from divulge.recipes.files import refuse_existing
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import released_data
from divulge.report.shared.writing import write as save_text
from divulge.roles.code_lengths import code_length
from divulge.roles.missing_codes import declarable, missing_codes
from divulge.roles.patterns import year_and_month
from divulge.roles.policy_draft import draft
from divulge.roles.proposal import Proposed, roles_to_use
from divulge.source.files import STANDARD_INPUT, names_table
from divulge.source.options import SourceOptions
from divulge.table.codes import as_numbers
from divulge.table.hierarchy import Hierarchy
from divulge.table.schema import Role

FEW_NUMBERS = 5  # up to which they are taken for codes
TRIED = 200_000  # records up to which a draft is tried
LOOKED_AT = 1000  # different values from which the width of bands is drafted


def run_init(asked: InitRequest) -> None:
    if asked.out is not None and asked.write_recipe is not None:
        raise ParameterError("--out is for a policy, --write-recipe for a recipe.", hint="Give one of them.")
    out = Path(asked.write_recipe or asked.out or "divulge.toml")
    refuse_outputs(out, inputs=(asked.file,))
    refuse_existing(out, overwrite=asked.overwrite)
    with progress("Reading"):
        data = opened(read(asked.file, **asked.source.given()))
        proposed = roles_to_use(data)
        looked_at = [one.attribute for one in proposed if one.role is not Role.IDENTIFIER]
        codes = missing_codes(data, looked_at)
    files = pairs(asked.hierarchies, "--hierarchy", data.schema.attributes)
    for name, file in files.items():
        Hierarchy.read(file, attribute=name)  # refused here rather than when the draft is read
    if asked.write_recipe is not None:
        _write_recipe(out, asked, data, proposed, files)
        return
    policy = draft(
        _from(out, asked),
        proposed,
        missing=asked.source.missing,
        reading=_written(out, asked.source),
        codes=codes,
        hierarchies={name: _relative(out, file) for name, file in files.items()},
    )
    save_text(out, policy)
    print(f"Wrote {out}, with suggested roles for {len(proposed)} attributes:")
    for role in Role:
        names = [one.attribute for one in proposed if one.role is role]
        print(f"  {role.value + ':':18}{one_line(', '.join(names)) or 'none'}")
    if texts := declarable(codes):
        named = ", ".join(f'"{text}"' for text in texts)
        print(f"Probably missing values: {named}. See missing_values in {out}.")
    print(f"Check and correct it, then run: divulge check --policy {shlex.quote(str(out))}")


def _write_recipe(
    out: Path, asked: InitRequest, data: Data, proposed: Sequence[Proposed], files: Mapping[str, str]
) -> None:
    """A recipe drafted from the roles, and what to do with it."""
    numeric = {one.attribute: _numbers(data, one.attribute) for one in proposed}
    numeric = {name: numbers for name, numbers in numeric.items() if len(numbers) > FEW_NUMBERS}
    there = {name: _relative(out, file) for name, file in files.items()}
    samples = {one.attribute: data.summary(one.attribute, 100).sample for one in proposed}
    lengths = {name: code_length(name, values) for name, values in samples.items()}
    codes = {name: length for name, length in lengths.items() if length is not None}
    dated = [name for name, values in samples.items() if values and all(map(_is_date, values))]
    named = (file_in_command(asked.file, asked.source.table), shlex.quote(str(out)))
    many = [name for name in samples if data.summary(name).distinct > data.records / GROUP]
    drafted = partial(recipe_draft, *named, proposed, numeric, there, codes, dated, data.records, many)
    save_text(out, drafted())
    if data.records <= TRIED and _leaves_none(data, out):
        save_text(out, drafted(leaves_none=True))
    print(f"Wrote {out}. Check and correct it, then run:")
    table = "" if asked.source.table is None else f"#{asked.source.table}"
    print(f"  divulge compare {shlex.quote(asked.file + table)} --recipe {shlex.quote(str(out))}")


def _leaves_none(data: Data, recipe: Path) -> bool:
    """Whether no record would be left after the steps of a recipe, which is tried."""
    try:
        released_data(data, Recipe.read(recipe))
    except RecipeError as error:
        return NO_RECORD[0] in error.message
    return False


def _numbers(data: Data, attribute: str) -> list[float]:
    """The values looked at where all of them are numbers, otherwise nothing."""
    numbers = as_numbers(data.summary(attribute, LOOKED_AT).sample)
    return numbers if all(map(math.isfinite, numbers)) else []


def _is_date(value: object) -> bool:
    return year_and_month(str(value)) is not None


def _written(policy: Path, source: SourceOptions) -> dict[str, Any]:
    """What was said about the table, as the policy writes it under [data]."""
    said = source.given()
    said.pop("missing", None)  # which is always written, under an explanation
    if source.layout is not None:
        said["layout"] = _relative(policy, source.layout)
    return {name: "" if value is None else value for name, value in said.items()}


def _from(policy: Path, asked: InitRequest) -> str:
    """The path of the data as the policy must write it: from its own folder."""
    file = Path(asked.file)
    in_spark = asked.source.engine == "spark" and names_table(asked.file) and not file.exists()
    if "://" in asked.file or asked.file == STANDARD_INPUT or in_spark:
        return asked.file
    return _relative(policy, asked.file)


def _relative(policy: Path, file: str) -> str:
    path = Path(file).expanduser().resolve()
    folder = policy.resolve().parent
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
