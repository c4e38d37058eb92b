"""Values of records that are not outside stand in the record table and nowhere else."""

import json
import logging
import sqlite3
import struct
import traceback
from pathlib import Path

import pytest

from divulge.errors import DivulgeError
from divulge.safe_release import Rules
from divulge.service.decisions import transaction
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.http import metrics
from divulge.service.http.app import create_app
from divulge.service.operations.exporting import export
from divulge.service.store.sqlite import SQLite
from service.scene import NAME, Scene, dataset, people

ALLOWED = {"record", "request.record", "policy.body"}  # records; whom a request is about; known values


def planted():
    """People whose ids and words are nobody else's; one has an age and a place that nobody else has."""
    columns = people(120)
    columns["id"] = [f"planted-id-{word[5:]}" for word in columns["word"]]
    columns["word"] = [f"planted-{word}" for word in columns["word"]]
    columns["age"][0], columns["place"][0] = "planted-age", "planted-place"
    return columns


@pytest.fixture
def decider(url, tmp_path):
    found = Scene.make(url, tmp_path, dataset(planted(), "mis,kld"), following=True).place.open()
    yield found
    found.database.close()


def history(decider):
    """What is answered and said while everything happens that can happen to a dataset."""
    columns = planted()
    ids = columns["id"]

    def said(act, *given):
        try:
            return json.dumps(act(*given))
        except DivulgeError:
            return traceback.format_exc()

    for number, one in enumerate(ids[:60]):
        yield f"request {one}", said(decider.request, NAME, RecordRequest(one, f"k{number}"), "client")
    yield "conflict", said(decider.request, NAME, RecordRequest(ids[1], "k0"), "client")
    yield "nobody", said(decider.request, NAME, RecordRequest("nobody", "new"), "client")
    for one in decider.queue(NAME, 3):
        yield "ticket", said(decider.ticket, NAME, one["ticket"], "client")
        yield "withdraw", said(decider.withdraw, NAME, one["ticket"], "client")
        yield "withdraw again", said(decider.withdraw, NAME, one["ticket"], "client")
    yield "propose", said(decider.propose, NAME, Rules.of("mis,kld", 0.1, samples=100), "one")
    yield "approve", said(decider.approve, NAME, 2, "one")
    yield "approve", said(decider.approve, NAME, 2, "other")
    yield "an id twice", said(decider.update, dataset({**columns, "id": [ids[1], *ids[1:]]}), "holder")
    yield "no id", said(decider.update, dataset({**columns, "id": [None, *ids[1:]]}), "holder")
    shorter = {name: values[:110] for name, values in columns.items()}
    yield "update", said(decider.update, dataset(shorter), "holder")
    yield "gone", said(decider.request, NAME, RecordRequest(ids[115], "late"), "client")
    yield "no dataset", said(decider.request, "nothing", RecordRequest(ids[70], "late"), "client")
    yield "status", said(decider.status, NAME)
    yield "policies", said(decider.policies, NAME)
    yield "queue", said(decider.queue, NAME, 1000)
    yield "log", said(decider.log, NAME, 0, 10000)
    yield "series", said(decider.series, NAME, 100)


def places(decider, folder):
    """Every text that the service has left anywhere, by where it stands; the record table left out."""
    yield from history(decider)
    gate = create_app(decider).state.gate
    yield "metrics", metrics.text(decider, gate.counters, gate.decisions, gate.readiness.parts())
    export(decider, NAME, folder / "export")
    yield "export", (folder / "export").read_text()
    for file in sorted(decider.anchors.folder.iterdir()):
        yield f"checkpoints {file.name}", file.read_text()
    yield from decider.database.read(lambda connection: list(tables(connection, decider)))
    if isinstance(decider.database, SQLite):
        yield from pages(Path(decider.database.name))


def tables(connection, decider):
    """All columns of all tables, but for records."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if not isinstance(decider.database, SQLite):
        names = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    for (name,) in connection.rows(names):
        for column in columns_of(connection, name, decider):
            if not {name, f"{name}.{column}"} & ALLOWED:
                yield f"{name}.{column}", json.dumps(connection.rows(f"SELECT {column} FROM {name}"))


def columns_of(connection, table, decider):
    if isinstance(decider.database, SQLite):
        return [row[1] for row in connection.rows(f"PRAGMA table_info({table})")]
    sql = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
    return [column for (column,) in connection.rows(sql, (table,))]


def owners(path):
    """Which table or index each page is of, and the size of a page."""
    connection = sqlite3.connect(path)
    used = dict(connection.execute("SELECT pageno, name FROM dbstat"))
    ((size,),) = connection.execute("PRAGMA page_size")
    connection.close()
    return used, size


def pages(path):
    """Pages of the file and of its write-ahead log, but for those of tables that may name a record.

    A page of the file may be of another table than the newer one in the log: it is that of the file alone.
    """
    used, size = owners(path)
    frames, kept = Path(f"{path}-wal").read_bytes()[32:], path.read_bytes()
    alone = path.with_name("alone.db")
    alone.write_bytes(kept)
    before, _ = owners(alone)
    found = [
        (before.get(number + 1, "free"), kept[number * size :][:size]) for number in range(len(kept) // size)
    ]
    for start in range(0, len(frames), size + 24):
        (number,) = struct.unpack(">I", frames[start : start + 4])
        found.append((used.get(number, "free"), frames[start + 24 :][:size]))
    for owner, page in found:
        if not any(name in owner for name in ("record", "request", "policy", "free")):
            yield f"page of {owner}", page.decode("latin-1")


def hits(decider, folder):
    """Where something of a record that is not outside was found."""
    searched = list(places(decider, folder))
    sql = "SELECT id FROM record WHERE dataset = ? AND released IS NOT NULL"
    outside = {one for (one,) in decider.database.read(lambda connection: connection.rows(sql, (NAME,)))}
    columns = planted()
    named = zip(columns["id"], columns["word"], strict=True)
    inside = [text for one, word in named if one not in outside for text in (one, word)]
    assert len(outside) > 20
    assert columns["id"][0] not in outside
    wanted = [*inside, "planted-age", "planted-place"]
    return sorted({place for place, text in searched if any(one in text for one in wanted)})


def test_values_of_records_that_are_not_outside_are_found_nowhere(decider, tmp_path, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    assert hits(decider, tmp_path) == []
    assert "planted" not in "".join(capfd.readouterr()) + caplog.text


# -- the same, with a protection taken away -----------------------------------------------------------


def test_the_search_finds_names_in_a_log_without_keyed_digests(decider, tmp_path, monkeypatch):
    monkeypatch.setattr(transaction, "digest", lambda key, *parts: "/".join(map(str, parts)))
    assert {"log", "export", "entry.body"} <= set(hits(decider, tmp_path))


def test_the_search_finds_records_that_are_kept_with_answers(decider, tmp_path, monkeypatch):
    def answered(self, ticket, record, *given):
        sql = "SELECT body FROM record WHERE id = ?"
        ((body,),) = self._connection.rows(sql, (record.id,))
        return {**real(self, ticket, record, *given), "body": body}

    real = transaction.DecisionSession._answered
    monkeypatch.setattr(transaction.DecisionSession, "_answered", answered)
    found = hits(decider, tmp_path)
    assert "answer.answer" in found
    assert ("page of answer" in found) == isinstance(decider.database, SQLite)
