"""Feather, Arrow and ORC files, through pyarrow: batch by batch, so that no more than one is held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyarrow import orc

from divulge.errors import DivulgeError
from divulge.source.base import check_asked, check_names, check_table, check_width
from divulge.source.beside.unread import Unread
from divulge.source.beside.written_beside import unused_entries, written_beside
from divulge.source.files import DataFile, unreadable_as
from divulge.source.frames.arrow import Listed, plain_chunks
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

Noted = Mapping[bytes, bytes]
Batches = Callable[[Sequence[int]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, eq=False)
class ArrowBatches:
    """A file of record batches: columns are read when asked for, and only those."""

    name: str
    called: str
    attributes: tuple[str, ...]
    records: int
    batches: Batches  # those of the columns at some places
    written_beside: tuple[Unread, ...] = ()
    _unused: dict[str, list[Unread]] = field(default_factory=dict, repr=False)  # entries of dictionaries

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What the file holds beside its values; dictionaries are looked at when columns are read."""
        if missing := [name for name in self.attributes if name not in self._unused]:
            self.encode(missing)
        return (*self.written_beside, *(one for found in self._unused.values() for one in found))

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = sorted(check_asked(attributes, self.attributes), key=self.attributes.index)
        encoders = [Listed(attribute) for attribute in wanted]
        try:
            for batch in self.batches([self.attributes.index(one) for one in wanted]):
                batch.validate(full=True)  # bytes that are out of order could lead outside of memory
                for encoder, column in zip(encoders, batch.columns, strict=True):
                    for chunk in plain_chunks([column]):
                        encoder.add(chunk, 0)
        except DivulgeError:
            raise
        except Exception as error:
            raise unreadable_as(self.name, self.called, error) from None
        found = {one: encoder.finish() for one, encoder in zip(wanted, encoders, strict=True)}
        for one, codes in found.items():
            self._unused[one] = unused_entries(one, codes)
        return found


def open_batches(file: DataFile, options: SourceOptions, called: str) -> ArrowBatches:
    """A file of record batches, of which the names are read and the records are counted."""
    try:
        names, batches, noted = (
            _orc(file) if file.head.startswith(b"ORC") or file.suffix == ".orc" else _arrow(file)
        )
        check_names(file.name, names)
        check_width(file.name, len(names))
        records = sum(batch.num_rows for batch in batches([0]))
    except DivulgeError:
        raise
    except Exception as error:
        raise unreadable_as(file.name, called, error) from None
    check_table(file.name, names, records)
    return ArrowBatches(file.name, called, tuple(names), records, batches, tuple(written_beside(noted)))


def _arrow(file: DataFile) -> tuple[list[str], Batches, Noted]:
    """Arrow as a file, which Feather is too, or as a stream."""
    path = str(file.path)
    in_file = file.head.startswith(b"ARROW1")

    def reader(source: Any, places: Sequence[int] | None = None) -> Any:
        options = pa.ipc.IpcReadOptions(included_fields=None if places is None else list(places))
        return (pa.ipc.open_file if in_file else pa.ipc.open_stream)(source, options=options)

    def batches(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(path) as source, reader(source, places) as opened:
            if in_file:
                yield from map(opened.get_batch, range(opened.num_record_batches))
            else:
                yield from opened

    with pa.memory_map(path) as source, reader(source) as opened:
        return opened.schema.names, batches, opened.schema.metadata or {}


def _orc(file: DataFile) -> tuple[list[str], Batches, Noted]:
    opened = orc.ORCFile(str(file.path))
    names = opened.schema.names

    def batches(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        for stripe in range(opened.nstripes):
            yield opened.read_stripe(stripe, columns=[names[place] for place in places])

    return names, batches, opened.metadata or {}
