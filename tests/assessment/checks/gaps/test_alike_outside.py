"""A sample never passes by an average where people may be nearly alone in the population."""

from datetime import date, timedelta

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.singled_out import singled_out
from divulge.assessment.population import few_alike
from divulge.assessment.population.few_alike import sampled_groups
from divulge.assessment.scope import Scope
from divulge.policy import USUAL, Policy, Population, SinglingOut

EVERYONE = 80_000_000
ROLES = {"quasi_identifiers": ["zip", "born", "sex"], "sensitive": "ill"}
FAILS = (SinglingOut(0.001, 3),)


def drawn(people=2000, twice=0, seed=1):
    """So few of so many that hardly anyone is drawn with someone alike; some records are there twice."""
    rng = np.random.default_rng(seed)
    rows = [*range(people), *range(twice)]
    table = {
        "zip": rng.integers(10_000, 99_999, people),
        "born": rng.integers(0, 30_000, people),
        "sex": rng.choice(["m", "w"], people),
        "ill": rng.choice([f"I{n}" for n in range(12)], people),
    }
    return {name: column[rows].tolist() for name, column in table.items()}


def check(table, size=EVERYONE, levels=USUAL.singled_out, **roles):
    data = dv.read(table, **(roles or ROLES))
    return singled_out(levels, Scope(data, population=Population(size=size)))[0]


def of_sizes(sizes):
    return {"age": np.repeat(np.arange(len(sizes)), sizes).tolist()}


@pytest.mark.parametrize("twice", [0, 1, 2, 4, 10, 40, 400, 2000])
def test_records_that_are_there_twice_never_make_a_sample_pass(twice):
    found = check(drawn(twice=twice))
    assert found.outcome == ("fail" if twice < 2 else "not evaluated")
    if twice >= 2:
        assert found.found is None
        assert found.sentence.startswith(f"Up to 2,000 of {2000 + twice:,} people may be")
        assert "--population FILE" in found.answer.fix


def test_most_pairs_of_a_tiny_sample_are_copies_and_of_a_large_one_people():
    few = check(drawn(twice=40))
    assert "most groups of two are equal records" in few.sentence
    # Three of five people were drawn, and then two people alike are no wonder.
    table = drawn(twice=400)
    assert "equal records" not in check(table, size=4000).sentence


def test_two_people_who_differ_in_nothing_but_the_keys_are_no_copies():
    sizes = [1] * 300 + [2] * 40
    assert "equal records" not in check(of_sizes(sizes), quasi_identifiers="age").sentence
    columns = of_sizes(sizes) | {"ill": ["a", "a", "b"] * 126 + ["a", "b"]}
    assert "equal records" not in check(columns, quasi_identifiers="age", sensitive="ill").sentence


def test_finer_keys_never_make_a_sample_pass():
    rng = np.random.default_rng(1)
    days = [date(1930, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 30_000, 3000)]
    ill = ["hiv" if 1945 <= day.year < 1955 else str(rng.choice(["flu", "cold", "gout"])) for day in days]
    found = []
    for form in ("%Y", "%Y-%m", "%Y-%m-%d"):
        table = {"born": [day.strftime(form) for day in days], "ill": ill}
        audit = dv.audit(table, population=EVERYONE, quasi_identifiers="born", sensitive="ill", search=False)
        found.append(audit.verdict.outcome)
    assert found == ["fail", "not evaluated", "not evaluated"]


def test_a_sample_passes_where_the_sizes_of_its_groups_are_enough():
    assert check(of_sizes([4] * 200), 10_000_000, quasi_identifiers="age").outcome == "pass"
    may = check(of_sizes([4] * 200), 10_000, quasi_identifiers="age")
    assert may.outcome == "warn"  # groups of four may have no more than four there
    assert may.sentence.startswith(
        "Up to 800 of 800 people may be in groups smaller than 5 of the population"
    )
    assert may.found_text == "up to 800 people"


def test_a_share_that_is_allowed_is_compared_with_what_there_may_be_at_most():
    sizes = [1] * 40 + [2] * 40 + [10] * 88  # 4 % are unique, and 12 % are in groups of one or two
    for share, outcome in ((0.13, "pass"), (0.03, "not evaluated")):
        levels = (SinglingOut(share, 3),)
        assert check(of_sizes(sizes), 30_000, levels, quasi_identifiers="age").outcome == outcome


def test_models_decide_where_there_are_enough_pairs_and_the_most_cautious_counts():
    rng = np.random.default_rng(3)
    shares = np.exp(rng.normal(0, 1, 3000))
    sizes = np.bincount(rng.choice(3000, 2000, p=shares / shares.sum()))
    data = dv.read(of_sizes(sizes[sizes > 0]), quasi_identifiers="age")
    scope = Scope(data, population=Population(size=1_000_000))
    few = sampled_groups(scope, ["age"]).few_alike(3)
    assert few.estimate is not None
    assert few.least <= few.estimate <= few.most
    model = sampled_groups(scope, ["age"]).presence.modelled_below(3)
    assert few.estimate >= model
    above, below = few.estimate / data.records + 0.01, few.estimate / data.records - 0.01
    passed = singled_out((SinglingOut(above, 3),), scope)[0]
    assert passed.outcome == "pass"
    assert "by the most cautious model; without a model it is up to" in passed.sentence
    found = singled_out((SinglingOut(max(below, 0.0), 3),), scope)[0]
    assert found.outcome == "not evaluated"
    assert found.sentence.startswith("About ")


@pytest.mark.parametrize("roles", [{}, {"missing": "drop"}])
def test_many_records_are_counted_by_the_sizes_of_their_groups(roles, monkeypatch):
    rng = np.random.default_rng(5)
    columns = {"age": rng.geometric(0.01, 900).tolist()}
    columns["age"][:9] = [None] * 9
    found = []
    for many in (1000, 10):
        monkeypatch.setattr(few_alike, "MANY", many)
        scope = Scope(dv.read(columns, quasi_identifiers="age", **roles), population=Population(size=90_000))
        found.append([sampled_groups(scope, ["age"]).few_alike(k) for k in (2, 3, 5)])
    assert found[0][1].most > 0
    for one, other in zip(*found, strict=True):
        assert (one.least, one.most, one.unsaid) == (other.least, other.most, other.unsaid)
        assert one.estimate == pytest.approx(other.estimate)


def test_no_model_is_asked_where_weights_differ():
    columns = of_sizes([1] * 50 + [2] * 100) | {"w": [400, 600] * 125}
    data = dv.read(columns, quasi_identifiers="age", weights="w")
    found = singled_out(FAILS, Scope(data))[0]
    assert found.outcome == "not evaluated"
    assert "people were drawn with different chances" in found.sentence


def test_whom_it_is_about_are_the_people_of_small_groups():
    data = dv.read(of_sizes([4] * 100 + [2] * 20), quasi_identifiers="age")
    scope = Scope(data, population=Population(fraction=0.02))
    found = singled_out(FAILS, scope)[0]
    assert found.outcome == "not evaluated"
    rows = found.answer.whom()
    assert rows[:400].sum() == 0
    assert rows[400:].all()
    assert singled_out(FAILS, scope.leaving_out(rows))[0].outcome == "pass"


def test_a_release_is_not_the_table_as_it_is_where_its_sample_does_not_tell():
    policy = Policy.of(
        {
            "attributes": dict.fromkeys(ROLES["quasi_identifiers"], "quasi-identifier")
            | {"ill": "sensitive"},
            "thresholds": {"singled_out": {"max": 0.001, "k": 3}},
            "population": {"size": EVERYONE},
        }
    )
    found = dv.anonymize(drawn(people=300, twice=3), policy)
    assert found.best.loss > 0
    assert all(one.outcome in ("pass", "warn") for one in found.checks)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3])
def test_the_ends_hold_the_number_of_people_who_have_few_alike(spread, share):
    rng = np.random.default_rng(7)
    many = np.exp(rng.normal(0, spread, 4000))
    people = np.maximum(rng.poisson(many / many.mean() * 10), 1)
    held = 0
    for _ in range(40):
        here = rng.binomial(people, share)
        data = dv.read(of_sizes(here[here > 0]), quasi_identifiers="age")
        few = sampled_groups(Scope(data, population=Population(size=int(people.sum()))), ["age"]).few_alike(3)
        held += few.least <= here[(people < 3)].sum() <= few.most
    assert held >= 36
