"""The uniqueness command as a user meets it."""

import json

import pytest

from command_line import run

TABLE = "age,sex,w\n" + "".join(f"{20 + row % 17},{'fm'[row % 2]},{1 + row % 5}\n" for row in range(60))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def test_the_page_says_the_table_first_and_the_spread_of_models(file):
    code, out, _ = run("uniqueness", file, "--keys", "age,sex", "--fraction", "0.2", "--special")
    assert code == 0
    assert out.splitlines()[1].startswith("Unique on age, sex: ")
    assert "Population: 300 people, 20% of them here" in out
    assert "zayatz" in out
    assert "Special uniques" in out


def test_the_document_holds_models_and_special_uniques(file):
    code, out, _ = run("uniqueness", file, "--keys", "age,sex", "--weights", "w", "--special", "--json")
    said = json.loads(out)
    assert code == 0
    assert {"uniques", "undefined", "interval"} <= set(said["population"]["pitman"])
    assert {"records", "score_sum", "score_max", "dis_max", "by_attribute", "by_value"} <= set(
        said["special"]
    )
    assert said["population_size"] == 180


def test_numbers_of_the_table_and_of_the_population_have_their_base(file):
    out = run("uniqueness", file, "--keys", "age,sex", "--population", "300")[1]
    assert "People of the 60 here who share their values with few people in the population" in out
    assert "fewer than 2, of 8 unique here" in out
    assert "People unique in the population, of all 300 people, by model" in out


@pytest.fixture
def everyone(tmp_path):
    """Those of the table, eight of them unique, and 40 more: 30 unique ones, and ten of seventy years."""
    path = tmp_path / "everyone.csv"
    path.write_text(TABLE + "".join(f"{100 + row},f,1\n" for row in range(30)) + "70,f,1\n" * 10)
    return path


def test_what_a_table_of_the_population_has_is_said_instead_of_what_models_make_of_it(file, everyone):
    asked = ("uniqueness", file, "--keys", "age,sex", "--population", everyone)
    code, out, _ = run(*asked)
    assert code == 0
    assert "  Unique in the population: 38 people, 8 of them here\n" in out
    assert "model" not in out
    code, out, _ = run(*asked, "--model", "zayatz")
    assert "zayatz" in out
    assert out.endswith("In the population table: 38 people, 8 of them here.\n")
    _, out, _ = run(*asked, "--json")
    said = json.loads(out)
    assert (said["known"]["unique"], said["known"]["unique_in_population"]) == (8, 38)
    assert said["population"]["pitman"]  # beside what is known, for those who compare


def test_one_model_alone_has_no_spread_and_the_page_says_so(file):
    said = run("uniqueness", file, "--keys", "age,sex", "--fraction", "0.2", "--model", "zayatz")
    assert "This is the number of one model" in said[1]
    assert "Models say" not in said[1]


def test_the_page_says_how_many_are_named_through_anyone_of_their_household(file, everyone):
    asked = ("uniqueness", file, "--keys", "age,sex", "--household", "w")
    _, out, _ = run(*asked, "--population", everyone)
    found = json.loads(run(*asked, "--population", everyone, "--json")[1])["risk"]
    assert found["expected_by_household"] > found["expected"]
    assert f"Through anyone of the household: {round(found['expected_by_household'])} of 60 records\n" in out
    _, out, _ = run(*asked, "--fraction", "0.2", "--exact-counts")
    assert "Through anyone of the household: " in out


def test_a_model_that_was_asked_for_and_has_no_solution_ends_with_3(file, tmp_path):
    alone = tmp_path / "alone.csv"
    alone.write_text("age,sex\n" + "".join(f"{row},f\n" for row in range(20)))
    code, out, _ = run("uniqueness", alone, "--keys", "age,sex", "--fraction", "0.1", "--model", "pitman")
    assert code == 3
    assert "undefined" in out
    assert "every record is unique" in out
    code, _, _ = run("uniqueness", alone, "--keys", "age,sex", "--fraction", "0.1")
    assert code == 0


def test_records_are_written_one_by_one(file, tmp_path):
    out = tmp_path / "risk.csv"
    code, _, _ = run("uniqueness", file, "--keys", "age,sex", "--special", "--records", out)
    lines = out.read_text().splitlines()
    assert code == 0
    assert lines[0] == "row,group_size,people,risk,score,dis,minimal_sets"
    assert len(lines) == 61


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--fraction", "2"), "at most 1"),
        (("--model", "pitmen", "--fraction", "0.1"), "pitman"),
        (("--model", "pitman"), "--fraction F"),
        (("--population", "10"), "the table has 60"),
        (("--special", "--scores", "scalled"), "Did you mean 'scaled'?"),
    ],
)
def test_bad_input_is_a_sentence(file, given, words):
    code, out, err = run("uniqueness", file, "--keys", "age,sex", *given)
    assert (code, out) == (2, "")
    assert words in err
