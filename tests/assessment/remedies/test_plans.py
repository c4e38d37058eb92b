"""Several changes together make checks pass that no single change does."""

import itertools
import math

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.all_checks import of_people
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.remedies.fewest_records import leaving_out
from divulge.assessment.remedies.plans import REST, Plan, plan
from divulge.assessment.remedies.recipe_steps import still_open
from divulge.assessment.remedies.single_changes import remedies
from divulge.assessment.remedies.trial import Trial
from divulge.policy import USUAL, Policy
from scenes import KEYS, PEOPLE, scope, town


def planned(thresholds, table=None, keys=KEYS, **reading):
    asked = scope(table, keys=keys, **reading)
    roles = {**dict.fromkeys(keys, "quasi-identifier"), "ill": "sensitive"}
    checks = evaluate(Policy.of({"attributes": roles, "thresholds": thresholds}).thresholds, asked)
    return plan(remedies(asked, checks, keys), keys)[0]


def test_attributes_are_left_out_until_the_checks_hold():
    found = planned({"k_anonymity": {"min": 4}})
    keys = list(KEYS)
    for step in found.steps:
        keys.remove(step.attribute)
        assert step.after["k"] == dv.measure(PEOPLE, "k_anonymity", keys=keys).value
    assert keys == ["zip"]  # four records each
    assert found.failing == 0
    assert found.sentence.startswith("Leaving out age and job makes the check pass and loses")


def test_bands_and_prefixes_come_first_and_a_few_records_last():
    table = town()
    found = planned({"k_anonymity": {"min": 10}}, table, ("age", "zip"))
    assert found.failing == 0
    assert found.steps[-1].change.action in ("records", "cells")
    assert found.steps[-1].change.records <= 0.05 * 2009
    assert not any(step.change.action == "suppress" for step in found.steps)
    assert found.loss < min(
        one.loss
        for one in remedies(scope(table, keys=("age", "zip")), [], ("age", "zip")).remedies
        if one.change.action == "suppress"
    )


def test_each_step_reads_what_stands_after_those_before_it():
    found = planned({"k_anonymity": {"min": 10}}, town(), ("age", "zip"))
    for before, after in zip(found.steps, found.steps[1:], strict=False):
        assert after.before == before.after
        assert after.loss >= before.loss
    assert found.to_dict()["loss"] == found.steps[-1].loss


def test_a_plan_does_not_say_how_few_records_are_unique():
    roles = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    found = dv.audit(PEOPLE, {"attributes": roles, "thresholds": {"k_anonymity": {"min": 4}}})
    first, last = found.to_dict()["plan"]["steps"]
    assert found.plan.steps[0].after["uniqueness"] == 1 / 8  # one of eight people
    assert (first["after"]["uniqueness"], last["before"]["uniqueness"]) == (None, None)
    assert (first["before"]["uniqueness"], last["after"]["uniqueness"]) == (6 / 8, 0)


def test_one_change_that_is_enough_and_loses_less_is_no_plan():
    assert planned({"uniqueness": {"max": 0.2}}) is None


def test_what_names_people_goes_first_where_a_check_asks_for_it():
    table = {**town(), "name": [f"p{n}" for n in range(2009)]}
    asked = {
        "uniqueness": {"max": 0.5, "keys": ["name"]},
        "k_anonymity": {"min": 20, "keys": ["age", "zip"]},
    }
    found = planned(asked, table, ("age", "zip"), identifiers="name")
    assert found.steps[0].change.words == "leaving out name"
    assert found.steps[0].loss == 0
    assert found.failing == 0


def test_where_everyone_is_unique_on_each_attribute_several_become_coarser():
    n = 400
    table = {
        "height": [150 + i * 0.1 for i in range(n)],
        "weight": [50 + (i * 7 % n) * 0.1 for i in range(n)],
        "ill": ["flu", "cold"] * (n // 2),
    }
    found = planned({"k_anonymity": {"min": 5}}, table, ("height", "weight"))
    assert found.failing == 0
    coarser = [step.change for step in found.steps if step.change.action not in ("records", "cells")]
    assert {change.action for change in coarser} == {"bands"}
    assert {change.attribute for change in coarser} == {"height", "weight"}


def pairs_that_reveal(n=1200):
    """Everyone has company on all keys; one town and job together reveal an illness."""
    table = {
        "town": [f"t{i % 4}" for i in range(n)],
        "job": [f"j{i // 4 % 3}" for i in range(n)],
        "sex": [("f", "m")[i // 12 % 2] for i in range(n)],
    }
    alike = zip(table["town"], table["job"], strict=True)
    ill = [
        "HIV" if both == ("t0", "j0") else ("flu", "cold", "HIV")[i // 24 % 3] for i, both in enumerate(alike)
    ]
    return {**table, "ill": ill}


def held_to_the_usual(table, keys):
    asked = scope(table, keys=keys)
    return asked, of_people(USUAL, asked)


def test_the_rows_that_a_pair_of_keys_reveals_are_those_the_check_names():
    table = pairs_that_reveal()
    asked, checks = held_to_the_usual(table, ("town", "job", "sex"))
    (unmet,) = [one for check in checks if (one := check.unmet(asked)) is not None]
    named = [town == "t0" and job == "j0" for town, job in zip(table["town"], table["job"], strict=True)]
    assert unmet.rows.tolist() == named
    assert unmet.share == sum(named) / len(named)
    assert set(unmet.by) == {"town", "job"}


JOBS = ("age", "town", "job", "sex")


def with_a_job_that_reveals(n=1500):
    """Many are alone, and one job goes with other illnesses."""
    table = {
        "age": [20 + i * 7 % 50 for i in range(n)],
        "town": [f"t{i * 13 // 5 % 9}" for i in range(n)],
        "job": [f"j{i * 29 // 11 % 7}" for i in range(n)],
        "sex": [("f", "m")[i // 3 % 2] for i in range(n)],
    }
    alike = enumerate(table["job"])
    return {**table, "ill": [("flu", "cold", "HIV", "gout")[(job == "j0") + i // 7 % 3] for i, job in alike]}


def test_every_check_passes_on_the_data_as_the_plan_changes_them():
    keys = JOBS
    table = with_a_job_that_reveals()
    asked, checks = held_to_the_usual(table, keys)
    found, _ = plan(remedies(asked, checks, keys), keys)
    assert found.failing == 0
    for step in found.steps:
        asked = step.change.apply(asked)
    assert all(check.ask(asked).outcome == "pass" for check in checks)
    assert set(found.kept) == set(asked.keys)


def test_a_plan_says_which_check_it_leaves_open_and_what_is_left():
    trial = Trial(*held_to_the_usual(pairs_that_reveal(), ("town", "job", "sex")))
    steps = [trial.remedy(trial.coarser(name)[-1]) for name in ("sex", "town")]
    said = Plan(steps, ("job",), ("ill of 100 people is revealed.",), 3).sentence
    assert "Only job would be left of 3 quasi-identifiers." in said
    assert said.endswith("No combination that was tried changes this: ill of 100 people is revealed.")
    assert "No combination" not in Plan(steps, ("job",), (), 3).sentence


def test_a_plan_says_which_gap_it_leaves():
    rng = np.random.default_rng(1)
    columns = {"amount": rng.permutation(60), "age": rng.integers(20, 60, 60), "ill": rng.integers(0, 2, 60)}
    found = dv.audit(dv.read(columns, quasi_identifiers=["amount", "age"], sensitive="ill"))
    said = "There are fewer than 100 records, so shares and comparisons with chance are unreliable"
    assert found.plan is not None
    assert f"What still warns: {said}." in found.plan.sentence
    left = still_open(found.scope, found.checks, found.advised)
    assert left == f"1 of 4 checks does not pass: Gaps in what was measured (warn). {said}"


def test_of_a_release_that_can_be_no_plan_no_more_is_asked_than_shows_that():
    rng = np.random.default_rng(3)
    age, job = rng.integers(20, 60, 60).tolist(), rng.integers(0, 30, 60).astype(str).tolist()
    table = {"age": age, "job": job, "ill": [f"of {one}" for one in job]}
    asked, checks = held_to_the_usual(table, ("age", "job"))
    trial = Trial(asked, checks)
    whole = trial.need(asked, REST)
    assert whole.too_many
    assert whole.failing > 1
    assert trial.need(asked, REST, whole.failing).failing == whole.failing
    enough = trial.need(asked, REST, 0)
    assert enough.too_many
    assert enough.failing == 1


def every_combination(asked, checks, keys):
    """The least loss of all combinations of changes after which checks pass, few records left out."""
    trial, least = Trial(asked, checks), math.inf
    for ways in itertools.product(*([None, *trial.coarser(key)] for key in keys)):
        changes = [one for one in ways if one is not None]
        if sum(bool(one.attributes) for one in changes) == len(keys):
            continue
        now = asked
        for one in changes:
            now = one.apply(now)
        need = trial.need(now)
        rest = leaving_out(trial, now, need, REST) if need.failing else None
        if need.failing and (rest is None or rest.failing):
            continue
        least = min(least, trial.information.loss(now if rest is None else rest.change.apply(now)))
    return least


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_that_is_proved_best_is_the_best_of_trying_every_combination(seed):
    rng = np.random.default_rng(seed)
    n, keys = 300, ("age", "zip", "sex")
    table = {
        "age": rng.integers(20, 60, n).tolist(),
        "zip": rng.integers(100, 112, n).astype(str).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "ill": rng.choice(["flu", "cold", "gout"], n, p=[0.5, 0.3, 0.2]).tolist(),
    }
    asked = scope(table, keys=keys)
    roles = {**dict.fromkeys(keys, "quasi-identifier"), "ill": "sensitive"}
    thresholds = {"k_anonymity": {"min": 3}, "distinct_l_diversity": {"min": 2}}
    checks = evaluate(Policy.of({"attributes": roles, "thresholds": thresholds}).thresholds, asked)
    found, said = plan(remedies(asked, checks, keys), keys)
    assert found.proved
    assert said is None
    assert f"none of the {found.combinations:,} combinations" in found.sentence
    best = every_combination(asked, checks, keys)
    whole = [one.loss for one in found.steps if one.change.action != "cells"][-1]
    assert found.loss <= best + 1e-9
    if not any(step.change.action == "cells" for step in found.steps):
        assert whole == pytest.approx(best)


def with_limits(monkeypatch, **limits):
    """A plan when only so much may be looked at, and what was not tried."""
    for name, value in limits.items():
        monkeypatch.setattr(f"divulge.assessment.remedies.plans.{name}", value)
    asked, checks = held_to_the_usual(with_a_job_that_reveals(), JOBS)
    return plan(remedies(asked, checks, JOBS), JOBS)


def test_where_groups_are_very_many_fewer_levels_are_tried_and_that_is_said(monkeypatch):
    whole, nothing = with_limits(monkeypatch)
    assert nothing is None
    found, said = with_limits(monkeypatch, WORK=1)
    assert said == (
        "Not every level of the quasi-identifiers was tried: it would take long with this many records."
    )
    assert found is None or (not found.proved and found.loss >= whole.loss - 1e-9)


def test_a_search_that_ends_early_says_so_and_what_it_found_holds(monkeypatch):
    whole, _ = with_limits(monkeypatch)
    few = {"ROWS": 1, "FEWEST_CHECKED": 0}
    found, said = with_limits(monkeypatch, **few)
    assert said == "Not every combination of levels was checked: it would take long with this many records."
    assert not found.proved
    assert (found.failing, found.loss) >= (whole.failing, whole.loss - 1e-9)
    assert found.to_dict() == with_limits(monkeypatch, **few)[0].to_dict()


def test_a_plan_is_found_for_more_than_a_hundred_thousand_records():
    n, rng = 120_000, np.random.default_rng(1)
    table = {
        "age": rng.integers(20, 90, n),
        "zip": rng.integers(100, 900, n).astype(str),
        "sex": rng.choice(["f", "m"], n),
        "ill": rng.choice(["flu", "cold", "gout"], n),
    }
    found = planned({"k_anonymity": {"min": 5}}, table, ("age", "zip", "sex"))
    assert found.failing == 0
    assert found.proved


def test_a_plan_that_would_leave_suppressed_values_alone_is_no_plan():
    """The audit has a verdict all the same: a quasi-identifier that is suppressed everywhere."""
    table = {
        "a": [f"z{n // 2}" for n in range(300)],
        "b": [f"w{n * 7 % 300}" for n in range(300)],
        "city": ["*"] * 300,
        "d": ["xyz"[n % 3] for n in range(300)],
    }
    audit = dv.audit(table, quasi_identifiers=["a", "b", "city"], sensitive=["d"])
    assert audit.outcome == "fail"


def test_one_quasi_identifier_and_a_number_of_people_have_a_plan_too():
    """Wider groups for who is singled out, and the number left out: neither makes both checks pass."""
    zips = np.repeat(np.random.default_rng(1).integers(75000, 75030, 80), 3)
    ills = np.random.default_rng(2).choice(list("abcde"), 240)
    table = {"pid": np.repeat(np.arange(80), 3), "zip": zips.astype(str), "ill": ills}
    found = dv.audit(table, identifiers="pid", quasi_identifiers="zip", sensitive="ill")
    assert found.remedies[0].failing == 1
    assert found.plan is not None
    assert found.plan.failing == 0
    assert {step.change.attribute for step in found.plan.steps} == {"pid", "zip"}
