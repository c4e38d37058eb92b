"""Databases for tests: a PostgreSQL server of a run's own, and new and empty databases of each kind."""

import sqlite3
from contextlib import closing

import pytest


@pytest.fixture(scope="session")
def postgresql():
    """A running server; ``postgresql.fresh()`` is the URL of a new and empty database on it."""
    from cluster import running

    yield from running()


@pytest.fixture
def empty_database(request, tmp_path):
    """What makes a new and empty database, ``"sqlite"`` or ``"postgresql"``, as an engine of SQLAlchemy."""
    import sqlalchemy as sa

    made = []

    def make(kind):
        url = f"sqlite:///{tmp_path / f'database{len(made)}.db'}"
        if kind == "postgresql":
            url = request.getfixturevalue("postgresql").fresh().replace("postgresql:", "postgresql+psycopg:")
        made.append(sa.create_engine(url))
        return made[-1]

    yield make
    for one in made:
        one.dispose()


def sqlite_file(path, tables):
    """A SQLite file with tables, each by its columns as SQL names them and its rows; its address."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            places = ", ".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
    return f"sqlite:///{path}"
