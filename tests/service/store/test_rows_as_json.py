"""Many rows by one statement are the rows that were given."""

import pytest

from divulge.service.decisions.transaction import ANSWER, CELL, RELEASE, REQUEST, SETTLE
from divulge.service.ledger.log_writer import INSERT
from divulge.service.store.postgresql import PostgreSQL
from divulge.service.store.rows_as_json import WORTH, WORTH_CHANGING, as_json, as_values

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
    assert as_json("INSERT INTO bare VALUES (?)") is None
    assert as_json("UPDATE bare SET row = ? WHERE row = ?") is None
    assert as_values("UPDATE bare SET row = ? WHERE row = ?") is None
    assert as_values(REQUEST) is None  # an insertion
    assert as_json("UPDATE head SET idx = ? WHERE idx = ?") is None  # what it was is not what it is to be
    assert as_json("UPDATE cell SET released = released + ? WHERE dataset = ? AND x = ? AND y = ?") is None
    assert as_json("UPDATE policy SET status = 'retired' WHERE dataset = ? AND status = 'active'") is None
    assert as_json("INSERT INTO head (chain, epoch, idx, hash) VALUES (?, 0, 0, '')") is None
    assert as_json("INSERT INTO answer VALUES (?, ?)") is None  # fewer than the table has


@pytest.mark.parametrize("number", [2, 3, len(ODD), WORTH_CHANGING + len(ODD)])
def test_some_and_many_rows_are_changed_and_others_are_not(database, number):
    names = [*ODD, *(f"r{i}" for i in range(number))][:number]
    record = "INSERT INTO record VALUES (?, ?, 0, 0, 'body', NULL, 'seal')"
    cell = "INSERT INTO cell VALUES (?, ?, ?, 0)"
    request = "INSERT INTO request VALUES (?, 'd', 'r', 0, 0, 'o', 'waiting', 1, NULL)"
    sets = ("d", "other")

    def begin(work):
        work.write([(record, [(one, name) for one in sets for name in names])])
        work.write([(cell, [(one, i, i % 3) for one in sets for i in range(number)])])
        work.write([(request, [(f"t{i}",) for i in range(number + 1)])])

    def change(work):
        work.write([(RELEASE, [(i + 2**40, name, "d", name) for i, name in enumerate(names)])])
        work.write([(CELL, [(i + 1, "d", i, i % 3) for i in range(number)])])
        work.write([(SETTLE, [("released", i if i else None, f"t{i}") for i in range(number)])])

    database.transact("d", begin)
    database.transact("d", change)

    def rows(sql):
        return database.read(lambda work: work.rows(sql))

    changed = [(name, i + 2**40, name) for i, name in enumerate(names)]
    assert sorted(rows("SELECT id, released, seal FROM record WHERE dataset = 'd'")) == sorted(changed)
    assert rows("SELECT DISTINCT released, seal FROM record WHERE dataset = 'other'") == [(None, "seal")]
    assert rows("SELECT x, released FROM cell WHERE dataset = 'd' ORDER BY x") == [
        (i, i + 1) for i in range(number)
    ]
    assert rows("SELECT SUM(released) FROM cell WHERE dataset = 'other'") == [(0,)]
    assert sorted(rows("SELECT ticket, status, settled FROM request")) == sorted(
        [(f"t{i}", "released", i if i else None) for i in range(number)] + [(f"t{number}", "waiting", None)]
    )


@pytest.mark.parametrize("number", [2, WORTH_CHANGING + 5])
def test_of_two_changes_to_one_row_the_last_one_stays(database, number):
    database.transact("d", lambda work: work.rows("INSERT INTO cell VALUES ('d', 1, 1, 0)"))
    rows = [(i, "d", 1, 1) for i in range(number)]
    assert not as_json(CELL).takes(rows)
    assert not as_values(CELL).takes(rows)
    assert as_json(CELL).takes([(0, "d", 1, i) for i in range(WORTH_CHANGING)])
    database.transact("d", lambda work: work.write([(CELL, rows)]))
    assert database.read(lambda work: work.rows("SELECT released FROM cell")) == [(len(rows) - 1,)]
