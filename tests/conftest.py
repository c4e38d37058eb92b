"""Test helpers importable by name, and Hypothesis settings that make every run the same run."""

import functools
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files that use Spark go to one worker, so that a run starts one Spark; all else is spread."""
    from xdist.scheduler import LoadScopeScheduling

    class OneSpark(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "spark" if uses_spark(nodeid.partition("::")[0]) else nodeid

    return OneSpark(config, log)


def pytest_collection_modifyitems(items):
    """Older versions of PySpark leave sockets to the garbage collector, which says so."""
    left = pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
    )
    for item in items:
        if uses_spark(item.nodeid.partition("::")[0]):
            item.add_marker(left)


@functools.cache
def uses_spark(file):
    path = Path(__file__).parent.parent / file
    return path.name.startswith("test_") and '"spark_session"' in path.read_text()


@pytest.fixture(scope="session")
def postgresql():
    """A running server; ``postgresql.fresh()`` is the URL of a new and empty database on it."""
    from cluster import running

    yield from running()


@pytest.fixture(autouse=True, scope="session")
def _documents_fit_their_schemas():
    """Every document that a test makes, by command or in Python, is held to its JSON Schema."""
    from divulge import documents
    from schemas import fits

    headed = documents.headed

    @functools.wraps(headed)
    def checked(kind, body):
        document = headed(kind, body)
        fits(document)
        return document

    documents.headed = checked
    yield
    documents.headed = headed
