"""A comparison as frames."""

import pandas
import pytest

import divulge as dv
from divulge.errors import ParameterError

TABLE = {"age": ["21", "22", "35", "36"] * 5, "ill": ["flu", "cold", "flu", "flu"] * 5}
COARSE = {**TABLE, "age": ["2*", "2*", "3*", "3*"] * 5}


@pytest.fixture(scope="module")
def compared():
    releases = {"coarse": COARSE, "same": TABLE}
    return dv.compare(pandas.DataFrame(TABLE), releases, quasi_identifiers="age", sensitive="ill")


def test_releases_have_their_checks_risk_and_utility(compared):
    found = compared.to_frame()
    assert isinstance(found, pandas.DataFrame)
    assert found["release"].tolist() == ["coarse", "same"]
    for place, release in enumerate(compared.document["releases"]):
        outcomes = [check["outcome"] for check in release["checks"]]
        assert found["failed"][place] == outcomes.count("fail")
        assert found[["passed", "warned", "failed", "not_evaluated"]].iloc[place].sum() == len(outcomes)
        assert found["risk"][place] == release["score"]["risk"]


def test_readings_are_beside_those_of_the_original(compared):
    found = compared.to_frame("readings", kind="polars")
    [k] = found.filter(release="coarse", measure="k_anonymity").to_dicts()
    assert (k["original"], k["value"], k["risk"]) == (
        5,
        10,
        "lower",
    )  # by hand: 5 of each age, 10 of each decade


def test_checks_and_attacks_name_their_release(compared):
    for part in ("checks", "attacks"):
        found = compared.to_frame(part)
        for release in compared.document["releases"]:
            assert sum(found["release"] == release["name"]) == len(release[part])


def test_an_unknown_part_lists_those_there_are(compared):
    with pytest.raises(ParameterError, match="It has releases, readings, checks, attacks"):
        compared.to_frame("people")
