"""Rows that are added, changed and removed many at a time, on either database."""

ODD = ["a\tb", "back\\slash", "new\nline", "\\N", "é", ""]
COLUMNS = ("dataset", "id", "x", "y", "body", "seal")


def add_change_and_remove(database):
    """Do all three in one transaction, with texts that a format for many rows could misread."""

    def work(connection):
        connection.add_rows("record", COLUMNS, (("d", one, 1, -1, one, "s") for one in ODD))
        changes = [(2, f"{one}!", "d", one) for one in ODD[1:]]
        connection.change_rows("record", ("x", "body"), ("dataset", "id"), changes)
        connection.remove_rows("record", ("dataset", "id"), [("d", one) for one in ODD[2:4]])
        connection.change_rows("record", ("x",), ("id",), [])
        return connection.rows("SELECT id, x, y, body, released FROM record")

    found = [(one, 2, -1, f"{one}!", None) for one in (ODD[1], *ODD[4:])]
    assert sorted(database.transact("any", work)) == sorted([(ODD[0], 1, -1, ODD[0], None), *found])
