"""A small cluster: a master and two workers as processes, one of them killed in the middle of a count."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import divulge as dv
from questions import near

KEYS = ["city", "age", "visit"]

#: Counts a table on the cluster, and says when a count of many parts is half done.
DRIVER = """
import json, sys, threading, time
import divulge as dv
from divulge.engines.spark import querying

path, master, people, *keys = sys.argv[1:]
querying.MOST = 5000  # combinations stay where they are
data = dv.read(path, engine="spark", master=master, identifiers=people or None)
from pyspark import SparkContext
context = SparkContext._active_spark_context
workers = lambda: len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1

def watch():
    tracker = context.statusTracker()
    while True:
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if stage and stage.numTasks >= 8 and 2 <= stage.numCompletedTasks <= stage.numTasks - 4:
                print(workers(), flush=True)
                return
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()
readings = dv.measure(data, keys=keys, target="ill", permutations=0)
print(json.dumps([workers(), {one.name: one.value for one in readings}]), flush=True)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def started(kind, *arguments):
    """A master or a worker with all processes that it starts."""
    home = Path(find_spec("pyspark").origin).parent
    command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{kind}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    given = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
    }
    process = subprocess.Popen([*command, *map(str, arguments)], env=given, start_new_session=True, **quiet)
    try:
        yield process
    finally:
        killed(process)


def killed(process):
    """The process and those that it started are gone at once."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


@pytest.fixture
def cluster(tmp_path):
    """The address of a cluster, and its two workers."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("a cluster needs PySpark and Java")
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    with ExitStack() as held:
        held.enter_context(started("master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", 0))
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        options = ["--host", "127.0.0.1", "--cores", 1, "--memory", "700m", "--webui-port", 0]
        workers = [
            held.enter_context(
                started("worker.Worker", *options, "--work-dir", tmp_path / f"worker{i}", address)
            )
            for i in range(2)
        ]
        yield address, workers


@pytest.mark.slow
@pytest.mark.parametrize("people", [None, "person"])
def test_a_worker_killed_in_the_middle_of_a_count_changes_nothing(cluster, tmp_path, people):
    address, workers = cluster
    rng = np.random.default_rng(5)
    records = 1_000_000
    drawn = {name: rng.integers(0, most, records) for name, most in zip(KEYS, (40, 90, 900), strict=True)}
    table = pa.table(
        {**drawn, "ill": rng.integers(0, 7, records), "person": rng.integers(0, records // 2, records)}
    )
    place = tmp_path / "people.parquet"
    pq.write_table(table, place, row_group_size=records // 24)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "600m",
        "spark.cores.max": 2,
        "spark.scheduler.minRegisteredResourcesRatio": 1,
        "spark.sql.files.maxPartitionBytes": place.stat().st_size // 24,
        "spark.sql.files.openCostInBytes": 0,
        "spark.sql.shuffle.partitions": 16,
        "spark.sql.adaptive.enabled": "false",
    }
    given = " ".join(f"--conf {name}={value}" for name, value in settings.items())
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"{given} pyspark-shell"}
    command = [sys.executable, "-c", DRIVER, str(place), address, people or "", *KEYS]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as driver:
        at_work = driver.stdout.readline()
        killed(workers[0])
        left, found = json.loads(driver.stdout.readline())
    assert (int(at_work), left, driver.returncode) == (2, 1, 0)
    data = dv.read(table, identifiers=people)
    for one in dv.measure(data, keys=KEYS, target="ill", permutations=0):
        assert found[one.name] == near(one.value), one.name
