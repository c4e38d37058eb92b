"""Test helpers importable by name, and Hypothesis settings that make every run the same run."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile(
    "divulge",
    deadline=None,
    derandomize=True,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("divulge")


@pytest.fixture(scope="session")
def postgresql():
    """A running server; ``postgresql.fresh()`` is the URL of a new and empty database on it."""
    from cluster import running

    yield from running()
