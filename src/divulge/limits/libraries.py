"""Libraries that only some questions need: a part of them, or a sentence that says how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from divulge.errors import MissingLibrary

#: Extras that bring what a command loads as it starts, by the command; a package alone does not say which.
OF_COMMANDS = {"release": "service", "query": "queries", "explore": "explore", "attacker": "attacker"}
#: Packages that only extras bring, and one of these.
OF_PACKAGES = {
    "anyio": "service",
    "cryptography": "service",
    "fastapi": "service",
    "h11": "service",
    "jwt": "oidc",
    "opendp": "privacy",
    "pandas": "frames",
    "polars": "frames",
    "psycopg": "database",
    "pyarrow": "arrow",
    "pydantic": "service",
    "pyspark": "spark",
    "scipy": "attacker",
    "sklearn": "mining",
    "splink": "linkage",
    "sqlalchemy": "database",
    "sqlglot": "queries",
    "starlette": "service",
    "uvicorn": "service",
}


def missing_library(error: ModuleNotFoundError, command: str | None = None) -> MissingLibrary | None:
    """How to get the package that a command did not find; None where no extra brings it."""
    package = (error.name or "").partition(".")[0]
    if package not in OF_PACKAGES:
        return None
    extra = OF_COMMANDS.get(command or "", OF_PACKAGES[package])
    return MissingLibrary("this command", package, extra, doing="Running")


def scipy(part: str, what: str = "the account of an attacker", extra: str = "attacker") -> Any:
    """A module of SciPy."""
    return needed(f"scipy.{part}", what, extra)


def needed(module: str, what: str, extra: str) -> Any:
    """A module of a package that an extra brings."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingLibrary(what, module.partition(".")[0], extra, doing="Working out") from None
