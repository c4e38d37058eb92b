"""A plan says which records it is about, and doing exactly that makes the checks pass as it promises."""

import csv
import stat

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.assessment.remedies.changes import of_cells, of_records
from divulge.assessment.remedies.record_changes import LEAVE_OUT, SUPPRESS, RecordChange, record_changes
from divulge.errors import ParameterError
from scenes import scope, town

ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill"]}


def done(table, changes):
    """A table after what a file says was done to its records."""
    columns = {name: list(map(str, values)) for name, values in table.items()}
    out = {one["record"] for one in changes if one["action"] == LEAVE_OUT}
    for one in changes:
        if one["action"] == SUPPRESS:
            columns[one["attribute"]][int(one["record"]) - 1] = "*"
    kept = [i for i in range(len(columns["ill"])) if str(i + 1) not in out]
    return {name: [values[i] for i in kept] for name, values in columns.items()}


def written(path, table):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return path


def test_doing_what_the_file_says_makes_the_checks_pass_that_the_plan_promises(tmp_path):
    table, listed = town(), tmp_path / "records.csv"
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[attributes]\nage = "quasi-identifier"\nzip = "quasi-identifier"\nill = "sensitive"\n'
        "[thresholds]\nk_anonymity = { min = 10 }\n"
    )
    file = written(tmp_path / "town.csv", table)
    recipe, beside = tmp_path / "plan.toml", tmp_path / "plan-records.csv"
    listed.write_text("an earlier list that anybody may read")
    asked = ("audit", file, "--policy", policy, "--no-report", "--plan-records", listed)
    _, said, _ = run(*asked, "--write-recipe", recipe)
    named = "Records that the plan changes, to be kept with the data"
    assert said.endswith(f"{named}: {listed}\nRecipe, for divulge transform: {recipe}\n{named}: {beside}\n")
    modes = {one.name: oct(stat.S_IMODE(one.stat().st_mode)) for one in (listed, recipe, beside)}
    assert modes["records.csv"] == modes["plan-records.csv"] == "0o600"
    assert modes["plan.toml"] != "0o600"
    changes = list(csv.DictReader(listed.read_text().splitlines()))
    found = dv.audit(str(file), policy)
    assert found.plan.failing == 0
    about = [step.change for step in found.plan.steps if step.change.rows is not None]
    assert len(changes) == sum(change.records for change in about) > 0
    changed = scope(done(table, changes), keys=("age", "zip"))
    for step in found.plan.steps:
        if step.change.rows is None:
            changed = step.change.apply(changed)
    assert any(not check.holds(check.found) for check in found.checks)
    assert [check.name for check in found.checks if not check.holds(check.again(changed))] == []


def test_a_list_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    file = written(tmp_path / "town.csv", town())
    code, said, wrong = run("audit", file, "--plan-records", tmp_path / "no" / "records.csv")
    assert (code, said) == (2, "")
    assert "records.csv" in wrong
    assert list(tmp_path.iterdir()) == [file]


def test_records_are_named_by_their_place_and_one_that_goes_is_named_once():
    asked = scope({"age": list("aabbc"), "zip": list("11112"), "ill": list("xyxyx")}, keys=("age", "zip"))
    starred = np.array([False, True, False, False, True])
    out = np.array([False, False, False, False, True])
    changes = [of_cells(asked, starred, ["zip"])[0], of_records(asked, out)]
    assert record_changes(asked, changes) == [RecordChange(2, SUPPRESS, "zip"), RecordChange(5, LEAVE_OUT)]


def test_a_frame_has_the_same_records():
    found = dv.audit(dv.read(town(), **ROLES))
    listed = [tuple(row) for row in found.to_frame("plan", kind="pandas").itertuples(index=False)]
    assert [record for record, *_ in listed] == [one.record for one in found.record_changes()]


def test_where_missing_values_fit_anything_records_cannot_be_listed():
    table = {**town(), "age": [None] * 2009}
    with pytest.raises(ParameterError, match="cannot be listed"):
        dv.audit(dv.read(table, missing="wildcard", **ROLES)).record_changes()
