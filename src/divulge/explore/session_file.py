"""A session as a file: choices, their history, and when records were shown; no record is in it.

A session may come from somebody else, so what it names is not trusted: it names files only, from its own
folder on, and the table has to be the one that the session was saved with.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from divulge._support.addresses import ADDRESS, is_address
from divulge._support.stages import silent
from divulge.assessment.provenance import sha256
from divulge.errors import DivulgeError, ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.history import History
from divulge.explore.choosing.opening import KEPT
from divulge.explore.explorer import Explorer
from divulge.mechanisms.registry import MECHANISMS
from divulge.policy.place import file_place, parsed
from divulge.questions.data import Data, read
from divulge.source.options import OPTIONS

FORM = "divulge session 2"
ENDING = ".divulge"
NOT_SAVED = ("master", "engine", "anatomy")  # options of reading that may lead to another machine
PATHS = ("layout",)  # options of reading that name a file
FILES = ("file", "hierarchy", "mapping", "policy")  # kinds of parameters of a step that name one
PLACES = {"data": ("source", "master", "anatomy", *PATHS), "population": ("source",)}  # what policies name
ADD_STEP = "Begin a new session from the table, and add the step there if you trust it."
SHARED = re.compile(r"[\\/]{2}")  # how a folder of another machine begins; Windows takes both strokes


@dataclass(frozen=True)
class SavedSession:
    """What a session file says, its paths from where we are."""

    path: str
    source: str
    reading: Mapping[str, Any]
    kept: Mapping[str, Any]
    seed: int
    history: History
    unlocked: tuple[str, ...]  # when records were shown, until it was saved
    table: Mapping[str, Any]  # by what the table is known again

    @property
    def folder(self) -> str:
        """Where its relative paths start from."""
        return str(Path(self.path).parent)


def session_text(explorer: Explorer) -> str:
    """The session as a file has it; the address of a database may hold a password and is left out."""
    folder = explorer.folder

    def from_folder(path: str) -> str:
        return ADDRESS if is_address(path) else path if _absolute(path) else os.path.relpath(path, folder)

    said: dict[str, Any] = {
        "form": FORM,
        "source": from_folder(explorer.name),
        "table": _known_by(explorer.scenes.data, explorer.name),
        "reading": {
            name: from_folder(value) if name in PATHS else value
            for name, value in explorer.reading.items()
            if name not in NOT_SAVED
        },
        "kept": explorer.kept,
        "seed": explorer.seed,
        "history": _with_paths(explorer.history, from_folder).to_dict(),
        "unlocked": explorer.unlocked,
    }
    return json.dumps(said, indent=1) + "\n"


def read_session(path: str) -> SavedSession:
    """What a session file says."""
    refused = ParameterError(
        f"{path} is no saved session that can be opened.", hint="Open the table itself instead."
    )

    def from_here(named: str) -> str:
        kept = named == ADDRESS or _elsewhere(named) or _absolute(named)
        return named if kept else str(Path(path).parent / named)

    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        if said["form"] != FORM:
            raise refused
        reading = {
            str(name): from_here(str(value)) if name in PATHS else value
            for name, value in dict(said["reading"]).items()
        }
        if not reading.keys() <= {*OPTIONS, "orders"} or not said["kept"].keys() <= {*KEPT}:
            raise refused
        _refuse_needs_elsewhere(said["history"])  # reading choices opens the files of their needs
        return SavedSession(
            path,
            from_here(str(said["source"])),
            reading,
            dict(said["kept"]),
            int(said["seed"]),
            _with_paths(History.of(said["history"]), from_here),
            tuple(str(when) for when in said["unlocked"]),
            {name: said["table"][name] for name in ("attributes", "records", "sha256")},
        )
    except DivulgeError:
        raise
    except (OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise refused from None


def saved_session(path: str) -> Explorer:
    """A session that was saved, with its table read anew; refused where that is another one by now."""
    saved = read_session(path)
    _refuse_elsewhere(saved)
    file = saved.source.partition("#")[0]
    if not Path(file).expanduser().exists():
        raise ParameterError(f"The session is about {saved.source}, which is not there.", hint=_named(path))
    data = _read(saved, saved.source, saved.reading)
    if _known_by(data, saved.source) != saved.table:
        raise ParameterError(
            f"{saved.source} is another table than the session was saved with, or has changed since.",
            hint=_named(path, saved.source),
        )
    return _explorer(saved, data, saved.source, saved.reading)


def is_table_of(path: str, explorer: Explorer) -> bool:
    """Whether the table of a session is the one that it was saved with."""
    return _known_by(explorer.scenes.data, explorer.name) == read_session(path).table


def session_with_table(path: str, table: str, reading: Mapping[str, Any]) -> Explorer:
    """A session with a table that was named beside it, wherever that is, read as was said there."""
    saved = read_session(path)
    _refuse_elsewhere(saved, but_source=True)
    said = {
        name: value
        for name, value in saved.reading.items()
        if name not in OPTIONS or OPTIONS[name].concerns in ("file", "values")
    }
    merged = {**said, **reading}
    return _explorer(saved, _read(saved, table, merged), table, merged)


def _explorer(saved: SavedSession, data: Data, table: str, reading: Mapping[str, Any]) -> Explorer:
    if any(name not in data.schema.attributes for name in saved.history.now.roles):
        raise ParameterError(
            f"The session is about attributes that {table} no longer has.",
            hint="Begin a new session from the table.",
        )
    return Explorer(
        data,
        name=table,
        history=saved.history,
        seed=saved.seed,
        unlocked=saved.unlocked,
        reading=reading,
        kept=saved.kept,
        folder=saved.folder,
    )


def _read(saved: SavedSession, table: str, reading: Mapping[str, Any]) -> Data:
    try:
        return read(table, **reading)
    except (TypeError, AttributeError):
        raise ParameterError(
            f"{saved.path} is no saved session that can be opened.", hint="Open the table itself instead."
        ) from None


def _refuse_needs_elsewhere(history: Mapping[str, Any]) -> None:
    """Refuse groups of needs in files of another machine."""
    states = (*(history.get("states") or ()), *(history.get("pins") or {}).values())
    named = (file for state in states for file in _hierarchies_in(state.get("needs")))
    for one in filter(_elsewhere, named):
        raise ParameterError(
            f"The session file would connect to {_host(one)} for a need; it may name files only.",
            hint="Begin a new session: divulge explore TABLE --need FILE.",
        )


def _hierarchies_in(said: object) -> Iterator[str]:
    """The files of hierarchies that something names, however deep."""
    if isinstance(said, Mapping):
        for name, given in said.items():
            yield from [given] if name == "hierarchy" and isinstance(given, str) else _hierarchies_in(given)


def _refuse_elsewhere(saved: SavedSession, *, but_source: bool = False) -> None:
    """Refuse what would connect to another machine, which the author of the file would choose."""
    states = (*saved.history.states, *saved.history.pins.values())
    for one in (str(one.population.get("source") or "") for one in states):
        if one == ADDRESS or _elsewhere(one):
            where = "a database" if one == ADDRESS else _host(one)
            raise ParameterError(
                f"The session file would connect to {where} for the population; it may name files only.",
                hint="Begin a new session: divulge explore TABLE --population ADDRESS.",
            )
    steps = [step for state in states for step in state.steps]
    for one in (file for step in steps for file in _files_of(step)):
        if _elsewhere(one):
            raise ParameterError(
                f"The session file would connect to {_host(one)} for a step; it may name files only.",
                hint=ADD_STEP,
            )
    for policy in dict.fromkeys(file for step in steps for file in _files_of(step, ("policy",))):
        for one in filter(_elsewhere, _places_in(policy)):
            raise ParameterError(
                f"The session file would connect to {_host(one)}, which the policy of a step, {policy}, "
                "names; it may name files only.",
                hint=ADD_STEP,
            )
    named = [str(saved.reading.get(one) or "") for one in PATHS]
    if not but_source:
        named.append(saved.source)
        said = {one: str(saved.reading[one]) for one in NOT_SAVED if saved.reading.get(one)}
        named += [value if is_address(value) else f"{one}://{value}" for one, value in said.items()]
    if not but_source and saved.source == ADDRESS:
        raise ParameterError(
            "The session is about a table of a database, whose address is not in it.",
            hint=_named(saved.path, ADDRESS),
        )
    for one in named:
        if _elsewhere(one):
            raise ParameterError(
                f"The session file would connect to {_host(one)}; it may name files only.",
                hint=_named(saved.path),
            )


def _files_of(step: Mapping[str, Any], kinds: Sequence[str] = FILES) -> Iterator[str]:
    """What a step names as a file: by itself, or by attribute."""
    for mechanism in MECHANISMS.values():
        for given in (step.get(one.name) for one in mechanism.parameters if one.kind in kinds):
            if given is not None:
                yield from map(str, given.values() if isinstance(given, Mapping) else [given])


def _places_in(policy: str) -> Iterator[str]:
    """The files and machines that a policy names; none where it is no policy, as is said when it is used."""
    said: dict[str, Any] = {}
    with suppress(DivulgeError):
        said = parsed(file_place(Path(policy).expanduser(), "policy", "")[0])
    tables = [(said.get(name), keys) for name, keys in PLACES.items()]
    attributes = said.get("attributes")
    if isinstance(attributes, Mapping):
        tables += [(rule, ("hierarchy",)) for rule in attributes.values()]
    for table, keys in tables:
        if isinstance(table, Mapping):
            yield from (given for key in keys if isinstance(given := table.get(key), str))


def _elsewhere(named: str) -> bool:
    """Whether what is named may be on another machine: a database, or a folder that is shared."""
    return is_address(named) or SHARED.match(named) is not None


def _host(address: str) -> str:
    """The machine of an address, without what may be a password."""
    with suppress(ValueError):
        plain = address.replace("\\", "/")
        found = urlsplit("//" + plain.partition("//")[2]).hostname
        if found and re.fullmatch(r"[\w.:-]+", found):
            return found
    return "a database"


def _named(session: str, table: str = "TABLE") -> str:
    """What to write to say which table is meant."""
    return f"Name the table as well, if you trust it: divulge explore {table} --session {session}."


def _known_by(data: Data, name: str) -> dict[str, Any]:
    """By what a table is known again: its attributes, its number of records, and the digest of its file."""
    file = Path(name.partition("#")[0]).expanduser()
    digest = None
    with suppress(OSError):
        digest = sha256(file, silent) if not is_address(name) and file.is_file() else None
    return {"attributes": list(data.schema.attributes), "records": data.records, "sha256": digest}


def _absolute(path: str) -> bool:
    return Path(path).expanduser().is_absolute()


def _with_paths(history: History, moved: Any) -> History:
    """The same with the paths of population tables from somewhere else."""

    def of(one: Choices) -> Choices:
        if "source" not in one.population:
            return one
        return replace(one, population={**one.population, "source": moved(str(one.population["source"]))})

    return History(
        [of(one) for one in history.states], history.place, {k: of(v) for k, v in history.pins.items()}
    )
