"""Whatever was done to a log or to the tables is found, and the first bad entry named.

A log alone cannot tell that its end was cut off or that all of it was written anew: where checkpoints are
needed, a test also shows that nothing is found without them.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from divulge.service.decisions.keys import make_key, revoke_key
from divulge.service.ledger.chain import entry_after
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.log_writer import entries_of
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.logs import Log
from divulge.service.operations.migrations.stored_trees import build
from divulge.service.store.database import open_database
from service.history import Requester, at_work, lived, verified
from service.scene import NAME


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A service that nobody touches: tests tamper with copies."""
    folder = tmp_path_factory.mktemp("verified")
    found = lived(str(folder / "service.db"), folder, requests=120, records=90)
    with at_work(found.place) as decider:
        key = decider.secrets.digest
        for name in ("ann", "bob"):
            _, made = decider.database.transact(
                "service",
                lambda connection, name=name: make_key(
                    connection, key, decider.clock(), role="auditor", name=name, by="me"
                ),
            )
        decider.database.transact(
            "service",
            lambda connection: revoke_key(connection, key, decider.clock(), identity=made.id, by="me"),
        )
        decider.checkpoint("service")
        decider.checkpoint(NAME)
    return found


@pytest.fixture(scope="module")
def entries(scene):
    with at_work(scene.place, read_only=True) as decider:
        return decider.database.read(lambda connection: entries_of(connection, NAME))


@pytest.fixture(scope="module")
def secrets(scene):
    with at_work(scene.place, read_only=True) as decider:
        return decider.secrets


@pytest.fixture
def copy(scene, tmp_path):
    """A copy to tamper with; keys and checkpoints stay where they are."""
    with at_work(scene.place, read_only=True) as decider:
        decider.database.backup(tmp_path / "copy.db")
    return ServiceLocations(str(tmp_path / "copy.db"), scene.place.keys, scene.place.anchors)


def tamper(place, *statements):
    with closing(sqlite3.connect(place.url)) as connection:
        for statement, *parameters in statements:
            connection.execute(statement, parameters)
        connection.commit()


def fault(place, chain=NAME, **options):
    (found,) = [one for one in verified(place, **options) if one.chain == chain]
    return found.fault


def test_what_nobody_touched_is_whole(scene, entries):
    found = {one.chain: one for one in verified(scene.place, checkpoints=scene.place.anchors, again=True)}
    assert [one.fault for one in found.values()] == [None, None]
    assert found[NAME].entries == len(entries) > 120
    assert found[NAME].checkpoints > 0
    assert found[NAME].decisions > 100
    assert found["service"].entries == 3


# -- the log ----------------------------------------------------------------------------------------


def flipped(text, place, bit):
    raw = bytearray(text.encode())
    raw[place] ^= bit
    return raw.decode("latin-1")


@pytest.mark.parametrize("field", ["chain", "at", "kind", "body", "hash", "seal"])
def test_every_flipped_byte_is_found_where_it_is(entries, secrets, field):
    for row in range(3, 43, 5):
        part = entries[: row + 2]
        text = getattr(part[row], field)
        for place in range(len(text)):
            changed = replace(part[row], **{field: flipped(text, place, 1 << place % 8)})
            log = Log(NAME, [*part[:row], changed, *part[row + 1 :]], secrets.digest)
            assert log.fault is not None
            assert log.fault.index == row + 1


@pytest.mark.parametrize("bit", [0x01, 0x80])
@pytest.mark.parametrize("column", ["at", "kind", "body", "hash", "seal", "chain"])
def test_a_flipped_byte_in_the_database_is_found_even_if_it_leaves_no_text(copy, entries, column, bit):
    raw = bytearray(getattr(entries[19], column).encode())
    raw[len(raw) // 2] ^= bit
    statement = f"UPDATE entry SET {column} = CAST(? AS TEXT) WHERE chain = ? AND idx = 20"
    tamper(copy, (statement, bytes(raw), NAME))
    assert fault(copy).index == 20


@pytest.mark.parametrize("value", [b"blob", 7, None])
@pytest.mark.parametrize("column", ["body", "hash", "seal"])
def test_an_entry_of_another_type_is_found(copy, column, value):
    tamper(
        copy,
        ("CREATE TABLE loose AS SELECT * FROM entry",),
        ("DROP TABLE entry",),
        ("ALTER TABLE loose RENAME TO entry",),
        (f"UPDATE entry SET {column} = ? WHERE chain = ? AND idx = 20", value, NAME),
    )
    assert fault(copy).index == 20


def test_a_log_is_not_taken_for_that_of_another_chain(entries, secrets):
    assert Log("others", entries, secrets.digest).fault.index == 1


def test_a_deleted_entry_is_found(copy):
    tamper(copy, ("DELETE FROM entry WHERE chain = ? AND idx = 30", NAME))
    assert fault(copy).index == 30


def test_a_deleted_entry_is_found_when_the_others_close_ranks(copy, entries):
    tamper(
        copy,
        ("DELETE FROM entry WHERE chain = ? AND idx = 30", NAME),
        ("UPDATE entry SET idx = -idx WHERE chain = ? AND idx > 30", NAME),
        ("UPDATE entry SET idx = -idx - 1 WHERE chain = ? AND idx < 0", NAME),
    )
    assert fault(copy).index == 30


def test_an_inserted_entry_is_found(copy):
    tamper(
        copy,
        ("UPDATE entry SET idx = -idx WHERE chain = ? AND idx > 30", NAME),
        ("UPDATE entry SET idx = -idx + 1 WHERE chain = ? AND idx < 0", NAME),
        (
            "INSERT INTO entry SELECT chain, 31, at, kind, body, hash, seal FROM entry "
            "WHERE chain = ? AND idx = 30",
            NAME,
        ),
    )
    assert fault(copy).index == 31


def test_two_entries_that_changed_places_are_found(copy):
    tamper(
        copy,
        ("UPDATE entry SET idx = -1 WHERE chain = ? AND idx = 30", NAME),
        ("UPDATE entry SET idx = 30 WHERE chain = ? AND idx = 41", NAME),
        ("UPDATE entry SET idx = 41 WHERE chain = ? AND idx = -1", NAME),
    )
    assert fault(copy).index == 30


def test_entries_that_were_added_without_the_holders_key_are_found(copy, entries):
    last = entries[-1]
    made = entry_after(last.hash, NAME, last.index + 1, last.at, "withdrawn", {"tickets": []}, b"guessed")
    tamper(
        copy,
        ("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", *vars(made).values()),
        ("UPDATE head SET idx = ?, hash = ? WHERE chain = ?", made.index, made.hash, NAME),
    )
    assert fault(copy).index == last.index + 1


def rebuild_tree(place):
    """Whoever rewrites a log rewrites its tree as well."""
    tamper(place, ("DELETE FROM tree_node WHERE chain = ?", NAME))
    with closing(open_database(place.url)) as database:
        database.transact(NAME, lambda connection: build(connection, NAME))


def cut(place, entries, last):
    """Cut the log off after an entry, and the head with it."""
    tamper(
        place,
        ("DELETE FROM entry WHERE chain = ? AND idx > ?", NAME, last),
        ("UPDATE head SET idx = ?, hash = ? WHERE chain = ?", last, entries[last - 1].hash, NAME),
    )
    rebuild_tree(place)


def test_a_log_that_was_cut_off_is_found_by_its_head_or_by_a_checkpoint(copy, scene, entries):
    tamper(copy, ("DELETE FROM entry WHERE chain = ? AND idx > 100", NAME))
    assert fault(copy).index == 101
    cut(copy, entries, 100)
    assert fault(copy, key=False) is None  # nothing but a checkpoint can tell
    assert fault(copy, key=False, checkpoints=scene.place.anchors).index == 101


def test_an_older_copy_is_found_by_a_checkpoint(scene, tmp_path):
    folder = tmp_path / "moved"
    shutil.copytree(scene.place.keys.parent, folder)
    place = ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")
    with at_work(place) as decider:
        decider.database.backup(tmp_path / "old.db")
        before = decider.status(NAME)["entries"]
        Requester(decider, seed=9).ask(scene.ids, 20)
    old = ServiceLocations(str(tmp_path / "old.db"), place.keys, place.anchors)
    assert fault(old) is None  # it was whole once
    assert fault(old, checkpoints=place.anchors).index == before + 1


def rewrite(place, entries, start, key):
    """Write a log anew from an entry on, with hashes that fit and whatever seals the key makes."""
    previous = entries[start - 2].hash
    rows = []
    for entry in entries[start - 1 :]:
        told = entry.fields | ({"by": "nobody"} if entry.index == start else {})
        made = entry_after(previous, NAME, entry.index, entry.at, entry.kind, told, key)
        rows.append(made)
        previous = made.hash
    update = "UPDATE entry SET body = ?, hash = ?, seal = ? WHERE chain = ? AND idx = ?"
    tamper(
        place,
        *((update, made.body, made.hash, made.seal, NAME, made.index) for made in rows),
        ("UPDATE head SET hash = ? WHERE chain = ?", previous, NAME),
    )
    rebuild_tree(place)


def test_a_log_written_anew_is_found_by_seals_exactly_and_by_checkpoints_between_two(
    copy, scene, entries, tmp_path, secrets
):
    rewrite(copy, entries, 60, b"guessed")
    assert fault(copy).index == 60
    assert fault(copy, key=False) is None  # hashes alone fit
    earlier = [signed(secrets.signing, entries, count) for count in (50, 80)]
    kept = tmp_path / "kept.jsonl"
    kept.write_text("".join(f"{one}\n" for one in earlier))
    found = fault(copy, key=False, checkpoints=kept)
    assert found.index == 51
    assert "up to entry 50" in found.sentence
    assert "at entry 80" in found.sentence


def test_a_log_that_the_holder_wrote_anew_is_found_by_a_checkpoint_that_others_keep(
    copy, scene, entries, secrets
):
    rewrite(copy, entries, 60, secrets.digest)
    assert fault(copy, key=False) is None
    assert fault(copy, checkpoints=scene.place.anchors).sentence.startswith("Entries were rewritten")


def signed(key, entries, count, **changes):
    plain = {"chain": NAME, "epoch": 0, "count": count, "head": entries[count - 1].hash, "at": "now"}
    return json.dumps(Checkpoint.signed(key, **{**plain, **changes}).to_dict())


def test_a_checkpoint_that_somebody_else_signed_is_found(scene, entries, secrets, tmp_path):
    kept = tmp_path / "kept.jsonl"
    kept.write_text(signed(secrets.signing, entries, 40))
    assert fault(scene.place, checkpoints=kept) is None
    kept.write_text(signed(Ed25519PrivateKey.generate(), entries, 40))
    found = fault(scene.place, checkpoints=kept)
    assert (found.index, found.sentence) == (40, "A checkpoint after entry 40 was not signed by the holder.")
    kept.write_text(signed(secrets.signing, entries, 40).replace('"count": 40', '"count": 39'))
    assert "not signed" in fault(scene.place, checkpoints=kept).sentence


def test_a_loss_that_nobody_signed_is_not_believed(copy, scene, entries, secrets, tmp_path):
    """Whoever lacks the signing key cannot explain away what was signed."""
    told = {"from": 59, "to": len(entries), "epoch": 1, "by": "operator"}
    made = entry_after(entries[58].hash, NAME, 60, "now", "reconciled", told, b"guessed")
    cut(copy, entries, 59)
    tamper(
        copy,
        ("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", *vars(made).values()),
        ("UPDATE head SET epoch = 1, idx = 60, hash = ? WHERE chain = ?", made.hash, NAME),
    )
    rebuild_tree(copy)
    assert fault(copy, key=False) is None
    assert fault(copy, key=False, checkpoints=scene.place.anchors).index == 61


@pytest.mark.parametrize(
    ("change", "index"),
    [
        ("UPDATE tree_node SET hashes = replace(hashes, substr(hashes, 1, 1), 'g') WHERE idx = 20", 20),
        ("UPDATE tree_node SET hashes = '' WHERE idx = 20", 20),
        ("UPDATE tree_node SET idx = 21 WHERE idx = 20", 20),
        ("UPDATE tree_node SET chain = 'others' WHERE idx = 20", 20),
        ("DELETE FROM tree_node WHERE idx = 20", 20),
    ],
)
def test_a_changed_node_of_the_tree_is_found_without_any_key(copy, change, index):
    tamper(copy, (f"{change} AND chain = ?", NAME))
    found = fault(copy, key=False)
    assert (found.index, found.sentence) == (index, f"The tree is not what follows from entry {index}.")


def test_a_node_that_no_entry_completes_is_found(copy, entries):
    tamper(copy, ("INSERT INTO tree_node VALUES (?, 100000, 'ab')", NAME))
    assert "has more than" in fault(copy, key=False).sentence


def test_a_checkpoint_that_was_signed_for_another_tree_is_found(scene, entries, secrets, tmp_path):
    kept = tmp_path / "kept.jsonl"
    tree = LogTree()
    for entry in entries[:40]:
        tree.add(entry.hash)
    kept.write_text(signed(secrets.signing, entries, 40, root=tree.root))
    assert fault(scene.place, checkpoints=kept) is None
    kept.write_text(signed(secrets.signing, entries, 40, root="0" * 64))
    assert "another tree" in fault(scene.place, checkpoints=kept).sentence


def test_a_chain_that_is_gone_altogether_is_found_by_its_checkpoint(copy, scene):
    tamper(copy, ("DELETE FROM entry WHERE chain = ?", NAME), ("DELETE FROM head WHERE chain = ?", NAME))
    assert fault(copy, checkpoints=scene.place.anchors).index == 1


def test_entries_of_an_unknown_chain_are_found(copy):
    tamper(copy, ("INSERT INTO entry VALUES ('stray', 1, 'now', 'loaded', '{}', '', '')",))
    assert fault(copy, chain="stray").index == 1


@pytest.mark.parametrize("change", ["hash = 'x'", "epoch = 3", "idx = idx - 1"])
def test_a_head_that_is_not_the_last_entry_is_found(copy, entries, change):
    tamper(copy, (f"UPDATE head SET {change} WHERE chain = ?", NAME))
    assert fault(copy).index == len(entries)


def test_two_copies_that_went_on_by_themselves_are_found_when_they_exchange_checkpoints(scene, tmp_path):
    """Each is whole by itself and by its own checkpoints."""
    places = []
    for name in ("one", "other"):
        folder = tmp_path / name
        shutil.copytree(scene.place.keys.parent, folder)
        places.append(ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints"))
    for seed, place in enumerate(places, 20):
        with at_work(place) as decider:
            common = decider.status(NAME)["entries"]
            Requester(decider, seed).ask(scene.ids, 30)
        assert fault(place, checkpoints=place.anchors) is None
    one, other = places
    assert fault(one, checkpoints=other.anchors).index == common + 1
    swapped = ServiceLocations(one.url, one.keys, other.anchors)
    with at_work(swapped) as decider:
        assert NAME in decider.behind


# -- the tables -------------------------------------------------------------------------------------

OUT = "(SELECT id FROM record WHERE dataset = 'people' AND released IS NOT NULL ORDER BY id LIMIT 1)"
WITHIN = (
    "(SELECT id FROM record WHERE dataset = 'people' AND released IS NULL AND x >= 0 ORDER BY id LIMIT 1)"
)
ASKED = "(SELECT ticket FROM request WHERE status = '{}' ORDER BY ticket LIMIT 1)"
RELEASED, WAITING, WITHDRAWN = (ASKED.format(status) for status in ("released", "waiting", "withdrawn"))
CHANGES = [
    "UPDATE cell SET released = released + 1 WHERE x = 0 AND y = 0",
    "UPDATE cell SET released = 0",
    "DELETE FROM cell WHERE released > 0",
    "INSERT INTO cell VALUES ('people', 99, 99, 1)",
    f"UPDATE record SET released = NULL WHERE id = {OUT}",
    f"UPDATE record SET released = 3 WHERE id = {WITHIN}",
    f"UPDATE record SET released = released + 1 WHERE id = {OUT}",
    f"UPDATE record SET x = 1 - x WHERE id = {OUT}",
    f"DELETE FROM record WHERE id = {OUT}",
    f"UPDATE request SET status = 'released' WHERE ticket = {WAITING}",
    f"UPDATE request SET status = 'waiting' WHERE ticket = {WITHDRAWN}",
    f"UPDATE request SET record = {WITHIN} WHERE ticket = {RELEASED}",
    f"UPDATE request SET x = 1 - x WHERE ticket = {WAITING}",
    f"UPDATE request SET arrived = arrived + 1 WHERE ticket = {WAITING}",
    f"UPDATE request SET settled = settled + 1 WHERE ticket = {RELEASED}",
    f"UPDATE request SET x = 77 WHERE ticket = {WAITING}",
    f"DELETE FROM request WHERE ticket = {WAITING}",
    "INSERT INTO request VALUES ('t', 'people', 'p1', 0, 0, 'me', 'waiting', 3, NULL)",
    "UPDATE policy SET status = 'active' WHERE version = 1",
    "UPDATE policy SET body = replace(body, '0.1', '0.9') WHERE version = 2",
    "UPDATE policy SET body = 'x' WHERE status = 'active'",
    "UPDATE policy SET approved_by = 'steward' WHERE version = 2",
    "DELETE FROM policy WHERE status = 'proposed'",
    "INSERT INTO policy SELECT dataset, 9, 'proposed', body, digest, 'me', NULL, NULL FROM policy LIMIT 1",
    "UPDATE answer SET answer = replace(answer, 'waiting', 'released')",
    "UPDATE answer SET asked = 'x' WHERE key = '1-7'",
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_table_that_was_changed_without_an_entry_is_found(copy, entries, change):
    tamper(copy, (change,))
    found = fault(copy)
    assert found is not None
    assert 1 <= found.index <= len(entries)


@pytest.mark.parametrize(
    "change",
    [
        """INSERT INTO api_key (id, role, name, hash, created, expires, revoked)
            VALUES ('ffffffffffff', 'admin', 'eve', 'x', 'now', NULL, NULL)""",
        "UPDATE api_key SET role = 'admin' WHERE name = 'ann'",
        "UPDATE api_key SET role = 'king' WHERE name = 'ann'",
        "UPDATE api_key SET revoked = NULL",
        "UPDATE api_key SET expires = '2999' WHERE name = 'ann'",
        "UPDATE api_key SET person = 'bob' WHERE name = 'ann'",
        "UPDATE api_key SET scope = '{}' WHERE name = 'ann'",
        "UPDATE api_key SET subject = '[]' WHERE name = 'ann'",
        "DELETE FROM api_key WHERE name = 'bob'",
        "UPDATE api_key SET name = 'restored', hash = '', person = NULL, scope = NULL, subject = NULL",
    ],
)
def test_keys_that_were_changed_without_an_entry_are_found(copy, change):
    assert fault(copy, chain="service") is None
    tamper(copy, (change,))
    assert fault(copy, chain="service") is not None


def test_no_sentence_names_a_record(copy, scene):
    tamper(copy, *((change,) for change in CHANGES if change.startswith(("UPDATE record", "UPDATE request"))))
    found = fault(copy).sentence
    assert not any(one in found.split() for one in scene.ids)
