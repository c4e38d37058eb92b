"""A file within a memory budget: as codes in memory where that will do, or else counted on disk."""

from __future__ import annotations

import tempfile
from pathlib import Path

from divulge.engines.out_of_core.budget import Budget, require_room
from divulge.engines.out_of_core.file_rows import FileColumn, FileRows
from divulge.engines.out_of_core.sampled_sizes import holding, of_parquet, of_text
from divulge.engines.out_of_core.session import BudgetedDuckDB, InterruptibleConnection
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.source import duck, text
from divulge.source.base import Source
from divulge.source.beside.unread import note_unread
from divulge.source.dialect import NEGATIVE_ZERO, detect
from divulge.source.files import DataFile
from divulge.source.formats.recognition import PARQUET, Format
from divulge.source.options import SourceOptions
from divulge.source.parquet import open_parquet


def open_file(file: DataFile, options: SourceOptions, form: Format) -> Source:
    """A file as codes in memory where the budget allows for that, or else one that is counted on disk."""
    budget = Budget.of(options.memory or 0)
    return _open_parquet(file, budget) if form is PARQUET else _open_text(file, options, budget)


def _fits(needed: float, budget: Budget) -> bool:
    return needed <= budget.free


def _open_parquet(file: DataFile, budget: Budget) -> Source:
    plain = open_parquet(file)
    sampled = of_parquet(plain)
    if _fits(holding(plain.records, sampled.values()), budget):
        return plain
    columns = {
        name: FileColumn(duck.quoted(column.name), column.kind, sampled[name])
        for name, column in plain.columns.items()
    }
    # Without can_have_nan DuckDB takes bounds from the file for proof that there is no NaN.
    place = f"read_parquet({duck.file_literal(file.path)}, hive_partitioning = false, can_have_nan = true)"
    rows = FileRows(place, "file_row_number", columns, plain)
    table = OutOfCoreTable(plain.name, plain.records, rows, BudgetedDuckDB(budget))
    return note_unread(table, plain.written_beside)


def _open_text(file: DataFile, options: SourceOptions, budget: Budget) -> Source:
    dialect = detect(file.name, file.head, options)
    size = file.path.stat().st_size
    sampled, rows = of_text(file.head, dialect)
    if _fits(holding(size * rows // len(file.head), sampled, as_text=True), budget):
        return text.open_text(file, options)
    needed = size if dialect.is_utf8 else 2 * size  # another encoding is copied before it is read
    require_room(Path(tempfile.gettempdir()), needed, f"Reading {file.name}")
    session = BudgetedDuckDB(budget)
    try:
        records = text.read_into(session.connection, file, dialect, told=options.encoding is not None)
        places = _unspaced(session.connection, len(dialect.header), exact=dialect.told)
    except BaseException:
        session.close()
        raise
    columns = {
        name: FileColumn(_unsigned(sql), "VARCHAR", one)
        for name, sql, one in zip(dialect.header, places, sampled, strict=True)
    }
    return OutOfCoreTable(file.name, records, FileRows("records", "rowid", columns), session)


def _unsigned(column: str) -> str:
    """A column in SQL whose negative zeros are zeros."""
    zero = f"{column} LIKE '-0%' AND regexp_full_match({column}, '{NEGATIVE_ZERO}')"
    return f"CASE WHEN {zero} THEN substr({column}, 2) ELSE {column} END"


def _unspaced(connection: InterruptibleConnection, width: int, *, exact: bool) -> list[str]:
    """The columns in SQL, without the space before all values of one, which belongs to the separator."""
    places = [f"c{i}" for i in range(width)]
    if exact or width == 1:
        return places
    asked = ", ".join(f"bool_and(starts_with({one}, ' '))" for one in places[1:])
    [spaced] = connection.execute(f"SELECT {asked} FROM records").fetchall()
    return [
        f"nullif(substr({one}, 2), '')" if cut else one
        for one, cut in zip(places, (False, *spaced), strict=True)
    ]
