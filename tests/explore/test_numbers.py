"""Every number that the page shows is the command line's, on the release and the recipe that it exports."""

import csv
import html
import io
import json
import runpy
import time
import zipfile
from collections import Counter
from contextlib import redirect_stdout
from functools import cached_property
from itertools import groupby

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge._support.wording import number
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import saved_session, session_text

KEYS = ["age", "zip", "sex"]
NEED = {"care": {"target": "ill", "keys": ["age", "sex"], "at_least": 0.1}}
AMOUNTS = {"age", "income"}
SEED, EXACT = 7, "--exact-counts"

ROUNDED = {"mechanism": "rounding", "attributes": ["income"], "base": 50}

TABLE = {
    "choices": {"population": {"source": "everyone.csv"}, "needs": NEED, "steps": [ROUNDED]},
    "uniqueness": [],
    "compare": ["--population", "everyone.csv", "--need", "keep/needs.toml"],
}
SHARE = {
    "choices": {"population": {"fraction": 0.2}, "needs": NEED},
    "uniqueness": ["--fraction", "0.2"],
    "compare": ["--need", "keep/needs.toml"],
}
WEIGHTS = {
    "choices": {"population": {"weight": "weight"}, "known": ["age", "zip"], "steps": [ROUNDED]},
    "uniqueness": ["--weights", "weight"],
    "compare": [],
}
RANDOM = {
    "choices": {
        "population": {"size": 2000},
        "steps": [
            {"mechanism": "sample", "fraction": 0.9, "weight_name": "drawn"},
            {"mechanism": "rank_swapping", "attributes": ["income"], "percent": 5},
        ],
    },
    "uniqueness": ["--fraction", "0.2"],  # 400 were drawn, of whom the step keeps some
    "compare": [],
}
NOTHING = {"choices": {"thresholds": {"k_anonymity": {"min": 3}}}, "uniqueness": [], "compare": []}
SCENARIOS = [
    pytest.param(TABLE, id="a table"),
    pytest.param(SHARE, id="a share", marks=pytest.mark.slow),
    pytest.param(WEIGHTS, id="weights", marks=pytest.mark.slow),
    pytest.param(RANDOM, id="random steps", marks=pytest.mark.slow),
    pytest.param(NOTHING, id="nothing", marks=pytest.mark.slow),
]


def finished(ask):
    told = ask()
    while told.get("comparing") or told.get("estimating"):
        time.sleep(0.01)
        told = ask()
    return told


class Explored:
    """A session, what its page shows, and the files of its archive unpacked beside the table."""

    def __init__(self, folder, scenario):
        self.folder, self.scenario = folder, scenario
        data = dv.read("people.csv", quasi_identifiers=KEYS, sensitive=["ill"])
        self.explorer = Explorer(data, name="people.csv", seed=SEED)
        self.explorer.change({"levels": {"age": 2}, "suppress": 1.0, **scenario["choices"]})
        self.figures = self.explorer.now()["figures"]
        self.compared = finished(self.explorer.compared)
        self.known = list(self.explorer.choices.known_keys)
        with zipfile.ZipFile(io.BytesIO(self.explorer.archive())) as archive:
            archive.extractall(folder)
            self.names = archive.namelist()
        with (folder / "publish" / "released.csv").open(newline="") as file:
            self.released = list(csv.DictReader(file))
        self.left = [row for row in self.released if any(row[key] != "*" for key in KEYS)]

    @cached_property
    def of_commands(self):
        """The comparison of the release that the recipe makes, record by record."""
        made = ["transform", "people.csv", "--recipe", "keep/recipe.toml", "--seed", SEED]
        assert run(*made, "--out", "again.csv", "--write-key", "key.csv")[0] == 0
        asked = ["--policy", "keep/policy.toml", "--key", "key.csv", *self.scenario["compare"]]
        return printed("compare", "people.csv", "again.csv", *asked, "--no-report")["releases"][0]

    def groups(self, rows, keys):
        def key(row):
            return tuple(row[name] for name in keys)

        return [list(group) for _, group in groupby(sorted(rows, key=key), key)]


@pytest.fixture(scope="module", params=SCENARIOS)
def explored(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    rng = np.random.default_rng(2)
    ages, records = rng.integers(20, 60, 2000), 2000
    columns = {
        "age": ages,
        "zip": rng.choice(["47677", "47678", "47905", "47906"], records, p=[0.4, 0.3, 0.28, 0.02]),
        "sex": rng.choice(["f", "m"], records),
        "ill": np.where(ages > 45, rng.choice(["flu", "gout"], records), "flu"),
        "income": ages * 20 + rng.integers(0, 500, records),
        "weight": rng.integers(3, 8, records),
    }
    for name, rows in (("everyone", slice(None)), ("people", slice(0, None, 5))):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(
                [list(columns), *zip(*(c[rows] for c in columns.values()), strict=True)]
            )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield Explored(folder, request.param)


def printed(*words):
    """The document that a command prints."""
    code, out, err = run(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def numbers(value, path=()):
    """Every number in a document, and every bound that hides one, by its path."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from numbers(one, (*path, name))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from numbers(one, (*path, place))
    elif (isinstance(value, int | float) and not isinstance(value, bool)) or (
        isinstance(value, str) and value[:1] in "<>~" and value[1:2].isdigit()
    ):
        yield path, value


def is_same(shown, exact):
    """Whether a number that is shown is the exact one, or a bound that holds."""
    if not isinstance(shown, str):
        return shown == pytest.approx(exact, rel=1e-9, abs=1e-12)
    bound = float(shown[1:])
    return {"<": exact < bound, ">": exact > bound, "~": exact == pytest.approx(bound, rel=0.5)}[shown[0]]


def test_every_figure_is_what_commands_print_of_the_exported_release(explored):
    known, left, figures = explored.known, explored.left, explored.figures
    measured = printed("measure", "publish/released.csv", "--keys", ",".join(known), "--target", "ill", EXACT)
    read = {(one["measure"], *one["parameters"].values()): one["value"] for one in measured["readings"]}
    before = printed("measure", "people.csv", "--keys", ",".join(known), "--target", "@record", EXACT)
    read_before = {(one["measure"], *one["parameters"].values()): one["value"] for one in before["readings"]}
    records, released = before["data"]["records"], len(explored.released)
    groups = explored.groups(left, known)
    by_illness = Counter(row["ill"] for row in left)
    single = sum(len(one) for one in groups if len({row["ill"] for row in one}) == 1)
    wanted = {
        ("records",): records,
        ("left",): measured["data"]["counted"],
        ("suppressed",): records - measured["data"]["counted"],  # by the last step, or left out by others
        ("suppressed_share",): 1 - measured["data"]["counted"] / records,
        ("incomplete",): measured["data"]["dropped"],
        ("groups",): read["class_count",],
        ("smallest",): read["k_anonymity",],
        ("unique",): read["uniqueness",] * len(left),
        ("unique_share",): read["uniqueness",],
        ("original", "smallest"): read_before["k_anonymity",],
        ("original", "unique"): read_before["uniqueness",] * records,
        ("original", "unique_share"): read_before["uniqueness",],
        ("learned", 0, "rate"): read["discrimination_rate",],
        ("learned", 0, "guessed_before"): max(by_illness.values()) / len(left),
        ("learned", 0, "guessed_after"): 1 - read["attacker_error", "average"],
        ("learned", 0, "certain"): single / len(left),
    }
    for place, (low, high) in enumerate(
        [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 10**9)]
    ):
        inside = sum(len(one) for one in groups if low <= len(one) <= high)
        wanted["sizes", place, "people"] = inside / len(left)
    wanted |= {("risks", place, "risk"): one for place, one in enumerate(risks(explored, read))}
    for place, by_record in enumerate((prosecuted(explored), *journalists(explored))):
        for point, bound in enumerate((0.5, 0.33, 0.2, 0.1, 0.05, 0.02, 0.01)):
            named = sum(risk > bound + 1e-12 for risk in by_record) / released
            wanted["risks", place, "above", point, "share"] = named
            wanted["risks", place, "above", point, "threshold"] = bound
    if figures["loss"] is not None:
        wanted |= losses(explored)
    shown = dict(numbers(figures))
    lacking = {
        path for path in set(wanted) - set(shown) if path[0] == "risks"
    }  # hidden: they tell few people
    assert set(wanted) - lacking == {path for path in shown if path[0] != "loss_by_attribute"}
    assert [path for path in set(wanted) & set(shown) if not is_same(shown[path], wanted[path])] == []


def risks(explored, read):
    """Prosecutor, journalist and marketer, by what says what the table is a sample of."""
    asked, known = explored.scenario["uniqueness"], ",".join(explored.known)
    worst, of = read["reidentification_risk", "highest"], len(explored.released)
    if asked:
        found = printed("uniqueness", "publish/released.csv", "--keys", known, *asked, EXACT)["risk"]
        found = found.get("model", found)
        return worst, found["largest"], found["expected"] / of
    by_attack = {one["attack"]: one["risk"] for one in explored.of_commands["attacks"]}
    return worst, by_attack.get("journalist", worst), by_attack["marketer"]


def prosecuted(explored):
    """One over the size of its group, for each record."""
    return [1 / len(one) for one in explored.groups(explored.left, explored.known) for _ in one]


def journalists(explored):
    """The chance to name each record, from the file of records, or counted in the population by hand."""
    asked, known = explored.scenario["uniqueness"], explored.known
    if asked:
        words = ["--keys", ",".join(known), *asked, "--records", "risk.csv"]
        assert run("uniqueness", "publish/released.csv", *words)[0] == 0
        with open("risk.csv", newline="") as file:
            return [[float(row["risk"]) for row in csv.DictReader(file)]]
    if "source" not in explored.explorer.choices.population:
        return [prosecuted(explored)]
    with open("everyone.csv", newline="") as file:
        everyone = Counter((int(row["age"]) // 10, row["zip"], row["sex"]) for row in csv.DictReader(file))
    fitting = [everyone[int(row["age"][0]), row["zip"], row["sex"]] for row in explored.left]
    return [[1 / people for people in fitting]]


def losses(explored):
    """The loss of these levels, which are on the front that the search for the least loss prints."""
    levels = {name: explored.explorer.choices.levels.get(name, 0) for name in KEYS}
    words = ["--quasi-identifiers", ",".join(KEYS), "--sensitive", "ill", "--suppress", "100%"]
    found = printed("anonymize", "people.csv", *words, "--k", str(explored.explorer.choices.least))
    points = {tuple(one["levels"].items()): one["loss"] for one in [found["best"], *found["front"]]}
    assert tuple(levels.items()) in points
    return {("loss",): points[tuple(levels.items())]}


def test_everything_before_and_after_is_what_compare_prints(explored):
    found, shown = explored.of_commands, explored.compared
    wanted = {
        "attacks": [{name: one[name] for name in shown["attacks"][0]} for one in found["attacks"]],
        "needs": found["needs"],
        "correlations": [
            one for one in found["loss"]["correlations"] if AMOUNTS.issuperset(one["attributes"])
        ],
        "totals": [one for one in found["loss"]["totals"] if one["attribute"] in {None, *AMOUNTS}],
    }
    counted = "source" in explored.explorer.choices.population
    [title] = [one["title"] for one in shown["attacks"] if one["attack"] == "marketer"]
    how = "counted in the table of the population" if counted else "everyone taken to be in the table"
    assert title == f"Marketer risk, {how}"
    exact = dict(numbers(wanted))
    told = {path: one for path, one in numbers(shown) if path[0] != "distributions"}
    assert len(told) > 20
    assert set(told) == set(exact)
    differing = [path for path in told if isinstance(told[path], str) or not is_same(told[path], exact[path])]
    assert [path for path in differing if told[path] != exact[path]] == []
    for one in shown["distributions"]:
        counts = Counter(row[one["attribute"]] for row in explored.left)
        for bar in one["bars"]:
            rest = len(explored.left) - sum(counts[other["label"]] for other in one["bars"])
            count = counts[bar["label"]] if bar["label"] != "other groups" else rest
            assert is_same(bar["after"], count / len(explored.left))


def test_figures_of_the_population_are_what_uniqueness_prints(explored):
    asked = explored.scenario["uniqueness"]
    if not asked:
        pytest.skip("nothing is estimated")
    shown = finished(explored.explorer.population)["figures"]
    found = printed("uniqueness", "publish/released.csv", "--keys", ",".join(explored.known), *asked)
    expected = found["risk"]["expected"]
    assert shown[2]["value"] == (None if expected is None else pytest.approx(expected))
    wanted = [
        None if found["spread"] is None else [found["spread"]["least"], found["spread"]["largest"]],
        None if found["match"] is None else found["match"]["interval"],
        found["risk"].get("interval"),
        found["estimated"]["k_map"]["interval"],
    ]
    for one, interval in zip(shown, wanted, strict=True):
        assert one["interval"] == (None if one["interval"] is None else pytest.approx(interval))
        assert (one["interval"] is None and one["value"] is None) == (one["undefined"] is not None)


def test_the_recipe_and_the_script_make_the_release_again_byte_for_byte(explored):
    first = (explored.folder / "publish" / "released.csv").read_bytes()
    assert explored.of_commands["records"] == len(explored.released)
    assert (explored.folder / "again.csv").read_bytes() == first
    with redirect_stdout(io.StringIO()) as said:
        runpy.run_path("keep/release.py")
    assert ("recipe.toml" in said.getvalue()) == bool(explored.scenario["compare"])
    assert (explored.folder / "released-again.csv").read_bytes() == first
    assert ("keep/needs.toml" in explored.names) == bool(explored.explorer.choices.needs)


def test_the_summary_says_who_is_named_and_what_needs_keep(explored):
    summary = html.unescape((explored.folder / "keep" / "summary.html").read_text())
    for one in explored.figures["risks"]:
        assert one["text"] in summary
    for one in explored.of_commands["needs"]:
        assert f"{one['name']}, {one['target']} from age, sex: {number(one['utility'])}" in summary
    if "source" in explored.explorer.choices.population:
        assert "The population is the table everyone.csv." in summary


def test_a_saved_session_has_the_population_and_the_needs(explored):
    (explored.folder / "mine.divulge").write_text(session_text(explored.explorer))
    again = saved_session("mine.divulge")
    assert again.choices == explored.explorer.choices
    told, before = again.now(), explored.explorer.now()
    assert {name for name in told if told[name] != before[name]} <= {"files_beside"}
