"""The transform command: a release made by a recipe, and what was done."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from divulge._support.whole_files import file_digest, together
from divulge.cli.commands.making.manifest_page import manifest_page
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.making import TransformRequest
from divulge.cli.text_form import written_otherwise
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.engines.opening import refuse_spark_folder
from divulge.errors import ParameterError
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import read
from divulge.recipes.files import place_beside, refuse_existing, refuse_release, write_release, write_text
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import is_table_name, make_release
from divulge.source.files import STANDARD_INPUT
from divulge.source.formats.several import files_of, is_several
from divulge.table.codes import Codes, narrow


def run_transform(asked: TransformRequest) -> None:
    out = _place(asked)
    recipe = Recipe.read(asked.recipe)
    _refuse(asked, out, recipe)
    with progress("Reading") as stage, together():
        data = opened(read(asked.file, **asked.source.given()))
        done = make_release(
            data,
            recipe,
            out=out,
            overwrite=asked.overwrite,
            layout=asked.source.layout,
            seed=asked.seed,
            keep_order=asked.keep_order,
            with_key=asked.write_key is not None,
            stage=stage,
        )
        if asked.write_key is not None and done.table is not None:
            write_release(_key(done.table), Path(asked.write_key), overwrite=asked.overwrite, private=True)
        manifest = replace(done.manifest, input_digest=_digest(asked.file))
        document = manifest.to_dict(share=asked.share)
        if asked.manifest is not None:
            write_text(Path(asked.manifest), as_json(document), private=not asked.share)
    others = [] if done.table is None else [*(done.table.beside or {})]
    also = "".join(f"Wrote {place_beside(Path(out), name)} beside it.\n" for name in others)
    also += f"{form}\n" if (form := written_otherwise(asked.file, asked.source, out)) else ""
    sys.stdout.write(as_json(document) if asked.as_json else manifest_page(manifest, out) + also)


def _place(asked: TransformRequest) -> str:
    """Where the release goes: a file, or a table after #, which is in the database that is read."""
    address, sign, table = asked.out.rpartition("#")
    if not sign or not address:
        return asked.out
    if "://" in address:
        if address != asked.file.partition("#")[0]:
            raise ParameterError(
                "A release is written to the database that its data are in, and this is another.",
                hint="Write --out '#TABLE', or name a file.",
            )
        return f"#{table}"
    return asked.out


def _refuse(asked: TransformRequest, out: str, recipe: Recipe) -> None:
    """Stop before anything is read where something cannot be written."""
    files = [asked.write_key, asked.manifest]
    if asked.write_key is not None and (
        made := [one for one in recipe.steps if not one.mechanism.keeps_rows]
    ):
        raise ParameterError(
            f"There is no key: step {made[0].number} ({made[0].mechanism.name}) makes records that are not "
            "those of single rows.",
            hint="Leave out --write-key.",
        )
    if not is_table_name(out) and "://" not in out:
        files.append(out)
        for name in (name for step in recipe.steps for name in step.mechanism.beside):
            refuse_existing(place_beside(Path(out), name), overwrite=asked.overwrite)
            files.append(str(place_beside(Path(out), name)))
        if asked.source.engine == "spark":
            refuse_spark_folder(out)
            refuse_existing(Path(out), overwrite=asked.overwrite)
        else:
            refuse_release(Path(out), overwrite=asked.overwrite, layout=asked.source.layout)
    if asked.write_key is not None:
        refuse_release(Path(asked.write_key), overwrite=asked.overwrite)
    if asked.manifest is not None:
        refuse_existing(Path(asked.manifest), overwrite=asked.overwrite)
    if asked.share and asked.manifest is None:
        raise ParameterError("--share goes with --manifest.", hint="Add --manifest OUT.json.")
    folders = [name for name in files if name is not None and Path(name).is_dir()]
    refuse_outputs(
        *(name for name in files if name not in folders), inputs=(*_inputs(asked.file), asked.recipe)
    )


def _inputs(given: str) -> list[str]:
    """The files that a table is read from: one, that of a sheet, or all of a folder or pattern."""
    path = Path(given).expanduser()
    if given != STANDARD_INPUT and "://" not in given and is_several(path):
        return [str(one.path) for one in files_of(path)]
    return [str(path), given.rpartition("#")[0] or given]


def _digest(place: str) -> str | None:
    """The digest of a file; None where it is none."""
    path = Path(place).expanduser()
    return file_digest(path) if "://" not in place and path.is_file() else None


def _key(table: WorkingTable) -> WorkingTable:
    """Which row of the original each record was, from 1 on."""
    assert table.rows is not None
    values = range(1, int(table.rows.max(initial=0)) + 2)
    return WorkingTable.of({"row": Codes(narrow(table.rows + 1, len(values)), values)})
