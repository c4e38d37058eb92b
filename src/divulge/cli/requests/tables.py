"""What commands that read a table may be asked; what a request says of itself is the help of its command."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, flag, option, table_options
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class RolesRequest:
    """The roles of a table's attributes, and how their values lie to each other."""

    identifiers: Names = options.identifiers()
    quasi_identifiers: Names = options.quasi_identifiers()
    sensitive: Names = options.sensitive()
    hierarchies: Names = options.hierarchies()
    orders: Names = options.orders()


@dataclass(frozen=True, kw_only=True)
class OutputRequest:
    """What is printed or written besides a page on the terminal."""

    as_json: bool = options.as_json()
    markdown: str | None = options.markdown()


@dataclass(frozen=True, kw_only=True)
class ReportRequest(OutputRequest):
    """The same of a command that writes a report."""

    report: str | None = options.report()
    no_report: bool = options.no_report()
    show_values: bool = options.show_values()


@dataclass(frozen=True, kw_only=True)
class AuditRequest(ReportRequest, RolesRequest):
    """Audit a table and write a report.

    Who can be re-identified, what can be inferred, from what, and what would help.
    """

    file: str = options.file()
    policy: str | None = options.policy()
    junit: str | None = options.junit()
    plan_records: str | None = options.plan_records()
    strict: bool = options.strict()
    population: int | None = options.population()
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = table_options()


@dataclass(frozen=True, kw_only=True)
class CheckRequest(OutputRequest):
    """Check a table against a policy.

    Exit codes for pipelines: 0 passed, 1 a check failed, 2 cannot be read, 3 cannot be evaluated.
    """

    policy: str = options.policy(REQUIRED)
    file: str | None = argument("[FILE]", "The data. Default: the source that the policy names.", None)
    baseline: str | None = option("LAST.json", "An earlier audit; fail where a reading got worse.")
    junit: str | None = options.junit()
    strict: bool = options.strict()
    population: int | None = options.population()
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = options.under_policy()


@dataclass(frozen=True, kw_only=True)
class InitRequest:
    """Write a policy with suggested roles, to be read and corrected."""

    file: str = options.file()
    out: str = option("FILE.toml", "Where to write the policy.", "divulge.toml")
    force: bool = flag("Write over a file that is there.")
    source: SourceOptions = table_options()


@dataclass(frozen=True, kw_only=True)
class CompareRequest(ReportRequest, RolesRequest):
    """Compare releases with their original.

    What each protects from attackers, what it costs analysts, and which to prefer.
    """

    file: str = argument("ORIGINAL", "The data before treatment: a file, or a database URL.")
    releases: list[str] = argument("RELEASED...", "The data as released; several may be compared.")
    policy: str | None = options.policy()
    by: Names = option("A,B", "Attributes that say whose record it is in both.")
    columns: Names = option("A=B", "Attribute A of the original is B in the releases.", called="--column")
    partitions: Names = option(
        "NAME=FILE.toml", "Domains of sensitive values that mean the same to an attacker; may be repeated."
    )
    need: str | None = option("NEED.toml", "What the data are needed for.")
    population: str | None = option("FILE", "The population that the records are a sample of.")
    outside: str | None = option("FILE", "A table that an attacker may hold beside the release.")
    tables: int = option("N", "Attributes that are tabulated together.", 2, min=1, max=4)
    mining: bool = flag("Train models on the releases and test them on the original.")
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = options.of_several_tables()


@dataclass(frozen=True, kw_only=True)
class UtilityRequest:
    """Measure how well data serve a need.

    0 is not at all; 1 is where the keys determine the target.
    """

    files: list[str] = argument("FILE...", "The data; several releases may be compared.")
    need: str = option("NEED.toml", "Attributes of interest and what groups matter.", REQUIRED)
    by_value: bool = options.by_value()
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    seed: int | None = options.seed()
    source: SourceOptions = options.of_several_tables()


@dataclass(frozen=True, kw_only=True)
class MeasureRequest(RolesRequest):
    """Read measures on a table: what the keys tell about the target."""

    file: str = options.file()
    keys: Names = option("A,B", "Attributes an attacker may know. Default: the quasi-identifiers.")
    target: Names = option(
        "X", "Attribute to be learned; several are taken together; @record is re-identification."
    )
    measures: Names = option(
        "NAME", "Measure to read; may be repeated. Default: all that apply.", called="--measure"
    )
    partitions: str | None = options.partitions()
    by_value: bool = options.by_value()
    top: int | None = option("N", "The same for the N riskiest only.", min=1)
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    parameters: Names = option(
        "NAME=VALUE", "Parameter of the chosen measures, such as l=3 or ground=ordered.", called="--with"
    )
    sample: bool = flag("The table is a sample: say what readings are in the population.")
    permutations: int | None = option("N", "Shuffles for what chance gives.", min=0)
    seed: int | None = options.seed()
    source: SourceOptions = table_options()
