"""What CONTRIBUTING.md says of adding a statistic, a measure, an engine and an attack works as it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import divulge as dv
from divulge.engines.external.table import ExternalTable
from divulge.source.base import Source
from questions import QUESTIONS, assert_same_documents, assert_same_readings, drawn, readings

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACED = re.compile(r"^```python\n# (\S+): ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PEOPLE = {
    "age": ["20s"] * 4 + ["30s"] * 4 + ["40s"] * 2,
    "ill": ["flu", "flu", "cold", "cold", "flu", "flu", "flu", "cold", "flu", "cold"],
}

#: Read in memory and, with combinations and kinds of classes too many, by SQL in DuckDB.
READ = """
import json, sys
from unittest.mock import patch
import divulge as dv
from divulge.engines.out_of_core import opening
from divulge.engines.out_of_core.table import OutOfCoreTable

def read(**where):
    found = dv.measure(dv.read(sys.argv[1], **where), "collision_probability", keys="age", target="ill")
    worst = [(one.key["age"], one.value) for one in found.riskiest(2)]
    return {"counts": type(found.question.counts).__name__, "value": found.value, "worst": worst}

here = read()
few = {"most": lambda self, names: 0 if len(names) > 1 else 10**6, "class_kinds": lambda *asked: None}
with patch.object(opening, "_fits", lambda needed, budget: False), patch.multiple(OutOfCoreTable, **few):
    there = read(memory="500MB")
print(json.dumps([here, there]))
"""


@pytest.fixture(scope="module")
def blocks():
    return dict(BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))


@pytest.fixture(scope="module")
def added(blocks, tmp_path_factory):
    """A copy of the package with the page's code at the end of the files that it names."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for file, code in blocks.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as end:
            end.write(f"\n\n{code}")
    for file, place, code in PLACED.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        (folder / file).write_text(put(place, code, (folder / file).read_text("utf-8")), "utf-8")
    return folder


def put(place, code, module):
    """The module with code where the page says: after the line with some words, or among the imports."""
    after = place.removeprefix("after ") if place.startswith("after ") else "from divulge."
    (line, *_) = [line for line in module.splitlines(keepends=True) if after in line]
    return module.replace(line, line + code, 1)


def ran(folder, *arguments, tests=False):
    paths = os.pathsep.join([str(folder / "src"), *[str(ROOT / "tests")][: int(tests)]])
    given = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_statistic_and_a_measure_take_a_file_each_and_a_test(blocks):
    *files, engine, attack = blocks
    assert files == [
        *("src/divulge/counting/statistics.py", "src/divulge/measures/diversity.py"),
        "tests/measures/test_diversity.py",
    ]
    assert all((ROOT / file).is_file() for file in files)
    assert (engine, attack) == ("src/divulge/engines/rows/table.py", "src/divulge/attacks/narrowing.py")


def test_what_was_added_reads_the_same_in_memory_and_in_duckdb(added):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(PEOPLE), added / "people.parquet")
    here, there = json.loads(ran(added, "-c", READ, str(added / "people.parquet")))
    assert (here.pop("counts"), there.pop("counts")) == ("JointCounts", "AggregateCounts")
    assert here == {"value": 0.625, "worst": [["30s", 0.625], [here["worst"][1][0], 0.5]]}
    assert there["value"] == pytest.approx(0.625)
    assert there["worst"][0] == ["30s", 0.625]
    assert there["worst"][1][1] == pytest.approx(0.5)


def test_the_test_of_the_page_passes_and_its_worked_example_is_right(added, blocks):
    (name,) = re.findall(r"^def (test_\w+)", blocks["tests/measures/test_diversity.py"], re.MULTILINE)
    test = added / "tests" / "measures" / "test_diversity.py"
    said = (
        "from divulge.measures.registry import MEASURES, example_counts;"
        "print(MEASURES['collision_probability'].compute(example_counts()))"
    )
    code = f"import runpy; runpy.run_path({str(test)!r})[{name!r}](); {said}"
    assert ran(added, "-c", code).strip() == "0.625"


# -- an engine ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stays(blocks):
    """What leaves the records of a table to the engine of the page, beside the same records in memory."""
    module = {"__name__": "rows"}
    exec(blocks["src/divulge/engines/rows/table.py"], module)

    def both(table):
        columns = {name: table[name].to_pylist() for name in table.column_names}
        known = [[None if one != one else one for one in column] for column in columns.values()]
        return module["RowTable"]("people", tuple(columns), [*zip(*known, strict=True)]), columns

    return both


ASKED = [
    "an attribute",
    "re-identification",
    "missing as wildcard",
    "a mark for missing",
    "weights",
    "people",
]


@pytest.mark.parametrize("question", [*ASKED, "partitions", "a key suppressed on most records"])
def test_the_engine_of_the_page_reads_what_memory_reads(stays, question):
    table, asked = QUESTIONS[question]
    there, here = stays(table)
    assert_same_readings(readings(there, **asked), readings(here, **asked))


def test_an_audit_by_the_engine_of_the_page_tells_the_same(stays):
    there, here = stays(drawn(13, 40).select(["smoker", "ill"]))
    assert isinstance(there, ExternalTable)
    data = dv.read(there)
    assert data.engine.kind == "rows"
    assert_same_documents(dv.audit(data).to_dict(), dv.audit(dv.read(here)).to_dict())


def test_the_page_names_all_that_a_table_in_its_place_offers():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Add an engine")[2]
    offered = [name for kind in (Source, ExternalTable) for name in vars(kind) if not name.startswith("_")]
    assert len(offered) == 4 + 11
    assert [name for name in offered if f"`{name}`" not in page.partition("```")[0]] == []


def test_the_words_of_a_template_are_those_that_the_page_names():
    from divulge.counting.statistics_sql import DUCKDB

    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert all(f"`{{{word}}}`" in page for word in (*vars(DUCKDB), "values"))


# -- an attack ---------------------------------------------------------------------------------------

#: Groups of 3, 2 and 1 by age and place; in the release the one who is alone has no place.
ATTACKED = """
import json
import divulge as dv
from divulge.report.comparison.page import page
from laws import test_suppression as laws

keys = {"age": ["20s"] * 3 + ["30s"] * 2 + ["40s"], "zip": ["7"] * 3 + ["8"] * 3, "sex": ["f"] * 6}
table = {**keys, "disease": ["a", "b", "c", "a", "b", "a"]}
release = {**table, "age": ["20s"] * 3 + ["30s"] * 2 + ["*"]}
roles = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease"}
alone, nobody = dv.attacks.narrowing(dv.read(table, **roles)), dv.attacks.narrowing(dv.read(table))
before, after = laws.outcomes(table, table), laws.outcomes(table, release)
laws.assert_none_rises(before, after, at_random=False)
compared = dv.compare(dv.read(table, **roles), table)
listed = [one["attack"] for one in compared.to_dict()["releases"][0]["attacks"]]
print(json.dumps([
    [alone.risk, alone.people, alone.of, alone.sentence],
    nobody.to_dict(),
    [before["narrowing", "released"].people, after["narrowing", "released"].people],
    listed,
    alone.title in page(compared.to_dict()),
]))
"""


def test_the_attack_of_the_page_is_counted_by_hand_compared_and_held_to_the_law(added):
    found = json.loads(ran(added, "-c", ATTACKED, tests=True))
    counted, nobody, lawful, listed, shown = found
    assert counted == [0.5, 3, 6, "For fewer than 5 people, at most 2 records match on age and zip."]
    assert (nobody["risk"], nobody["people"]) == (None, None)
    assert nobody["undefined"] == "no quasi-identifier of the release is known"
    assert lawful == [3, 0]
    assert listed[listed.index("prosecutor") + 1] == "narrowing"
    assert shown
