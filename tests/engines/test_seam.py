"""One seam for engines: nothing outside asks where the records are, and no question is counted twice."""

import ast
import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.engines.memory.counted_rows import CountedRows
from divulge.readings import chance, reading
from parsed_source import parsed

SOURCE = Path(dv.__file__).parent
PRYING = {"getattr", "hasattr", "cast"}
KINDS = {"Engine", "MemoryEngine", "ExternalEngine", "ExternalTable", "DatabaseTable", "SparkTable"}
PLACES = {"distant", "Distant", "afar", "Vast", "OutOfCoreTable"}


def name_of(node):
    return node.id if isinstance(node, ast.Name) else node.attr


def words(node):
    """The names that an expression mentions, those in quotes among them."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            yield name_of(part)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def questions_of_place(tree):
    """Lines that ask what a source or an engine is, or where it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = {word for argument in node.args for word in words(argument)}
            pries = node.func.id in PRYING and asked & {"source", "engine"}
            if pries or (node.func.id in {*PRYING, "isinstance"} and asked & (KINDS | PLACES)):
                yield node.lineno
        elif isinstance(node, ast.Name | ast.Attribute) and name_of(node) in PLACES:
            yield node.lineno


def test_nothing_outside_of_engines_asks_where_records_are():
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] != "engines":
            assert not list(questions_of_place(parsed(path))), place


@pytest.mark.parametrize(
    "line",
    ["data.distant", "getattr(data.source, 'x', 0)", "cast('Distant', s)", "isinstance(s, ExternalTable)"],
)
def test_such_a_question_would_be_seen(line):
    assert list(questions_of_place(ast.parse(line)))


def table(records=120):
    rng = np.random.default_rng(4)
    columns = {"age": 30, "city": 4, "sex": 2, "job": 5, "ill": 3}
    return {name: [f"{name[0]}{n}" for n in rng.integers(0, many, records)] for name, many in columns.items()}


@pytest.fixture
def counted(monkeypatch):
    """How often each question is counted, and how often chance is asked for the same of it."""
    calls, chances, held = Counter(), Counter(), itertools.count()
    numbers, count, ask, expect = {}, CountedRows._count, chance.chance, chance.expected_mutual_information

    def number(thing):  # tables are held on to, so that none has the number of another
        return numbers.setdefault(id(thing), (next(held), thing))[0]

    def counting(self, *, compact):
        request = self.request
        groups = tuple((name, tuple(one.domains.items())) for name, one in request.partitions.items())
        asked = request.keys, request.target, groups, request.known, request.conventions, compact
        calls[number(self.table), asked] += 1
        return count(self, compact=compact)

    def asking(counts, readings, **given):
        given.pop("stage", None)
        names = tuple((one.name, *sorted(more.items())) for one, more in readings)
        chances[number(counts), names, tuple(given.items())] += 1
        return ask(counts, readings, **given)

    def expecting(counts):
        chances[number(counts), "expected information"] += 1
        return expect(counts)

    monkeypatch.setattr(CountedRows, "_count", counting)
    monkeypatch.setattr(reading.chances, "chance", asking)
    monkeypatch.setattr(chance, "expected_mutual_information", expecting)
    return calls, chances


def test_an_audit_counts_each_question_once_and_asks_chance_of_it_once(counted):
    calls, chances = counted
    data = dv.read(table(), quasi_identifiers=["age", "city", "sex", "job"], sensitive="ill")
    dv.audit(data).to_dict()
    assert len(calls) > 20
    assert len(chances) > 5
    assert set(calls.values()) == {1}
    assert set(chances.values()) == {1}


def test_a_question_asked_twice_of_the_same_data_is_counted_once(counted):
    calls, _ = counted
    data = dv.read(table())
    for given in (data, data.without("sex")):
        for target in ("ill", "@record"):
            dv.measure(given, keys=["age", "city"], target=target)["itpr"].value  # noqa: B018
    together = dv.ask(data, keys=["age", "city"], target="ill")
    assert together.counts is dv.ask(data, keys=["age", "city"], target="ill").counts
    assert set(calls.values()) == {1}
    assert len(calls) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"keys": ["city", "age"]},
        {"target": "sex"},
        {"partitions": {"ill": {"some": ["i0", "i1"], "other": ["i2"]}}},
        {"missing": "drop"},
        {"missing_values": ["i1"]},
        {"suppressed": "c1"},
        {"identifiers": "job"},
    ],
)
def test_what_differs_in_keys_target_partitions_or_conventions_is_counted_apart(counted, other):
    asked = {"keys": ["age", "city"], "target": "ill"}
    engine = dv.read(table())
    for given in (asked, asked | other):
        conventions = {name: value for name, value in given.items() if name not in {*asked, "partitions"}}
        data = dv.read(table(), **conventions)
        data = dv.Data(
            engine.engine,
            data.schema,
            missing=data.missing,
            missing_values=data.missing_values,
            suppressed=data.suppressed,
        )
        partitions = given.get("partitions")
        dv.ask(data, keys=given["keys"], target=given["target"], partitions=partitions).counts  # noqa: B018
    calls, _ = counted
    assert len(calls) == 2
