"""What models learned from a release do on originals: what is kept, and what cannot be learned."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.errors import MissingLibrary, ParameterError, UnknownAttribute
from divulge.utility import mine
from divulge.utility.mining import _score, ratio

pytest.importorskip("sklearn")

RECORDS = 300
_rng = np.random.default_rng(7)
_age = _rng.integers(20, 60, RECORDS)
ORIGINAL = {
    "age": _age.tolist(),
    "job": np.where(_age % 3 == 0, "cook", "nurse").tolist(),
    "ill": np.where((_age >= 40) ^ (_rng.random(RECORDS) < 0.05), "flu", "cold").tolist(),
}
TASKS = ["decision tree", "nearest neighbours", "regression"]


def mined(released, original=ORIGINAL, *, sensitive="ill", repeats=3, **options):
    tables = dv.read(original, sensitive=sensitive), dv.read({**original, **released})
    alignment = align(*tables, same_order=True)
    return {one.task: one for one in mine(alignment, repeats=repeats, **options)}


def test_an_unchanged_release_keeps_all():
    found = mined({})
    assert list(found) == [*TASKS, "clustering"]
    for task in TASKS:
        assert found[task].kept == 1
        assert found[task].original == found[task].released
        assert found[task].original.score > 0.85
        assert (found[task].score, found[task].target, found[task].records) == ("accuracy", "ill", RECORDS)
    assert found["clustering"].kept == found["clustering"].released.score == 1
    assert 0 < found["clustering"].steadiness < 1
    assert (found["clustering"].score, found["clustering"].target) == ("adjusted Rand index", None)


def test_groups_that_matter_keep_what_is_learned_from_them():
    found = mined({"age": [f"{age // 20 * 20}s" for age in ORIGINAL["age"]]})
    for task in TASKS:
        assert found[task].released.score > 0.85


def test_held_out_originals_are_tested_in_the_words_of_the_release():
    # Fine numbers, released in bands: hardly any held-out number stands among the training ones.
    wage = np.random.default_rng(1).normal(size=RECORDS)
    original = {"wage": wage.tolist(), "ill": np.where(wage > 0, "flu", "cold").tolist()}
    found = mined({"wage": np.where(wage > 0, "high", "low").tolist()}, original)
    for task in TASKS:
        assert found[task].released.score > 0.98
        assert found[task].original.score > 0.9


def test_a_release_with_everything_suppressed_is_no_better_than_guessing():
    found = mined({"age": ["*"] * RECORDS, "job": ["*"] * RECORDS})
    share = max(ORIGINAL["ill"].count(value) for value in ("flu", "cold")) / RECORDS
    for task in TASKS:
        assert found[task].guessing == pytest.approx(share, abs=0.05)
        assert found[task].released.score == pytest.approx(found[task].guessing)
        assert found[task].kept == pytest.approx(0)
    everything = {name: ["*"] * RECORDS for name in ORIGINAL}
    assert mined(everything)["clustering"].released.score == 0


def test_shuffled_targets_teach_nothing():
    shuffled = np.random.default_rng(3).permutation(ORIGINAL["ill"]).tolist()
    assert mined({"ill": shuffled})["nearest neighbours"].released.score < 0.65


def test_a_generalized_target_teaches_the_most_frequent_value_of_its_group():
    original = {
        **ORIGINAL,
        "ill": [f"{ill} {age % 2}" for ill, age in zip(ORIGINAL["ill"], _age, strict=True)],
    }
    before, found = mined({}, original), mined({"ill": ORIGINAL["ill"]}, original)
    for task in TASKS:
        assert found[task].original == before[task].original
    # Of each group of two values, one is told: about half of those whose group is right.
    assert 0.35 < found["decision tree"].released.score < 0.65
    assert 0.2 < found["decision tree"].kept < 0.8


AGES = [20 + place % 40 for place in range(200)]
PEOPLE = {
    "age": AGES,
    "sex": ["f", "m"] * 100,
    "ill": ["flu" if age * 7 % 40 > 20 else "cold" for age in AGES],
}
CHANGES = {
    "stars": {"age": [f"{age // 10}*" for age in AGES]},
    "bands of twenty": {"age": [f"{age // 20 * 20}-{age // 20 * 20 + 19}" for age in AGES]},
    "suppressed": {"age": ["*"] * 200},
    "noise": {"age": [age + 0.5 for age in AGES]},
    "a coarser target": {"ill": ["ill"] * 50 + PEOPLE["ill"][50:]},
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_the_original_scores_the_same_whatever_was_released(changed):
    unchanged, found = mined({}, PEOPLE, repeats=2), mined(changed, PEOPLE, repeats=2)
    for task in TASKS:
        assert found[task].original == unchanged[task].original
        assert found[task].guessing == unchanged[task].guessing
    assert unchanged["decision tree"].original.score > 0.8


def test_permuted_keys_keep_nothing():
    rng = np.random.default_rng(2)
    # A target that is 80 % one value, so that a useless model still scores high.
    rare = {**ORIGINAL, "ill": ["flu" if age >= 52 else "cold" for age in ORIGINAL["age"]]}
    found = mined({name: rng.permutation(rare[name]).tolist() for name in ("age", "job")}, rare, repeats=5)
    for task in TASKS:
        assert found[task].original.score > 0.9
        assert found[task].released.score > 0.6
        assert found[task].kept < 0.15
    everything = {name: rng.permutation(column).tolist() for name, column in ORIGINAL.items()}
    assert mined(everything, repeats=5)["clustering"].kept < 0.25


def test_what_cannot_be_learned_from_the_original_is_not_said_to_be_kept():
    chance = np.random.default_rng(5).permutation(ORIGINAL["ill"]).tolist()
    for found in mined({}, {**ORIGINAL, "ill": chance}).values():
        if found.target is not None:
            assert found.kept is None
            assert found.undefined == (
                "a model of the original itself is not better than guessing by more than chance"
            )
            assert found.original is not None


def test_records_whose_target_is_suppressed_teach_nothing_and_are_still_tested():
    hidden = ["*" if place % 3 == 0 else ill for place, ill in enumerate(ORIGINAL["ill"])]
    found = mined({"ill": hidden})
    assert found["decision tree"].kept > 0.8
    assert found["decision tree"].records == RECORDS
    alien = ["p", "q"] * (RECORDS // 2)
    reason = "the released values of ill match none of the original values"
    assert mined({"ill": alien})["decision tree"].undefined == reason


def test_numbers_are_predicted_as_numbers():
    wage = (_age * 10 + np.random.default_rng(2).normal(scale=5, size=RECORDS)).tolist()
    original = {"age": ORIGINAL["age"], "job": ORIGINAL["job"], "wage": wage}
    found = mined({"age": ["*" if age > 55 else age for age in ORIGINAL["age"]]}, original, sensitive="wage")
    for task in TASKS:
        assert (found[task].score, found[task].guessing) == ("r squared", 0)
        assert found[task].original.score > 0.95
        assert 0 < found[task].kept < 1
    constant = mined({"age": [1] * RECORDS}, {**original, "job": ["cook"] * RECORDS}, sensitive="wage")
    low, high = constant["regression"].kept_interval
    assert constant["regression"].kept == pytest.approx(0, abs=0.01)
    assert low < 0 < high


def test_targets_can_be_named_and_several_taken_in_turn():
    alignment = align(dv.read(ORIGINAL), dv.read(ORIGINAL))
    found = mine(alignment, ["ill", "job"], repeats=2)
    assert [one.target for one in found] == ["ill"] * 3 + ["job"] * 3 + [None]
    assert [one.task for one in mine(alignment, repeats=2)] == ["clustering"]
    with pytest.raises(UnknownAttribute, match="Did you mean 'ill'"):
        mine(alignment, ["il"], repeats=2)


def test_at_most_so_many_records_are_drawn():
    found = mined({}, most=100)
    assert [one.records for one in found.values()] == [100] * 4


def test_the_same_seed_gives_the_same_scores():
    assert mined({}, seed=5) == mined({}, seed=5) != mined({}, seed=6)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"ill": ["flu"] * RECORDS}, "ill has one value only in the release"),
        ({"ill": ["*"] * RECORDS}, "ill has one value only in the release"),
        ({"ill": [f"case {i}" for i in range(RECORDS)]}, "ill has 300 values, of which most are too rare"),
    ],
)
def test_a_target_that_cannot_be_learned_is_said_to_be_so(changed, reason):
    found = mined(changed)
    assert reason in found["regression"].undefined
    assert (found["regression"].original, found["regression"].kept) == (None, None)
    assert found["clustering"].undefined is None


def test_a_constant_original_teaches_nothing():
    found = mined({"ill": ORIGINAL["ill"]}, {**ORIGINAL, "ill": ["flu"] * RECORDS})
    assert "ill has one value only in the original" in found["regression"].undefined


def test_few_records_and_lone_targets_teach_little():
    few = {name: column[:10] for name, column in ORIGINAL.items()}
    assert {one.undefined for one in mined({}, few).values()} == {
        "there are 10 records to learn from, fewer than the 20 needed"
    }
    alone = mined({}, {"ill": ORIGINAL["ill"]})
    assert alone["regression"].undefined == "there is no other attribute to learn from"


def test_without_aligned_records_nothing_can_be_held_out():
    alignment = align(
        dv.read(ORIGINAL, sensitive="ill"), dv.read({name: c[1:] for name, c in ORIGINAL.items()})
    )
    assert {one.undefined for one in mine(alignment)} == {"records are not aligned"}


def test_an_interval_widens_the_spread_of_splits_that_overlap():
    found = _score(np.array([0.7, 0.8, 0.9]))
    # By hand: s = 0.1; with 2 degrees of freedom 4.3027 * 0.1 * sqrt(1/3 + 3/7) = 0.37556.
    assert found.score == pytest.approx(0.8)
    assert found.interval == pytest.approx((0.8 - 0.37556, 1.0), abs=1e-4)
    ten = _score(np.tile([0.4, 0.6], 5))
    # s = 0.10541; with 9 degrees of freedom 2.2622 * 0.10541 * sqrt(1/10 + 3/7) = 0.17337.
    assert ten.interval == pytest.approx((0.5 - 0.17337, 0.5 + 0.17337), abs=1e-4)


def test_one_split_makes_no_interval():
    with pytest.raises(ParameterError, match="Use 2 or more"):
        mined({}, repeats=1)


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("divulge.utility.learning.import_module", missing)
    with pytest.raises(MissingLibrary, match=r"'scikit-learn', which is not installed.*divulge\[mining\]"):
        mined({})


def test_the_share_kept_has_the_interval_of_a_ratio_over_the_same_splits():
    """By hand: a - R b over the splits, with the variance widened for overlapping splits."""
    released, original = np.array([0.2, 0.5, 0.2]), np.array([0.2, 0.3, 0.1])
    kept, (low, high) = ratio(released, original)
    assert kept == pytest.approx(1.5)
    spread = np.std([-0.1, 0.05, 0.05], ddof=1) * np.sqrt(1 / 3 + 3 / 7)
    assert (high - low) / 2 == pytest.approx(4.302653 * spread / 0.2)
    assert (high + low) / 2 == pytest.approx(kept)


def test_what_does_worse_than_guessing_is_not_cut_at_nothing():
    kept, (low, high) = ratio(np.array([-0.2, -0.1, -0.3]), np.array([0.2, 0.3, 0.1]))
    assert kept == pytest.approx(-1)
    assert low < kept < high


def test_identical_tables_keep_all_without_doubt():
    assert mined({})["decision tree"].kept_interval == (1, 1)
