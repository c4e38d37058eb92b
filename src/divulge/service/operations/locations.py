"""Where a service keeps its things: a database, the holder's keys, and checkpoints outside the database."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from divulge.errors import SourceError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.durable import sync_folder
from divulge.service.ledger.secrets import SIGNING, Secrets
from divulge.service.signing.remote_signer import RemoteSigner, signer_key
from divulge.service.signing.signer import LocalSigner, Signer
from divulge.service.store.connection import Database
from divulge.service.store.database import is_server, open_database, refuse_missing


@dataclass(frozen=True)
class ServiceLocations:
    """The three places of a service. Someone who can write to all of them can rewrite history."""

    url: str  # a SQLite file or a PostgreSQL URL
    keys: Path
    anchors: Path
    signer: Path | None = None  # the socket of the process that signs, where it is not the service itself

    @classmethod
    def of(
        cls,
        url: str,
        keys: str | Path | None = None,
        anchors: str | Path | None = None,
        signer: str | Path | None = None,
    ) -> ServiceLocations:
        """By default keys and checkpoints are beside a SQLite file, or in the current folder."""
        beside = Path("divulge") if is_server(url) else Path(url.removeprefix("sqlite:///"))
        stem = beside.with_suffix("")
        socket = None if signer is None else Path(signer)
        return cls(url, Path(keys or f"{stem}-keys"), Path(anchors or f"{stem}-checkpoints"), socket)

    def create(self) -> DecisionService:
        """Make the tables and the keys, where they are not there yet, and open."""
        database = open_database(self.url, create=True)
        if not is_server(self.url):
            sync_folder(Path(database.name).resolve().parent)
        secrets = self.secrets() if self.keys.exists() else self._make_secrets()
        return self._service(database, secrets, Anchors(self.anchors).make())

    def open(self, *, read_only: bool = False) -> DecisionService:
        """Open what is there; for reading only, beside a service that has it open."""
        secrets = self.secrets()
        if self.anchors.exists() and not self.anchors.is_dir():
            raise SourceError(
                f"{self.anchors} is not the folder of the checkpoints: it is a file.",
                hint="Put back the folder, or name it with --checkpoints.",
            )
        database = open_database(self.url, read_only=read_only)
        return self._service(database, secrets, Anchors(self.anchors))

    def secrets(self) -> Secrets:
        """The holder's keys; where another process signs, this one must not be able to."""
        refuse_missing(self.url)
        private = self.keys / SIGNING
        if self.signer is not None and os.access(private, os.R_OK):
            raise SourceError(
                f"{private} can be read, though another process signs: that one alone should have it.",
                hint="Move it to the folder of the signer.",
            )
        return Secrets.read(self.keys, signing=self.signer is None)

    def _make_secrets(self) -> Secrets:
        if self.signer is None:
            return Secrets.make(self.keys)
        return Secrets.make(self.keys, signer_key(self.signer))

    def signs(self, database: Database, secrets: Secrets) -> Signer:
        """Who signs: the process that was named, or else this one."""
        if self.signer is None:
            return LocalSigner(secrets, self.anchors)
        return RemoteSigner(self.signer, secrets.public, database)

    def _service(self, database: Database, secrets: Secrets, anchors: Anchors) -> DecisionService:
        return DecisionService(database, secrets, anchors, signed_by=self.signs(database, secrets))
