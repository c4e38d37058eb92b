"""Many new rows by one statement are the rows that were given."""

import pytest

from divulge.service.decisions.transaction import ANSWER, REQUEST, SETTLE
from divulge.service.ledger.log_writer import INSERT
from divulge.service.store.postgresql import PostgreSQL
from divulge.service.store.rows_as_json import WORTH, as_json

ODD = ["", "é", 'a "quoted" \\ name', "{NULL}", "null", "line\nbreak\ttab\x01", "\u2028\U0001f600", "%s ? $1"]


@pytest.fixture
def database(postgresql):
    found = PostgreSQL(postgresql.fresh(), create=True, wait=1)
    yield found
    found.close()


def test_rows_arrive_as_they_are(database):
    rows = [(f"t{i}", "d", text, i, 2**62, text, "waiting", i, None) for i, text in enumerate(ODD)]
    rows += [("settled", "d", "r", 1, 2, "o", "released", 3, 4)]
    assert len(rows) >= WORTH
    entries = [("c", i, "at", "kind", text, "h", "s") for i, text in enumerate(ODD)]
    database.transact("d", lambda work: work.write([(REQUEST, rows), (INSERT, entries), (ANSWER, [])]))
    found = database.read(lambda work: work.rows("SELECT * FROM request ORDER BY ticket"))
    assert found == sorted(rows)
    assert database.read(lambda work: work.rows("SELECT * FROM entry ORDER BY idx")) == entries


def test_a_row_that_is_there_already_fails_the_whole_transaction(database):
    answers = [("o", f"k{i}", "a", "b") for i in range(WORTH)]
    database.transact("d", lambda work: work.write([(ANSWER, answers)]))
    more = [("o", f"new {i}", "a", "b") for i in range(WORTH)]
    with pytest.raises(Exception, match="nothing was decided"):
        database.transact("d", lambda work: work.write([(ANSWER, [*more, answers[0]])]))
    assert database.read(lambda work: work.rows("SELECT COUNT(*) FROM answer")) == [(WORTH,)]


def test_other_statements_are_left_as_they_are():
    assert as_json(SETTLE) is None
    assert as_json("INSERT INTO bare VALUES (?)") is None
    assert as_json("INSERT INTO head (chain, epoch, idx, hash) VALUES (?, 0, 0, '')") is None
    assert as_json("INSERT INTO answer VALUES (?, ?)") is None  # fewer than the table has
