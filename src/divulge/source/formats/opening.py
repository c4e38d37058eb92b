"""From what a user names to a source: a file, a sheet in it, a folder, a pattern, or standard input."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from divulge.errors import MissingLibrary, MissingSource, SourceError
from divulge.source.base import Source
from divulge.source.beside.unread import note_unread, unread_lines
from divulge.source.dialect import encoding_of
from divulge.source.files import STANDARD_INPUT, DataFile
from divulge.source.formats.packing import packed_beside, standard_input, unpacked
from divulge.source.formats.recognition import LAYOUT, PARQUET, TEXT, Format, recognised
from divulge.source.formats.several import files_of, is_several, left_aside, open_parts
from divulge.source.options import OPTIONS, SourceOptions
from divulge.source.origin import Origin, remember_origin

# Several tables may be read together: what is said of how one is written says nothing of the others.
_OF_OTHERS = frozenset({"separator", "quote", "encoding", "labels"})
Opener = Callable[[DataFile, SourceOptions, Format], Source]


def open_path(given: str, options: SourceOptions, within: Opener | None = None) -> Source:
    """The table at a path; ``within`` opens a CSV or Parquet file instead, where memory has a limit."""
    if not given.strip():
        raise MissingSource("No file is named.", hint="Give the path of a file or a folder.")
    place, options = _sheet_apart(given, options)
    path = Path(place).expanduser()
    if place != STANDARD_INPUT and is_several(path):
        if within is not None:
            raise _for_one_file(f"{path} matches several files")
        parts = open_parts(
            path.name or str(path), files_of(path), lambda part: _open_one(str(part), options, None)
        )
        note_unread(parts, left_aside(path))
        return remember_origin(parts, Origin(None, "it stands for several files"))
    piped = place == STANDARD_INPUT
    origin = Origin(None, "it was read from standard input") if piped else Origin(path)
    return remember_origin(_open_one(place, options, within), origin)


def _open_one(given: str, options: SourceOptions, within: Opener | None) -> Source:
    with ExitStack() as undo:
        piped = given == STANDARD_INPUT
        packed = standard_input(undo) if piped else DataFile.at(Path(given).expanduser())
        file = unpacked(packed, undo)
        form = recognised(file, options)
        _check_options(file.name, form, options)
        if within is not None and form not in (TEXT, PARQUET):
            raise _for_one_file(f"{file.name} is {form.called}")
        source = (within or open_as)(file, options, form)
        note_unread(source, packed_beside(packed))
        if form in (TEXT, LAYOUT) and (options.skip or options.comment):
            encoding = encoding_of(file.head, options.encoding)
            note_unread(source, unread_lines(file.path, encoding, options.skip, options.comment))
        if form.later:  # what was unpacked stays until nobody reads from it
            weakref.finalize(source, undo.pop_all().close)
        return source


def open_as(file: DataFile, options: SourceOptions, form: Format) -> Source:
    """A file as the format that it has, by the library that reads it."""
    if form.needs is not None and find_spec(form.needs[0]) is None:
        package, extra = form.needs
        raise MissingLibrary(form.called, package.replace("_", "-"), extra)
    module, function = form.opener
    source: Source = getattr(import_module(module), function)(file, options, form.called)
    return source


def _sheet_apart(given: str, options: SourceOptions) -> tuple[str, SourceOptions]:
    """A path and the sheet that is named after #, unless there is a file of just that name."""
    if "#" not in given or Path(given).expanduser().exists() or options.table is not None:
        return given, options
    for place, letter in enumerate(given):
        if letter == "#" and Path(given[:place]).expanduser().is_file():
            return given[:place], replace(options, table=given[place + 1 :])
    return given, options


def _check_options(name: str, form: Format, options: SourceOptions) -> None:
    """Refuse what can only be said of a file of another kind."""
    for said in options.given("file", "database").keys() - form.takes - _OF_OTHERS:
        option = OPTIONS[said]
        raise SourceError(
            f"{name} is {form.called}, and {option.flag} can be given for {option.only} only.",
            hint="Leave it out, or check that this is the file you meant.",
        )


def _for_one_file(what: str) -> SourceError:
    return SourceError(
        f"{what}, and a memory budget can be given for one CSV or Parquet file only.",
        hint="Leave it out, or save the table as one such file.",
    )
