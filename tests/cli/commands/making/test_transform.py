"""The transform command: the release, what stays untouched, and what is refused before or after the work."""

import json
import os
import resource
import stat
from contextlib import contextmanager

import pandas as pd
import pyreadstat
import pytest

from command_line import run
from divulge._support.whole_files import file_digest

PEOPLE = "id,age,ill\n" + "".join(f"p{n},{20 + n * 7 % 50},{'flu' if n % 3 else 'cold'}\n" for n in range(40))
RECIPE = """seed = 7
[[step]]
mechanism = "remove"
attributes = ["id"]
[[step]]
mechanism = "rounding"
attributes = ["age"]
base = 10
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def transform(*more, out="released.csv"):
    return run("transform", "people.csv", "--recipe", "recipe.toml", "--out", out, *more)


def names(place):
    return sorted(one.name for one in place.iterdir())


def test_the_release_is_what_the_recipe_says_and_the_input_stays(place):
    code, _, err = transform("--keep-order")
    assert (code, err) == (0, "")
    lines = (place / "released.csv").read_text().splitlines()
    assert lines[:4] == ["age,ill", "20,cold", "30,flu", "30,flu"]
    assert len(lines) == 41
    assert (place / "people.csv").read_text() == PEOPLE


def test_what_no_step_changed_is_named_and_what_looks_like_an_identifier_twice(place):
    (place / "recipe.toml").write_text(RECIPE.replace('"remove"', '"prefix"\nkeep = 3'))
    _, said, _ = transform("--manifest", "what.json")
    assert "No step changed: id, ill.\n" in said
    assert "Note: id looks like an identifier and is in the release. To leave it out, add a step" in said
    manifest = json.loads((place / "what.json").read_text())
    assert manifest["unchanged"] == ["id", "ill"]
    assert any("id looks like an identifier" in note for note in manifest["notes"])
    _, said, _ = transform("--manifest", "shared.json", "--share", out="other.csv")
    assert json.loads((place / "shared.json").read_text())["unchanged"] is None


def test_rows_are_shuffled_and_the_key_says_which_was_which(place):
    assert transform("--write-key", "key.csv")[0] == 0
    assert transform("--keep-order", out="ordered.csv")[0] == 0
    released, ordered, key = (
        (place / name).read_text().splitlines()[1:] for name in ("released.csv", "ordered.csv", "key.csv")
    )
    assert released != ordered
    assert released == [ordered[int(row) - 1] for row in key]
    assert stat.S_IMODE(os.stat("key.csv").st_mode) == 0o600


def test_a_file_that_exists_is_replaced_only_when_allowed(place):
    for name in ("released.csv", "key.csv", "what.json"):
        (place / name).write_text("mine")
        code, _, err = transform("--write-key", "key.csv", "--manifest", "what.json")
        assert code == 2
        assert f"{name} is there already." in err
        assert (place / name).read_text() == "mine"
        (place / name).unlink()
    (place / "released.csv").write_text("mine")
    (place / "released.csv").chmod(0o640)
    assert transform("--overwrite")[0] == 0
    assert (place / "released.csv").read_text().startswith("age,ill\n")
    assert stat.S_IMODE(os.stat("released.csv").st_mode) == 0o640


@pytest.mark.parametrize("out", ["people.csv", "./people.csv", "link.csv", "recipe.toml"])
def test_the_input_is_never_an_output(place, out):
    (place / "link.csv").symlink_to(place / "people.csv")
    code, _, err = transform("--overwrite", out=out)
    assert code == 2
    assert err
    assert (place / "people.csv").read_text() == PEOPLE
    assert (place / "recipe.toml").read_text() == RECIPE


def test_a_file_of_a_pattern_is_never_an_output(place):
    (place / "more.csv").write_text(PEOPLE)
    code, _, err = run("transform", "*.csv", "--recipe", "recipe.toml", "--out", "more.csv", "--overwrite")
    assert code == 2
    assert "more.csv is already one of the files" in err
    assert (place / "more.csv").read_text() == PEOPLE


@contextmanager
def room_for(size):
    """A disk on which no file grows beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz", "feather", "xlsx"])
def test_a_full_disk_leaves_nothing_behind(place, ending):
    name = f"released.{ending}"
    (place / name).write_text("mine")
    before = names(place)
    with room_for(60):
        code, out, err = transform("--overwrite", out=name)
    assert (code, out) == (2, "")
    assert f"{name} cannot be written" in err
    assert (place / name).read_text() == "mine"
    assert names(place) == before


def test_a_folder_that_may_not_be_written_to_is_a_sentence(place, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("divulge._support.whole_files.tempfile.TemporaryDirectory", refused)
    code, _, err = transform()
    assert code == 2
    assert "released.csv cannot be written: permission denied." in err
    assert names(place) == ["people.csv", "recipe.toml"]


def test_a_form_that_is_not_written_is_refused_before_anything_is_read(place):
    (place / "people.csv").unlink()
    code, _, err = transform(out="released.xls")
    assert code == 2
    assert "Write .xlsx" in err


def test_a_folder_that_spark_does_not_write_is_refused_before_spark_starts(place):
    code, _, err = transform("--engine", "spark", out="released")
    assert code == 2
    assert err.startswith("divulge: Spark writes a release as a folder that ends in .parquet")


def test_a_manifest_has_no_page(place):
    assert transform("--manifest", "what.json")[0] == 0
    code, _, err = run("report", "what.json")
    assert code == 2
    assert "a document of the kind 'manifest', which has no page" in err


def test_the_shared_manifest_is_written_and_needs_a_file(place):
    assert transform("--manifest", "what.json", "--share")[0] == 0
    shared = json.loads((place / "what.json").read_text())
    assert (shared["shared"], shared["seed"], shared["input"]) == (True, None, None)
    assert shared["output"]["digest"] == file_digest(place / "released.csv")
    code, _, err = transform("--share", out="other.csv")
    assert code == 2
    assert "--share goes with --manifest." in err


def test_a_sheet_of_a_workbook_is_never_replaced_by_its_release(place):
    pytest.importorskip("python_calamine")
    assert transform(out="people.xlsx")[0] == 0
    before = (place / "people.xlsx").read_bytes()
    (place / "recipe.toml").write_text(RECIPE.replace('["id"]', '["ill"]'))
    asked = ("transform", "people.xlsx#release", "--recipe", "recipe.toml", "--overwrite", "--out")
    code, _, err = run(*asked, "people.xlsx")
    assert code == 2
    assert "people.xlsx is already one of the files" in err
    assert (place / "people.xlsx").read_bytes() == before
    assert run(*asked, "ages.csv")[0] == 0


def test_standard_input_can_be_released(place, monkeypatch):
    with (place / "people.csv").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        code, _, err = run("transform", "-", "--recipe", "recipe.toml", "--out", "released.csv")
    assert (code, err) == (0, "")


def test_a_release_of_an_spss_file_says_what_it_does_not_have(place):
    people = pd.DataFrame({"id": range(40), "sex": [1, 2, 9, 1] * 10, "age": range(20, 60)})
    labels = {"sex": {1: "male", 2: "female", 9: "no answer"}}
    pyreadstat.write_sav(
        people,
        place / "people.sav",
        column_labels=["", "Sex", "Age"],
        variable_value_labels=labels,
        missing_ranges={"sex": [9]},
    )
    code, said, _ = run("transform", "people.sav", "--recipe", "recipe.toml", "--out", "released.sav")
    assert code == 0
    assert (
        "Note: people.sav has codes with labels (the labels are values), labels of variables and codes that "
        "mean missing, which the release does not have; values that meant missing are empty.\n"
    ) in said
