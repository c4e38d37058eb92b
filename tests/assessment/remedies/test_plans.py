"""Several changes together make checks pass that no single change does."""

import divulge as dv
from divulge.assessment.checks.all_checks import of_people
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.remedies.plans import Plan, plan
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
    assert {step.change.action for step in found.steps} == {"bands"}


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


def test_every_check_passes_on_the_data_as_the_plan_changes_them():
    n, keys = 1500, ("age", "town", "job", "sex")
    table = {
        "age": [20 + i * 7 % 50 for i in range(n)],
        "town": [f"t{i * 13 // 5 % 9}" for i in range(n)],
        "job": [f"j{i * 29 // 11 % 7}" for i in range(n)],
        "sex": [("f", "m")[i // 3 % 2] for i in range(n)],
    }
    table["ill"] = [
        ("flu", "cold", "HIV", "gout")[(job == "j0") + i // 7 % 3] for i, job in enumerate(table["job"])
    ]
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


def with_work(monkeypatch, rows):
    """A plan for a town of 2,009 people when only so many rows may be looked at, and what was not tried."""
    monkeypatch.setattr("divulge.assessment.remedies.plans.WORK", rows)
    asked, checks = held_to_the_usual(town(), ("age", "zip"))
    return plan(remedies(asked, checks, ("age", "zip")), ("age", "zip"))


def test_on_very_many_records_no_plan_is_tried_and_that_is_said(monkeypatch):
    found, said = with_work(monkeypatch, 2009 * 39)
    assert found is None
    assert said == "Several changes together were not tried: it would take long with this many records."


def test_a_search_that_ends_early_says_so_and_what_it_found_holds(monkeypatch):
    monkeypatch.setattr("divulge.assessment.remedies.plans.FEWEST_LOOKS", 1)
    whole, nothing = with_work(monkeypatch, 2009 * 10_000)
    assert nothing is None
    found, said = with_work(monkeypatch, 2009 * 4)
    assert said == "Not every combination of changes was tried: it would take long with this many records."
    assert found is None or (found.failing, found.loss) >= (whole.failing, whole.loss)
    assert str(found) == str(with_work(monkeypatch, 2009 * 4)[0])
