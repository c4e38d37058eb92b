"""The transform command: a release made by a recipe, and what was done."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from divulge.cli.commands.making.manifest_page import manifest_page
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.making import TransformRequest
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import read
from divulge.recipes.files import file_digest, refuse_existing, refuse_release, write_release
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import applied
from divulge.report.shared.writing import write
from divulge.source.files import STANDARD_INPUT
from divulge.source.formats.several import files_of, is_several
from divulge.source.options import SUPPRESSED
from divulge.table.codes import Codes, narrow


def run_transform(asked: TransformRequest) -> None:
    out = Path(asked.out)
    refuse_release(out, overwrite=asked.overwrite, layout=asked.source.layout)
    if asked.key is not None:
        refuse_release(Path(asked.key), overwrite=asked.overwrite)
    if asked.manifest is not None:
        refuse_existing(Path(asked.manifest), overwrite=asked.overwrite)
    refuse_outputs(out, asked.manifest, asked.key, inputs=(*_inputs(asked.file), asked.recipe))
    if asked.share and asked.manifest is None:
        raise ParameterError("--share goes with --manifest.", hint="Add --manifest OUT.json.")
    recipe = Recipe.read(asked.recipe)
    with progress("Reading") as stage:
        data = opened(read(asked.file, **asked.source.given()))
        done = applied(
            data.source,
            recipe,
            seed=asked.seed,
            keep_order=asked.keep_order,
            mark=data.suppressed or SUPPRESSED,
            missing_values=data.missing_values,
            stage=stage,
        )
        stage("Writing")
        digest = write_release(done.table, out, overwrite=asked.overwrite, layout=asked.source.layout)
        if asked.key is not None:
            write_release(_key(done.table), Path(asked.key), overwrite=asked.overwrite, private=True)
    file = Path(asked.file).expanduser()
    manifest = replace(
        done.manifest, output_digest=digest, input_digest=file_digest(file) if file.is_file() else None
    )
    document = manifest.to_dict(share=asked.share)
    if asked.manifest is not None:
        write(Path(asked.manifest), as_json(document))
    sys.stdout.write(as_json(document) if asked.as_json else manifest_page(manifest, str(out)))


def _inputs(given: str) -> list[str]:
    """The files that a table is read from: one, that of a sheet, or all of a folder or pattern."""
    path = Path(given).expanduser()
    if given != STANDARD_INPUT and "://" not in given and is_several(path):
        return [str(one.path) for one in files_of(path)]
    return [str(path), given.rpartition("#")[0] or given]


def _key(table: WorkingTable) -> WorkingTable:
    """Which row of the original each record was, from 1 on."""
    if table.rows is None:
        raise ParameterError(
            "There is no key: the records of this release are not those of single rows.",
            hint="Leave out --key.",
        )
    values = range(1, int(table.rows.max(initial=0)) + 2)
    return WorkingTable.of({"row": Codes(narrow(table.rows + 1, len(values)), values)})
