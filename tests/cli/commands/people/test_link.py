"""The link command as a user meets it."""

import json

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
    [(("--scale", "rang"), "rank"), (("--width-by", "x"), "deviation"), (("--keys", "agee"), "age")],
)
def test_bad_input_is_a_sentence(files, given, words):
    code, out, err = run("link", *files, "--by", "id", *given)
    assert (code, out) == (2, "")
    assert words in err
