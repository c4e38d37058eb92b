"""Arrow and ORC files: types as they are, columns one by one, and nothing read outside of memory."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.orc
import pytest
from pyarrow import feather

from divulge.engines.opening import open_source
from divulge.errors import SourceError
from file_formats import as_arrow_stream, put

TABLE = pa.table(
    {
        "nested": [{"x": 1}, {"x": 2}],
        "a.b": [1, 2],
        "A.B": [3, 3],
        "price": [Decimal("1.50"), None],
        "at": [dt.datetime(2020, 1, 2, 3), None],
        "share": [float("nan"), -0.0],
        "name": ["é", ""],
    }
)
EXPECTED = {
    "a.b": [1, 2],
    "A.B": [3, 3],
    "price": [Decimal("1.50"), None],
    "at": [dt.datetime(2020, 1, 2, 3), None],
    "share": [None, 0.0],
    "name": ["é", ""],
}


@pytest.fixture(params=["feather", "orc"])
def source(request, tmp_path):
    write = feather.write_feather if request.param == "feather" else pa.orc.write_table
    write(TABLE, str(tmp_path / "table"))
    return open_source(tmp_path / "table")


def test_values_are_what_was_written_whatever_their_names(source):
    found = {
        name: [None if code == 0 else column.values[code - 1] for code in column.codes]
        for name, column in source.encode([*reversed(EXPECTED)]).items()
    }
    assert found == EXPECTED


def test_a_nested_column_is_refused_where_it_is_asked_for(source):
    with pytest.raises(SourceError, match="attribute 'nested' holds values of type struct"):
        source.encode(["nested"])


def test_offsets_that_lead_astray_are_seen_before_they_are_followed(tmp_path):
    content = as_arrow_stream(tmp_path).read_bytes()
    for place in range(0, len(content) - 64, 97):
        damaged = content[:place] + b"\xa5" * 20 + content[place + 20 :]
        try:
            source = open_source(put(tmp_path / "damaged", damaged))
            source.encode(source.attributes)
        except SourceError as error:
            refused = error
    assert "cannot be read as an Arrow or Feather file" in str(refused)
