"""The tree over a log as it is stored: it grows with the log, and one that is missing is built."""

from contextlib import closing

import pytest

from divulge.errors import Unavailable
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.log_tree import (
    LogTree,
    consistency_path,
    inclusion_paths,
    leaf_of,
    stored_nodes,
    tree_at,
)
from divulge.service.ledger.merkle import is_consistent, is_included, parts
from divulge.service.ledger.paging import log, nodes
from service.history import Requester, at_work
from service.scene import NAME, Scene
from service.turned_back import outside_connection


def hashes(decider):
    return [entry.hash for entry in decider.database.read(lambda connection: [*log(connection, NAME)])]


def grown(hashes):
    tree = LogTree()
    for one in hashes:
        tree.add(one)
    return tree


def path_of(path):
    return [bytes.fromhex(one) for one in path]


@pytest.fixture
def url_scene(url, tmp_path):
    return Scene.make(url, tmp_path)


def test_every_entry_is_proved_from_what_is_stored(url_scene):
    with at_work(url_scene.place) as decider:
        Requester(decider).ask(url_scene.ids, 30, at_once=7)
        known = hashes(decider)
        root = grown(known).root
        size = len(known)
        assert decider.anchors.newest(NAME).root == root

        def work(connection):
            assert tree_at(connection, NAME, size).root == root
            for index, one in enumerate(known, 1):
                path = path_of(inclusion_paths(connection, NAME, [index], size)[index])
                assert is_included(leaf_of(one), index - 1, size, path, bytes.fromhex(root))
                earlier = bytes.fromhex(tree_at(connection, NAME, index).root)
                path = path_of(consistency_path(connection, NAME, index, size))
                assert is_consistent(index, size, path, earlier, bytes.fromhex(root))

        decider.database.read(work)


def test_adding_to_a_log_writes_half_a_row_for_each_entry_and_reads_its_logarithm(decider, scene):
    Requester(decider).ask(scene.ids, 40)
    rows = decider.database.read(lambda connection: [*nodes(connection, NAME)])
    size = len(hashes(decider))
    assert [index for index, _ in rows] == [*range(2, size + 1, 2)]
    assert sum(len(text) // 64 for _, text in rows) == sum(size >> level for level in range(1, 20))
    assert len(parts((0, size))) <= size.bit_length()


def test_proofs_of_what_was_just_added_need_no_database():
    known = [f"{number:064x}" for number in range(1, 40)]
    for before in range(len(known)):
        tree = grown(known[:before]).continued()
        for one in known[before:]:
            tree.add(one)
        assert not tree.has(before)
        for index in range(before + 1, len(known) + 1):
            leaf, root = leaf_of(known[index - 1]), bytes.fromhex(tree.root)
            assert tree.has(index)
            assert is_included(leaf, index - 1, len(known), path_of(tree.path(index)), root)


def test_a_tree_that_was_changed_is_not_signed_again(scene):
    with at_work(scene.place) as decider:
        Requester(decider).ask(scene.ids, 31)
    with closing(outside_connection(scene.place.url)) as connection:
        connection.execute(
            "UPDATE tree_node SET hashes = hex(randomblob(160)) WHERE chain = ? AND idx = 32", (NAME,)
        )
        connection.commit()
    with at_work(scene.place) as decider:
        assert "tree over" in decider.behind[NAME]
        with pytest.raises(Unavailable, match="read-only"):
            decider.request(NAME, RecordRequest(scene.ids[0], "k"), "0123456789ab")


def test_nodes_that_are_missing_or_damaged_are_a_sentence(decider):
    for wanted in ([(3, 7)], [(0, 99)]):
        with pytest.raises(Unavailable, match="not complete"):
            decider.database.read(lambda connection, wanted=wanted: stored_nodes(connection, NAME, wanted))
