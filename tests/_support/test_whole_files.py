"""Files that come to their places together, or not at all."""

import os

import pytest

from divulge._support import whole_files
from divulge._support.whole_files import Ending, at_the_end, together, whole_file

NAMES = ("release.csv", "key.csv", "manifest.json")


def write_all(folder, done=lambda name: None):
    with together():
        for name in NAMES:
            with whole_file(folder / name) as made:
                made.write_text(f"new {name}")
            done(name)


def contents(folder):
    return {one.name: one.read_text() for one in folder.iterdir()}


def test_what_was_written_first_comes_last(tmp_path, monkeypatch):
    moved = []
    replace = os.replace
    monkeypatch.setattr(whole_files.os, "replace", lambda *ends: (moved.append(ends[1].name), replace(*ends)))
    write_all(tmp_path, done=lambda name: moved.append(f"wrote {name}"))
    assert moved == [*(f"wrote {name}" for name in NAMES), *NAMES[::-1]]
    assert contents(tmp_path) == {name: f"new {name}" for name in NAMES}


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("place", range(3))
def test_an_interrupt_between_two_moves_undoes_the_first(tmp_path, monkeypatch, place, linked):
    (tmp_path / "release.csv").write_text("old release")
    (tmp_path / "manifest.json").write_text("old manifest")
    before, replace = contents(tmp_path), os.replace

    def interrupted(made, final):
        if final == tmp_path / NAMES[place] and made.read_text().startswith("new"):
            raise KeyboardInterrupt
        replace(made, final)

    monkeypatch.setattr(whole_files.os, "replace", interrupted)
    if not linked:  # as on a disk whose files have one name each
        monkeypatch.setattr(whole_files.os, "link", refused_if_there)
    with pytest.raises(KeyboardInterrupt):
        write_all(tmp_path)
    assert contents(tmp_path) == before


def refused_if_there(final, other):
    if not final.exists():
        raise FileNotFoundError
    raise PermissionError


def test_an_error_while_the_last_is_written_leaves_none(tmp_path):
    def failed(name):
        if name == NAMES[-1]:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_all(tmp_path, done=failed)
    assert contents(tmp_path) == {}


def test_a_commit_that_fails_takes_the_files_back(tmp_path):
    said = []

    def failed():
        raise RuntimeError

    def write():
        with together():
            at_the_end(Ending(failed, lambda: said.append("rolled back"), lambda: said.append("closed")))
            with whole_file(tmp_path / "manifest.json") as made:
                made.write_text("new")

    with pytest.raises(RuntimeError):
        write()
    assert (said, contents(tmp_path)) == (["rolled back", "closed"], {})


def test_a_file_may_have_any_name(tmp_path):
    (tmp_path / "replaced").write_text("old")
    with whole_file(tmp_path / "replaced") as made:
        made.write_text("new")
    assert contents(tmp_path) == {"replaced": "new"}
