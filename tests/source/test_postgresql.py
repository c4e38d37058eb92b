"""A table of a real PostgreSQL server, started for these tests and stopped after them."""

import os
import pwd
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.errors import MissingSource
from divulge.source import open_source

ROWS = [("01234", 20, "flu"), ("01234", 20, "cold"), ("99999", 30, None), ("01234", None, "flu")]


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _run_as_owner(command):
    """PostgreSQL refuses to run as root, so root lends it the user that Debian made for it."""
    user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
    change = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
    subprocess.run(command, check=True, capture_output=True, cwd="/", **change)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    programs = _programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed; scripts/debian-packages installs it")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path("/tmp") / f"divulge-postgresql-{os.getpid()}"
    folder.mkdir()
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    try:
        _run_as_owner(
            [programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"]
        )
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        _run_as_owner([programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"])
        address = f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
        engine = sa.create_engine(address)
        with engine.begin() as connection:
            connection.execute(sa.text('CREATE SCHEMA "health"'))
            connection.execute(sa.text('CREATE TABLE health."People" ("Zip" text, age int, ill text)'))
            statement = sa.text('INSERT INTO health."People" VALUES (:zip, :age, :ill)')
            connection.execute(
                statement, [dict(zip(("zip", "age", "ill"), row, strict=True)) for row in ROWS]
            )
        engine.dispose()
        yield address
    finally:
        if (data / "postmaster.pid").exists():
            _run_as_owner([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"])
        shutil.rmtree(folder, ignore_errors=True)


def test_a_table_in_a_schema_reads_like_the_same_rows_in_memory(url):
    columns = dict(zip(("Zip", "age", "ill"), map(list, zip(*ROWS, strict=True)), strict=True))
    for target in ("ill", "@record"):
        there = dv.measure(dv.read(url, table="health.People"), keys=["Zip", "age"], target=target)
        here = dv.measure(columns, keys=["Zip", "age"], target=target)
        assert [r.name for r in there] == [r.name for r in here]
        for mine, theirs in zip(there, here, strict=True):
            assert mine.value == pytest.approx(theirs.value, rel=1e-12), mine.name


def test_text_keeps_its_zeros_and_missing_is_missing(url):
    codes = open_source(url, table="health.People").encode(["Zip", "ill"])
    assert [codes["Zip"].values[c - 1] for c in codes["Zip"].codes] == ["01234", "01234", "99999", "01234"]
    assert codes["ill"].codes.tolist() == [1, 2, 0, 1]


def test_a_table_that_is_not_there_is_named(url):
    with pytest.raises(MissingSource, match=r"No table 'health\.Persons' in the database"):
        open_source(url, table="health.Persons")
