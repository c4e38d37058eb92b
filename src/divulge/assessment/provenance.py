"""What a document was made from: when, which files with which digests, which policy, by which command."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divulge._support.stages import Stage, told
from divulge._support.threads import Aside
from divulge._support.toml_text import tables_of
from divulge.policy import Policy
from divulge.policy.repeated import repeated_lines
from divulge.questions.data import Data
from divulge.source.origin import origin_of

BLOCK = 1 << 23  # bytes read at a time
FIXED = "SOURCE_DATE_EPOCH"  # seconds since 1970 that stand in for the clock, as for other programs
_WHERE = {
    "database": "a table of a database has no file",
    "spark": "Spark reads it",
}
_PUBLISHED = ("table", "release")  # what others are given; of the rest a digest would confirm guesses
UNPUBLISHED = "with a release, its digest would confirm guesses of what was changed"
_IN_MEMORY = "it was given in memory, not as a file"


@dataclass(frozen=True)
class TableRead:
    """A table that was read, and the digest of its file or why there is none."""

    role: str
    name: str
    records: int
    sha256: str | None
    undefined: str | None

    def __repr__(self) -> str:
        return f"TableRead({self.name})"


@dataclass(frozen=True)
class Provenance:
    """When the work began, the tables that were read, and the policy and the command as far as
    they may be repeated."""

    date: str
    files: tuple[TableRead, ...]
    policy_text: Sequence[str] | None = None
    command: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def utc_now() -> str:
    """The time in UTC, or what the environment says instead, so that documents can be made again."""
    fixed = os.environ.get(FIXED, "")
    at = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def provenance(
    date: str,
    tables: Sequence[tuple[str, Data]],
    policy: Policy | None,
    stage: Stage,
    *,
    show_values: bool = False,
) -> Provenance:
    """What a document on some tables is made from, each with its role; a digest is computed once."""
    text = None
    if policy is not None and policy.text is not None:
        text = repeated_lines(tables_of(policy.text), show_values=show_values)
    return Provenance(date, tuple(_read(role, data, stage) for role, data in tables), text)


def digest_aside(data: Data, stage: Stage, aside: Aside) -> Callable[[], None]:
    """What waits for the digest of a table, which is begun in another thread if it is that of a file."""
    origin, memo = origin_of(data.source), data.memo("digest")
    if memo or origin is None or origin.file is None:
        return _nothing
    found = aside.begin(_digest, data, aside)

    def waited_for() -> None:
        stage(f"Computing the digest of {data.source.name}")
        with aside.followed(told(stage)):
            memo["sha256"] = found()

    return waited_for


def _nothing() -> None:
    pass


def _read(role: str, data: Data, stage: Stage) -> TableRead:
    if role not in _PUBLISHED:
        return TableRead(role, data.source.name, data.records, None, UNPUBLISHED)
    memo = data.memo("digest")
    if not memo:
        memo["sha256"] = _digest(data, stage)
    return TableRead(role, data.source.name, data.records, *memo["sha256"])


def _digest(data: Data, stage: Stage) -> tuple[str | None, str | None]:
    origin = origin_of(data.source)
    if origin is None:
        return None, _WHERE.get(data.engine.kind, _IN_MEMORY)
    if origin.file is None:
        return None, origin.why_none
    stage(f"Computing the digest of {data.source.name}")
    try:
        return sha256(origin.file, stage), None
    except OSError:
        return None, "the file could not be read again"


def sha256(path: Path, stage: Stage) -> str:
    """The SHA-256 digest of a file, read block by block; the stage is told of each."""
    found = hashlib.sha256()
    blocks, step = max(-(-path.stat().st_size // BLOCK), 1), told(stage)
    with path.open("rb") as file:
        for done, block in enumerate(iter(lambda: file.read(BLOCK), b""), start=1):
            found.update(block)
            step(min(done, blocks), blocks)
    return found.hexdigest()
