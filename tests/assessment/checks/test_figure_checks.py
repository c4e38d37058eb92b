"""Thresholds on figures of the population: the most cautious estimate decides, and no number never passes."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.assessment.population import beyond_table
from divulge.policy import Policy

RNG = np.random.default_rng(11)
PEOPLE = {
    "age": RNG.integers(20, 70, 4000).tolist(),
    "sex": RNG.choice(["f", "m"], 4000).tolist(),
    "town": RNG.integers(1, 15, 4000).tolist(),
}
DRAWN = {name: values[:400] for name, values in PEOPLE.items()}
WEIGHTED = {**DRAWN, "weight": [2 + place % 5 for place in range(400)]}
KEYS = tuple(DRAWN)


def checked(data=DRAWN, population=None, said=None, **bounds):
    """The check of one bound on a figure."""
    policy = Policy.of(
        {
            "attributes": dict.fromkeys(KEYS, "quasi-identifier"),
            "thresholds": bounds,
            **({} if population is None else {"population": population}),
        }
    )
    audited = dv.audit(data, policy, search=False, **(said or {}))
    [name] = bounds
    return next(one for one in audited.document["checks"] if one["measure"] == name)


FIGURES = {
    "population_unique": {"max": 0.01},
    "match_chance": {"max": 0.05},
    "expected_reidentifications": {"max": 5},
    "k_map": {"min": 3},
    "delta_presence": {"max": 0.5},
    "dis_suda": {"max": 0.05},
}


@pytest.mark.parametrize("name", FIGURES)
def test_without_a_population_nothing_is_evaluated_and_the_fix_says_what_to_give(name):
    found = checked(**{name: FIGURES[name]})
    assert (found["outcome"], found["found"]) == ("not evaluated", None)
    assert "nothing says what the table is a sample of" in found["undefined"]
    assert "--population" in found["fix"]


def test_the_model_with_the_largest_estimate_decides_and_the_others_are_said():
    own = dv.uniqueness(DRAWN, keys=KEYS, size=4000)
    by_size = sorted(one.uniques for one in own.models if one.uniques is not None)
    between = (by_size[0] + by_size[-1]) / 2 / 4000  # most would pass, and the most cautious does not
    found = checked(population={"size": 4000}, population_unique={"max": between})
    assert found["outcome"] == "fail"
    assert found["found"] == by_size[-1] / 4000
    assert f"models say {round(by_size[0]):,} to {round(by_size[-1]):,} people" in found["sentence"]
    above = by_size[-1] / 4000 + 0.001
    assert checked(population={"size": 4000}, population_unique={"max": above})["outcome"] == "pass"


def test_of_a_chance_the_upper_end_of_its_interval_decides():
    match = dv.uniqueness(DRAWN, keys=KEYS, fraction=0.1).match
    found = checked(population={"fraction": 0.1}, match_chance={"max": match.value + 0.001})
    assert (found["outcome"], found["found"]) == ("fail", match.high)
    found = checked(population={"fraction": 0.1}, match_chance={"max": match.high, "severity": "warn"})
    assert (found["outcome"], found["severity"]) == ("pass", "warn")


def test_expected_numbers_fail_by_the_lower_end_pass_by_the_table_and_are_open_in_between():
    own = dv.uniqueness(DRAWN, keys=KEYS, fraction=0.1)
    low, high = own.expected.low, own.expected.high
    assert low < high == own.counts.occupied
    for most, outcome in ((low - 1, "fail"), (low + 1, "not evaluated"), (high, "pass")):
        found = checked(population={"fraction": 0.1}, expected_reidentifications={"max": most})
        assert found["outcome"] == outcome
    truth = dv.uniqueness(DRAWN, keys=KEYS, population=PEOPLE).risk.sum()
    assert low < truth < high
    found = checked(said={"population": PEOPLE}, expected_reidentifications={"max": truth + 0.01})
    assert (found["outcome"], found["found"]) == ("pass", truth)


def test_what_needs_a_table_of_the_population_is_exact_with_one():
    known = dv.uniqueness(DRAWN, keys=KEYS, population=PEOPLE)
    alike, sizes = known.known.alike, known.sample.class_sizes
    least, most = int(alike.min()), float((sizes / alike).max())
    said = {"population": PEOPLE}
    assert checked(said=said, k_map={"min": least + 1})["outcome"] == "fail"
    assert checked(said=said, delta_presence={"max": most - 0.01})["found"] == most
    with exact_counts():
        found = checked(said=said, population_unique={"max": 0})
    assert found["found"] == (alike == 1).sum() / 400


@pytest.mark.parametrize(("name", "side"), [("k_map", "min"), ("delta_presence", "max")])
def test_without_one_they_pass_by_the_cautious_end_and_fail_by_the_other(name, side):
    keys, population = ["town"], {"size": 4000}  # 14 groups of 21 to 38 people are a tenth of 285 on average
    ends = getattr(dv.uniqueness(DRAWN, keys=keys, size=4000).presence, name)
    cautious, kind = (ends.low, ends.high) if side == "min" else (ends.high, ends.low)
    assert cautious != kind
    truth = dv.uniqueness(DRAWN, keys=keys, population=PEOPLE)
    alike, sizes = truth.known.alike, truth.sample.class_sizes
    assert ends.low <= (alike.min() if side == "min" else (sizes / alike).max()) <= ends.high

    def held_to(bound):
        return checked(population=population, **{name: {side: bound, "keys": keys}})

    passed, middle = held_to(cautious), held_to((cautious + kind) / 2)
    failed = held_to(kind + 1 if side == "min" else kind - 0.001)
    assert [one["outcome"] for one in (passed, middle, failed)] == ["pass", "not evaluated", "fail"]
    assert (passed["found"], middle["found"], failed["found"]) == (cautious, None, kind)
    sure, unsure = ("at least", "at most") if side == "min" else ("at most", "at least")
    assert passed["found_text"].startswith(sure)
    assert failed["found_text"].startswith(unsure)
    assert "estimated with 95% confidence" in passed["sentence"]
    assert "it is estimated between" in middle["undefined"]
    assert "Give a table of the population" in middle["fix"]


def test_groups_of_the_table_that_are_large_enough_are_so_in_the_population():
    found = checked(population={"size": 4000}, k_map={"min": 100, "keys": ["sex"]})
    assert found["outcome"] == "pass"
    assert found["found_text"].startswith("at least")


def test_where_weights_differ_models_say_nothing_and_only_the_table_can_show_that_few_are_unique():
    population = {"weight": "weight"}
    unique = dv.measure(DRAWN, "uniqueness", keys=KEYS).value
    found = checked(WEIGHTED, population, population_unique={"max": unique / 2})
    assert (found["outcome"], "weights differ" in found["undefined"]) == ("not evaluated", True)
    assert checked(WEIGHTED, population, population_unique={"max": unique})["outcome"] == "pass"
    assert checked(WEIGHTED, population, match_chance={"max": 0.5})["outcome"] == "not evaluated"


def test_nobody_is_unique_in_the_population_who_is_not_in_the_table():
    pairs = {name: values[:50] * 2 for name, values in DRAWN.items()}
    for name in ("population_unique", "match_chance", "dis_suda"):
        assert checked(pairs, {"size": 4000}, **{name: {"max": 0}})["outcome"] == "pass"


@pytest.mark.parametrize("name", ["population_unique", "match_chance", "dis_suda"])
def test_a_figure_of_few_people_decides_and_is_not_said(name):
    """Three people of 43 are alone, and three pairs: the numbers would tell."""
    few = {
        "age": [*range(20, 23), *[30, 30, 31, 31, 32, 32], *[40] * 34],
        "sex": ["f"] * 43,
        "town": [1] * 43,
    }
    for most, outcome, words in ((0.0, "fail", "above 0%"), (0.999, "pass", "at most")):
        found = checked(few, {"fraction": 0.5}, **{name: {"max": most}})
        assert (found["outcome"], found["found"], found["undefined"]) == (outcome, None, None)
        assert words in found["found_text"]
        with exact_counts():
            assert checked(few, {"fraction": 0.5}, **{name: {"max": most}})["found"] is not None


def test_the_largest_score_of_special_uniques_depends_on_the_sampled_share():
    own = dv.uniqueness(DRAWN, keys=KEYS, fraction=0.1, special=True)
    found = checked(population={"fraction": 0.1}, dis_suda={"max": 0.05})
    assert (found["outcome"], found["found"]) == ("fail", own.scores.dis.max())


def test_a_search_that_was_cut_does_not_say_that_no_record_is_unique(monkeypatch):
    """Everybody is unique by four of five attributes and nobody by three: what is not searched is not 0."""
    numbers = np.arange(1296)
    digits = [numbers // 6**place % 6 for place in range(4)]
    table = dict(zip("vwxyz", [*(one.tolist() for one in digits), (sum(digits) % 6).tolist()], strict=True))
    policy = Policy.of(
        {
            "attributes": dict.fromkeys(table, "quasi-identifier"),
            "thresholds": {"dis_suda": {"max": 0.9}},
            "population": {"fraction": 0.1},
        }
    )

    def audited(work):
        monkeypatch.setattr(beyond_table, "MOST_SEARCHED", work)
        found = dv.audit(table, policy, search=False)
        check = next(one for one in found.document["checks"] if one["measure"] == "dis_suda")
        return found, check

    found, check = audited(1296 * 15)  # sets of up to two
    assert (check["outcome"], check["found"]) == ("not evaluated", None)
    assert "sets of more than 2 attributes were not searched" in check["undefined"]
    special = found.document["people_beyond_table"]["special"]
    assert (special["records"], special["unscored"], special["dis_max"]) == (0, "~1300", None)
    columns = found.columns("records", exact_counts=True)
    assert columns["suda_score"].missing.all()
    assert columns["dis"].missing.all()
    found, check = audited(10**8)
    assert check["outcome"] in ("pass", "fail")
    assert not found.columns("records", exact_counts=True)["suda_score"].missing.any()


def test_a_change_is_tried_on_figures_as_on_other_checks():
    policy = Policy.of(
        {
            "attributes": dict.fromkeys(KEYS, "quasi-identifier"),
            "thresholds": {"population_unique": {"max": 0.001}, "dis_suda": {"max": 0.01}},
            "population": {"size": 4000},
        }
    )
    found = dv.audit(DRAWN, policy).document
    best = found["plan"] or found["helps"][0]
    assert best["failing"] <= 1  # all but the gap that nothing is sensitive


def test_a_figure_that_got_worse_than_in_the_baseline_does_not_pass():
    attributes = dict.fromkeys(KEYS, "quasi-identifier")
    asked = {"attributes": attributes, "thresholds": {"dis_suda": {"max": 0.99}, "k_map": {"min": 1.5}}}
    policy = Policy.of({**asked, "population": {"fraction": 0.05}})
    before = dv.audit(DRAWN, policy, search=False).document
    now = dv.audit(DRAWN, policy, search=False, fraction=0.2, baseline=before)
    check = next(one for one in now.checks if one.measure_name == "dis_suda")
    assert (check.outcome, check.baseline["worse"]) == ("fail", True)
