"""The commands. Heavy imports wait inside them, so that help comes at once."""

from __future__ import annotations

from typing import Annotated

import typer

from divulge.cli import options
from divulge.cli.attacker import attacker
from divulge.cli.parameters import taking
from divulge.cli.release import release
from divulge.cli.requests.tables import (
    AuditRequest,
    CheckRequest,
    CompareRequest,
    InitRequest,
    MeasureRequest,
    UtilityRequest,
)

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
@taking
def audit(asked: AuditRequest) -> None:
    """Audit a table and write a report.

    Who can be re-identified, what can be inferred, from what, and what would help.
    """
    from divulge.cli.commands.audit import run_audit

    run_audit(asked)


@app.command()
@taking
def check(asked: CheckRequest) -> None:
    """Check a table against a policy.

    Exit codes for pipelines: 0 passed, 1 a check failed, 2 cannot be read, 3 cannot be evaluated.
    """
    from divulge.cli.commands.audit import run_check

    run_check(asked)


@app.command()
@taking
def init(asked: InitRequest) -> None:
    """Write a policy with suggested roles, to be read and corrected."""
    from divulge.cli.commands.init import run_init

    run_init(asked)


@app.command()
def demo(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="Where to write it.")] = "demo",
    records: Annotated[int, typer.Option("--records", metavar="N", min=100, help="Records made up.")] = 4000,
) -> None:
    """Make up a clinic's data with planted problems, and audit them."""
    from divulge.cli.commands.demo import run_demo

    run_demo(folder, records)


@app.command()
@taking
def compare(asked: CompareRequest) -> None:
    """Compare releases with their original.

    What each protects from attackers, what it costs analysts, and which to prefer.
    """
    from divulge.cli.commands.compare import run_compare

    run_compare(asked)


@app.command()
@taking
def utility(asked: UtilityRequest) -> None:
    """Measure how well data serve a need.

    0 is not at all; 1 is where the keys determine the target.
    """
    from divulge.cli.commands.utility import run_utility

    run_utility(asked)


@app.command()
def report(
    file: Annotated[
        str, typer.Argument(metavar="FILE.json", help="An audit, comparison, attacker or release document.")
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="PAGE.html", help="Where to write it. Default: the file's name, .html."
        ),
    ] = None,
) -> None:
    """Draw a document saved with --json as its page."""
    from divulge.cli.commands.report import run_report

    run_report(file, out)


app.add_typer(attacker, name="attacker")
app.add_typer(release, name="release")


@app.command()
def guide(
    domain: Annotated[
        str | None,
        typer.Option("--domain", metavar="NAME", help="table, communication, location or other."),
    ] = None,
    hamming: Annotated[
        bool | None,
        typer.Option("--hamming/--by-degrees", help="An estimate is right or wrong, or more or less near."),
    ] = None,
    distortion_known: Annotated[
        bool | None,
        typer.Option("--distance-known/--distance-unknown", help="How the attacker measures distance."),
    ] = None,
    occurrences: Annotated[
        str | None, typer.Option("--occurrences", metavar="NAME", help="single or multiple.")
    ] = None,
    case: Annotated[
        str | None,
        typer.Option("--case", metavar="NAME", help="worst, average or best, for the person."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Choose measures that fit an attacker.

    Answer its questions by options, or on the terminal.
    """
    given = dict(locals())
    from divulge.cli.commands.guide import run_guide

    run_guide(given.pop("as_json"), given)


@app.command()
@taking
def measure(asked: MeasureRequest) -> None:
    """Read measures on a table: what the keys tell about the target."""
    from divulge.cli.commands.measure import run_measure

    run_measure(asked)


@app.command()
def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what is slow to start: Spark.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Test every engine on this machine.

    Exit codes: 0 each works or is not installed, 1 a self-test failed.
    """
    from divulge.cli.commands.doctor import run_doctor

    run_doctor(quick, as_json)


@app.command()
def measures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A measure to explain.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the measures, or explain one with a worked example."""
    from divulge.cli.commands.measures import explain, list_all

    if name is None:
        list_all(as_json)
    else:
        explain(name, as_json)
