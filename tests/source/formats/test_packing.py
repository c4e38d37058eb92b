"""Compressed files are read whole or not at all, and never take more of the disk than there is room for."""

import gzip
import io
import lzma
import os
import zipfile

import pytest
import zstandard

from divulge.engines.opening import open_source
from divulge.errors import MissingLibrary, SourceError, TooMuch
from divulge.source.formats import packing
from file_formats import FORMATS, PACKED, put, zipped

CSV = b"a,b\n1,2\n3,4\n"


def test_a_compressed_file_is_as_large_as_its_beginning_promises(tmp_path, monkeypatch):
    text = b"".join(b"%d,some text that repeats\n" % place for place in range(200_000))
    packed = put(tmp_path / "packed.csv.gz", gzip.compress(text))
    monkeypatch.setattr(packing, "_SAMPLE", len(text) // 4)
    assert packing.unpacked_size(packed, "gzip") == pytest.approx(len(text), rel=0.3)
    assert packing.unpacked_size(put(tmp_path / "p.zip", zipped(a_csv=text)), "zip") == len(text)


@pytest.mark.parametrize("ending", PACKED)
def test_what_was_unpacked_is_gone_once_it_is_read(ending, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    source = open_source(put(tmp_path / f"a.{ending}", PACKED[ending](CSV)))
    assert source.records == 2
    assert os.listdir(tmp_path / "scratch") == []


@pytest.mark.parametrize("form", ["Parquet", "ORC"])
def test_a_file_that_is_read_later_stays_until_its_source_goes(form, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    written = FORMATS[form][0](tmp_path)
    source = open_source(put(tmp_path / "packed.gz", gzip.compress(written.read_bytes())))
    assert source.encode(["zip"])["zip"].values
    assert source.name == "packed.gz"
    del source
    assert os.listdir(tmp_path / "scratch") == []


def test_frames_of_zstandard_are_all_read(tmp_path):
    path = put(tmp_path / "a.csv.zst", zstandard.compress(b"a,b\n1,2\n") + zstandard.compress(b"3,4\n"))
    assert open_source(path).records == 2


def test_an_archive_of_one_file_may_have_folders(tmp_path):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("people/", b"")
        archive.writestr("people/table.csv", CSV)
        archive.writestr("__MACOSX/people/._table.csv", b"\0\1")
    assert open_source(put(tmp_path / "people.zip", held.getvalue())).records == 2


REFUSED = {
    "zip archive of 2 files": zipped(a_csv=CSV, b_csv=CSV),
    "zip archive of 0 files": zipped(),
    "compressed twice": gzip.compress(gzip.compress(CSV)),
    "compressed and damaged": gzip.compress(CSV * 1000)[:-3],
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_not_one_table_is_refused(said, tmp_path):
    with pytest.raises(SourceError, match=said):
        open_source(put(tmp_path / "packed.zip", REFUSED[said]))


def test_an_archive_with_a_password_is_refused(tmp_path):
    content = bytearray(zipped(a_csv=CSV))
    for begun, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(begun) + flags] |= 1
    with pytest.raises(SourceError, match="protected by a password"):
        open_source(put(tmp_path / "a.zip", bytes(content)))


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress, lambda text: zipped(a_csv=text)])
def test_a_bomb_is_refused_before_it_is_unpacked(pack, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(packing, "_ANYWAY", 10_000)
    monkeypatch.setattr(packing, "_TIMES", 10)
    path = put(tmp_path / "bomb", pack(b"a,b\n" + b"1,2\n" * 100_000))
    with pytest.raises(TooMuch, match=r"bomb would take 400 kB or more of disk; the limit here is"):
        open_source(path)
    assert os.listdir(tmp_path / "scratch") == []


def test_a_beginning_that_promises_little_does_not_help_a_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "_ANYWAY", 100_000)
    monkeypatch.setattr(packing, "_TIMES", 1)
    monkeypatch.setattr(packing, "_SAMPLE", 1 << 16)
    monkeypatch.setattr(packing, "_BLOCK", 1 << 12)
    noise = os.urandom(1 << 17).hex().encode()
    path = put(tmp_path / "bomb", lzma.compress(b"a\n" + noise + b"\n" + b"1\n" * 10**6))
    size = packing.unpacked_size(path, "xz")
    assert size < path.stat().st_size * 3
    monkeypatch.setattr(packing, "_ANYWAY", size)
    with pytest.raises(TooMuch, match="bomb would take"):
        open_source(path)


def test_zstandard_names_its_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "find_spec", lambda package: None)
    with pytest.raises(MissingLibrary, match=r"compressed by Zstandard needs the package.*divulge\[zstd\]"):
        open_source(put(tmp_path / "a.csv.zst", zstandard.compress(CSV)))


def test_an_archive_is_no_office_document_for_what_its_table_says(tmp_path):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("people/words.csv", "a,xl/b,mimetype\n1,word/2,[Content_Types].xml\n")
    assert open_source(put(tmp_path / "a.zip", held.getvalue())).attributes == ("a", "xl/b", "mimetype")
