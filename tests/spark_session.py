"""One local Spark for all tests that need it, with a Spark Connect server inside it."""

import functools
import os
import shutil
import socket
import warnings
from importlib.util import find_spec

import pytest


def _lacking():
    if find_spec("pyspark") is None:
        return "PySpark is not installed: pip install 'divulge[spark]'"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is not installed: apt-get install default-jre-headless"
    return None


@functools.cache
def _started():
    from divulge.engines.spark.session import started

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        # Tables of a few records: compiling a query takes longer than running it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    given = " ".join(f"--conf {name}={value}" for name, value in settings.items())
    # In a run of minutes, compiling Java thoroughly takes longer than it saves.
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} --driver-java-options '{quick}' pyspark-shell"
    try:
        return started("local[2]"), port
    finally:
        del os.environ["PYSPARK_SUBMIT_ARGS"]


@pytest.fixture(scope="session")
def spark():
    """The session; without what it takes a test is skipped, and in CI it fails."""
    lacking = _lacking()
    if lacking and os.environ.get("CI"):
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)
    return _started()[0]


@pytest.fixture(scope="session")
def connected(spark):
    """A session of the same Spark by Spark Connect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what PySpark says of pandas
        from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(f"sc://127.0.0.1:{_started()[1]}").getOrCreate()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()
