"""What a shell completes: commands, words, measures, attributes of the file; and files by itself."""

import pytest

from command_line import run

HEADED = "age,zip code,sex,ill\n" + "".join(f"{30 + i},{i},{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(30))


@pytest.fixture
def completed(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(HEADED)
    (tmp_path / "bare.csv").write_text("".join(HEADED.splitlines(keepends=True)[1:]))
    monkeypatch.chdir(tmp_path)

    def complete(*words):
        monkeypatch.setenv("COMP_WORDS", " ".join(("divulge", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        monkeypatch.setenv("_DIVULGE_COMPLETE", "complete_bash")
        code, said, err = run()
        assert (code, err) == (0, "")
        return said.split("\n")[:-1]

    return complete


def test_commands_options_and_words_are_completed(completed):
    assert completed("me") == ["measure"]
    assert completed("audit", "--quasi") == ["--quasi-identifiers"]
    assert completed("audit", "--missing", "w") == ["wildcard"]
    assert completed("guide", "k_a") == ["k_anonymity"]


def test_attributes_of_the_file_are_completed(completed):
    assert completed("audit", "people.csv", "--sensitive", "i") == ["ill"]
    assert completed("audit", "people.csv", "--quasi-identifiers", "age,s") == ["age,sex"]
    assert completed("audit", "people.csv", "--json", "--identifiers", "a") == ["age"]


def test_a_first_line_that_may_be_a_record_is_not_shown(completed):
    assert completed("audit", "bare.csv", "--sensitive", "3") == [""]
    assert completed("audit", "none.csv", "--sensitive", "a") == [""]


def test_files_are_left_to_the_shell(completed, monkeypatch):
    assert completed("audit", "peo") == [""]
    for shell, left in {"bash": "complete -o default -F", "zsh": "compdef", "fish": "complete"}.items():
        monkeypatch.setenv("_DIVULGE_COMPLETE", f"source_{shell}")
        code, script, _ = run()
        assert code == 0
        assert left in script
        assert "\\u00" not in script  # nothing in it is a control character
