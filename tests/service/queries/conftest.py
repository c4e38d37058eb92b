"""Databases for guarded tables: a file with every change, a server as well where there is time."""

import pytest


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request, tmp_path):
    """Where a new and empty database is."""
    if request.param == "sqlite":
        return str(tmp_path / "service.db")
    return request.getfixturevalue("postgresql").fresh()
