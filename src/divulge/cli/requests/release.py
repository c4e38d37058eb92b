"""What the release commands may be asked: of a simulation, and of the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from divulge.cli import options

Database = Annotated[
    str, typer.Argument(metavar="DATABASE", help="A SQLite file, or postgresql://user@host/name.")
]
Name = Annotated[str, typer.Option("--name", metavar="N", help="The dataset.")]
Log = Annotated[str, typer.Option("--name", metavar="N", help="The dataset; 'service' is the log of keys.")]
Keys = Annotated[
    str | None,
    typer.Option("--keys", metavar="DIR", help="The holder's keys. Default: beside the database."),
]


@dataclass(frozen=True, kw_only=True)
class RulesRequest:
    """A dependency and the tests that hold it, and how its tables are read."""

    file: options.File
    x: Annotated[
        options.Names,
        typer.Option("--x", metavar="A,B", help="The attributes whose values might give a target away."),
    ] = None
    y: Annotated[
        options.Names, typer.Option("--y", metavar="C,D", help="The attributes that make up a target.")
    ] = None
    tests: Annotated[
        options.Names,
        typer.Option(
            "--test",
            metavar="NAME",
            help="mis, kld, cst or dqt; several, with commas between, have to be passed together.",
        ),
    ] = None
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha",
            metavar="A",
            help="Significance level of each comparison, 0 to 1: kld and cst compare every target. The "
            "higher, the less leaves.",
        ),
    ] = 0.2
    familywise: Annotated[
        bool,
        typer.Option("--familywise", help="Alpha is the level of the whole set, not of each comparison."),
    ] = False
    partitions: options.Partitions = None
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="A table whose X is what observers expect. Default: FILE itself.",
        ),
    ] = None
    degrees: Annotated[
        str,
        typer.Option(
            "--degrees", metavar="domain|present", help="Which values count for the degrees of freedom."
        ),
    ] = "domain"
    merging: Annotated[
        str,
        typer.Option(
            "--merging", metavar="smallest|left|right", help="How the chi-square test joins values below 5."
        ),
    ] = "smallest"
    samples: Annotated[
        int,
        typer.Option("--samples", metavar="N", help="Samples behind the critical values of small releases."),
    ] = 10_000
    orders: options.Orders = None
    source: options.OfRecordsThatLeave


@dataclass(frozen=True, kw_only=True)
class SimulateRequest(RulesRequest):
    """What may be asked of a simulation."""

    runs: Annotated[int, typer.Option("--runs", metavar="N", help="How many random orders of requests.")] = 20
    requests: Annotated[
        int | None,
        typer.Option("--requests", metavar="N", help="Requests of each run. Default: every record."),
    ] = None
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the orders.")] = 1
    each: Annotated[
        bool, typer.Option("--each", help="Also run every test by itself, on the same requests.")
    ] = False
    reach: Annotated[
        int,
        typer.Option(
            "--reach", metavar="N", help="Critical values are simulated up to N x values x targets records."
        ),
    ] = 2
    report: options.Report = None
    as_json: options.AsJson = False
    show_values: options.ShowValues = False
    exact_counts: options.ExactCounts = False


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """Where a service has its database, keys and checkpoints."""

    database: Database
    keys: Keys = None
    checkpoints: Annotated[
        str | None,
        typer.Option(
            "--checkpoints", metavar="DIR", help="Signed checkpoints. Default: beside the database."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class DatasetRequest(RulesRequest, ServiceRequest):
    """A dataset to be put into the service."""

    name: Name
    identifier: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="The attribute that names each record.")
    ]
    following: Annotated[
        bool, typer.Option("--following", help="The baseline follows the table when it is updated.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class UpdateRequest(ServiceRequest):
    """A dataset that is there, to be taken as it is now."""

    file: options.File
    name: Name
    orders: options.Orders = None
    source: options.OfRecordsThatLeave


@dataclass(frozen=True, kw_only=True)
class KeyRequest(ServiceRequest):
    """A key to be made or revoked."""

    role: Annotated[
        str | None, typer.Option("--role", metavar="R", help="requester, steward, auditor or admin.")
    ] = None
    name: Annotated[str | None, typer.Option("--name", metavar="WHO", help="Whose key it is.")] = None
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="TIME", help="A day or a time, such as 2030-01-31.")
    ] = None
    revoke: Annotated[
        str | None, typer.Option("--revoke", metavar="ID", help="Revoke the key with this id.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ServeRequest(ServiceRequest):
    """Where to listen."""

    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1"
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port to listen on.")] = 8000


@dataclass(frozen=True, kw_only=True)
class StatusRequest(ServiceRequest):
    """Datasets to be shown."""

    as_json: options.AsJson = False


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ServiceRequest):
    """A log to be written to a file."""

    out: Annotated[str, typer.Argument(metavar="OUT.jsonl", help="The file to write.")]
    name: Log


@dataclass(frozen=True, kw_only=True)
class ServiceRecordRequest:
    """What a requester may ask of a service."""

    url: Annotated[str, typer.Argument(metavar="URL", help="The service, such as http://127.0.0.1:8000.")]
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="The dataset.")]
    record: Annotated[str | None, typer.Argument(metavar="[RECORD]", help="The id of the record.")] = None
    key_file: Annotated[
        str | None,
        typer.Option(
            "--key-file", metavar="F", help="A file with your key. Default: DIVULGE_KEY is the key."
        ),
    ] = None
    ticket: Annotated[
        str | None, typer.Option("--ticket", metavar="T", help="Ask how an earlier request stands.")
    ] = None
    withdraw: Annotated[bool, typer.Option("--withdraw", help="With --ticket: take the request back.")] = (
        False
    )
    as_json: options.AsJson = False


@dataclass(frozen=True, kw_only=True)
class VerifyRequest:
    """A log to be verified, and with what."""

    log: Annotated[str, typer.Argument(metavar="DATABASE|EXPORT", help="A database, or an exported log.")]
    keys: Keys = None
    checkpoints: Annotated[
        str | None,
        typer.Option(
            "--checkpoints",
            metavar="DIR|FILE",
            help="Checkpoints kept elsewhere: a folder, an answer, an export. Default: beside the database.",
        ),
    ] = None
    public_key: Annotated[
        str | None,
        typer.Option("--public-key", metavar="F", help="The holder's public key. Default: among the keys."),
    ] = None
    replay: Annotated[
        bool, typer.Option("--replay", help="Also take every decision again; needs a database.")
    ] = False
    as_json: options.AsJson = False


@dataclass(frozen=True, kw_only=True)
class ReconcileRequest(ServiceRequest):
    """A dataset to be returned to service."""

    name: Log
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="FILE", help="An export that has what the database lacks."),
    ] = None
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Go on without it, and say so in the log.")
    ] = False
