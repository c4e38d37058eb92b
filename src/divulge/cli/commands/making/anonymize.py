"""The anonymize command: the release of least loss that meets a policy, its recipe and the proof."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import typer

from divulge._support.stages import Stage, told
from divulge._support.wording import flattened
from divulge.anonymization.anonymizing import anonymize, hierarchies_of, shown_hierarchies
from divulge.anonymization.found import Anonymization
from divulge.anonymization.options import threshold_of
from divulge.anonymization.recipe_text import policy_beside, recipe_files
from divulge.anonymization.result.document import search_document
from divulge.cli.command_line import with_command
from divulge.cli.exit_codes import STOPPED
from divulge.cli.outputs import PRINTED, deliver, refuse_outputs
from divulge.cli.parameters import flag_of
from divulge.cli.progress import progress
from divulge.cli.requests.making import AnonymizeRequest
from divulge.cli.requests.tables import RolesRequest
from divulge.cli.tables import database_file, pairs, reading_of, source_in_command, table_with_roles
from divulge.cli.text_form import written_otherwise
from divulge.cli.verbosity import opened
from divulge.documents.making.anonymization import AnonymizationDocument
from divulge.errors import ParameterError
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.files import refuse_existing, refuse_release
from divulge.recipes.outputs.forms import is_laid_out
from divulge.recipes.transform import is_table_name
from divulge.report.anonymization.text import text
from divulge.report.shared.writing import write
from divulge.source.options import OPTIONS, READING


def run_anonymize(asked: AnonymizeRequest) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    _refuse(asked, policy)
    weights = {
        name: _number(name, one) for name, one in pairs(asked.importance, "--importance", None).items()
    }
    trees = pairs(asked.hierarchies, "--hierarchy", None)
    form = _form(asked)
    with progress("Reading") as stage:
        data = opened(_table(asked, policy))
        if asked.show_hierarchies:
            shown = hierarchies_of(data, trees if policy is not None else None)
            sys.stdout.write(shown_hierarchies(*shown))
            return
        made = with_command(
            anonymize(
                data,
                policy,
                thresholds=_thresholds(asked),
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
        )
        found = replace(made, layout=asked.source.layout)
        _write(found, asked, stage)
        document = _document(found, asked, stage)
        report = {} if form is None else {Path(asked.report or ""): form(document)}

    def said(landed: Mapping[Path, Path]) -> str:
        files = [("Report", str(landed[path])) for path in report]
        return text(flattened(document), files=[*_written(asked, policy), *files])

    deliver(document, asked, text=said, markdown=_markdown, files=report)
    if found.certificate.stopped == "interrupt":
        print("divulge: stopped; this is the best so far.", file=sys.stderr)
        raise typer.Exit(STOPPED)


def _form(asked: AnonymizeRequest) -> Callable[[Mapping[str, Any]], str] | None:
    """How the report is written; pages are imported where one is asked for."""
    if asked.report is None:
        return None
    from divulge.report.saving import form_for

    return form_for("anonymization", Path(asked.report))


def _markdown(document: Mapping[str, Any]) -> str:
    from divulge.report.anonymization.markdown import markdown

    return markdown(flattened(document))


def _write(found: Anonymization, asked: AnonymizeRequest, stage: Stage) -> None:
    """Write the release and its recipe before anything else, so that they are there whatever comes."""
    if asked.out is not None:
        stage("Writing")
        found.save(asked.out, overwrite=asked.overwrite)
    if asked.write_recipe is not None:
        source = source_in_command(
            _source(asked, found.policy) or found.name, reading_of(asked, found.policy)
        )
        files = recipe_files(found, Path(asked.write_recipe), source, found.tables)
        for path in files:
            refuse_existing(path, overwrite=asked.overwrite)
        for path, content in files.items():
            write(path, content, private=path.suffix == ".csv")  # they name values of single people


def _document(found: Anonymization, asked: AnonymizeRequest, stage: Stage) -> AnonymizationDocument:
    """The document; its front, which can take as long as the search, only where it is shown."""
    wanted = asked.as_json or asked.report is not None
    if wanted:
        stage("Comparing risk and loss")
        found.find_front(told(stage))
    stage("Checking")
    return search_document(found, front=wanted)


def _written(asked: AnonymizeRequest, policy: Policy | None) -> list[tuple[str, str]]:
    """What was written, as the terminal says it, and the command that looks at it next."""
    files = [("Release", asked.out or "none written; name a file with --out")]
    form = written_otherwise(_source(asked, policy) or "", reading_of(asked, policy), asked.out or "")
    files += [("Form", form)] if form else []
    files += [("Recipe", asked.write_recipe)] if asked.write_recipe else []
    command = _comparing(asked, policy)
    return files if command is None else [*files, ("Compare", command)]


def _comparing(asked: AnonymizeRequest, policy: Policy | None) -> str | None:
    """The command that compares the release with its original; None where files for that were not written."""
    under, source = asked.policy, _source(asked, policy) or ""
    if under is None and asked.write_recipe is not None:
        under = str(policy_beside(Path(asked.write_recipe)))
    address = database_file(source)
    if under is None or not (asked.out or asked.write_recipe) or not (address or Path(source).is_file()):
        return None  # the address of a database may have a password in it
    release = asked.out or ""
    if address is not None:
        table = reading_of(asked, policy).table or source.partition("#")[2]
        release = f"{address}{release}" if is_table_name(release) else release
        source = f"{address}#{table}" if table else address
    made = ["--recipe", asked.write_recipe] if asked.write_recipe else [release]
    known = reading_of(asked, policy).layout
    needed = asked.source.layout is not None or is_laid_out(release)
    layout = ["--layout", known] if known is not None and needed else []
    return shlex.join(["divulge", "compare", source, *made, *layout, "--policy", under])


def _source(asked: AnonymizeRequest, policy: Policy | None) -> str | None:
    return asked.file or (None if policy is None else policy.data.source)


def _refuse(asked: AnonymizeRequest, policy: Policy | None) -> None:
    """Refuse before the work begins what cannot be meant together, or cannot be written."""
    source = _source(asked, policy)
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
    out = None if asked.out is None or is_table_name(asked.out) else asked.out
    if out is not None:
        refuse_release(Path(out), overwrite=asked.overwrite, layout=reading_of(asked, policy).layout)
    if asked.write_recipe is not None:
        refuse_existing(Path(asked.write_recipe), overwrite=asked.overwrite)
    if asked.as_json and asked.markdown == PRINTED:
        raise ParameterError("--json and --markdown - cannot both be printed.", hint="Name a file for one.")
    refuse_outputs(
        out, asked.write_recipe, asked.report, asked.markdown, inputs=(source, asked.policy, asked.need)
    )


def _table(asked: AnonymizeRequest, policy: Policy | None) -> Data:
    if policy is None:
        return table_with_roles(asked)
    return policy.open(asked.file, **asked.source.given(*READING))


def _thresholds(asked: AnonymizeRequest) -> dict[str, Any] | None:
    """Thresholds from options, several of one measure in a list."""
    found: dict[str, Any] = {} if asked.k is None else {"k_anonymity": [{"min": asked.k}]}
    for one in asked.thresholds or ():
        name, table = threshold_of(one)
        found.setdefault(name, []).append(table)
    return found or None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"--importance of '{name}' is no number.", hint=f"Write {name}=2.") from None
