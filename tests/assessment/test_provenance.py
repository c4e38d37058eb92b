"""What a document was made from: date, digests or why there are none, policy and command."""

import hashlib
import sqlite3

import pytest

import divulge as dv
from divulge._support.stages import silent
from divulge.assessment import provenance
from divulge.assessment.provenance import sha256, utc_now

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


def test_the_policy_is_kept_as_written_without_addresses(data, tmp_path):
    policy = tmp_path / "divulge.toml"
    lines = [
        "# agreed on by the board",
        '[attributes]\nzip = "quasi-identifier"\nill = "sensitive"',
        "[thresholds]\nk_anonymity = { min = 5 }",
        "# was: postgresql://ann:secret@host/db",
    ]
    policy.write_text("\n".join(lines))
    found = dv.audit(data, policy).to_dict()
    assert found["provenance"]["policy_text"][0] == "# agreed on by the board"
    assert found["provenance"]["policy_text"][-1] == "# was: DATABASE_URL"
    assert found["provenance"]["command"] is None
    assert "secret" not in str(found)


def test_a_comparison_has_all_tables_it_read(data, tmp_path):
    (tmp_path / "coarse.csv").write_text(ROWS.replace("1,", "2,"))
    document = dv.compare(dv.read(data, **ROLES), tmp_path / "coarse.csv", population=data).to_dict()
    files = document["provenance"]["files"]
    assert [(one["role"], one["name"]) for one in files] == [
        ("original", "people.csv"),
        ("release", "coarse.csv"),
        ("population", "people.csv"),
    ]
    assert files[0]["sha256"] == files[2]["sha256"] != files[1]["sha256"]
