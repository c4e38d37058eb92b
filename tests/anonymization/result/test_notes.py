"""What a release holds beside its groups is said: columns, incomplete and suppressed records, nothing."""

import pytest

import divulge as dv
from divulge.anonymization.result.document import search_document
from divulge.errors import ParameterError
from divulge.report.anonymization.markdown import markdown
from divulge.report.anonymization.page import page
from divulge.report.anonymization.text import text
from divulge.table.hierarchy import Hierarchy

AGES = [str(20 + place % 4) for place in range(80)]
ILL = ["flu", "cold"] * 40
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
DIVERSE = {"k_anonymity": {"min": 5}, "distinct_l_diversity": {"min": 2}}


def table(**columns):
    return {"age": AGES, "ill": ["flu", "flu", "cold", "cold"] * 20, **columns}


def suppressing(ill, thresholds=None, **more):
    """Twenty people of each of four ages with both illnesses, and six of another age."""
    columns = {"age": AGES + ["50"] * len(ill), "ill": [one for one in ILL[:40] for _ in range(2)] + ill}
    return dv.anonymize(columns, thresholds=thresholds or DIVERSE, suppress="10%", **ROLES, **more)


def test_suppressed_records_that_all_have_hiv_are_left_out():
    found = suppressing(["hiv"] * 6)
    assert found.best.suppressed == 6
    assert found.application.table.records == 80
    assert found.left_out
    assert "The suppressed records are left out of the release: as a group" in text(found.to_dict())
    assert {check.outcome for check in found.checks} <= {"pass", "warn"}
    assert not [one for one in found.checks if getattr(one, "measure_name", "") == "suppressed"]


def test_suppressed_records_that_are_like_other_groups_stay():
    found = suppressing(["hiv", "flu"] * 2, {"k_anonymity": {"min": 4}, "alpha_k_anonymity": {"max": 0.5}})
    assert found.application.table.records == 84
    assert not found.left_out


def test_suppressed_records_that_cannot_be_left_out_warn():
    # Of 29 records 20 have a, 0.69. Those of 50 have 0.5, those of 40 none: they are beyond 0.3. Without them
    # 20 of 24 have a, 0.83, and those of 50 would be 0.33 away.
    columns = {
        "age": ["20"] * 10 + ["30"] * 10 + ["40"] * 5 + ["50"] * 4,
        "ill": (["a"] * 9 + ["b"]) * 2 + ["b"] * 5 + ["a"] * 2 + ["b"] * 2,
    }
    found = dv.anonymize(columns, thresholds={"t_closeness": {"max": 0.3}}, suppress="20%", **ROLES)
    [row] = [one for one in search_document(found)["checks"] if one["measure"] == "suppressed"]
    assert (found.best.suppressed, found.application.table.records) == (5, 29)
    assert (row["before"]["outcome"], row["after"]["outcome"]) == ("pass", "warn")
    assert "WARN  Suppressed records as a group" in text(found.to_dict())
    assert "5 records show nothing of age. As a group they do not meet" in found.to_dict()["notes"][0]
    assert "(--leave-out)" in found.to_dict()["notes"][0]


@pytest.mark.parametrize("local", [True, "mondrian"])
def test_local_recoding_leaves_them_out_as_well(local):
    found = suppressing(["hiv"] * 6, local=local)
    checks = {one.measure_name: one.outcome for one in found.checks if hasattr(one, "measure_name")}
    assert checks.get("suppressed", "pass") == "pass"


def test_a_column_without_a_role_is_named():
    found = dv.anonymize(table(note=["x", "y"] * 40), k=5, **ROLES)
    said = "note has no role and is released unchanged."
    document = found.to_dict()
    assert all(said in form(document) for form in (text, markdown, page))


@pytest.mark.parametrize(("k", "told"), [(25, True), (5, False)])
def test_a_column_that_tells_what_was_changed_is_named(k, told):
    born = [str(2026 - int(age)) for age in AGES]
    notes = dv.anonymize(table(born=born, note=["x", "y"] * 40), k=k, **ROLES).to_dict()["notes"]
    said = "born has no role, is released unchanged and determines age, which the release changes."
    assert any(one.startswith(said) for one in notes) == told
    assert not any("note has no role, is" in one for one in notes)


@pytest.mark.parametrize("leave_out", [False, True])
def test_a_column_that_tells_a_value_that_is_only_suppressed_says_so(leave_out):
    """The one record of zip 9 is suppressed, and no level changes zip: it still has its house."""
    zips = ["1"] * 40 + ["2"] * 39 + ["9"]
    columns = {"zip": zips, "house": [f"h{one}" for one in zips]}
    found = dv.anonymize(columns, k=5, suppress="5%", leave_out=leave_out, quasi_identifiers=["zip"])
    assert found.best.levels == {"zip": 0}
    said = "house has no role, is released unchanged and determines zip of the suppressed records."
    assert any(one.startswith(said) for one in found.to_dict()["notes"]) != leave_out


def test_other_columns_that_look_like_names_are_warned_of_beside_identifiers():
    columns = table(who=[f"p{place}" for place in range(80)], number=[str(7 * one) for one in range(80)])
    found = dv.anonymize(columns, k=5, identifiers=["who"], **ROLES)
    [row] = [one for one in found.to_dict()["checks"] if one["measure"] == "identifiers"]
    assert row["after"]["outcome"] == "warn"
    assert "'number'" in row["after"]["found_text"]


def test_incomplete_records_that_are_dropped_from_counts_are_named():
    gaps = [None] * 7 + AGES[7:]
    found = dv.anonymize({**table(), "age": gaps}, k=5, missing="drop", **ROLES)
    assert "7 records (8.8%) have a missing quasi-identifier." in found.to_dict()["notes"][0]


def test_a_release_that_holds_nothing_says_so():
    found = dv.anonymize({"age": [str(one) for one in range(20, 40)]}, k=20, quasi_identifiers=["age"])
    assert found.loss == 1
    assert "The release holds nothing of the quasi-identifiers" in text(found.to_dict())
    assert "Nothing of the quasi-identifiers is left" in page(found.to_dict())


def test_an_e_mail_column_is_refused_without_advice_to_suppress():
    mails = [f"p{place}@example.org" for place in range(80)]
    with pytest.raises(ParameterError, match="email would be released, and names people") as refused:
        dv.anonymize(table(email=mails), k=5, **ROLES)
    assert "identifier" in refused.value.hint
    assert "suppress" not in refused.value.hint


def test_people_with_several_records_are_counted_before_and_after():
    # Ten people of two records each in each of two groups: people 10, records 20.
    columns = {"who": [str(one // 2) for one in range(40)], "age": ["20"] * 20 + ["30"] * 20}
    found = dv.anonymize(columns, k=5, identifiers=["who"], quasi_identifiers=["age"])
    [row] = [one for one in found.to_dict()["checks"] if one["measure"] == "k_anonymity"]
    assert (row["before"]["found"], row["after"]["found"]) == (10, 10)


def test_a_limit_that_no_threshold_uses_is_said():
    found = dv.anonymize(table(), thresholds={"discrimination_rate": {"max": 0.99}}, suppress="5%", **ROLES)
    assert "No record can be suppressed" in " ".join(found.to_dict()["notes"])


def test_ranges_that_end_at_single_values_are_said():
    columns = {"age": [str(20 + place) for place in range(40)], "ill": ILL[:40]}
    found = dv.anonymize(columns, k=5, local="mondrian", **ROLES)
    assert "Ranges of numbers begin and end at values that occur" in " ".join(found.to_dict()["notes"])


def test_a_group_of_which_nothing_is_left_is_no_suppressed_record():
    columns = {
        "age": ["20"] * 10 + ["30"] * 10 + [str(one) for one in range(60, 66)],
        "city": ["a"] * 10 + ["b"] * 10 + list("cdefgh"),
    }
    trees = {
        name: Hierarchy.of([(one, "*") for one in dict.fromkeys(values)], attribute=name)
        for name, values in columns.items()
    }
    found = dv.anonymize(columns, k=5, local=True, hierarchies=trees, quasi_identifiers=["age", "city"])
    assert found.suppressed_records == 0
    released = found.application.table
    rows = list(zip(*(released.column(name).values_of() for name in ("age", "city")), strict=True))
    assert ("(any)", "*") in rows
    assert ("*", "*") not in rows


@pytest.mark.parametrize("loss", [{"loss": "classification", "predict": "ill"}, {"loss": "discernibility"}])
def test_local_recoding_refuses_losses_that_do_not_add_up(loss):
    with pytest.raises(ParameterError, match="does not add up over records"):
        dv.anonymize(table(), k=5, local=True, **loss, **ROLES)
