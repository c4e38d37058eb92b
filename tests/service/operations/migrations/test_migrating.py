"""A database of an earlier version is brought to this one by a command, whole or not at all."""

from contextlib import closing
from pathlib import Path

import pytest

from divulge.errors import SourceError
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.log_tree import LogTree, tree_at
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.paging import log
from divulge.service.operations.backups import backup
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.operations.migrations.step import steps_after
from divulge.service.store.schema import STEPS, VERSION
from service.history import at_work, verified
from service.scene import NAME
from service.stored_databases import unpacked
from service.turned_back import outside_connection, put_back


def change(place, *statements):
    with closing(outside_connection(place.url)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def rows_of(url, table):
    with closing(outside_connection(url)) as connection:
        return [tuple(row) for row in connection.execute(f"SELECT * FROM {table}").fetchall()]


@pytest.fixture
def earlier(url, tmp_path):
    """A service of version 2, before there were trees."""
    return unpacked("version-2-without-trees", url, tmp_path)


def entries(place, chain):
    with at_work(place, read_only=True) as decider:
        return decider.database.read(lambda connection: [*log(connection, chain)])


def test_a_database_of_an_earlier_version_is_refused_and_can_be_copied(earlier, tmp_path):
    place = earlier
    for read_only in (False, True):
        with pytest.raises(SourceError, match=f"version 2, and this divulge needs version {VERSION}") as said:
            place.open(read_only=read_only)
        assert "divulge release migrate" in said.value.hint
        assert "divulge release backup" in said.value.hint
    with pytest.raises(SourceError, match="version 2"):
        place.create()
    backup(place.url, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_size


def test_a_migrated_log_goes_on_and_says_so(earlier):
    place = earlier
    tried = migrate(place, "me", dry_run=True)
    assert [step.version for step in tried.steps] == [*range(3, VERSION + 1)]
    with pytest.raises(SourceError, match="version 2"):
        place.open()  # nothing was written
    done = migrate(place, "me")
    assert (done.before, done.steps) == (2, tried.steps)
    *_, last = entries(place, SERVICE)
    assert (last.kind, last.fields) == ("migrated", {"from": 2, "to": VERSION, "by": "me"})
    assert [one.fault for one in verified(place)] == [None, None]
    with at_work(place) as decider:
        assert decider.behind == {}
        assert decider.anchors.newest(SERVICE).head == last.hash
        decider.request(NAME, RecordRequest("p9", "later"), "0123456789ab")
        known = [one.hash for one in decider.database.read(lambda connection: [*log(connection, NAME)])]
        tree = LogTree()
        for one in known:
            tree.add(one)
        assert decider.anchors.newest(NAME).root == tree.root
        stored = decider.database.read(lambda connection: tree_at(connection, NAME, len(known)))
        assert stored.root == tree.root
    assert migrate(place, "me").steps == ()  # again: nothing is left to do
    assert len(entries(place, SERVICE)) == last.index


def test_a_tree_that_ends_before_its_log_is_built_on(tmp_path):
    """As after a version without trees has written to the log again."""
    place = unpacked("version-2", "", tmp_path)
    before = rows_of(place.url, "tree_node")
    change(place, "DELETE FROM tree_node WHERE idx > 13")
    migrate(place, "me")
    after = rows_of(place.url, "tree_node")
    assert {row for row in after if row[0] == NAME} == {row for row in before if row[0] == NAME}


def test_what_was_turned_back_or_changed_is_not_migrated(earlier):
    place = earlier
    with closing(outside_connection(place.url)) as connection:
        ((count,),) = connection.execute("SELECT COUNT(*) FROM entry WHERE chain = 'people'").fetchall()
    for statements, said in (
        (["UPDATE record SET seal = 'x' WHERE id = 'p7'"], "A record does not have the holder's seal"),
        (["UPDATE api_key SET role = 'steward'"], "a key was changed"),
        ([f"DELETE FROM entry WHERE chain = 'people' AND idx > {count - 2}"], "is missing"),
    ):
        with closing(outside_connection(place.url)) as connection:
            kept = {
                table: connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("record", "entry", "api_key")
            }
        change(place, *statements)
        for dry_run in (True, False):
            with pytest.raises(SourceError, match=said) as refused:
                migrate(place, "me", dry_run=dry_run)
            assert "is as it was" in str(refused.value)
        with pytest.raises(SourceError, match="version 2"):
            place.open()
        put_back(place.url, kept)
    for file in place.anchors.iterdir():
        file.unlink()
    with pytest.raises(SourceError, match="no checkpoint"):
        migrate(place, "me")


def test_each_step_has_its_module_and_a_sentence():
    folder = Path(migrate.__code__.co_filename).parent
    named = {path.stem for path in folder.glob("*.py")} - {"__init__", "migrating", "step"}
    assert named == set(STEPS)
    assert all(step.said.endswith(".") and step.migrate.__doc__ for step in steps_after(0))
