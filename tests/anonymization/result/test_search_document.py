"""What a search found as a document, and everything that it can be saved as."""

import json

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.anonymization.result.document import unsaid
from divulge.errors import ParameterError
from report.anonymization_document import POLICY, TABLE, document, found
from schemas import fits


def test_every_check_is_read_before_and_after():
    checks = {one["measure"]: one for one in document()["checks"]}
    assert checks.keys() == {"identifiers", "k_anonymity", "distinct_l_diversity"}
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
    assert {unsaid(24 / left, left) for left in range(230, 240)} == {0.1}


def test_few_suppressed_records_do_not_follow_from_anything_in_the_document():
    said, few = json.dumps(document()), found().best.suppressed
    assert 0 < few < 5
    assert f'"suppressed": {few}' not in said
    assert str(240 - few) not in said


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
