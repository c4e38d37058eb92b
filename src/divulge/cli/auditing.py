"""The audit and check commands: from options to an assessment to files, a page and an exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from divulge.assessment import Assessment, audit, read_baseline
from divulge.chance import SEED
from divulge.cli.delivering import deliver, refuse_outputs, report_path
from divulge.cli.progress import progress
from divulge.cli.reading import DataRequest, described, file_name, policed
from divulge.documents.audit import AuditDocument
from divulge.policy import Policy
from divulge.report.junit import junit
from divulge.report.markdown import markdown
from divulge.report.page import page
from divulge.report.text import text
from divulge.wording import WIDTH, flattened

PASSED, FAILED, NOT_EVALUATED = 0, 1, 3


@dataclass(frozen=True)
class Audit(DataRequest):
    """What was asked of the audit command."""

    policy: str | None
    report: str | None
    no_report: bool
    as_json: bool
    markdown: str | None
    junit: str | None
    show_values: bool
    exact_counts: bool
    strict: bool
    seed: int | None
    population: int | None


@dataclass(frozen=True)
class Gate:
    """What was asked of the check command."""

    policy: str
    file: str | None
    baseline: str | None
    strict: bool
    population: int | None
    exact_counts: bool
    as_json: bool
    markdown: str | None
    junit: str | None
    seed: int | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None
    engine: str | None
    master: str | None
    memory: str | None


def run_audit(asked: Audit) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    report = report_path(asked, "audit")
    refuse_outputs(report, asked.markdown, asked.junit, inputs=(asked.file, asked.policy))
    with progress("Reading") as stage:
        found = audit(
            policed(asked, policy),
            policy,
            show_values=asked.show_values,
            population=asked.population,
            seed=SEED if asked.seed is None else asked.seed,
            stage=stage,
        )
        document = replace(found, called=tuple(_called(asked))).document
        if report is not None:
            stage("Drawing")
        drawn = {} if report is None else {report: page(flattened(document))}
    _deliver(document, asked, drawn)
    if policy is not None:
        raise typer.Exit(_code(found, asked.strict))


def run_check(asked: Gate) -> None:
    refuse_outputs(asked.markdown, asked.junit, inputs=(asked.file, asked.policy, asked.baseline))
    policy = Policy.read(asked.policy)
    baseline = None if asked.baseline is None else read_baseline(asked.baseline)
    with progress("Reading") as stage:
        data = policy.open(asked.file, **described(asked))
        seed = SEED if asked.seed is None else asked.seed
        found = audit(
            data,
            policy,
            search=False,
            baseline=baseline,
            population=asked.population,
            seed=seed,
            stage=stage,
        )
        document = found.document
    _deliver(document, asked, {})
    raise typer.Exit(_code(found, asked.strict))


def _called(asked: Audit) -> list[str]:
    """How the data were named, to be used again."""
    named = [file_name(asked.file)]
    for option, given in (
        ("--table", asked.table),
        ("--separator", asked.separator),
        ("--quote", asked.quote),
        ("--encoding", asked.encoding),
        ("--engine", asked.engine),
        ("--master", None if asked.master is None else file_name(asked.master)),
        ("--memory", asked.memory),
        ("--weights", asked.weights),
        ("--population", None if asked.population is None else str(asked.population)),
        ("--missing", None if asked.missing == "value" else asked.missing),
        ("--suppressed", None if asked.suppressed == "*" else asked.suppressed),
        *(("--missing-value", given) for given in asked.missing_values or ()),
        *(("--hierarchy", _file_named(given)) for given in asked.hierarchies or ()),
        *(("--order", given) for given in asked.orders or ()),
    ):
        named += [] if given is None else [option, given]
    return named


def _file_named(hierarchy: str) -> str:
    name, _, file = hierarchy.partition("=")
    return f"{name}={file_name(file)}"


def _deliver(document: AuditDocument, asked: Audit | Gate, reports: dict[Path, str]) -> None:
    plain = flattened(document)
    checks = {} if asked.junit is None else {Path(asked.junit): junit(plain, strict=asked.strict)}

    def shown(landed: Mapping[Path, Path]) -> str:
        report = next((str(landed[path]) for path in reports), None)
        return text(plain, width=WIDTH, report=report)

    deliver(
        document, asked, text=shown, markdown=lambda one: markdown(flattened(one)), files=reports | checks
    )


def _code(found: Assessment, strict: bool) -> int:
    """0 passed, 1 a check failed, 3 a check could not be evaluated; a warning fails only when strict."""
    outcomes = {check.outcome for check in found.checks}
    if "fail" in outcomes or (strict and "warn" in outcomes):
        return FAILED
    return NOT_EVALUATED if "not evaluated" in outcomes or not outcomes else PASSED
