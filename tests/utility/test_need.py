"""Utility after the fact: a need, what is read for it, and what its file may say."""

import json

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.errors import PartitionError, PolicyError
from divulge.utility import Need, as_needs, needs_of, read_needs, utility

MARKER = "XYZZY-marker"
TABLE = {
    "Age*": ["2*", "2*", "2*", "≥ 40", "≥ 40", "≥ 40", "3*", "3*", "3*"],
    "Disease": ["cancer"] * 3 + ["malaria", "diabetes", "malaria", "malaria", "diabetes", "diabetes"],
}
TREATMENT = Need("treatment", ("Age*",), "Disease")

FILE = """
["treatment by age"]
target = "Disease"
keys = ["Age"]
partitions = { Disease = { cancer = ["lung", "colon"], other = ["flu"] }, Age = { bins = [35] } }
at_least = 0.5

[region]
target = "Disease"
keys = ["Zip", "Age"]
[region.partitions]
Zip = { hierarchy = "zip.csv", level = 1 }
"""


def write(folder, text):
    (folder / "zip.csv").write_text("47677;476**;*\n47905;479**;*\n", encoding="utf-8")
    path = folder / "need.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder, text):
    with pytest.raises(PolicyError) as error:
        read_needs(write(folder, text))
    return str(error.value).replace(str(folder), "")


# -- readings ----------------------------------------------------------------------------------------


def test_the_utility_is_the_share_of_the_target_that_the_keys_tell():
    found = utility(dv.read(TABLE), TREATMENT)
    # By hand: H(Disease) = log2 3; one age group is certain, two of three records each are split 2 : 1.
    assert found.utility == pytest.approx(1 - (2 / 3) * 0.9182958340544896 / 1.584962500721156)
    assert found.undefined is None
    assert found.records == found.counted == 9
    assert (found.at_least, found.enough) == (None, None)


def test_chance_stands_beside_the_utility():
    found = utility(dv.read(TABLE), TREATMENT)
    assert 0 < found.chance < found.utility
    assert found.adjusted == pytest.approx((found.utility - found.chance) / (1 - found.chance))


def test_lines_tell_the_most_useful_values_first_and_hide_names_and_small_counts():
    found = utility(dv.read(TABLE), TREATMENT)
    assert [line.label for line in found.lines] == ["value 1", "value 2", "value 3"]
    assert [line.records for line in found.lines] == ["<5"] * 3
    assert found.lines[0].utility == 1
    assert [line.utility for line in found.lines[1:]] == [None] * 2  # 0.8068..., which would tell how few
    with exact_counts():
        assert utility(dv.read(TABLE), TREATMENT).lines[1].utility == pytest.approx(0.8068732785)
    shown = utility(dv.read(TABLE), TREATMENT, show_values=True)
    assert [line.label for line in shown.lines] == ["2*", "3*", "≥ 40"]


def test_a_line_of_several_keys_names_them_all_and_the_missing_one():
    table = dv.read({"a": ["x", "x", None], "b": [1, 1, 2], "t": ["p", "p", "q"]})
    found = utility(table, Need("n", ("a", "b"), "t"), show_values=True)
    assert {line.label for line in found.lines} == {"x, 1", "(missing), 2"}


def test_at_most_so_many_lines_are_told():
    table = dv.read({"a": list(range(40)), "t": ["p", "q"] * 20})
    need = Need("n", ("a",), "t")
    assert len(utility(table, need).lines) == 20
    assert len(utility(table, need, most=40).lines) == 40


@pytest.mark.parametrize(("least", "enough"), [(0.6, True), (0.62, False)])
def test_a_need_says_how_much_is_enough(least, enough):
    need = Need("treatment", ("Age*",), "Disease", at_least=least)
    assert utility(dv.read(TABLE), need).enough is enough


def test_partitions_group_keys_and_target():
    [need] = needs_of(
        {
            "n": {
                "target": "t",
                "keys": "a",
                "partitions": {"a": {"bins": [35]}, "t": {"b": ["p"], "c": ["q", "r"]}},
            }
        }
    )
    table = dv.read({"a": [20, 30, 40, 50], "t": ["p", "p", "q", "r"]})
    assert utility(table, need).utility == 1
    assert [line.label for line in utility(table, need, show_values=True).lines] == ["< 35", "[35, inf)"]


def test_a_constant_target_leaves_nothing_to_tell():
    found = utility(dv.read({"a": [1, 2], "t": ["p", "p"]}), Need("n", ("a",), "t", at_least=0.5))
    assert (found.utility, found.chance, found.adjusted, found.enough, found.lines) == (None,) * 4 + ((),)
    assert "one value only" in found.undefined


def test_a_release_with_everything_suppressed_has_no_utility_to_read():
    found = utility(dv.read({"a": ["*", "*"], "t": ["p", "q"]}), Need("n", ("a",), "t"))
    assert found.undefined == "no record is left to count: of 2, 2 are suppressed and 0 have missing values"
    assert (found.records, found.counted) == (2, 0)


def test_suppressed_records_are_said_not_to_count():
    found = utility(dv.read({"a": ["*", "1", "2"], "t": ["p", "p", "q"]}), Need("n", ("a",), "t"))
    assert (found.utility, found.records, found.counted) == (1, 3, 2)


def test_the_same_seed_gives_the_same_reading_and_it_is_plain_json():
    one, other = (utility(dv.read(TABLE), TREATMENT, seed=7).to_dict() for _ in range(2))
    assert json.loads(json.dumps(one)) == one == other


def test_a_need_can_be_asked_of_data_with_other_names():
    need = needs_of(
        {
            "n": {
                "target": "Disease",
                "keys": ["Age"],
                "partitions": {"Age": {"o": ["≥ 40"], "y": ["2*", "3*"]}},
            }
        }
    )
    renamed = need[0].renamed({"Age": "Age*", "Zip": "Zip*"})
    assert (renamed.keys, renamed.target, list(renamed.partitions)) == (("Age*",), "Disease", ["Age*"])
    assert utility(dv.read(TABLE), renamed).utility > 0


def test_an_attribute_that_the_data_have_not_is_an_error_with_a_suggestion(tmp_path):
    [need, _] = read_needs(write(tmp_path, FILE))
    with pytest.raises(
        PolicyError, match=r"line 4, \"treatment by age\"\.keys: the data have no attribute 'Age'"
    ):
        utility(dv.read(TABLE), need)
    with pytest.raises(
        PolicyError, match=r"the need, target: the data have no attribute 'disease'\. Did you mean"
    ):
        utility(dv.read(TABLE), Need("n", ("Age*",), "disease"))


def test_neither_errors_nor_lines_hold_values():
    table = dv.read({"a": [MARKER, MARKER, "x"], "t": ["p", "q", "q"]})
    [need] = needs_of({"n": {"target": "t", "keys": "a", "partitions": {"a": {"known": ["x"]}}}})
    with pytest.raises(PartitionError) as error:
        utility(table, need)
    assert MARKER not in str(error.value)
    assert MARKER not in json.dumps(utility(table, Need("n", ("a",), "t")).to_dict())


# -- files -------------------------------------------------------------------------------------------


def test_a_file_holds_several_needs_and_paths_start_from_its_folder(tmp_path):
    age, region = read_needs(write(tmp_path, FILE))
    assert (age.name, age.keys, age.target, age.at_least) == ("treatment by age", ("Age",), "Disease", 0.5)
    assert list(age.partitions["Disease"].domains) == ["cancer", "other"]
    assert list(age.partitions["Age"].domains) == ["< 35", "[35, inf)"]
    assert (region.name, region.keys, region.at_least) == ("region", ("Zip", "Age"), None)
    assert list(region.partitions["Zip"].domains) == ["476**", "479**"]


def test_needs_come_from_a_file_a_mapping_or_as_they_are(tmp_path):
    path = write(tmp_path, FILE)
    assert [need.name for need in as_needs(path)] == [need.name for need in as_needs(str(path))]
    assert [need.keys for need in as_needs({"n": {"target": "t", "keys": "a"}})] == [("a",)]
    assert as_needs([TREATMENT]) == [TREATMENT]
    assert as_needs(None) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[n]\ntarget = "t"\nkey = ["a"]',
            "need.toml, line 3, n.key: there is no key 'key' here. Did you mean 'keys'?",
        ),
        ('[n]\ntarget = "t"', "line 1, n: this need has no keys."),
        ('[n]\nkeys = ["a"]', "line 1, n: this need has no target."),
        ('target = "t"\nkeys = ["a"]', "line 1, target: this must be a table, not a text."),
        ('[n]\ntarget = ["t"]\nkeys = ["a"]', "line 2, n.target: this must be a text, not a list."),
        ('[n]\ntarget = "@record"\nkeys = ["a"]', "line 2, n.target: a need is about an attribute"),
        ('[n]\ntarget = "t"\nkeys = []', "line 3, n.keys: the list is empty."),
        ('[n]\ntarget = "t"\nkeys = ["a", "t"]', "line 3, n.keys: 't' is both a key and the target"),
        ('[n]\ntarget = "t"\nkeys = ["a", "a"]', "line 3, n.keys: the list has the same text twice."),
        ('[n]\ntarget = "t"\nkeys = "a"\nat_least = 0', "line 4, n.at_least: utility runs from 0 to 1"),
        ('[n]\ntarget = "t"\nkeys = "a"\nat_least = 50', "line 4, n.at_least: utility runs from 0 to 1"),
        (
            '[n]\ntarget = "t"\nkeys = "a"\nat_least = "half"',
            "n.at_least: this must be a number, not a text.",
        ),
        (
            '[n]\ntarget = "t"\nkeys = "a"\npartitions = 3',
            "n.partitions: this must be a table, not a number.",
        ),
        (
            '[n]\ntarget = "t"\nkeys = "age"\n[n.partitions]\nagee = { bins = [3] }',
            "'agee' here. Did you mean 'age'?",
        ),
        (
            '[n]\ntarget = "t"\nkeys = "a"\n[n.partitions]\na = { bins = [3, 1] }',
            "line 5, n.partitions.a: the edges",
        ),
        (
            '[n]\ntarget = "t"\nkeys = "a"\n[n.partitions]\na = { hierarchy = "no.csv", level = 1 }',
            "there is no file",
        ),
        ('[n\ntarget = "t"', "line 1: this is not TOML"),
        ("", "is empty"),
        ("# nothing yet", "the file has no need."),
    ],
)
def test_what_a_file_gets_wrong_is_said_with_its_place(tmp_path, text, said):
    assert said in refused(tmp_path, text)


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(PolicyError, match=r"need\.toml: there is no file"):
        read_needs(tmp_path / "need.toml")


def test_a_file_may_say_its_format_as_others_do(tmp_path):
    (tmp_path / "need.toml").write_text('format = 1\n[n]\ntarget = "t"\nkeys = "a"\n')
    assert [one.name for one in read_needs(tmp_path / "need.toml")] == ["n"]
    assert "reads format 1, and no other" in refused(tmp_path, 'format = 2\n[n]\ntarget = "t"\nkeys = "a"\n')
