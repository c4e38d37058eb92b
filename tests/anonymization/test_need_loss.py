"""The loss for stated needs, and the error of a model: as utility reads a release, and checked by hand."""

import math

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError, ParameterError
from divulge.utility import Need, utility
from random_hierarchies import random_case

TABLE = {
    "age": [21, 22, 23, 24, 51, 52, 53, 54],
    "sex": ["f", "m"] * 4,
    "town": ["a", "a", "b", "b"] * 2,
    "ill": ["flu", "flu", "flu", "cold", "gout", "gout", "gout", "cold"],
}
KEYS = {"quasi_identifiers": ["age", "sex"]}
YOUNG = {"use": {"target": "ill", "keys": ["age"], "partitions": {"age": {"bins": [40]}}}}


@pytest.mark.parametrize("seed", range(6))
def test_without_suppression_it_is_what_utility_reads_less(seed):
    table, trees, policy = random_case(np.random.default_rng(seed), {"k_anonymity": {"min": 2}})
    need = Need("use", ("q0", "other"), "s")
    try:
        found = dv.anonymize(table, policy, loss="need", needs=[need], hierarchies=trees)
    except ParameterError:
        return
    kept = utility(dv.read(found.table), need).utility / utility(dv.read(table), need).utility
    assert found.best.loss == pytest.approx(1 - kept)
    assert found.certificate.proved


def test_what_a_need_does_not_read_goes_first():
    need = {"use": {"target": "ill", "keys": ["sex"]}}
    found = dv.anonymize(TABLE, k=4, loss="need", needs=need, **KEYS)
    assert found.best.levels["sex"] == 0
    assert found.best.loss == 0
    other = dv.anonymize(TABLE, k=4, loss="need", needs=YOUNG, **KEYS)
    assert other.best.levels["sex"] == 1
    assert other.best.loss == 0  # the young and the old are still told apart, and that is all that matters


def test_groups_that_a_released_value_spans_are_no_longer_told_apart():
    tree = dv.Hierarchy.of(
        [(str(age), "20-50" if age < 52 else "51-60", "*") for age in TABLE["age"]], attribute="age"
    )
    found = dv.anonymize(TABLE, k=3, loss="need", needs=YOUNG, hierarchies={"age": tree}, **KEYS)
    assert found.best.levels["age"] == 1
    assert found.best.loss == pytest.approx(1)  # 51 is among the young, so both groups of the need are one


def test_a_suppressed_record_has_no_information():
    table = {"age": ["a"] * 4 + ["b"], "ill": ["x", "x", "y", "y", "y"]}
    tree = dv.Hierarchy.of([("a", "*"), ("b", "*")], attribute="age")
    need = {"use": {"target": "ill", "keys": ["age"]}}
    found = dv.anonymize(
        table,
        k=2,
        suppress="20%",
        loss="need",
        needs=need,
        hierarchies={"age": tree},
        quasi_identifiers="age",
    )
    # By hand: p = (2/5, 3/5). Each a tells 1/2 log(5/4) + 1/2 log(5/6) bits, the b log(5/3).
    of_a = (math.log2(5 / 4) + math.log2(5 / 6)) / 2
    assert found.best.suppressed == 1
    assert found.best.loss == pytest.approx(1 - 4 * of_a / (4 * of_a + math.log2(5 / 3)))


def test_a_model_that_guesses_the_most_frequent_value_errs_as_often_as_said():
    found = dv.anonymize(TABLE, k=4, loss="classification", predict="ill", **KEYS)
    # The young and the old apart: 3 of 4 have flu, 3 of 4 gout.
    assert found.best.loss == pytest.approx(2 / 8)
    assert found.best.classes == 2
    assert {one.loss for one in found.result.best} >= {2 / 8}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"loss": "need"}, "No need is given"),
        ({"needs": YOUNG}, "reads no needs"),
        ({"loss": "classification"}, "No attribute is named"),
        ({"predict": "ill"}, "predicts no attribute"),
        ({"loss": "classification", "predict": "sex"}, "recodes it or leaves it out"),
        ({"loss": "classification", "predict": "il"}, "No attribute 'il'"),
        ({"loss": "need", "needs": {"use": {"target": "sex", "keys": ["age"]}}}, "recodes or leaves out"),
        (
            {"loss": "need", "needs": {"use": {"target": "ill", "keys": ["town"]}}},
            "reads no quasi-identifier",
        ),
        ({"loss": "need", "needs": {"use": {"target": "town", "keys": ["sex"]}}}, "and town are unrelated"),
        ({"loss": "need", "needs": YOUNG, "local": True}, "does not add up over records"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(DivulgeError, match=said):
        dv.anonymize(TABLE, k=2, **KEYS, **given)
