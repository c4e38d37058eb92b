"""The reproduce command: experiments of the papers, listed or made anew."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from divulge._support.references import REFERENCES
from divulge._support.wording import WIDTH, aligned
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import Progress, progress
from divulge.cli.requests.tools import ReproduceRequest
from divulge.documents import as_json as written
from divulge.errors import MissingLibrary, ParameterError
from divulge.report.reproduction.text import text
from divulge.report.saving import save
from divulge.reproduction.document import reproduced
from divulge.reproduction.experiment import Conditions, Experiment
from divulge.reproduction.papers import MODULES, experiments, paper

ALL = "all"


def run_reproduce(asked: ReproduceRequest) -> None:
    if asked.paper is None:
        _refuse_without_paper(asked)
        _list_all()
        return
    if asked.paper == ALL and asked.item is not None:
        raise ParameterError("An item belongs to one paper.", hint=f"Name the paper: {', '.join(MODULES)}.")
    chosen = list(experiments(None if asked.paper == ALL else asked.paper, asked.item))
    conditions = Conditions(full=not asked.small, seed=asked.seed or 0, data=_folder(asked.data))
    refuse_outputs(asked.out, inputs=[asked.data])
    with progress("Running") as shown:
        document = reproduced(_announced(chosen, shown), conditions)
    if asked.out is not None:
        save(document, Path(asked.out))
    if asked.as_json:
        sys.stdout.write(written(document))
        return
    print(text(document), end="")
    if asked.out is not None:
        print(f"\nReport: {asked.out}")


def _refuse_without_paper(asked: ReproduceRequest) -> None:
    if asked.as_json or asked.out is not None:
        raise ParameterError("No paper named.", hint=f"Name {', '.join(MODULES)} or {ALL}.")


def _folder(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    if not folder.is_dir():
        raise ParameterError(f"There is no folder {name}.", hint="Give the folder that holds the data.")
    return folder


def _announced(chosen: list[Experiment], shown: Progress) -> Iterator[Experiment]:
    """The experiments one by one, so that it is seen which one is running."""
    for done, one in enumerate(chosen):
        shown(f"Running {one.paper} {one.item}")
        shown.step(done, len(chosen))
        yield one


def _list_all() -> None:
    for name in MODULES:
        try:
            found = paper(name)
        except MissingLibrary as error:
            print(textwrap.fill(f"{name}: {error}", WIDTH, subsequent_indent="  ") + "\n")
            continue
        said = REFERENCES[found.references[0]] if len(found.references) == 1 else found.title
        print(textwrap.fill(f"{name}: {said}", WIDTH, subsequent_indent="  ") + "\n")
        rows = [[one.item, one.where, one.title, one.takes] for one in found]
        print(textwrap.indent("\n".join(aligned(["item", "where", "shows", "takes"], rows)), "  ") + "\n")
        for needs in dict.fromkeys(one.needs for one in found if one.needs):
            items = ", ".join(one.item for one in found if one.needs == needs)
            said = f"--data FOLDER, for {items}: {needs}."
            print(textwrap.fill(said, WIDTH, initial_indent="  ", subsequent_indent="  ") + "\n")
    print("Run one with: divulge reproduce PAPER ITEM, or all with: divulge reproduce all")
