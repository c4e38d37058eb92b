"""A file pasted several times is noticed where its records stay, too."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

import divulge as dv
from divulge.assessment import audit

ROLES = {"quasi_identifiers": ["zip", "age"], "sensitive": "ill"}
RNG = np.random.default_rng(5)


def people(records=60):
    return pd.DataFrame(
        {
            "zip": RNG.choice(list("abcd"), records),
            "age": RNG.choice([20, 30, 40, 50, 60, 70], records),
            "ill": RNG.choice(["flu", "cold", "gout"], records),
        }
    )


def in_database(frame, folder):
    path = folder / "people.sqlite"
    with sqlite3.connect(path) as there:
        frame.to_sql("people", there, index=False)
    there.close()
    return dv.read(f"sqlite:///{path}", table="people", **ROLES)


def on_disk(frame, folder):
    frame.to_csv(folder / "people.csv", index=False)
    return dv.read(folder / "people.csv", memory="500MB", **ROLES)


@pytest.fixture(params=[in_database, on_disk])
def elsewhere(request, tmp_path, monkeypatch):
    monkeypatch.setattr("divulge.engines.out_of_core.opening._fits", lambda needed, budget: False)
    return lambda frame: request.param(frame, tmp_path)


def gaps(data):
    assert not data.has_each_record()
    return audit(data, search=False).checks[-1]


def test_records_pasted_five_times_look_copied(elsewhere):
    once = people()
    found = gaps(elsewhere(pd.concat([once] * 5)))
    assert found.outcome == "warn"
    assert "The 300 records look copied: only" in found.sentence
    assert found.sentence == audit(dv.read(pd.concat([once] * 5), **ROLES), search=False).checks[-1].sentence


def test_one_pasted_a_part_more_looks_copied(elsewhere):
    once = pd.DataFrame({"zip": [f"z{n}" for n in range(40)], "age": 20, "ill": RNG.choice(list("abc"), 40)})
    found = gaps(elsewhere(pd.concat([once] * 5 + [once[:7]])))
    assert "The 207 records look copied: only 40 are different." in found.sentence


def test_people_who_were_not_copied_do_not_look_so(elsewhere):
    assert "copied" not in gaps(elsewhere(people(300))).sentence
