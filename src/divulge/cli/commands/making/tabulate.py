"""The table command: tables of records, or a published one, protected and attacked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from divulge._support.wording import flattened
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED
from divulge.cli.outputs import PRINTED, deliver, refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.tabulating import TabulateRequest
from divulge.cli.tables import pairs, split
from divulge.cli.verbosity import opened
from divulge.errors import ParameterError
from divulge.questions.data import Data, read
from divulge.recipes.files import refuse_existing, write_text
from divulge.report.saving import form_for
from divulge.report.table.markdown import markdown
from divulge.report.table.text import text
from divulge.tabulation.account import TableAccount, tabulate
from divulge.tabulation.table_policy import TablePolicy

_CODES = {"fail": FAILED, "not evaluated": NOT_EVALUATED}


def run_table(asked: TabulateRequest) -> None:
    policy = None if asked.policy is None else TablePolicy.read(asked.policy)
    _refuse(asked, policy)
    form = None if asked.report is None else form_for("table", Path(asked.report))
    with progress("Reading") as stage:
        data = _data(asked, policy)
        found = tabulate(
            data,
            None if asked.by is None else _by(asked, data),
            value=asked.value,
            statistic=_statistic(asked),
            policy=policy,
            published=asked.published,
            method=asked.protect,
            hierarchies=pairs(asked.hierarchies, "--hierarchy", None),
            contributor=asked.contributor,
            seed=asked.seed,
            show_values=asked.show_values,
            stage=stage,
        )
        written = _write(found, asked)
        document = found.to_dict()
        report = {} if form is None else {Path(asked.report or ""): form(document)}

    def said(landed: Mapping[Path, Path]) -> str:
        files = [*written, *(("Report", str(landed[path])) for path in report)]
        return text(flattened(document), files=files)

    deliver(
        document,
        asked,
        text=said,
        markdown=lambda one: markdown(flattened(one)),
        files=report,
        private=[*report],
    )
    if document["outcome"] in _CODES:
        raise typer.Exit(_CODES[document["outcome"]])


def _data(asked: TabulateRequest, policy: TablePolicy | None) -> Data | None:
    source = asked.file or (None if policy is None else policy.data.source)
    if source is None:
        return None
    given = (
        {} if policy is None else {name: one for name, one in policy.data.given().items() if name != "source"}
    )
    return opened(read(source, **{**given, **asked.source.given()}))


def _by(asked: TabulateRequest, data: Data | None) -> tuple[str, ...]:
    if data is not None:
        return split(asked.by, data.schema.attributes)
    return tuple(name.strip() for text in asked.by or () for name in text.split(",") if name.strip())


def _statistic(asked: TabulateRequest) -> str | None:
    chosen = [name for name in ("sum", "count", "mean") if getattr(asked, name)]
    if len(chosen) > 1:
        raise ParameterError("--sum, --count and --mean contradict each other.", hint="Give one of them.")
    return chosen[0] if chosen else None


def _refuse(asked: TabulateRequest, policy: TablePolicy | None) -> None:
    if policy is not None and policy.specs and (asked.by or asked.value):
        raise ParameterError(
            "--by and --value cannot be given together with a policy that names tables.",
            hint="Leave [[table]] out of the policy, or leave out the options.",
        )
    if asked.file is None and asked.policy is None and asked.published is None:
        raise ParameterError(
            "No FILE was given.", hint="Name records, a policy, or a table with --published."
        )
    if asked.as_json and asked.markdown == PRINTED:
        raise ParameterError("--json and --markdown - cannot both be printed.", hint="Name a file for one.")
    for name in filter(None, (asked.out, asked.steward)):
        refuse_existing(Path(name), overwrite=asked.overwrite)
    refuse_outputs(
        asked.out,
        asked.steward,
        asked.report,
        asked.markdown,
        inputs=(asked.file, asked.policy, *(asked.published or ())),
    )


def _write(found: TableAccount, asked: TabulateRequest) -> list[tuple[str, str]]:
    """The protected table, only where the audit does not fail; what was not written is said."""
    said = []
    for name, steward in ((asked.out, False), (asked.steward, True)):
        if name is None:
            continue
        if not found.protected:
            raise ParameterError("There is no protected table to write: a published one was read.")
        if not steward and found.outcome in _CODES:
            said.append(("Table", "not written, because it did not pass"))
            continue
        files = found.files(steward=steward)
        places = _places(Path(name), list(files))
        for table_name, place in places.items():
            refuse_existing(place, overwrite=asked.overwrite)
            write_text(place, files[table_name], private=steward)
            said.append(("Steward's copy" if steward else "Table", str(place)))
    return said


def _places(path: Path, names: list[str]) -> dict[str, Path]:
    """Where each table goes: the file itself, or for several a file with its name added."""
    if len(names) == 1:
        return {names[0]: path}
    slugs = {name: "".join(sign if sign.isalnum() else "-" for sign in name) for name in names}
    return {name: path.with_name(f"{path.stem}-{slug}{path.suffix}") for name, slug in slugs.items()}
