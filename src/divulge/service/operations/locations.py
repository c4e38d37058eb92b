"""Where a service keeps its things: a database, the holder's keys, and checkpoints outside the database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.durable import sync_folder
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.database import is_server, open_database


@dataclass(frozen=True)
class ServiceLocations:
    """The three places of a service. Someone who can write to all of them can rewrite history."""

    url: str  # a SQLite file or a PostgreSQL URL
    keys: Path
    anchors: Path

    @classmethod
    def of(
        cls, url: str, keys: str | Path | None = None, anchors: str | Path | None = None
    ) -> ServiceLocations:
        """By default keys and checkpoints are beside a SQLite file, or in the current folder."""
        beside = Path("divulge") if is_server(url) else Path(url.removeprefix("sqlite:///"))
        stem = beside.with_suffix("")
        return cls(url, Path(keys or f"{stem}-keys"), Path(anchors or f"{stem}-checkpoints"))

    def create(self) -> DecisionService:
        """Make the tables and the keys, where they are not there yet, and open."""
        database = open_database(self.url, create=True)
        if not is_server(self.url):
            sync_folder(Path(database.name).resolve().parent)
        secrets = Secrets.read(self.keys) if self.keys.exists() else Secrets.make(self.keys)
        return DecisionService(database, secrets, Anchors(self.anchors).make())

    def open(self, *, read_only: bool = False) -> DecisionService:
        """Open what is there; for reading only, beside a service that has it open."""
        secrets = Secrets.read(self.keys)
        database = open_database(self.url, read_only=read_only)
        return DecisionService(database, secrets, Anchors(self.anchors))
