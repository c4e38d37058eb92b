"""What the attacker commands may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from divulge.cli import options

Distortion = Annotated[
    str,
    typer.Option(
        "--distortion", metavar="NAME", help="What a wrong estimate costs: hamming, squared, absolute."
    ),
]


@dataclass(frozen=True, kw_only=True)
class AttackerRequest:
    """What may be asked of a channel or a table."""

    channel: Annotated[
        str | None,
        typer.Argument(metavar="[CHANNEL.csv]", help="A row for each secret: its name, then p(y|x)."),
    ] = None
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", metavar="P.csv", help="A name and a probability in each row. Default: equal."
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="FILE", help="Instead of a channel: a table, with --keys and --target."
        ),
    ] = None
    keys: Annotated[options.Names, typer.Option("--keys", metavar="A,B", help="What is observed.")] = None
    target: Annotated[
        str, typer.Option("--target", metavar="X", help="What is unknown: an attribute, or @record.")
    ] = "@record"
    partitions: options.Partitions = None
    distortion: Distortion = "hamming"
    guesses: Annotated[
        int, typer.Option("--guesses", metavar="N", min=1, help="Guesses, of which one may be right.")
    ] = 1
    tolerance: Annotated[
        float | None, typer.Option("--tolerance", metavar="D", help="An estimate this near counts as right.")
    ] = None
    abstain: Annotated[
        float | None,
        typer.Option("--abstain", metavar="COST", help="What it costs the attacker not to guess."),
    ] = None
    show_values: options.ShowValues = False
    exact_counts: options.ExactCounts = False
    report: options.Report = None
    as_json: options.AsJson = False
    source: options.OfObservedRecords


@dataclass(frozen=True, kw_only=True)
class OptimizeRequest:
    """What may be asked of the best mechanism."""

    prior: Annotated[str, typer.Argument(metavar="PRIOR.csv", help="A name and a probability in each row.")]
    budget: Annotated[
        float, typer.Option("--budget", metavar="D", help="Expected loss allowed; for goal epsilon, epsilon.")
    ]
    goal: Annotated[
        str, typer.Option("--goal", metavar="NAME", help="average, worst, information or epsilon.")
    ] = "average"
    loss: Annotated[
        str, typer.Option("--loss", metavar="NAME", help="The system's: hamming, squared, absolute.")
    ] = "hamming"
    distortion: Distortion = "hamming"
    as_json: options.AsJson = False


@dataclass(frozen=True, kw_only=True)
class LocationRequest:
    """What may be asked of a grid of places."""

    columns: Annotated[
        int, typer.Option("--columns", metavar="N", min=1, help="Cells of the grid, across.")
    ] = 5
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Cells of the grid, up.")] = 5
    spacing: Annotated[float, typer.Option("--spacing", metavar="D", help="Width of a cell.")] = 1.0
    noise: Annotated[str, typer.Option("--noise", metavar="NAME", help="laplace, gaussian or uniform.")] = (
        "laplace"
    )
    scale: Annotated[
        float, typer.Option("--scale", metavar="S", help="Epsilon per distance, deviation, or radius.")
    ] = 1.0
    report: options.Report = None
    as_json: options.AsJson = False
