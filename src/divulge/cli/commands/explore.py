"""The explore command: a page on this machine, until it is closed."""

from __future__ import annotations

import html
import webbrowser
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from divulge.cli.progress import progress
from divulge.cli.requests.exploring import ExploreRequest
from divulge.cli.tables import table_under
from divulge.cli.verbosity import opened
from divulge.errors import MissingLibrary, ParameterError
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import ENDING, saved_session
from divulge.policy import Policy


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
    if asked.file.endswith(ENDING):
        if asked.policy is not None:
            raise ParameterError("A session has its policy.", hint="Leave out --policy.")
        return saved_session(asked.file)
    policy = None if asked.policy is None else Policy.read(asked.policy)
    data = opened(table_under(policy, asked))
    return Explorer(data, name=asked.file, policy=policy, reading=asked.source.given())
