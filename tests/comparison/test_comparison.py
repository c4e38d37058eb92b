"""Releases beside their original: what changed, what it cost, and which to prefer."""

import json

import pytest

import divulge as dv
from divulge.comparison.recommendation import Candidate, recommend
from divulge.errors import ParameterError
from divulge.report.comparison.markdown import markdown
from divulge.report.comparison.notebook import notebook
from divulge.report.comparison.page import page
from divulge.report.comparison.text import text
from divulge.table.hierarchy import Hierarchy

PEOPLE = {
    "who": ["a", "b", "c", "d", "e", "f", "g", "h"],
    "zip": ["11", "11", "12", "12", "21", "21", "22", "22"],
    "age": ["20", "25", "20", "25", "30", "35", "30", "35"],
    "pay": ["10", "20", "30", "40", "50", "60", "70", "80"],
    "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "flu"],
}
COARSE = PEOPLE | {
    "zip": ["1*", "1*", "1*", "1*", "2*", "2*", "2*", "2*"],
    "age": ["2*", "2*", "2*", "2*", "3*", "3*", "3*", "3*"],
}
ROLES = {"identifiers": "who", "quasi_identifiers": ["zip", "age"], "sensitive": "ill"}
POLICY = {
    "attributes": {
        "who": "identifier",
        "zip": "quasi-identifier",
        "age": "quasi-identifier",
        "ill": "sensitive",
    },
    "thresholds": {"k_anonymity": {"min": 4}},
    "allow": {"identifiers": ["who"]},
}


def original(**more):
    return dv.read(PEOPLE, **(ROLES | more))


def attacks(release):
    return {one["attack"]: one for one in release["attacks"]}


def test_the_readings_of_both_tables_stand_side_by_side():
    document = dv.compare(original(), COARSE).to_dict()
    (release,) = document["releases"]
    assert document["original"]["readings"]["k"] == 1
    assert release["readings"]["k"] == 4
    line = next(one for one in document["changes"] if one["measure"] == "k_anonymity")
    assert (line["original"], line["releases"], line["risk"]) == (1, [4], ["lower"])


def test_an_unchanged_table_is_the_same_and_has_lost_nothing():
    document = dv.compare(original(), PEOPLE).to_dict()
    (release,) = document["releases"]
    assert {word for line in document["changes"] for word in line["risk"]} == {"same"}
    assert all(one["share_of_entropy"] in (0.0, None) for one in release["loss"]["categorical"])
    assert release["score"]["utility"] == 1.0
    assert attacks(release)["identity_white_box"]["risk"] == pytest.approx(1.0)


def test_records_are_matched_by_their_identifier_whatever_their_order():
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    shuffled = {name: [column[i] for i in order] for name, column in COARSE.items()}
    one, other = (dv.compare(original(), table).to_dict()["releases"][0] for table in (COARSE, shuffled))
    assert one["alignment"]["how"] == "by who"
    assert attacks(one)["identity_white_box"]["risk"] == pytest.approx(
        attacks(other)["identity_white_box"]["risk"]
    )


def test_what_cannot_be_aligned_is_said_and_the_rest_is_measured():
    fewer = {name: column[:5] for name, column in COARSE.items() if name != "who"}
    (release,) = dv.compare(original(), fewer).to_dict()["releases"]
    assert release["alignment"]["aligned"] is None
    assert release["alignment"]["notes"]
    assert release["readings"]["k"] == 1
    assert attacks(release)["homogeneity"]["risk"] is not None


def test_columns_may_be_called_otherwise():
    named = {"plz": COARSE["zip"], "alter": COARSE["age"], "krank": COARSE["ill"]}
    found = dv.compare(original(), named, columns={"zip": "plz", "age": "alter", "ill": "krank"})
    (release,) = found.to_dict()["releases"]
    assert release["readings"]["k"] == 4
    assert list(release["readings"]["targets"]) == ["ill"]
    assert "krank" in json.dumps(release["attacks"])


def test_a_policy_may_say_what_attributes_are_called_in_releases():
    named = {"plz": COARSE["zip"], "alter": COARSE["age"], "ill": COARSE["ill"]}
    attributes = {
        "zip": {"role": "quasi-identifier", "released": ["postcode", "plz"]},
        "age": {"role": "quasi-identifier", "released": "alter"},
        "ill": "sensitive",
    }
    document = dv.compare(PEOPLE, named, policy={**POLICY, "attributes": attributes}).to_dict()
    columns = {one["original"]: one["released"] for one in document["releases"][0]["alignment"]["columns"]}
    assert columns == {"zip": "plz", "age": "alter", "ill": "ill"}


def test_tables_of_more_attributes_are_compared_when_asked_for():
    for order in (1, 3):
        (release,) = dv.compare(original(), PEOPLE, tables=order).to_dict()["releases"]
        assert max(one["order"] for one in release["loss"]["contingency"]) == order


def test_a_release_without_any_key_gives_an_attacker_nothing_to_know():
    (release,) = dv.compare(original(), {"ill": PEOPLE["ill"]}).to_dict()["releases"]
    assert "none of the quasi-identifiers is in the release" in release["lacking"]
    assert release["readings"] is None


def test_everything_suppressed_is_a_sentence_and_no_traceback():
    stars = PEOPLE | {"zip": ["*"] * 8, "age": ["*"] * 8}
    document = dv.compare(original(), stars).to_dict()
    assert "No record is left" in document["releases"][0]["lacking"]
    assert document["recommendation"]["release"] is None
    for form in (text, markdown, notebook, page):
        assert form(document)


@pytest.mark.parametrize(
    "release",
    [
        PEOPLE | {"zip": ["99"] * 8},
        PEOPLE | {"ill": ["flu"] * 8},
        {name: column[:1] for name, column in PEOPLE.items()},
        PEOPLE | {"age": [None] * 8},
        PEOPLE | {"age": [20, 25, 20, 25, 30, 35, 30, 35]},
        PEOPLE | {"ill": ["?"] * 8, "zip": ["x"] * 8},
    ],
    ids=[
        "constant key",
        "constant target",
        "one record",
        "a column lost",
        "numbers for texts",
        "unknown values",
    ],
)
def test_odd_releases_are_compared(release):
    document = dv.compare(original(), release).to_dict()
    json.dumps(document, allow_nan=False)
    for form in (text, markdown, notebook, page):
        assert form(document)


def test_to_leave_a_key_out_and_to_suppress_it_is_the_same_to_an_attacker():
    left_out = {name: column for name, column in COARSE.items() if name != "zip"}
    starred = COARSE | {"zip": ["*"] * 8}
    one, other = (
        attacks(dv.compare(original(), table).to_dict()["releases"][0]) for table in (left_out, starred)
    )
    for name in ("identity_white_box", "homogeneity", "background_knowledge"):
        assert one[name]["risk"] == pytest.approx(other[name]["risk"])


def test_releases_of_the_same_name_are_told_apart():
    found = dv.compare(original(), PEOPLE, COARSE)
    assert [release.name for release in found.releases] == [
        "a dictionary of columns",
        "a dictionary of columns (2)",
    ]


def test_checks_of_a_policy_decide_which_release_to_prefer():
    found = dv.compare(PEOPLE, PEOPLE, COARSE, policy=POLICY)
    document = found.to_dict()
    assert [release["checks"][1]["outcome"] for release in document["releases"]] == ["fail", "pass"]
    assert found.recommendation.release == found.releases[1].name


def test_a_threshold_on_attributes_that_a_release_lacks_is_not_asked_of_it():
    policy = POLICY | {"thresholds": {"k_anonymity": [{"min": 4}, {"min": 4, "keys": ["age"]}]}}
    without = {name: column for name, column in COARSE.items() if name != "age"}
    (release,) = dv.compare(PEOPLE, without, policy=policy).to_dict()["releases"]
    assert [check["measure"] for check in release["checks"]] == ["identifiers", "k_anonymity"]


def test_a_release_that_no_threshold_is_about_is_not_preferred_for_passing_none():
    policy = POLICY | {"thresholds": {"k_anonymity": {"min": 2, "keys": ["age"]}}}
    without = {name: column for name, column in COARSE.items() if name != "age"}
    found = dv.compare(PEOPLE, without, policy=policy)
    assert [check.measure_name for check in found.releases[0].checks] == ["identifiers"]
    assert found.recommendation.release is None
    assert found.recommendation.sentences == ["Nothing could be checked on any release."]


def test_needs_are_read_on_both_tables():
    needs = {"treatment": {"target": "ill", "keys": ["age"]}}
    (release,) = dv.compare(original(), COARSE, needs=needs).to_dict()["releases"]
    (need,) = release["needs"]
    before = dv.measure(PEOPLE, "discrimination_rate", keys="age", target="ill").value
    after = dv.measure(COARSE, "discrimination_rate", keys="age", target="ill").value
    assert (need["original"], need["utility"]) == (pytest.approx(before), pytest.approx(after))
    assert release["score"]["utility"] == pytest.approx(min(after / before, 1))


def test_a_need_may_be_written_in_the_words_of_the_release():
    starred = {"zip*": COARSE["zip"], "age*": COARSE["age"], "ill": COARSE["ill"]}
    needs = {"treatment": {"target": "ill", "keys": ["age*"]}}
    (release,) = dv.compare(original(), starred, needs=needs).to_dict()["releases"]
    assert release["needs"][0]["original"] == pytest.approx(
        dv.measure(PEOPLE, "discrimination_rate", keys="age", target="ill").value
    )


def test_a_need_whose_groups_do_not_cover_a_release_is_undefined_with_the_reason():
    needs = {"treatment": {"target": "ill", "keys": ["age"], "partitions": {"age": {"bins": [25]}}}}
    (release,) = dv.compare(original(), COARSE, needs=needs).to_dict()["releases"]
    (need,) = release["needs"]
    assert need["utility"] is None
    assert "age" in need["undefined"]


def test_values_that_never_recur_keep_nothing():
    noisy = PEOPLE | {"pay": ["11", "19", "71", "79", "32", "41", "63", "48"]}  # low and high are balanced
    (release,) = dv.compare(original(), noisy, by="who").to_dict()["releases"]
    lost = {one["attribute"]: one["share_of_entropy"] for one in release["loss"]["categorical"]}
    assert lost["pay"] == 0  # a number of one's own fits one original, which is no merit
    without = {name: column for name, column in noisy.items() if name != "pay"}
    assert release["score"] == dv.compare(original(), without).to_dict()["releases"][0]["score"]


def test_attributes_that_a_release_does_not_have_keep_nothing():
    few = {name: PEOPLE[name] for name in ("who", "zip", "ill")}
    (release,) = dv.compare(original(), few, by="who").to_dict()["releases"]
    assert release["score"]["utility"] == pytest.approx(2 / 4)  # of zip, age, pay and ill


def test_an_unrelated_table_keeps_little():
    other = {"age": ["20", "25", "30", "35"] * 2, "colour": ["red", "blue"] * 4}
    (release,) = dv.compare(original(), other).to_dict()["releases"]
    assert release["score"]["utility"] == pytest.approx(1 / 4)


@pytest.mark.parametrize("by", ["who", ()])
def test_records_that_a_release_does_not_have_keep_nothing(by):
    half = {name: [column[0], *column[4:7]] for name, column in PEOPLE.items()}
    one, other = (dv.compare(original(identifiers=by), table, by=by) for table in (PEOPLE, half))
    before, after = (found.to_dict()["releases"][0]["score"]["utility"] for found in (one, other))
    assert before == 1
    assert after <= 4 / 8


def test_records_that_were_added_make_up_for_none_that_are_gone():
    other = PEOPLE | {"who": ["a", "b", "c", "d", "s", "t", "u", "v"]}
    (release,) = dv.compare(original(), other, by="who").to_dict()["releases"]
    assert release["score"]["utility"] == pytest.approx(4 / 8)


def test_a_need_of_attributes_that_a_release_does_not_have_is_not_served():
    needs = {"one": {"target": "ill", "keys": ["zip"]}, "other": {"target": "ill", "keys": ["age"]}}
    without = {name: column for name, column in PEOPLE.items() if name != "age"}
    (release,) = dv.compare(original(), without, needs=needs).to_dict()["releases"]
    assert release["score"]["utility"] == pytest.approx(1 / 2)


def test_named_partitions_are_what_a_similarity_attack_goes_by():
    partitions = {"viral": {"ill": {"virus": ["flu"], "other": ["cold"]}}}
    (release,) = dv.compare(original(), COARSE, partitions=partitions).to_dict()["releases"]
    found = attacks(release)["similarity"]
    assert {one["target"] for one in found["readings"]} == {"ill (viral)"}


def test_a_population_and_an_outside_table_bring_their_attacks():
    (release,) = dv.compare(original(), COARSE, population=PEOPLE, outside=PEOPLE).to_dict()["releases"]
    assert {"journalist", "identity_grey_box"} <= set(attacks(release))


def test_an_attackers_table_is_matched_by_hierarchies_and_under_other_names():
    bands = Hierarchy.of([("20", "young"), ("25", "young"), ("30", "old"), ("35", "old")], attribute="age")
    grouped = {"years": ["young"] * 4 + ["old"] * 4, "ill": PEOPLE["ill"]}
    data = dv.read(PEOPLE, quasi_identifiers="age", sensitive="ill", hierarchies={"age": bands})
    found = dv.compare(data, grouped, columns={"age": "years"}, population=PEOPLE, outside=PEOPLE)
    by_name = attacks(found.to_dict()["releases"][0])
    # Everyone hides among four, whatever table the attacker holds.
    for name in ("journalist", "marketer", "identity_grey_box"):
        assert by_name[name]["undefined"] is None
        assert by_name[name]["risk"] == pytest.approx(0.25)


def test_the_document_is_the_same_every_time_and_names_no_value():
    marked = {
        name: [f"MARK{value}" for value in column] if name in ("who", "zip", "ill") else column
        for name, column in PEOPLE.items()
    }
    one, other = (dv.compare(dv.read(marked, **ROLES), marked).to_dict() for _ in range(2))
    assert json.dumps(one) == json.dumps(other)
    for output in (json.dumps(one), text(one), markdown(one), notebook(one), page(one)):
        assert "MARK" not in output
    shown = dv.compare(dv.read(marked, **ROLES), marked, show_values=True).to_dict()
    assert "MARK11" in json.dumps(shown)


def test_no_release_is_refused():
    with pytest.raises(ParameterError, match="No release"):
        dv.compare(original())


def test_an_identifier_that_is_not_one_aligns_nothing_and_is_said():
    (release,) = dv.compare(original(), COARSE, by="zip").to_dict()["releases"]
    assert release["alignment"]["aligned"] is None
    assert any("zip" in note for note in release["alignment"]["notes"])


def test_a_comparison_can_be_saved_in_every_form(tmp_path):
    found = dv.compare(original(), COARSE)
    for name in ("a.html", "a.json", "a.md"):
        found.save(tmp_path / name)
    assert json.loads((tmp_path / "a.json").read_text())["document"] == "divulge comparison"


# -- recommending --------------------------------------------------------------------------------


def test_of_those_admitted_the_one_that_keeps_most_is_preferred():
    found = recommend(
        [Candidate("a", 0.1, 0.5, 0, 2), Candidate("b", 0.2, 0.7, 0, 2), Candidate("c", 0.9, 1.0, 1, 2)]
    )
    assert found.release == "b"
    assert found.sentences[-1] == "Not recommended, as not all checks pass: c."


def test_of_none_the_nearest_is_named():
    found = recommend([Candidate("a", 0.1, 0.5, 2, 3), Candidate("b", 0.2, 0.7, 1, 3)])
    assert found.release is None
    assert "Closest: b, 1 of 3 checks fails." in found.sentences[0]


def test_of_as_many_unmet_the_one_that_concerns_the_fewest_people_is_nearest():
    treated = Candidate("treated", 0.05, 0.4, 2, 3, beyond=0.02)
    untouched = Candidate("untouched", 0.6, 1.0, 2, 3, beyond=0.9)
    assert "Closest: treated" in recommend([untouched, treated]).sentences[0]


def people_with_ids(count, known=None):
    """People in pairs; of a release, only the last ``known`` have the identifiers of the original."""
    unknown = 0 if known is None else count - known
    return {
        "pid": [place + 1000 * (place < unknown) for place in range(count)],
        "zip": [f"{place // 2:03d}" for place in range(count)],
        "ill": ["flu" if place % 3 else "cold" for place in range(count)],
    }


def test_people_are_counted_among_matched_records_only():
    original = dv.read(people_with_ids(40), quasi_identifiers="zip", sensitive="ill")
    found = dv.compare(original, people_with_ids(40, known=32), by="pid")
    (white, *_) = found.releases[0].outcomes
    assert white.of == 32
    assert found.document["notices"] == [] or found.document["notices"][0]["kind"] != "by"


def test_with_few_matched_records_people_affected_are_not_measured():
    original = dv.read(people_with_ids(40), quasi_identifiers="zip", sensitive="ill")
    found = dv.compare(original, people_with_ids(40, known=3), by="pid")
    (white, *_) = found.document["releases"][0]["attacks"]
    reason = "by pid, fewer than 5 of 40 released records could be matched"
    assert (white["people"], white["of"], white["people_undefined"]) == (None, None, reason)
    said = [one["text"] for one in found.document["notices"]]
    assert any(text.startswith("By pid, fewer than 5 of 40 released records") for text in said)
    assert " 3 records" not in str(found)


def test_an_identifier_that_the_policy_declares_fails_in_a_release_unless_it_only_matches_records():
    table = {"code": [f"K{i:04}" for i in range(120)], "age": [1, 2] * 60, "ill": list("aabbcc") * 20}
    policy = {
        "attributes": {"code": "identifier", "age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": {"k_anonymity": {"min": 5}},
    }
    outcomes = []
    for by in ((), ("code",)):
        (release,) = dv.compare(table, {"same": table}, policy=policy, by=by).to_dict()["releases"]
        outcomes += [one["outcome"] for one in release["checks"] if one["measure"] == "identifiers"]
    assert outcomes == ["fail", "warn"]
