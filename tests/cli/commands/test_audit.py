"""The audit, init and demo commands as a user meets them."""

import json
import shlex
import shutil
import tomllib

import pytest
from typer.testing import CliRunner

from command_line import run
from divulge.cli import app as cli
from divulge.demo import write


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small clinic, written once; tests work on a copy."""
    return write(tmp_path_factory.mktemp("made") / "clinic", records=300)


@pytest.fixture
def clinic(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(made["data"].parent, tmp_path / "clinic")
    return {name: folder / path.name for name, path in made.items()}


@pytest.fixture(scope="module")
def audited(made):
    """What an audit of the clinic prints as JSON when no roles are given."""
    return ask("audit", made["data"], "--json").stdout


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    """The same without JSON: exit code, what is printed on both streams, and the folder written to."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return *run("audit", made["data"], "--markdown", "a.md", "--junit", "a.xml"), folder


def ask(*arguments):
    return CliRunner().invoke(cli.app, [*map(str, arguments)])


def test_an_audit_without_roles_suggests_them_and_writes_a_report(written):
    code, out, _, folder = written
    assert code == 0
    assert "Roles (suggested, since none were given)" in out
    assert "FAIL: Do not release: direct identifiers found ('contact')" in out
    assert "'contact' names people." in out
    assert "Report: clinic-audit.html" in out
    assert (folder / "clinic-audit.html").stat().st_size < 1_000_000


def test_the_command_that_is_printed_makes_the_roles_explicit(clinic, audited, monkeypatch):
    monkeypatch.chdir(clinic["data"].parent)
    first = json.loads(audited)
    again = json.loads(ask(*shlex.split(first["roles"]["explicit"])[1:], "--json").stdout)
    assert not again["roles"]["proposed"]
    *same, last = again["checks"]
    assert same == first["checks"][:-1]
    assert last["measure"] == "measured"  # that roles were only suggested is said there


def test_the_command_on_the_terminal_has_the_path_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    rows = (f"{20 + n % 4},{'mf'[n % 2]},{'abc'[n % 3]}\n" for n in range(60))
    (tmp_path / "data" / "people.csv").write_text("age,sex,illness\n" + "".join(rows))
    for path in (tmp_path / "data" / "people.csv", "data/people.csv"):
        command = ask("audit", path, "--no-report").stdout.splitlines()[-1]
        assert command.startswith(f"  divulge audit {path} --")
        assert ask(*shlex.split(command)[1:], "--no-report").exit_code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["data"]


def test_the_command_on_the_terminal_has_the_folder_of_the_layout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    rows = "".join(f"{20 + place % 4}{'mf'[place % 2]}{'abc'[place % 3]}\n" for place in range(60))
    (tmp_path / "data" / "people.asc").write_text(rows)
    (tmp_path / "data" / "people.rda").write_text("age 1 2\nsex 3 1\nillness 4 1\n")
    said = ("audit", "data/people.asc", "--layout", "data/people.rda")
    command = ask(*said, "--no-report").stdout.splitlines()[-1]
    assert command.startswith("  divulge audit data/people.asc --layout data/people.rda --")
    assert ask(*shlex.split(command)[1:], "--no-report").exit_code == 0
    assert "data/" not in json.loads(ask(*said, "--json").stdout)["roles"]["explicit"]


def test_the_page_fits_eighty_columns_and_has_no_colour_codes(written):
    _, out, err, _ = written
    long = [line for line in out.splitlines() if len(line) > 80]
    assert all("divulge audit" in line for line in long)  # the command stays one line, to be copied
    assert "\x1b" not in out + err


def test_json_prints_one_document_and_nothing_else_twice_the_same(clinic, audited, tmp_path):
    assert ask("audit", clinic["data"], "--json").stdout == audited
    assert json.loads(audited)["document"] == "divulge audit"
    assert not (tmp_path / "clinic-audit.html").exists()


def test_markdown_and_junit_are_written_beside(written):
    folder = written[-1]
    assert "Do not release" in (folder / "a.md").read_text()
    assert "<testsuite" in (folder / "a.xml").read_text()


@pytest.fixture
def unique(tmp_path):
    """A small table whose records are all unique."""
    path = tmp_path / "unique.csv"
    path.write_text(
        "age,sex,illness\n" + "".join(f"{20 + n},{'mf'[n % 2]},{'abc'[n % 3]}\n" for n in range(30))
    )
    return path


def test_markdown_is_printed_when_asked_for(unique):
    assert "Do not release" in ask("audit", unique, "--markdown", "-").stdout


def test_values_are_shown_when_asked_for(unique):
    hidden, shown = (ask("audit", unique, "--json", *more).stdout for more in ([], ["--show-values"]))
    assert json.loads(hidden)["classes"][0]["key"] is None
    assert json.loads(shown)["classes"][0]["key"]


def test_roles_beside_a_policy_are_refused(clinic):
    code, _, err = run("audit", clinic["data"], "--policy", clinic["policy"], "--sensitive", "diagnosis")
    assert code == 2
    assert "--sensitive cannot be given together with --policy" in err


def test_an_audit_with_a_policy_exits_by_its_verdict(clinic):
    assert ask("audit", clinic["data"], "--policy", clinic["policy"], "--no-report").exit_code == 1


def test_a_report_that_cannot_be_written_is_said(clinic):
    code, _, err = run("audit", clinic["data"], "--report", "no/such/folder/r.html")
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such.csv"], "no-such.csv"),
        (["DATA", "--sensitive", "diagnosys"], "Did you mean 'diagnosis'?"),
        (["DATA", "--sensitive", "diagnosis"], "no quasi-identifier"),
        (["DATA", "--report", "a.html", "--no-report"], "contradict"),
        (["DATA", "--json", "--markdown", "-"], "cannot both be printed"),
        (["DATA", "--policy", "no-such.toml"], "no-such.toml"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_two(clinic, arguments, said):
    code, out, err = run("audit", *(str(clinic["data"]) if a == "DATA" else a for a in arguments))
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


# -- init and demo -------------------------------------------------------------------------------


def test_init_writes_a_policy_that_check_can_use(clinic, audited):
    result = ask("init", clinic["data"], "--out", "clinic/mine.toml")
    assert result.exit_code == 0, result.output
    assert "quasi-identifier:" in result.stdout
    check = ask("check", "--policy", "clinic/mine.toml", "--json")
    assert check.exit_code == 1
    checked, proposed = json.loads(check.stdout), json.loads(audited)
    assert [one["found"] for one in checked["checks"]] == [one["found"] for one in proposed["checks"]]


@pytest.mark.parametrize("header", ["q1,q2,assets", "age,sex,disease", "UTILITYID,UTILNAME,STATE"])
def test_audit_and_init_use_the_same_roles(header, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n % 150},{(n * n) % 150},{n % 3}" for n in range(450)]
    (tmp_path / "a.csv").write_text("\n".join([header, *rows]) + "\n")
    audited = json.loads(ask("audit", "a.csv", "--json").stdout)["roles"]["attributes"]
    assert ask("init", "a.csv").exit_code == 0
    written = tomllib.loads((tmp_path / "divulge.toml").read_text())["attributes"]
    assert written == {one["name"]: one["role"] for one in audited}
    assert "quasi-identifier" in written.values()


def test_init_offers_codes_for_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("\n".join(["age,job", *["31,?", "44,cook", "31,nurse"] * 9]) + "\n")
    said = ask("init", "a.csv").stdout
    assert 'Probably missing values: "?". See missing_values in divulge.toml.' in said
    assert '#missing_values = ["?"]\n' in (tmp_path / "divulge.toml").read_text()


def test_init_does_not_write_over_a_file(clinic):
    code, _, err = run("init", clinic["data"], "--out", clinic["policy"])
    assert code == 2
    assert "is there already" in err
    assert ask("init", clinic["data"], "--out", clinic["policy"], "--overwrite").exit_code == 0


def test_the_command_that_a_draft_names_runs_as_it_is_pasted(clinic, monkeypatch):
    monkeypatch.chdir(clinic["data"].parent)
    said = ask("init", clinic["data"], "--out", "pol ö.toml").stdout
    assert said.endswith("then run: divulge check --policy 'pol ö.toml'\n")


def test_the_demo_makes_data_policy_and_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = ask("demo", "--size", "300")
    assert result.exit_code == 0, result.output
    made = {path.name for path in (tmp_path / "demo").iterdir()}
    assert made >= {"clinic.csv", "divulge.toml", "report.html"}


def test_the_command_that_the_demo_prints_works_where_it_was_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ask("demo", "--size", "300").stdout
    [command] = [line for line in said.splitlines() if line.startswith("    divulge anonymize")]
    assert command.startswith("    divulge anonymize demo/clinic.csv --policy demo/divulge.toml")
    assert "first give contact the role identifier, which removes it, then run:" in " ".join(said.split())
    policy = tmp_path / "demo" / "divulge.toml"
    assert "in demo/divulge.toml, contact = " in run(*shlex.split(command)[1:])[2]
    asked = policy.read_text().replace('contact        = "other"', 'contact        = "identifier"')
    policy.write_text(asked)
    code, _, wrong = run(*shlex.split(command)[1:])
    assert (tmp_path / "released.csv").exists() if code == 0 else "No transformation meets" in wrong


def test_the_suggested_command_quotes_a_name_that_holds_a_comma(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (f"{1000 + n % 7};{'mf'[n % 2]};{'abc'[n % 3]}\n" for n in range(120))
    (tmp_path / "p.csv").write_text("zip, old;patient's sex;disease\n" + "".join(rows))
    first = ask("audit", "p.csv", "--no-report").stdout.splitlines()[-1]
    assert """--quasi-identifiers '"zip, old",""" in first
    said = json.loads(ask(*shlex.split(first)[1:], "--no-report", "--json").stdout)["roles"]["attributes"]
    assert [one["role"] for one in said] == ["quasi-identifier", "quasi-identifier", "sensitive"]


def test_a_check_without_a_policy_says_how_to_write_one(tmp_path):
    code, _, wrong = run("check", tmp_path / "p.csv")
    assert code == 2
    assert "Missing option '--policy'" in wrong
    assert "divulge init FILE" in wrong


def test_an_option_for_roles_may_be_repeated_and_name_an_attribute_again(tmp_path):
    (tmp_path / "t.csv").write_text("age,zip,ill\n" + "20,1,flu\n30,2,cold\n" * 60)
    repeated = ("--quasi-identifiers", "age,age", "--quasi-identifiers", "zip", *("--sensitive", "ill") * 2)
    code, said, wrong = run("audit", tmp_path / "t.csv", *repeated, "--json")
    assert (code, wrong) == (0, "")
    roles = {one["name"]: one["role"] for one in json.loads(said)["roles"]["attributes"]}
    assert roles == {"age": "quasi-identifier", "zip": "quasi-identifier", "ill": "sensitive"}


def test_a_table_of_one_record_is_said_to_have_one(tmp_path):
    (tmp_path / "one.csv").write_text("age,sex\n31,f\n")
    code, _, wrong = run("audit", tmp_path / "one.csv")
    assert code == 2
    assert "The table has one record, so no roles can be suggested." in wrong


def test_a_check_with_two_sizes_says_which_fails_and_which_warns(tmp_path):
    (tmp_path / "t.csv").write_text("age,ill\n" + "".join(f"{n},{'abc'[n % 3]}\n" for n in range(120)))
    roles = ("--quasi-identifiers", "age", "--sensitive", "ill")
    said = " ".join(ask("audit", tmp_path / "t.csv", *roles, "--no-report").stdout.split())
    assert "are in groups smaller than 3 on age. Groups smaller than 5 warn, smaller than 3 fail." in said
