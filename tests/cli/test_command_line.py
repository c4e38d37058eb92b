"""The command in a document is the one that was typed, without what tells of people and passwords."""

import json

import pytest

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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("postgresql://ann:secret@host/db#visits", "DATABASE_URL"),
        ("postgresql+psycopg://ann:secret@host/db?sslmode=disable", "DATABASE_URL"),
        ("postgresql://ann:my secret'word@host/db?a=b#t", "DATABASE_URL"),
        ("sqlite:////tmp/home/alice secret/db.sqlite", "DATABASE_URL"),
        ("https://ann:secret@host", "DATABASE_URL"),
        ("postgres:ann:secret@host/db", "DATABASE_URL"),
        ("--master=sc://host;token=secret", "--master=DATABASE_URL"),
        ("/secret/q=1/t.csv", "t.csv"),
        ("--policy=/secret folder/a.toml", "--policy=a.toml"),
        ("--hierarchy=a/b=/secret/zip.csv", "--hierarchy=a/b=zip.csv"),
        ("--order=ill=secret,flu", "--order=..."),
        ("--missing-value=secret", "--missing-value=..."),
        ("--sensitive=a/b", "--sensitive=a/b"),
    ],
)
def test_addresses_of_databases_folders_and_values_are_left_out(written, said):
    with typed(["audit", written]):
        assert typed_command() == f"divulge audit {said}"
    option, equals, value = written.partition("=") if written.startswith("--") else ("", "", "")
    with typed(["audit", option, value] if equals else []):
        assert "secret" not in typed_command()
    assert typed_command() is None


def test_a_mistyped_address_is_not_repeated(monkeypatch, capsys):
    for address in ("postgres:ann:secret@host/db", "postgresql+psycopg:/ann:secret@host/db"):
        ended, printed, said = run(monkeypatch, capsys, "audit", address)
        assert ended == 2
        assert "secret" not in printed + said
