"""The release commands: what would leave, and the service that lets it."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from divulge.cli import options

release = typer.Typer(
    help="Records leave one at a time, only while nothing peculiar can be inferred from what is outside.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

X = Annotated[
    options.Names,
    typer.Option("--x", metavar="A,B", help="The attributes whose values might give a target away."),
]
Y = Annotated[options.Names, typer.Option("--y", metavar="C,D", help="The attributes that make up a target.")]
Tests = Annotated[
    options.Names,
    typer.Option(
        "--test",
        metavar="NAME",
        help="mis, kld, cst or dqt; several, with commas between, have to be passed together.",
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        "--alpha",
        metavar="A",
        help="Significance level of each comparison, 0 to 1: kld and cst compare every target. The higher, "
        "the less leaves.",
    ),
]
Familywise = Annotated[
    bool,
    typer.Option("--familywise", help="Alpha is the level of the whole set, not of each comparison."),
]
Partitions = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--partitions", metavar="P.toml", help="Ranges or domains of values."),
]
Baseline = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--baseline", metavar="FILE", help="A table whose X is what observers expect. Default: FILE itself."
    ),
]
Degrees = Annotated[
    str,
    typer.Option(
        "--degrees", metavar="domain|present", help="Which values count for the degrees of freedom."
    ),
]
Merging = Annotated[
    str,
    typer.Option(
        "--merging", metavar="smallest|left|right", help="How the chi-square test joins values below 5."
    ),
]
Samples = Annotated[
    int, typer.Option("--samples", metavar="N", help="Samples behind the critical values of small releases.")
]
Reach = Annotated[
    int,
    typer.Option(
        "--reach", metavar="N", help="Critical values are simulated up to N x values x targets records."
    ),
]


@release.command()
def simulate(
    file: options.File,
    x: X = None,
    y: Y = None,
    tests: Tests = None,
    alpha: Alpha = 0.2,
    familywise: Familywise = False,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", help="How many random orders of requests.")
    ] = 20,
    requests: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--requests", metavar="N", help="Requests of each run. Default: every record."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the orders.")] = 1,
    each: Annotated[
        bool, typer.Option("--each", help="Also run every test by itself, on the same requests.")
    ] = False,
    partitions: Partitions = None,
    baseline: Baseline = None,
    degrees: Degrees = "domain",
    merging: Merging = "smallest",
    samples: Samples = 10_000,
    reach: Reach = 2,
    report: options.Report = None,
    as_json: options.AsJson = False,
    show_values: options.ShowValues = False,
    exact_counts: options.ExactCounts = False,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    orders: options.Orders = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
) -> None:
    """What would leave if all records were asked for in random orders, and how exposed targets get."""
    given = dict(locals())
    from divulge.cli.commands.release.simulate import Simulated, run_simulate

    run_simulate(Simulated(**given))


from divulge.cli import release_service  # noqa: E402, F401 - its commands join the group
