"""The audit and check commands: from options to an assessment to files, a page and an exit code."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import typer

from divulge._support.wording import WIDTH, flattened
from divulge.assessment import Assessment, audit, read_baseline
from divulge.assessment.remedies.record_changes import RecordChange, refuse_unlisted
from divulge.assessment.roles import explicit
from divulge.cli.command_line import with_command
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED, PASSED
from divulge.cli.outputs import deliver, refuse_outputs, report_path
from divulge.cli.progress import progress
from divulge.cli.requests.tables import AuditRequest, CheckRequest
from divulge.cli.tables import file_name, seed_of, table_under
from divulge.documents.audit import AuditDocument
from divulge.policy import Policy
from divulge.report.audit.junit import junit
from divulge.report.audit.markdown import markdown
from divulge.report.audit.page import page
from divulge.report.audit.text import text
from divulge.source.options import OPTIONS


def run_audit(asked: AuditRequest) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    report = report_path(asked, asked.file, asked.source.table, "audit")
    outputs = (report, asked.markdown, asked.junit, asked.plan_records)
    refuse_outputs(*outputs, inputs=(asked.file, asked.policy))
    with progress("Reading") as stage:
        data = table_under(policy, asked)
        if asked.plan_records is not None:
            refuse_unlisted(data)
        found = audit(
            data,
            policy,
            show_values=asked.show_values,
            population=asked.population,
            seed=seed_of(asked.seed),
            stage=stage,
        )
        document = with_command(replace(found, called=tuple(_called(asked, file_name)))).document
        here = explicit(found.scope.data.schema, _called(asked, _path))
        if report is not None:
            stage("Drawing")
        drawn = {} if report is None else {report: page(flattened(document))}
        listed = {} if asked.plan_records is None else {Path(asked.plan_records): _listed(found)}
    _deliver(document, asked, drawn, listed, here)
    if policy is not None:
        raise typer.Exit(_code(found, asked.strict))


def run_check(asked: CheckRequest) -> None:
    refuse_outputs(asked.markdown, asked.junit, inputs=(asked.file, asked.policy, asked.baseline))
    policy = Policy.read(asked.policy)
    baseline = None if asked.baseline is None else read_baseline(asked.baseline)
    with progress("Reading") as stage:
        data = policy.open(asked.file, **asked.source.given())
        seed = seed_of(asked.seed)
        found = audit(
            data, policy, search=False, baseline=baseline, population=asked.population, seed=seed, stage=stage
        )
        document = with_command(found).document
    _deliver(document, asked, {})
    raise typer.Exit(_code(found, asked.strict))


def _listed(found: Assessment) -> str:
    """The records that the plan changes, as CSV."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(RecordChange._fields)
    rows.writerows(found.record_changes())
    return out.getvalue()


def _called(asked: AuditRequest, naming: Callable[[str], str]) -> list[str]:
    """How the data were named, to be used again, files by their names or by their paths."""
    said = {OPTIONS[name].flag: value for name, value in asked.source.given().items()}
    for name, place, shown in (
        ("master", asked.source.master, file_name),
        ("layout", asked.source.layout, naming),
    ):
        if place is not None:
            said[OPTIONS[name].flag] = shown(place)
    repeated = {
        **said,
        "--population": asked.population,
        "--hierarchy": [_file_named(given, naming) for given in asked.hierarchies or ()],
        "--order": asked.orders,
    }
    named = [naming(asked.file)]
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


def _deliver(
    document: AuditDocument,
    asked: AuditRequest | CheckRequest,
    reports: Mapping[Path, str],
    listed: Mapping[Path, str] = MappingProxyType({}),
    here: str | None = None,
) -> None:
    """Write and print; ``here`` is the command with explicit roles as it works in the folder of the user."""
    plain = flattened(document)
    checks = {} if asked.junit is None else {Path(asked.junit): junit(plain, strict=asked.strict)}

    def shown(landed: Mapping[Path, Path]) -> str:
        report = next((str(landed[path]) for path in reports), None)
        said = [f"Records that the plan changes: {landed[path]}\n" for path in listed]
        roles = plain["roles"] if here is None else {**plain["roles"], "explicit": here}
        return "".join([text({**plain, "roles": roles}, width=WIDTH, report=report), *said])

    files = {**reports, **checks, **listed}
    deliver(document, asked, text=shown, markdown=lambda one: markdown(flattened(one)), files=files)


def _code(found: Assessment, strict: bool) -> int:
    """0 passed, 1 a check failed, 3 a check could not be evaluated; a warning fails only when strict."""
    outcomes = {check.outcome for check in found.checks}
    if "fail" in outcomes or (strict and "warn" in outcomes):
        return FAILED
    return NOT_EVALUATED if "not evaluated" in outcomes or not outcomes else PASSED
