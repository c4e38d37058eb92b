"""The explore command: a page on this machine, until it is closed."""

from __future__ import annotations

import html
import sys
import webbrowser
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from divulge._support.toml_text import tables_of
from divulge.cli.parameters import flag_of
from divulge.cli.progress import progress
from divulge.cli.requests.exploring import ExploreRequest
from divulge.cli.requests.tables import RolesRequest
from divulge.cli.tables import population_file, table_under
from divulge.cli.verbosity import opened
from divulge.errors import MissingLibrary, ParameterError
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import ENDING, is_table_of, saved_session, session_with_table
from divulge.policy import Policy
from divulge.source.options import OPTIONS
from divulge.utility import read_needs


def run_explore(asked: ExploreRequest) -> None:
    server = _server()
    with progress("Reading"):
        explorer = _explorer(asked)
        explorer.now()  # what cannot be shown is refused here
    with TemporaryDirectory() as folder:

        def announce(url: str) -> None:
            print(f"The page is at {url}", flush=True)
            print("Ctrl-C ends it.", flush=True)
            if not asked.no_browser:
                webbrowser.open(_leading_to(url, Path(folder)).as_uri())

        server.explore(explorer, port=asked.port, announce=announce)


def _server() -> ModuleType:
    """What serves the page, or a sentence that says which package it lacks."""
    for package in ("starlette", "uvicorn"):
        try:
            import_module(package)
        except ModuleNotFoundError:
            raise MissingLibrary("the local page", package, "explore", doing="Opening") from None
    return import_module("divulge.explore.http.server")


def _leading_to(url: str, folder: Path) -> Path:
    """A file that leads to the page: on a command line everyone on the machine could read its key."""
    path = folder / "explore.html"
    path.touch(mode=0o600)
    path.write_text(f'<meta http-equiv="refresh" content="0; url={html.escape(url)}">')
    return path


def _explorer(asked: ExploreRequest) -> Explorer:
    population = _population(asked)
    needs = None if asked.need is None else _needs(asked.need)
    alone = asked.file.endswith(ENDING)
    session = asked.file if alone else asked.session
    if session is not None:
        given = {"--policy": asked.policy, "--population or --fraction": population, "--need": needs}
        given |= {flag_of(one): getattr(asked, one.name) for one in fields(RolesRequest)}
        if alone:
            given |= {"--session": asked.session}
            given |= {OPTIONS[name].flag: value for name, value in asked.source.given().items()}
        said = [flag for flag, one in given.items() if one is not None]
        if said:
            raise ParameterError(f"A session has its own {said[0]}.", hint=f"Leave out {said[0]}.")
        if alone:
            return saved_session(session)
        explorer = session_with_table(session, asked.file, asked.source.given())
        if not is_table_of(session, explorer):
            print("The session was saved with another table, or this one has changed since.", file=sys.stderr)
        return explorer
    policy = None if asked.policy is None else Policy.read(asked.policy)
    data = opened(table_under(policy, asked))
    return Explorer(
        data,
        name=asked.file,
        policy=policy,
        reading=asked.source.given(),
        population=population,
        needs=needs,
    )


def _population(asked: ExploreRequest) -> dict[str, Any] | None:
    """What the table is a sample of, in the words of a policy."""
    if asked.population is not None and asked.fraction is not None:
        raise ParameterError("--population and --fraction were given.", hint="Give one of them.")
    if asked.fraction is not None:
        return {"fraction": asked.fraction}
    if asked.population is None:
        return None
    file = population_file(asked)
    return {"size": int(asked.population)} if file is None else {"source": file}


def _needs(path: str) -> dict[str, Any]:
    """The needs of a file as it has them, once they were read as needs are."""
    read_needs(path)
    return tables_of(Path(path).read_text(encoding="utf-8"))
