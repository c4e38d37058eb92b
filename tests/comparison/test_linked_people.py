"""Record linkage in a comparison: bounds of a policy, figures of few people, tables of other people."""

import numpy as np
import pytest

from divulge import align, read
from divulge._support.wording import percent
from divulge.assessment import audit
from divulge.attacks import linked_distance
from divulge.comparison import compare
from divulge.comparison.linked_people import linked_checks
from divulge.policy import Linking, Policy
from divulge.policy.linking import LINKED
from divulge.report.comparison.page import page
from divulge.report.comparison.text import text
from in_process import run
from planted import leaks
from schemas import fits

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "zone": "quasi-identifier", "ill": "sensitive"}


def table(records, seed, start=0):
    rng = np.random.default_rng(seed)
    return {
        "id": list(range(start, start + records)),
        "age": rng.integers(20, 40, records).tolist(),
        "sex": rng.choice(list("fm"), records).tolist(),
        "zone": rng.choice(list("abc"), records).tolist(),
        "ill": rng.choice(["flu", "cold", "cough"], records).tolist(),
    }


def policy(**bounds):
    return {"attributes": ROLES, "thresholds": bounds}


def released(original, changed, by="id", **bounds):
    """One release of a comparison, as its document has it."""
    found = compare(
        original, {"release": changed}, by=by, policy=policy(**(bounds or {"k_anonymity": {"min": 2}}))
    )
    fits(found.document)
    [release] = found.document["releases"]
    return release


def by_name(entries, name):
    return {one[name]: one for one in entries}


@pytest.fixture(scope="module")
def original():
    return table(600, 1)


@pytest.fixture(scope="module")
def noisy(original):
    rng = np.random.default_rng(2)
    ages = [age + int(step) for age, step in zip(original["age"], rng.integers(-4, 5, 600), strict=True)]
    return {**original, "age": ages}


# -- among the other attacks ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def document(original, noisy):
    return compare(original, {"release": noisy}, by="id", policy=policy(k_anonymity={"min": 2})).document


def test_the_three_attacks_stand_among_the_others_with_chance_and_people(document):
    fits(document)
    attacks = by_name(document["releases"][0]["attacks"], "attack")
    assert [*attacks][-3:] == [*LINKED]
    for name in LINKED:
        one = attacks[name]
        assert one["of"] == 600
        assert one["risk"] > one["details"]["chance"] > 0
        assert one["people"] == round(600 * one["risk"])
        assert percent(one["risk"]) in one["sentence"]
        assert "at random it would be" in one["sentence"]
    [told] = attacks["linked_distance"]["details"]["linked_values"]
    assert told["target"] == "ill"
    assert told["undefined"] is None


def test_beside_a_risk_that_chance_explains_is_what_a_link_at_random_gives(document):
    attacks = by_name(document["releases"][0]["attacks"], "attack")
    chance = attacks["linked_interval"]["details"]["chance"]
    lines = text(document).splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("  Interval disclosure  ")]
    assert lines[at + 1].split() == ["of", "a", "link", "at", "random", f"{chance:.3f}"]
    assert sum("of a link at random" in line for line in lines) == 1  # others are next to nothing
    assert f"{chance:.3f}" in page(document)


def test_regulators_read_them_under_linkability(document):
    [asked] = document["regulators"]
    [linkability] = [one for one in asked["risks"] if one["risk"] == "linkability"]
    said = {one["what"] for one in linkability["readings"]}
    assert {"Record linkage by distance", "Interval disclosure", "Probabilistic record linkage"} <= said


def test_a_reason_that_several_attacks_share_is_said_once(original):
    fewer = {name: column[:500] for name, column in original.items() if name != "id"}
    found = compare(original, {"release": fewer}, policy=policy(k_anonymity={"min": 2}))
    [asked] = found.document["regulators"]
    [linkability] = [one for one in asked["risks"] if one["risk"] == "linkability"]
    [said] = [one for one in linkability["not_measured"] if "Interval disclosure" in one]
    assert said.startswith(
        "Record linkage by distance, Interval disclosure and Probabilistic record linkage: which"
    )


def test_few_people_who_are_linked_are_a_bound(original):
    """Three people keep their values, the others get those of someone else who differs on everything."""
    rows = 300
    first = {name: column[:rows] for name, column in original.items()}
    first |= {"age": list(range(rows)), "zone": ["a"] * rows, "sex": ["f"] * rows}
    moved = [*first["age"][:3], *first["age"][4:], first["age"][3]]
    changed = {**first, "age": moved}
    release = released(first, changed, linked_distance={"max": 0})
    one = by_name(release["attacks"], "attack")["linked_distance"]
    assert one["people"] == "<5"
    assert one["details"]["risk_is"] == "below"
    assert one["risk"] == pytest.approx(5 / rows, abs=1e-3)
    assert "<1.7% of 300 people" in one["sentence"]
    check = by_name(release["checks"], "measure")["linked_distance"]
    assert (check["outcome"], check["found_text"]) == ("fail", "<1.7% of people")
    assert not list(leaks(check))


# -- bounds of a policy --------------------------------------------------------------------------


def test_bounds_are_held_against_the_attacks(original, noisy):
    release = released(
        original,
        noisy,
        linked_distance=[{"max": 0.9}, {"max": 0.001, "severity": "warn"}],
        linked_interval={"max": 0.01},
        linked_probability={"max": 0.9},
    )
    checks, attacks = by_name(release["checks"], "measure"), by_name(release["attacks"], "attack")
    assert {name: checks[name]["outcome"] for name in LINKED} == {
        "linked_distance": "warn",
        "linked_interval": "fail",
        "linked_probability": "pass",
    }
    for name in LINKED:
        assert checks[name]["found"] == pytest.approx(attacks[name]["risk"])
        assert checks[name]["sentence"] == attacks[name]["sentence"]
    assert (
        checks["linked_distance"]["asked"] == "fails: at most 90% of people / warns: at most 0.1% of people"
    )


def test_a_bound_is_not_evaluated_where_the_attack_is_not(original):
    strangers = {**original, "id": [place + 10_000 for place in original["id"]]}
    checks = by_name(released(original, strangers, linked_distance={"max": 0.9})["checks"], "measure")
    assert checks["linked_distance"]["outcome"] == "not evaluated"
    assert checks["linked_distance"]["undefined"] == "by id, no released record is one of the original"


def test_a_bound_within_what_a_draw_leaves_open_is_not_evaluated():
    """500 of 2,000 are drawn: 2% are linked, and at most 3.4% with 95% confidence."""
    alike = {"id": list(range(2000)), "zone": [f"zone {place % 40}" for place in range(2000)]}
    found = linked_distance(align(read(alike, quasi_identifiers="zone"), read(alike), by="id"), distances=1)
    answers = [
        linked_checks([Linking("linked_distance", most)], [found], ["zone"])[0] for most in (0.01, 0.025, 0.1)
    ]
    assert [one.outcome for one in answers] == ["fail", "not evaluated", "pass"]
    assert "at most 3.4% of all are, which may be more than is allowed" in answers[1].undefined


def test_an_audit_cannot_evaluate_them_and_never_passes():
    found = audit(table(60, 1), policy=policy(linked_distance={"max": 0.9}, linked_interval={"max": 0.9}))
    checks = by_name(found.document["checks"], "measure")
    for name in ("linked_distance", "linked_interval"):
        assert checks[name]["outcome"] == "not evaluated"
        assert "divulge compare" in checks[name]["fix"]
    assert "linked_probability" not in checks
    assert found.document["verdict"]["outcome"] != "pass"


def test_a_check_of_a_policy_with_such_a_bound_ends_with_3(tmp_path, monkeypatch, capsys):
    original = table(60, 1)
    lines = [",".join(map(str, row)) for row in zip(*original.values(), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join([",".join(original), *lines]) + "\n")
    roles = "\n".join(f'{name} = "{role}"' for name, role in ROLES.items())
    bound = '[thresholds]\nlinked_probability = { max = 0.9 }\n[allow]\nidentifiers = ["id"]\n'
    (tmp_path / "policy.toml").write_text(f"[attributes]\n{roles}\n{bound}")
    code, out, _ = run(
        monkeypatch, capsys, "check", tmp_path / "data.csv", "--policy", tmp_path / "policy.toml"
    )
    assert code == 3
    assert "it takes the original beside the release" in " ".join(out.split())


def test_a_policy_shows_its_bounds_on_linkage():
    assert "People linked by distance" in Policy.of(policy(linked_distance={"max": 0.05}))._repr_html_()


# -- tables of other people ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "by", "why"),
    [
        (table(600, 9), (), "have values that too few original records have"),
        (table(600, 9, start=10_000), "id", "have values that too few original records have"),
        (table(600, 9, start=590), "id", "do not fit their own original"),
    ],
)
def test_nobody_in_an_unrelated_table_is_truly_linked(original, other, by, why):
    """Its values are those of the same attributes, so that nearly each combination is somebody's."""
    one, two = (
        {name: part for name, part in held.items() if by or name != "id"} for held in (original, other)
    )
    release = released(one, two, by=by)
    assert release["score"]["risk"] is release["readings"]["average_risk"] is None
    assert why in release["score"]["risk_undefined"]


def test_nobody_is_truly_linked_where_keys_and_sensitive_values_are_of_different_people(original):
    keys = {name: column[:500] for name, column in original.items() if name in ("age", "sex", "zone")}
    release = released(original, {**keys, "ill": table(500, 9)["ill"]}, by=())
    assert release["score"]["risk"] is None
    assert "fit no original record once ill is compared too" in release["score"]["risk_undefined"]


def test_a_sample_of_the_original_keeps_its_figure(original):
    """By hand: every record of it has its original, so nothing says that it is about others."""
    some = {name: column[::2] for name, column in original.items() if name != "id"}
    release = released({name: part for name, part in original.items() if name != "id"}, some, by=())
    kinds = len(set(zip(some["age"], some["sex"], some["zone"], strict=True)))
    assert release["readings"]["average_risk"] == pytest.approx(kinds / 300)
