"""The audit and check commands: from options to an assessment to files, a page and an exit code."""

from __future__ import annotations

import csv
import io
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import typer

from divulge._support.stages import Stage
from divulge._support.wording import WIDTH, flattened, many
from divulge.assessment import Assessment, audit, read_baseline
from divulge.assessment.record_facts import refuse_unordered
from divulge.assessment.remedies.recipe_steps import needs_records, recipe_steps, recipe_text, still_open
from divulge.assessment.remedies.record_changes import RecordChange, refuse_unlisted
from divulge.assessment.roles import explicit
from divulge.cli.command_line import with_command
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED, PASSED
from divulge.cli.outputs import deliver, refuse_outputs, report_path
from divulge.cli.progress import progress
from divulge.cli.requests.tables import AuditRequest, CheckRequest
from divulge.cli.table_files import csv_files, folder_files, refuse_records, write_records
from divulge.cli.tables import (
    file_name,
    population_file,
    population_of,
    reading_of,
    seed_of,
    source_in_command,
    table_under,
)
from divulge.cli.verbosity import opened
from divulge.documents.audit import AuditDocument
from divulge.errors import DivulgeError, ParameterError
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.report.audit.junit import junit
from divulge.report.audit.markdown import markdown
from divulge.report.audit.page import page
from divulge.report.audit.text import text
from divulge.source.options import OPTIONS

_RECORDS = "Records that the plan changes, to be kept with the data"
_RECIPE = "Recipe, for divulge transform"
CHECKED = ("checks", "attributes")  # what --csv-folder writes
AUDITED = (*CHECKED, "combinations")


def run_audit(asked: AuditRequest) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    file = _file(asked, policy)
    report = report_path(asked, file, asked.source.table, "audit")
    folder = folder_files(asked.csv, AUDITED)
    written = (asked.write_recipe, _records_beside(asked.write_recipe))
    outputs = (report, asked.markdown, asked.junit, asked.plan_records, asked.records, *written, *folder)
    refuse_outputs(*outputs, inputs=(file, asked.policy, population_file(asked)))
    _refuse_strict(asked)
    _refuse_records(asked)
    _refuse_recipe(asked)
    _refuse_anatomy(asked)
    with progress("Reading") as stage:
        data = opened(table_under(policy, asked))
        _refuse_unlisted(data, asked)
        found = audit(
            data,
            policy,
            show_values=asked.show_values,
            population=population_of(asked, data),
            fraction=asked.fraction,
            household=asked.household,
            seed=seed_of(asked.seed),
            stage=stage,
        )
        document = with_command(replace(found, called=tuple(_called(asked, file, file_name)))).document
        here = explicit(found.scope.data.schema, _called(asked, file, _path))
        if report is not None:
            stage("Drawing")
        drawn = {} if report is None else {report: page(flattened(document))}
        listed = {} if asked.plan_records is None else {Path(asked.plan_records): _listed(found)}
        listed |= (
            {}
            if asked.write_recipe is None
            else _recipe(found, asked.write_recipe, source_in_command(file, reading_of(asked, policy)))
        )
        tables = csv_files(asked.csv, {part: found.columns(part) for part in AUDITED} if asked.csv else {})
        not_written = None if asked.records is None else _write_records(found, asked, stage)
    _deliver(document, asked, drawn, listed, tables, here)
    if not_written is not None:
        raise not_written
    if policy is not None:
        raise typer.Exit(_code(found, asked.strict))


def run_check(asked: CheckRequest) -> None:
    policy = Policy.read(asked.policy)
    folder, file = folder_files(asked.csv, CHECKED), asked.file or policy.data.source
    inputs = (file, asked.policy, asked.earlier, population_file(asked))
    refuse_outputs(asked.markdown, asked.junit, *folder, inputs=inputs)
    baseline = None if asked.earlier is None else read_baseline(asked.earlier)
    with progress("Reading") as stage:
        data = opened(policy.open(asked.file, **asked.source.given()))
        seed = seed_of(asked.seed)
        found = audit(
            data,
            policy,
            search=False,
            baseline=baseline,
            population=population_of(asked, data),
            fraction=asked.fraction,
            household=asked.household,
            seed=seed,
            stage=stage,
        )
        document = with_command(found).document
        tables = csv_files(asked.csv, {part: found.columns(part) for part in CHECKED} if asked.csv else {})
    _deliver(document, asked, {}, tables=tables)
    raise typer.Exit(_code(found, asked.strict))


def _file(asked: AuditRequest, policy: Policy | None) -> str:
    """The table as it was named, by the command or by its policy."""
    if asked.file is None and policy is None:
        raise ParameterError("No FILE was given.", hint="Name a table, or a policy that names one: --policy.")
    return asked.file or (policy and policy.data.source) or ""


def _refuse_strict(asked: AuditRequest) -> None:
    """Refuse to count warnings as failures where nothing says that a check failed."""
    if asked.strict and asked.policy is None and asked.junit is None:
        raise ParameterError(
            "--strict goes with --policy: without a policy an audit ends with 0, whatever it finds.",
            hint="Write a policy with divulge init, then use --policy divulge.toml.",
        )


def _refuse_records(asked: AuditRequest) -> None:
    """Refuse a file for records that cannot be meant, and what goes with such a file only."""
    if asked.records is not None:
        refuse_records(Path(asked.records), overwrite=asked.overwrite)
    elif asked.row_key is not None:
        raise ParameterError("--row-key goes with --records.", hint="Name the file: --records OUT.parquet.")


def _refuse_unlisted(data: Data, asked: AuditRequest) -> None:
    """Refuse to list records that cannot be listed, before the work begins."""
    if asked.plan_records is not None:
        refuse_unlisted(data)
    if asked.records is not None:
        refuse_unordered(data)
        data.schema.check([] if asked.row_key is None else [asked.row_key])


def _write_records(found: Assessment, asked: AuditRequest, stage: Stage) -> DivulgeError | None:
    """Write the risk of each record; where that fails, all else is written before the error is raised."""
    stage("Writing records")
    try:
        columns = found.columns("records", exact_counts=True, key=asked.row_key)
        write_records(Path(asked.records or ""), columns)
    except DivulgeError as error:
        return error
    return None


def _refuse_recipe(asked: AuditRequest) -> None:
    """Refuse to replace a recipe, which people edit, and the records beside it."""
    files = (asked.write_recipe, _records_beside(asked.write_recipe))
    there = [Path(file) for file in files if file is not None and Path(file).exists()]
    if there and not asked.overwrite:
        raise ParameterError(
            f"{there[0]} is there already.", hint="Name another file, or allow it with --overwrite."
        )


def _refuse_anatomy(asked: AuditRequest) -> None:
    """Refuse to name records of an anatomy, of which each is read several times."""
    files = {"--plan-records": asked.plan_records, "--write-recipe": asked.write_recipe}
    named = [name for name, file in {**files, "--records": asked.records}.items() if file is not None]
    if named and asked.source.anatomy is not None:
        raise ParameterError(
            f"{named[0]} is about single records, and --anatomy reads each with every value of its group.",
            hint="Audit the first table alone, or the original.",
        )


def _records_beside(recipe: str | None) -> Path | None:
    """The file that lists the records of a recipe, beside it."""
    return None if recipe is None else Path(recipe).with_name(f"{Path(recipe).stem}-records.csv")


def _recipe(found: Assessment, recipe: str, source: str) -> dict[Path, str]:
    """The plan as a recipe, and the records it lists where it does."""
    changes = [] if found.verdict.outcome == "pass" else found.advised
    if not changes:
        sys.stderr.write("divulge: no recipe was written, since nothing is proposed.\n")
        return {}
    beside = _records_beside(recipe) if needs_records(changes) else None
    policy = () if found.policy is None else found.policy.attributes
    steps = recipe_steps(found.scope, changes, None if beside is None else beside.name, policy)
    said = found.scope.data.missing_values
    not_passed, name = still_open(found.scope, found.checks, changes), _from_here(recipe)
    if not_passed is not None:
        sys.stderr.write(f"divulge: after the steps of {name} {not_passed}.\n")
    text = recipe_text(source, shlex.quote(name), steps, said, not_passed)
    return {Path(recipe): text} | ({} if beside is None else {beside: _listed(found)})


def _listed(found: Assessment) -> str:
    """The records that the plan changes, as CSV."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(RecordChange._fields)
    rows.writerows(found.record_changes())
    return out.getvalue()


def _called(asked: AuditRequest, file: str, naming: Callable[[str], str]) -> list[str]:
    """How the data were named, to be used again, files by their names or by their paths."""
    said = {OPTIONS[name].flag: value for name, value in asked.source.given().items()}
    for name, place, shown in (
        ("master", asked.source.master, file_name),
        ("layout", asked.source.layout, naming),
        ("anatomy", asked.source.anatomy, naming),
    ):
        if place is not None:
            said[OPTIONS[name].flag] = shown(place)
    repeated = {
        **said,
        "--population": asked.population if (table := population_file(asked)) is None else naming(table),
        "--fraction": asked.fraction,
        "--household": asked.household,
        "--hierarchy": [_file_named(given, naming) for given in asked.hierarchies or ()],
        "--order": asked.orders,
    }
    named = [naming(file)]
    for option, given in repeated.items():
        several = given if isinstance(given, list | tuple) else () if given is None else (given,)
        named += [
            text for value in several for text in ((option,) if value is True else (option, str(value)))
        ]
    return named


def _file_named(hierarchy: str, naming: Callable[[str], str]) -> str:
    name, _, file = hierarchy.partition("=")
    return f"{name}={naming(file)}"


def _path(given: str) -> str:
    """A file as it was given, for a command on the terminal: there, unlike in reports, folders are known."""
    return file_name(given) if "://" in given else given


def _from_here(given: str) -> str:
    """A file as a command names it; of one named from the root, whose folders tell of people, the name."""
    return file_name(given) if Path(given).is_absolute() else _path(given)


def _deliver(
    document: AuditDocument,
    asked: AuditRequest | CheckRequest,
    reports: Mapping[Path, str],
    listed: Mapping[Path, str] = MappingProxyType({}),
    tables: Mapping[Path, str] = MappingProxyType({}),
    here: str | None = None,
) -> None:
    """Write and print; ``here`` is the command with explicit roles as it works in the folder of the user."""
    plain = flattened(document)
    checks = {} if asked.junit is None else {Path(asked.junit): junit(plain, strict=asked.strict)}
    recipe = asked.write_recipe if isinstance(asked, AuditRequest) else None
    named = {path for path in listed if recipe is None or path != Path(recipe)}  # they name records

    file = () if asked.file is None else (_path(asked.file),)

    def shown(landed: Mapping[Path, Path]) -> str:
        report = next((str(landed[path]) for path in reports), None)
        said = [f"{_RECORDS if path in named else _RECIPE}: {landed[path]}\n" for path in listed]
        said += [f"Table: {landed[path]}{_cut(path, document)}\n" for path in tables]
        by_record = asked.records if isinstance(asked, AuditRequest) else None
        if by_record is not None and Path(by_record).exists():
            said.append(f"Risk of each record, to be kept with the data: {by_record}\n")
        roles = plain["roles"] if here is None else {**plain["roles"], "explicit": here}
        called = None if asked.policy is None else [*file, "--policy", asked.policy]
        return "".join([text({**plain, "roles": roles}, width=WIDTH, report=report, called=called), *said])

    files = {**reports, **checks, **listed, **tables}
    deliver(
        document,
        asked,
        text=shown,
        markdown=lambda one: markdown(flattened(one)),
        files=files,
        private=named,
    )


def _cut(table: Path, document: AuditDocument) -> str:
    """That a table has some of the combinations only."""
    found = document["combinations"]
    if table.stem != "combinations" or found is None:
        return ""
    shown, searched = len(found["subsets"]), found["searched"]
    some = f" ({many(shown)} of {many(searched)} combinations, the riskiest of each size)"
    return some if shown < searched else ""


def _code(found: Assessment, strict: bool) -> int:
    """0 passed, 1 a check failed, 3 a check could not be evaluated; a warning fails only when strict."""
    outcomes = {check.outcome for check in found.checks}
    if "fail" in outcomes or (strict and "warn" in outcomes):
        return FAILED
    return NOT_EVALUATED if "not evaluated" in outcomes or not outcomes else PASSED
