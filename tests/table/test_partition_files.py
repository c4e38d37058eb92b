"""Partitions as users write them: TOML files and mappings."""

import pytest

from divulge.errors import PartitionError
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition
from divulge.table.partition_files import as_partition, as_partitions, read_partitions

MARKER = "XYZZY-marker"
ZIPS = [("47677", "476**", "*"), ("47602", "476**", "*"), ("47905", "479**", "*")]


def domains(partition, values):
    coarse = partition.apply(Codes.of(values), attribute="a")
    return [None if code == 0 else coarse.values[code - 1] for code in coarse.codes]


def write(path, text, encoding="utf-8"):
    path.write_text(text, encoding=encoding)
    return path


def test_a_partitions_file_has_a_table_for_each_attribute(tmp_path):
    (tmp_path / "trees").mkdir()
    write(tmp_path / "trees" / "zip.csv", "\n".join(";".join(row) for row in ZIPS))
    path = write(
        tmp_path / "p.toml",
        """
        [disease]
        cancer = ["lung", "colon"]
        other = ["flu", 7]
        [mood.partition]
        level = ["even"]
        bins = ["odd"]
        [age]
        bins = [0, 18.5]
        ["zip.code"]
        hierarchy = "trees/zip.csv"
        level = 1
        """,
        encoding="utf-8-sig",
    )
    partitions = as_partitions(str(path))
    assert list(partitions) == ["disease", "mood", "age", "zip.code"]
    assert domains(partitions["disease"], ["7", "colon"]) == ["other", "cancer"]
    assert domains(partitions["mood"], ["odd"]) == ["bins"]
    assert domains(partitions["age"], ["18"]) == ["[0, 18.5)"]
    assert domains(partitions["zip.code"], ["47905"]) == ["479**"]


def test_partitions_are_taken_in_many_forms(tmp_path):
    zips = Hierarchy.of(ZIPS, attribute="zip")
    path = write(tmp_path / "zip.csv", "\n".join(";".join(row) for row in ZIPS))
    for given in (zips.level(1), (zips, 1), {"hierarchy": zips, "level": 1}, {"hierarchy": path, "level": 1}):
        assert as_partition(given, attribute="zip") == zips.level(1)
    plain = as_partitions({"disease": {"cancer": ["lung"], "other": {"flu"}}, "age": {"bins": (0, 18)}})
    assert plain == {
        "disease": Partition({"cancer": ("lung",), "other": ("flu",)}),
        "age": Partition.bins([0, 18], attribute="age"),
    }
    assert as_partitions(None) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("# nothing yet\n", "are empty"),
        ("[disease]\ncancer = [lung]\n", "not TOML: .*line 2"),
        ("[disease]\n[disease]\n", "not TOML: .*line 2"),
        ('disease = ["lung"]\n', "'disease' is not a partition"),
        ("[disease]\n", "'disease' has 0 domains"),
        ('[disease]\ncancer = "lung"\n', "domain 'cancer' of 'disease' is not a list"),
        ('[zip]\nhierachy = "zip.csv"\nlevel = 2\n', "'zip' is not a partition"),
        ('[zip]\nhierachy = "zip.csv"\nlevels = 2\n', "Did you mean 'hierarchy'"),
        ('[zip]\nhierarchy = "zip.csv"\n', "hierarchy .* with level"),
        ("[zip]\nlevel = 2\n", "hierarchy .* with level"),
        ('[zip]\nhierarchy = "zip.csv"\nlevel = 2\n', "no file .*zip.csv .*that file's folder"),
        ("[age]\nbins = 18\n", "bins .a list."),
        ("[age]\nbin = [0, 18]\n", "Did you mean 'bins'"),
        ('[age]\nbins = [0]\nold = ["x"]\n', "'age' is not a partition"),
        ('[age.partitions]\nold = ["x"]\n', "Did you mean 'partition'"),
        ('[zip.code]\neast = ["1"]\n', r'quote it: \["zip.code"\]'),
    ],
)
def test_a_partitions_file_that_says_something_else_is_refused(tmp_path, text, words):
    with pytest.raises(PartitionError, match=words):
        read_partitions(write(tmp_path / "p.toml", text))


def test_a_hierarchy_without_level_is_refused():
    with pytest.raises(PartitionError, match=r"hierarchy .* with level"):
        as_partitions({"zip": Hierarchy.of(ZIPS, attribute="zip")})
