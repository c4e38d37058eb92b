"""Policies for queries: what is wrong is refused with its file, line and key, and what to write instead."""

import pytest

from divulge.errors import PolicyError
from divulge.queries.policy import QueryPolicy

TEXT = """\
[table]
source = "clinic.duckdb"
name = "patients"
record = "id"

[columns.age]
known = true

[columns.salary]
bounds = [0, 200_000]

[controls]
set_size = 5
differencing = { margin = 0.05 }

[answers]
kind = "exact"
"""


def test_a_policy_is_read_from_a_file(tmp_path):
    (tmp_path / "queries.toml").write_text(TEXT)
    policy = QueryPolicy.read(tmp_path / "queries.toml")
    assert (policy.table.name, policy.summed, policy.conditions) == ("patients", ("salary",), ("age",))
    assert policy.document()["controls"]["differencing"] == {"margin": "0.05", "decided_from": "memberships"}
    assert "clinic" not in str(policy.document())


PRIVATE = 'kind = "differential privacy"\nepsilon = 0.1\nbudget = 1'


@pytest.mark.parametrize(
    ("before", "after", "line", "key", "said"),
    [
        ("[answers]", "[anwers]", 16, "anwers", "Did you mean 'answers'"),
        ('record = "id"', "", 1, "table", "no record"),
        ('record = "id"', 'record = "age"', 6, "columns.age", "whose record it is"),
        ('record = "id"', 'record = "id"\nperson = "id"', 5, "table.person", "column of record"),
        ("known = true", "knwon = true", 7, "columns.age.knwon", "Did you mean 'known'"),
        ("known = true", "known = 1", 7, "columns.age.known", "true or false"),
        ("known = true", "", 6, "columns.age", "nothing may be asked"),
        ("[0, 200_000]", "[200_000, 0]", 10, "columns.salary.bounds", "below the second"),
        ("[0, 200_000]", "[0, inf]", 10, "columns.salary.bounds", "out of range"),
        ("[0, 200_000]", "7", 10, "columns.salary.bounds", "two numbers"),
        ("[0, 200_000]", "[0, 9]\nknown = true", 10, "columns.salary.bounds", "needs no answers"),
        (
            "[0, 200_000]",
            "[0, 9]\nconditions = true",
            11,
            "columns.salary.conditions",
            "under differential privacy only",
        ),
        ("[0, 200_000]", "[0, 9]\ngrain = 1", 11, "columns.salary.grain", "differential privacy"),
        ("set_size = 5", "set_size = 0", 13, "controls.set_size", "at least 1"),
        ("set_size = 5", "overlap = -1", 13, "controls.overlap", "at least 0"),
        ("margin = 0.05", "margin = 2", 14, "controls.differencing.margin", "share"),
        ("margin = 0.05", 'decided_from = "answers"', 14, "controls.differencing", "Add margin"),
        ("margin = 0.05", 'decided_from = "answer"', 14, "controls.differencing.decided_from", "'answers'"),
        ('"exact"', '"exakt"', 17, "answers.kind", "Did you mean 'exact'"),
        ('"exact"', '"camouflage"', 9, "columns.salary", "no camouflage"),
        ('"exact"', '"cell key"', 14, "controls.differencing", "audit is of exact answers"),
        ('"exact"', '"exact"\nepsilon = 1', 18, "answers.epsilon", "not for answers"),
        ('kind = "exact"', PRIVATE, 12, "controls", "outside of what differential privacy"),
        ('kind = "exact"', PRIVATE.replace("budget = 1", "budget = 0"), 19, "answers.budget", "out of range"),
        ('kind = "exact"', PRIVATE.replace("budget = 1", "budget = 0.01"), 19, "answers.budget", "below the"),
        ('kind = "exact"', PRIVATE.replace("budget = 1", ""), 16, "answers", "no budget"),
        ('kind = "exact"', PRIVATE.replace("0.1", "5e-324"), 18, "answers.epsilon", "noise alone"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, before, after, line, key, said):
    path = tmp_path / "queries.toml"
    path.write_text(TEXT.replace(before, after, 1))
    with pytest.raises(PolicyError) as refused:
        QueryPolicy.read(path)
    assert (refused.value.line, refused.value.key) == (line, key)
    assert said in str(refused.value)


def test_a_person_under_differential_privacy_has_a_number_of_records(tmp_path):
    text = TEXT.replace('kind = "exact"', PRIVATE).replace(
        "set_size = 5\ndifferencing = { margin = 0.05 }\n", ""
    )
    text = text.replace('record = "id"', 'record = "id"\nperson = "who"')
    path = tmp_path / "queries.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match="records_per_person"):
        QueryPolicy.read(path)
    path.write_text(text.replace('"who"', '"who"\nrecords_per_person = 3'))
    assert QueryPolicy.read(path).table.records_per_person == 3


CLINIC = {"table": {"name": "patients", "record": "id"}}
ILLNESS = {"illness": {"conditions": True}, "age": {"known": True}}


@pytest.mark.parametrize("kind", ["exact", "camouflage", "cell key"])
@pytest.mark.parametrize("controls", [{}, {"set_size": 5}])
def test_conditions_on_confidential_columns_need_differential_privacy(kind, controls):
    given = {**CLINIC, "columns": ILLNESS, "answers": {"kind": kind}, "controls": controls}
    with pytest.raises(PolicyError, match="differential privacy only") as refused:
        QueryPolicy.of(given)
    assert refused.value.key == "columns.illness.conditions"
    private = {"kind": "differential privacy", "epsilon": 0.1, "budget": 1}
    assert QueryPolicy.of({**CLINIC, "columns": ILLNESS, "answers": private}).conditions == ("illness", "age")


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"largest": 1, "variance": 5}, "variance"),
        ({"largest": 1}, "largest"),
        ({"largest": 3, "variance": 8.2}, "variance"),
    ],
)
def test_a_variance_that_changes_cannot_have_is_refused(asked, key):
    with pytest.raises(PolicyError, match=r"have a variance of at most") as refused:
        QueryPolicy.of(
            {**CLINIC, "columns": {"age": {"known": True}}, "answers": {"kind": "cell key", **asked}}
        )
    assert refused.value.key == f"answers.{key}"


@pytest.mark.parametrize(
    ("controls", "answers", "warns"),
    [
        ({}, {}, True),
        ({"set_size": 5}, {}, True),
        ({"set_size": 5, "overlap": 2}, {}, True),
        ({"differencing": True}, {}, False),
        ({}, {"kind": "cell key"}, False),
        ({}, {"kind": "differential privacy", "epsilon": 1, "budget": 1}, False),
    ],
)
def test_exact_answers_without_an_audit_are_warned_of(controls, answers, warns):
    table = {"name": "people", "record": "id"}
    given = {"table": table, "controls": controls, "answers": answers}
    policy = QueryPolicy.of({**given, "columns": {"pay": {"bounds": [0, 1000]}}})
    assert (policy.warning is not None) == warns
    assert QueryPolicy.of({**given, "columns": {"age": {"known": True}}}).warning is None  # nothing to hide
