"""What a first query needs is loaded before anybody asks: whoever comes with it would wait too long."""

import subprocess
import sys

import pytest

from service.queries_scene import CLINIC, EXACT, NOISY, guarded

MARGIN = EXACT.replace("differencing = true", "differencing = { margin = 0.05 }")
ASKED = """
import sys
from contextlib import closing
from pathlib import Path

import divulge.service.http.app
from divulge.service.operations.locations import ServiceLocations
from divulge.service.queries.query_service import QueryService


def packages():
    return {one.partition(".")[0] for one in sys.modules}


folder, name = Path(sys.argv[1]), sys.argv[2]
decider = ServiceLocations.of(str(folder / "service.db"), folder / "keys", folder / "checkpoints").open()
with closing(decider.database), closing(QueryService(decider)) as queries:
    queries.prepare()
    before = packages()
    for asked in ("COUNT(*)", "SUM(cost)", "AVG(cost)"):
        text = f"SELECT {asked} FROM patients WHERE age > 40"
        (answer,) = queries.ask(name, text, "ann", asked).answers
        assert answer["decision"] == "answered", answer
    print(*sorted(packages() - before))
"""


@pytest.mark.parametrize("policy", [EXACT, MARGIN, NOISY])
def test_a_first_query_loads_no_library(tmp_path, policy):
    if policy == NOISY:
        pytest.importorskip("opendp")
    guarded(str(tmp_path / "service.db"), tmp_path, policy)
    asked = [sys.executable, "-c", ASKED, str(tmp_path), CLINIC]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.split()) == (0, []), found.stderr
