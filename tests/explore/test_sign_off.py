"""What somebody signs, and what may be named on the page before values are shown."""

import html
import io
import json
import time
import zipfile

import numpy as np
import pytest

import divulge as dv
from divulge.explore.explorer import Explorer

KEYS = ["age", "zip"]
RNG = np.random.default_rng(1)
TABLE = {
    "age": RNG.integers(18, 90, 400).tolist(),
    "zip": RNG.choice(["1001", "1002", "2101", "2102"], 400).tolist(),
    "ill": RNG.choice(["flu", "gout"], 400).tolist(),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explorer_of(place, columns=TABLE, **said):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    (place / "people.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    data = dv.read("people.csv", quasi_identifiers=KEYS, sensitive=["ill"], **said)
    return Explorer(data, name="people.csv", seed=5)


def summary_of(explorer):
    """The text of the summary to be signed."""
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        return html.unescape(archive.read("summary.html").decode())


def finished(ask):
    told = ask()
    while told["comparing"]:
        time.sleep(0.01)
        told = ask()
    return told


def test_the_summary_says_what_further_steps_do(place):
    explorer = explorer_of(place)
    steps = [
        {"mechanism": "rounding", "attributes": ["age"], "base": 30},
        {"mechanism": "remove", "attributes": ["ill"]},
    ]
    explorer.change({"roles": {"ill": "other"}})
    explorer.change({"steps": steps})
    summary = summary_of(explorer)
    assert "changed by step 1" in summary
    assert "not released" in summary


def test_the_summary_says_what_the_attacker_is_assumed_to_know_and_what_who_knows_all_finds(place):
    explorer = explorer_of(place)
    told = explorer.change({"levels": {"age": 3}, "known": ["zip"], "population": {"fraction": 0.1}})[
        "figures"
    ]
    assert told["assumed"] == (
        "The attacker knows zip of a person (1 of 2 quasi-identifiers). "
        "10% of the population is in the table."
    )
    summary = summary_of(explorer)
    head, body = summary.split('id="checks"')
    assert told["assumed"] in head
    every = explorer.change({"known": ["age", "zip"]})["figures"]
    assert f"Who knows all 2 quasi-identifiers: {every['sentence']}" in head
    assert all(one["text"] in body for one in every["risks"])
    assert "Who knows all" not in summary_of(explorer)


def test_no_value_of_a_few_people_shows_however_many_records_they_have(place):
    columns = {name: np.repeat(values, 6).tolist() for name, values in TABLE.items()}
    columns["who"] = np.repeat(np.arange(400), 6).tolist()
    columns["zip"][6:12], columns["age"][6:12] = ["Secretville"] * 6, [104] * 6
    explorer = explorer_of(place, columns, identifiers=["who"])
    explorer.change({"thresholds": {"k_anonymity": {"min": 2}}})
    explorer.edit("zip", "add", level=0)
    explorer.edit("age", "add", level=0)
    told = [explorer.now()["attributes"], finished(explorer.compared)["distributions"]]
    assert "2101" in json.dumps(told)  # of many people
    assert "Secretville" not in json.dumps(told)
    assert "104" not in json.dumps(told)
