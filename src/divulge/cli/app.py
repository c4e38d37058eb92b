"""The commands and their options. Heavy imports wait inside the commands, so that help comes at once."""

from __future__ import annotations

import sys
from typing import Annotated, Optional

import typer

from divulge.errors import DivulgeError

app = typer.Typer(
    name="divulge",
    help="How much does this data divulge, to whom, and what would it cost to divulge less?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Names = Optional[list[str]]  # noqa: UP045 - what typer reads


def main() -> None:
    """Run a command; an error on purpose is a sentence on standard error and exit code 2."""
    try:
        app()
    except DivulgeError as error:
        print(f"divulge: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("divulge: stopped.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)


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
def measure(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="CSV or Parquet file, or a database URL with --table.")
    ],
    keys: Annotated[
        Names,
        typer.Option(
            "--keys", metavar="A,B", help="Attributes an attacker may know. Default: the quasi-identifiers."
        ),
    ] = None,
    target: Annotated[
        Names,
        typer.Option(
            "--target",
            metavar="X",
            help="Attribute to be learned; several are taken together; @record is re-identification.",
        ),
    ] = None,
    measures: Annotated[
        Names,
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
    exact_counts: Annotated[
        bool, typer.Option("--exact-counts", help="With --by-value: print counts below 5 as they are.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
    identifiers: Annotated[
        Names, typer.Option("--identifiers", metavar="A,B", help="Attributes that name a person.")
    ] = None,
    quasi_identifiers: Annotated[
        Names,
        typer.Option("--quasi-identifiers", metavar="A,B", help="Attributes that may single a person out."),
    ] = None,
    sensitive: Annotated[
        Names, typer.Option("--sensitive", metavar="X", help="Attributes not to be learned.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="W", help="Attribute with record weights.")
    ] = None,
    missing: Annotated[
        str, typer.Option("--missing", metavar="value|drop|wildcard", help="What a missing value is.")
    ] = "value",
    missing_values: Annotated[
        Names,
        typer.Option(
            "--missing-value", metavar="TEXT", help="Text that means missing, such as '?'; may be repeated."
        ),
    ] = None,
    suppressed: Annotated[
        str, typer.Option("--suppressed", metavar="TEXT", help="Text that marks a suppressed cell.")
    ] = "*",
    hierarchies: Annotated[
        Names,
        typer.Option(
            "--hierarchy",
            metavar="X=FILE",
            help="Hierarchy of an attribute's values, for hierarchical t-closeness.",
        ),
    ] = None,
    orders: Annotated[
        Names,
        typer.Option(
            "--order", metavar="X=a,b,c", help="Order of an attribute's values, for ordered t-closeness."
        ),
    ] = None,
    parameters: Annotated[
        Names,
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
    seed: Annotated[Optional[int], typer.Option("--seed", metavar="N", help="Seed of the shuffles.")] = None,  # noqa: UP045
    table: Annotated[
        str | None, typer.Option("--table", metavar="NAME", help="Table, when FILE is a database URL.")
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option("--separator", metavar="TEXT", help="Separator of a CSV file, if not to be detected."),
    ] = None,
    quote: Annotated[
        str | None, typer.Option("--quote", metavar="CHAR", help="Quotation mark of a CSV file.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of a CSV file.")
    ] = None,
) -> None:
    """Read measures on a table: what do the keys tell about the target?"""
    given = dict(locals())
    from divulge.cli.measuring import Request, run

    run(Request(**given))


@app.command()
def measures(
    name: Annotated[Optional[str], typer.Argument(metavar="NAME", help="A measure to explain.")] = None,  # noqa: UP045
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """List the measures, or explain one with a worked example."""
    from divulge.cli.catalogue import explain, list_all

    if name is None:
        list_all(as_json)
    else:
        explain(name, as_json)
