"""The manifest: whole for those who keep the data, and without what could undo the release for all others."""

import json
from dataclasses import replace

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.cli.commands.making.manifest_page import manifest_page
from divulge.mechanisms.mechanism import Promise
from divulge.mechanisms.parameters import Parameter
from divulge.recipes.changes import StepChange

STEPS = {
    "seed": 202611160011,
    "step": [
        {"mechanism": "remove", "attributes": ["name"]},
        {"mechanism": "rounding", "attributes": ["age"], "base": 10},
    ],
}
PEOPLE = {
    "name": [f"p{n}" for n in range(40)],
    "age": [20 + n for n in range(40)],
    "ill": ["flu", "cold"] * 20,
}


@pytest.fixture
def manifest():
    return dv.transform(PEOPLE, STEPS).manifest


def test_the_whole_manifest_says_what_was_done(manifest):
    found = manifest.to_dict()
    assert found["document"] == "divulge manifest"
    assert (found["seed"], found["rows"], found["shared"]) == (202611160011, "shuffled", False)
    assert found["input"] == {"digest": None, "records": 40}
    assert [step["removed"] for step in found["steps"]] == [["name"], []]
    # 36 of 40 ages are no multiple of ten.
    assert found["steps"][1]["cells_changed"] == {"age": ">35"}
    with exact_counts():
        assert manifest.to_dict()["steps"][1]["cells_changed"] == {"age": 36}


def test_the_shared_copy_has_no_seed_no_input_and_no_counts(manifest):
    kept = replace(
        manifest, promises=(Promise("k", 5, "age"),), input_digest="sha256:in", output_digest="sha256:out"
    )
    found = kept.to_dict(share=True)
    assert (found["seed"], found["input"], found["recipe"]["digest"]) == (None, None, None)
    assert [(step["left_out"], step["cells_changed"]) for step in found["steps"]] == [(None, None)] * 2
    assert found["promises"] == [{"name": "k", "value": 5, "about": "age"}]
    assert found["output"] == {"digest": "sha256:out", "records": 40}
    text = json.dumps(found)
    assert "sha256:in" not in text
    assert "11" not in text.replace(found["versions"]["python"], "")


def test_a_secret_parameter_stays_out_of_the_shared_copy(manifest):
    [first, step] = manifest.recipe.steps
    base = Parameter("base", "number", "Numbers become multiples of it.", secret=True)
    secret = replace(step, mechanism=replace(step.mechanism, parameters=(base,)))
    kept = replace(manifest, recipe=replace(manifest.recipe, steps=(first, secret)))
    assert kept.to_dict()["steps"][1]["parameters"] == {"base": 10}
    shared = kept.to_dict(share=True)["steps"][1]
    assert (shared["parameters"], shared["withheld"]) == ({}, ["base"])


def test_few_records_that_left_are_not_counted(manifest):
    changes = (StepChange(40, 30, {}), StepChange(30, 27, {"age": 3}))
    kept = replace(manifest, changes=changes, records_out=27)
    # 13 left in all: with 10 said, the other step's would be what is left.
    assert [step["left_out"] for step in kept.to_dict()["steps"]] == ["~10", "<5"]
    page = manifest_page(kept, "released.csv")
    assert "27 of 40 records" in page
    assert "about 10 records left out" in page
    assert "fewer than 5 records left out; fewer than 5 of 27 values of age changed" in page
    assert "removed name" not in page


def test_how_many_values_changed_does_not_say_how_few_records_left(manifest):
    changes = (StepChange(300, 297, {}), StepChange(297, 297, {"age": 270, "ill": 296}))
    kept = replace(manifest, changes=changes, records_in=300, records_out=297)
    page = manifest_page(kept, "released.csv")
    assert "fewer than 5 records left out" in page
    assert "more than 285 of more than 295 values of ill changed; 270 of more than 295 values of age" in page
    assert kept.to_dict()["steps"][1]["cells_changed"] == {"age": 270, "ill": ">285"}
    assert "297" not in page + json.dumps(kept.to_dict())
    assert "%" not in page  # 270 and 90.9% give 297
    # 13 left in all, of which 10 are rounded: neither is the number between them said.
    changes = (StepChange(300, 290, {"age": 200}), StepChange(290, 287, {"age": 100}))
    kept = replace(manifest, changes=changes, records_in=300, records_out=287)
    page = manifest_page(kept, "released.csv")
    assert "about 10 records left out; 200 of about 290 values of age changed." in page
    assert "100 of 287 values of age changed (34.8%)" in page
    with exact_counts():
        assert "200 of 290 values of age changed (69%)" in manifest_page(kept, "released.csv")


def test_the_page_says_what_changed_and_what_is_promised(manifest):
    page = manifest_page(
        replace(manifest, promises=(Promise("epsilon", 1.0),), notes=("A word.",)), "out.csv"
    )
    assert page.splitlines() == [
        "Wrote out.csv: 40 of 40 records, shuffled.",
        "",
        "1. Attribute removal: removed name. This step gives no guarantee.",
        "2. Rounding: more than 35 of 40 values of age changed (>87.5%). This step gives no guarantee.",
        "",
        "No step changed: ill.",
        "Guaranteed: epsilon = 1.",
        "Note: A word.",
    ]
