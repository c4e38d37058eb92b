"""A panel without an identifier: every group is a multiple as large, which is no accident."""

import random

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.gaps.multiplied_groups import multiplied_in_words
from divulge.assessment.scope import Scope


def panel(people=300, waves=6, seed=1):
    dice = random.Random(seed)
    keys = [(dice.randrange(20, 80), dice.choice("mf"), dice.choice("ab")) for _ in range(people)]
    rows = [(*one, wave, dice.choice("vwxyz")) for one in keys for wave in range(waves)]
    return dict(zip(("age", "sex", "area", "wave", "ill"), map(list, zip(*rows, strict=True)), strict=True))


def said(columns, **kw):
    roles = {"quasi_identifiers": ["age", "sex", "area"], "sensitive": "ill"}
    return "".join(multiplied_in_words(Scope(dv.read(columns, **{**roles, **kw}))))


@pytest.mark.parametrize("waves", [2, 5, 6])
def test_a_balanced_panel_is_seen(waves):
    found = panel(waves=waves)
    assert f"occur a multiple of {waves} times, as if each person had {waves} records" in said(found)
    check = dv.audit(found, quasi_identifiers=["age", "sex", "area"], sensitive=["ill"]).checks[-1]
    assert check.outcome == "warn"
    assert "as if each person had" in check.sentence


def test_a_few_rows_more_or_less_do_not_hide_it():
    found = panel(2000)
    found = {name: [*values[1:], values[0]][:-1] for name, values in found.items()}
    assert "a multiple of 6 times" in said(found)


def test_who_has_an_identifier_is_counted_as_a_person():
    found = panel()
    found["person"] = [place // 6 for place in range(1800)]
    assert said(found, identifiers="person") == ""


def test_one_record_each_is_no_panel():
    for seed in range(30):
        assert said(panel(1000, 1, seed)) == ""


def test_few_large_groups_say_nothing():
    found = panel(600)
    assert said(found, quasi_identifiers=["sex", "area"]) == ""


def test_groups_made_equally_large_say_nothing():
    order = np.arange(1000) // 10
    found = {"age": order, "sex": ["m"] * 1000, "area": ["a"] * 1000, "ill": list("vwxyz") * 200}
    assert said(found) == ""


def test_weights_do_not_hide_it_nor_make_it():
    found, plain = panel(), panel(1000, 1)
    found["weight"] = [1 + place % 7 for place in range(1800)]
    plain["weight"] = [6 * (1 + place % 7) for place in range(1000)]
    assert "a multiple of 6 times" in said(found, weights="weight")
    assert said(plain, weights="weight") == ""
