"""A copy of a service's database, made while the service goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from divulge.errors import MissingSource, SourceError
from divulge.service.operations.files import new_file
from divulge.service.store.database import open_database
from divulge.service.store.sqlite import SQLite


def backup(url: str, path: Path) -> None:
    """Copy a database as it is at one moment to a new file; the file holds all records.

    The copy of a SQLite database is one again, that of a server's is for pg_restore.
    """
    with closing(open_database(url, read_only=True, earlier=True)) as database, new_file(path):
        if not isinstance(database, SQLite):
            _dump(url, path)
            return
        try:
            database.backup(path)
        except sqlite3.Error as error:
            raise SourceError(f"{database.name} cannot be copied: {error}.") from None


def _dump(url: str, path: Path) -> None:
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    program = shutil.which("pg_dump")
    if program is None:
        raise MissingSource(
            "A copy of a PostgreSQL database needs the program pg_dump, which is not found.",
            hint="Install PostgreSQL's client programs.",
        )
    parts = conninfo_to_dict(url)
    password = parts.pop("password", None)  # lists of processes show arguments, not the environment
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    command = [program, "--format=custom", f"--file={path}", f"--dbname={make_conninfo('', **parts)}"]
    done = subprocess.run(command, env={**os.environ, **secret}, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise SourceError(f"pg_dump has failed: {said[0] if said else 'without a message'}.")
