"""The attacker commands: what is left to get wrong, the best mechanism, and what epsilon means."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from divulge.cli import options
from divulge.small_counts import exact_counts as exact

READ = "read"  # what is meant where no command is named


class _OrRead(TyperGroup):
    """A group whose first command may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [READ, *args]
        return super().parse_args(ctx, args)


attacker = typer.Typer(
    cls=_OrRead,
    help="Privacy as what an attacker still gets wrong: of a channel, a table, or the best there could be.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Distortion = Annotated[
    str,
    typer.Option(
        "--distortion", metavar="NAME", help="What a wrong estimate costs: hamming, squared, absolute."
    ),
]
Maybe = Optional[float]  # noqa: UP045 - what typer reads


@attacker.command(READ)
def read(
    channel: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="[CHANNEL.csv]", help="A row for each secret: its name, then p(y|x)."),
    ] = None,
    prior: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--prior", metavar="P.csv", help="A name and a probability in each row. Default: equal."
        ),
    ] = None,
    table: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--table", metavar="FILE", help="Instead of a channel: a table, with --keys and --target."
        ),
    ] = None,
    keys: Annotated[options.Names, typer.Option("--keys", metavar="A,B", help="What is observed.")] = None,
    target: Annotated[
        str, typer.Option("--target", metavar="X", help="What is unknown: an attribute, or @record.")
    ] = "@record",
    distortion: Distortion = "hamming",
    guesses: Annotated[
        int, typer.Option("--guesses", metavar="N", min=1, help="Guesses, of which one may be right.")
    ] = 1,
    tolerance: Annotated[
        Maybe, typer.Option("--tolerance", metavar="D", help="An estimate this near counts as right.")
    ] = None,
    abstain: Annotated[
        Maybe, typer.Option("--abstain", metavar="COST", help="What it costs the attacker not to guess.")
    ] = None,
    show_values: options.ShowValues = False,
    exact_counts: options.ExactCounts = False,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """What an attacker who sees the outputs still gets wrong, what leaks, and what bounds it."""
    given = dict(locals())
    from divulge.cli.commands.attacker import Reading, run_read

    with exact(exact_counts):
        run_read(Reading(**given))


@attacker.command()
def optimize(
    prior: Annotated[str, typer.Argument(metavar="PRIOR.csv", help="A name and a probability in each row.")],
    budget: Annotated[
        float, typer.Option("--budget", metavar="D", help="Expected loss allowed; for goal epsilon, epsilon.")
    ],
    goal: Annotated[
        str, typer.Option("--goal", metavar="NAME", help="average, worst, information or epsilon.")
    ] = "average",
    loss: Annotated[
        str, typer.Option("--loss", metavar="NAME", help="The system's: hamming, squared, absolute.")
    ] = "hamming",
    distortion: Distortion = "hamming",
    as_json: options.AsJson = False,
) -> None:
    """The rule that leaves the attacker most to get wrong within a budget, with its price and gap."""
    given = dict(locals())
    from divulge.cli.commands.attacker import Wanted, run_optimize

    run_optimize(Wanted(**given))


@attacker.command()
def epsilon(
    epsilon: Annotated[
        Maybe,
        typer.Option(
            "--epsilon", metavar="E", help="What does this epsilon leave the attacker to get wrong?"
        ),
    ] = None,
    error: Annotated[
        Maybe, typer.Option("--error", metavar="P", help="Which epsilon leaves at least this error?")
    ] = None,
    most_likely: Annotated[
        float, typer.Option("--most-likely", metavar="P", help="Prior probability of the likeliest value.")
    ] = 0.5,
    as_json: options.AsJson = False,
) -> None:
    """What epsilon means for an attacker who guesses, both ways."""
    from divulge.cli.commands.attacker import run_epsilon

    run_epsilon(epsilon, error, most_likely, as_json)


@attacker.command()
def crowds(
    users: Annotated[int, typer.Option("--users", metavar="N", min=1, help="Users of the crowd.")],
    submit: Annotated[
        float, typer.Option("--submit", metavar="P", help="Probability to submit instead of handing on.")
    ],
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """A crowd whose users hand messages on: what the server that sees who submits still gets wrong."""
    from divulge.cli.commands.attacker import run_crowds

    run_crowds(users, submit, report, as_json)


@attacker.command()
def mix(
    messages: Annotated[int, typer.Option("--messages", metavar="N", min=1, help="Messages that come in.")],
    threshold: Annotated[
        int, typer.Option("--threshold", metavar="N", min=1, help="Messages sent in a round.")
    ],
    pool: Annotated[
        int, typer.Option("--pool", metavar="N", min=0, help="Messages kept back each round.")
    ] = 0,
    as_json: options.AsJson = False,
) -> None:
    """A threshold or pool mix: how uncertain it is which message went in as which came out."""
    from divulge.cli.commands.attacker import run_mix

    run_mix(messages, threshold, pool, as_json)


@attacker.command()
def location(
    columns: Annotated[
        int, typer.Option("--columns", metavar="N", min=1, help="Cells of the grid, across.")
    ] = 5,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Cells of the grid, up.")] = 5,
    spacing: Annotated[float, typer.Option("--spacing", metavar="D", help="Width of a cell.")] = 1.0,
    noise: Annotated[
        str, typer.Option("--noise", metavar="NAME", help="laplace, gaussian or uniform.")
    ] = "laplace",
    scale: Annotated[
        float, typer.Option("--scale", metavar="S", help="Epsilon per distance, deviation, or radius.")
    ] = 1.0,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> None:
    """Places on a grid, perturbed: how far the best guess of a place stays from it."""
    given = dict(locals())
    from divulge.cli.commands.attacker import Places, run_location

    run_location(Places(**given))
