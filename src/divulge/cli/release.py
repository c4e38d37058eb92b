"""The release commands: what would leave, the holder's service, and requests to it."""

from __future__ import annotations

from typing import Annotated

import typer

from divulge.cli.parameters import taking
from divulge.cli.requests.release import (
    Database,
    DatasetRequest,
    ExportRequest,
    KeyRequest,
    ReconcileRequest,
    ServeRequest,
    ServiceRecordRequest,
    SimulateRequest,
    StatusRequest,
    UpdateRequest,
    VerifyRequest,
)

release = typer.Typer(
    help="Release records one at a time, under tests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@release.command()
@taking
def simulate(asked: SimulateRequest) -> None:
    """Simulate requests for all records in random orders.

    What would leave, and how exposed targets get.
    """
    from divulge.cli.commands.release.simulate import run_simulate

    run_simulate(asked)


@release.command()
@taking
def init(asked: DatasetRequest) -> None:
    """Put a dataset into the database of a service.

    A new database is made, with keys for the holder and an admin.
    """
    from divulge.cli.commands.release.service import run_init

    run_init(asked)


@release.command()
@taking
def update(asked: UpdateRequest) -> None:
    """Update a dataset from the holder's table; what is outside stays counted."""
    from divulge.cli.commands.release.service import run_update

    run_update(asked)


@release.command()
@taking
def key(asked: KeyRequest) -> None:
    """Make a key, which is printed once; or revoke one; or list them."""
    from divulge.cli.commands.release.keys import run_key

    run_key(asked)


@release.command()
@taking
def serve(asked: ServeRequest) -> None:
    """Serve requests over HTTP, until stopped."""
    from divulge.cli.commands.release.service import run_serve

    run_serve(asked)


@release.command()
@taking
def request(asked: ServiceRecordRequest) -> None:
    """Request a record from a service, follow a request, or take it back."""
    from divulge.cli.commands.release.request import run_request

    run_request(asked)


@release.command()
@taking
def status(asked: StatusRequest) -> None:
    """Show each dataset: what is outside, who waits, how near the limits are."""
    from divulge.cli.commands.release.service import run_status

    run_status(asked)


@release.command()
@taking
def verify(asked: VerifyRequest) -> None:
    """Verify that a log is what it was.

    Exit codes: 0 whole, 1 a fault, with the first bad entry, 2 cannot be read.
    """
    from divulge.cli.commands.release.verify import run_verify

    run_verify(asked)


@release.command()
@taking
def export(asked: ExportRequest) -> None:
    """Export a log to a file that can be verified without the service; it names no record."""
    from divulge.cli.commands.release.service import run_export

    run_export(asked)


@release.command()
def backup(
    database: Database,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write.")],
) -> None:
    """Copy the database while the service goes on; the copy holds all records."""
    from divulge.cli.commands.release.service import run_backup

    run_backup(database, out)


@release.command()
@taking
def reconcile(asked: ReconcileRequest) -> None:
    """Return a dataset to service whose database is older than its newest checkpoint."""
    from divulge.cli.commands.release.service import run_reconcile

    run_reconcile(asked)
