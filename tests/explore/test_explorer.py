"""What the page is told is what the commands find on the release that it exports."""

import io
import json
import shlex
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.errors import DivulgeError
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import saved_session, session_text

RNG = np.random.default_rng(5)
AGES = RNG.integers(20, 60, 600)
TABLE = {
    "age": AGES.tolist(),
    "sex": RNG.choice(["f", "m"], 600).tolist(),
    "zip": RNG.choice(["47677", "47678", "47905", "47906"], 600).tolist(),
    "illness": np.where(AGES > 45, RNG.choice(["flu", "asthma"], 600), "flu").tolist(),
}
ROLES = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["illness"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = list(TABLE)
    lines = [",".join(names), *(",".join(map(str, row)) for row in zip(*TABLE.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def explorer_of(folder, **roles):
    return Explorer(dv.read("people.csv", **(roles or ROLES)), name="people.csv", seed=7)


def unpacked(explorer, folder):
    """The exported archive, unpacked."""
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(folder)
        return archive.namelist()


@pytest.mark.parametrize("levels", [{}, {"age": 2}, {"age": 1, "zip": 2, "sex": 1}])
@pytest.mark.parametrize("known", [["age", "sex", "zip"], ["age", "zip"]])
def test_every_figure_is_that_of_the_exported_release(folder, levels, known):
    explorer = explorer_of(folder)
    explorer.change({"levels": levels, "known": known, "suppress": 1})
    found = explorer.now()["figures"]
    unpacked(explorer, folder)
    released = dv.read("publish/released.csv", **ROLES)
    marked = [
        all(str(v) == "*" for v in row)
        for row in zip(
            *(released.column(n).values_of(released.column(n).codes) for n in ROLES["quasi_identifiers"]),
            strict=True,
        )
    ]
    left = released.taking(np.flatnonzero(~np.asarray(marked)))
    sizes = {
        r.name: r.value
        for r in dv.measure(left, keys=known, target="@record", measures=["k_anonymity", "class_count"])
    }
    rate = dv.measure(left, keys=known, target="illness", measures=["discrimination_rate"])[0].value
    assert found["left"] == 600 - sum(marked)
    assert found["suppressed"] == sum(marked)
    assert found["smallest"] == sizes["k_anonymity"]
    assert found["groups"] == sizes["class_count"]
    assert found["learned"][0]["rate"] == pytest.approx(rate, abs=1e-12)


def test_the_exported_recipe_and_script_make_the_release_again_byte_for_byte(folder):
    explorer = explorer_of(folder)
    explorer.change({"levels": {"age": 2, "zip": 1}})
    names = unpacked(explorer, folder)
    first = (folder / "publish" / "released.csv").read_bytes()
    kept = {f"keep/{name}" for name in ("recipe.toml", "policy.toml", "release.py", "manifest.json")}
    assert kept < set(names)
    recipe = (folder / "keep" / "recipe.toml").read_text()
    [command] = [line for line in recipe.splitlines() if "transform" in line]
    assert run(*shlex.split(command)[2:])[0] == 0
    again = folder / "released-again.csv"
    assert again.read_bytes() == first
    again.unlink()
    subprocess.run([sys.executable, "keep/release.py"], check=True, cwd=folder)
    assert (again.read_bytes(), (folder / "publish" / "released.csv").read_bytes()) == (first, first)
    [compared] = [line for line in recipe.splitlines() if "divulge compare" in line]
    assert run(*shlex.split(compared)[2:], "--no-report")[0] == 0


def test_what_may_be_published_is_apart_from_what_names_values_or_undoes_the_order(folder):
    explorer = explorer_of(folder)
    explorer.change({"levels": {"age": 2, "zip": 1}})
    names = unpacked(explorer, folder)
    published = sorted(name for name in names if name.startswith("publish/"))
    assert published == ["publish/README.txt", "publish/manifest.json", "publish/released.csv"]
    assert {name.split("/")[0] for name in names} == {"publish", "keep"}
    assert "keep/hierarchy-age.csv" in names
    assert json.loads((folder / "publish" / "manifest.json").read_text())["seed"] is None
    assert json.loads((folder / "keep" / "manifest.json").read_text())["seed"] == 7
    readme = (folder / "keep" / "README.txt").read_text()
    assert "Do not publish" in readme
    assert all(name in readme for name in ("recipe.toml", "hierarchy-age.csv", "summary.html"))


def test_the_best_release_is_that_of_anonymize(folder):
    explorer = explorer_of(folder)
    explorer.best()
    told = {"searching": True}
    while told["searching"]:
        told = explorer.searched()
    found = dv.anonymize(dv.read("people.csv", **ROLES), k=5, suppress=0.05)
    assert told["choices"]["levels"] == dict(found.best.levels)
    assert told["figures"]["loss"] == pytest.approx(found.best.loss, abs=1e-12)
    assert told["certificate"].startswith("Proved best")


def test_the_map_has_every_transformation_and_the_front_of_the_search(folder):
    explorer = explorer_of(folder)
    explorer.change({"thresholds": {"k_anonymity": {"min": 5}}})
    found = explorer.transformations()
    while found["done"] < found["transformations"]:
        found = explorer.transformations()
    front = dv.anonymize(dv.read("people.csv", **ROLES), k=5, suppress=0.05).front
    wanted = sorted((one.loss, one.risk) for one in front)
    shown = sorted((one["loss"], one["risk"]) for one in found["points"] if one["front"])
    assert np.asarray(shown) == pytest.approx(np.asarray(wanted))


def test_nothing_shows_a_value_until_records_are_unlocked(folder):
    explorer = explorer_of(folder)
    explorer.change({"thresholds": {"k_anonymity": {"min": 50}}})
    assert {cell for row in explorer.preview()["rows"] for cell in row} == {"•••"}
    assert {cell for one in explorer.records()["records"] for cell in one["values"].values()} == {"•••"}
    explorer.unlock()
    assert explorer.preview()["rows"][0] == [str(column[0]) for column in TABLE.values()]
    assert len(json.loads(session_text(explorer))["unlocked"]) == 1


def test_a_session_is_the_same_after_it_was_saved_and_holds_no_record(folder):
    explorer = explorer_of(folder)
    explorer.change({"levels": {"age": 2}})
    explorer.pin("coarse")
    explorer.edit("age", "cut", level=1, cuts=[30, 45])
    text = session_text(explorer)
    (folder / "mine.divulge").write_text(text)
    again = saved_session("mine.divulge")
    assert again.now() == explorer.now()
    assert "f,4" not in text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"form": "divulge session 1"}', '{"form": "other"}'])
def test_what_is_no_session_is_refused(folder, text):
    (folder / "broken.divulge").write_text(text)
    with pytest.raises(DivulgeError, match="no saved session"):
        saved_session("broken.divulge")


def test_a_refused_change_changes_nothing(folder):
    explorer = explorer_of(folder)
    before = explorer.now()
    with pytest.raises(DivulgeError):
        explorer.change({"thresholds": {"k_anonymit": {"min": 2}}})
    with pytest.raises(DivulgeError):
        explorer.edit("illness", "cut")
    assert explorer.now() == before


def test_without_a_quasi_identifier_the_page_says_so(folder):
    explorer = explorer_of(folder)
    told = explorer.change({"roles": dict.fromkeys(["age", "sex", "zip"], "other")})
    assert told["figures"] is None
    with pytest.raises(DivulgeError, match="quasi-identifier"):
        explorer.transformations()


def test_further_steps_come_before_levels(folder):
    explorer = explorer_of(folder)
    step = {"mechanism": "rounding", "attributes": ["age"], "base": 10}
    told = explorer.change({"steps": [step], "levels": {"zip": 1}})
    assert told["attributes"][0]["levels"][0]["groups"] == 5
    unpacked(explorer, folder)
    ages = dv.read("publish/released.csv").column("age")
    assert {value for value in ages.values_of(ages.codes) if value != "*"} <= {
        20,
        30,
        40,
        50,
        60,
        "20",
        "30",
        "40",
        "50",
        "60",
    }
