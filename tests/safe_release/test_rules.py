"""Which tests, how strict: named as people name them, and refused where it makes no sense."""

import contextlib
import math

import numpy as np
import pytest

from divulge.errors import ParameterError
from divulge.safe_release import TESTS, Baseline, Guard, Rules, table_of


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("mis", ("mis",)),
        ("MIS", ("mis",)),
        ("dqt, kld", ("kld", "dqt")),
        (["cst", "mis", "CST"], ("mis", "cst")),
        (["dqt,mis", "seq,kld,cst"], TESTS),
    ],
)
def test_tests_are_named_in_any_case_and_order_and_count_once(named, meant):
    assert Rules.of(named, 0.2).tests == meant


@pytest.mark.parametrize(("named", "near"), [("mid", "mis"), ("kdl", "kld"), ("cts", "cst"), ("DQ", "dqt")])
def test_an_unknown_test_is_refused_with_the_nearest_that_there_is(named, near):
    with pytest.raises(ParameterError, match=rf"Unknown test: '{named.lower()}'.* Did you mean '{near}'\?"):
        Rules.of(["mis", named], 0.2)


def test_a_test_that_is_like_none_is_refused_all_the_same():
    with pytest.raises(ParameterError, match="mis, kld, cst, dqt, seq"):
        Rules.of("everything", 0.2)


@pytest.mark.parametrize("none", ["", " , ", [], ()])
def test_rules_without_a_test_are_refused(none):
    with pytest.raises(ParameterError, match="No test given"):
        Rules.of(none, 0.2)
    with pytest.raises(ParameterError, match="No test given"):
        Rules((), 0.2)


@pytest.mark.parametrize(
    "alpha", [0, 1, -1, 2, 0.0, 1.0, math.nan, math.inf, -math.inf, "0.2", True, False, None, [0.2], 20]
)
def test_a_level_that_is_no_number_between_zero_and_one_is_refused(alpha):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        Rules.of("mis", alpha)


@pytest.mark.parametrize("alpha", [5e-324, 0.2, np.float64(0.05), math.nextafter(1, 0)])
def test_any_number_between_is_a_level(alpha):
    assert Rules.of("mis", alpha).alpha == alpha


@pytest.mark.parametrize(
    ("option", "given", "near"),
    [("degrees", "domains", "domain"), ("degrees", "presnt", "present"), ("merging", "smalest", "smallest")],
)
def test_options_are_refused_with_the_nearest_that_there_is(option, given, near):
    with pytest.raises(ParameterError, match=f"Did you mean '{near}'"):
        Rules.of("cst", 0.2, **{option: given})


@pytest.mark.parametrize("samples", [99, 0, -1, 1000.0, "1000", None])
def test_too_few_samples_are_refused(samples):
    with pytest.raises(ParameterError, match="at least 100 samples"):
        Rules.of("mis", 0.2, samples=samples)


@pytest.mark.parametrize("seed", [-1, 1 << 63, 0.5, "1", None])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(ParameterError, match="seed"):
        Rules.of("mis", 0.2, seed=seed)


def test_rules_are_told_in_plain_values_from_which_they_are_made_again():
    rules = Rules.of("cst,mis", 0.05, degrees="present", merging="right", samples=500, seed=7)
    told = rules.to_dict()
    assert told == {
        "tests": ["mis", "cst"],
        "alpha": 0.05,
        "degrees": "present",
        "merging": "right",
        "samples": 500,
        "seed": 7,
        "reach": 2,
    }
    assert Rules.of(**told) == rules


@pytest.mark.parametrize("test", TESTS)
def test_a_test_that_is_named_twice_is_still_that_test(test):
    baseline = Baseline.of(table_of([[5, 3, 2], [2, 8, 1]]))
    once = Guard(baseline, Rules((test,), 0.2)).limits(1).tests
    with contextlib.suppress(ParameterError):  # to refuse it is as good
        assert Guard(baseline, Rules((test, test), 0.2)).limits(1).tests == once


@pytest.mark.parametrize("reach", [0, -1, 1.5, "2", None, True])
def test_a_reach_that_is_no_whole_number_from_one_on_is_refused(reach):
    with pytest.raises(ParameterError, match="reach"):
        Rules.of("mis", 0.2, reach=reach)


def test_the_shortest_reach_and_the_fewest_samples_are_allowed():
    assert Rules.of("kld", 1e-6, familywise=True).alpha == 1e-6
    found = Rules.of("mis", 0.2, reach=1, samples=100, seed=0)
    assert (found.reach, found.samples, found.seed) == (1, 100, 0)


def test_a_level_for_the_whole_set_is_shared_by_its_comparisons():
    # Sidak: 1 - (1 - 0.05)^(1/5). kld and cst look at each target, mis and dqt at all of them once.
    assert Rules.of("kld", 0.05, familywise=True).level(5) == pytest.approx(1 - 0.95**0.2)
    assert Rules.of("mis,kld,cst,dqt", 0.05, familywise=True).comparisons(5) == 12
    assert Rules.of("mis", 0.05, familywise=True).level(5) == 0.05
    assert Rules.of("kld", 0.05).level(5) == 0.05


def test_rules_say_that_their_level_is_that_of_the_set_only_where_it_is():
    assert "familywise" not in Rules.of("kld", 0.05).to_dict()
    rules = Rules.of("kld", 0.05, familywise=True)
    assert Rules.of(**rules.to_dict()) == rules


@pytest.mark.parametrize("given", [1, "true", None])
def test_whether_a_level_is_that_of_the_set_is_true_or_false(given):
    with pytest.raises(ParameterError, match="true or false"):
        Rules.of("kld", 0.05, familywise=given)


def test_a_level_too_low_to_be_shared_is_refused():
    with pytest.raises(ParameterError, match="each target gets a part of it"):
        Rules.of("kld", 5e-324, familywise=True)


def test_rules_that_do_not_use_the_sequential_test_do_not_mention_its_form():
    told = Rules.of("mis", 0.2, form="joint", known_counts=True).to_dict()
    assert not {"form", "known_counts"} & told.keys()
    rules = Rules.of("seq", 0.2, form="joint")
    assert rules.to_dict()["form"] == "joint"
    assert "known_counts" not in rules.to_dict()
    known = Rules.of("seq", 0.2, form="joint", known_counts=True)
    assert Rules.of(**known.to_dict()) == known


def test_the_sequential_test_compares_every_target_or_all_of_them_once():
    assert Rules.of("seq,kld", 0.2).comparisons(5) == 10
    assert Rules.of("seq,kld", 0.2, form="mean").comparisons(5) == 6
    assert Rules.of("seq", 0.2, familywise=True).level(5) == pytest.approx(1 - 0.8**0.2)
    known = Rules.of("seq", 0.2, familywise=True, known_counts=True)
    assert known.level(5) == pytest.approx(0.04)  # targets that share the same records are not independent


def test_the_mean_over_targets_that_share_known_counts_is_refused():
    with pytest.raises(ParameterError, match="drawn from the same records"):
        Rules.of("seq", 0.2, form="mean", known_counts=True)
    assert Rules.of("mis", 0.2, form="mean", known_counts=True).tests == ("mis",)


def test_odds_of_more_than_a_million_are_no_limit():
    with pytest.raises(ParameterError, match="1/alpha"):
        Rules.of("seq", 1e-7)
    with pytest.raises(ParameterError, match="Did you mean 'joint'"):
        Rules.of("seq", 0.2, form="joined")


@pytest.mark.parametrize(
    ("tests", "merging", "warned"),
    [
        ("cst", "smallest", True),
        ("dqt", "none", True),
        ("cst,dqt", "left", True),
        ("cst", "none", False),
        ("cst,seq", "smallest", False),
        ("mis", "smallest", False),
    ],
)
def test_tests_that_bound_nothing_alone_are_warned_of(tests, merging, warned):
    said = " ".join(Rules.of(tests, 0.2, merging=merging).warnings)
    assert ("alone bound nothing" in said) == warned


def test_rules_written_before_there_were_moments_keep_the_limits_of_chi_square():
    assert Rules.of("mis", 0.2).limits == "moments"
    assert Rules.of("mis", 0.2, degrees="present").limits == "chi-square"
    assert Rules.kept({"tests": ["mis"], "alpha": 0.2}).limits == "chi-square"
    assert "limits" not in Rules.of("mis", 0.2, limits="chi-square").to_dict()
    for rules in (Rules.of("mis,kld", 0.1), Rules.of("kld", 0.1, limits="chi-square")):
        assert Rules.kept(rules.to_dict()) == rules
    with pytest.raises(ParameterError, match="follow chi-square"):
        Rules.of("mis", 0.2, degrees="present", limits="moments")
