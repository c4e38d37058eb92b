"""Where checkpoints go besides the holder's folder: another folder, an HTTP endpoint, a git repository."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Protocol

from divulge.errors import Unavailable
from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import Cosigned

PATIENCE = 20.0  # seconds for an endpoint or a command
BRANCH = "refs/heads/checkpoints"
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")  # of a repository that the service is run in
SOMEONE = {f"GIT_{who}_{what}": "divulge" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
SOMEONE["GIT_TERMINAL_PROMPT"] = "0"
NOT_OFFERED = (404, 405, 501)  # by an endpoint that only takes checkpoints


class Place(Protocol):
    """A place to which checkpoints are pushed. Unavailable where that fails."""

    def last(self, chain: str) -> Checkpoint | None:
        """The last checkpoint of a chain that is there."""

    def push(self, statement: dict[str, Any]) -> Cosigned | None:
        """Put down a checkpoint, with the proof that it goes on from the last; it may be countersigned."""


def place_named(name: str) -> Place:
    """http://..., git:REPOSITORY or something that ends in .git, or a folder."""
    if name.startswith(("http://", "https://")):
        return Endpoint(name)
    if name.startswith("git:") or name.endswith(".git"):
        url = name.removeprefix("git:")
        return Repository(str(Path(url).resolve()) if Path(url).exists() else url)
    return Folder(Path(name))


class Folder:
    """A folder of checkpoints, as the service has one."""

    def __init__(self, path: Path) -> None:
        self._anchors = Anchors(path)

    def last(self, chain: str) -> Checkpoint | None:
        return self._anchors.newest(chain)

    def push(self, statement: dict[str, Any]) -> None:
        try:
            self._anchors.make().keep(Checkpoint.of_dict(statement["checkpoint"]))
        except OSError as error:
            raise Unavailable("The folder cannot be written to.") from error


class Endpoint:
    """An address that takes checkpoints, such as a witness."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def last(self, chain: str) -> Checkpoint | None:
        try:
            return Checkpoint.of_dict(
                self._asked(urllib.request.Request(f"{self._url}/{chain}"))["checkpoint"]
            )
        except urllib.error.HTTPError as error:
            with error:
                if error.code in NOT_OFFERED:
                    return None
            raise Unavailable(f"The endpoint answered {error.code}.") from None
        except ODD:
            return None

    def push(self, statement: dict[str, Any]) -> Cosigned | None:
        question = urllib.request.Request(
            self._url, json.dumps(statement).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            found = Cosigned.of_dict(self._asked(question))
        except urllib.error.HTTPError as error:
            with error:
                raise Unavailable(f"The endpoint answered {error.code}.") from None
        except ODD:
            return None  # it took it, and that was all
        return found if found.checkpoint.to_dict() == statement["checkpoint"] else None

    def _asked(self, question: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(question, timeout=PATIENCE) as answer:
                said = answer.read(1 << 20)
                if answer.length:
                    raise Unavailable("The endpoint's answer was cut off, or is too long.")
                return json.loads(said)
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable("The endpoint does not answer.") from error


class Repository:
    """A branch of a git repository: a file with the last checkpoint of each chain, and a history of them."""

    def __init__(self, url: str) -> None:
        self._url = url

    def last(self, chain: str) -> Checkpoint | None:
        with tempfile.TemporaryDirectory() as folder:
            if not self._fetched(folder):
                return None
            try:
                found = json.loads(_git(folder, "cat-file", "-p", f"{BRANCH}:{chain}.json"))
                return Checkpoint.of_dict(found["checkpoint"])
            except (Unavailable, *ODD):
                return None

    def push(self, statement: dict[str, Any]) -> None:
        chain, count = statement["checkpoint"]["chain"], statement["checkpoint"]["count"]
        name = f"{chain}.json"
        with tempfile.TemporaryDirectory() as folder:
            there = _git(folder, "ls-tree", BRANCH).splitlines() if self._fetched(folder) else []
            blob = _git(folder, "hash-object", "-w", "--stdin", given=canonical(statement) + "\n")
            files = [line for line in there if line.partition("\t")[2] != name]
            files.append(f"100644 blob {blob}\t{name}")
            tree = _git(folder, "mktree", given="".join(f"{line}\n" for line in files))
            parents = ["-p", BRANCH] if there else []
            commit = _git(folder, "commit-tree", tree, *parents, "-m", f"{chain}: {count} entries")
            _git(folder, "push", "--quiet", "--", self._url, f"{commit}:{BRANCH}")

    def _fetched(self, folder: str) -> bool:
        """Whether the repository has the branch, whose last commit is then in the folder."""
        _git(folder, "init", "--quiet", "--bare", ".")
        if not _git(folder, "ls-remote", "--", self._url, BRANCH):
            return False
        _git(folder, "fetch", "--quiet", "--depth=1", "--", self._url, f"+{BRANCH}:{BRANCH}")
        return True


def _git(folder: str, *words: str, given: str = "") -> str:
    known = {name: value for name, value in os.environ.items() if name not in INHERITED}
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            env=known | SOMEONE,
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"git {words[0]} failed.") from error
    return done.stdout.strip()
