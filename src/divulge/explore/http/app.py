"""The explorer as an application: the page, its modules, and a door for each question."""

from __future__ import annotations

import inspect
import json
import re
import threading
import time
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from divulge.errors import DivulgeError
from divulge.explore.explorer import Explorer
from divulge.explore.http.doors import Doors
from divulge.explore.session_file import session_text

PAGE = files("divulge.explore") / "page"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
ASKED = (
    *("now", "change", "undo", "redo", "edit", "pin", "unpin", "take", "best", "searched"),
    *("preview", "records", "unlock", "compared", "population", "transformations", "read_again", "step_text"),
    *("go", "step", "mechanisms", "hierarchy_file"),
)
OPTION = re.compile(r" \(--[^()]*\)")
MOST_BYTES = 4 << 20  # of a question: a hierarchy of a hundred thousand values fits


class Presence:
    """When a page was last heard of."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self.leaving = False

    def hear(self) -> None:
        """A page is there."""
        self.heard, self.leaving = time.monotonic(), False

    @property
    def silent(self) -> float:
        """Seconds since a page was heard of."""
        return time.monotonic() - self.heard


def create_app(explorer: Explorer, *, token: str, hosts: list[str], presence: Presence) -> Doors:
    """Everything that the page may ask of an explorer."""
    lock = threading.Lock()
    turns: dict[str, int] = {}  # the latest change of each tab

    async def asked(request: Request) -> Response:
        presence.hear()
        name = request.path_params["name"]
        if name not in ASKED:
            return JSONResponse({"message": f"There is nothing called '{name}' here."}, 404)
        said = await _said(request)
        if said is None:
            return JSONResponse({"message": "What was sent is no JSON object of a size that is read."}, 400)
        tab, turn = str(said.pop("tab", "")), said.pop("turn", None)
        if isinstance(turn, int):
            turns[tab] = max(turns.get(tab, 0), turn)

        def answer() -> Response:
            with lock:
                if name == "change" and isinstance(turn, int) and turn < turns[tab]:
                    return JSONResponse({"message": "A newer change came."}, 409)
                return _answer(explorer, name, said)

        return await run_in_threadpool(answer)

    async def session(request: Request) -> Response:
        presence.hear()
        return Response(session_text(explorer), media_type="application/json")

    async def archive(request: Request) -> Response:
        presence.hear()
        try:
            return Response(await run_in_threadpool(explorer.archive), media_type="application/zip")
        except DivulgeError as error:
            return _refused(error)

    async def alive(request: Request) -> Response:
        presence.hear()
        return Response(status_code=204)

    async def leave(request: Request) -> Response:
        presence.leaving = True
        return Response(status_code=204)

    app = Starlette(
        routes=[
            Route("/", _file("index.html")),
            Route("/page/{name}", _page),
            Route("/vega.js", _vega),
            Route("/api/session", session, methods=["POST"]),
            Route("/api/archive", archive, methods=["POST"]),
            Route("/api/alive", alive, methods=["POST"]),
            Route("/api/leave", leave, methods=["POST"]),
            Route("/api/{name}", asked, methods=["POST"]),
        ]
    )
    return Doors(app, token=token, hosts=hosts)


async def _said(request: Request) -> dict[str, Any] | None:
    """What was sent, where it is a JSON object that is not too long and can be written again."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return None
    try:
        found = json.loads(body or b"{}")
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _answer(explorer: Explorer, name: str, said: dict[str, Any]) -> Response:
    """What an explorer says; of anything that was not foreseen, only that it happened."""
    try:
        inspect.signature(getattr(explorer, name)).bind(**said)
    except TypeError:
        return JSONResponse({"message": "This was not asked with what it needs."}, 400)
    try:
        return JSONResponse(explorer.asked(name, said))
    except DivulgeError as error:
        return _refused(error)
    except Exception as error:
        message = f"This could not be answered ({type(error).__name__}). Nothing was changed."
        return JSONResponse({"message": message}, 500)


def _refused(error: DivulgeError) -> Response:
    """What was refused and why, without the options of a command: there is no command line on a page."""
    return JSONResponse({"message": OPTION.sub("", str(error))}, 422)


def _file(name: str) -> Any:
    async def answer(request: Request) -> Response:
        return _static(name)

    return answer


async def _page(request: Request) -> Response:
    return _static(request.path_params["name"])


def _static(name: str) -> Response:
    known = {one.name for one in PAGE.iterdir()}
    ending = name[name.rfind(".") :]
    if name not in known or ending not in KINDS:
        return JSONResponse({"message": "There is no such file."}, 404)
    return Response((PAGE / name).read_bytes(), media_type=KINDS[ending])


async def _vega(request: Request) -> Response:
    return Response(await run_in_threadpool(_bundle), media_type="text/javascript")


_BUNDLE: list[str] = []


def _bundle() -> str:
    """Vega for the page, made by the library that draws reports; nothing of it is kept in the project."""
    if not _BUNDLE:
        import vl_convert

        _BUNDLE.append(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    return _BUNDLE[0]
