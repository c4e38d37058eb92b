"""Databases for the service: a file of one's own, or a new database on a PostgreSQL server."""

import pytest

from cluster import running
from service.scene import Scene
from service.worker import Nursery


@pytest.fixture(scope="module")
def mortal_postgresql():
    """A server to be killed: with few databases, so that it recovers soon."""
    yield from running(mortal=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Where a new and empty database is, one of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "service.db")
    return request.getfixturevalue("postgresql").fresh()


@pytest.fixture(scope="session")
def nursery():
    """A warm process that forks others."""
    found = Nursery()
    yield found
    found.close()


@pytest.fixture
def scene(tmp_path):
    """A service on a file, with sixty people."""
    return Scene.make(str(tmp_path / "service.db"), tmp_path)


@pytest.fixture
def decider(scene):
    found = scene.place.open()
    yield found
    found.database.close()
