"""What the release commands may be asked: of a simulation, and of the service."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, flag, option
from divulge.source.options import SourceOptions

_database = partial(argument, "DATABASE", "A SQLite file, or postgresql://user@host/name.")
_name = partial(option, "N", "The dataset.", REQUIRED)
_log = partial(option, "N", "The dataset; 'service' is the log of keys.", REQUIRED, called="--name")
_keys = partial(option, "DIR", "The holder's keys. Default: beside the database.")


@dataclass(frozen=True, kw_only=True)
class RulesRequest:
    """A dependency and the tests that hold it, and how its tables are read."""

    file: str = options.file()
    x: Names = option("A,B", "The attributes whose values might give a target away.")
    y: Names = option("C,D", "The attributes that make up a target.")
    tests: Names = option(
        "NAME",
        "mis, kld, cst or dqt; several, with commas between, have to be passed together.",
        called="--test",
    )
    alpha: float = option(
        "A",
        "Significance level of each comparison, 0 to 1: kld and cst compare every target. The "
        "higher, the less leaves.",
        0.2,
    )
    familywise: bool = flag("Alpha is the level of the whole set, not of each comparison.")
    partitions: str | None = options.partitions()
    baseline: str | None = option("FILE", "A table whose X is what observers expect. Default: FILE itself.")
    degrees: str = option("domain|present", "Which values count for the degrees of freedom.", "domain")
    merging: str = option("smallest|left|right", "How the chi-square test joins values below 5.", "smallest")
    samples: int = option("N", "Samples behind the critical values of small releases.", 10_000)
    orders: Names = options.orders()
    source: SourceOptions = options.of_records_that_leave()


@dataclass(frozen=True, kw_only=True)
class SimulateRequest(RulesRequest):
    """Simulate requests for all records in random orders.

    What would leave, and how exposed targets get.
    """

    runs: int = option("N", "How many random orders of requests.", 20)
    requests: int | None = option("N", "Requests of each run. Default: every record.")
    seed: int = option("N", "Seed of the orders.", 1)
    each: bool = flag("Also run every test by itself, on the same requests.")
    reach: int = option("N", "Critical values are simulated up to N x values x targets records.", 2)
    report: str | None = options.report()
    as_json: bool = options.as_json()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """Where a service has its database, keys and checkpoints."""

    database: str = _database()
    keys: str | None = _keys()
    checkpoints: str | None = option("DIR", "Signed checkpoints. Default: beside the database.")


@dataclass(frozen=True, kw_only=True)
class DatasetRequest(RulesRequest, ServiceRequest):
    """Put a dataset into the database of a service.

    A new database is made, with keys for the holder and an admin.
    """

    name: str = _name()
    identifier: str = option("COLUMN", "The attribute that names each record.", REQUIRED, called="--id")
    following: bool = flag("The baseline follows the table when it is updated.")


@dataclass(frozen=True, kw_only=True)
class UpdateRequest(ServiceRequest):
    """Update a dataset from the holder's table; what is outside stays counted."""

    file: str = options.file()
    name: str = _name()
    orders: Names = options.orders()
    source: SourceOptions = options.of_records_that_leave()


@dataclass(frozen=True, kw_only=True)
class KeyRequest(ServiceRequest):
    """Make a key, which is printed once; or revoke one; or list them."""

    role: str | None = option("R", "requester, steward, auditor or admin.")
    name: str | None = option("WHO", "Whose key it is.")
    expires: str | None = option("TIME", "A day or a time, such as 2030-01-31.")
    revoke: str | None = option("ID", "Revoke the key with this id.")


@dataclass(frozen=True, kw_only=True)
class ServeRequest(ServiceRequest):
    """Serve requests over HTTP, until stopped."""

    host: str = option("HOST", "Where to listen.", "127.0.0.1")
    port: int = option("N", "The port to listen on.", 8000)


@dataclass(frozen=True, kw_only=True)
class StatusRequest(ServiceRequest):
    """Show each dataset: what is outside, who waits, how near the limits are."""

    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ServiceRequest):
    """Export a log to a file that can be verified without the service; it names no record."""

    out: str = argument("OUT.jsonl", "The file to write.")
    name: str = _log()


@dataclass(frozen=True, kw_only=True)
class BackupRequest:
    """Copy the database while the service goes on; the copy holds all records."""

    database: str = _database()
    out: str = argument("OUT", "The file to write.")


@dataclass(frozen=True, kw_only=True)
class ServiceRecordRequest:
    """Request a record from a service, follow a request, or take it back."""

    url: str = argument("URL", "The service, such as http://127.0.0.1:8000.")
    dataset: str = argument("DATASET", "The dataset.")
    record: str | None = argument("[RECORD]", "The id of the record.", None)
    key_file: str | None = option("F", "A file with your key. Default: DIVULGE_KEY is the key.")
    ticket: str | None = option("T", "Ask how an earlier request stands.")
    withdraw: bool = flag("With --ticket: take the request back.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class VerifyRequest:
    """Verify that a log is what it was.

    Exit codes: 0 whole, 1 a fault, with the first bad entry, 2 cannot be read.
    """

    log: str = argument("DATABASE|EXPORT", "A database, or an exported log.")
    keys: str | None = _keys()
    checkpoints: str | None = option(
        "DIR|FILE",
        "Checkpoints kept elsewhere: a folder, an answer, an export. Default: beside the database.",
    )
    public_key: str | None = option("F", "The holder's public key. Default: among the keys.")
    replay: bool = flag("Also take every decision again; needs a database.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ReconcileRequest(ServiceRequest):
    """Return a dataset to service whose database is older than its newest checkpoint."""

    name: str = _log()
    export: str | None = option("FILE", "An export that has what the database lacks.")
    accept_loss: bool = flag("Go on without it, and say so in the log.")
