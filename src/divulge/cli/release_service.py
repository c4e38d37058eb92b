"""The commands of the release service: its operator's, and a requester's."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from divulge.cli import options
from divulge.cli.release import (
    Alpha,
    Baseline,
    Degrees,
    Familywise,
    Merging,
    Partitions,
    Samples,
    Tests,
    X,
    Y,
    release,
)

Text = Optional[str]  # noqa: UP045 - what typer reads

Database = Annotated[
    str, typer.Argument(metavar="DATABASE", help="A SQLite file, or postgresql://user@host/name.")
]
Keys = Annotated[
    Text,
    typer.Option("--keys", metavar="DIR", help="The holder's keys. Default: beside the database."),
]
Checkpoints = Annotated[
    Text,
    typer.Option("--checkpoints", metavar="DIR", help="Signed checkpoints. Default: beside the database."),
]
Name = Annotated[str, typer.Option("--name", metavar="N", help="The dataset.")]


@release.command()
def init(
    database: Database,
    file: options.File,
    name: Name,
    identifier: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="The attribute that names each record.")
    ],
    x: X = None,
    y: Y = None,
    tests: Tests = None,
    alpha: Alpha = 0.2,
    familywise: Familywise = False,
    partitions: Partitions = None,
    baseline: Baseline = None,
    following: Annotated[
        bool, typer.Option("--following", help="The baseline follows the table when it is updated.")
    ] = False,
    degrees: Degrees = "domain",
    merging: Merging = "smallest",
    samples: Samples = 10_000,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    orders: options.Orders = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
) -> None:
    """Put a dataset into a database, which is made if it is new, with keys for the holder and an admin."""
    given = dict(locals())
    from divulge.cli.commands.release.dataset import Loaded
    from divulge.cli.commands.release.service import run_init

    run_init(Loaded(**given))


@release.command()
def update(
    database: Database,
    file: options.File,
    name: Name,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
    missing: options.Missing = "value",
    missing_values: options.MissingValues = None,
    orders: options.Orders = None,
    table: options.Table = None,
    separator: options.Separator = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
) -> None:
    """Take the holder's table as it is now; what is outside stays counted."""
    given = dict(locals())
    from divulge.cli.commands.release.dataset import Updated
    from divulge.cli.commands.release.service import run_update

    run_update(Updated(**given))


@release.command()
def key(
    database: Database,
    role: Annotated[
        Text, typer.Option("--role", metavar="R", help="requester, steward, auditor or admin.")
    ] = None,
    name: Annotated[Text, typer.Option("--name", metavar="WHO", help="Whose key it is.")] = None,
    expires: Annotated[
        Text, typer.Option("--expires", metavar="TIME", help="A day or a time, such as 2030-01-31.")
    ] = None,
    revoke: Annotated[
        Text, typer.Option("--revoke", metavar="ID", help="Revoke the key with this id.")
    ] = None,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
) -> None:
    """Make a key, which is printed once; or revoke one; or list them."""
    given = dict(locals())
    from divulge.cli.commands.release.keys import KeyAsked, run_key

    run_key(KeyAsked(**given))


@release.command()
def serve(
    database: Database,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port to listen on.")] = 8000,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
) -> None:
    """Decide requests that come over HTTP, until stopped."""
    from divulge.cli.commands.release.service import run_serve

    run_serve(database, keys, checkpoints, host, port)


@release.command()
def request(
    url: Annotated[str, typer.Argument(metavar="URL", help="The service, such as http://127.0.0.1:8000.")],
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="The dataset.")],
    record: Annotated[Text, typer.Argument(metavar="[RECORD]", help="The id of the record.")] = None,
    key_file: Annotated[
        Text,
        typer.Option(
            "--key-file", metavar="F", help="A file with your key. Default: DIVULGE_KEY is the key."
        ),
    ] = None,
    ticket: Annotated[
        Text, typer.Option("--ticket", metavar="T", help="Ask how an earlier request stands.")
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="With --ticket: take the request back.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Ask a service for a record, follow a request, or take it back."""
    given = dict(locals())
    from divulge.cli.commands.release.request import Wanted, run_request

    run_request(Wanted(**given))


@release.command()
def status(
    database: Database,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
    as_json: options.AsJson = False,
) -> None:
    """How each dataset stands: what is outside, who waits, how near the limits are."""
    from divulge.cli.commands.release.service import run_status

    run_status(database, keys, checkpoints, as_json)


@release.command()
def verify(
    log: Annotated[str, typer.Argument(metavar="DATABASE|EXPORT", help="A database, or an exported log.")],
    keys: Keys = None,
    checkpoints: Annotated[
        Text,
        typer.Option(
            "--checkpoints",
            metavar="DIR|FILE",
            help="Checkpoints kept elsewhere: a folder, an answer, an export. Default: beside the database.",
        ),
    ] = None,
    public_key: Annotated[
        Text,
        typer.Option("--public-key", metavar="F", help="The holder's public key. Default: among the keys."),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Also take every decision again; needs a database.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Whether a log is what it was: 0 whole, 1 a fault, with the first bad entry, 2 cannot be read."""
    given = dict(locals())
    from divulge.cli.commands.release.verify import Suspect, run_verify

    run_verify(Suspect(**given))


@release.command()
def export(
    database: Database,
    out: Annotated[str, typer.Argument(metavar="OUT.jsonl", help="The file to write.")],
    name: Annotated[
        str, typer.Option("--name", metavar="N", help="The dataset; 'service' is the log of keys.")
    ],
    keys: Keys = None,
    checkpoints: Checkpoints = None,
) -> None:
    """Write a dataset's log to a file that can be verified without the service; it names no record."""
    from divulge.cli.commands.release.service import run_export

    run_export(database, keys, checkpoints, name, out)


@release.command()
def backup(
    database: Database,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write.")],
) -> None:
    """Copy the database while the service goes on; the copy holds all records."""
    from divulge.cli.commands.release.service import run_backup

    run_backup(database, out)


@release.command()
def reconcile(
    database: Database,
    name: Annotated[
        str, typer.Option("--name", metavar="N", help="The dataset; 'service' is the log of keys.")
    ],
    export: Annotated[
        Text, typer.Option("--export", metavar="FILE", help="An export that has what the database lacks.")
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Go on without it, and say so in the log.")
    ] = False,
    keys: Keys = None,
    checkpoints: Checkpoints = None,
) -> None:
    """Return a dataset to service whose database is older than its newest checkpoint."""
    given = dict(locals())
    from divulge.cli.commands.release.service import Behind, run_reconcile

    run_reconcile(Behind(**given))
