"""What commands that read a table may be asked; what a request says of itself is the help of its command."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.completion import measures
from divulge.cli.help_sections import OUTPUT, ROLES
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
class SpokenRequest:
    """How much is said while a command runs."""

    quiet: bool = options.quiet()
    verbose: bool = options.verbose()


@dataclass(frozen=True, kw_only=True)
class OutputRequest(SpokenRequest):
    """What is printed or written besides a page on the terminal."""

    as_json: bool = options.as_json()
    markdown: str | None = options.markdown()


@dataclass(frozen=True, kw_only=True)
class ReportRequest(OutputRequest):
    """The same of a command that writes a report."""

    report: str | None = options.report()
    no_report: bool = options.no_report()
    overwrite: bool = options.overwrite()
    show_values: bool = options.show_values()


@dataclass(frozen=True, kw_only=True)
class AuditRequest(ReportRequest, RolesRequest):
    """Audit a table and write a report.

    It says who can be re-identified, what can be inferred, why, and what would help.
    """

    file: str | None = options.file_or_policy()
    policy: str | None = options.policy()
    junit: str | None = options.junit()
    plan_records: str | None = options.plan_records()
    write_recipe: str | None = options.write_recipe(
        "It is the plan, with a file of its records where needed."
    )
    csv: str | None = options.csv_folder("checks", "attributes", "combinations")
    records: str | None = options.records()
    row_key: str | None = options.row_key()
    strict: bool = options.strict()
    population: str | None = options.population()
    fraction: float | None = options.fraction()
    household: str | None = options.household()
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = table_options()


@dataclass(frozen=True, kw_only=True)
class CheckRequest(OutputRequest):
    """Check a table against a policy.

    Exit codes: 0 passed, 1 a check failed, 2 the data or the policy cannot be used, 3 a check could not be
    evaluated.
    """

    policy: str = options.policy(REQUIRED)
    file: str | None = options.file_or_policy()
    earlier: str | None = option("LAST.json", "An earlier audit. The check fails where a reading got worse.")
    junit: str | None = options.junit()
    csv: str | None = options.csv_folder("checks", "attributes")
    strict: bool = options.strict()
    population: str | None = options.population()
    fraction: float | None = options.fraction()
    household: str | None = options.household()
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = options.under_policy()


@dataclass(frozen=True, kw_only=True)
class InitRequest(SpokenRequest):
    """Write a policy with suggested roles, or a recipe.

    Read it and correct it before you use it.
    """

    file: str = options.file()
    out: str | None = options.out("a policy. Default: divulge.toml.")
    write_recipe: str | None = options.write_recipe("It is a draft, and no policy is written.")
    hierarchies: Names = options.hierarchies()
    overwrite: bool = options.overwrite()
    source: SourceOptions = table_options(anatomy="Write anatomy into the policy, under [data].")


@dataclass(frozen=True, kw_only=True)
class CompareRequest(ReportRequest, RolesRequest):
    """Compare releases with their original.

    It says what each release protects, what it costs analysts, and which to prefer. With --need and no
    release, it says how well the table itself serves the need: exit codes 0 enough, 1 not enough, 3 could not
    be evaluated.
    """

    file: str = argument("ORIGINAL", "The table before treatment: a file, or a database URL.")
    releases: list[str] | None = argument("RELEASED...", "One or more tables as released.", None)
    recipes: Names = option(
        "FILE.toml", "Recipe that is applied to the original; may be repeated.", called="--recipe"
    )
    policy: str | None = options.policy()
    by: Names = options.by()
    keys: Names = option(
        "KEY.csv",
        "Which original row each record was, as transform --write-key writes it; one for each RELEASED.",
        called="--key",
        section=ROLES,
    )
    columns: Names = options.columns()
    partitions: Names = option(
        "FILE.toml",
        "Groups in which values are counted; may be repeated, and named as in NAME=FILE.toml.",
    )
    need: str | None = options.need()
    population: str | None = options.population_table()
    outside: str | None = option("FILE", "Table that an attacker may have besides the release.")
    tables: int = option("N", "Number of attributes that are tabulated together.", 2, min=1, max=4)
    mining: bool = flag("Train models on the releases and test them on the original.")
    csv: str | None = options.csv_folder("releases", "readings", "checks", "attacks")
    exact_counts: bool = options.exact_counts()
    seed: int | None = options.seed()
    source: SourceOptions = options.of_several_tables()


@dataclass(frozen=True, kw_only=True)
class EstimateRequest(SpokenRequest):
    """Estimate the count of a query from a release.

    A record with coarser values counts by the probability that it fits. With --anatomy, a sensitive value
    counts by its share in the record's group.
    """

    file: str = argument("RELEASED", f"The release: {options.FILE[0].lower()}{options.FILE[1:]}")
    where: list[str] = option(
        "'A >= 35'", "Condition, with =, !=, <, <=, > or >=; may be repeated, then all must hold.", REQUIRED
    )
    original: str | None = option(
        "FILE", "The table before treatment: its values are those behind coarser ones, and it is counted too."
    )
    hierarchies: Names = options.hierarchies()
    ranges: Names = option(
        "X=18..99",
        "Whole numbers that an attribute can be; may be repeated.",
        called="--range",
        section=ROLES,
    )
    one_of_group: bool = flag(
        "Count one record of each group of coarser values that may fit, as Sondeck's thesis does in 2.5.4."
    )
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    source: SourceOptions = table_options()


@dataclass(frozen=True, kw_only=True)
class MeasureRequest(SpokenRequest, RolesRequest):
    """Measure what keys reveal about a target."""

    file: str = options.file()
    keys: Names = options.keys(" Default: the quasi-identifiers.")
    target: Names = options.target(" Default: the one sensitive attribute, else @record.")
    measures: Names = option(
        "NAME",
        "Measure to compute; may be repeated. Default: all that apply.",
        called="--measure",
        autocompletion=measures,
    )
    partitions: str | None = options.partitions()
    by_value: bool = options.by_value()
    top: int | None = option("N", "As --by-value, for the N riskiest only.", min=1, section=OUTPUT)
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    csv: str | None = options.readings_csv()
    parameters: Names = option(
        "NAME=VALUE", "Parameter of the chosen measures, such as l=3 or ground=ordered.", called="--with"
    )
    sample: bool = flag("The table is a sample: say what readings are in the population.")
    interval: float | None = option("LEVEL", "As --sample, at a level from 0.8 to 0.999. Default: 0.95.")
    population: str | None = options.population_table()
    permutations: int | None = option("N", "Number of random shuffles behind what chance gives.", min=0)
    seed: int | None = options.seed()
    source: SourceOptions = table_options()
