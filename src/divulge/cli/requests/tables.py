"""What commands that read a table may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from divulge.cli import options
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class RolesRequest:
    """The roles of a table's attributes, and how their values lie to each other."""

    identifiers: options.Identifiers = None
    quasi_identifiers: options.QuasiIdentifiers = None
    sensitive: options.Sensitive = None
    hierarchies: options.Hierarchies = None
    orders: options.Orders = None


@dataclass(frozen=True, kw_only=True)
class OutputRequest:
    """What is printed or written besides a page on the terminal."""

    as_json: options.AsJson = False
    markdown: options.Markdown = None


@dataclass(frozen=True, kw_only=True)
class ReportRequest(OutputRequest):
    """The same of a command that writes a report."""

    report: options.Report = None
    no_report: options.NoReport = False
    show_values: options.ShowValues = False


@dataclass(frozen=True, kw_only=True)
class AuditRequest(ReportRequest, RolesRequest):
    """What may be asked of the audit command."""

    file: options.File
    policy: options.Policy = None
    junit: options.Junit = None
    plan_records: Annotated[
        str | None,
        typer.Option(
            "--plan-records",
            metavar="FILE.csv",
            help="Write which records the plan leaves out or suppresses.",
        ),
    ] = None
    strict: options.Strict = False
    population: options.Population = None
    exact_counts: options.ExactCounts = False
    seed: options.Seed = None
    source: SourceOptions


@dataclass(frozen=True, kw_only=True)
class CheckRequest(OutputRequest):
    """What may be asked of the check command."""

    policy: Annotated[
        str, typer.Option("--policy", metavar="FILE.toml", help="Roles and thresholds to hold the data to.")
    ]
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="The data. Default: the source that the policy names."),
    ] = None
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="LAST.json", help="An earlier audit; fail where a reading got worse."
        ),
    ] = None
    junit: options.Junit = None
    strict: options.Strict = False
    population: options.Population = None
    exact_counts: options.ExactCounts = False
    seed: options.Seed = None
    source: options.UnderPolicy


@dataclass(frozen=True, kw_only=True)
class InitRequest:
    """What may be asked of the init command."""

    file: options.File
    out: Annotated[str, typer.Option("--out", metavar="FILE.toml", help="Where to write the policy.")] = (
        "divulge.toml"
    )
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False
    source: SourceOptions


@dataclass(frozen=True, kw_only=True)
class CompareRequest(ReportRequest, RolesRequest):
    """What may be asked of the compare command; the file is the original."""

    file: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The data before treatment: a file, or a database URL.")
    ]
    releases: Annotated[
        list[str],
        typer.Argument(metavar="RELEASED...", help="The data as released; several may be compared."),
    ]
    policy: options.Policy = None
    by: Annotated[
        options.Names,
        typer.Option("--by", metavar="A,B", help="Attributes that say whose record it is in both."),
    ] = None
    columns: Annotated[
        options.Names,
        typer.Option("--column", metavar="A=B", help="Attribute A of the original is B in the releases."),
    ] = None
    partitions: Annotated[
        options.Names,
        typer.Option(
            "--partitions",
            metavar="NAME=FILE.toml",
            help="Domains of sensitive values that mean the same to an attacker; may be repeated.",
        ),
    ] = None
    need: Annotated[
        str | None, typer.Option("--need", metavar="NEED.toml", help="What the data are needed for.")
    ] = None
    population: Annotated[
        str | None,
        typer.Option("--population", metavar="FILE", help="The population that the records are a sample of."),
    ] = None
    outside: Annotated[
        str | None,
        typer.Option(
            "--outside", metavar="FILE", help="A table that an attacker may hold beside the release."
        ),
    ] = None
    tables: Annotated[
        int,
        typer.Option("--tables", metavar="N", min=1, max=4, help="Attributes that are tabulated together."),
    ] = 2
    mining: Annotated[
        bool, typer.Option("--mining", help="Train models on the releases and test them on the original.")
    ] = False
    exact_counts: options.ExactCounts = False
    seed: options.Seed = None
    source: options.OfSeveralTables


@dataclass(frozen=True, kw_only=True)
class UtilityRequest:
    """What may be asked of the utility command."""

    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="The data; several releases may be compared.")
    ]
    need: Annotated[
        str,
        typer.Option("--need", metavar="NEED.toml", help="Attributes of interest and what groups matter."),
    ]
    by_value: options.ByValue = False
    exact_counts: options.ExactCounts = False
    as_json: options.AsJson = False
    seed: options.Seed = None
    source: options.OfSeveralTables


@dataclass(frozen=True, kw_only=True)
class MeasureRequest(RolesRequest):
    """What may be asked of the measure command."""

    file: options.File
    keys: Annotated[
        options.Names,
        typer.Option(
            "--keys", metavar="A,B", help="Attributes an attacker may know. Default: the quasi-identifiers."
        ),
    ] = None
    target: Annotated[
        options.Names,
        typer.Option(
            "--target",
            metavar="X",
            help="Attribute to be learned; several are taken together; @record is re-identification.",
        ),
    ] = None
    measures: Annotated[
        options.Names,
        typer.Option(
            "--measure", metavar="NAME", help="Measure to read; may be repeated. Default: all that apply."
        ),
    ] = None
    partitions: options.Partitions = None
    by_value: options.ByValue = False
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", min=1, help="The same for the N riskiest only.")
    ] = None
    exact_counts: options.ExactCounts = False
    as_json: options.AsJson = False
    parameters: Annotated[
        options.Names,
        typer.Option(
            "--with",
            metavar="NAME=VALUE",
            help="Parameter of the chosen measures, such as l=3 or ground=ordered.",
        ),
    ] = None
    permutations: Annotated[
        int | None,
        typer.Option("--permutations", metavar="N", min=0, help="Shuffles for what chance gives."),
    ] = None
    seed: options.Seed = None
    source: SourceOptions
