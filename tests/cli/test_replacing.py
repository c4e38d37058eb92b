"""What is replaced without a question: a report of divulge on the same table, and nothing else."""

import pytest

from command_line import run

PEOPLE = "age,sex,illness\n" + "".join(f"{20 + n % 4},{'mf'[n % 2]},{'abc'[n % 3]}\n" for n in range(60))
ROLES = ("--quasi-identifiers", "age,sex", "--sensitive", "illness")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.txt").write_text(PEOPLE)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "page"),
    [
        (("audit", "people.csv", *ROLES), "people-audit.html"),
        (("audit", "people.csv", *ROLES, "--report", "page.html"), "page.html"),
        (("compare", "people.csv", "people.txt", *ROLES), "people-comparison.html"),
        (("table", "people.csv", "--by", "sex,illness", "--report", "page.html"), "page.html"),
        (
            (*("anonymize", "people.csv", *ROLES, "--k", "2"), "--report", "page.html"),
            "page.html",
        ),
        (("attacker", "crowds", "--users", "3", "--submit", "0.5", "--report", "page.html"), "page.html"),
    ],
)
def test_a_file_that_is_no_report_is_not_replaced(place, command, page):
    (place / page).write_text("<title>my page</title>")
    code, printed, wrong = run(*command)
    assert (code, printed) == (2, "")
    assert f"{page} is there already, and is not a report of divulge." in wrong
    assert "--overwrite" in wrong
    assert (place / page).read_text() == "<title>my page</title>"
    assert run(*command, "--overwrite")[0] == 0
    assert "(divulge " in (place / page).read_text()
    assert run(*command)[0] == 0  # it is ours now


def test_a_report_on_another_table_is_not_replaced(place):
    assert run("audit", "people.csv", *ROLES)[0] == 0
    made = (place / "people-audit.html").read_text()
    code, _, wrong = run("audit", "people.txt", *ROLES)
    assert code == 2
    assert "people-audit.html is there already, and is a report on another table." in wrong
    assert (place / "people-audit.html").read_text() == made


def test_a_page_that_was_drawn_is_replaced_and_another_is_not(place):
    (place / "mix.json").write_text(
        run("attacker", "crowds", "--users", "3", "--submit", "0.5", "--json")[1], "utf-8"
    )
    assert run("report", "mix.json")[0] == 0
    assert run("report", "mix.json")[0] == 0
    (place / "mix.html").write_text("mine")
    code, _, wrong = run("report", "mix.json")
    assert (code, (place / "mix.html").read_text()) == (2, "mine")
    assert "mix.html is there already, and is not a report of divulge." in wrong
    assert run("report", "mix.json", "--overwrite")[0] == 0


def test_a_document_of_divulge_is_replaced(place):
    command = ("anonymize", "people.csv", *ROLES, "--k", "2", "--report", "found.json")
    assert run(*command)[0] == 0
    assert run(*command)[0] == 0
    (place / "found.json").write_text('{"mine": "document"}')
    assert run(*command)[0] == 2


def test_a_demo_that_was_changed_is_kept(place):
    assert run("demo", "--size", "100")[0] == 0
    policy = place / "demo" / "divulge.toml"
    assert run("demo", "--size", "100")[0] == 0
    policy.write_text(policy.read_text() + "# mine\n")
    code, printed, wrong = run("demo", "--size", "100")
    assert (code, printed) == (2, "")
    assert "demo/divulge.toml is there already, with other content." in wrong
    assert policy.read_text().endswith("# mine\n")
    assert run("demo", "--size", "100", "--overwrite")[0] == 0
    assert "# mine" not in policy.read_text()
