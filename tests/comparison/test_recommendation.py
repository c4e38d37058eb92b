"""Which release is preferred where some are equal in one thing or in all."""

from divulge.comparison.recommendation import Candidate, recommend


def closest(*candidates):
    [sentence] = recommend(candidates).sentences
    return sentence.partition("Closest: ")[2].partition(",")[0]


def test_of_those_that_keep_as_much_the_one_with_less_risk_is_preferred():
    risky, mild = Candidate("risky", 0.3, 0.7, 0, 2), Candidate("mild", 0.1, 0.7, 0, 2)
    for candidates in ([risky, mild], [mild, risky]):
        found = recommend(candidates)
        assert found.release == "mild"
        assert found.sentences[1] == "No check fails for risky either; less is kept, or the risk is higher."


def test_one_that_keeps_more_is_preferred_whatever_its_risk():
    much, little = Candidate("much", 0.9, 0.71, 0, 2), Candidate("little", 0.1, 0.7, 0, 2)
    assert recommend([little, much]).release == "much"


def test_of_equal_ones_the_first_is_preferred_and_the_others_are_said_to_be_equal():
    one, other = Candidate("one", 0.1, 0.7, 0, 2), Candidate("other", 0.1, 0.7, 0, 2)
    worse = Candidate("worse", 0.2, 0.7, 0, 2)
    assert (recommend([one, other]).release, recommend([other, one]).release) == ("one", "other")
    assert recommend([one, other]).sentences[1:] == [
        "No check fails for other either; it keeps as much, and its risk is the same."
    ]
    assert recommend([worse, one, other]).sentences[1:] == [
        "No check fails for other either; it keeps as much, and its risk is the same.",
        "No check fails for worse either; less is kept, or the risk is higher.",
    ]


def test_where_nothing_is_known_of_utility_the_one_with_less_risk_is_preferred():
    known, unknown = Candidate("known", 0.3, 0.0, 0, 1), Candidate("unknown", 0.1, None, 0, 1)
    assert recommend([known, unknown]).release == "unknown"


def test_checks_decide_before_people_people_before_risk_and_risk_before_utility():
    fewest_checks = Candidate("fewest checks", 0.9, 0.1, 1, 4, beyond=0.9)
    fewest_people = Candidate("fewest people", 0.8, 0.2, 2, 4, beyond=0.1)
    least_risk = Candidate("least risk", 0.1, 0.3, 2, 4, beyond=0.2)
    most_kept = Candidate("most kept", 0.1, 0.4, 2, 4, beyond=0.2)
    assert closest(most_kept, least_risk, fewest_people, fewest_checks) == "fewest checks"
    assert closest(most_kept, least_risk, fewest_people) == "fewest people"
    assert closest(Candidate("risky", 0.2, 0.9, 2, 4, beyond=0.2), least_risk) == "least risk"
    assert closest(least_risk, most_kept) == closest(most_kept, least_risk) == "most kept"
    assert closest(least_risk, Candidate("equal", 0.1, 0.3, 2, 4, beyond=0.2)) == "least risk"


def test_the_checks_of_the_closest_are_counted_by_how_they_ended():
    none_fails = Candidate("a", 0.1, 0.5, 1, 3, warns=2, unevaluated=1)
    assert (
        "Closest: a, none of 3 checks fails, 2 warn, 1 not evaluated." in recommend([none_fails]).sentences[0]
    )
    some_fail = Candidate("b", 0.1, 0.5, 3, 5, warns=1, unevaluated=1)
    assert "Closest: b, 2 of 5 checks fail, 1 warns, 1 not evaluated." in recommend([some_fail]).sentences[0]
