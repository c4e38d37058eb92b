"""What the beginning of a file tells: how many values there are, and what records would take of memory."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.engines.opening import open_source
from divulge.engines.out_of_core.sampled_sizes import Sampled, holding, of_parquet, of_text
from divulge.source.dialect import detect
from divulge.source.options import SourceOptions


def test_few_values_that_repeat_are_all_there_are():
    assert Sampled.of(["a", "b", None, "a", "b", "a", ""]).values(10**9) == 2


def test_values_that_hardly_repeat_are_guessed_from_how_seldom_they_do():
    # 400 draws from 5000 values: about 16 of them meet one that was drawn before.
    drawn = [str(i) for i in range(384)] + [str(i) for i in range(16)]
    assert Sampled.of(drawn).values(10**9) == 400**2 // 32
    assert Sampled.of(drawn).values(1000) == 1000


def test_values_that_never_repeat_are_as_many_as_records():
    assert Sampled.of([str(i) for i in range(5000)]).values(10**6) == 10**6


def test_codes_are_as_wide_as_their_values_need_and_lists_of_values_count():
    few = Sampled(seen=100, different=2, length=5.0)
    assert few.coded(1000) == pytest.approx(1000, abs=400)
    assert Sampled(seen=100, different=100, length=5.0).coded(1000) > 100 * few.coded(1000)


def test_integers_close_together_need_no_list():
    assert Sampled(seen=100, different=100, length=5.0, dense=70_000).coded(10**6) == 4 * 10**6


def test_texts_that_are_read_take_more_than_their_codes():
    columns = [Sampled(seen=100, different=2, length=5.0)]
    assert holding(1000, columns, as_text=True) == holding(1000, columns) + 1000 * (16 + 5)


def test_the_beginning_of_a_csv_file_tells_of_its_columns():
    head = b"a;b\n1;x\n2;x\n3;x\nbroken\n4;cut o"
    sampled, rows = of_text(head, detect("t.csv", head, SourceOptions()))
    assert rows == 4
    assert [(one.seen, one.different) for one in sampled] == [(4, 4), (4, 2)]


def test_the_beginning_of_a_parquet_file_tells_of_its_columns(tmp_path):
    table = pa.table({"a": [1, 2, 3, None], "b": ["xx", "xx", "xxxx", None], "c": [[1], [2], [1], None]})
    pq.write_table(table, tmp_path / "t.parquet")
    sampled = of_parquet(open_source(tmp_path / "t.parquet"))
    assert sampled["a"] == Sampled(seen=3, different=3, length=1.0, dense=3)
    assert (sampled["b"].different, sampled["b"].length) == (2, pytest.approx(8 / 3))
    assert sampled["c"].different == 2
