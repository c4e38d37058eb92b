"""Test helpers importable by name, servers shared by tests, and settings that make every run the same run."""

import functools
import gc
import os
import sys
from pathlib import Path

import pytest
import typer.main
from hypothesis import HealthCheck, settings

# Tests run beside each other: threads of its own for each product of two small matrices only get in the way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported
os.environ["SOURCE_DATE_EPOCH"] = "1577880000"  # what documents are dated, so that they can be compared
sys.path.insert(0, str(Path(__file__).parent))

from browsing import browser
from databases import empty_database, postgresql
from divulge._compiled import library

__all__ = ["browser", "empty_database", "postgresql"]

settings.register_profile(
    "divulge",
    deadline=None,
    derandomize=True,
    max_examples=10,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("many", settings.get_profile("divulge"), max_examples=400)  # by make test-slow
settings.load_profile("divulge")


# A process runs one command and builds the parser of all; a thousand tests that run one would build it each.
typer.main.get_command = functools.cache(typer.main.get_command)


def pytest_sessionstart():
    """Tests are of the compiled loops as they are now, and of none that were built from older sources."""
    if not library.built():
        raise pytest.UsageError(
            "The loops in C are not compiled as they are now. With a C compiler (on Debian: apt install gcc "
            "libc6-dev), run: .venv/bin/python -m pip install --no-deps -e ."
        )


gc.disable()  # until tests are collected: what is imported meanwhile is never garbage


def pytest_collection_finish():
    """From here on garbage is collected, among what comes after."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file that shares something go to one worker, and all that use Spark; others are spread."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            if uses_spark(file):
                return "spark"
            return file if shares(file) else nodeid

        def mark_test_complete(self, node, item_index, duration=0):
            """A finished unit is forgotten: xdist would count it again after each of ten thousand tests."""
            super().mark_test_complete(node, item_index, duration)
            units, nodeid = self.assigned_work[node], self.registered_collections[node][item_index]
            scope = self._split_scope(nodeid)
            if all(units[scope].values()):
                del units[scope]

    return Together(config, log)


def pytest_collection_modifyitems(items):
    """Long tests begin first; older versions of PySpark leave sockets to be collected, which says so."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    left = pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
    )
    for item in items:
        if uses_spark(item.nodeid.partition("::")[0]):
            item.add_marker(left)


@functools.cache
def _text(file):
    path = Path(__file__).parent.parent / file
    return path.read_text("utf-8") if path.name.startswith("test_") else ""


def uses_spark(file):
    return '"spark_session"' in _text(file)


def shares(file):
    """Whether tests of a file share what takes long to make: fixtures, a browser, loops to be compiled."""
    return any(word in _text(file) for word in ('scope="module"', "browser", "mark.together"))


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
