"""Where mechanisms could easily go wrong: marks, halves, long numbers, names that are taken, ties."""

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.working_table import WorkingTable, rows_checksum
from divulge.recipes.recipe import Recipe
from divulge.table.codes import Codes


def step(mechanism, **parameters):
    return {"mechanism": mechanism, "attributes": ["x"], **parameters}


def released(table, *steps, **options):
    return dv.transform(table, list(steps), keep_order=True, **{"seed": 1} | options).data


@pytest.mark.parametrize(
    "step",
    [
        {"mechanism": "groups", "groups": {"one": ["1"]}, "others": "rest"},
        {"mechanism": "prefix", "keep": 0, "fill": "#"},
        {"mechanism": "rounding", "base": 10},
        {"mechanism": "intervals", "width": 10},
        {"mechanism": "pram", "retention": 0.1},
    ],
    ids=lambda step: step["mechanism"],
)
def test_a_suppressed_cell_stays_suppressed(step):
    found = released({"a": ["1", "*", "2", "*"] * 10}, {**step, "attributes": ["a"]})["a"]
    assert [value == "*" for value in found] == [False, True, False, True] * 10


def test_a_promise_of_k_holds_after_values_are_merged():
    rows = {"a": ["1", "1", "2", "3"], "z": ["x", "x", "x", "y"]}
    first = {"mechanism": "suppress_cells", "attributes": ["a", "z"], "k": 3, "matching": "wildcard"}
    second = {"mechanism": "groups", "attributes": ["a"], "groups": {"one": ["1"]}, "others": "rest"}
    found = released(rows, first, second)
    for one in zip(found["a"], found["z"], strict=True):
        matching = [
            other
            for other in zip(found["a"], found["z"], strict=True)
            if all(x == y or "*" in (x, y) for x, y in zip(one, other, strict=True))
        ]
        assert len(matching) >= 3


def test_halves_go_up_however_they_are_held_in_binary():
    found = released({"x": ["0.15", "0.25", "0.35", "0.95", "1.005"]}, step("rounding", base=0.1))["x"]
    assert found == ["0.2", "0.3", "0.4", "1.0", "1.0"]
    assert released({"x": [3.34, -1.44]}, step("rounding", base=0.1))["x"] == [3.3, -1.4]


def test_an_interval_holds_its_lower_edge_and_is_named_as_people_write():
    found = released({"x": [0.3, 0.5, 0.6, 1.2]}, step("intervals", width=0.1))["x"]
    assert found == ["[0.3, 0.4)", "[0.5, 0.6)", "[0.6, 0.7)", "[1.2, 1.3)"]


def test_whole_numbers_that_would_lose_digits_are_refused():
    with pytest.raises(DivulgeError, match="more than 15 digits"):
        released({"x": [100000000000000003, 5]}, step("top_bottom_coding", top=100000000000000002))


@pytest.mark.parametrize(
    "mechanism", [{"mechanism": "sample", "fraction": 0.5}, {"mechanism": "massc", "attributes": ["g"]}]
)
def test_an_attribute_that_is_there_is_not_written_over(mechanism):
    table = {"weight": [70.5, 60.0, 81.0, 55.5], "g": ["a", "a", "b", "b"]}
    with pytest.raises(DivulgeError, match="has an attribute 'weight' already"):
        released(table, mechanism)
    renamed = {**mechanism, "weight_name": "w"}
    assert set(released(table, renamed)["weight"]) <= set(table["weight"])


def test_every_stratum_keeps_a_record_and_weights_add_up():
    table = {"s": ["a"] * 96 + ["b"] * 4}
    found = released(table, {"mechanism": "sample", "fraction": 0.1, "strata": ["s"]})
    assert sum(found["weight"]) == pytest.approx(100)
    assert set(found["s"]) == {"a", "b"}


def test_domains_are_matched_as_numbers_and_words():
    pytest.importorskip("opendp")
    asked = {"epsilon": 50, "attributes": ["x"]}
    found = released(
        {"x": [1.0, 2.0, 2.0, None]}, {"mechanism": "private_counts", **asked, "domains": {"x": [1, 2]}}
    )
    assert dict(zip(map(str, found["x"]), found["count"], strict=True)) == {"1": 1, "2": 2, "other": 1}
    flags = {"mechanism": "private_counts", **asked, "domains": {"x": ["true", "false"]}}
    assert released({"x": [True, False, True]}, flags)["count"] == [2, 1, 0]


def test_records_that_the_original_does_not_have_are_refused(tmp_path):
    for number in (0, 99):
        (tmp_path / "plan.csv").write_text(f"record,action,attribute\n{number},leave out,\n")
        with pytest.raises(DivulgeError, match="records that the original does not have"):
            released({"x": [1, 2]}, {"mechanism": "listed_changes", "records": str(tmp_path / "plan.csv")})


@pytest.mark.parametrize(
    "steps",
    [
        [{"mechanism": "suppress_cells", "attributes": ["a", "b"], "k": 3, "matching": "wildcard"}],
        [{"mechanism": "targeted_swapping", "attributes": ["a"], "keys": ["b"], "k": 3}],
        [{"mechanism": "anatomy", "attributes": ["a"], "l": 2}],
        [{"mechanism": "pram", "attributes": ["a"]}],
        [{"mechanism": "sample", "fraction": 0.5, "strata": ["a"]}],
    ],
    ids=lambda steps: steps[0]["mechanism"],
)
def test_a_release_does_not_depend_on_how_values_are_listed(steps):
    """Numbers in the order of their size or of their first record, or as texts: the same records come out."""
    rng = np.random.default_rng(8)
    numbers = {name: rng.integers(0, 12, 40) for name in "ab"}
    [one] = Recipe.of(steps).steps
    found = []
    for form in (int, str):
        for ordered in (True, False):
            columns = {}
            for name, held in numbers.items():
                values = sorted(set(held.tolist())) if ordered else list(dict.fromkeys(held.tolist()))
                codes = np.array([values.index(value) + 1 for value in held.tolist()], np.uint8)
                columns[name] = Codes(codes, [form(value) for value in values])
            made = one.mechanism.apply(WorkingTable.of(columns), one, Draws(1, 1))
            found.append([[str(value) for value in column.values_of()] for column in made.columns.values()])
    assert found[0] == found[1] == found[2] == found[3]


def test_two_recipes_with_one_seed_have_two_orders():
    table = {"age": list(range(300)), "ill": list(range(300))}
    one = dv.transform(table, [{"mechanism": "remove", "attributes": ["ill"]}], seed=1).data["age"]
    other = dv.transform(table, [{"mechanism": "remove", "attributes": ["age"]}], seed=1).data["ill"]
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 20


def test_rows_of_another_table_are_refused(tmp_path):
    (tmp_path / "plan.csv").write_text("record,action,attribute\n1,leave out,\n")
    table = {"x": [1, 2, 3]}
    known = rows_checksum({"x": Codes.of(table["x"])})
    listed = {"mechanism": "listed_changes", "records": str(tmp_path / "plan.csv"), "checksum": known}
    assert released(table, listed)["x"] == [2, 3]
    with pytest.raises(DivulgeError, match="rows of another table"):
        released({"x": [3, 2, 1]}, listed)


def test_the_mean_of_few_people_is_refused():
    with pytest.raises(DivulgeError, match="fewer than 5 records"):
        released({"x": [1, 2, 3, 900]}, step("top_bottom_coding", top=10, replacement="mean"))


@pytest.mark.parametrize(
    "noisy", [step("noise", alpha=1e308), step("multiplicative_noise", alpha=1e200)], ids=["added", "factor"]
)
def test_numbers_that_become_infinite_are_refused(noisy):
    with pytest.raises(DivulgeError, match="too large to be written"):
        released({"x": [1.0, 2e5, 3e9]}, noisy)


def test_rounding_within_intervals_takes_the_middle_or_a_number_that_is_given():
    ages = {"x": ["17", "18", "37", "65", "120", None]}
    asked = step("interval_rounding", edges=[0, 18, 65, 120])
    assert released(ages, asked)["x"] == ["9", "41.5", "41.5", "92.5", "92.5", None]
    asked = step("interval_rounding", edges=[0, 18, 65, 120], to=[10, 40, 80])
    assert released(ages, asked)["x"] == ["10", "40", "40", "80", "80", None]
    assert released({"x": [17, 64]}, asked)["x"] == [10, 40]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"edges": [18]}, "edges need two numbers or more"),
        ({"edges": [18, 18, 65]}, "each larger than the last"),
        ({"edges": [0, 18, 65], "to": [9]}, "there are 2 intervals"),
        ({"edges": [0, 18, 65], "to": [9, 66]}, "a number within each"),
        ({"edges": [0, 18, 30]}, "'x' has numbers outside of all intervals"),
    ],
)
def test_intervals_to_round_in_that_make_no_sense_are_refused(said, wrong):
    with pytest.raises(DivulgeError, match=wrong):
        released({"x": ["17", "37"]}, step("interval_rounding", **said))
