"""An exported log is verified by itself, and holds nothing of a record."""

import json
import shutil

import pytest

from divulge.errors import MissingSource, NotFound, SourceError
from divulge.service.operations.exporting import Export, export, read_checkpoints
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.verifying import LogCheck
from service.history import Requester, at_work, lived
from service.scene import NAME


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    return lived(str(folder / "service.db"), folder, requests=60, records=60)


@pytest.fixture(scope="module")
def lines(scene, tmp_path_factory):
    """The lines of an export."""
    out = tmp_path_factory.mktemp("export") / "out.jsonl"
    with at_work(scene.place, read_only=True) as decider:
        entries = export(decider, NAME, out)
    found = out.read_bytes().splitlines(keepends=True)
    assert len(found) > entries > 60
    return found


@pytest.fixture
def put(tmp_path):
    def put(lines):
        (tmp_path / "out.jsonl").write_bytes(b"".join(lines))
        return Export.read(tmp_path / "out.jsonl")

    return put


def fault(given, key=None, public=None, checkpoints=()):
    return LogCheck(key, public, {NAME: checkpoints}).export(given).fault


def count(lines):
    return sum(line.startswith(b'{"entry"') for line in lines)


def test_an_export_is_verified_by_itself(put, lines, scene):
    found = LogCheck(None, None).export(put(lines))
    assert (found.chain, found.entries, found.fault) == (NAME, count(lines), None)
    with at_work(scene.place, read_only=True) as decider:
        assert fault(put(lines), decider.secrets.digest, decider.secrets.public) is None


def test_an_export_holds_nothing_of_a_record(lines, scene):
    text = b"".join(lines).decode()
    for column in scene.columns.values():
        assert not any(f'"{value}"' in text for value in column)
    assert "word-" not in text


def test_every_flipped_byte_of_an_export_is_found_where_it_is(put, lines, scene):
    """But for the seal, all of it is found without the holder's key."""
    with at_work(scene.place, read_only=True) as decider:
        key = decider.secrets.digest
    short = [*lines[:8], *lines[count(lines) :]]
    for row in (0, 5):
        seal = lines[row].index(b'"seal":"') + len(b'"seal":"')
        for place in range(len(lines[row])):
            raw = bytearray(lines[row])
            raw[place] ^= 1 << place % 8
            found = fault(put([*short[:row], bytes(raw), *short[row + 1 :]]), key if place >= seal else None)
            assert found is not None
            assert found.index == row + 1


def test_every_flipped_byte_of_what_follows_the_entries_is_found(put, lines):
    for row in range(count(lines), len(lines)):
        for place in range(0, len(lines[row]), 7):
            raw = bytearray(lines[row])
            raw[place] ^= 1
            assert fault(put([*lines[:row], bytes(raw), *lines[row + 1 :]])) is not None


def test_what_says_the_same_in_other_words_is_found(put, lines):
    for other in (
        lines[9].replace(b'":', b'": ', 1),
        lines[9].replace(b'"index":10', b'"index":10,"kind":"left"'),
        lines[9].replace(b'"seal":', b'"sea":1,"seal":'),
        lines[9].rstrip(b"\n") + b"\r\n",
    ):
        assert other != lines[9]
        assert fault(put([*lines[:9], other, *lines[10:]])).index == 10


def test_a_line_that_was_deleted_repeated_or_moved_is_found(put, lines):
    assert fault(put([*lines[:30], *lines[31:]])).index == 31
    assert fault(put([*lines[:31], *lines[30:]])).index == 32
    assert fault(put([*lines[:30], lines[31], lines[30], *lines[32:]])).index == 31


def test_an_export_that_was_cut_off_is_found(put, lines):
    last = count(lines)
    for kept in (20, last - 1, last, len(lines) - 1):
        found = fault(put(lines[:kept]))
        assert found.index == min(kept, last) + 1
    assert fault(put([*lines[:20], *lines[last:]])).index == 21


def test_what_was_added_after_the_last_checkpoint_is_found(put, lines, scene):
    last = count(lines)
    without = [*lines[:last], lines[-1]]
    found = fault(put(without))
    assert (found.index, found.sentence) == (1, "Entry 1 and later entries have no checkpoint.")
    with at_work(scene.place, read_only=True) as decider:
        assert (
            fault(put(without), decider.secrets.digest, decider.secrets.public) is None
        )  # seals tell as much


def test_an_export_with_a_key_of_its_own_is_found_by_whoever_knows_the_holders(put, lines, scene, tmp_path):
    other = ServiceLocations(str(tmp_path / "other.db"), tmp_path / "keys", tmp_path / "checkpoints")
    forged = other.create()
    forged.database.close()
    with at_work(scene.place, read_only=True) as decider:
        mine, theirs = decider.secrets.public, forged.secrets.public
    assert fault(put(lines), public=mine) is None
    assert "not signed by the holder" in fault(put(lines), public=theirs).sentence


def test_an_export_is_held_to_checkpoints_from_elsewhere(put, lines, scene, tmp_path):
    folder = tmp_path / "moved"
    shutil.copytree(scene.place.keys.parent, folder)
    place = ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")
    with at_work(place) as decider:
        Requester(decider, seed=5).ask(scene.ids, 10)
        newest = decider.anchors.newest(NAME)
    found = fault(put(lines), checkpoints=[newest])
    assert found.index == count(lines) + 1


def test_a_log_that_is_behind_is_exported_and_not_signed(scene, put, tmp_path):
    folder = tmp_path / "behind"
    shutil.copytree(scene.place.keys.parent, folder)
    place = ServiceLocations(str(folder / "service.db"), folder / "keys", folder / "checkpoints")
    with at_work(place) as decider:
        decider.database.backup(tmp_path / "old.db")
        Requester(decider, seed=5).ask(scene.ids, 10)
        newest = decider.anchors.newest(NAME)
    with at_work(ServiceLocations(str(tmp_path / "old.db"), place.keys, place.anchors)) as decider:
        entries = export(decider, NAME, tmp_path / "old.jsonl")
        assert decider.anchors.newest(NAME) == newest
    found = Export.read(tmp_path / "old.jsonl")
    assert newest in found.checkpoints
    assert fault(found).index == entries + 1


def test_checkpoints_come_from_a_folder_an_answer_or_an_export(scene, lines, put, tmp_path):
    put(lines)
    given = read_checkpoints(scene.place.anchors)
    assert given[NAME]
    assert read_checkpoints(tmp_path / "out.jsonl")[NAME] == list(
        Export.read(tmp_path / "out.jsonl").checkpoints
    )
    newest = given[NAME][-1]
    answer = {"decision": "waiting", "checkpoint": newest.to_dict()}
    for text in (json.dumps(answer, indent=2), json.dumps(newest.to_dict())):
        (tmp_path / "kept.json").write_text(text)
        assert read_checkpoints(tmp_path / "kept.json") == {NAME: [newest]}


def test_what_cannot_be_read_is_named(scene, tmp_path):
    with pytest.raises(MissingSource, match="no export"):
        Export.read(tmp_path / "none.jsonl")
    with pytest.raises(MissingSource, match="no checkpoints"):
        read_checkpoints(tmp_path / "none.jsonl")
    (tmp_path / "odd").write_text('{"checkpoint": {"signature": 1}}')
    with pytest.raises(SourceError, match="cannot be read"):
        read_checkpoints(tmp_path / "odd")
    (tmp_path / "empty").write_text("")
    with pytest.raises(SourceError, match="has no entries"):
        Export.read(tmp_path / "empty")
    with at_work(scene.place, read_only=True) as decider:
        with pytest.raises(SourceError, match="already"):
            export(decider, NAME, tmp_path / "empty")
        with pytest.raises(NotFound, match="no log 'nobody'"):
            export(decider, "nobody", tmp_path / "new.jsonl")
    assert not (tmp_path / "new.jsonl").exists()
