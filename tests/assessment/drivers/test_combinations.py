"""Subsets of quasi-identifiers: what is found is what asking about each subset finds."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import divulge as dv
from divulge.assessment.drivers import contributions, subsets
from divulge.assessment.drivers.combinations import UniqueOn, combinations, on_average
from divulge.assessment.drivers.subsets import search
from divulge.assessment.scope import Scope
from scenes import KEYS, PEOPLE, scope


def by_keys(found):
    return {tuple(found.names(int(mask))): place for place, mask in enumerate(found.masks)}


def random_table(records=400, seed=1):
    rng = np.random.default_rng(seed)
    sizes = {"a": 3, "b": 7, "c": 2, "d": 40, "e": 5}
    table = {name: [f"{name}{v}" for v in rng.integers(0, size, records)] for name, size in sizes.items()}
    return table | {"s": [f"s{v}" for v in rng.integers(0, 4, records)]}


@pytest.mark.parametrize("one_by_one", [False, True])
def test_every_subset_reads_as_a_question_of_its_own_would(monkeypatch, one_by_one):
    table, keys = random_table(), ("a", "b", "c", "d", "e")
    monkeypatch.setattr(subsets, "needs_questions", lambda scope: one_by_one)
    found = search(scope(table, keys=keys, sensitive="s"))
    places = by_keys(found)
    assert len(places) == 31
    for size in range(1, 6):
        for chosen in itertools.combinations(keys, size):
            place = places[chosen]
            about = dv.measure(table, keys=chosen)
            assert found.k[place] == about["k_anonymity"].value
            assert found.classes[place] == about["class_count"].value
            assert found.uniqueness[place] == pytest.approx(about["uniqueness"].value)
            assert found.discrimination_rate[place] == pytest.approx(about["discrimination_rate"].value)
            assert found.itpr[place] == pytest.approx(about["itpr"].value)
            rate, itpr = found.targets["s"]
            for name, value in (("discrimination_rate", rate), ("itpr", itpr)):
                asked = dv.measure(table, name, keys=chosen, target="s").value
                assert value[place] == pytest.approx(asked, abs=1e-12)


def test_the_smallest_sets_that_single_someone_out_leave_their_supersets_out():
    found = combinations(scope())
    someone = found.identifying[0]
    # Alone: zip 1 with age 30 or 40, zip 2 with age 20 or 30; and the nurse by the job alone.
    assert someone["sets"] == [["job"], ["zip", "age"]]
    assert someone["folded"] == 4 - 1  # zip+job, age+job and all three hold one of them
    assert found.level("half") == [["zip", "age"]]
    assert found.level("all") == []
    # By zip and age four of eight are alone; by zip nobody is, nor by age.
    assert found.smallest == UniqueOn(("zip", "age"), 4, 8, 0)


def test_minimal_sets_are_those_that_brute_force_finds():
    table, keys = random_table(), ("a", "b", "c", "d", "e")
    found = combinations(scope(table, keys=keys, sensitive="s"))
    reach = [
        set(c)
        for n in range(1, 6)
        for c in itertools.combinations(keys, n)
        if dv.measure(table, "uniqueness", keys=c).value >= 0.5
    ]
    minimal = [c for c in reach if not any(other < c for other in reach)]
    assert sorted(map(sorted, found.level("half"))) == sorted(map(sorted, minimal))
    assert found.smallest is not None
    told, parts = found.smallest, itertools.combinations(found.smallest.keys, len(found.smallest.keys) - 1)
    alone = {part: dv.measure(table, "uniqueness", keys=part).value for part in [told.keys, *parts]}
    assert told.records == round(alone.pop(told.keys) * told.counted)
    assert told.most == round(max(alone.values()) * told.counted)


def test_average_contributions_are_shapley_values():
    found = combinations(scope())

    def rate(keys):
        return dv.measure(PEOPLE, "discrimination_rate", keys=keys).value if keys else 0.0

    added = dict.fromkeys(KEYS, 0.0)
    for order in itertools.permutations(KEYS):
        for place, key in enumerate(order):
            added[key] += (rate(order[: place + 1]) - rate(order[:place])) / math.factorial(len(KEYS))
    assert {line["attribute"]: line["average"] for line in found.contributions} == pytest.approx(added)
    assert sum(added.values()) == pytest.approx(rate(KEYS))
    for line in found.contributions:
        rest = [key for key in KEYS if key != line["attribute"]]
        assert line["alone"] == pytest.approx(rate([line["attribute"]]))
        assert line["last"] == pytest.approx(rate(KEYS) - rate(rest))


def many_attributes(records=150):
    """Fourteen attributes, the first of which splits finely and the second nearly as it does."""
    rng = np.random.default_rng(3)
    table = {f"a{i}": rng.integers(0, 2 + i % 3, records).tolist() for i in range(2, 14)}
    fine = rng.integers(0, 60, records)
    return {"a0": fine.tolist(), "a1": (fine // 2).tolist(), **table}


def test_averages_over_sampled_orders_are_near_the_shapley_values(monkeypatch):
    table = dict(list(many_attributes().items())[:10])
    monkeypatch.setattr(subsets, "ALL_OF", 9)
    sampled = combinations(scope(table, keys=tuple(table), sensitive=())).contributions
    monkeypatch.setattr(subsets, "ALL_OF", 10)
    exact = combinations(scope(table, keys=tuple(table), sensitive=())).contributions
    truth = {line["attribute"]: line["average"] for line in exact}
    assert {(line["average_error"], line["average_over"]) for line in exact} == {(0.0, "all orders")}
    for line in sampled:
        assert line["average_over"] == "200 sampled orders"
        assert 0 < line["average_error"] < 0.005
        assert abs(line["average"] - truth[line["attribute"]]) < 4.5 * line["average_error"], line
    whole = dv.measure(table, "discrimination_rate", keys=tuple(table)).value
    assert sum(line["average"] for line in sampled) == pytest.approx(whole, abs=0.02)
    # The mean over combinations of up to four, which adds up to more than there is, would be far off.
    monkeypatch.setattr(subsets, "ALL_OF", 9)
    monkeypatch.setattr(contributions, "WORK", 10)
    small = combinations(scope(table, keys=tuple(table), sensitive=())).contributions
    assert sum(line["average"] for line in small) > 2 * whole


def test_where_orders_cannot_be_sampled_the_average_says_what_it_is_over(monkeypatch):
    monkeypatch.setattr(contributions, "WORK", 10)
    table = many_attributes(50)
    first = combinations(scope(table, keys=tuple(table), sensitive=())).contributions[0]
    assert first["average_error"] is None
    assert first["average_over"] == "combinations of at most 4 attributes"
    assert on_average(first).endswith("on average within combinations of at most 4 attributes")


def test_orders_read_rows_that_stand_for_several_records():
    table, times = many_attributes(40), np.arange(1, 41)
    often = {name: np.repeat(values, times).tolist() for name, values in table.items()}
    read = {"records": int(times.sum()), "seed": 1}
    one = contributions.added_late([dv.read(often).column(name) for name in often], 4, times=None, **read)
    held = contributions.added_late([dv.read(table).column(name) for name in table], 4, times=times, **read)
    assert held.average == pytest.approx(one.average)


def test_among_many_attributes_only_small_subsets_are_searched():
    rng = np.random.default_rng(0)
    table = {f"a{i}": rng.integers(0, 3, 50).tolist() for i in range(14)}
    found = combinations(scope(table, keys=tuple(table), sensitive=()))
    assert found.largest == 4
    assert found.searched == sum(math.comb(14, n) for n in range(1, 5))
    assert not found.complete
    assert found.limited == "subsets of at most 4 attributes"
    assert all(line["last"] is None for line in found.contributions)


@pytest.mark.parametrize(
    "reading",
    [{"missing": "drop"}, {"weights": "w"}, {"identifiers": "who"}, {}],
    ids=["dropped", "weighted", "people", "suppressed"],
)
def test_where_records_count_differently_each_subset_is_asked(reading):
    table = PEOPLE | {
        "zip": ["1", "1", None if reading else "*", "1", "2", "2", "2", "2"],
        "w": [1, 2, 1, 1, 1, 1, 1, 3],
        "who": ["i", "i", "j", "k", "l", "m", "n", "o"],
    }
    found = search(scope(table, **reading))
    data = dv.read(table, **reading)
    # Something is known of every record, if not by each subset: rates take a star for a value.
    starred = data if reading else dv.read(table, suppressed=None)
    for chosen, place in by_keys(found).items():
        about = dv.measure(data, keys=chosen)
        rate = dv.measure(starred, "discrimination_rate", keys=chosen).value
        assert found.k[place] == about["k_anonymity"].value
        assert found.uniqueness[place] == pytest.approx(about["uniqueness"].value)
        assert found.of[place] == about.question.records
        assert found.discrimination_rate[place] == pytest.approx(rate)


def test_each_subset_counts_people_among_its_own_records():
    # Five of 1,000 have a value of q0 of their own; q1 is missing for 940, theirs among them.
    table = {
        "q0": [f"own {i}" for i in range(5)] + ["common"] * 995,
        "q1": [None] * 940 + ["x", "y", "z"] * 20,
        "s": ["a", "b"] * 500,
    }
    data = dv.read(table, quasi_identifiers=["q0", "q1"], sensitive="s", missing="drop")
    found = combinations(Scope(data))
    told = {tuple(one["keys"]): (one["unique"], one["records"]) for one in found.subsets}
    assert told == {("q0",): (5, 1000), ("q1",): (0, 60), ("q0", "q1"): (0, 60)}
    assert dv.measure(data, "uniqueness", keys="q0").value == 5 / 1000
    assert found.level("someone") == [["q0"]]
    assert [one["uniqueness"][2] for one in found.by_size] == [0.005, 0]


def test_levels_are_judged_by_the_records_that_a_subset_is_read_on():
    # By hand: a is there for four and tells three of them apart; with b, two are left, and both are alone.
    table = {"a": ["1", "2", "3", "3", None, None], "b": ["x", None, "y", None, "x", "y"]}
    data = dv.read(table, quasi_identifiers=["a", "b"], missing="drop")
    found = combinations(Scope(data))
    told = {tuple(one["keys"]): (one["unique"], one["records"]) for one in found.subsets}
    assert told == {("a",): (2, 4), ("b",): (0, 4), ("a", "b"): (2, 2)}
    assert found.level("half") == [["a"]]
    assert found.level("all") == [["a", "b"]]


def test_a_lone_record_whose_known_cells_are_suppressed_is_not_alone():
    # By hand: zip is starred once; the record forms no class of zip, and is no person whom zip gives away.
    table = {"zip": ["1", "1", "1", "*"], "sex": ["f", "f", "m", "m"]}
    found = search(Scope(dv.read(table, quasi_identifiers=["zip", "sex"])))
    place = by_keys(found)["zip",]
    assert (found.unique[place], found.of[place], found.k[place]) == (0, 3, 3)
    assert found.unique[by_keys(found)["zip", "sex"]] == 2


def test_overlapping_classes_have_no_rates_to_compare():
    table = PEOPLE | {"zip": ["1", "1", None, "1", "2", "2", "2", "2"]}
    assert combinations(scope(table, missing="wildcard")) is None


def test_one_record_has_nobody_to_be_told_from():
    assert combinations(scope({"zip": ["1"]}, keys="zip", sensitive=())) is None


def test_an_attribute_that_is_suppressed_throughout_tells_nothing():
    table = PEOPLE | {"zip": ["*"] * 8}
    found = search(scope(table))
    assert found.discrimination_rate[by_keys(found)["zip",]] == 0


def test_a_file_that_could_be_condensed_reads_the_same(tmp_path, monkeypatch):
    table, keys = random_table(), ("a", "b", "c")
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(table), path)
    monkeypatch.setattr("divulge.engines.memory.parquet.CONDENSED", 10)
    found = search(scope(path, keys=keys, sensitive=()))
    assert found.k[by_keys(found)[keys]] == dv.measure(table, "k_anonymity", keys=keys).value
    assert found.records == 400


def test_what_an_attribute_adds_last_does_not_count_few_others():
    """29 of 200 are unique, 3 of them without the number: 26 more would say so."""
    towns = ["x", "y", "z"] + ["a"] * 197
    numbers = [0, 0, 0, *range(1, 27), *[0] * 171]
    table = {"town": towns, "number": numbers, "ill": ["flu", "cold"] * 100}
    found = dv.audit(table, quasi_identifiers=["town", "number"], sensitive="ill").to_dict()
    last = {one["attribute"]: one["uniqueness_last"] for one in found["combinations"]["contributions"]}
    assert last == {"number": None, "town": None}
    assert "uniqueness_others" not in str(found)
