"""People with several records, counted where these are, beside the same people counted in memory."""

from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import divulge as dv
from divulge.alignment import elsewhere
from divulge.anonymization.release import policy_checks
from divulge.assessment import scope as scopes
from divulge.assessment.checks.singled_out import risks
from divulge.assessment.drivers.class_company import average_risk
from divulge.assessment.inference.key_sets import key_sets
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.people.people_there import PeopleThere
from divulge.assessment.people.sample import SampleShare
from divulge.assessment.scope import Scope
from divulge.engines.database.table import DatabaseTable
from divulge.errors import SchemaError, Undefined
from divulge.policy import Policy, Population

pytest_plugins = ["spark_session"]

ROLES = {"identifiers": "name", "quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["ill", "pay"]}
BARS = (Bar(0.8, 0.1), Bar(0.5, 0.1))


def visits(seed, records=240):
    """People who come about twice, some values missing or suppressed, and nobody's visits among them."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, records // 2, records)
    return pd.DataFrame(
        {
            "name": [f"p{n}" if n else None for n in person],
            "age": person * 7 % 40 + 20 + rng.integers(0, 2, records),
            "zip": [["8001", "8002", None, "*"][n % 4] for n in person + rng.integers(0, 2, records)],
            "sex": ["fm"[n % 2] for n in person],
            "ill": [["flu", "cold", "gout", None][n] for n in rng.choice(4, records, p=[0.5, 0.3, 0.1, 0.1])],
            "pay": rng.integers(10, 60, records) * 100,
        }
    )


def weighted(seed, records=240):
    """The same visits, each of a person of their own who stands for some others."""
    weights = np.random.default_rng(seed).integers(1, 30, records) / 4
    return visits(seed, records).assign(name=[f"p{n}" for n in range(records)], weight=weights)


def both(empty_database, frame, kind="sqlite", **reading):
    """The same people in memory, and in a database whose rows are not looked at."""
    made = empty_database(kind)
    frame.to_sql("visits", made, index=False)
    reading |= {"weights": "weight"} if "weight" in frame else {}
    there = Scope(dv.read(made, table="visits", **ROLES, **reading))
    with patch.object(scopes, "rows_of", lambda *asked: None):
        assert there.rows is None
    return Scope(dv.read(frame, **ROLES, **reading)), there


def by_risk(found):
    risk, people, everyone = found
    return Counter(np.repeat(np.round(risk, 12), people).tolist()), everyone


EVERYWHERE = pytest.mark.parametrize(
    ("made", "kind", "missing"),
    [
        (visits(0), "sqlite", "value"),
        (visits(1), "sqlite", "drop"),
        (weighted(0), "sqlite", "value"),
        (weighted(1), "sqlite", "drop"),
        pytest.param(visits(2), "postgresql", "value", marks=pytest.mark.slow),
        (weighted(2), "postgresql", "value"),
        (weighted(3).assign(weight=2.5), "sqlite", "value"),
    ],
    ids=lambda one: "" if isinstance(one, pd.DataFrame) else one,
)


@EVERYWHERE
def test_risks_are_those_of_memory(empty_database, made, kind, missing):
    here, there = both(empty_database, made, kind, missing=missing)
    assert there.people == here.people
    assert there.sample.fraction == pytest.approx(here.sample.fraction, rel=1e-12)
    for keys in (["age"], ["zip"], ["age", "zip"], ["age", "zip", "sex"]):
        assert by_risk(risks(there, keys)) == by_risk(risks(here, keys))


def test_of_a_sample_the_riskiest_group_is_the_smallest(empty_database):
    here, there = both(empty_database, visits(3))
    drawn = Population(size=5000)
    one, other = (
        by_risk(risks(scopes.replace(each, population=drawn, _asked={}), ["age", "zip"]))
        for each in (here, there)
    )
    assert one == other


def by_definition(frame, keys, fraction):
    """The mean over records of the risk of their groups, whose sizes are people, in a sample."""
    frame = frame[~(frame[keys].fillna("") == "*").all(axis=1)]
    groups = frame.fillna("none").groupby(keys)
    people = groups["name"].transform("nunique").to_numpy()
    sizes = groups["name"].nunique()
    risk = SampleShare(fraction).risk(sizes.to_numpy())
    return float(np.mean([risk[sizes.to_numpy() == size][0] for size in people]))


def test_the_average_risk_is_over_records_in_a_sample_too(empty_database):
    frame, drawn = visits(3), Population(size=5000)
    here, there = both(empty_database, frame)
    whole = [average_risk(one) for one in (here, there)]
    groups = frame.fillna("none").groupby(list(here.keys))
    alike = groups["name"].transform("nunique")
    assert whole == pytest.approx([(1 / alike).mean()] * 2, rel=1e-12)
    sampled = [scopes.replace(one, population=drawn, _asked={}) for one in (here, there)]
    expected = by_definition(frame, list(here.keys), sampled[0].sample.fraction)
    assert [average_risk(one) for one in sampled] == pytest.approx([expected] * 2, rel=1e-12)
    # Where nearly everyone was drawn, it is what the table alone gives: it does not leap to people.
    nearly = [
        average_risk(scopes.replace(one, population=Population(fraction=0.9999), _asked={}))
        for one in (here, there)
    ]
    assert nearly == pytest.approx(whole, rel=1e-3)


def test_the_average_risk_of_weighted_people_with_several_records_is_over_records():
    # Two people alike with three records, and one alone with one: (1/2 + 1/2 + 1/2 + 1) / 4.
    table = {"who": ["a", "a", "b", "c"], "age": [30, 30, 30, 40], "w": [1.0, 1.0, 1.0, 1.0]}
    reading = {"identifiers": "who", "quasi_identifiers": "age"}
    assert average_risk(Scope(dv.read(table, **reading))) == 0.625
    assert average_risk(Scope(dv.read(table, weights="w", **reading))) == pytest.approx(0.625)


@EVERYWHERE
def test_what_is_learned_counts_everyone_once(empty_database, made, kind, missing):
    here, there = both(empty_database, made, kind, missing=missing)
    sets, _ = key_sets(here, here.keys)
    counted = 0
    for target in ("ill", "pay"):
        ours, theirs = (Inference(scope, target, sets, 2, BARS) for scope in (here, there))
        for bar in BARS:
            for ask in ("beyond_chance", "within_chance", "of_every_size"):
                one, other = getattr(ours, ask)(bar), getattr(theirs, ask)(bar)
                assert (one is None) == (other is None)
                if one is not None:
                    counted += one.people
                    assert other.having == pytest.approx(one.having, rel=1e-12)
                    same = ("people", "sets", "keys", "several", "alone", "by_weight", "by_key_set")
                    assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]
    assert counted > 0


def test_groups_that_are_too_many_are_not_evaluated(empty_database):
    _, there = both(empty_database, visits(0))
    found = Inference(there, "ill", [("age",)], 1, BARS)
    with (
        patch("divulge.assessment.people.people_there.MOST_CELLS", 10),
        pytest.raises(Undefined, match="too many"),
    ):
        found.readable()


def test_weights_that_are_none_are_refused(empty_database):
    _, there = both(empty_database, weighted(0).assign(weight=[0.0] + [1.0] * 239))
    with pytest.raises(SchemaError, match="weight"):
        risks(there, ["age"])


def test_a_person_counts_by_the_smallest_of_their_groups(empty_database):
    frame = pd.DataFrame(
        {
            "name": ["a", "a", "b", "c", "c"],
            "age": [30, 40, 40, 40, 40],
            "zip": "1",
            "sex": "f",
            "ill": "flu",
            "pay": 1,
        }
    )
    _, there = both(empty_database, frame)
    # a is alone at 30, and one of three people at 40: b and c have company of three.
    assert by_risk(risks(there, ["age"])) == (Counter({1.0: 1, round(1 / 3, 12): 2}), 3)


def test_a_table_of_the_population_is_not_evaluated(empty_database):
    _, there = both(empty_database, visits(0))
    fitting = scopes.replace(there, stars_fit=True, _asked={})
    with (
        patch.object(scopes, "rows_of", lambda *asked: None),
        pytest.raises(Undefined, match="several records"),
    ):
        risks(fitting, ["age"])


def answers(audit):
    return [
        (check["measure"], check["target"], check["outcome"], check["found_text"])
        for check in audit.to_dict()["checks"]
    ]


@pytest.mark.slow
def test_an_audit_answers_as_it_does_in_memory(empty_database):
    frame, made = visits(4, records=80), empty_database("sqlite")
    frame.to_sql("visits", made, index=False)
    few = DatabaseTable.combinations

    def without_names(self, attributes):
        return None if "name" in attributes else few(self, attributes)

    here = answers(dv.audit(dv.read(frame, **ROLES)))
    with patch.object(elsewhere, "MOST_CELLS", 0), patch.object(DatabaseTable, "combinations", without_names):
        data = dv.read(made, table="visits", **ROLES)
        assert isinstance(Scope(data).people_there, PeopleThere)
        assert answers(dv.audit(data)) == here


@pytest.mark.slow
@pytest.mark.parametrize("weights", [False, True])
def test_a_cluster_answers_as_memory_does(spark, weights):
    import pyarrow as pa

    from divulge.engines.external import engine
    from divulge.engines.spark import querying

    frame = (weighted if weights else visits)(5, records=60)
    made = spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))
    roles = {
        "name": "identifier",
        **dict.fromkeys(("age", "zip", "sex"), "quasi-identifier"),
        "ill": "sensitive",
    }
    policy = Policy.of(
        {
            "data": {"weights": "weight"} if weights else {},
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "thresholds": {"k_anonymity": {"min": 2}, "distinct_l_diversity": {"min": 2}},
        }
    )

    def checked(table):
        return [(one.name, one.outcome, one.found) for one in policy_checks(policy.open(table), policy)]

    here = checked(frame)
    limits = (elsewhere, "MOST_CELLS"), (engine, "MOST_CELLS"), (querying, "MOST")
    with ExitStack() as lowered:
        for place, name in limits:
            lowered.enter_context(patch.object(place, name, 250))  # cells: of the keys, not of all
        lowered.enter_context(patch.object(querying, "SAMPLE", 1))
        assert Scope(policy.open(made)).people_there is not None
        assert checked(made) == here
    assert "fail" in {outcome for _, outcome, _ in here}
