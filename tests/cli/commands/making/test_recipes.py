"""The loop on the command line: a draft, a comparison, an attacker who knows the recipe, a plan as one."""

import csv
import json

import numpy as np
import pytest

from command_line import run
from divulge.recipes.recipe import Recipe


@pytest.fixture
def place(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    rows = [["name", "age", "zip", "disease"]]
    rows += [
        [f"Person {n}", int(rng.integers(20, 80)), f"4{rng.integers(7600, 7620)}", ["flu", "cold"][n % 2]]
        for n in range(300)
    ]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    codes = "".join(f"4{code};4{code // 10}*;*****\n" for code in range(7600, 7620))
    (tmp_path / "zip.csv").write_text(codes)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_draft_can_be_applied_and_compared(place):
    code, said, _ = run("init", "people.csv", "--write-recipe", "recipe.toml", "--hierarchy", "zip=zip.csv")
    assert code in (None, 0)
    assert "recipe.toml" in said
    recipe = Recipe.read("recipe.toml")
    assert [step.mechanism.name for step in recipe.steps][:1] == ["remove"]
    assert {step.mechanism.name for step in recipe.steps} >= {"recode", "intervals", "suppress_records"}
    assert run("transform", "people.csv", "--recipe", "recipe.toml", "--out", "out.csv")[0] in (None, 0)
    code, said, _ = run("compare", "people.csv", "--recipe", "recipe.toml", "--json")
    assert code in (None, 0)
    [release] = json.loads(said)["releases"]
    assert release["name"] == "recipe.toml"
    assert [one["name"] for one in json.loads(said)["provenance"]["files"]] == ["people.csv", "recipe.toml"]
    assert release["alignment"]["how"] == "as the recipe was applied"
    with open("out.csv") as file:
        assert release["records"] == len(file.readlines()) - 1


def test_a_draft_keeps_the_beginning_of_codes_and_the_year_of_dates(place):
    rows = [f"{n},4{7600 + n % 20},19{50 + n % 40}-05-1{n % 9},{'fm'[n % 2]}" for n in range(300)]
    (place / "coded.csv").write_text("\n".join(["id,zip,birth date,sex", *rows]) + "\n")
    assert run("init", "coded.csv", "--write-recipe", "recipe.toml")[0] == 0
    steps = {step.attributes: step for step in Recipe.read("recipe.toml").steps}
    prefix, years = steps["zip",], steps["birth date",]
    assert (prefix.mechanism.name, prefix["keep"]) == ("prefix", 2)
    assert (years.mechanism.name, years["unit"]) == ("dates", "year")
    assert run("transform", "coded.csv", "--recipe", "recipe.toml", "--out", "out.csv")[0] == 0


def test_a_draft_can_be_applied_where_nearly_everyone_is_unique(place):
    """Every two sizes differ, and each day is another: no group of 5 is there without more recoding."""
    rows = [f"{1930 + n % 70}-05-1{n % 9},{chr(0x4E00 + n % 60)},a{n:04}" for n in range(200)]
    (place / "rare.csv").write_text("\n".join(["birth date,town,size", *rows]) + "\n")
    assert run("init", "rare.csv", "--write-recipe", "recipe.toml")[0] == 0
    assert "none would be left" in (place / "recipe.toml").read_text()
    assert run("transform", "rare.csv", "--recipe", "recipe.toml", "--out", "out.csv")[0] == 0
    assert run("compare", "rare.csv", "--recipe", "recipe.toml", "--no-report")[0] == 0


def test_a_draft_has_bands_as_wide_as_the_numbers_ask_for(place):
    """Bands of 10 would leave everybody alone among incomes, and be too many to be made."""
    rng = np.random.default_rng(1)
    small, large = rng.integers(20, 80, 300).tolist(), rng.integers(0, 9_000_000, 300).tolist()
    rows = [f"{one},{other}" for one, other in zip(small, large, strict=True)]
    (place / "wide.csv").write_text("\n".join(["q1,q2", *rows]) + "\n")
    assert run("init", "wide.csv", "--write-recipe", "recipe.toml")[0] == 0
    widths = [
        step["width"] for step in Recipe.read("recipe.toml").steps if step.mechanism.name == "intervals"
    ]
    # The middle nine tenths are about 53 and 8,100,000; 60 groups of 5 are 8 bands of each.
    assert widths == [10, 2_000_000]
    assert run("transform", "wide.csv", "--recipe", "recipe.toml", "--out", "out.csv")[0] == 0


def test_a_recipe_and_its_release_compare_alike(place):
    """What the recipe makes in passing is what transform writes, for one seed."""
    (place / "r.toml").write_text(
        'seed = 3\n[[step]]\nmechanism = "intervals"\nattributes = ["age"]\nwidth = 20\n'
        '[[step]]\nmechanism = "pram"\nattributes = ["disease"]\nretention = 0.9\n'
    )
    assert run("transform", "people.csv", "--recipe", "r.toml", "--out", "out.csv", "--keep-order")[0] in (
        None,
        0,
    )
    asked = ["--quasi-identifiers", "age,zip", "--sensitive", "disease", "--json"]
    found = [
        json.loads(run("compare", "people.csv", *given, *asked)[1])["releases"][0]
        for given in (["out.csv", "--by", "name"], ["--recipe", "r.toml", "--by", "name"])
    ]
    attacks = [{one["attack"]: one["risk"] for one in release["attacks"]} for release in found]
    assert attacks[0] == attacks[1]  # beside them stands what who knows the recipe achieves
    written, passing = (
        {key: one for key, one in release.items() if key not in ("name", "attacks")} for release in found
    )
    assert written == passing


def test_nothing_to_compare_is_a_sentence(place):
    code, _, wrong = run("compare", "people.csv")
    assert code == 2
    assert "No release was given." in wrong


def test_an_attacker_who_knows_the_recipe(place):
    (place / "r.toml").write_text('[[step]]\nmechanism = "pram"\nattributes = ["disease"]\nretention = 0.8\n')
    code, said, _ = run(
        "attacker", "--file", "people.csv", "--recipe", "r.toml", "--attribute", "disease", "--json"
    )
    assert code in (None, 0)
    found = json.loads(said)
    assert found["privacy"]["prior"] == pytest.approx(0.5)
    assert found["privacy"]["average"] == pytest.approx(0.2)
    code, _, wrong = run("attacker", "--file", "people.csv", "--recipe", "r.toml")
    assert code == 2
    assert "--attribute" in wrong


def test_the_plan_of_an_audit_is_a_recipe(place):
    code, said, _ = run("audit", "people.csv", "--no-report", "--write-recipe", "plan.toml")
    assert code in (None, 0)
    assert "--write-recipe" in said
    recipe = Recipe.read("plan.toml")
    assert recipe.steps[0].mechanism.name == "remove"
    assert "name" in recipe.steps[0].attributes
    assert run("transform", "people.csv", "--recipe", "plan.toml", "--out", "out.csv")[0] in (None, 0)
    code, said, _ = run("audit", "out.csv", "--json", "--no-report")
    assert all(
        check["outcome"] == "pass" for check in json.loads(said)["checks"] if check["severity"] == "fail"
    )


def test_a_recipe_after_which_a_check_does_not_pass_says_so(place):
    """Two people share each zip, which has no groups: only the number of people can be left out."""
    rows = [f"{n},{chr(0x4E00 + n // 2)},{'abc'[n % 3]}" for n in range(120)]
    (place / "own.csv").write_text("\n".join(["pid,zip,ill", *rows]) + "\n", encoding="utf-8")
    roles = ("--identifiers", "pid", "--quasi-identifiers", "zip", "--sensitive", "ill", "--no-report")
    _, _, said = run("audit", "own.csv", *roles, "--write-recipe", "own.toml")
    assert "after the steps of own.toml" in said
    [line] = [line for line in (place / "own.toml").read_text().splitlines() if "After these steps" in line]
    assert "People who can be singled out (fail)" in line
    assert Recipe.read("own.toml").steps[0].attributes == ("pid",)
    _, _, said = run("audit", "people.csv", "--no-report", "--write-recipe", "plan.toml")
    assert ("after the steps" in said) == ("After these steps" in (place / "plan.toml").read_text())


def test_printed_commands_name_files_as_they_were_given(place):
    (place / "data").mkdir()
    (place / "people.csv").rename(place / "data/people.csv")
    assert run("init", "data/people.csv", "--out", "data/p.toml")[0] == 0
    asked = ("data/people.csv", "--policy", "data/p.toml", "--no-report", "--write-recipe", "data/plan.toml")
    _, said, _ = run("audit", *asked)
    assert "divulge anonymize data/people.csv --policy data/p.toml" in " ".join(said.split())
    recipe = (place / "data/plan.toml").read_text()
    assert "divulge transform data/people.csv --recipe data/plan.toml --out released.csv" in recipe
    _, said, _ = run("audit", "--policy", "data/p.toml", "--no-report")
    assert "divulge anonymize --policy data/p.toml" in " ".join(said.split())
    _, said, _ = run("audit", *asked[:4], "--markdown", "-")
    assert "data/people.csv" not in said


def test_a_key_file_aligns_a_release_with_its_original(place):
    (place / "r.toml").write_text(
        '[[step]]\nmechanism = "remove"\nattributes = ["name"]\n'
        '[[step]]\nmechanism = "sample"\nfraction = 0.5\nweight_name = ""\n'
    )
    made = run("transform", "people.csv", "--recipe", "r.toml", "--out", "out.csv", "--write-key", "key.csv")
    assert made[0] in (None, 0)
    asked = ["--quasi-identifiers", "age,zip", "--sensitive", "disease", "--json"]
    code, said, _ = run("compare", "people.csv", "out.csv", "--key", "key.csv", *asked)
    assert code in (None, 0)
    alignment = json.loads(said)["releases"][0]["alignment"]
    assert (alignment["aligned"], alignment["how"]) == (150, "by the key of the release")
    code, _, wrong = run("compare", "people.csv", "out.csv", "--key", "people.csv", *asked)
    assert code == 2
    assert "is no key" in wrong


def test_neither_command_says_how_few_records_were_left_out(place):
    rows = [f"{20 + n % 2},{'flu' if n % 3 else 'cold'}" for n in range(60)]
    (place / "few.csv").write_text("\n".join(["age,disease", *rows, "90,flu", "95,cold"]) + "\n")
    (place / "k.toml").write_text('[[step]]\nmechanism = "suppress_records"\nattributes = ["age"]\nk = 3\n')
    assert (
        "more than 57 of 62 records" in run("transform", "few.csv", "--recipe", "k.toml", "--out", "o.csv")[1]
    )
    asked = (
        "compare",
        "few.csv",
        "--recipe",
        "k.toml",
        "--quasi-identifiers",
        "age",
        "--sensitive",
        "disease",
    )
    found = json.loads(run(*asked, "--json")[1])
    assert (found["original"]["records"], found["releases"][0]["records"]) == ("<65", 60)
    assert [one["records"] for one in found["provenance"]["files"]] == ["<65", 60]
    assert "62" not in found["methods"]["text"]
    assert json.loads(run(*asked, "--json", "--exact-counts")[1])["original"]["records"] == 62
