"""What a document was made from: date, digests or why there are none, policy and command."""

import hashlib
import sqlite3

import pytest

import divulge as dv
from divulge._support.stages import silent
from divulge.assessment import provenance
from divulge.assessment.provenance import UNPUBLISHED, sha256, utc_now
from divulge.policy.repeated import repeated_lines

ROWS = "zip,ill\n" + "".join(f"{n % 3},{'ab'[n % 2]}\n" for n in range(60))
ROLES = {"quasi_identifiers": "zip", "sensitive": "ill"}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


def made_from(source, **more):
    return dv.audit(dv.read(source, **ROLES, **more)).to_dict()["provenance"]


def test_the_date_is_the_clock_in_utc_unless_it_is_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert utc_now() == "1970-01-01T00:00:00Z"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert utc_now() > "2025"


def test_a_file_has_the_digest_of_its_bytes(data):
    (found,) = made_from(data)["files"]
    assert found == {
        "role": "table",
        "name": "people.csv",
        "records": 60,
        "sha256": hashlib.sha256(ROWS.encode()).hexdigest(),
        "undefined": None,
    }


def test_blocks_are_read_one_by_one_and_told(data, monkeypatch):
    monkeypatch.setattr(provenance, "BLOCK", 100)

    class Followed:
        def __init__(self):
            self.told = []

        def __call__(self, doing):
            pass

        def step(self, done, of):
            self.told.append((done, of))

    stage = Followed()
    assert sha256(data, stage) == hashlib.sha256(ROWS.encode()).hexdigest()
    blocks = -(-len(ROWS) // 100)
    assert stage.told == [(place, blocks) for place in range(1, blocks + 1)]
    assert sha256(data, silent)


def test_the_digest_is_begun_while_the_table_is_read_and_told_once_it_is_waited_for(data, monkeypatch):
    stages, begun, once = [], [], provenance.sha256
    monkeypatch.setattr(provenance, "sha256", lambda *given: begun.append(list(stages)) or once(*given))
    read = dv.read(data, **ROLES)
    found = dv.audit(read, stage=stages.append).to_dict()["provenance"]["files"]
    assert stages[:2] == ["Reading", "Computing the digest of people.csv"]
    assert dv.audit(read).to_dict()["provenance"]["files"] == found
    assert begun == [["Reading"]]


def test_what_has_no_single_file_has_a_reason(data, tmp_path):
    assert made_from({"zip": ["1"] * 9, "ill": ["a"] * 9})["files"][0]["undefined"] == (
        "it was given in memory, not as a file"
    )
    (tmp_path / "more.csv").write_text(ROWS)
    assert made_from(tmp_path)["files"][0]["undefined"] == "it stands for several files"
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("create table people (zip text, ill text)")
        database.executemany("insert into people values (?, ?)", [("1", "a"), ("2", "b")] * 20)
    database.close()
    (found,) = made_from(f"sqlite:///{tmp_path}/a.db", table="people")["files"]
    assert (found["sha256"], found["undefined"]) == (None, "a table of a database has no file")


def test_a_file_that_is_gone_by_then_has_a_reason(data):
    read = dv.read(data, **ROLES)
    _ = read.column("zip"), read.column("ill")
    data.unlink()
    (found,) = dv.audit(read).to_dict()["provenance"]["files"]
    assert found["undefined"] == "the file could not be read again"


def test_the_policy_is_repeated_without_comments_folders_and_values(data, tmp_path):
    policy = tmp_path / "divulge.toml"
    lines = [
        "# agreed on with Dr Secret",
        f'[data]\nsource = "{data}"  # was: Driver=x;PWD=secret',
        'missing_values = ["secret", "99"]',
        '[attributes]\nzip = { role = "quasi-identifier", partition = { secret = ["0", "1"], b = ["2"] } }',
        'ill = { role = "sensitive", order = ["a", "b", "secret"] }',
        "[thresholds]\nk_anonymity = { min = 5 }",
        "# was: postgresql://ann:secret@host/db",
    ]
    policy.write_text("\n".join(lines))
    found = dv.audit(data, policy).to_dict()
    assert found["provenance"]["policy_text"] == [
        "[data]",
        'source = "people.csv"',
        'missing_values = "2 values"',
        "",
        "[attributes]",
        'zip = { role = "quasi-identifier", partition = "3 values in 2 groups" }',
        'ill = { role = "sensitive", order = "3 values" }',
        "",
        "[thresholds]",
        "k_anonymity = { min = 5 }",
    ]
    assert found["provenance"]["command"] is None
    assert "secret" not in str(found["provenance"]).lower()
    assert 'order = ["a", "b", "secret"]' in str(dv.audit(data, policy, show_values=True).to_dict())


def test_names_of_attributes_and_numbers_stay_in_a_policy():
    tables = {
        "data": {"source": "Driver=x;PWD=secret", "suppressed": "secret"},
        "attributes": {"order": "other", "age": {"role": "other", "bins": [18, 65]}},
    }
    assert repeated_lines(tables) == [
        "[data]",
        'source = "DATABASE_URL"',
        'suppressed = "..."',
        "",
        "[attributes]",
        'order = "other"',
        'age = { role = "other", bins = [18, 65] }',
    ]
    day = {"role": "other", "bins": ["2020-01-01"]}
    assert repeated_lines({"attributes": {"day": day}})[1] == 'day = { role = "other", bins = "1 value" }'


def test_a_comparison_has_all_tables_it_read(data, tmp_path):
    (tmp_path / "coarse.csv").write_text(ROWS.replace("1,", "2,"))
    document = dv.compare(dv.read(data, **ROLES), tmp_path / "coarse.csv", population=data).to_dict()
    files = document["provenance"]["files"]
    assert [(one["role"], one["name"]) for one in files] == [
        ("original", "people.csv"),
        ("release", "coarse.csv"),
        ("population", "people.csv"),
    ]
    assert [one["undefined"] for one in files] == [UNPUBLISHED, None, UNPUBLISHED]
    assert hashlib.sha256(ROWS.encode()).hexdigest() not in str(document)
    assert files[1]["sha256"] == hashlib.sha256((tmp_path / "coarse.csv").read_bytes()).hexdigest()
