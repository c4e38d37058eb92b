"""Who can be singled out: sets of people alike, and what a sample takes away from the risk."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks import singled_out as checked
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.checks.singled_out import singled_out
from divulge.assessment.people.sample import SampleShare
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError
from divulge.policy import USUAL, Population, SinglingOut


def table(sizes):
    return {"age": np.repeat(np.arange(len(sizes)), sizes).tolist()}


def check(sizes, levels=USUAL.singled_out, population=None, **reading):
    data = dv.read(table(sizes), quasi_identifiers="age", **reading)
    return singled_out(levels, Scope(data, population=population))[0]


@pytest.mark.parametrize(
    ("sizes", "outcome", "concerned"),
    [
        ([5] * 200, "pass", 0),
        ([5] * 199 + [4], "warn", 4),
        ([5] * 199 + [1, 4], "warn", 5),  # 1 of 1,000 is not more than 0.1 %
        ([5] * 197 + [1, 1, 4], "fail", 2),  # 2 of 991 are
        ([5] * 100 + [2], "fail", 2),
    ],
)
def test_more_than_one_in_a_thousand_fails_and_anyone_in_a_set_below_five_warns(sizes, outcome, concerned):
    found = check(sizes)
    assert (found.outcome, found.concerned) == (outcome, concerned)


def test_a_bound_of_a_policy_is_a_share_of_people_below_k():
    public = (SinglingOut(0.0, 11),)
    assert check([11] * 50, public).outcome == "pass"
    found = check([11] * 50 + [10], public)
    assert (found.outcome, found.concerned, found.found) == ("fail", 10, pytest.approx(10 / 560))
    assert check([11] * 50 + [10], (SinglingOut(0.02, 11),)).outcome == "pass"


def test_a_share_of_people_that_is_exactly_the_maximum_is_allowed():
    at = check([11] * 10 + [10], (SinglingOut(10 / 120, 11),))
    assert (at.outcome, at.found, at.holds(at.found)) == ("pass", 10 / 120, True)
    beyond = check([11] * 10 + [10], (SinglingOut(10 / 121, 11),))
    assert (beyond.outcome, beyond.holds(beyond.found)) == ("fail", False)


def test_risks_in_a_sample_follow_benedetti_and_franconi():
    # a = 0.1: one, 1/9 ln 10; two, 1/9 (1 - 1/9 ln 10); five, 0.1 / 4.1. No sets of two hold the floor down.
    risk = SampleShare(0.1).risk(np.asarray([2, 5]))
    one = np.log(10) / 9
    assert risk == pytest.approx([(1 - one) / 9, 0.1 / 4.1])


def test_a_set_of_one_is_at_least_as_risky_as_skinner_and_elliot_find():
    # 30 sets of one and 100 of two at pi = 0.1: 3 / (3 + 2 * 0.9 * 81.4) is below ln 10 / 9.
    sizes = np.asarray([1] * 30 + [2] * 100)
    assert SampleShare(0.1).risk(sizes)[0] == pytest.approx(np.log(10) / 9)
    # 300 against 10, which are 4.795 at least: half a chi-square of 20 degrees of freedom at 2.5 %.
    sizes = np.asarray([1] * 300 + [2] * 10)
    assert SampleShare(0.1).risk(sizes)[0] == pytest.approx(30 / (30 + 1.8 * 4.79538869), rel=1e-6)
    assert SampleShare(0.1).risk(np.asarray([1]), None, np.asarray([7]))[0] == 1  # no set of two at all


def test_few_pairs_say_little():
    risks = [SampleShare(2.5e-5).risk(np.asarray([1] * 2000 + [2] * pairs))[0] for pairs in (0, 1, 4, 40)]
    assert risks[0] == 1
    assert risks[1] == pytest.approx(0.05 / (0.05 + 2 * 0.0253178), rel=1e-3)
    assert sorted(risks, reverse=True) == risks


def test_a_risk_in_a_sample_is_never_above_that_in_the_table():
    sizes = np.arange(1, 40)
    for fraction in (0.001, 0.3, 0.9, 0.999999999):
        assert (SampleShare(fraction).risk(sizes) <= 1 / sizes + 1e-12).all()
    assert SampleShare(0.9999).risk(np.asarray([2, 3])) == pytest.approx([1 / 2, 1 / 3], abs=1e-3)


def test_a_declared_sample_is_judged_by_its_risk_and_an_undeclared_one_is_asked_for():
    small, larger = [1] * 50 + [2] * 200, [4] * 100
    assert "give a table of the population, or its size for an estimate" in check(small).sentence
    found = check(small, population=Population(size=450 * 500))
    assert found.outcome == "not evaluated"
    assert "--population)" not in found.sentence
    assert check(larger).outcome == "warn"
    assert check(larger, population=Population(size=400 * 500)).outcome == "pass"
    assert check(larger, population=Population(fraction=1 / 500)).outcome == "pass"


def test_weights_say_how_many_people_of_the_population_a_set_stands_for():
    columns = table([4] * 100) | {"w": [500] * 400}
    for data, population in (
        (dv.read(columns, quasi_identifiers="age", weights="w"), None),
        (dv.read(columns, quasi_identifiers="age"), Population(weight="w")),
    ):
        assert singled_out(USUAL.singled_out, Scope(data, population=population))[0].outcome == "pass"
    heavy = columns | {"w": [1] * 400}
    data = dv.read(heavy, quasi_identifiers="age", weights="w")
    assert singled_out(USUAL.singled_out, Scope(data))[0].outcome == "warn"


def test_a_population_smaller_than_the_table_is_refused():
    with pytest.raises(ParameterError, match="100 people"):
        dv.audit(dv.read(table([10] * 20), quasi_identifiers="age"), population=100)


def test_people_are_counted_where_an_identifier_repeats():
    # Six records in each set, of two people.
    person = np.repeat(np.arange(100), 3)
    data = dv.read(
        {"id": person.tolist(), "age": (person // 2).tolist()}, identifiers="id", quasi_identifiers="age"
    )
    found = singled_out(USUAL.singled_out, Scope(data))[0]
    assert (found.outcome, found.concerned, found.counted) == ("fail", 100, 100)


def test_a_person_with_several_records_counts_once_by_the_riskiest():
    # Person 0 is alone on age 9, and one of six on age 1.
    rows = {"id": [0, 0, 1, 2, 3, 4, 5], "age": [9, 1, 1, 1, 1, 1, 1]}
    found = singled_out(USUAL.singled_out, Scope(dv.read(rows, identifiers="id", quasi_identifiers="age")))[0]
    assert (found.concerned, found.counted) == (1, 6)


def test_few_people_are_not_counted_out_anywhere():
    found = check([5] * 199 + [3])
    said = found.to_dict()
    assert said["records"] == "<5"
    assert said["share"] is None
    assert (said["found"], said["found_is_below"]) == (pytest.approx(5 / 998), True)
    assert "concerned=" not in repr(found)
    assert "0.003" not in repr(found)
    assert said["sentence"].startswith("Fewer than 5 of 998 people are in groups smaller than 5 on age.")


def test_a_risk_that_a_model_of_the_sample_gives_is_said_to_be_estimated():
    found = check([4] * 200, population=Population(size=10_000_000))
    assert found.outcome == "pass"
    assert found.sentence.startswith(
        "No group on age has an estimated risk above 1 in 5. A model of the sample"
    )
    assert found.found_text == "0% of people, by estimate"
    risky = check([1] * 400 + [2] * 4, population=Population(size=1000))
    assert risky.outcome != "pass"
    assert "have an estimated risk above 1 in" in risky.sentence
    assert "single people may have a higher risk." in risky.sentence


def test_nobody_can_be_singled_out_by_keys_that_are_all_suppressed():
    data = dv.read({"age": ["*"] * 120, "ill": ["a", "b"] * 60}, quasi_identifiers="age", sensitive="ill")
    checks = {check.measure_name: check.outcome for check in every_check(Scope(data), None)}
    assert checks["singled_out"] == checks["learned"] == "pass"


@pytest.mark.parametrize(
    ("more", "given"), [(["*"] * 40, {}), ([None] * 40, {"missing": "drop"})], ids=["suppressed", "dropped"]
)
def test_that_everyone_has_company_is_said_of_those_who_were_counted(more, given):
    data = dv.read({"age": [*table([5] * 200)["age"], *more]}, quasi_identifiers="age", **given)
    found = singled_out(USUAL.singled_out, Scope(data))[0]
    assert found.outcome == "pass"
    assert found.answer.sentence == (
        "Everyone counted has the same age as at least four others; 40 records are in the file, but "
        "suppressed or incomplete."
    )
    assert check([5] * 200).answer.sentence == "Everyone has the same age as at least four others."


def test_weights_that_stand_for_more_people_than_there_are_are_refused():
    data = dv.read({"age": [1, 2, 2], "w": [1e11, 1e9, 1e9]}, quasi_identifiers="age", weights="w")
    with pytest.raises(ParameterError, match="weights together make it more than 10,000,000,000 people"):
        singled_out(USUAL.singled_out, Scope(data))


def test_what_fails_and_what_only_warns_is_required_apart():
    columns = {"age": [20 + i % 40 for i in range(200)], "ill": ["a", "b"] * 100}
    found = dv.audit(dv.read(columns, quasi_identifiers="age", sensitive="ill"), search=False)
    asked = {check.measure_name: check.asked for check in found.checks}
    assert asked["singled_out"] == (
        "fails: at most 0.1% of people in groups smaller than 3 / warns: nobody in groups smaller than 5"
    )
    assert asked["learned"] == (
        "fails: nobody with 90% certainty beyond chance / warns: nobody with 50% certainty beyond chance"
    )


@pytest.mark.parametrize("fraction", [None, 0.5])
@pytest.mark.parametrize("reading", [{}, {"missing": "drop"}])
@pytest.mark.parametrize(
    "levels", [USUAL.singled_out, (SinglingOut(0.0, 4),), (SinglingOut(0.0, 3), SinglingOut(0.02, 6))]
)
def test_rows_in_small_sets_are_those_found_one_by_one(levels, reading, fraction, monkeypatch):
    rng = np.random.default_rng(4)
    columns = {name: rng.geometric(0.2, 600).tolist() for name in ("age", "zip")}
    columns["age"][:9] = [None] * 9
    data = dv.read(columns, quasi_identifiers=["age", "zip"], **reading)

    def rows():
        people = None if fraction is None else Population(size=1200)
        return singled_out(levels, Scope(data, population=people))[0].answer.whom()

    found = rows()
    monkeypatch.setattr(checked, "_in_small_sets", lambda *given: None)
    assert found.any()
    assert found.tolist() == rows().tolist()


def test_rows_are_not_looked_for_where_they_are_known_to_be_too_many():
    many = check([1] * 60 + [5] * 8)
    assert many.answer.going == 0.6
    data = dv.read(table([1] * 60 + [5] * 8), quasi_identifiers="age")
    over, whole = (many.unmet(Scope(data), most) for most in (0.5, 0.6))
    assert (over.rows, over.too_many) == (None, True)
    assert (whole.rows.sum(), whole.too_many) == (60, False)
    allowed = check([1] * 60 + [5] * 8, (SinglingOut(0.5, 3),))  # 20 of 100 go: 40 of the 80 left may stay
    assert allowed.answer.going == pytest.approx(0.2)
    assert allowed.answer.whom().sum() == 20


@pytest.mark.parametrize("copies", [1, 20])
def test_a_person_with_many_records_of_weight_one_is_one_person(copies):
    """Everyone was drawn, so that nobody outside hides those who are alone here."""
    people = [(f"p{n}", n // 2 if n >= 100 else -n - 1) for n in range(300) for _ in range(copies)]
    table = {"pid": [one for one, _ in people], "cell": [cell for _, cell in people], "w": [1] * len(people)}
    table["d"] = [n % 4 for n in range(len(people))]
    roles = {"identifiers": ["pid"], "quasi_identifiers": ["cell"], "sensitive": ["d"], "weights": "w"}
    audit = dv.audit(table, **roles)
    assert audit.scope.sample.fraction == 1
    assert next(one for one in audit.checks if one.name == "People who can be singled out").outcome == "fail"


def test_what_is_learned_by_weight_does_not_depend_on_the_order_of_rows():
    rows = [
        (f"p{n}", "A" if n < 400 else "B", "gout" if n < 400 else "cf"[n % 2], weight)
        for n in range(500)
        for weight in ((9, 1) if n < 400 else (5, 5))
    ]
    names = ("pid", "edu", "ill", "w")
    roles = {"identifiers": ["pid"], "quasi_identifiers": ["edu"], "sensitive": ["ill"], "weights": "w"}
    said = [
        [(check.name, check.outcome, check.sentence) for check in audit.checks]
        for order in (rows, sorted(rows, key=lambda row: (row[0], row[3])))
        for audit in [dv.audit(dict(zip(names, zip(*order, strict=True), strict=True)), **roles)]
    ]
    assert said[0] == said[1]
