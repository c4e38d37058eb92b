"""The command in a document is the one that was typed, without what tells of people and passwords."""

import json

from divulge.cli.command_line import typed, typed_command
from in_process import run

ROWS = "zip,ill\n" + "".join(f"{n % 3},{'ab'[n % 2]}\n" for n in range(60))


def test_a_document_repeats_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "people.csv").write_text(ROWS)
    asked = ("audit", tmp_path / "people.csv", "--quasi-identifiers", "zip", "--sensitive=ill", "--json")
    document = json.loads(run(monkeypatch, capsys, *asked)[1])
    assert document["provenance"]["command"] == (
        "divulge audit people.csv --quasi-identifiers zip --sensitive=ill --json"
    )
    assert str(tmp_path) not in json.dumps(document)


def test_addresses_of_databases_and_folders_are_left_out(tmp_path):
    with typed(["audit", "postgresql://ann:secret@host/db#visits", f"--policy={tmp_path}/a.toml", "a/b"]):
        assert typed_command() == "divulge audit DATABASE_URL --policy=a.toml a/b"
    assert typed_command() is None
