"""How a table is read is said on the page, and ends in what is exported."""

import io
import json
import tomllib
import types
import zipfile
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.documents.making.exploration import ExplorerEntry, MechanismEntry, OpeningEntry
from divulge.errors import DivulgeError
from divulge.explore.choosing.reading_options import read_otherwise
from divulge.explore.explorer import Explorer

RNG = np.random.default_rng(2)
LINES = [
    f"{age};{code};{ill}"
    for age, code, ill in zip(
        RNG.integers(20, 60, 300), RNG.integers(1, 5, 300), RNG.choice(["flu", "gout", "?"], 300), strict=True
    )
]


@pytest.fixture
def explorer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("\n".join(["made by hand", "age;code;ill", *LINES]) + "\n")
    data = dv.read("people.csv", skip=1, quasi_identifiers=["age", "code"], sensitive=["ill"])
    return Explorer(data, name="people.csv", reading={"skip": 1}, seed=3)


def test_what_was_said_of_the_file_is_in_the_policy_and_reads_it_again(explorer, tmp_path):
    explorer.read_again(separator=";", skip="1", missing_values="?", no_header=False, names="", comment="")
    assert explorer.reading == {"skip": 1, "separator": ";", "missing_values": ["?"]}
    explorer.change({"levels": {"age": 2}})
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(tmp_path)
    said = tomllib.loads((tmp_path / "keep" / "policy.toml").read_text())["data"]
    assert said == {"source": "../people.csv", "separator": ";", "skip": 1, "missing_values": ["?"]}
    assert "separator=';'" in (tmp_path / "keep" / "release.py").read_text()
    assert run("audit", "--policy", "keep/policy.toml", "--json")[0] in (0, 1)
    assert run("check", "publish/released.csv", "--policy", "keep/policy-of-release.toml")[0] == 0


def test_a_type_decides_which_hierarchy_is_made(explorer):
    before = explorer.now()["attributes"]
    assert [one["type"] for one in before] == ["number", "number", "category"]
    after = explorer.change({"types": {"code": "category"}, "hierarchies": {"code": None}})["attributes"][1]
    assert (after["type"], after["numeric"], after["made"]) == ("category", False, True)
    assert explorer.preview()["columns"][1]["detected"] == "number"
    with pytest.raises(DivulgeError, match="is no number: 3 values of 3"):
        explorer.change({"roles": {"ill": "quasi-identifier"}, "types": {"ill": "number"}})
    with pytest.raises(DivulgeError, match="no type 'king'"):
        explorer.change({"types": {"code": "king"}})


def misfit(value, hint):
    """Where a value is of another kind than a type says."""
    if hint is Any:
        return []
    if is_typeddict(hint):
        fields = get_type_hints(hint)
        wrong = [f"{hint.__name__}.{name}" for name in fields.keys() ^ value.keys()]
        return wrong + [
            one for name in fields.keys() & value.keys() for one in misfit(value[name], fields[name])
        ]
    kinds = get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return [] if any(misfit(value, one) == [] for one in kinds) else [f"{value!r} is no {hint}"]
    if get_origin(hint) in (list, dict) and isinstance(value, get_origin(hint)):
        return [found for one in (value.values() if kinds[1:] else value) for found in misfit(one, kinds[-1])]
    plain = (int, float) if hint is float else get_origin(hint) or hint
    return [] if isinstance(value, plain) else [f"{value!r} is no {hint}"]


def test_the_page_is_told_what_its_documents_say(explorer):
    explorer.change({"steps": [{"mechanism": "rounding", "attributes": ["age"], "base": 5}]})
    explorer.pin("rounded")
    for told, document in ((explorer.now(), ExplorerEntry), (explorer.preview(), OpeningEntry)):
        assert misfit(json.loads(json.dumps(told)), document) == []
    mechanisms = json.loads(json.dumps(explorer.mechanisms()["mechanisms"]))
    assert misfit(mechanisms, list[MechanismEntry]) == []
    assert misfit({"records": "many"}, ExplorerEntry) != []
    offered = [one["name"] for one in explorer.preview()["options"]]
    assert offered[:3] == ["separator", "quote", "encoding"]
    assert "labels" not in offered


def test_labels_of_a_stata_file_are_shown_and_can_be_ignored(tmp_path, monkeypatch):
    pyreadstat = pytest.importorskip("pyreadstat")
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"sex": [1, 2] * 30, "age": [20, 30, 40] * 20})
    pyreadstat.write_dta(frame, "people.dta", variable_value_labels={"sex": {1: "male", 2: "female"}})
    explorer = Explorer(dv.read("people.dta", quasi_identifiers=["sex", "age"]), name="people.dta", seed=1)
    explorer.unlock()
    told = explorer.preview()
    assert told["columns"][0]["labels"] == [["1", "male"], ["2", "female"]]
    assert told["rows"][0] == ["male", "20"]
    assert next(one["name"] for one in told["options"]) == "labels"
    explorer.read_again(labels="ignore")
    assert explorer.preview()["rows"][0] == ["1", "20"]
    assert 'labels = "ignore"' in explorer.now()["files"]["policy.toml"]


@pytest.mark.parametrize(
    "said",
    [{"engine": "spark"}, {"separator": 3}, {"skip": "many"}, {"missing_values": [1]}, {"no_header": "yes"}],
)
def test_what_cannot_be_said_is_refused(said):
    with pytest.raises(DivulgeError):
        read_otherwise({}, said)
