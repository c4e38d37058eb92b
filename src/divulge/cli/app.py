"""The commands and their options. Heavy imports wait inside the commands, so that help comes at once."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from divulge.cli import options
from divulge.cli.attacker import attacker
from divulge.cli.drawing import report
from divulge.cli.release import release
from divulge.small_counts import exact_counts as exact

app = typer.Typer(
    name="divulge",
    help="How much does this data divulge, to whom, and what would it cost to divulge less?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from divulge import __version__

        print(f"divulge {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def audit(
    file: options.File,
    identifiers: options.Identifiers = None,
    quasi_identifiers: options.QuasiIdentifiers = None,
    sensitive: options.Sensitive = None,
    policy: options.Policy = None,
    report: options.Report = None,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
    markdown: options.Markdown = None,
    junit: options.Junit = None,
    show_values: options.ShowValues = False,
    exact_counts: options.ExactCounts = False,
    strict: options.Strict = False,
    weights: options.Weights = None,
    population: options.Population = None,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    suppressed: options.Suppressed = "*",
    hierarchies: options.Hierarchies = None,
    orders: options.Orders = None,
    seed: options.Seed = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
    engine: options.Engine = None,
    master: options.Master = None,
    memory: options.Memory = None,
) -> None:
    """Who could be re-identified, what inferred, by what, and what would help: a verdict and a report."""
    given = dict(locals())
    from divulge.cli.auditing import Audit, run_audit

    with exact(exact_counts):
        run_audit(Audit(**given))


@app.command()
def check(
    policy: Annotated[
        str, typer.Option("--policy", metavar="FILE.toml", help="Roles and thresholds to hold the data to.")
    ],
    file: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="[FILE]", help="The data. Default: the source that the policy names."),
    ] = None,
    baseline: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--baseline", metavar="LAST.json", help="An earlier audit; fail where a reading got worse."
        ),
    ] = None,
    strict: options.Strict = False,
    population: options.Population = None,
    exact_counts: options.ExactCounts = False,
    as_json: options.AsJson = False,
    markdown: options.Markdown = None,
    junit: options.Junit = None,
    seed: options.Seed = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
    engine: options.Engine = None,
    master: options.Master = None,
    memory: options.Memory = None,
) -> None:
    """The gate for pipelines: 0 passed, 1 a check failed, 2 cannot be read, 3 cannot be evaluated."""
    given = dict(locals())
    from divulge.cli.auditing import Gate, run_check

    with exact(exact_counts):
        run_check(Gate(**given))


@app.command()
def init(
    file: options.File,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE.toml", help="Where to write the policy.")
    ] = "divulge.toml",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
) -> None:
    """Write a commented policy from roles proposed for the data, to be read and corrected."""
    given = dict(locals())
    from divulge.cli.drafting import Draft, run_init

    run_init(Draft(**given))


@app.command()
def demo(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="Where to write it.")] = "demo",
    records: Annotated[int, typer.Option("--records", metavar="N", min=100, help="Records made up.")] = 4000,
) -> None:
    """Make up a clinic's data with planted problems, audit them, and write the report."""
    from divulge.cli.drafting import run_demo

    run_demo(folder, records)


@app.command()
def compare(
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The data before treatment: a file, or a database URL.")
    ],
    releases: Annotated[
        list[str],
        typer.Argument(metavar="RELEASED...", help="The data as released; several may be compared."),
    ],
    identifiers: options.Identifiers = None,
    quasi_identifiers: options.QuasiIdentifiers = None,
    sensitive: options.Sensitive = None,
    policy: options.Policy = None,
    by: Annotated[
        options.Names,
        typer.Option("--by", metavar="A,B", help="Attributes that say whose record it is in both."),
    ] = None,
    columns: Annotated[
        options.Names,
        typer.Option("--column", metavar="A=B", help="Attribute A of the original is B in the releases."),
    ] = None,
    partitions: Annotated[
        options.Names,
        typer.Option(
            "--partitions",
            metavar="NAME=FILE.toml",
            help="Domains of sensitive values that mean the same to an attacker; may be repeated.",
        ),
    ] = None,
    need: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--need", metavar="NEED.toml", help="What the data are needed for."),
    ] = None,
    population: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--population", metavar="FILE", help="The population that the records are a sample of."),
    ] = None,
    outside: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--outside", metavar="FILE", help="A table that an attacker may hold beside the release."
        ),
    ] = None,
    tables: Annotated[
        int,
        typer.Option("--tables", metavar="N", min=1, max=4, help="Attributes that are tabulated together."),
    ] = 2,
    mining: Annotated[
        bool, typer.Option("--mining", help="Train models on the releases and test them on the original.")
    ] = False,
    report: options.Report = None,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
    markdown: options.Markdown = None,
    show_values: options.ShowValues = False,
    exact_counts: options.ExactCounts = False,
    weights: options.Weights = None,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    suppressed: options.Suppressed = "*",
    hierarchies: options.Hierarchies = None,
    orders: options.Orders = None,
    seed: options.Seed = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
    engine: options.Engine = None,
    master: options.Master = None,
    memory: options.Memory = None,
) -> None:
    """What treatments bought against attackers, what they cost to analysts, and which to prefer."""
    given = dict(locals())
    from divulge.cli.comparing import Compare, run_compare

    with exact(exact_counts):
        run_compare(Compare(file=given.pop("original"), table=None, **given))


@app.command()
def utility(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="The data; several releases may be compared.")
    ],
    need: Annotated[
        str,
        typer.Option("--need", metavar="NEED.toml", help="Attributes of interest and what groups matter."),
    ],
    by_value: Annotated[
        bool, typer.Option("--by-value", help="One line for each key value or combination.")
    ] = False,
    exact_counts: options.ExactCounts = False,
    as_json: options.AsJson = False,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    suppressed: options.Suppressed = "*",
    seed: options.Seed = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
) -> None:
    """How well data serve a need, after the fact: 0 not at all, 1 where the keys tell the target."""
    given = dict(locals())
    from divulge.cli.serving import Serve, run_utility

    with exact(exact_counts):
        run_utility(Serve(**given))


app.command()(report)
app.add_typer(attacker, name="attacker")
app.add_typer(release, name="release")


@app.command()
def guide(
    domain: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--domain", metavar="NAME", help="table, communication, location or other."),
    ] = None,
    hamming: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--hamming/--by-degrees", help="An estimate is right or wrong, or more or less near."),
    ] = None,
    distortion_known: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--distance-known/--distance-unknown", help="How the attacker measures distance."),
    ] = None,
    occurrences: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--occurrences", metavar="NAME", help="single or multiple."),
    ] = None,
    case: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--case", metavar="NAME", help="worst, average or best, for the person."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Which measure for which attacker: answers as options, or asked for on a terminal."""
    given = dict(locals())
    from divulge.cli.guiding import run_guide

    run_guide(given.pop("as_json"), given)


@app.command()
def measure(
    file: options.File,
    keys: Annotated[
        options.Names,
        typer.Option(
            "--keys", metavar="A,B", help="Attributes an attacker may know. Default: the quasi-identifiers."
        ),
    ] = None,
    target: Annotated[
        options.Names,
        typer.Option(
            "--target",
            metavar="X",
            help="Attribute to be learned; several are taken together; @record is re-identification.",
        ),
    ] = None,
    measures: Annotated[
        options.Names,
        typer.Option(
            "--measure", metavar="NAME", help="Measure to read; may be repeated. Default: all that apply."
        ),
    ] = None,
    partitions: Annotated[
        str | None,
        typer.Option("--partitions", metavar="FILE.toml", help="Domains of values, for keys or target."),
    ] = None,
    by_value: Annotated[
        bool, typer.Option("--by-value", help="One line for each key value or combination, riskiest first.")
    ] = False,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", min=1, help="The same for the N riskiest only.")
    ] = None,
    exact_counts: options.ExactCounts = False,
    as_json: options.AsJson = False,
    identifiers: options.Identifiers = None,
    quasi_identifiers: options.QuasiIdentifiers = None,
    sensitive: options.Sensitive = None,
    weights: options.Weights = None,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    suppressed: options.Suppressed = "*",
    hierarchies: options.Hierarchies = None,
    orders: options.Orders = None,
    parameters: Annotated[
        options.Names,
        typer.Option(
            "--with",
            metavar="NAME=VALUE",
            help="Parameter of the chosen measures, such as l=3 or ground=ordered.",
        ),
    ] = None,
    permutations: Annotated[
        int | None,
        typer.Option("--permutations", metavar="N", min=0, help="Shuffles for what chance gives."),
    ] = None,
    seed: options.Seed = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
    engine: options.Engine = None,
    master: options.Master = None,
    memory: options.Memory = None,
) -> None:
    """Read measures on a table: what do the keys tell about the target?"""
    given = dict(locals())
    from divulge.cli.measuring import Request, run

    with exact(exact_counts):
        run(Request(**given))


@app.command()
def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what is slow to start: Spark.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """What is installed here, and whether each engine works: 0 it does, 1 a self-test failed."""
    from divulge.cli.doctor import run_doctor

    run_doctor(quick, as_json)


@app.command()
def measures(
    name: Annotated[Optional[str], typer.Argument(metavar="NAME", help="A measure to explain.")] = None,  # noqa: UP045
    as_json: options.AsJson = False,
) -> None:
    """List the measures, or explain one with a worked example."""
    from divulge.cli.catalogue import explain, list_all

    if name is None:
        list_all(as_json)
    else:
        explain(name, as_json)
