"""The attacker commands: the error that remains, the best mechanism, and what epsilon means."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from divulge.cli import options
from divulge.cli.parameters import taking
from divulge.cli.requests.attacker import AttackerRequest, LocationRequest, OptimizeRequest

READ = "read"  # what is meant where no command is named


class _OrRead(TyperGroup):
    """A group whose first command may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [READ, *args]
        return super().parse_args(ctx, args)


attacker = typer.Typer(
    cls=_OrRead,
    help="Compute an attacker's remaining error, of a channel or a table.\n\n\b\n"
    "  divulge attacker CHANNEL.csv [OPTIONS]\n"
    "  divulge attacker --table FILE --keys A,B --target X [OPTIONS]\n\n"
    "divulge attacker read --help lists the options of both.",
    short_help="Compute an attacker's remaining error, of a channel or a table.",
    subcommand_metavar="CHANNEL | --table FILE | COMMAND [ARGS]...",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@attacker.command(READ)
@taking
def read(asked: AttackerRequest) -> None:
    """Compute what an attacker who sees the outputs still gets wrong.

    Also what leaks, and what bounds it.
    """
    from divulge.cli.commands.attacker import run_read

    run_read(asked)


@attacker.command()
@taking
def optimize(asked: OptimizeRequest) -> None:
    """Find the best mechanism within a budget, with its price and gap."""
    from divulge.cli.commands.attacker_models import run_optimize

    run_optimize(asked)


@attacker.command()
def epsilon(
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", metavar="E", help="What does this epsilon leave the attacker to get wrong?"
        ),
    ] = None,
    error: Annotated[
        float | None, typer.Option("--error", metavar="P", help="Which epsilon leaves at least this error?")
    ] = None,
    most_likely: Annotated[
        float, typer.Option("--most-likely", metavar="P", help="Prior probability of the likeliest value.")
    ] = 0.5,
    as_json: options.AsJson = False,
) -> None:
    """Translate epsilon into the error of an attacker who guesses, or back."""
    from divulge.cli.commands.attacker_models import run_epsilon

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
    """Compute the error left to a server where users hand messages on."""
    from divulge.cli.commands.attacker_models import run_crowds

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
    """Compute how uncertain a threshold or pool mix leaves who sent what."""
    from divulge.cli.commands.attacker_models import run_mix

    run_mix(messages, threshold, pool, as_json)


@attacker.command()
@taking
def location(asked: LocationRequest) -> None:
    """Compute the error left on a grid of places that are perturbed."""
    from divulge.cli.commands.attacker_models import run_location

    run_location(asked)
