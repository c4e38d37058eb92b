"""The link command as a user meets it."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from command_line import run


@pytest.fixture
def files(tmp_path):
    rows = [(place, 20 + place % 50, "fm"[place % 2]) for place in range(120)]
    original, released = tmp_path / "original.csv", tmp_path / "released.csv"
    original.write_text("id,age,sex\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    released.write_text("id,age,sex\n" + "".join(f"{a},{b // 5 * 5 + 2},{c}\n" for a, b, c in reversed(rows)))
    return original, released


def test_the_page_puts_chance_beside_what_is_linked(files):
    code, out, _ = run("link", *files, "--by", "id")
    assert code == 0
    assert out.startswith("released.csv: 120 records, linked with 120 of original.csv")
    assert "At random: 0.8%" in out
    assert "By agreement (Fellegi and Sunter, 14,400 pairs)" in out


def test_the_document_is_one_of_its_kind(files):
    code, out, _ = run("link", *files, "--by", "id", "--json")
    said = json.loads(out)
    assert code == 0
    assert said["keys"] == {"age": "number", "sex": "category"}
    assert said["distance"]["of"] == 120


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--scale", "rang"), "rank"),
        (("--width-by", "x"), "deviation"),
        (("--keys", "agee"), "age"),
        (("--fuzzy", "naem"), "'naem'"),
        (("--structure", "age"), "--structure income,rent=tax"),
        (("--structure", "age=tax"), "'tax'"),
        (("--structure", "age=sex"), "'sex' has no order"),
        (("--structure", "age=age", "--groups", "121"), "more than a table has records"),
    ],
)
def test_bad_input_is_a_sentence(files, given, words):
    code, out, err = run("link", *files, "--by", "id", *given)
    assert (code, out) == (2, "")
    assert words in err


def test_links_one_to_one_say_how_ties_were_decided(files):
    code, out, _ = run("link", *files, "--by", "id", "--one-to-one", "--scale", "gower", "--seed", "7")
    assert code == 0
    assert "One to one: " in out
    assert "shuffled rows (seed 7); alike records share them" in out


def test_agreement_says_what_thresholds_give(files):
    code, out, _ = run("link", *files, "--by", "id")
    assert code == 0
    assert "for a person to look at: " in out
    assert "pairs from weight  precision  recall" in out


@pytest.fixture
def unrelated(files, tmp_path):
    """A release that has an income only, which rises with age."""
    released = tmp_path / "incomes.csv"
    released.write_text("id,income\n" + "".join(f"{one},{(20 + one % 50) ** 2}\n" for one in range(120)))
    return files[0], released


def test_tables_without_common_attributes_are_linked_by_structure(unrelated):
    code, out, _ = run("link", *unrelated, "--by", "id", "--structure", "age=income", "--groups", "5")
    assert code == 0
    assert "By structure: age beside income" in out
    assert "Rank correlation: 1\n" in out
    assert "By distance: not measured, since the tables have no attribute in common" in out
    code, _, err = run("link", *unrelated, "--by", "id")
    assert code == 2
    assert "no attribute in common" in err
    assert "--structure" in err


def test_what_was_asked_for_and_has_no_value_ends_with_three(files):
    fewer = files[1].with_name("fewer.csv")
    lines = files[1].read_text().splitlines(keepends=True)[:50]
    fewer.write_text("".join(lines).replace("id,age", "no,age"))
    code, out, _ = run(
        "link", files[0], fewer, "--one-to-one", "--keys", "sex", "--structure", "age=age", "--groups", "4"
    )
    assert code == 3
    assert "One to one: not measured, since which records belong together is not known" in out
    assert "By structure (age beside age): not measured" in out


@pytest.mark.skipif(
    find_spec("splink") is None, reason="Splink is not installed: pip install 'divulge[linkage]'"
)
def test_typing_errors_are_compared_by_splink(tmp_path):
    rng = np.random.default_rng(3)
    names, towns = (["".join(rng.choice(list("abcdefgh"), 7)) for _ in range(40)] for _ in range(2))
    original, released = tmp_path / "original.csv", tmp_path / "released.csv"
    rows = list(enumerate(zip(names, towns, strict=True)))
    original.write_text("id,name,town\n" + "".join(f"{one},{name},{town}\n" for one, (name, town) in rows))
    mistyped = "".join(f"{one},{name[:-1]}x,{town}\n" for one, (name, town) in rows)
    released.write_text("id,name,town\n" + mistyped)
    code, out, err = run("link", original, released, "--by", "id", "--fuzzy", "name,town")
    assert code == 0
    assert "With typing errors (Splink on DuckDB)\n  100% linked to their original (at random 2.5%)" in out
    assert "Pairs compared: 1,600 of 1,600 (every pair)" in out
    assert not any(name in out + err for name in names)
    code, out, _ = run("link", original, released, "--by", "id", "--fuzzy", "name", "--keys", "name")
    assert code == 3
    assert "With typing errors: undefined, since one attribute alone" in out


def test_that_no_link_can_be_known_to_be_right_is_said_before_the_work(files, tmp_path):
    (tmp_path / "fewer.csv").write_text("age,pay\n20,100\n30,200\n")
    (tmp_path / "all.csv").write_text("age,pay\n20,100\n30,200\n40,300\n")
    code, out, said = run("link", str(tmp_path / "all.csv"), str(tmp_path / "fewer.csv"))
    assert code in (None, 0)
    assert said.startswith("divulge: No link can be known to be right")
    assert "Rows cannot be aligned" not in said
    assert out.count("Rows cannot be aligned: the original has 3 records, the release 2.") == 1
