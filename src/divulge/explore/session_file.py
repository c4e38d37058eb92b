"""A session as a file: choices, their history, and when records were shown; no record is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError, ParameterError
from divulge.explore.choosing.history import History
from divulge.explore.explorer import Explorer
from divulge.questions.data import read

FORM = "divulge session 1"
ENDING = ".divulge"


def session_text(explorer: Explorer) -> str:
    """The session as a file has it."""
    said: dict[str, Any] = {
        "form": FORM,
        "source": explorer.name,
        "reading": dict(explorer.reading),
        "kept": explorer.kept,
        "seed": explorer.seed,
        "history": explorer.history.to_dict(),
        "unlocked": explorer.unlocked,
    }
    return json.dumps(said, indent=1) + "\n"


def saved_session(path: str) -> Explorer:
    """A session that was saved, with its table read anew."""
    refused = ParameterError(
        f"{path} is no saved session that can be opened.", hint="Open the table itself instead."
    )
    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        if said["form"] != FORM:
            raise refused
        source, reading, seed = str(said["source"]), dict(said["reading"]), int(said["seed"])
        history, unlocked = History.of(said["history"]), [str(when) for when in said["unlocked"]]
        kept = dict(said["kept"])
        data = read(source, **reading)
    except DivulgeError:
        raise
    except (OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise refused from None
    lacking = [name for name in history.now.roles if name not in data.schema.attributes]
    if lacking:
        raise ParameterError(
            f"The session is about attributes that {source} no longer has.",
            hint="Begin a new session from the table.",
        )
    return Explorer(
        data, name=source, history=history, seed=seed, unlocked=unlocked, reading=reading, kept=kept
    )
