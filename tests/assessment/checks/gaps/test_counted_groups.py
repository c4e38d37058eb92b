"""Groups of a policy that are coarser than the file: what passes for them says little of the file."""

import pytest

import divulge as dv
from divulge.assessment import audit

AGES = [20 + n % 40 for n in range(400)]  # 40 values, ten people each
SEX = ["f", "m"] * 200
ILLS = [("flu", "cold", "gout")[n // 40 % 3] for n in range(400)]
TABLE = {"age": AGES, "sex": SEX, "ill": ILLS}
BINS = {"role": "quasi-identifier", "bins": [40]}
AGE = "age is counted in 2 groups and the file has 40 values"
SAID = f"{AGE}: what passes holds for a file with these groups only."


def policy(age=BINS, sex="quasi-identifier", ill="sensitive", **more):
    thresholds = {"singled_out": {"max": 0, "k": 5}} | more
    return {"attributes": {"age": age, "sex": sex, "ill": ill}, "thresholds": thresholds}


def measured(asked, **columns):
    found = audit(TABLE | columns, asked, search=False)
    assert found.checks[-1].measure_name == "measured"
    return found.checks[-1]


def test_wider_groups_than_the_file_has_are_no_plain_pass():
    found = audit(TABLE, policy(), search=False)
    assert found.verdict.outcome == "warn"
    assert found.checks[-1].sentence.startswith(SAID)
    [singled] = [one for one in found.checks if one.measure_name == "singled_out"]
    assert singled.sentence == "Everyone has the same age (in 2 groups) and sex as at least four others."


@pytest.mark.parametrize(
    "age",
    [
        {"role": "quasi-identifier", "partition": {"low": list(range(20, 40)), "high": list(range(40, 60))}},
        {"role": "quasi-identifier", "bins": list(range(21, 59))},  # one group holds 58 and 59
    ],
)
def test_one_group_with_two_values_of_the_file_is_enough(age):
    assert measured(policy(age)).outcome == "warn"


def test_groups_of_a_level_of_a_hierarchy_are_groups(tmp_path):
    (tmp_path / "age.csv").write_text("".join(f"{n};{n // 10 * 10}s;*\n" for n in range(20, 60)))
    one = {"role": "quasi-identifier", "hierarchy": str(tmp_path / "age.csv")}
    found = measured(policy(one | {"level": 1}))
    assert "age is counted in 4 groups and the file has 40 values" in found.sentence
    assert measured(policy(one)).outcome == "pass"


@pytest.mark.parametrize(
    ("age", "ages"),
    [
        (BINS, [25, 45] * 200),
        (BINS, [25, None] * 200),  # a missing value is in no group
        (
            {"role": "quasi-identifier", "partition": {"low": ["< 40"], "high": [">= 40"]}},
            ["< 40", ">= 40"] * 200,
        ),
        ("quasi-identifier", AGES),
        ("other", AGES),
    ],
)
def test_a_file_that_has_the_groups_already_is_what_was_measured(age, ages):
    assert "counted in" not in measured(policy(age), age=ages).sentence


def test_a_missing_value_in_a_group_of_others_is_one_more_value():
    groups = {"role": "quasi-identifier", "partition": {"young": ["20"], "unknown": ["", "99"]}}
    found = measured(policy(groups), age=["20", None, "99", "20"] * 100)
    assert "age is counted in 2 groups and the file has 3 values" in found.sentence


def test_groups_of_what_is_to_be_learned_are_what_is_asked():
    ill = {"role": "sensitive", "partition": {"cold": ["flu", "cold"], "other": ["gout"]}}
    assert measured(policy("quasi-identifier", ill=ill)).outcome == "pass"


def test_an_attribute_that_only_a_threshold_names_as_known_is_counted_in_groups_too():
    other = {"role": "other", "bins": [40]}
    assert SAID not in measured(policy(other)).sentence
    for more in (
        {"uniqueness": {"max": 0.1, "keys": ["age"]}},
        {"singled_out": {"max": 0, "k": 2, "keys": ["age"]}},
    ):
        assert SAID in measured(policy(other, **more)).sentence


def test_a_policy_may_ignore_it():
    found = measured(policy(measured="ignore"))
    assert found.outcome == "pass"
    assert found.sentence.startswith(SAID)


def test_several_are_said_in_one_sentence_and_a_change_to_one_leaves_the_other():
    sex = {"role": "quasi-identifier", "partition": {"all": ["f", "m"]}}
    found = audit(TABLE, policy(sex=sex), search=False)
    assert found.checks[-1].sentence.startswith(
        f"{AGE}; sex is counted in 1 group and the file has 2 values: what passes"
    )
    assert found.checks[-1].ask(found.scope.without("age")).sentence.startswith("sex is counted in 1 group")


def test_a_release_is_held_to_its_own_values():
    raw = dv.compare(TABLE, {"raw": TABLE}, policy=policy())
    [release] = raw.releases
    assert release.checks[-1].outcome == "warn"
    assert release.checks[-1].sentence.startswith(SAID)
    assert any(SAID in one["text"] for one in raw.document["notices"])
    assert "NO CHECK FAILS, WITH WARNINGS" in str(raw)
    grouped = TABLE | {"age": ["< 40" if age < 40 else ">= 40" for age in AGES]}
    [kept] = dv.compare(TABLE, {"grouped": grouped}, policy=policy()).releases
    assert all(one.outcome == "pass" for one in kept.checks)
