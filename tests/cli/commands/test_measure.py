"""The measure command as a user meets it: tables, JSON, exit codes and sentences."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from command_line import besides_progress, run
from divulge.cli import app as cli

PATIENTS = """record,Zip,Age,Disease
1,35567,22,colon cancer
2,35502,22,stomach cancer
3,35560,22,lung cancer
4,35817,45,stomach cancer
5,35810,63,diabetes
6,35812,40,aids
7,35502,35,aids
8,35568,35,flu
9,35505,32,lung cancer
"""
PARTITION = """[Disease]
cancer = ["colon cancer", "stomach cancer", "lung cancer"]
other = ["diabetes", "aids", "flu"]
"""


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS)
    return path


def run_json(*arguments):
    """The same in this process, which is quicker: the JSON document it prints."""
    result = CliRunner().invoke(cli.app, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def readings(document):
    return {(r["measure"], *r["parameters"].values()): r for r in document["readings"]}


def test_the_nine_patients_read_as_the_paper_prints_them(patients):
    code, out, err = run("measure", patients, "--keys", "Age", "--target", "Disease")
    assert (code, besides_progress(err)) == (0, "")
    lines = {line.split("  ")[0]: line.split() for line in out.splitlines() if line}
    assert lines["discrimination_rate"][1:3] == ["0.7002", "higher"]
    assert lines["mutual_information"][1:4] == ["1.7527", "bits", "higher"]
    assert "partial identifier" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_json_is_one_document_of_the_promised_shape(patients):
    code, out, err = run("measure", patients, "--keys", "Age", "--target", "Disease", "--by-value", "--json")
    assert (code, besides_progress(err)) == (0, "")
    found = json.loads(out)
    assert found["keys"] == ["Age"]
    assert found["target"] == "Disease"
    assert found["data"]["records"] == 9
    rate = readings(found)["discrimination_rate",]
    assert rate["value"] == pytest.approx(0.7001735516589389)
    assert {"measure", "value", "chance", "adjusted", "by_value"} <= rate.keys()
    assert rate["by_value"][0].keys() == {"key", "records", "value"}
    ages = [line["key"]["Age"] for line in rate["by_value"]]  # all of few records, so by name
    assert (len(ages), ages) == (6, sorted(ages))


def test_by_value_puts_the_riskiest_first_and_hides_small_counts(patients):
    asked = ("measure", patients, "--keys", "Age", "--target", "Disease", "--by-value")
    found, exact = run_json(*asked), run_json(*asked, "--exact-counts")
    lines = readings(exact)["discrimination_rate",]["by_value"]
    assert [line["value"] for line in lines] == sorted((line["value"] for line in lines), reverse=True)
    assert lines[-1]["key"] == {"Age": "22"}
    assert {line["value"] for line in readings(found)["worst_posterior",]["by_value"]} == {None, 1.0}
    assert {line["records"] for line in readings(found)["itpr",]["by_value"]} == {"<5"}
    assert {line["value"] for line in readings(found)["k_anonymity",]["by_value"]} == {"<5"}
    exact = run_json("measure", patients, "--keys", "Age", "--by-value", "--exact-counts")
    assert [line["records"] for line in readings(exact)["k_anonymity",]["by_value"]] == [1, 1, 1, 1, 2, 3]


def test_by_value_adds_a_line_for_each_combination(patients):
    _, out, _ = run(
        "measure", patients, "--keys", "Age,Zip", "--target", "Disease", "--by-value", "--top", "4"
    )
    head = out.splitlines().index(next(line for line in out.splitlines() if line.startswith("Age  Zip")))
    assert out.splitlines()[head + 2 + 4 :] == ["Shown: 4 of 9 groups, the riskiest."]


def test_the_target_record_measures_reidentification(patients):
    found = run_json("measure", patients, "--keys", "Age", "--target", "@record")
    # By hand: classes of 3, 2, 1, 1, 1, 1; H(X|Y) = (3 log2 3 + 2) / 9 and H(X) = log2 9.
    assert readings(found)["discrimination_rate",]["value"] == pytest.approx(0.76323, abs=1e-5)
    assert readings(found)["discrimination_rate",]["chance"] is None
    assert "shuffling changes nothing" in readings(found)["discrimination_rate",]["chance_undefined"]
    assert ("t_closeness", "equal") not in readings(found)


def test_partitions_give_the_semantic_discrimination_rate(patients, tmp_path):
    toml = tmp_path / "sp.toml"
    toml.write_text(PARTITION)
    found = run_json("measure", patients, "--keys", "Age", "--target", "Disease", "--partitions", toml)
    # Every age has one domain only, so the domain is told completely.
    assert readings(found)["discrimination_rate",]["value"] == 1
    assert found["partitions"] == {"Disease": ["cancer", "other"]}
    assert found["identifier_class"] == "identifier"


def test_measures_are_picked_and_given_parameters(patients):
    found = run_json(
        *("measure", patients, "--keys", "Zip", "--target", "Age"),
        *("--measure", "t_closeness", "--with", "ground=ordered"),
    )
    assert list(readings(found)) == [("t_closeness", "ordered")]


def test_an_order_may_be_given_for_text(tmp_path):
    path = tmp_path / "pay.csv"
    path.write_text("key,pay\na,low\na,mid\nb,mid\nb,high\n")
    found = run_json("measure", path, "--keys", "key", "--target", "pay", "--order", "pay=low,mid,high")
    # By hand: a has (1/2, 1/2, 0) against (1/4, 1/2, 1/4): 1/4 crosses each of two gaps, (1/4 + 1/4) / 2.
    assert readings(found)["t_closeness", "ordered"]["value"] == pytest.approx(0.25)


def test_roles_stand_in_for_keys_and_target(patients):
    found = run_json("measure", patients, "--quasi-identifiers", "Age,Zip", "--sensitive", "Disease")
    assert (found["keys"], found["target"]) == (["Age", "Zip"], "Disease")


def test_an_undefined_reading_is_null_with_its_reason_and_exit_code_three(tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("age,disease\n20,flu\n30,flu\n")
    asked = ("measure", path, "--keys", "age", "--target", "disease", "--measure", "itpr")
    code, out, _ = run(*asked, "--json")
    reading = json.loads(out)["readings"][0]
    assert (code, reading["value"]) == (3, None)
    assert "one value only" in reading["undefined"]
    code, out, _ = run(*asked)
    assert code == 3
    assert "itpr is undefined: the target has one value only" in " ".join(out.split())


def test_an_infinite_reading_is_null_in_json_and_inf_on_the_page(patients):
    found = run_json(
        "measure", patients, "--keys", "Age", "--target", "Disease", "--measure", "delta_disclosure"
    )
    assert found["readings"][0]["value"] is None
    assert found["readings"][0]["undefined"].startswith("infinite")


def test_the_same_seed_gives_the_same_bytes(patients):
    asked = ("measure", patients, "--keys", "Age", "--target", "Disease", "--json", "--seed", "7")
    assert run(*asked)[1] == run(*asked)[1]


def test_missing_and_suppressed_cells_are_said(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("age,zip,disease\n20,1,flu\n,1,cold\n?,2,flu\n*,*,flu\n")
    asked = ("measure", path, "--keys", "age,zip", "--target", "disease", "--missing-value", "?")
    _, out, _ = run(*asked)
    assert "left out: fewer than 5 suppressed" in out
    assert "Missing values (age <5): counted as a value" in out
    dropped = run_json(*asked, "--missing", "drop", "--exact-counts")
    assert dropped["data"] | {"suppressed": 1, "dropped": 2, "counted": 1} == dropped["data"]


def test_one_record_has_readings_where_they_are_defined(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("age,disease\n20,flu\n")
    code, out, _ = run("measure", path, "--keys", "age", "--target", "disease")
    assert code == 0
    assert "one.csv: 1 record\n" in out
    assert "(1 group)" in out


BAD = {
    "a misspelt key": (["--keys", "Agee"], "Did you mean 'Age'?"),
    "a misspelt target": (["--keys", "Age", "--target", "disease"], "Did you mean 'Disease'?"),
    "a misspelt measure": (["--keys", "Age", "--measure", "itprr"], "Did you mean 'itpr'?"),
    "no keys": ([], "No keys given."),
    "a key twice": (["--keys", "Age,Age"], "repeated"),
    "a key that is the target": (["--keys", "Age", "--target", "Age"], "both a key and the target"),
    "text as weights": (["--keys", "Age", "--weights", "Disease"], "9 of 9 are not"),
    "an unknown way with missing": (
        ["--keys", "Age", "--missing", "ignore"],
        "Choose value, drop or wildcard.",
    ),
    "a parameter nobody takes": (["--keys", "Age", "--measure", "itpr", "--with", "l=3"], "It takes none."),
    "a parameter without a measure": (["--keys", "Age", "--with", "l=3"], "--with needs --measure."),
    "no such partitions": (
        ["--keys", "Age", "--partitions", "nowhere.toml"],
        "There is no file nowhere.toml",
    ),
    "a hierarchy without a file": (["--keys", "Age", "--hierarchy", "Age"], "NAME=VALUE"),
    "a table of a file": (["--keys", "Age", "--table", "t"], "database"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_is_a_sentence_and_exit_code_two(patients, arguments, sentence):
    code, out, err = run("measure", patients, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("divulge: ")
    assert sentence in err
    assert "Traceback" not in err


FILES = {
    "an empty file": ("", "is empty"),
    "a header alone": ("a,b\n", "a header but no records"),
    "a name twice": ("Age,Age\n1,2\n", "more than one attribute called Age"),
    "a ragged row": ("Age,b\n1,2\nmarker-7,2,3\n", "Line 3 of data.csv has 3 fields"),
    "a binary file": ("\x00\x01\x02\x00", "binary"),
    "all suppressed": ("Age,b\n*,1\n*,2\n", "No record is left to count"),
}


@pytest.mark.parametrize(("content", "sentence"), FILES.values(), ids=FILES.keys())
def test_a_bad_file_is_a_sentence_that_shows_no_values(tmp_path, content, sentence):
    path = tmp_path / "data.csv"
    path.write_text(content)
    code, out, err = run("measure", path, "--keys", "Age")
    assert (code, out) == (2, "")
    assert sentence in err
    assert "marker-7" not in err


@pytest.mark.parametrize("what", ["missing.csv", "."])
def test_a_missing_file_and_a_directory_are_sentences(tmp_path, what):
    code, _, err = run("measure", tmp_path / what, "--keys", "Age")
    assert code == 2
    assert "No file" in err or "has no table files" in err


def test_values_of_records_appear_only_when_asked_for(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_text("age,disease\nmarker-1,marker-2\nmarker-3,marker-4\nmarker-1,marker-4\n")
    asked = ("measure", path, "--keys", "age", "--target", "disease")
    for extra in ([], ["--json"], ["--missing", "wildcard"], ["--weights", "disease"]):
        code, out, err = run(*asked[:2], "--keys", "age", *extra)
        assert "marker" not in out + err, (extra, code)
    assert "marker-1" in run(*asked, "--by-value")[1]


def test_the_command_starts_light():
    child = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from divulge.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in child.stderr.splitlines()}
    assert not loaded & {"numpy", "duckdb", "scipy", "pandas"}
    assert "audit" in child.stdout


CLASSED = ("discrimination_rate", "itpr", "worst_posterior", "k_anonymity", "distinct_l_diversity")


def test_very_many_classes_are_cut_to_the_riskiest_and_that_is_said(tmp_path, monkeypatch, capsys):
    from divulge.cli.commands import measure as measuring

    path = tmp_path / "many.csv"
    path.write_text("key,x\n" + "".join(f"{i},{i % 3}\n" for i in range(50)))
    monkeypatch.setattr(measuring, "MOST_LINES", 7)
    result = CliRunner().invoke(
        cli.app, ["measure", str(path), "--keys", "key", "--target", "x", "--by-value", "--json"]
    )
    assert len(readings(json.loads(result.stdout))["itpr",]["by_value"]) == 7
    assert "Shown: 7 of 50 groups, the riskiest." in result.stderr
    asked = ("measure", path, "--keys", "key", "--target", "x", "--by-value", "--top", "3")
    chosen = [word for name in CLASSED for word in ("--measure", name)]
    assert run(*asked)[1].endswith("Shown: 3 of 50 groups, the riskiest.\n")
    assert run(*asked, *chosen)[1].endswith("Shown: 4 of 5 measures; --json has all.\n")


def test_one_value_has_nothing_to_be_related_to(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("age,disease\n20,flu\n")
    assert "related" not in run("measure", path, "--keys", "age", "--target", "disease")[1]


def test_a_table_too_small_to_say_what_unrelated_data_reach_says_so(patients):
    _, out, _ = run("measure", patients, "--keys", "Age", "--target", "Disease")
    said = "No noise and no p: fewer than 30 records share their key values with another."
    assert said in " ".join(out.split())
    assert "reliable" not in out


def test_beside_an_adjusted_rate_stands_what_unrelated_data_reach(tmp_path):
    path = tmp_path / "visits.csv"
    rows = [f"{row % 40},{'flu' if row * 7 % 11 < 5 else 'cold'}" for row in range(200)]
    path.write_text("\n".join(["ward,disease", *rows]) + "\n")
    asked = ("measure", path, "--keys", "ward", "--target", "disease", "--measure", "discrimination_rate")
    _, out, _ = run(*asked)
    _, found, _ = run(*asked, "--json")
    [reading] = json.loads(found)["readings"]
    line = next(line for line in out.splitlines() if line.startswith("discrimination_rate"))
    assert line.split()[-2:] == [f"{reading['noise']:.2g}", f"{reading['p_value']:.3f}"]
    assert "Noise: the adjusted value that unrelated data of this shape reach" in " ".join(out.split())
    assert json.loads(found)["association"]["p_value"] == reading["p_value"]


def test_a_program_of_its_own_ends_without_a_word_on_standard_error(patients):
    """Nothing that was imported is left over at the end, which DuckDB would complain about."""
    command = [sys.executable, "-m", "divulge", "measure", patients, "--keys", "Age", "--target", "Disease"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert besides_progress(done.stderr) == ""


@pytest.fixture
def clinic(tmp_path):
    """A population of 600 people on two keys, and the 200 of them that were drawn."""
    rows = [f"{i},{i % 7},{'abc'[i % 3]},{i // 3 % 50},{1 + i % 3}" for i in range(600)]
    for name, some in (("population", rows), ("drawn", rows[:200])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,age,ill,place,w", *some, ""]))
    return tmp_path


def test_a_level_says_what_a_sample_says_of_the_population(clinic):
    asked = ("measure", clinic / "drawn.csv", "--keys", "age", "--target", "ill")
    found = {
        one["measure"]: one["in_population"] for one in run_json(*asked, "--interval", "0.9")["readings"]
    }
    assert {one["level"] for one in found.values()} == {0.9}
    assert found["discrimination_rate"]["method"] == "left-out prediction and plug-in rate"
    assert found["itpr"] == {
        "kind": "cannot tell",
        "low": None,
        "high": None,
        "estimate": None,
        "level": 0.9,
        "method": None,
        "reason": "no interval is known to hold",
    }
    _, out, _ = run(*asked, "--interval", "0.9", "--weights", "w")
    assert "In the population, with 90 % confidence" in out
    assert "uniqueness                     at most  ]................  0.0" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "with 95 % confidence" in run(*asked, "--sample")[1]
    assert "in_population" not in run_json(*asked)["readings"][0]
    code, _, error = run(*asked, "--interval", "0.3")
    assert (code, "from 0.8 to 0.999" in error) == (2, True)


def test_a_table_of_the_population_says_how_many_people_share_a_records_values(clinic):
    asked = ("measure", clinic / "drawn.csv", "--keys", "age,place", "--weights", "w")
    found = run_json(*asked, "--population", clinic / "population.csv")["population"]
    assert (found["people"], found["fraction"]) == (600, pytest.approx(1 / 3))
    assert found["k_map"] == 1
    assert found["risk"]["largest"] == 1
    assert found["delta_presence"]["largest"] == 1
    _, out, _ = run(*asked, "--population", clinic / "population.csv")
    assert "Population: 600 people, 33.3% of them here" in out
    assert "k-map 1, delta-presence 0 to 1" in out
    code, _, error = run(*asked, "--population", clinic / "drawn.csv")
    assert code == 0
    short = clinic / "short.csv"
    short.write_text("age,place\n1,1\n")
    code, _, error = run(*asked, "--population", short)
    assert (code, "lacks people of the sample" in error) == (2, True)


def test_keys_in_groups_are_in_groups_in_the_population_too(clinic):
    groups = clinic / "groups.toml"
    groups.write_text('[age]\nyoung = ["0", "1", "2"]\nold = ["3", "4", "5", "6"]\n')
    asked = ("measure", clinic / "drawn.csv", "--keys", "age", "--partitions", groups)
    found = run_json(*asked, "--population", clinic / "population.csv")["population"]
    young = sum(i % 7 < 3 for i in range(600))
    assert found["k_map"] == min(young, 600 - young)
