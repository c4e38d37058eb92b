"""Groups beyond a policy are suppressed where the records are as they are in memory."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import divulge as dv
from divulge.engines.out_of_core import opening
from divulge.errors import RecipeError

POLICIES = {
    "k": {"thresholds": {"k_anonymity": {"min": 9}}},
    "l": {"thresholds": {"distinct_l_diversity": {"min": 3}}},
    "l, missing dropped": {
        "thresholds": {"distinct_l_diversity": {"min": 3}, "k_anonymity": {"min": 6}},
        "data": {"missing": "drop"},
    },
    "k, weighted": {"thresholds": {"k_anonymity": {"min": 9}}, "data": {"weights": "stands_for"}},
    "k of the step": {"thresholds": {"t_closeness": {"max": 0.99}}},
    "k of the step, missing dropped": {
        "thresholds": {"t_closeness": {"max": 0.99}},
        "data": {"missing": "drop"},
    },
    "nothing": {"thresholds": {"t_closeness": {"max": 0.99}}},
}


def people(records=240):
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "id": range(records),
            "age": rng.integers(30, 40, records),
            "pay": rng.choice([0.5, 1.25, 30.0], records),
            "zip": rng.choice(["8001", "*", "o'Hara: 1"], records),
            "ill": [None if n == 3 else "abc"[n] for n in rng.integers(0, 4, records)],
            "stands_for": rng.choice([1.0, 2.5], records),
        }
    ).assign(zip=lambda table: table["zip"].where(table["age"] != 33))


def policy(asked, **roles):
    """A policy by which attributes have roles."""
    named = {"age": "quasi-identifier", "pay": "quasi-identifier", "zip": "quasi-identifier", **roles}
    attributes = {name: {"role": role} for name, role in {**named, "ill": "sensitive"}.items()}
    return {"attributes": attributes, **POLICIES[asked]}


def steps(asked, *, leave_out=False, **roles):
    held = dv.Policy.of(policy(asked, **roles))
    said = {"attributes": ["age", "pay", "zip"], "policy": held, "leave_out": leave_out}
    said |= {"k": 7} if asked.startswith("k of the step") else {}
    return [{"mechanism": "suppress_groups", **said}]


def rows_of(frame):
    columns = [["" if pd.isna(one) else str(one) for one in frame[name]] for name in frame.columns]
    return Counter(zip(*columns, strict=True))


@pytest.fixture(params=["sqlite", "postgresql", "out of core"])
def released(request, empty_database, tmp_path):
    """What makes a release where the records are, and gives it as a frame."""
    if request.param != "out of core":
        made = empty_database(request.param)
        people().to_sql("people", made, index=False)

        def there(recipe):
            done = dv.transform(dv.read(made, table="people"), recipe, out="#released", overwrite=True)
            return pd.read_sql_table("released", made), done.manifest

    else:
        people().to_parquet(tmp_path / "people.parquet")

        def there(recipe):
            with patch.object(opening, "_fits", lambda needed, budget: False):
                data = dv.read(tmp_path / "people.parquet", memory="500MB")
                done = dv.transform(data, recipe, out=tmp_path / "out.parquet", overwrite=True)
            return pd.read_parquet(tmp_path / "out.parquet"), done.manifest

    return there


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("asked", POLICIES)
def test_the_same_groups_are_suppressed(released, asked, leave_out):
    recipe = steps(asked, leave_out=leave_out)
    found, manifest = released(recipe)
    here = dv.transform(people(), recipe)
    assert rows_of(found) == rows_of(here.data)
    [there], [own] = manifest.changes, here.manifest.changes
    assert (there.records_before, there.records_after, there.cells) == (
        (own.records_before, own.records_after, own.cells)
    )


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_people_with_several_records_come_over_and_the_release_is_written_there(empty_database, kind):
    made, several = empty_database(kind), people().assign(id=lambda table: table["id"] % 12)
    several.to_sql("people", made, index=False)
    recipe = steps("k", id="identifier")
    dv.transform(dv.read(made, table="people"), recipe, out="#released")
    here = dv.transform(several, recipe).data
    assert rows_of(pd.read_sql_table("released", made)) == rows_of(here)
    assert rows_of(here) != rows_of(dv.transform(several, steps("k")).data)  # who is counted matters


def test_people_with_several_records_are_refused_where_they_are_too_many(empty_database):
    made = empty_database("sqlite")
    people().assign(id=lambda table: table["id"] // 2).to_sql("people", made, index=False)
    with (
        patch("divulge.engines.opening.MOST_CELLS", 100),
        pytest.raises(RecipeError, match="people have several records") as refused,
    ):
        dv.transform(dv.read(made, table="people"), steps("k", id="identifier"), out="#released")
    assert "write one record for each person" in refused.value.hint


def test_a_record_that_is_in_no_group_is_in_no_small_one():
    # Three of 30, one of 40 and one without an age, which the policy leaves out of every group.
    table = {"age": [30, 30, 30, 40, None], "ill": ["a", "b", "c", "d", "e"]}
    roles = {"age": "quasi-identifier", "ill": "sensitive"}
    for asked in ({"k": 2}, {}):
        kept = {}
        for missing in ("value", "drop"):
            held = {"data": {"missing": missing}, "attributes": roles}
            held |= {"thresholds": {"k_anonymity": {"min": 2}} if not asked else {"learned": {}}}
            step = {"mechanism": "suppress_groups", "attributes": ["age"], "policy": dv.Policy.of(held)}
            release = dv.transform(pd.DataFrame(table), [{**step, **asked}]).data
            kept[missing] = release["age"].astype(str).tolist().count("*")
        assert kept == {"value": 2, "drop": 1}
