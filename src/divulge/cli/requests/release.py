"""What the release commands may be asked: of a simulation, and of the service."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, flag, option
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions

_database = partial(argument, "DATABASE", "A SQLite file, or postgresql://user@host/name.")
dataset_name = partial(option, "N", "The dataset.", REQUIRED, called="--dataset")
_log = partial(option, "N", "The dataset. For the log of keys it is 'service'.", REQUIRED, called="--dataset")
_host = partial(option, "HOST", "Address to listen on.", "127.0.0.1")
key_folder = partial(
    option, "DIR", "Folder with the holder's keys. Default: beside the database.", called="--key-folder"
)
_checkpoints = partial(option, "DIR")
checkpoint_folder = partial(
    option, "DIR", "Folder with signed checkpoints. Default: beside the database.", called="--checkpoints"
)
signer_socket = partial(option, "SOCKET", "Socket of the process that signs. Default: this process signs.")
_approvals = partial(
    option, "N", "Persons besides the proposer who must approve other rules. Default: as now, at first 1."
)
_open_days = partial(
    option, "N", "Days for which proposed rules can be approved. Default: as now, at first 30."
)
_tests = partial(
    option, "NAME", "mis, kld, cst, dqt or seq. Several, with commas, must all pass.", called="--test"
)
_alpha = partial(
    option,
    "A",
    "Significance level of each comparison, 0 to 1; kld and cst compare every target. A higher level "
    "releases less.",
    0.2,
)
_familywise = partial(flag, "Alpha is the level of all comparisons together.")
_form = partial(
    option,
    "each|mean|joint",
    "What seq keeps below 1/alpha: the odds of each target, their mean, or all jointly.",
    "each",
)
_known_counts = partial(flag, "seq: observers know how often each value occurs in the table.")
_limits = partial(
    option,
    "moments|chi-square",
    "Critical values of mis and kld: fitted to what chance gives, or chi-square as in the paper. "
    "Default: moments.",
)
_degrees = partial(
    option, "domain|present", "Values that count for the degrees of freedom of chi-square limits.", "domain"
)
_merging = partial(
    option, "smallest|left|right|none", "How the chi-square test joins values below 5.", "smallest"
)
_samples = partial(option, "N", "Number of samples behind the critical values of small releases.", 10_000)


@dataclass(frozen=True, kw_only=True)
class RulesRequest:
    """A dependency and the tests that hold it, and how its tables are read."""

    file: str = options.file()
    x: Names = option("A,B", "Attributes whose values might reveal a target.")
    y: Names = option("C,D", "Attributes that make up a target.")
    also: Names = option(
        "X:Y", "A further dependency, such as Rank:Location. A record is released only if all pass."
    )
    tests: Names = _tests()
    alpha: float = _alpha()
    familywise: bool = _familywise()
    form: str = _form()
    known_counts: bool = _known_counts()
    partitions: str | None = options.partitions()
    baseline: str | None = option(
        "FILE", "Table with the X that observers expect. Default: the table itself."
    )
    baseline_shares: str | None = option(
        "FILE", "The X that observers expect, as a table of value and share."
    )
    limits: str | None = _limits()
    degrees: str = _degrees()
    merging: str = _merging()
    samples: int = _samples()
    reach: int = option("N", "chi-square: simulate critical values up to N x values x targets records.", 2)
    orders: Names = options.orders()
    source: SourceOptions = options.of_records_that_leave()


@dataclass(frozen=True, kw_only=True)
class SimulateRequest(SpokenRequest, RulesRequest):
    """Simulate the release of all records.

    Records are requested in random orders. The result says how many would be released, and how exposed
    targets get.
    """

    runs: int = option("N", "Number of random orders.", 20)
    requests: int | None = option("N", "Number of requests in each run. Default: every record.")
    seed: int | None = options.seed("1")
    each: bool = flag("Also run each test by itself, on the same requests.")
    released: str | None = options.csv_file("OUT.csv", "Write released records by value and target.")
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()


@dataclass(frozen=True, kw_only=True)
class ReleaseCheckRequest(SpokenRequest, RulesRequest):
    """Check released records against the tests.

    Exit codes: 0 all tests passed, 1 not all passed, 2 cannot be checked.
    """

    file: str = argument("ORIGINAL", "The table that records are from: a file, or a database URL.")
    released: str = argument("RELEASED", "The records that were released, or are to be.")
    source: SourceOptions = options.of_records_that_leave(
        table="Several tables are read. Write #table at the end of the database URL."
    )
    as_json: bool = options.as_json()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """Where a service has its database, keys and checkpoints."""

    database: str = _database()
    keys: str | None = key_folder()
    checkpoints: str | None = checkpoint_folder()
    signer: str | None = signer_socket()


@dataclass(frozen=True, kw_only=True)
class DatasetRequest(RulesRequest, ServiceRequest):
    """Put a dataset into a service.

    A new database is created if there is none, with keys for the holder and an admin.
    """

    name: str = dataset_name()
    identifier: str = option("COLUMN", "Attribute that names each record.", REQUIRED, called="--id")
    following: bool = flag("The baseline follows the table when it is updated.")
    approvals: int | None = _approvals()
    open_days: int | None = _open_days()


@dataclass(frozen=True, kw_only=True)
class UpdateRequest(ServiceRequest):
    """Update a dataset from the holder's table.

    Records that were released stay counted.
    """

    file: str = options.file()
    name: str = dataset_name()
    orders: Names = options.orders()
    source: SourceOptions = options.of_records_that_leave()


@dataclass(frozen=True, kw_only=True)
class KeyRequest(ServiceRequest):
    """Make, revoke or list keys.

    A new key is printed once. Without options the keys are listed.
    """

    role: str | None = option("R", "Role of a new key: requester, steward, auditor or admin.")
    name: str | None = option("WHO", "Name of the new key.")
    person: str | None = option("P", "Person it belongs to: the same for all their keys. Default: --name.")
    datasets: Names = option("N", "The dataset. Limits the key to it; may be repeated.", called="--dataset")
    records: Names = option(
        "ID", "Limit a requester's key to these records of one dataset.", called="--record"
    )
    subject: str | None = option("SUB", "Instead of a secret: for the tokens of a subject of --issuer.")
    issuer: str | None = option("URL", "The OIDC issuer of --subject.")
    expires: str | None = option("TIME", "When the key expires: a day or a time, such as 2030-01-31.")
    revoke: str | None = option("ID", "Revoke the key with this id.")


@dataclass(frozen=True, kw_only=True)
class ServeRequest(ServiceRequest):
    """Serve requests over HTTP."""

    host: str = _host()
    port: int = option("N", "Port to listen on.", 8000)
    proxy: Names = option(
        "ADDRESS",
        "A reverse proxy whose X-Forwarded-For counts: an address or a network. Repeat for several.",
    )
    keep_answers: int = option("DAYS", "How long answers are kept for repeated requests.", 90)
    open_per_key: int = option("N", "Requests of one key that may wait in a dataset.", 10_000)
    open_per_record: int = option("N", "Requests that may wait for one record; of one key, a tenth.", 1_000)
    oidc_issuer: str | None = option("URL", "Also accept tokens of this OIDC issuer.")
    oidc_audience: str | None = option("AUD", "The audience that tokens must name.")
    oidc_keys: str | None = option("FILE|URL", "The issuer's keys (JWKS). Default: where the issuer says.")
    push: Names = option(
        "PLACE", "Also push checkpoints to a folder, a witness's URL or git:REPOSITORY. Repeat for several."
    )


@dataclass(frozen=True, kw_only=True)
class SignerRequest:
    """Sign checkpoints in a separate process.

    It alone has the private key, and signs only what continues the last checkpoint. Name its socket with
    --signer in the commands of the service.
    """

    folder: str = argument("FOLDER", "Folder for the private key and for what was signed last.")
    socket: str | None = option("PATH", "Socket to listen on. Default: signer.sock in the folder.")
    user: str | None = option("NAME", "The user who may ask. Default: the user of this process.")
    new_key: bool = flag("Make the next key, for rotate-key, and do not listen.")
    allow_loss: str | None = option(
        "N", "Let this log be turned back once, after reconcile --accept-loss; do not listen."
    )


@dataclass(frozen=True, kw_only=True)
class RotateKeyRequest(ServiceRequest):
    """Replace the holder's signing key by a new one.

    The old key signs which key comes next, and the new one countersigns. If interrupted, run it again.
    """


@dataclass(frozen=True, kw_only=True)
class WitnessRequest:
    """Countersign the checkpoints of a service.

    To be run by somebody other than the holder, who pushes checkpoints to it with: serve --push URL.
    """

    folder: str = argument("FOLDER", "Folder for the witness's key and for what it saw.")
    public_key: str = option("F", "The holder's public key.", REQUIRED)
    host: str = _host()
    port: int = option("N", "Port to listen on.", 8001)


@dataclass(frozen=True, kw_only=True)
class StatusRequest(ServiceRequest):
    """Show releases, open requests and limits."""

    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ServiceRequest):
    """Export a log for verification elsewhere.

    The file can be verified without the service, and names no record.
    """

    out: str = argument("OUT.jsonl", "The file to write.")
    name: str = _log()


@dataclass(frozen=True, kw_only=True)
class BackupRequest:
    """Copy the database of a running service.

    The copy has all records.
    """

    database: str = _database()
    out: str = argument("OUT", "The file to write.")


@dataclass(frozen=True, kw_only=True)
class MigrateRequest(ServiceRequest):
    """Migrate a database of an earlier version.

    Stop every service on it and make a copy first. Either all changes are made, or none.
    """

    dry_run: bool = flag("Say what would be changed, and try it without writing.")


@dataclass(frozen=True, kw_only=True)
class ServiceCallRequest:
    """Something asked of a service over HTTP, with somebody's key."""

    url: str = argument("URL", "The service, such as http://127.0.0.1:8000.")
    dataset: str = argument("DATASET", "The dataset.")
    key_file: str | None = option("F", "File with your key. Default: the environment variable DIVULGE_KEY.")
    public_key: str | None = option("F", "The holder's public key. Default: the one seen first.")
    last_seen: str | None = option(
        "F", "File for the last checkpoint seen. Default: one in your home folder."
    )
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ServiceRecordRequest(ServiceCallRequest):
    """Request a record from a service.

    With --ticket, ask about an earlier request, or withdraw it.
    """

    record: str | None = argument("RECORD", "The id of the record.", None)
    ticket: str | None = option("T", "Ask for the state of an earlier request.")
    withdraw: bool = flag("With --ticket: withdraw the request.")


@dataclass(frozen=True, kw_only=True)
class PoliciesRequest(ServiceCallRequest):
    """List rules of a dataset and who approved them.

    Needs the key of a steward or an auditor.
    """


@dataclass(frozen=True, kw_only=True)
class ProposeRequest(ServiceCallRequest):
    """Propose other rules for a dataset.

    Needs the key of a steward. Others have to approve: divulge release approve.
    """

    tests: Names = _tests()
    alpha: float = _alpha()
    familywise: bool = _familywise()
    form: str = _form()
    known_counts: bool = _known_counts()
    limits: str | None = _limits()
    degrees: str = _degrees()
    merging: str = _merging()
    samples: int = _samples()
    approvals: int | None = _approvals()
    open_days: int | None = _open_days()


@dataclass(frozen=True, kw_only=True)
class ApproveRequest(ServiceCallRequest):
    """Approve rules that somebody else proposed.

    Needs the key of a steward who is another person than the proposer.
    """

    version: int = argument("VERSION", "The version of the policy.")


@dataclass(frozen=True, kw_only=True)
class VerifyRequest:
    """Verify that a log was not changed.

    Exit codes: 0 not changed, 1 changed, with the first wrong entry, 2 cannot be read.
    """

    log: str | None = argument("DATABASE|EXPORT", "A database, or an exported log.", None)
    proof: str | None = option("FILE", "Verify an answer by its proof instead; needs only --public-key.")
    keys: str | None = key_folder()
    checkpoints: str | None = _checkpoints(
        "Folder with signed checkpoints; an answer or an export has them too. Default: beside the database."
    )
    public_key: str | None = option("F", "The holder's public key. Default: among the keys.")
    witness_key: Names = option("F", "A witness's public key: it must have countersigned; may be repeated.")
    replay: bool = flag("Also repeat every decision; needs a database.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ReconcileRequest(ServiceRequest):
    """Bring a restored dataset back into service.

    Needed where the database is older than its newest checkpoint, as after a backup was restored.
    """

    name: str = _log()
    export: str | None = option("FILE", "Export that has what the database lacks.")
    accept_loss: bool = flag("Continue without it; the log records the loss.")
