"""Databases that earlier versions have made, as they were kept."""

from __future__ import annotations

import tarfile
from contextlib import closing
from pathlib import Path

import psycopg

from divulge.service.operations.locations import ServiceLocations

STORED = Path(__file__).parent / "stored"
VERSIONS = {path.name.removesuffix(".tar.xz"): path for path in sorted(STORED.glob("*.tar.xz"))}


def unpacked(version: str, url: str, folder: Path) -> ServiceLocations:
    """A stored database: the SQLite file in a folder, or restored to an empty database of a server."""
    server = url.startswith("postgresql")
    kind = "postgresql" if server else "sqlite"
    with tarfile.open(VERSIONS[version]) as archive:
        archive.extractall(folder, filter="data")
    if server:
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            connection.execute((folder / kind / "service.sql").read_text())
    place = folder / kind
    return ServiceLocations(
        url if server else str(place / "service.db"), place / "keys", place / "checkpoints"
    )
