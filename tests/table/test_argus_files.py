"""Hierarchies as ARGUS writes them: what is read is what was written, and what is wrong is said by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import PartitionError
from divulge.table.argus_files import recoding_rows, recoding_text, tree_rows, tree_text
from divulge.table.hierarchy import Hierarchy

CODES = st.text("abX1(-#", min_size=1, max_size=3)


@st.composite
def hierarchies(draw):
    """Rows of values and groups, in which values once together stay together."""
    values = draw(st.lists(CODES, min_size=1, max_size=8, unique=True))
    rows, names = [[value] for value in values], values
    for _ in range(draw(st.integers(1, 3))):
        coarser = {name: draw(CODES) for name in dict.fromkeys(names)}
        names = [coarser[name] for name in names]
        for row, name in zip(rows, names, strict=True):
            row.append(name)
    return [tuple(row) for row in rows]


def together(names):
    """Which places share a name, whatever it is."""
    return [names.index(name) for name in names]


@given(hierarchies())
def test_a_tree_that_was_written_has_the_same_groups_at_every_level(rows):
    again = {row[0]: row[1:] for row in tree_rows(tree_text(rows, "x"))}
    assert set(again) == {row[0] for row in rows}
    found = [
        together([again[row[0]][level] for row in rows]) for level in range(len(next(iter(again.values()))))
    ]
    alone = list(range(len(rows)))
    wanted = [together([row[level] for row in rows]) for level in range(1, len(rows[0]))]
    assert [one for one in wanted if one not in (alone, [0] * len(rows))] == [
        one for one in found if one not in (alone, [0] * len(rows))
    ]
    Hierarchy.of(tree_rows(tree_text(rows, "x")), attribute="x")


def test_the_tree_of_the_manual_is_read_with_any_leader():
    tree = "Nr\n@ 1\n@ 2\nOs \n@ 4\n@@41\n@@42\n"
    assert tree_rows(tree) == [
        ("1", "1", "Nr", "*"),
        ("2", "2", "Nr", "*"),
        ("41", "4", "Os", "*"),
        ("42", "4", "Os", "*"),
    ]
    assert tree_rows(tree.replace("@", "-->"), leader="-->") == tree_rows(tree)
    assert tree_rows(tree.replace("@", ".")) == tree_rows(tree)
    assert tree_rows("a\nb\n") == [("a", "*"), ("b", "*")]


def test_a_file_with_this_ending_is_read_as_a_tree(tmp_path):
    (tmp_path / "region.hrc").write_text("North\n@1\n@2\nSouth\n@3\n")
    assert Hierarchy.read(tmp_path / "region.hrc", attribute="region").groups[0] == (
        "North",
        "North",
        "South",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("A\n@@1", "Line 2 of the tree is 2 levels below"),
        ("A\n@", "Line 2 of the tree has no code"),
        ("A\n@1\nB\n@1", "Line 4 of the tree has a code that came before"),
    ],
)
def test_a_tree_that_is_wrong_is_refused_by_its_line(text, words):
    with pytest.raises(PartitionError, match=words):
        tree_rows(text)


def test_a_recoding_has_codes_lists_and_ranges_with_open_ends():
    text = "1: -20\r\n2: 21-30, 35\r\n3:99\r\n\r\n<MISSING> 8 9\r\n<CODELIST> Age.cdl\r\n"
    assert recoding_rows(text, ["007", "20", "21", "35", "99", "40", ""]) == [
        ("007", "1"),
        ("20", "1"),
        ("21", "2"),
        ("35", "2"),
        ("99", "3"),
        ("40", "40"),
        ("", ""),
    ]
    assert recoding_rows("x: a-c", ["b", "d"]) == [("b", "x"), ("d", "d")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<MISSING> 9", "no line with a new code"),
        ("1 2", "Line 1 of the recoding cannot be read"),
        ("a: 1-3\nb: 2", "Lines 1 and 2 of the recoding give one value two codes"),
        ("4: 1-2", "would be mixed"),
    ],
)
def test_a_recoding_that_is_wrong_is_refused_by_its_line(text, words):
    with pytest.raises(PartitionError, match=words):
        recoding_rows(text, ["1", "2", "3", "4"])


def test_a_level_that_was_written_as_a_recoding_is_the_same():
    rows = [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")]
    assert recoding_rows(recoding_text(rows, 1, "x"), ["1", "2", "3"]) == [row[:2] for row in rows]
    with pytest.raises(PartitionError, match="cannot be written in this form: 1 code"):
        recoding_text([("Never-married", "single"), ("Divorced", "single")], 1, "x")
