"""The audit in words: what it says is so, and counts as its checks do."""

import pytest

import divulge as dv
from divulge._support.wording import percent
from divulge.assessment import audit
from divulge.assessment.checks.singled_out import risks
from divulge.assessment.drivers.combinations import combinations
from divulge.assessment.verdict_text import drivers
from divulge.report.audit.markdown import markdown
from scenes import scope


def combination(table, keys):
    asked = scope({**table, "ill": ["flu"] * len(table[keys[0]])}, keys=keys)
    found = drivers(asked, combinations(asked), [], [], [])
    return next(one.sentence for one in found if one.kind == "combination")


def test_what_a_part_of_the_attributes_makes_unique_is_counted():
    # 40 people on a grid of 8 by 5, and 5 more in a row of their own that a alone tells apart.
    grid = [(n % 8, n // 8) for n in range(40)] + [(100 + n, 9) for n in range(5)]
    table = {"a": [a for a, _ in grid], "b": [b for _, b in grid]}
    assert combination(table, ("a", "b")) == (
        "45 records (100%) are unique on a and b; on either of them alone at most 5 records (11.1%)."
    )


def test_no_part_does_so_only_where_that_is_true():
    table = {"a": [n % 8 for n in range(40)], "b": [n // 8 for n in range(40)]}
    said = combination(table, ("a", "b"))
    assert said == "40 records (100%) are unique on a and b; on either of them alone none."


def test_of_three_attributes_any_two_are_counted():
    cube = [(n % 3, n // 3 % 3, n // 9) for n in range(27)] + [(7, 7, 0), (7, 8, 0)]
    table = {name: [row[place] for row in cube] for place, name in enumerate("abc")}
    # The last two are unique on a and b already, and 27 are only by all three.
    assert combination(table, ("a", "b", "c")) == (
        "29 records (100%) are unique on a, b and c; on any 2 of these 3 fewer than 5 records (<17.2%)."
    )


def crowd(**more):
    """Two hundred people in forty sets of five."""
    return {"age": [n // 5 for n in range(200)], "sex": ["f"] * 200, "ill": ["a", "b", "c", "d"] * 50} | more


ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}


def held_to(thresholds, **more):
    return audit(crowd(**more), {"attributes": ROLES, "thresholds": thresholds}, search=False)


@pytest.mark.parametrize(
    ("thresholds", "headline", "limits"),
    [
        (
            {"discrimination_rate": {"max": 0.99}},
            "All 3 checks pass; the policy sets 1 of them",
            "Not measured: whether people can be singled out (not asked), what is learned about ill",
        ),
        (
            {"singled_out": {"k": 5, "keys": ["age"]}, "distinct_l_diversity": {"min": 2}},
            "All 4 checks pass; the policy sets 2 of them",
            "Not measured: whether people can be singled out by all quasi-identifiers together, ",
        ),
        (
            {"singled_out": {"k": 5}, "learned": {"max": 0.5}},
            "All 4 checks pass; the policy sets 2 of them",
            "Not measured: whether someone is in the table",
        ),
    ],
    ids=["average only", "some keys", "all"],
)
def test_a_policy_that_asks_little_says_how_much_it_asks(thresholds, headline, limits):
    found = held_to(thresholds).verdict
    assert found.outcome == "pass"
    assert found.headline == headline
    assert found.sentences[0] == "No attribute names people."
    assert found.sentences[-1].startswith(limits)


def test_where_all_checks_pass_nothing_has_to_help():
    passed, failed = held_to({"k_anonymity": {"min": 5}}), held_to({"k_anonymity": {"min": 6}})
    for show in (str, lambda found: markdown(found.document)):
        assert "What would help" not in show(passed)
        assert "What would help" in show(failed)
    assert "1 record" not in str(passed)


def test_a_gap_that_stays_is_counted_among_the_checks_that_do_not_pass():
    table = {"age": [n // 5 for n in range(200)] + [77]}
    found = audit(dv.read(table, quasi_identifiers="age"), search=False)
    out = next(one for one in found.remedies if one.change.action == "records")
    assert out.sentence.startswith(
        "Leaving out fewer than 5 records (<2.5%) makes every check pass except the one on gaps"
    )
    assert out.to_dict()["failing"] == 1


def test_leaving_out_records_may_open_a_gap():
    table = {"age": [1, 2] * 48 + [9] * 3 + [8], "ill": ["a", "b", "b", "a"] * 25}
    found = audit(dv.read(table, quasi_identifiers="age", sensitive="ill"), search=False)
    assert found.checks[-1].outcome == "pass"  # there are a hundred
    out = next(one for one in found.remedies if one.change.action == "records")
    assert (out.failing, out.gaps) == (0, 1)


def test_records_that_are_not_counted_are_not_left_out_to_help():
    # Ten records without an age are dropped; of those counted, four are alone.
    table = {"age": [1, 2, 3, 4] * 50 + [91, 92, 93, 94] + [None] * 6, "ill": ["a", "b", "c"] * 70}
    data = dv.read(table, quasi_identifiers="age", sensitive="ill", missing="drop")
    found = audit(data, search=False)
    out = next(one for one in found.remedies if one.change.action == "records")
    assert (out.change.records, out.failing) == (4, 0)
    assert "missing values:   6 records have a missing quasi-identifier or sensitive value; records with" in (
        " ".join(str(found).split("\n")).replace("                    ", "")
    )


def test_the_average_risk_is_that_of_the_checks():
    table = crowd(age=[n // 2 for n in range(200)])
    data = dv.read(table, quasi_identifiers=["age"], sensitive="ill")

    def tile(**more):
        return next(
            one for one in audit(data, search=False, **more).document["numbers"] if "risk" in one["name"]
        )

    assert tile()["value"] == 0.5
    sampled = tile(population=20_000)
    risk, often, counted = risks(audit(data, search=False, population=20_000).scope, ["age"])
    assert sampled["value"] == pytest.approx((risk * often).sum() / counted)
    assert sampled["value"] < 0.05
    assert "people outside the table" in sampled["meaning"]


def test_copies_are_counted_once_in_the_numbers_too():
    half = {"age": [n // 4 for n in range(60)], "lab": list(range(60)), "ill": ["a", "b", "c"] * 20}
    data = dv.read(
        {name: values * 2 for name, values in half.items()}, quasi_identifiers="age", sensitive="ill"
    )
    numbers = {one["name"]: one["value"] for one in audit(data, search=False).document["numbers"]}
    assert numbers["k_anonymity"] == 4
    assert numbers["reidentification_risk"] == pytest.approx(0.25)


def test_the_average_risk_leaves_names_aside_and_says_so():
    names = [f"Ada Stone{n}" for n in range(200)]
    data = dv.read(crowd(name=names), identifiers="name", quasi_identifiers=["age", "sex"], sensitive="ill")
    titles = [one["title"] for one in audit(data, search=False).document["numbers"]]
    assert "Average re-identification risk, by quasi-identifiers only" in titles


def test_only_what_an_attacker_is_taken_to_know_drives_the_risk():
    table = crowd(land=["x", "y"] * 99 + ["u", "v"])
    data = dv.read(table, quasi_identifiers=["age", "sex"], sensitive="ill")
    found = audit(data, search=False)
    assert any(one.kind == "lone value" and one.attribute == "land" for one in found.hints)
    assert not any("land" in one["keys"] for one in found.document["drivers"])


def test_very_small_tables_are_spoken_of_in_good_english():
    shown = str(
        audit(
            {"age": [3], "ill": ["a"]},
            {"attributes": {"age": "quasi-identifier"}, "thresholds": {"singled_out": {"k": 2}}},
            search=False,
        )
    )
    assert "1 record, 2 attributes" in shown
    assert "of 1 people" not in shown
    assert "100%" not in shown.split("Smallest")[0]


def test_the_average_risk_of_a_sample_is_the_range_that_people_beyond_the_table_have():
    data = dv.read({"age": [*range(60), *[n // 2 for n in range(100, 200)]]}, quasi_identifiers="age")
    document = audit(data, population=1600, search=False).document
    found = next(one for one in document["numbers"] if one["name"] == "reidentification_risk")
    low, high = document["people_beyond_table"]["risk"]["interval"]
    assert found["title"] == "Estimated average re-identification risk"
    assert found["text"] == f"{percent(low / 160)} to {percent(high / 160)}"
    assert f"{percent(found['value'])} by the one model" in found["meaning"]


def test_everyone_is_all_of_the_people_however_few_they_are():
    data = dv.read({"age": [30] * 4, "diag": ["x"] * 4}, quasi_identifiers="age", sensitive="diag")
    found = next(one for one in audit(data, search=False).checks if one.target_name == "diag")
    assert found.found_text == "100% of people"
