"""What every answer carries: the proof that its entry is in the log that was signed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree, consistency_path, inclusion_paths
from divulge.service.store.connection import Database, Transaction


@dataclass(frozen=True)
class Decided:
    """Answers that name their entries, and a checkpoint of a log that has these."""

    answers: Sequence[dict[str, Any]]
    checkpoint: Checkpoint
    tree: LogTree | None = None  # to which the entries were added just now

    def proved(
        self, database: Database, since: int | None = None
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The answers with their proofs, and what they have in common.

        For somebody who has seen a checkpoint ``since`` so many entries, there is also the proof that the log
        goes on from there.
        """
        signed, paths = self.checkpoint, self._at_hand()
        missing = {one["index"] for one in self.answers if "index" in one} - paths.keys()
        since = None if since is None or since > signed.count else since
        common: dict[str, Any] = {"checkpoint": signed.to_dict()}

        def work(connection: Transaction) -> None:
            paths.update(inclusion_paths(connection, signed.chain, missing, signed.count))
            if since is not None:
                path = consistency_path(connection, signed.chain, since, signed.count)
                common["consistency"] = {"since": since, "path": path}

        if missing or since is not None:
            database.read(work)
        return [_with_path(one, paths) for one in self.answers], common

    def _at_hand(self) -> dict[int, list[str]]:
        """Proofs that need nothing from the database."""
        found: dict[int, list[str]] = {}
        if self.tree is not None and self.tree.size == self.checkpoint.count:
            for one in self.answers:
                if "index" in one and self.tree.has(one["index"]):
                    found[one["index"]] = self.tree.path(one["index"])
        return found


def _with_path(answer: dict[str, Any], paths: dict[int, list[str]]) -> dict[str, Any]:
    return {**answer, "proof": paths[answer["index"]]} if "index" in answer else answer
