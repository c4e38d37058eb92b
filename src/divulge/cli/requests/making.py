"""What may be asked of commands that make a release."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.help_sections import OUTPUT
from divulge.cli.parameters import REQUIRED, argument, flag, option, table_options
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class TransformRequest(SpokenRequest):
    """Make a release by a recipe.

    Applies the steps of the recipe in order and writes the release. The input is never touched.
    """

    file: str = options.file()
    recipe: str = option("FILE.toml", "What is done, step by step.", REQUIRED)
    out: str = option(
        "OUT",
        "Where to write the release: a file such as released.csv, or '#TABLE' in the database of the data.",
        REQUIRED,
        section=OUTPUT,
    )
    seed: int | None = option(
        "N", "Seed of what is drawn. Default: the recipe's, or one nobody can guess.", min=0
    )
    manifest: str | None = option("OUT.json", "Write what was done; keep it with the data.", section=OUTPUT)
    share: bool = flag(
        "With --manifest: write the copy that may go out with the release, without seed, secret parameters "
        "and counts of records.",
        section=OUTPUT,
    )
    key: str | None = option(
        "OUT.csv",
        "Write which original row each record was, for compare --key; keep it secret.",
        section=OUTPUT,
    )
    keep_order: bool = flag("Leave rows in their order. The order of rows can say whose they are.")
    overwrite: bool = flag("Replace files that exist.", section=OUTPUT)
    as_json: bool = options.as_json()
    exact_counts: bool = options.exact_counts()
    source: SourceOptions = table_options(
        weights="Name weights in the recipe.", missing="A recipe says which records are left out."
    )


@dataclass(frozen=True, kw_only=True)
class MechanismsRequest:
    """List all mechanisms, or explain one."""

    name: str | None = argument("NAME", "A mechanism to explain, with an example.", None)
    as_json: bool = options.as_json()
