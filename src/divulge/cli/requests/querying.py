"""What the query commands may be asked."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.parameters import argument, option
from divulge.cli.requests.release import (
    ServeRequest,
    ServiceCallRequest,
    ServiceRequest,
    checkpoint_folder,
    dataset_name,
    key_folder,
    signer_socket,
)


@dataclass(frozen=True, kw_only=True)
class GuardRequest(ServiceRequest):
    """Guard a table that stays where it is.

    Analysts ask queries of it, which are answered as the policy allows. A new database is created if there is
    none, with keys for the holder and an admin; the table is only read.
    """

    policy: str = argument("POLICY", "TOML file with the table, its columns, controls and kind of answers.")
    name: str = dataset_name()
    table: str | None = option(
        "SOURCE",
        "DuckDB file, or postgresql://user@host/name. Default: source in the policy.",
        called="--source",
    )


@dataclass(frozen=True, kw_only=True)
class QueryRequest(ServiceCallRequest):
    """Ask a query of a guarded table.

    Exit codes: 0 answered, 1 refused, 2 cannot be asked.
    """

    url: str = argument("URL|DATABASE", "The service, or its database while no service runs on it.")
    query: str = argument("QUERY", "A count, sum or mean: 'SELECT COUNT(*) FROM patients WHERE age > 60'.")
    keys: str | None = key_folder()
    checkpoints: str | None = checkpoint_folder()
    signer: str | None = signer_socket()


@dataclass(frozen=True, kw_only=True)
class QueryServeRequest(ServeRequest):
    """Serve queries over HTTP.

    The same service answers requests for records: divulge release serve.
    """


@dataclass(frozen=True, kw_only=True)
class QueryStatusRequest(ServiceRequest):
    """Show answered and refused queries, and budgets.

    Exit codes: 0 every table can be asked, 1 one cannot, 2 cannot be read.
    """

    as_json: bool = options.as_json()
