"""A table that stays on a cluster or in a database: searched by its combinations, released where it is."""

from unittest.mock import patch

import pytest

import divulge as dv
from divulge.alignment import elsewhere
from divulge.engines.external import workplace
from divulge.errors import ParameterError
from divulge.utility import Need
from staying_tables import ROLES, people, rows_of

pytest_plugins = ["spark_session"]

ASKED = {
    "k": {"k": 5, "suppress": 0.1},
    "k, left out": {"k": 5, "suppress": 0.1, "leave_out": True},
    "l": {"thresholds": {"distinct_l_diversity": {"min": 2}, "k_anonymity": {"min": 4}}, "suppress": 0.2},
}


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        pytest.param(engine, name, marks=[pytest.mark.slow] * (engine == "spark"))
        for engine in ("sqlite", "postgresql", "spark")
        for name in ASKED
    ],
    indirect=["stored"],
)
def test_the_same_release_is_found_and_made_where_the_table_is(stored, asked):
    data, written = stored
    here = dv.anonymize(people(), **ROLES, **ASKED[asked])
    with patch.object(elsewhere, "MOST_CELLS", 0), patch.object(workplace, "MOST_CELLS", 0):
        there = dv.anonymize(data, **ASKED[asked])
        assert there.stayed
        assert there.best.levels == here.best.levels
        assert there.loss == pytest.approx(here.loss, rel=1e-12)
        assert there.certificate == here.certificate
        assert [(one.name, one.outcome) for one in there.checks] == [
            (one.name, one.outcome) for one in here.checks
        ]
        assert [(one.name, one.outcome) for one in there.checks_before] == [
            (one.name, one.outcome) for one in here.checks_before
        ]
        assert there.to_dict()["notes"] == here.to_dict()["notes"]
        assert there.suppressed_records == here.suppressed_records > 0
        release = written(there)
    assert rows_of(release) == rows_of(here.table)


@pytest.fixture
def in_sqlite(empty_database):
    """What puts a table into a database, from which it may not come over."""
    made = empty_database("sqlite")

    def put(frame, **roles):
        frame.to_sql("people", made, index=False)
        return dv.read(made, table="people", **{**ROLES, **roles})

    with patch.object(elsewhere, "MOST_CELLS", 0):
        yield put


def test_attributes_that_stayed_are_looked_at_for_names(in_sqlite):
    named = people().assign(email=[f"p{n}@example.org" for n in range(300)])
    with pytest.raises(ParameterError, match="email would be released, and names people"):
        dv.anonymize(in_sqlite(named), k=5, suppress=0.1)


def test_what_the_release_names_is_told_with_its_checks(in_sqlite):
    keyed = people().assign(visit=range(1000, 1300))
    found = dv.anonymize(in_sqlite(keyed), k=5, suppress=0.1)
    here = dv.anonymize(keyed, k=5, suppress=0.1, **ROLES)
    there, alone = (
        [check.answer for check in one.checks if getattr(check, "measure_name", "") == "identifiers"]
        for one in (found, here)
    )
    assert [(one.outcome, one.sentence) for one in there] == [(one.outcome, one.sentence) for one in alone]
    assert [one.outcome for one in there] == ["warn"]


@pytest.mark.parametrize(
    ("asked", "roles", "said"),
    [
        ({"local": True}, {}, "recoded each by itself"),
        ({"keep_order": True}, {}, "no order"),
        ({}, {"identifiers": "sex", "quasi_identifiers": ["age", "zip"]}, "have several records"),
    ],
)
def test_what_needs_each_record_is_refused(in_sqlite, asked, roles, said):
    with pytest.raises(ParameterError, match=said):
        dv.anonymize(in_sqlite(people(), **roles), k=5, suppress=0.1, **asked)


def test_needs_and_predictions_are_served_alike(in_sqlite):
    data, here = in_sqlite(people()), dv.read(people(), **ROLES)
    needs = [Need("ages", ("age", "seen"), "ill")]
    for asked in ({"loss": "need", "needs": needs}, {"loss": "classification", "predict": "ill"}):
        there, alone = (dv.anonymize(one, k=5, suppress=0.1, **asked) for one in (data, here))
        assert there.best.levels == alone.best.levels
        assert there.loss == pytest.approx(alone.loss, rel=1e-12)


def test_a_table_for_the_release_needs_a_database():
    found = dv.anonymize(people(), k=5, suppress=0.1, **ROLES)
    with pytest.raises(ParameterError, match="in no database"):
        found.save("#released")
