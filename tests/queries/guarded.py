"""Small guarded tables for tests: rows in a DuckDB file, a policy, and a door to ask at."""

from contextlib import contextmanager

import duckdb

from divulge.queries.guard import QueryGuard
from divulge.queries.policy import QueryPolicy
from divulge.queries.table import open_table

SECRET = b"a secret of thirty-two bytes ...."


def written(path, columns, rows, name="people"):
    """A DuckDB file with one table; its path."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
        places = ", ".join(["(" + ", ".join("?" * len(rows[0])) + ")"] * len(rows))
        connection.execute(f"INSERT INTO {name} VALUES {places}", [value for row in rows for value in row])
    return str(path)


class Door:
    """Asks one query after the other, and keeps the answered ones as a log would."""

    def __init__(self, guard):
        self.guard, self.state, self.log = guard, guard.replay([]), []

    def ask(self, text, by="ann"):
        decision = self.guard.decide(self.guard.parse(text), by, self.state)
        if decision.answered is not None:
            self.log.append(decision.answered)
        self.state = self.guard.after(self.state, decision)
        return decision

    def value(self, text, by="ann"):
        decision = self.ask(text, by)
        return None if decision.answer is None else decision.answer.value


@contextmanager
def opened(source, columns, *, controls=None, answers=None, table=None, fingerprint=None):
    """A door to the table in a file."""
    given = {
        "table": {"name": "people", "record": "id", "source": source, **(table or {})},
        "columns": columns,
        "controls": controls or {},
        "answers": answers or {},
    }
    policy = QueryPolicy.of(given)
    with open_table(policy) as opened_table:
        yield Door(QueryGuard(policy, opened_table, secret=SECRET, fingerprint=fingerprint))
