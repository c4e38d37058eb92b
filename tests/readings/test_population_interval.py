"""What a sample says about its population: against known populations, and by hand."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from statistics import NormalDist

import numpy as np
import pytest

import divulge as dv
from divulge.errors import ParameterError
from divulge.estimation.attackers.account import account
from divulge.readings.population_interval import (
    JACKKNIFE,
    bracket,
    jackknife,
    miller_madow_rate,
    population_rate,
    rate_in_population,
)
from divulge.readings.sample_cells import SampleCells
from divulge.report.attacker.page import sampled


def rate(joint):
    """The discrimination rate of a known distribution, a row for each x."""
    joint = np.asarray(joint, dtype=np.float64)
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    seen = joint > 0
    told = (joint[seen] * np.log(joint[seen] / np.outer(rows, columns)[seen])).sum()
    return float(told / -(rows[rows > 0] * np.log(rows[rows > 0])).sum())


def population(values, classes, kind, rng, steep=0.5):
    """A known distribution: unrelated, weakly or strongly related, or each class of one value."""
    x, y = (1 / np.arange(1, many + 1) ** steep for many in (values, classes))
    x, y = x / x.sum(), y / y.sum()
    if kind == "none":
        return np.outer(x, y)
    if kind == "all":
        joint = np.zeros((values, classes))
        joint[np.arange(classes) % values, np.arange(classes)] = y
        return joint
    strength = 20 if kind == "weak" else 0.35
    return np.stack([rng.dirichlet(strength * x * values + 1e-3) for _ in range(classes)], axis=1) * y


def covered(values, classes, records, kind, samples, seed=0):
    """How often what is said holds the truth, and what kinds of statement are made."""
    rng = np.random.default_rng(seed)
    joint = population(values, classes, kind, rng)
    truth, found = rate(joint), []
    for _ in range(samples):
        said = population_rate(rng.multinomial(records, joint.ravel()).reshape(values, classes))
        assert 0 <= said.low <= said.high <= 1
        assert said.estimate is None or said.low <= said.estimate <= said.high
        found.append((said.low - 1e-9 <= truth <= said.high + 1e-9, said.kind))
    return float(np.mean([one for one, _ in found])), {kind for _, kind in found}


@pytest.mark.parametrize(
    ("values", "classes", "records", "kind"),
    [
        (3, 3, 50, "weak"),
        (4, 30, 300, "weak"),
        (5, 200, 500, "none"),
        (5, 200, 500, "strong"),
        (2, 2, 300, "weak"),
        (10, 50, 800, "all"),
        (5, 20, 5000, "strong"),
    ],
)
def test_what_is_said_of_the_population_holds(values, classes, records, kind):
    share, _ = covered(values, classes, records, kind, samples=40)
    assert share >= 0.85  # 0.95 less three standard errors


@pytest.mark.slow
def test_what_is_said_holds_in_95_of_100_samples_of_random_populations():
    rng, found, intervals = np.random.default_rng(5), [], []
    for design in range(250):
        values, classes = (int(np.exp(rng.uniform(np.log(2), np.log(top)))) for top in (30, 600))
        records = int(np.exp(rng.uniform(np.log(50), np.log(20_000))))
        kind = ("none", "weak", "strong", "all")[design % 4]
        if kind == "all" and classes < values:
            continue
        share, kinds = covered(values, classes, records, kind, samples=6, seed=design)
        found.append(share)
        if kinds == {"interval"}:
            intervals.append(share)
    assert np.mean(found) >= 0.97
    assert np.mean(intervals) >= 0.92


def test_well_filled_tables_have_an_interval_and_sparse_ones_a_bracket_or_nothing():
    assert covered(5, 20, 5000, "strong", samples=3)[1] == {"interval"}
    assert covered(4, 30, 300, "weak", samples=3)[1] == {"bracket"}
    assert covered(5, 200, 500, "strong", samples=3)[1] == {"cannot tell"}


def test_a_bracket_says_why_there_is_no_estimate():
    rng = np.random.default_rng(1)
    few = population_rate(rng.multinomial(100, np.full(40, 1 / 40)).reshape(4, 10))
    assert few.reason == "too few records per class for an estimate"
    none = population_rate(rng.multinomial(5000, np.full(4, 1 / 4)).reshape(2, 2))
    assert (none.kind, none.reason) == ("bracket", "too little to be distinguished from none")
    assert none.low == 0
    wide = population_rate(rng.multinomial(300, np.full(1000, 1 / 1000)).reshape(2, 500))
    assert (wide.kind, wide.reason) == ("cannot tell", "the sample is too small")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[3, 4, 5]], "the target has one value only in this sample"),
        ([[3, 4, 5], [0, 0, 0]], "the target has one value only in this sample"),
        ([[3], [4]], "what is observed has one value only in this sample"),
    ],
)
def test_of_constant_columns_nothing_is_said(table, reason):
    found = population_rate(table)
    assert (found.kind, found.low, found.high, found.reason) == ("cannot tell", None, None, reason)


def test_the_jackknife_leaves_each_record_out_in_turn():
    table = np.array([[6, 3, 1], [2, 5, 8]])

    def plain(counts):
        return rate(counts / counts.sum())

    without = []
    for place in np.ndindex(table.shape):
        less = table.copy()
        less[place] -= 1
        without += [plain(less)] * table[place]
    n, mean = table.sum(), np.mean(without)
    estimate, error = jackknife(SampleCells.of(table))
    assert estimate == pytest.approx(n * plain(table) - (n - 1) * mean)
    assert error == pytest.approx(math.sqrt((n - 1) * np.mean((np.array(without) - mean) ** 2)))


def test_the_miller_madow_rate_by_hand():
    table = np.array([[8, 2], [1, 9]])
    # H(X) + 1/40 in the denominator, and I + (2 + 2 - 4 - 1) / 40 above it.
    entropy = math.log(2)
    told = rate(table / 20) * entropy
    assert miller_madow_rate(SampleCells.of(table)) == pytest.approx((told - 1 / 40) / (entropy + 1 / 40))


def test_a_rule_learnt_from_the_others_predicts_nothing_of_records_that_are_alone():
    low, high = bracket(SampleCells.of(np.eye(6, dtype=int)))
    assert (low, high) == (0, 1)


def test_both_numbers_are_named_and_said_apart():
    rng = np.random.default_rng(2)
    table = {"ward": rng.integers(0, 30, 150).tolist(), "ill": rng.integers(0, 3, 150).tolist()}
    counts = dv.ask(table, keys="ward", target="ill").counts
    document = account(dv.Channel.of_counts(counts), counts=counts.matrix().T)
    exact = dv.measure(table, "discrimination_rate", keys="ward", target="ill").value
    assert document["sampled"]["rate"] == pytest.approx(exact)
    low, high = (document["sampled"]["interval"][end] for end in ("low", "high"))
    assert low == 0 < exact < high < 0.5
    assert sampled(document)[:2] == [
        f"Discrimination rate, this table: {exact:.4f} of what there is to know (exact)",
        f"Discrimination rate, the population it was drawn from: between 0 and {high:.3f} "
        "(too few records per class for an estimate)",
    ]


# -- readings of a sample --------------------------------------------------------------------------


def sampled_readings(records=3000, seed=1, **options):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 6, records)
    disease = np.where(rng.random(records) < 0.3, age % 3, rng.integers(0, 3, records))
    return dv.measure(
        {"age": age.tolist(), "disease": disease.tolist(), **options}, keys="age", target="disease"
    )


def test_a_rate_has_the_interval_of_its_table():
    readings = sampled_readings()
    found = readings["discrimination_rate"].in_population
    cells = readings.question.counts.in_cells().cells
    table = np.zeros((3, 6))
    np.add.at(table, (cells.target, cells.owner), cells.count)
    by_table = population_rate(table)
    assert (found.low, found.high) == pytest.approx((by_table.low, by_table.high))
    assert found.kind == by_table.kind == "interval"


def test_information_has_a_bracket_around_what_the_table_shows():
    readings = sampled_readings()
    found = readings["mutual_information"].in_population
    assert found.low < readings["mutual_information"].value < found.high


def test_shares_of_people_are_at_most_what_the_table_shows_and_its_error():
    readings = dv.measure({"age": [*range(50), *[60] * 50]}, keys="age")
    found = readings["uniqueness"].in_population
    assert (found.kind, found.high) == ("at most", pytest.approx(0.5 + 1.959964 * 0.05))
    nobody = dv.measure({"age": [1, 1, 2, 2] * 25}, keys="age")["uniqueness"].in_population
    assert 0.03 < nobody.high < 0.04


@pytest.mark.parametrize("measure", ["itpr", "k_anonymity", "t_closeness"])
def test_worst_cases_have_no_interval(measure):
    found = sampled_readings()[measure].in_population
    assert (found.kind, found.low, found.high) == ("cannot tell", None, None)
    assert found.reason


def several_records(people=900, seed=3):
    """People with one to five records each, most of them alike, and weights from 1 to 3."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), rng.integers(1, 6, people))
    age = rng.integers(0, 5, people)[person]
    disease = np.where(rng.random(len(age)) < 0.4, age % 3, rng.integers(0, 3, len(age)))
    columns = {"id": person, "age": age, "disease": disease, "w": rng.uniform(1, 3, len(age))}
    return {name: column.tolist() for name, column in columns.items()}


def test_weights_and_people_with_several_records_are_told_by_what_was_drawn():
    table, asked = several_records(), {"keys": "age", "target": "disease"}
    for options, unit in (({"weights": "w"}, None), ({"identifiers": "id"}, "id")):
        found = dv.measure(dv.read(table, **options), "discrimination_rate", **asked).in_population
        units = np.asarray(table["id"]) if unit else np.arange(len(table["id"]))
        weight = np.ones(len(units)) if unit else np.asarray(table["w"])
        sample = SampleCells.of_units(units, np.asarray(table["age"]), np.asarray(table["disease"]), weight)
        by_hand = rate_in_population(sample)
        assert (found.kind, found.low, found.high) == (
            by_hand.kind,
            *map(pytest.approx, (by_hand.low, by_hand.high)),
        )
    wider = dv.measure(dv.read(table, identifiers="id"), "mutual_information", **asked).in_population
    plain = dv.measure(table, "mutual_information", **asked).in_population
    assert wider.high - wider.low > plain.high - plain.low


def test_unique_people_of_a_weighted_sample_are_at_most_their_weight():
    """Nine unique people who stand for 90 of 181 others: a third is not what they are in the population."""
    ages, weights = [*range(9), *[50] * 18], [10.0] * 9 + [91 / 18] * 18
    found = dv.measure(
        dv.read({"age": ages, "w": weights}, weights="w"), "uniqueness", keys="age"
    ).in_population
    share = 90 / 181
    error = math.sqrt(9 * (10 * (1 - share)) ** 2 + 18 * (91 / 18 * share) ** 2) / 181
    assert found.high == pytest.approx(share + 1.959964 * error)


def test_records_in_a_database_are_told_by_what_was_drawn_too(tmp_path):
    table, asked = several_records(50), {"keys": "age", "target": "disease"}
    with closing(sqlite3.connect(tmp_path / "people.db")) as base:
        base.execute("CREATE TABLE people (id INTEGER, age INTEGER, disease INTEGER, w REAL)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", list(zip(*table.values(), strict=True)))
        base.commit()
    for options in ({"weights": "w"}, {"identifiers": "id"}):
        there, here = (
            dv.measure(dv.read(data, **options, **more), "discrimination_rate", **asked).in_population
            for data, more in ((f"sqlite:///{tmp_path / 'people.db'}", {"table": "people"}), (table, {}))
        )
        assert (there.low, there.high) == (pytest.approx(here.low), pytest.approx(here.high))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_a_level_is_as_wide_as_it_says(level):
    readings = sampled_readings()
    asked = dv.measure(readings.question.data, keys="age", target="disease", interval=level)
    found, usual = (one["discrimination_rate"].in_population for one in (asked, readings))
    assert (found.kind, found.level, usual.level) == ("interval", level, 0.95)
    width = NormalDist().inv_cdf((1 + level) / 2) / 1.959964
    # Limits of cells with few records are not quite in proportion.
    assert found.high - found.low == pytest.approx(width * (usual.high - usual.low), rel=0.01)
    said = asked["discrimination_rate"].to_dict()["in_population"]
    assert (said["level"], said["method"], said["low"]) == (level, JACKKNIFE, found.low)
    assert "in_population" not in readings["discrimination_rate"].to_dict()


@pytest.mark.parametrize("level", [0.5, 1.0, math.nan])
def test_a_level_that_says_nothing_is_refused(level):
    with pytest.raises(ParameterError, match=r"Give one from 0\.8 to 0\.999"):
        dv.measure({"a": [1, 2]}, keys="a", interval=level)


def test_groups_that_overlap_have_no_interval():
    table = {"age": [1, 2, None, 2] * 60, "disease": [1, 2, 1, 1] * 60}
    data = dv.read(table, missing="wildcard")
    found = dv.measure(data, "uniqueness", keys="age", target="disease").in_population
    assert found.reason == "missing values match anything, so groups overlap"


def test_classes_held_once_count_as_often_as_they_are():
    """The route that holds alike classes once begins at half a million records, so they are made here."""
    readings = sampled_readings(300)
    counts = readings.question.counts.in_cells()
    twice = dv.JointCounts(
        counts.size, counts.cells, counts.target_values, multiplicity=np.full(len(counts.size), 2)
    )
    found, single = SampleCells.of_counts(twice), SampleCells.of_counts(counts)
    assert found.records == 2 * single.records
    assert found.entropy == pytest.approx(single.entropy)


def test_a_sample_without_exceptions_does_not_say_that_there_are_none():
    table = {"a": ["x"] * 50 + ["y"] * 50, "b": ["p"] * 50 + ["q"] * 50}
    readings = dv.measure(table, keys="a", target="b")
    rate, information = (
        readings[name].in_population for name in ("discrimination_rate", "mutual_information")
    )
    assert rate.low < 0.92
    assert rate.high == 1
    assert information.low < 0.92
    assert information.high == pytest.approx(1)


def test_few_unique_people_are_not_told_by_their_bound():
    readings = dv.measure({"age": [*range(3), *[50] * 900]}, keys="age")
    assert readings["uniqueness"].in_population.high is None


def test_frames_and_notebooks_have_the_population_where_it_was_asked_for():
    readings = sampled_readings()
    asked = dv.measure(readings.question.data, keys="age", target="disease", interval=0.9)
    said = asked["discrimination_rate"].in_population
    frame = asked.columns()
    place = list(frame["reading"].values).index("discrimination_rate")
    assert frame["population_kind"].values[place] == "interval"
    assert frame["population_high"].values[place] == said.high
    assert "population_kind" not in readings.columns()
    assert f"{said.low:.4g} to {said.high:.4g} (interval)" in asked._repr_html_()
    assert "in the population" not in readings._repr_html_()
    points = {one["measure"]: one for one in asked.plot().to_dict()["data"]["values"]}
    assert points["Discrimination rate"]["low"] == said.low
    assert points["Worst posterior"]["low"] is None
