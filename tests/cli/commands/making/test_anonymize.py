"""The anonymize command: what it prints and writes, and that its release passes the policy."""

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from command_line import besides_progress, run
from databases import sqlite_file
from report.outline import Outline

ROWS = [(20 + n % 7, "fm"[n % 2], ["flu", "cold", "gout"][n % 3]) for n in range(60)] + [(95, "f", "flu")]
POLICY = """
[attributes]
age = "quasi-identifier"
sex = { role = "quasi-identifier", hierarchy = "sex.csv" }
ill = "sensitive"

[thresholds]
k_anonymity = { min = 5 }
distinct_l_diversity = { min = 2 }
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["age,sex,ill", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    return tmp_path


def anonymize(*more):
    return run("anonymize", "people.csv", *more)


def test_the_release_passes_the_policy_and_the_recipe_makes_it_again(place):
    written = ("--out", "released.csv", "--write-recipe", "recipe.toml", "--keep-order")
    code, out, err = anonymize("--policy", "policy.toml", "--suppress", "5%", *written)
    assert (code, err) == (0, "")
    assert "Proved best: " in out
    assert "; fewer than 5 of 61 records suppressed." in out
    assert run("check", "released.csv", "--policy", "policy.toml")[0] == 0
    code, _, err = run(
        "transform", "people.csv", "--recipe", "recipe.toml", "--out", "again.csv", "--keep-order"
    )
    assert (code, err) == (0, "")
    assert (place / "again.csv").read_bytes() == (place / "released.csv").read_bytes()


def test_the_last_line_is_the_command_that_compares_the_release_with_its_original(place):
    options = ("--quasi-identifiers", "age,sex", "--sensitive", "ill", "--k", "5")
    for asked in (("--policy", "policy.toml", "--out", "a.csv"), (*options, "--write-recipe", "own.toml")):
        code, out, _ = anonymize("--suppress", "5%", *asked)
        last = out.splitlines()[-1]
        assert code == 0
        assert last.startswith("Compare: divulge compare people.csv ")
        code, out, err = run(*shlex.split(last.removeprefix("Compare: divulge ")), "--no-report")
        assert (code, besides_progress(err)) == (0, "")
    assert "Compare:" not in anonymize("--policy", "policy.toml", "--suppress", "5%")[1]


def test_a_recipe_names_the_loss_without_the_dust_of_floating_point(place):
    (place / "few.csv").write_text("age,sex,ill\n" + "20,f,flu\n21,m,cold\n22,f,gout\n" * 7)
    asked = (
        "--quasi-identifiers",
        "age,sex",
        "--sensitive",
        "ill",
        "--k",
        "10",
        "--write-recipe",
        "few.toml",
    )
    code, _, _ = run("anonymize", "few.csv", *asked)
    first = (place / "few.toml").read_text().splitlines()[0]
    assert code == 0
    assert len(first.split()[-1]) <= 15


def test_roles_and_thresholds_may_come_from_options(place):
    roles = ("--quasi-identifiers", "age,sex", "--sensitive", "ill")
    asked = ("--k", "5", "--threshold", "t_closeness=0.9", "--suppress", "0.05", "--hierarchy", "sex=sex.csv")
    code, out, err = anonymize(*roles, *asked, "--json", "--write-recipe", "recipe.toml", "--out", "made.csv")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["best"]["suppressed"] == "<5"
    assert document["best"]["levels"].keys() == {"age", "sex"}
    assert document["front"][0]["loss"] == document["best"]["loss"]
    assert document["hierarchies"]["age"]["made"]
    certificate = document["certificate"]
    assert certificate["evaluated"] + sum(certificate["excluded"].values()) == certificate["transformations"]
    assert run("check", "made.csv", "--policy", "recipe-policy.toml")[0] == 0
    code, _, err = run("transform", "people.csv", "--recipe", "recipe.toml", "--out", "again.csv")
    assert (code, err) == (0, "")
    assert sorted((place / "again.csv").read_text()) == sorted((place / "made.csv").read_text())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--mondrian",), "Numbers split where they lie: the loss is"),
        (("--suppress-cells",), "Single cells suppressed: the loss is"),
        (("--local",), "Local recoding: the loss is"),
    ],
)
def test_groups_recoded_by_themselves_pass_and_come_again_byte_for_byte(place, more, said):
    with (place / "people.csv").open("a") as file:
        file.writelines(
            f"{age},f,{ill}\n" for age, ill in ((91, "flu"), (92, "cold"), (93, "flu"), (94, "flu"))
        )
    written = ("--out", "released.csv", "--write-recipe", "recipe.toml", "--keep-order")
    code, out, err = anonymize("--policy", "policy.toml", "--suppress", "5%", *more, *written)
    assert (code, err) == (0, "")
    assert said in out
    assert run("check", "released.csv", "--policy", "policy.toml")[0] == 0
    again = ("--recipe", "recipe.toml", "--out", "again.csv", "--keep-order")
    assert run("transform", "people.csv", *again)[0] == 0
    assert (place / "again.csv").read_bytes() == (place / "released.csv").read_bytes()


def test_cells_that_save_nothing_stay(place):
    code, out, _ = anonymize("--policy", "policy.toml", "--suppress", "5%", "--suppress-cells")
    assert code == 0
    assert "Single cells suppressed: nothing finer was found that passes, so the best for all" in " ".join(
        out.split()
    )


def test_losses_for_a_need_and_of_a_model(place):
    (place / "need.toml").write_text('[care]\ntarget = "ill"\nkeys = ["age"]\n')
    for asked in (("need", "--need", "need.toml"), ("classification", "--predict", "ill")):
        code, out, err = anonymize("--policy", "policy.toml", "--loss", *asked, "--json", "--suppress", "5%")
        assert (code, besides_progress(err)) == (0, "")
        document = json.loads(out)
        assert document["loss"] == asked[0]
        assert 0 < document["best"]["loss"] < 1


def test_hierarchies_are_shown():
    code, out, _ = anonymize("--quasi-identifiers", "age,sex", "--show-hierarchies")
    assert code == 0
    assert "age (made from the values): 8 values;" in out
    assert "  20;20-24;" in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--policy", "policy.toml", "--k", "3"), "--k cannot be given together with --policy"),
        (("--policy", "policy.toml", "--sensitive", "ill"), "--sensitive cannot be given together"),
        (("--quasi-identifiers", "age"), "Nothing is asked of the release"),
        (("--quasi-identifiers", "age", "--k", "5", "--suppress", "101%"), "101% is above 100%"),
        (("--quasi-identifiers", "age", "--threshold", "t_closeness"), "no bound that is a number"),
        (("--quasi-identifiers", "age", "--threshold", "t_closenes=1"), "Unknown measure"),
        (
            ("--quasi-identifiers", "age", "--k", "62"),
            "No group of 62 can be made, because the table has 61 records",
        ),
        (("--policy", "policy.toml", "--out", "people.csv", "--overwrite"), "is already one of the files"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(more, said):
    code, _, err = anonymize(*more)
    assert code == 2
    assert said in " ".join(err.split())


# -- the report --------------------------------------------------------------------------------------

ROLES = ("--quasi-identifiers", "age,sex", "--sensitive", "ill", "--k", "5", "--suppress", "5%")


def test_page_markdown_json_and_text_have_the_same_numbers(place):
    asked = ("--policy", "policy.toml", "--suppress", "5%", "--report", "r.html", "--markdown", "r.md")
    code, out, err = anonymize(*asked)
    assert (code, err) == (0, "")
    assert anonymize(*asked[:4], "--report", "r.json")[0] == 0
    document = json.loads((place / "r.json").read_text())
    page = Outline((place / "r.html").read_text()).text
    for said in (out, page, (place / "r.md").read_text()):
        assert f"Loss {document['best']['loss']:.4f}".rstrip("0") in said
        assert "fewer than 5 of 61 records suppressed" in said
        for check in document["checks"]:
            assert check["title"] in said
            assert check["before"]["found_text"] in said
            assert check["after"]["found_text"] in said
        for name, tree in document["hierarchies"].items():
            assert name in said
            assert tree["forms"][0] in said
    assert document["provenance"]["command"] in page.replace("r.html", "r.json").replace(
        " --markdown r.md", ""
    )


def test_a_saved_document_is_drawn_as_the_page_that_the_command_writes(place):
    code, out, _ = anonymize(*ROLES, "--report", "r.html", "--json")
    assert code == 0
    (place / "found.json").write_text(out)
    assert run("report", "found.json", "--out", "again.html")[:2] == (0, "Report: again.html\n")
    assert (place / "again.html").read_text() == (place / "r.html").read_text()


def test_suggested_roles_are_said():
    code, out, _ = anonymize("--k", "3", "--suppress", "5%")
    assert code == 0
    assert "No roles given; using these suggestions. Quasi-identifiers: age, sex" in " ".join(out.split())


def test_a_report_of_no_known_form_is_refused_before_the_search(place):
    code, _, err = anonymize(*ROLES, "--report", "r.pdf", "--out", "released.csv")
    assert code == 2
    assert "The ending of r.pdf is not a known format. Use one of .html, .json, .md." in " ".join(err.split())
    assert not (place / "released.csv").exists()


# -- a search that ends early --------------------------------------------------------------------------


@pytest.fixture
def wide(place):
    """A table whose lattice of five billion transformations nothing can exhaust."""
    names = [f"q{number}" for number in range(14)]
    rows = [[(n * (place + 3) ** 2 + n // 7) % 60 for place in range(14)] for n in range(120)]
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    (place / "wide.csv").write_text("\n".join(lines) + "\n")
    return ("anonymize", "wide.csv", "--quasi-identifiers", ",".join(names), "--k", "3", "--suppress", "5%")


def test_time_leaves_a_bound_open_and_says_how_large_the_lattice_is(wide):
    code, out, _ = run(*wide, "--time", "0.2s", "--json")
    assert code == 0
    document = json.loads(out)
    certificate = document["certificate"]
    assert certificate["transformations"] == 5**14
    assert (certificate["proved"], certificate["stopped"]) == (False, "time")
    assert 0 <= certificate["bound"] < document["best"]["loss"]
    assert (document["front"], document["front_undefined"]) == (
        None,
        "there are too many transformations to evaluate one and all",
    )
    assert "of 6,103,515,625 transformations were evaluated" in document["sentence"]
    assert "Those left could have a loss as low as" in document["sentence"]


def test_an_interrupt_writes_the_best_so_far_and_says_so(wide, place):
    written = ("--out", "released.csv", "--write-recipe", "recipe.toml", "--report", "r.html", "--verbose")
    program = [sys.executable, "-c", "from divulge.cli import main; main()", *wide, *written]
    with subprocess.Popen(
        ["env", "--default-signal=INT", *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while not process.stderr.readline().startswith("Encoding: "):
                assert process.poll() is None
            time.sleep(0.2)  # it has said that the search begins
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert "divulge: stopped; this is the best so far." in err
    assert "Best so far (stopped by Ctrl-C): " in " ".join(out.split())
    assert "Best so far (stopped by Ctrl-C): " in Outline((place / "r.html").read_text()).text
    assert run("check", "released.csv", "--policy", "recipe-policy.toml")[0] == 0


def test_the_release_of_a_table_in_a_database_is_a_table_beside_it(place):
    address = sqlite_file(place / "people.db", {"people": ("age, sex, ill", ROWS)})
    roles = ["--quasi-identifiers", "age,sex", "--sensitive", "ill", "--k", "5", "--suppress", "5%"]
    code, out, err = run("anonymize", address, "--table", "people", *roles, "--out", "#released")
    assert code in (0, None), err
    assert "Release: #released" in out
    with closing(sqlite3.connect(place / "people.db")) as connection:
        rows = connection.execute("SELECT count(*) FROM released GROUP BY age, sex").fetchall()
    assert sum(often for (often,) in rows) == len(ROWS)
    assert sorted(often for (often,) in rows)[:2] == [1, 8]  # the one of the mark, then groups


def made_with(recipe):
    """The command that a recipe says the release is made with."""
    line = next(line for line in recipe.read_text().splitlines() if "Make the release with: " in line)
    return shlex.split(line.partition("divulge ")[2])


def test_a_policy_that_names_a_database_serves_its_release_the_recipe_and_the_comparison(place):
    sqlite_file(place / "people.db", {"people": ("age, sex, ill", ROWS)})
    data = '[data]\nsource = "sqlite:///people.db"\ntable = "people"\n'
    (place / "divulge.toml").write_text(data + POLICY)
    asked = ("--policy", "divulge.toml", "--suppress", "5%", "--out")
    (place / "in").mkdir()
    code, out, err = run("anonymize", *asked, "#released", "--write-recipe", "in/recipe.toml")
    assert code == 0, err
    assert run(*made_with(place / "in/recipe.toml"))[0] in (0, None)
    shown = "divulge compare 'sqlite:///people.db#people' --recipe in/recipe.toml --policy divulge.toml"
    assert out.splitlines()[-1] == f"Compare: {shown}"
    _, out, _ = run("anonymize", "sqlite:///people.db#people", *asked, "#again")
    tables = "'sqlite:///people.db#people' 'sqlite:///people.db#again'"
    assert out.splitlines()[-1] == f"Compare: divulge compare {tables} --policy divulge.toml"
    code, out, err = run("check", "sqlite:///people.db#released", "--policy", "divulge.toml")
    assert (code, besides_progress(err)) == (0, "")
    assert out.startswith("table released: ")
    assert "table people: " in run("check", "sqlite:///people.db", "--policy", "divulge.toml")[1]


def test_a_policy_with_a_layout_serves_a_release_as_csv_and_one_of_fixed_width(place):
    (place / "people.asc").write_text("".join(f"{age:2}{sex}{ill:4}\n" for age, sex, ill in ROWS))
    (place / "people.rda").write_text("age 1 2\nsex 3 1\nill 4 4\n")
    policy = '[data]\nsource = "people.asc"\nlayout = "people.rda"\n' + POLICY
    (place / "divulge.toml").write_text(policy.replace('age = "quasi-identifier"', 'age = "other"'))
    asked = ("anonymize", "--policy", "divulge.toml", "--suppress", "5%", "--out")
    for out in ("released.csv", "released.asc"):
        code, said, err = run(*asked, out)
        assert (code, besides_progress(err)) == (0, "")
        more = "--layout people.rda " if out == "released.asc" else ""
        assert said.splitlines()[-1].endswith(f"people.asc {out} {more}--policy divulge.toml")
        assert run("check", out, "--policy", "divulge.toml")[0] == 0
    code, _, err = run(*asked, "more.csv", "--write-recipe", "recipe.toml")
    command = made_with(place / "recipe.toml")
    assert "--layout" in command
    assert run(*command, "--overwrite")[0] in (0, None)
    compared = ("compare", "people.asc", "released.csv", "--layout", "people.rda", "--no-report")
    assert run(*compared, "--policy", "divulge.toml")[0] in (0, None)


def test_a_release_that_fails_is_not_proposed_as_the_file_to_write(place):
    (place / "people.csv").rename("released.csv")
    _, out, _ = run("check", "released.csv", "--policy", "policy.toml")
    assert "divulge anonymize released.csv --policy policy.toml" in " ".join(out.split())
    assert out.split().count("released.csv") == 1
    assert "--out anonymized.csv" in " ".join(out.split())


def test_the_command_that_compares_knows_the_values_that_were_merged(tmp_path, monkeypatch):
    """Rare towns are written (other) in the release, which no value of the original is called."""
    monkeypatch.chdir(tmp_path)
    towns = ["Ulm"] * 60 + ["Bonn"] * 60 + [f"town {n}" for n in range(12)] * 2
    rows = [f"{town},{'abc'[n % 3]}" for n, town in enumerate(towns)]
    (tmp_path / "towns.csv").write_text("\n".join(["town,illness", *rows]) + "\n")
    assert run("init", "towns.csv")[0] == 0
    code, said, _ = run(
        "anonymize", "--policy", "divulge.toml", "--loss", "precision", "--out", "released.csv"
    )
    assert code == 0
    assert "(other)" in (tmp_path / "released.csv").read_text()
    command = next(line for line in said.splitlines() if line.startswith("Compare: "))
    code, said, _ = run(*shlex.split(command.removeprefix("Compare: "))[1:], "--no-report")
    assert code == 0
    assert "not known what values" not in " ".join(said.split())
