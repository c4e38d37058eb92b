"""What a search found as a document, and everything that it can be saved as."""

import json
from dataclasses import replace

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.anonymization.result.unsaid import unsaid_loss, unsaid_risk
from divulge.errors import ParameterError
from report.anonymization_document import POLICY, TABLE, document, found
from schemas import fits


def test_every_check_is_read_before_and_after():
    checks = {one["measure"]: one for one in document()["checks"]}
    assert checks.keys() == {"identifiers", "k_anonymity", "distinct_l_diversity", "suppressed"}
    assert checks["suppressed"]["after"]["outcome"] == "warn"  # they are fewer than 5
    k = checks["k_anonymity"]
    assert (k["before"]["found"], k["before"]["outcome"]) == (1, "fail")
    assert (k["after"]["found"], k["after"]["outcome"]) == (9, "pass")
    assert k["asked"] == "at least 5 records"


def test_the_document_fits_its_schema_and_names_what_is_released():
    for local in (False, True):
        fits(document(local))
    assert document()["hierarchies"]["age"] == {
        "levels": 4,
        "made": True,
        "file": None,
        "values": [61, 13, 7, 4, 1],
        "forms": ["61 values", "13 intervals of 5", "7 intervals of 10", "4 intervals of 20", "one group"],
    }


def test_a_risk_beside_a_hidden_count_does_not_say_it():
    best = document()["best"]
    assert (best["suppressed"], best["risk"]) == ("<5", 0.1)
    with exact_counts():
        exact = found().to_dict()["best"]
    assert exact["risk"] == exact["classes"] / (240 - exact["suppressed"])
    # By hand: 24 of 239, 238 and so on down to 230 records read the same.
    assert {unsaid_risk(24 / left, left) for left in range(230, 240)} == {0.1}


def test_few_suppressed_records_do_not_follow_from_anything_in_the_document():
    said, few = json.dumps(document()), found().best.suppressed
    assert 0 < few < 5
    assert f'"suppressed": {few}' not in said
    assert str(240 - few) not in said


def unreleased(made):
    """Transformations that are not released and suppress few records, and what the document says of each."""
    written = made.to_dict()
    exact = [*made.result.best, *made.front]
    entries = [written["best"], *written["next"], *written["front"]]
    pairs = zip(exact, entries, strict=True)
    return [
        (one, said) for one, said in pairs if said["suppressed"] == "<5" and one.levels != made.best.levels
    ]


@pytest.mark.parametrize("loss", ["granularity", "discernibility", "bits"])
def test_the_loss_of_what_is_not_released_does_not_count_few_suppressed_records(loss):
    ages = [str(20 + place % 40) for place in range(800)] + ["90", "91", "92"]
    columns = {"age": ages, "sex": ["f", "m", "f"] * 267 + ["f", "m"], "region": [*"NSSS"] * 200 + [*"NNN"]}
    made = dv.anonymize(columns, k=5, suppress="1%", quasi_identifiers=list(columns), loss=loss)
    found = unreleased(made)
    assert found
    for one, said in found:
        assert 0 < one.suppressed < 5
        assert said["loss"] == unsaid_loss(one, made.lattice) != one.loss
        if loss == "granularity":
            floor = made.lattice.costs.floor(list(one.levels.values()))
            as_few = [replace(one, suppressed=few, loss=floor + few / 803) for few in range(1, 6)]
            assert {unsaid_loss(few, made.lattice) for few in as_few[:4]} == {said["loss"]}
            assert unsaid_loss(as_few[4], made.lattice) == as_few[4].loss
    with exact_counts():
        assert [one["loss"] for one in made.to_dict()["next"]] == [one.loss for one in made.result.best[1:]]


def test_of_the_best_that_a_local_recoding_replaces_no_number_counts_few_suppressed_records():
    made, written = found(local=True), document(local=True)
    assert written["best"]["loss"] == 0.35 != made.best.loss
    assert written["local"]["share"] == made.local.loss / 0.35
    assert f"{made.best.loss:.4f}"[:6] not in json.dumps(written)


def test_everything_is_saved_by_its_ending(tmp_path):
    one = found()
    for name in ("r.html", "r.md", "r.json", "recipe.toml", "released.csv", "released.parquet"):
        one.save(tmp_path / name)
    assert json.loads((tmp_path / "r.json").read_text()) == json.loads(json.dumps(one.to_dict()))
    assert (tmp_path / "recipe-policy.toml").exists()
    assert dv.transform(TABLE, dv.Recipe.read(tmp_path / "recipe.toml")).data.keys() == TABLE.keys()
    assert dv.read(tmp_path / "released.csv").records == 240
    for name in ("recipe.toml", "released.csv"):
        with pytest.raises(ParameterError, match="is there already"):
            one.save(tmp_path / name)
        one.save(tmp_path / name, overwrite=True)


def test_a_recipe_names_its_policy_or_is_refused(tmp_path):
    one = dv.anonymize(TABLE, dv.Policy.of(POLICY), suppress="5%")
    with pytest.raises(ParameterError, match="needs its policy as a file"):
        one.save(tmp_path / "recipe.toml")


def test_an_interrupt_of_local_recoding_leaves_the_best_for_all_records(monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("divulge.anonymization.anonymizing.value_mapping", interrupted)
    one = dv.anonymize(TABLE, POLICY, suppress="5%", local=True)
    assert one.local is None
    assert one.certificate.proved
    assert "Local recoding was stopped by Ctrl-C." in str(one).replace("\n", " ")
