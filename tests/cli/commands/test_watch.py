"""The watch command: readings while records arrive."""

import json
import re
import signal
import subprocess
import sys

import pytest

from command_line import run
from schemas import fits

POLICY = """
[attributes]
age = "quasi-identifier"
ill = "sensitive"
[thresholds]
k_anonymity = { min = 2 }
discrimination_rate = { max = 0.9 }
"""
ROWS = ["31,flu", "31,cold", "40,flu", "40,cold"] * 300


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "divulge.toml"
    path.write_text(POLICY)
    return path


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("age,ill\n" + "\n".join(ROWS) + "\n")
    return path


def watched(file, policy, *more):
    return run("watch", file, "--policy", policy, "--every", "1h", *more)


def test_at_the_end_all_checks_are_read(log, policy):
    code, out, err = watched(log, policy, "--once", "--window", 1000)
    assert (code, err) == (0, "")
    assert "PASS  1,000 of the last 1,000 records; 1,200 arrived" in out
    assert "Attributes that name people" in out


def test_a_reading_is_a_document_a_line(log, policy):
    code, out, _ = watched(log, policy, "--once", "--json")
    [document] = map(json.loads, out.splitlines())
    fits(document)
    assert (code, document["outcome"], document["records"], document["ended"]) == (0, "pass", 1200, True)


def test_what_was_not_measured_is_listed_as_check_does(log, policy):
    rows = log.read_text().splitlines()
    log.write_text("\n".join([f"{rows[0]},town", *(f"{row},x" for row in rows[1:])]) + "\n")
    out = watched(log, policy, "--once")[1]
    checked = run("check", log, "--policy", policy)[1]
    note = (
        "Not measured: what is learned about ill (not asked), whether someone is in the table, what other "
        "releases reveal, attributes without a role (town), whether a person has several records and whether "
        "the table is a sample."
    )
    assert all(f"note {note}" in " ".join(said.split()) for said in (out, checked))
    [document] = map(json.loads, watched(log, policy, "--once", "--json")[1].splitlines())
    assert document["notes"] == [note]


def test_groups_that_the_file_does_not_have_are_no_plain_pass(log, policy):
    policy.write_text(POLICY.replace('"quasi-identifier"', '{ role = "quasi-identifier", bins = [50] }'))
    code, out, _ = watched(log, policy, "--once")
    assert code == 0
    assert "  WARN  1,200 of" in out
    assert "WARN  age is counted in 1 group and the file has 2 values: what passes holds" in out


def test_an_odd_file_is_read_as_it_is_described(log, policy, tmp_path):
    odd = tmp_path / "odd.csv"
    rows = [line.split(",") for line in log.read_text().splitlines()]
    odd.write_text("".join("~".join(f"${value}$" for value in row) + "\n" for row in rows), "cp1251")
    described = ("--separator", "~", "--quote", "$", "--encoding", "cp1251")
    plain, found = (
        json.loads(watched(file, policy, "--once", "--json", *more)[1])
        for file, more in ((log, ()), (odd, described))
    )
    assert found["checks"] == plain["checks"]
    assert watched(odd, policy, "--once", "--encoding", "utf-16")[0] == 2


def test_what_has_no_value_says_why_and_what_is_not_there_what_to_do(policy, tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("age,ill\n31,flu\n")
    code, out, _ = watched(one, policy, "--once")
    assert code == 1
    assert "Discrimination rate of ill could not be evaluated: the target has one value only" in out
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert watched(empty, policy, "--once")[2] == (
        "divulge: There is nothing in empty.csv. Write a header and records to it.\n"
    )
    assert "Check the path." in watched(tmp_path / "none.csv", policy)[2]


def test_one_who_is_alone_in_the_window_fails(log, policy):
    with log.open("a") as file:
        file.write("99,flu\n")
    assert watched(log, policy, "--once")[0] == 1


def test_one_who_left_the_window_is_not_counted(log, policy):
    text = log.read_text()
    log.write_text(text.replace("age,ill\n", "age,ill\n99,flu\n", 1))
    assert watched(log, policy, "--once", "--window", 1200)[0] == 0
    assert watched(log, policy, "--once", "--window", 1201)[0] == 1


def test_an_attribute_that_names_people_never_passes(tmp_path):
    policy, log = tmp_path / "divulge.toml", tmp_path / "log.csv"
    policy.write_text(POLICY.replace("[thresholds]", 'name = "identifier"\n[thresholds]'))
    log.write_text("name,age,ill\n" + "".join(f"Ann {place},{row}\n" for place, row in enumerate(ROWS)))
    code, out, _ = watched(log, policy, "--once")
    assert code == 1
    assert "fail     Attributes that name people" in out


def test_lines_that_are_no_records_are_said_or_end_it(log, policy):
    with log.open("a") as file:
        file.write("1,2,3\n" * 7)
    code, out, _ = watched(log, policy, "--once")
    assert code == 0
    assert "7 lines were no records" in out
    code, out, err = watched(log, policy, "--once", "--all-lines")
    assert (code, out) == (2, "")
    assert "a line that is no record" in err


def test_a_snapshot_is_where_it_goes_on(log, policy, tmp_path):
    snapshot = tmp_path / "watch.json"
    first = watched(log, policy, "--once", "--window", 1100, "--snapshot", snapshot)
    assert first[0] == 0
    assert snapshot.stat().st_mode & 0o777 == 0o600
    with log.open("a") as file:
        file.write("31,flu\n" * 100)
    code, out, _ = watched(log, policy, "--once", "--window", 1100, "--snapshot", snapshot, "--json")
    document = json.loads(out)
    whole = json.loads(watched(log, policy, "--once", "--window", 1100, "--json")[1])
    assert (code, document["records"], document["arrived"]) == (0, 1100, 1300)
    assert document["checks"] == whole["checks"]


def test_a_snapshot_keeps_what_was_lost_and_is_not_written_amid_a_block(log, policy, tmp_path):
    snapshot = tmp_path / "watch.json"
    with log.open("a") as file:
        file.write("1,2,3\n" * 7)
    first = watched(log, policy, "--once", "--snapshot", snapshot, "--json")
    assert json.loads(first[1])["malformed"] == 7
    before = snapshot.read_text()
    with log.open("a") as file:
        file.write("31,flu\n" * 10 + "x\n")
    assert watched(log, policy, "--once", "--snapshot", snapshot, "--all-lines")[0] == 2
    assert snapshot.read_text() == before  # else the ten would be skipped
    code, out, _ = watched(log, policy, "--once", "--snapshot", snapshot, "--json")
    document = json.loads(out)
    assert (code, document["arrived"], document["malformed"]) == (0, 1210, 8)


def test_a_snapshot_of_another_source_goes_on_at_its_beginning(log, policy, tmp_path):
    snapshot = tmp_path / "watch.json"
    watched(log, policy, "--once", "--snapshot", snapshot)
    snapshot.write_text(re.sub(r'"position": {[^}]*}', '"position": {}', snapshot.read_text()))
    code, out, err = watched(log, policy, "--once", "--snapshot", snapshot)
    assert (code, "another file than before" in err) == (0, True)
    assert "2,400 arrived" in out
    log.write_text(log.read_text().replace("age,ill", "years,ill"))
    (tmp_path / "divulge.toml").write_text(POLICY)
    code, _, err = watched(log, policy, "--once", "--snapshot", snapshot)
    assert (code, "Traceback" in err) == (2, False)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda text: text[: len(text) // 2], "not a whole snapshot"),
        (lambda text: text.replace('"arrivals": []', '"arrivals": [[1, 2]]'), "not a whole snapshot"),
        (lambda text: text.replace('"arrivals": []', '"arrivals": 5'), "not a whole snapshot"),
        (lambda text: text.replace('"attributes": ["age"', '"attributes": ["years"'), "not a whole snapshot"),
        (lambda text: text.replace('"malformed": 0', '"malformed": -1'), "not a whole snapshot"),
        (lambda text: "[]", "not a whole snapshot"),
        (lambda text: text.replace('"divulge snapshot": 1', '"divulge snapshot": 9'), "another form"),
        (lambda text: text.replace("sha256:", "sha256:0"), "another policy"),
    ],
)
def test_a_snapshot_that_does_not_fit_is_refused(log, policy, tmp_path, damage, says):
    snapshot = tmp_path / "watch.json"
    watched(log, policy, "--once", "--snapshot", snapshot)
    snapshot.write_text(damage(snapshot.read_text()))
    code, _, err = watched(log, policy, "--once", "--snapshot", snapshot)
    assert code == 2
    assert says in err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--window", "many"], "--window"),
        (["--every", "0s"], "--every"),
        (["--cursor", "id"], "--cursor is for the table"),
        (["--snapshot", "."], "folder"),
    ],
)
def test_what_cannot_be_watched_is_said(log, policy, more, says):
    code, _, err = run("watch", log, "--policy", policy, "--once", *more)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_a_threshold_that_is_crossed_ends_it_and_so_does_an_interrupt(policy):
    # Shells have what runs in the background ignore interrupts, and its children inherit that.
    command = ["env", "--default-signal=INT", sys.executable, "-c", "from divulge.cli import main; main()"]
    command += ["watch", "-", "--policy", policy]
    more = ["--fail-fast", "--from", "4", "--json", "--every", "1h"]
    with subprocess.Popen(
        [*command, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as watching:
        assert watching.stdin
        watching.stdin.write(b"age,ill\n31,flu\n31,cold\n40,flu\n40,cold\n")
        watching.stdin.flush()
        watching.stdin.write(b"99,flu\n")
        watching.stdin.flush()
        assert watching.stdout
        document = json.loads(watching.stdout.readline())
        assert watching.wait(30) == 1
    fits(document)
    assert document["outcome"] == "fail"
    with subprocess.Popen(
        [*command, "--every", "1s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as watching:
        assert watching.stdin
        watching.stdin.write(b"age,ill\n31,flu\n")
        watching.stdin.flush()
        assert watching.stdout
        assert b"no verdict yet" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=30)
        assert watching.returncode == 130, err.decode()
    assert b"Traceback" not in err


def test_a_header_without_records_ends_as_it_does_elsewhere(tmp_path):
    (tmp_path / "none.csv").write_text("age,ill\n")
    (tmp_path / "policy.toml").write_text(
        '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 2 }\n'
    )
    asked = str(tmp_path / "none.csv"), "--policy", str(tmp_path / "policy.toml")
    code, _, said = run("watch", *asked, "--once")
    assert (code, run("check", *asked)[0]) == (2, 2)
    assert "none.csv has a header but no records" in said
