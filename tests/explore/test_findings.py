"""What could mislead on the page: labels, denominators, people of several records, races, what is masked."""

import csv
import io
import json
import sys
import time
import zipfile
from collections import Counter
from itertools import pairwise
from threading import Event

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.errors import DivulgeError
from divulge.explore.background import LatestWork
from divulge.explore.choosing.hierarchy_edits import merged, with_cuts
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import saved_session, session_text
from divulge.policy import Policy
from divulge.table.hierarchy import Hierarchy

KEYS = ["age", "zip"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(place, columns, name="people.csv"):
    """A table as a file, and its name."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    (place / name).write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return name


def table(records=400, seed=1):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, records).tolist(),
        "zip": rng.choice(["1001", "1002", "2101", "2102"], records).tolist(),
        "ill": rng.choice(["flu", "gout"], records).tolist(),
    }


def explorer_of(place, columns=None, **said):
    name = written(place, columns or table())
    roles = {"quasi_identifiers": KEYS, "sensitive": ["ill"]} | said
    return Explorer(dv.read(name, **roles), name=name, seed=5)


def unpacked(explorer):
    """The files of an archive by their names."""
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def released(explorer, place):
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(place)
    return dv.read("publish/released.csv")


AGES = Hierarchy.of(
    [(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", f"{age // 20}", "*") for age in range(18, 90)],
    attribute="age",
)


def test_a_group_of_several_has_a_name_that_covers_all_its_values():
    rows = with_cuts(AGES, 1, [45])
    for value, *groups in rows:
        for name in groups:
            assert name in ("*", "all values", "below 45" if int(value) < 45 else "45 or more")
    towns = Hierarchy.of(
        [("10", "1*", "a"), ("11", "1*", "a"), ("20", "2*", "b"), ("x", "x", "c")], attribute="t"
    )
    assert {row[2] for row in merged(towns, 1, ["1*", "2*"], "low")} == {"a or b", "c"}


@pytest.mark.parametrize("cuts", [[1234567], [0.123456, 0.123459]])
def test_labels_of_cuts_are_not_rounded(cuts):
    numbers = Hierarchy.of(
        [("0", "*"), ("0.1234575", "*"), ("1230748", "*"), ("1234567", "*")], attribute="n"
    )
    names = [row[1] for row in with_cuts(numbers, 1, cuts)]
    assert len(set(names)) == len(names) - sum(a == b for a, b in pairwise(names))
    assert any(repr(cuts[0]).removesuffix(".0") in name for name in names)


def test_what_further_steps_leave_out_counts_as_suppressed_and_the_original_is_the_table_itself(place):
    explorer = explorer_of(place)
    before = explorer.now()["figures"]["original"]
    step = {"mechanism": "suppress_records", "attributes": KEYS, "k": 2}
    found = explorer.change({"steps": [step], "suppress": 0.0})["figures"]
    left = released(explorer, place).records
    assert found["original"] == before
    assert found["records"] == 400
    assert found["suppressed"] >= 400 - left > 0
    assert not found["within_limit"]
    assert (found["loss"], found["loss_undefined"] is None) == (None, False)


def test_people_with_several_records_are_alone_with_all_of_them(place):
    columns = table(100)
    columns = {name: np.repeat(values, 6).tolist() for name, values in columns.items()}
    columns["who"] = np.repeat(np.arange(100), 6).tolist()
    explorer = explorer_of(place, columns, identifiers=["who"])
    alone = explorer.now()["figures"]["original"]["unique_share"]
    counts = {}
    for who, *key in zip(columns["who"], columns["age"], columns["zip"], strict=True):
        counts.setdefault(tuple(key), set()).add(who)
    by_hand = sum(len(people) == 1 for people in counts.values()) * 6 / 600
    assert alone == pytest.approx(by_hand)
    assert explorer.records()["records"]


def test_a_saved_session_is_the_same_with_hierarchies_orders_and_what_values_mean(place):
    tree = "\n".join(f"{age};{age // 30}" for age in range(18, 90))
    (place / "ages.csv").write_text(tree + "\n")
    (place / "p.toml").write_text(
        '[data]\nmissing_values = ["1002"]\n[attributes]\n'
        'age = { role = "quasi-identifier", hierarchy = "ages.csv" }\n'
        'zip = "quasi-identifier"\nill = "sensitive"\n[thresholds]\n'
        "k_anonymity = [{ min = 3 }, { min = 4, severity = 'warn' }]\n"
    )
    name = written(place, table())
    policy = Policy.read("p.toml")
    explorer = Explorer(policy.open(name), name=name, policy=policy, seed=5)
    explorer.change({"levels": {"age": 1}})
    (place / "s.divulge").write_text(session_text(explorer))
    again = saved_session("s.divulge")
    assert again.now()["figures"] == explorer.now()["figures"]
    assert unpacked(again) == unpacked(explorer)
    released(explorer, place)
    first = (place / "publish" / "released.csv").read_bytes()
    command = next(
        line[2:] for line in (place / "keep" / "recipe.toml").read_text().splitlines() if "transform" in line
    )
    assert run(*command.split()[1:])[0] == 0
    assert (place / "released-again.csv").read_bytes() == first


def test_what_was_read_otherwise_is_kept_and_can_be_taken_back(place):
    explorer = explorer_of(place)
    assert explorer.read_again(missing_values=["1001"])["attributes"][1]["missing"] > 0
    assert explorer.now()["reading"]["missing_values"] == ["1001"]
    assert explorer.read_again(missing_values=[])["attributes"][1]["missing"] == 0


def test_what_was_read_otherwise_keeps_the_population_and_needs_of_attributes_that_are_left(place):
    explorer = explorer_of(place)
    needs = {"care": {"target": "ill", "keys": ["age"]}}
    explorer.change({"population": {"fraction": 0.1}, "needs": needs})
    explorer.read_again(missing_values=["1001"])
    assert (explorer.choices.population, explorer.choices.needs) == ({"fraction": 0.1}, needs)
    explorer.change({"population": {"weight": "age"}})
    explorer.read_again(no_header=True, missing_values=[])
    assert (explorer.choices.population, explorer.choices.needs) == ({}, {})


def test_the_population_is_asked_by_what_steps_leave(place):
    explorer = explorer_of(place)
    step = {"mechanism": "remove", "attributes": ["age"]}
    explorer.change({"population": {"fraction": 0.1}, "steps": [step]})
    assert len(finished(explorer.population)["figures"]) == 4


def test_a_package_that_is_missing_is_named_with_its_extra(place, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, err = run("explore", written(place, table()), "--no-browser")
    assert code == 2
    assert "needs the package 'uvicorn'" in err
    assert "divulge[explore]" in err


def finished(ask):
    told = ask()
    while told.get("searching") or told.get("comparing") or told.get("estimating"):
        time.sleep(0.01)
        told = ask()
    return told


def test_what_was_found_for_other_choices_is_not_taken(place):
    explorer = explorer_of(place, table(100))
    explorer.best()
    explorer.change({"thresholds": {"k_anonymity": {"min": 50}}})
    with pytest.raises(DivulgeError, match="while it searched"):
        finished(explorer.searched)
    explorer.change({"thresholds": {"k_anonymity": {"min": 2}}, "levels": {"age": 3, "zip": 1}})
    explorer.compared()
    explorer.change({"levels": {"age": 4}})
    after = finished(explorer.compared)
    other = explorer_of(place, table(100))
    other.change({"thresholds": {"k_anonymity": {"min": 2}}, "levels": {"age": 4, "zip": 1}})
    assert after == finished(other.compared)


def test_work_that_is_no_longer_wanted_ends_at_its_next_stage_and_begins_anew_when_it_is():
    reached, go_on, works = Event(), Event(), LatestWork()

    def slow(stage):
        stage("first")
        reached.set()
        go_on.wait(5)
        stage("second")
        return "found"

    first = works.of("x", 1, slow)
    reached.wait(5)
    works.stop_other("x", 2)
    go_on.set()
    second = works.of("x", 1, slow)
    assert second.result() == "found"
    assert (first.over, first.found, second is first) == (True, None, False)
    assert works.of("x", 1, slow) is second


def test_records_with_a_gap_are_counted(place):
    columns = table()
    columns["zip"] = ["" if place % 9 == 0 else zip_ for place, zip_ in enumerate(columns["zip"])]
    explorer = explorer_of(place, columns, missing="drop")
    found = explorer.change({"suppress": 1.0})["figures"]
    assert found["incomplete"] == 45
    assert "lack a quasi-identifier" in found["sentence"]


def test_no_value_of_a_few_shows_while_records_are_locked(place):
    columns = table()
    columns["zip"][7] = "Secretville"
    columns["age"][7] = 104
    explorer = explorer_of(place, columns)
    explorer.edit("zip", "add", level=0)
    explorer.edit("age", "add", level=0)
    said = json.dumps([explorer.now()["attributes"], finished(explorer.compared)["distributions"]])
    assert "Secretville" not in said
    assert "104" not in said


def test_a_hidden_count_does_not_follow_from_a_risk(place):
    columns = {"age": [20] * 3 + [30] * 60, "zip": ["1"] * 63, "ill": ["flu", "gout", "flu"] * 21}
    explorer = explorer_of(place, columns)
    found = explorer.change({"thresholds": {"k_anonymity": {"min": 2}}})["figures"]
    assert found["smallest"] == "<5"
    assert found["risks"][0]["risk"] is None
    assert "33" not in found["risks"][0]["text"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("change", {"patch": 5}),
        ("change", {"patch": {"loss": ["granularity"]}}),
        ("edit", {"attribute": 5, "action": "cut"}),
        ("edit", {"attribute": "age", "action": ["cut"]}),
        ("edit", {"attribute": "age", "action": "cut", "cuts": ["x"]}),
        ("edit", {"attribute": "age", "action": "cut", "level": "1", "cuts": [30]}),
        ("edit", {"attribute": "zip", "action": "merge", "groups": [1, 2], "name": "x"}),
        ("pin", {"name": 5}),
        ("step_text", {"text": "step = 5"}),
        ("read_again", {"separator": 5}),
        ("read_again", {"missing_values": [5]}),
        ("read_again", {"path": "/etc/passwd"}),
        ("change", {"patch": {"population": {"source": "/etc/passwd"}}}),
        ("change", {"patch": {"population": {"source": "../people.csv"}}}),
        ("change", {"patch": {"population": {"size": 3}}}),
        ("change", {"patch": {"population": {"weight": "ill"}}}),
        ("change", {"patch": {"needs": {"care": {"target": "ill", "keys": ["ill"]}}}}),
    ],
)
def test_what_is_asked_wrongly_is_refused_and_changes_nothing(place, name, said):
    explorer = explorer_of(place)
    before = explorer.now()
    with pytest.raises(DivulgeError):
        explorer.asked(name, said)
    assert explorer.now() == before


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        (["--population", "5000"], {"size": 5000}),
        (["--population", "everyone.csv"], {"source": "everyone.csv"}),
        (["--fraction", "0.1"], {"fraction": 0.1}),
    ],
)
def test_the_command_takes_a_population_and_needs(place, monkeypatch, said, chosen):
    from divulge.explore.http import server

    written(place, table(), "everyone.csv")
    (place / "need.toml").write_text('[care]\ntarget = "ill"\nkeys = ["age"]\n')
    started = []
    monkeypatch.setattr(server, "explore", lambda explorer, **_: started.append(explorer))
    roles = ["--quasi-identifiers", "age,zip", "--sensitive", "ill", "--no-browser"]
    assert run("explore", written(place, table()), *roles, "--need", "need.toml", *said)[0] == 0
    [explorer] = started
    assert explorer.choices.population == chosen
    assert explorer.choices.needs == {"care": {"target": "ill", "keys": ["age"]}}


def test_two_populations_are_refused(place):
    code, _, err = run("explore", written(place, table()), "--population", "900", "--fraction", "0.1")
    assert code == 2
    assert "Give one of them" in err


def test_a_lone_record_and_one_that_nothing_makes_unique_are_shown_with_their_reasons(place):
    columns = {"age": [30, 30, 40, 40, 50], "zip": ["1", "2", "1", "1", "1"], "ill": list("abcab")}
    records = explorer_of(place, columns).records()["records"]
    by_row = {one["row"]: one["unique_by"] for one in records}
    # By hand: 50 occurs once, zip 2 once; 30 and zip 1 occur together once; rows 3 and 4 are alike.
    assert by_row == {5: [["age"]], 2: [["zip"]], 1: [["age", "zip"]], 3: [], 4: []}
    assert [one["row"] for one in records] == [2, 5, 1, 3, 4]
    words = ["--keys", "age,zip", "--special", "--records", "sets.csv"]
    assert run("uniqueness", "people.csv", *words)[0] == 0
    with open("sets.csv", newline="") as file:
        printed = {int(row["row"]): row["minimal_sets"] for row in csv.DictReader(file)}
    assert {row: "; ".join("+".join(one) for one in sets) for row, sets in by_row.items()} == printed
    lone = explorer_of(place, {"age": [30], "zip": ["1"], "ill": ["a"]})
    assert [one["row"] for one in lone.records()["records"]] == [1]
    assert finished(lone.compared)["undefined"].endswith("ask for less.")


def test_a_change_that_protects_a_record_does_so_and_a_lower_level_does_not(place):
    explorer = explorer_of(place)
    for one in explorer.records()["records"]:
        for change in one["protected_by"]:
            trees = explorer.scenes.scene(explorer.choices).trees
            for level in range(1, change["level"] + 1):
                groups = Counter(groups_at(explorer, trees, {change["attribute"]: level}))
                group = groups_at(explorer, trees, {change["attribute"]: level})[one["row"] - 1]
                assert (groups[group] >= 5) == (level == change["level"])


def groups_at(explorer, trees, levels):
    """The group of each record, value by value."""
    columns = []
    for name in KEYS:
        column = explorer.scenes.data.column(name)
        texts = [str(value) for value in column.values_of(column.codes)]
        level = levels.get(name, 0)
        group = dict(zip(trees[name].values, trees[name].groups[level - 1], strict=True)) if level else {}
        columns.append([group.get(text, text) for text in texts])
    return list(zip(*columns, strict=True))


def test_a_population_that_lacks_people_counts_those_who_are_in_the_table(place):
    columns = table(200)
    columns["zip"] = ["" if number % 11 == 0 else zip_ for number, zip_ in enumerate(columns["zip"])]
    others = table(300, seed=9)
    written(place, {name: column[::2] + others[name] for name, column in columns.items()}, "everyone.csv")
    explorer = explorer_of(place, columns)
    chosen = {"levels": {"age": 2}, "suppress": 1.0, "population": {"source": "everyone.csv"}}
    shown = {one["attacker"]: one["risk"] for one in explorer.change(chosen)["figures"]["risks"]}
    found = {one["attack"]: one["risk"] for one in finished(explorer.compared)["attacks"]}
    assert shown["journalist"] == pytest.approx(found["journalist"])
    assert shown["marketer"] == pytest.approx(found["marketer"])


def test_a_person_of_several_records_stands_for_as_many_people_as_the_mean_of_their_weights_says(place):
    columns = {
        "age": [20, 20, 20, 30, 30, 30] * 5,
        "zip": ["1"] * 30,
        "ill": ["flu", "gout"] * 15,
        "who": [f"p{number // 3}-{number % 3 % 2}" for number in range(30)],
        "w": [4, 2, 3, 5, 5, 6] * 5,
    }
    explorer = explorer_of(place, columns, identifiers=["who"])
    risks = explorer.change({"population": {"weight": "w"}})["figures"]["risks"]
    wanted = dv.uniqueness(
        dv.read("people.csv", identifiers=["who"], quasi_identifiers=KEYS, weights="w"), keys=KEYS
    )
    assert risks[1]["risk"] == pytest.approx(float(wanted.risk.max()))


def test_totals_are_of_attributes_whose_sum_means_something_and_of_a_population_only_where_one_is_known(
    place,
):
    rng = np.random.default_rng(3)
    columns = table() | {
        "income": rng.integers(500, 9000, 400).tolist(),
        "hhid": [row // 4 + 1 for row in range(400)],
        "walls": rng.integers(1, 4, 400).tolist(),
        "rooms": rng.integers(1, 7, 400).tolist(),
        "sampling_weight": [100] * 400,
    }
    explorer = explorer_of(place, columns)
    found = finished(explorer.compared)
    assert [one["attribute"] for one in found["totals"]] == [None, "age", "income"]
    assert [tuple(one["attributes"]) for one in found["correlations"]] == [("age", "income")]
    assert found["totals_of"] == "records"
    explorer.change({"types": {"rooms": "number"}})
    found = finished(explorer.compared)
    assert [one["attribute"] for one in found["totals"]] == [None, "age", "income", "rooms"]
    explorer.change({"population": {"weight": "sampling_weight"}})
    found = finished(explorer.compared)
    assert found["totals_of"] == "population"
    assert found["totals"][0]["original"] == 40_000
