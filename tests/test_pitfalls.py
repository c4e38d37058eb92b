"""Where other tools for the same measures go wrong: each trap with a table in which it would show."""

import datetime
import decimal
import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import divulge as dv
from databases import sqlite_file
from divulge.errors import (
    DuplicateAttribute,
    EmptySource,
    PartitionError,
    SchemaError,
    SourceError,
)
from divulge.measures import (
    Law,
    alpha_k_anonymity,
    beta_likeness,
    conditional_entropy,
    delta_disclosure,
    discrimination_rate,
    distinct_l_diversity,
    entropy_l_diversity,
    identifier_class,
    itpr,
    k_anonymity,
    kl_closeness,
    mutual_information,
    recursive_cl_diversity,
    t_closeness,
)

table = dv.JointCounts.of_table


def value(data, name, keys="key", target="x", **parameters):
    return dv.measure(data, name, keys=keys, target=target, **parameters).value


def sizes(data, keys="key"):
    """The size of each class by its key values."""
    reading = dv.measure(data, "k_anonymity", keys=keys)
    found = {tuple(v.key.values()): v.value for v in reading.by_value}
    assert len(found) == len(reading.by_value)
    return {key[0] if len(key) == 1 else key: size for key, size in found.items()}


def everything(data, keys, target):
    """All readings that apply, by name."""
    return {r.name: r.value for r in dv.measure(data, keys=keys, target=target)}


# -- rows are records, whatever they are called ----------------------------------------------------

HUNDRED = pd.DataFrame({"key": ["a"] * 50 + ["b"] * 50, "x": ["flu"] * 50 + ["cold"] * 50})
RELABELLED = {
    "shuffled": HUNDRED.sample(frac=1, random_state=7),
    "sorted backwards": HUNDRED.sort_values("key", ascending=False),
    "filtered out of a longer frame": pd.concat(
        [HUNDRED.assign(keep=True), HUNDRED.assign(keep=False), HUNDRED[:0]]
    )
    .sample(frac=1, random_state=3)
    .query("keep")
    .drop(columns="keep"),
    "with text for an index": HUNDRED.set_axis([f"r{i}" for i in range(100)]),
    "with one label for all rows": HUNDRED.set_axis([0] * 100),
    "with labels far beyond the last row": HUNDRED.set_axis(range(10**6, 10**6 + 100)),
    "with an index of two levels": HUNDRED.set_index(
        pd.MultiIndex.from_product([range(10), range(10)]).rename(["i", "j"])
    ),
}


@pytest.mark.parametrize("how", RELABELLED)
def test_the_index_of_a_frame_plays_no_part(how):
    frame = RELABELLED[how]
    # By hand: each class has one value, so l = 1; p(x|y) = 1 against p(x) = 1/2, so t = 1/2.
    assert value(frame, "k_anonymity") == 50
    assert value(frame, "distinct_l_diversity") == 1
    assert value(frame, "t_closeness") == 0.5
    assert value(frame, "discrimination_rate") == 1


# -- l-diversity -----------------------------------------------------------------------------------


@pytest.mark.parametrize("records_each", [1, 3, 7, 1000])
@pytest.mark.parametrize("l", range(2, 13))
def test_l_equally_frequent_values_have_an_entropy_l_of_l(l, records_each):
    counts = table([[records_each] * l])
    # By hand: H = log2 l, and 2^H = l; rounding before flooring must not lose one.
    assert entropy_l_diversity(counts) == pytest.approx(l, rel=0, abs=1e-12)
    assert int(round(entropy_l_diversity(counts), 9)) == l
    assert distinct_l_diversity(counts) == l


def test_entropy_l_is_not_rounded_down_to_a_whole_number():
    # By hand: H = 1/2 * 1 + 2 * 1/4 * 2 = 3/2 bits, and 2^1.5 = 2.83, not 2.
    assert entropy_l_diversity(table([[2, 1, 1]])) == pytest.approx(2**1.5, abs=1e-12)


@pytest.mark.parametrize(("l", "c"), [(1, 0.8), (2, 4), (3, 8), (4, math.inf)])
def test_recursive_diversity_divides_the_largest_count_by_the_smallest_ones(l, c):
    # By hand, counts 8, 1, 1: l = 1 gives 8 / 10, l = 2 gives 8 / 2, l = 3 gives 8 / 1; l = 4 needs 4 values.
    for counts in itertools.permutations([8, 1, 1]):
        assert recursive_cl_diversity(table([counts]), l=l) == pytest.approx(c)


def test_recursive_diversity_of_a_class_with_one_record_against_72_needs_c_above_72():
    # By hand: the worst class decides, max(72 / 1, 5 / 5) = 72; the smallest over the largest would be 1/72.
    assert recursive_cl_diversity(table([[72, 1], [5, 5]])) == 72


# -- missing values --------------------------------------------------------------------------------

MISSING = {
    "None in a list": {"key": ["a", "a", None], "x": ["u", "v", "u"]},
    "NaN in a list": {"key": ["a", "a", math.nan], "x": ["u", "v", "u"]},
    "NaN in pandas": pd.DataFrame({"key": ["a", "a", np.nan], "x": ["u", "v", "u"]}),
    "NA in pandas": pd.DataFrame({"key": pd.array(["a", "a", pd.NA], "string"), "x": ["u", "v", "u"]}),
    "NA category": pd.DataFrame({"key": pd.Categorical(["a", "a", None]), "x": ["u", "v", "u"]}),
    "null in Polars": pl.DataFrame({"key": ["a", "a", None], "x": ["u", "v", "u"]}),
    "null in Arrow": pa.table({"key": ["a", "a", None], "x": ["u", "v", "u"]}),
}


@pytest.mark.parametrize("how", MISSING)
def test_a_missing_key_is_a_class_of_its_own_be_there_one_key_or_several(how):
    data = dv.read(MISSING[how])
    # By hand: classes a (2 records) and missing (1 record), whether or not x is a key too.
    assert sizes(data) == {"a": 2, None: 1}
    assert sizes(data, ["key", "x"]) == {("a", "u"): 1, ("a", "v"): 1, (None, "u"): 1}
    assert value(data, "k_anonymity") == 1


def test_a_record_without_its_only_key_is_not_passed_over_in_silence():
    data = {"key": ["a", "a", "a", None]}
    # By hand: as a value it is a class of 1; dropped, the other three remain, and one is reported as dropped.
    assert value(dv.read(data), "k_anonymity", target="@record") == 1
    dropped = dv.ask(dv.read(data, missing="drop"), keys="key")
    assert k_anonymity(dropped.counts) == 3
    assert (dropped.records, dropped.dropped_records) == (3, 1)


@pytest.mark.parametrize(
    "x",
    [
        [1, 2, None, None],
        [1.0, 2.0, math.nan, math.nan],
        ["1", "2", None, math.nan],
        np.array([1, 2, np.nan, np.nan]),
        pd.array([1, 2, pd.NA, pd.NA], "Int64"),
        pd.to_datetime(["2020-01-01", "2020-01-02", None, None]),
        pd.Series([True, "yes", pd.NA, pd.NaT], dtype=object),
    ],
    ids=["integers", "floats", "texts", "array", "nullable", "dates", "mixed"],
)
def test_a_missing_sensitive_value_counts_as_often_as_it_occurs(x):
    data = pd.DataFrame({"key": ["a"] * 4, "x": x})
    # By hand: shares 1/4, 1/4 and 1/2 for missing: alpha 1/2, l = 3, H = 3/2 bits.
    assert value(data, "alpha_k_anonymity") == 0.5
    assert value(data, "distinct_l_diversity") == 3
    assert value(data, "entropy_l_diversity") == pytest.approx(2**1.5)
    assert value(data, "t_closeness") == 0


def test_every_kind_of_missing_in_a_mixed_column_is_the_same_missing():
    column = pd.Series(["a", None, math.nan, pd.NA, pd.NaT, float("nan"), np.float64("nan")], dtype=object)
    assert sizes(pd.DataFrame({"key": column})) == {"a": 1, None: 6}


def test_a_question_mark_or_an_empty_text_is_missing_only_when_declared():
    column = {"key": ["a", "?", "?", "", None]}
    assert sizes(column) == {"a": 1, "?": 2, "": 1, None: 1}
    assert sizes(dv.read(column, missing_values="?")) == {"a": 1, "": 1, None: 3}
    assert sizes(dv.read(column, missing_values=["?", ""])) == {"a": 1, None: 4}


def test_an_empty_text_can_be_a_key_value_and_a_target():
    data = {"key": ["", "", "b", "b"], "x": ["", "u", "u", "u"]}
    # By hand: classes "" {"", u} and b {u, u}; H(X) = 0.8113, H(X|Y) = 1/2 * 1 + 0, DR = 1 - 0.5 / 0.8113.
    assert sizes(data) == {"": 2, "b": 2}
    entropy = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    assert value(data, "discrimination_rate") == pytest.approx(1 - 0.5 / entropy)


# -- missing keys, three ways ----------------------------------------------------------------------

AGES = {"key": [20, 20, 30, 30, 30, None], "x": ["flu", "flu", "flu", "cold", "cold", "cold"]}


@pytest.mark.parametrize(("missing", "k"), [("value", 1), ("drop", 2), ("wildcard", 3)])
def test_three_ways_to_treat_a_missing_key_give_three_different_k(missing, k):
    # By hand: as a value it stands alone (classes of 2, 3, 1); dropped, 2 and 3 are left; as a wildcard it
    # joins both (3, 4) and matches all 6 itself.
    assert value(dv.read(AGES, missing=missing), "k_anonymity") == k


def test_wildcards_do_not_pass_matches_on():
    data = dv.read(AGES, missing="wildcard")
    # By hand: the record without age matches all 6; those of 20 match it but not those of 30.
    assert sizes(data) == {20: 3, 30: 4, None: 6}
    # Risk over records: (2 * 1/3 + 3 * 1/4 + 1 * 1/6) / 6.
    average = value(data, "reidentification_risk", kind="average")
    assert average == pytest.approx((2 / 3 + 3 / 4 + 1 / 6) / 6)


def test_wildcards_in_two_keys_match_where_both_keys_can():
    people = [(20, "m"), (20, None), (None, "m"), (None, None), (30, "f")]
    data = dv.read({"age": [a for a, _ in people], "sex": [s for _, s in people]}, missing="wildcard")
    # By hand: the first four match one another, (30, f) matches only itself and the empty record.
    expected = {(20, "m"): 4, (20, None): 4, (None, "m"): 4, (None, None): 5, (30, "f"): 2}
    assert sizes(data, ["age", "sex"]) == expected
    assert value(data, "k_anonymity", ["age", "sex"], "@record") == 2


def test_diversity_with_wildcards_looks_at_all_records_that_match():
    data = dv.read(AGES, missing="wildcard")
    # By hand: 20 sees flu, flu, cold; 30 sees flu and three colds; the table has three of each.
    assert value(data, "distinct_l_diversity") == 2
    assert value(data, "t_closeness") == pytest.approx(3 / 4 - 1 / 2)
    assert value(dv.read(AGES), "distinct_l_diversity") == 1


def test_a_rate_over_overlapping_classes_is_undefined_not_wrong():
    reading = dv.measure(dv.read(AGES, missing="wildcard"), "discrimination_rate", keys="key", target="x")
    assert reading.value is None
    assert "overlap" in reading.undefined


def test_wildcards_agree_with_comparing_every_record_with_every_other():
    random = np.random.default_rng(5)
    people = [tuple([None, 1, 2, 3][c] for c in row) for row in random.integers(0, 4, (60, 3))]
    columns = {name: list(column) for name, column in zip("abc", zip(*people, strict=True), strict=True)}

    def match(one, other):
        return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))

    expected = {one: sum(match(one, other) for other in people) for one in people}
    assert sizes(dv.read(columns, missing="wildcard"), list("abc")) == expected


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_constant_and_empty_key_columns_change_no_class(missing):
    data = {"key": [20, 20, 30, None], "constant": ["c"] * 4, "empty": [None] * 4, "nan": [math.nan] * 4}
    plain = sizes(dv.read(data, missing=missing))
    wider = sizes(dv.read(data, missing=missing), ["key", "constant", "empty", "nan"])
    assert wider == {(key, "c", None, None): size for key, size in plain.items()}
    assert plain == ({20: 2, 30: 1, None: 1} if missing == "value" else {20: 3, 30: 2, None: 4})


def test_dropping_records_without_a_key_that_nobody_has_leaves_nothing_and_says_so():
    data = dv.read({"key": [20, 30], "empty": [None, None]}, missing="drop")
    with pytest.raises(EmptySource, match="of 2, 0 are suppressed and 2 have missing values"):
        dv.measure(data, "k_anonymity", keys=["key", "empty"]).value  # noqa: B018


# -- distances -------------------------------------------------------------------------------------

#: Li et al. 2007, table 5: three classes of three.
PATIENTS = {
    "key": ["4767*"] * 3 + ["4790*"] * 3 + ["4760*"] * 3,
    "salary": [3, 5, 9, 6, 11, 8, 4, 7, 10],
    "disease": [
        *("gastric ulcer", "stomach cancer", "pneumonia"),
        *("gastritis", "flu", "bronchitis"),
        *("gastritis", "bronchitis", "stomach cancer"),
    ],
}
#: The hierarchy that ARX ships for these diseases.
TREE = dv.Hierarchy.of(
    [
        *(
            (d, "stomach disease", "digestive", "any")
            for d in ("gastric ulcer", "gastritis", "stomach cancer")
        ),
        *((d, "respiratory infection", "vascular lung", "any") for d in ("flu", "bronchitis", "pneumonia")),
    ],
    attribute="disease",
)


def test_the_salaries_of_the_t_closeness_paper_are_one_sixth_close():
    # By hand, class 3, 5, 9 (ranks 1, 3, 7 of 9): what crosses the 8 gaps is 2, 1, 3, 2, 1, 0, 2, 1 ninths.
    assert value(PATIENTS, "t_closeness", target="salary", ground="ordered") == pytest.approx(12 / 9 / 8)


def test_the_diseases_of_the_t_closeness_paper_with_the_hierarchy_of_arx():
    data = dv.read(PATIENTS, hierarchies={"disease": TREE})
    # By hand, class gastritis, flu, bronchitis: 4/9 must move, 2/9 of it from one branch to the other at
    # distance 1, the rest within a branch at distance 1/3: 2/9 + 2/27 = 8/27.
    assert value(data, "t_closeness", target="disease", ground="hierarchical") == pytest.approx(8 / 27)


def test_the_diseases_of_the_t_closeness_paper_with_equal_distances():
    # By hand, class gastric ulcer, stomach cancer, pneumonia: excesses 2/9, 1/9 and 2/9.
    assert value(PATIENTS, "t_closeness", target="disease") == pytest.approx(5 / 9)


def test_the_height_of_a_hierarchy_does_not_depend_on_which_values_occur():
    data = dv.read({"key": ["a", "b"], "x": ["gastritis", "gastric ulcer"]}, hierarchies={"x": TREE})
    # By hand: half of each class moves to the other value of the same group, 1/3 away.
    assert value(data, "t_closeness", ground="hierarchical") == pytest.approx(1 / 2 * 1 / 3)


def test_a_missing_value_lies_in_a_branch_of_its_own_and_moves_no_other():
    x = ["gastritis", "gastric ulcer", "gastritis", None]
    data = dv.read({"key": ["a", "a", "b", "b"], "x": x}, hierarchies={"x": TREE})
    # By hand, class a: the excess 1/4 of gastric ulcer must come from missing, at distance 1.
    assert value(data, "t_closeness", ground="hierarchical") == pytest.approx(1 / 4)


@pytest.mark.parametrize(
    "spelled",
    [int, float, str, lambda n: f"{n}.0", np.int8, decimal.Decimal],
    ids=["int", "float", "text", "decimals", "int8", "Decimal"],
)
def test_numbers_have_the_same_ordered_distance_however_they_are_spelled(spelled):
    data = {**PATIENTS, "salary": [spelled(n) for n in PATIENTS["salary"]]}
    # As text 10 and 11 would sort before 3. The metric follows what is asked for, not the type.
    assert value(data, "t_closeness", target="salary", ground="ordered") == pytest.approx(1 / 6)
    assert value(data, "t_closeness", target="salary") == pytest.approx(2 / 3)


def test_ordered_distance_goes_by_ranks_so_that_spacing_plays_no_part():
    for top in (3, 1000):
        # By hand, class 1, 2 of 1, 2, 1000, 1000: 1/4 crosses the first gap, 1/2 the second; 3/4 over 2 gaps.
        data = {"key": ["a", "a", "b", "b"], "x": [1, 2, top, top]}
        assert value(data, "t_closeness", ground="ordered") == pytest.approx(3 / 8)


def test_ordered_distance_reads_the_same_from_either_end():
    up = {"key": ["a", "a", "b", "b"], "x": ["low", "mid", "high", "high"]}
    order = ["low", "mid", "high"]
    for declared in (order, order[::-1]):
        data = dv.read(up, orders={"x": declared})
        assert value(data, "t_closeness", ground="ordered") == pytest.approx(3 / 8)


DAYS = [
    datetime.date(999, 12, 31),
    datetime.date(2020, 1, 2),
    datetime.date(2020, 1, 10),
    datetime.date(2021, 1, 1),
]
MOMENTS = [datetime.datetime(day.year + 1000, day.month, day.day, 8) for day in DAYS]


@pytest.mark.parametrize(
    "x",
    [DAYS, MOMENTS, np.array(MOMENTS, "datetime64[us]"), pd.Series(MOMENTS).dt.tz_localize("UTC")],
    ids=["dates", "datetimes", "datetime64", "with a zone"],
)
def test_dates_have_an_order(x):
    # By hand, class of the first two of four: 1/4, 1/2 and 1/4 cross the 3 gaps.
    data = pd.DataFrame({"key": ["a", "a", "b", "b"], "x": x})
    assert value(data, "t_closeness", ground="ordered") == pytest.approx(1 / 3)


@pytest.mark.parametrize("ground", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("x", [7, 7.5, "flu", None, math.nan, datetime.date(2020, 1, 1)])
def test_a_constant_target_is_at_no_distance_from_itself(x, ground):
    data = {"key": ["a", "a", "b"], "x": [x] * 3}
    assert value(data, "t_closeness", ground=ground) == 0


def test_values_without_an_order_have_no_ordered_distance_and_the_reading_says_why():
    reading = dv.measure(PATIENTS, "t_closeness", keys="key", target="disease", ground="ordered")
    assert reading.value is None
    assert "no order" in reading.undefined


# -- disclosure and likeness -----------------------------------------------------------------------


def test_delta_is_in_bits():
    # By hand: p = 5/8, 3/8; the largest change is |log2 (1/4) / (3/8)| = log2 1.5 = 0.585 (0.405 in nats).
    assert delta_disclosure(table([[2, 2], [3, 1]])) == pytest.approx(math.log2(1.5))


def test_delta_is_infinite_as_soon_as_one_value_is_absent_from_one_class():
    # By hand: |log2 0| for the third value in the first class; in the second it only gains, log2 9/5.
    assert delta_disclosure(table([[2, 2, 0], [2, 2, 1]])) == math.inf


def test_enhanced_likeness_bounds_each_value_by_its_own_share():
    counts = table([[0, 6], [2, 2]])
    # By hand, p = 1/5, 4/5: gains are 1.5 for the first value (-ln 0.2 = 1.61) and 0.25 for the second,
    # beyond its -ln 0.8 = 0.22. Over all values together min(1.5, 1.61) = 1.5 would pass.
    assert beta_likeness(counts) == pytest.approx(1.5)
    assert beta_likeness(counts, enhanced=True) == math.inf


def test_enhanced_likeness_is_the_plain_one_where_no_value_exceeds_its_bound():
    # By hand, p = 3/8, 5/8: gains (1/2 - 3/8) / (3/8) = 1/3 and (3/4 - 5/8) / (5/8) = 1/5, which their
    # bounds 0.98 and 0.47 allow.
    counts = table([[2, 2], [1, 3]])
    assert beta_likeness(counts, enhanced=True) == pytest.approx(1 / 3)
    assert beta_likeness(counts) == pytest.approx(1 / 3)


# -- risks -----------------------------------------------------------------------------------------


def test_average_risk_is_over_records_not_over_classes():
    data = {"key": ["a"] + ["b"] * 9}
    # By hand: (1 * 1 + 9 * 1/9) / 10 = 2 classes / 10 records; over classes it would be (1 + 1/9) / 2 = 0.56.
    assert value(data, "reidentification_risk", target="@record", kind="average") == pytest.approx(0.2)
    assert value(data, "reidentification_risk", target="@record", kind="highest") == 1


# -- suppressed records ----------------------------------------------------------------------------


def test_suppressed_records_form_no_class_and_both_denominators_are_told():
    data = dv.read({"zip": ["476", "476", "*", "*"], "age": ["2*", "2*", "*", "3*"], "x": list("uuvu")})
    question = dv.ask(data, keys=["zip", "age"], target="x")
    # By hand: the third record is suppressed in all keys; the fourth in one only, and stands alone.
    assert (data.records, question.records, question.suppressed_records) == (4, 3, 1)
    assert sizes(data, ["zip", "age"]) == {("476", "2*"): 2, ("*", "3*"): 1}
    assert value(data, "uniqueness", ["zip", "age"]) == pytest.approx(1 / 3)


def test_an_exported_table_with_suppressed_rows_reads_back_without_a_class_of_stars(tmp_path):
    path = tmp_path / "anonymized.csv"
    path.write_text("zip;age;x\n476**;2*;flu\n476**;2*;cold\n*;*;flu\n", encoding="utf-8")
    assert sizes(dv.read(path), ["zip", "age"]) == {("476**", "2*"): 2}
    # Told that a star is a value like any other, it is a class.
    told = dv.read(path, suppressed=None)
    assert sizes(told, ["zip", "age"]) == {("476**", "2*"): 2, ("*", "*"): 1}


def test_a_table_suppressed_from_end_to_end_is_no_perfect_solution():
    data = dv.read({"key": ["*"] * 3, "x": ["u", "v", "w"]})
    with pytest.raises(EmptySource, match="of 3, 3 are suppressed"):
        dv.measure(data, "t_closeness", keys="key", target="x").value  # noqa: B018


def test_the_table_that_classes_are_compared_with_is_the_released_one():
    data = dv.read({"key": ["a", "a", "b", "b", "*", "*"], "x": ["u", "v", "u", "v", "w", "w"]})
    # By hand: among the four released records every class looks like the table; w is not in it.
    assert value(data, "t_closeness") == 0
    assert value(data, "delta_disclosure") == 0


# -- values of all kinds ---------------------------------------------------------------------------


def test_whole_numbers_and_floats_are_one_value_text_and_truth_are_others():
    values = [1, 1.0, "1", True, "True", np.int64(1)]
    expected = [("1", 1), (1, 3), (True, 1), ("True", 1)]
    for data in ({"key": values}, pd.DataFrame({"key": pd.Series(values, dtype=object)})):
        reading = dv.measure(data, "k_anonymity", keys="key")
        # Not as a dictionary: in Python 1 == True.
        found = [(type(v.key["key"]), v.key["key"], v.value) for v in reading.by_value]
        assert sorted(found, key=str) == sorted(((type(v), v, n) for v, n in expected), key=str)


def test_negative_zero_is_zero():
    for column in ([0.0, -0.0, 1.0], np.array([0.0, -0.0, 1.0]), pd.Series([0.0, -0.0, 1.0], dtype=object)):
        assert sizes(pd.DataFrame({"key": column})) == {0.0: 2, 1.0: 1}


def test_negative_zero_is_zero_in_every_kind_of_file(tmp_path):
    numbers = [0.0, -0.0, 1.0]
    (tmp_path / "t.csv").write_text("key\n" + "\n".join(map(str, numbers)))
    pd.DataFrame({"key": numbers}).to_parquet(tmp_path / "t.parquet")
    place = sqlite_file(tmp_path / "t.db", {"t": ("key REAL", [(one,) for one in numbers])})
    assert sizes(dv.read(tmp_path / "t.csv")) == {"0.0": 2, "1.0": 1}
    assert sizes(dv.read(tmp_path / "t.parquet")) == {0.0: 2, 1.0: 1}
    assert sizes(dv.read(place, table="t")) == {0.0: 2, 1.0: 1}


def test_equal_numbers_are_at_no_distance_however_they_are_written():
    table = {"key": ["a", "a", "b", "b"], "x": ["100", "7", "1e2", "7.0"]}
    # By hand: as numbers both classes have one 7 and one 100, as does the table.
    assert dv.measure(table, "t_closeness", keys="key", target="x", ground="ordered").value == 0


def test_dates_of_a_csv_file_have_an_order(tmp_path):
    days = ["2024-01-01", "2024-06-30", "2025-01-01"]
    rows = [f"{key},{day}" for key, day in zip("aab", days, strict=True)]
    (tmp_path / "t.csv").write_text("key,day\n" + "\n".join(rows))
    found = dv.measure(tmp_path / "t.csv", "t_closeness", keys="key", target="day", ground="ordered")
    # By hand: of class b all of 1/3 + 1/3 moves up, two ranks and one rank of two: 1/3 + 1/6.
    assert found.value == pytest.approx(1 / 2)


def test_text_is_compared_exactly():
    expected = {"Male": 1, " Male": 1, "male": 1, "Male ": 1, "01": 1, "1": 1}
    assert sizes({"key": list(expected)}) == expected


def test_a_space_after_every_separator_of_a_file_belongs_to_no_value(tmp_path):
    path = tmp_path / "adult.csv"
    path.write_text("age, sex\n39, Male\n50, Male\n38, Female\n", encoding="utf-8")
    data = dv.read(path)
    assert sizes(data, data.schema.attributes[1]) == {"Male": 2, "Female": 1}


def test_categories_that_no_record_has_are_not_there():
    kinds = pd.CategoricalDtype(["never", "u", "v", "nowhere"])
    data = pd.DataFrame({"key": pd.Categorical(["u", "u", "v", "v"], dtype=kinds)})
    data["x"] = data["key"]
    # By hand: two classes, each with one of two values. Absent categories would make delta infinite below.
    assert value(data, "class_count") == 2
    assert value(data, "itpr") == 1
    data["x"] = pd.Categorical(["u", "v", "u", "v"], dtype=kinds)
    assert value(data, "delta_disclosure") == 0
    assert value(data, "entropy") == 1


@pytest.mark.parametrize(
    "two",
    [
        (False, True),
        (datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, 0, 0, 0, 1)),
        (decimal.Decimal("0.1"), decimal.Decimal("0.10000000000000000001")),
        ("1", 1),
        (b"a", "a"),
        ((1, 2), (1, 3)),
        (2**53, 2**53 + 1),
        (datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)),
        (0.1 + 0.2, 0.3),
        (1e-300, 0.0),
    ],
    ids=str,
)
def test_values_that_differ_are_two_values_as_key_and_as_target(two):
    one, other = two
    for data in (
        {"key": [one, one, other, other], "x": [one, other, one, other]},
        pd.DataFrame(
            {name: pd.Series(v, dtype=object) for name, v in [("key", [one, one, other, other])]}
        ).assign(x=pd.Series([one, other, one, other], dtype=object)),
    ):
        # By hand: two classes of two, both with both values: 1 bit, and nothing told about it.
        assert value(data, "k_anonymity") == 2
        assert value(data, "entropy") == 1
        assert value(data, "mutual_information") == 0


def test_lists_are_refused_with_a_word_about_what_to_do():
    with pytest.raises(SourceError, match="turn it into text"):
        sizes({"key": [[1], [2]]})


def test_mixed_types_and_missing_values_never_give_a_silent_nan():
    mixed = [1, "1", 1.0, True, None, math.nan, decimal.Decimal(2), datetime.date(2020, 1, 1), b"x", (1,)]
    data = pd.DataFrame(
        {"key": pd.Series(mixed * 2, dtype=object), "x": pd.Series(mixed + mixed[::-1], dtype=object)}
    )
    for missing in ("value", "drop", "wildcard"):
        readings = dv.measure(dv.read(data, missing=missing), keys="key", target="x")
        assert len(readings) >= 10
        for reading in readings:
            assert reading.value is not None, reading.name
            assert not math.isnan(reading.value), reading.name


# -- degenerate tables -----------------------------------------------------------------------------


def test_a_target_with_a_single_value_leaves_rates_undefined_and_the_rest_defined():
    data = {"key": ["a", "a", "b"], "x": ["flu"] * 3}
    for name in ("discrimination_rate", "itpr", "normalized_conditional_entropy"):
        reading = dv.measure(data, name, keys="key", target="x")
        assert reading.value is None
        assert "one value only" in reading.undefined
    # By hand: nothing to tell, nothing told, and everyone's value is certain.
    expected = {"entropy": 0, "mutual_information": 0, "worst_posterior": 1, "distinct_l_diversity": 1}
    assert {name: value(data, name) for name in expected} == expected
    assert value(data, "delta_disclosure") == value(data, "beta_likeness", enhanced=True) == 0


def test_a_single_class_tells_nothing():
    data = {"key": ["a"] * 4, "x": ["u", "v", "w", "w"]}
    zero = "discrimination_rate itpr mutual_information conditional_privacy maximum_information_leakage"
    zero += " kl_closeness t_closeness delta_disclosure beta_likeness"
    assert {name: value(data, name) for name in zero.split()} == dict.fromkeys(zero.split(), 0)
    assert dv.identifier_class(data, keys="key", target="x").value == "zero identifier"
    assert value(data, "k_anonymity") == 4


def test_records_that_are_all_unique_tell_everything():
    data = {"key": list("abcd"), "x": ["u", "v", "w", "w"]}
    # By hand: H(X) = 1.5 bits, all of it told; every class has one record.
    one = "discrimination_rate itpr uniqueness k_anonymity distinct_l_diversity worst_posterior"
    assert {name: value(data, name) for name in one.split()} == dict.fromkeys(one.split(), 1)
    assert value(data, "mutual_information") == pytest.approx(1.5)
    assert value(data, "reidentification_risk", kind="average") == 1
    assert dv.identifier_class(data, keys="key", target="x").value == "identifier"


def test_when_every_guess_succeeds_no_logarithm_of_zero_is_taken():
    readings = dv.measure({"key": ["a", "a", "b"], "x": ["u", "u", "v"]}, keys="key", target="x")
    assert readings["discrimination_rate"].value == 1
    # By hand: the three ways to deal u, u, v out to classes of 2 and 1 give I = H(X) = h(1/3) once and
    # h(1/3) - 2/3 twice: E = h(1/3) - 4/9, so the rate at chance is 1 - (4/9) / h(1/3).
    entropy = math.log2(3) - 2 / 3
    assert readings["discrimination_rate"].chance == pytest.approx(1 - 4 / 9 / entropy)
    assert readings["discrimination_rate"].adjusted == pytest.approx(1)


def test_a_single_record_can_be_measured():
    readings = dv.measure({"key": ["a"], "x": ["u"]}, keys="key", target="x")
    assert readings["k_anonymity"].value == 1
    assert readings["uniqueness"].value == 1
    assert readings["discrimination_rate"].value is None
    assert readings.identifier_class is None


@pytest.mark.parametrize(
    "empty",
    [
        pd.DataFrame({"key": []}),
        pl.DataFrame({"key": []}),
        {"key": []},
        pa.table({"key": pa.array([], pa.string())}),
    ],
    ids=["pandas", "Polars", "dictionary", "Arrow"],
)
def test_an_empty_frame_is_an_error_that_says_so(empty):
    with pytest.raises(EmptySource, match="no records"):
        sizes(empty)


def test_a_frame_without_columns_is_an_error_that_says_so():
    with pytest.raises(EmptySource, match="no attributes"):
        dv.read(pd.DataFrame())


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DuplicateAttribute, match="key"):
        dv.read(pd.DataFrame([[1, 2]], columns=["key", "key"]))
    with pytest.raises(DuplicateAttribute, match="1"):
        dv.read(pd.DataFrame([[1, 2]], columns=[1, "1"]))


def test_a_key_named_twice_is_refused():
    with pytest.raises(SchemaError, match="is repeated"):
        dv.measure({"key": ["a"]}, "k_anonymity", keys=["key", "key"])


def test_an_attribute_cannot_be_key_and_target_at_once():
    with pytest.raises(SchemaError, match="both a key and the target"):
        dv.measure({"key": ["a"], "x": ["u"]}, "itpr", keys=["key", "x"], target="x")


def test_columns_that_are_not_named_are_not_keys():
    data = {"key": ["a", "a", "b", "b"], "id": [1, 2, 3, 4], "x": ["u", "v", "u", "v"]}
    assert value(data, "k_anonymity") == 2
    with pytest.raises(SchemaError, match="No keys given"):
        dv.measure(data, "k_anonymity")


# -- several sensitive attributes ------------------------------------------------------------------

TWO = {"key": ["a"] * 4 + ["b"] * 4, "x": list("uuvvuuvv"), "z": list("uvuvuuvv")}


def test_several_sensitive_attributes_together_are_their_combinations():
    # By hand, class a has uu, uv, vu, vv: 2 bits; class b uu twice and vv twice: 1 bit.
    together = dv.measure(TWO, "conditional_entropy", keys="key", target=["x", "z"])
    assert together.value == pytest.approx(1.5)
    assert {v.key["key"]: v.value for v in together.by_value} == pytest.approx({"a": 2, "b": 1})
    assert value(TWO, "distinct_l_diversity", target=["x", "z"]) == 2


def test_several_sensitive_attributes_apart_do_not_pool_their_values():
    # By hand: x and z each have two values in every class, u and v, which are not the same for both.
    for name in ("x", "z"):
        assert value(TWO, "distinct_l_diversity", target=name) == 2
        assert value(TWO, "discrimination_rate", target=name) == 0
    # Together they do differ: combinations uu, vv, uv, vu have p = 3/8, 3/8, 1/8, 1/8, and 1.5 bits are left.
    entropy = 2 * 3 / 8 * math.log2(8 / 3) + 2 * 1 / 8 * 3
    assert value(TWO, "discrimination_rate", target=["x", "z"]) == pytest.approx(1 - 1.5 / entropy)


def test_other_sensitive_attributes_do_not_become_keys():
    assert value(TWO, "k_anonymity", target="x") == 4
    assert value(TWO, "recursive_cl_diversity", target="x") == 1


# -- weights ---------------------------------------------------------------------------------------


def test_weights_make_probabilities_but_not_class_sizes():
    data = {"key": ["a", "a", "b"], "x": ["u", "v", "u"], "w": [3, 1, 4]}
    weighted = dv.read(data, weights="w")
    repeated = {name: np.repeat(column, data["w"]).tolist() for name, column in data.items()}
    # By hand: class a has shares 3/4 and 1/4; k counts records, 1 in class b and 2 in class a.
    assert value(weighted, "alpha_k_anonymity", ["key"]) == 1
    shares = {
        v.key["key"]: v.value
        for v in dv.measure(weighted, "worst_posterior", keys="key", target="x").by_value
    }
    assert shares == {"a": 0.75, "b": 1.0}
    assert value(weighted, "k_anonymity") == 1
    for name in ("discrimination_rate", "itpr", "t_closeness", "mutual_information", "entropy_l_diversity"):
        assert value(weighted, name) == pytest.approx(value(repeated, name), abs=1e-12)


@pytest.mark.parametrize("weight", [0, -1, math.nan, None, "many"])
def test_a_weight_that_is_no_positive_number_is_refused(weight):
    data = dv.read({"key": ["a", "b"], "x": ["u", "v"], "w": [1, weight]}, weights="w")
    with pytest.raises(SchemaError, match="fewer than 5 are not"):
        value(data, "itpr")


# -- large counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("records", [80_000, 120_000, 10**8, 10**10])
def test_disjoint_classes_stay_half_apart_however_many_records_there_are(records):
    half = records // 2
    counts = table([[half, 0], [0, half]]).with_ground(order=[0, 1], levels=[[0, 1]])
    # By hand: each class has one of two equally frequent values; products of counts pass 2^31 at 120,000.
    for ground in ("equal", "ordered", "hierarchical"):
        assert t_closeness(counts, ground=ground) == 0.5
    assert discrimination_rate(counts) == 1
    assert k_anonymity(counts) == half


def test_the_hierarchical_distance_of_120000_records_through_the_front_door():
    half = 60_000
    data = {"key": np.repeat(["a", "b"], half), "x": np.repeat(["flu", "gastritis"], half)}
    hierarchical = dv.read(data, hierarchies={"x": TREE})
    assert value(hierarchical, "t_closeness", ground="hierarchical") == 0.5


@pytest.mark.parametrize("times", [10**8, 10**9, 10**10])
def test_readings_of_large_counts_are_those_of_small_ones(times):
    small = np.array([[2, 2, 1], [3, 1, 1], [1, 1, 6]])
    ground = {"order": [0, 1, 2], "levels": [[0, 1, 2], [0, 0, 1]]}
    one, many = table(small).with_ground(**ground), table(small * times).with_ground(**ground)
    # Squares of these counts pass 2^53, their cubes 2^63.
    for measure in dv.MEASURES.values():
        for parameters in measure.variants:
            if Law.DUPLICATION in measure.laws:
                expected = measure.compute(one, parameters)
                assert measure.compute(many, parameters) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert k_anonymity(many) == 5 * times
    assert many.records == 18 * times


def test_a_value_of_one_in_ten_billion_is_not_lost():
    n = 10**10
    counts = table([[n - 1, 1]])
    # By hand: H = 1/n log2 n + (1 - 1/n) log2 (n / (n - 1)), about (33.2 + 1.44) / n.
    entropy = math.log2(n) / n - (1 - 1 / n) * math.log1p(-1 / n) / math.log(2)
    assert counts.entropy == pytest.approx(entropy, rel=1e-6)
    assert distinct_l_diversity(counts) == 2
    assert recursive_cl_diversity(counts) == n - 1
    assert identifier_class(table([[n - 1, 1], [n - 2, 2]])).value == "sketchy identifier"


def test_more_pairs_of_records_than_fit_in_32_bits():
    # 10^5 records in one class are 5 * 10^9 pairs; nothing here counts pairs.
    data = {"key": np.zeros(100_000, int), "x": np.arange(100_000) % 2}
    assert value(data, "k_anonymity") == 100_000
    assert value(data, "entropy") == 1
    assert value(data, "reidentification_risk", kind="average") == pytest.approx(1e-5)


# -- counts with nothing in them -------------------------------------------------------------------


def test_cells_without_records_add_nothing():
    # By hand: 0 log 0 = 0; class one has H = 1 bit, class two none: H(X|Y) = 2/3.
    counts = table([[1, 1, 0], [0, 0, 1]])
    assert conditional_entropy(counts) == pytest.approx(2 / 3)
    assert mutual_information(counts) == pytest.approx(math.log2(3) - 2 / 3)
    assert kl_closeness(counts) == pytest.approx(math.log2(3))


@pytest.mark.parametrize(
    "rows", [[[2, 2], [0, 0], [3, 1]], [[0, 0], [2, 2], [3, 1]], [[2, 2], [3, 1], [0, 0]]]
)
def test_a_row_without_records_is_no_class(rows):
    counts = table(rows)
    # By hand: classes of 4 and 4 records, as if the row were not there.
    assert counts.size.tolist() == [4, 4]
    assert counts.classes == 2
    assert itpr(counts) == pytest.approx(itpr(table([[2, 2], [3, 1]])))


def test_a_target_value_that_no_record_has_is_absent_from_the_table_not_from_a_class():
    # By hand as without the third column: log2 1.5; and two like classes tell nothing.
    assert delta_disclosure(table([[2, 2, 0], [3, 1, 0]])) == pytest.approx(math.log2(1.5))
    assert identifier_class(table([[2, 2, 0], [2, 2, 0]])).value == "zero identifier"


# -- what must change nothing ----------------------------------------------------------------------

SMALL = {
    "zip": ["476", "476", "476", "479", "479", "480", "480", "480"],
    "age": ["2*", "2*", "3*", "3*", "3*", "2*", "2*", None],
    "x": [3, 4, 3, 5, 3, 4, 4, 5],
}
KEYS = ["zip", "age"]


def test_the_small_table_has_the_readings_worked_out_by_hand():
    # Classes (476, 2*) {3, 4}, (476, 3*) {3}, (479, 3*) {5, 3}, (480, 2*) {4, 4}, (480, missing) {5}.
    found = everything(SMALL, KEYS, "x")
    assert found["class_count"] == 5
    assert found["uniqueness"] == 2 / 8
    # H(X|Y) = 2/8 * 1 + 2/8 * 1; p(x) = 3/8, 3/8, 2/8.
    entropy = 2 * 3 / 8 * math.log2(8 / 3) + 1 / 4 * 2
    assert found["conditional_entropy"] == pytest.approx(0.5)
    assert found["discrimination_rate"] == pytest.approx(1 - 0.5 / entropy)
    # The classes with a single 5 are furthest off: 1 - 1/4.
    assert found["t_closeness"] == pytest.approx(0.75)


def test_the_order_of_rows_changes_no_reading():
    frame = pd.DataFrame(SMALL)
    expected = everything(frame, KEYS, "x")
    assert len(expected) > 20
    for seed in range(5):
        shuffled = frame.sample(frac=1, random_state=seed)
        assert everything(shuffled, KEYS, "x") == pytest.approx(expected, rel=1e-12)


def test_the_order_of_columns_and_keys_changes_no_reading():
    expected = everything(SMALL, KEYS, "x")
    backwards = {name: SMALL[name] for name in reversed(SMALL)}
    assert everything(backwards, KEYS[::-1], "x") == pytest.approx(expected, rel=1e-12)


def test_the_names_of_values_change_no_reading():
    expected = everything(SMALL, KEYS, "x")
    names = {
        "zip": {"476": "z", "479": "", "480": "a"},
        "age": {"2*": 1.5, "3*": False, None: None},
        "x": {3: -1, 4: 0, 5: 10**9},  # the order of numbers is kept: the ordered distance reads it
    }
    renamed = {attribute: [names[attribute][v] for v in column] for attribute, column in SMALL.items()}
    assert everything(renamed, KEYS, "x") == pytest.approx(expected, rel=1e-12)
    wholly = everything({**renamed, "x": [f"d{v}" for v in SMALL["x"]]}, KEYS, "x")
    assert expected.keys() - wholly.keys() == {"t_closeness ordered"}
    assert wholly == pytest.approx({name: expected[name] for name in wholly}, rel=1e-12)


def test_every_record_standing_twice_doubles_sizes_and_leaves_shares_alone():
    once = everything(SMALL, KEYS, "x")
    twice = everything({name: column * 2 for name, column in SMALL.items()}, KEYS, "x")
    # By hand: classes of 1 become classes of 2, so no record is unique and the highest risk is 1/2.
    assert (twice["k_anonymity"], twice["uniqueness"], twice["reidentification_risk highest"]) == (2, 0, 0.5)
    assert twice["average_class_size"] == 2 * once["average_class_size"]
    kept = [name for name in once if Law.DUPLICATION in dv.MEASURES[name.split()[0]].laws]
    assert len(kept) > 15
    assert {n: twice[n] for n in kept} == pytest.approx({n: once[n] for n in kept}, rel=1e-12)


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_the_library_that_holds_the_table_changes_no_reading(form):
    assert everything(form(SMALL), KEYS, "x") == pytest.approx(everything(SMALL, KEYS, "x"), rel=1e-12)


def test_measuring_leaves_what_it_was_given_alone():
    frame = pd.DataFrame(SMALL)
    before = frame.copy(deep=True)
    domains = {"low": [3, 4], "high": [5]}
    partitions, hierarchies = (
        {"x": domains},
        {"x": dv.Hierarchy.of([("3", "*"), ("4", "*"), ("5", "*")], attribute="x")},
    )
    dv.measure(
        dv.read(frame, hierarchies=hierarchies), keys=KEYS, target="x", partitions=partitions
    ).to_dict()
    pd.testing.assert_frame_equal(frame, before)
    assert partitions == {"x": {"low": [3, 4], "high": [5]}}
    assert list(hierarchies) == ["x"]


def test_a_value_missing_from_a_hierarchy_is_counted_in_a_sentence():
    data = dv.read({"key": ["a", "b"], "x": ["flu", "gout"]}, hierarchies={"x": TREE})
    with pytest.raises(PartitionError, match="leave out fewer than 5 values of the data") as error:
        value(data, "t_closeness", ground="hierarchical")
    assert "gout" not in str(error.value)


# -- what users could not find ---------------------------------------------------------------------


def test_how_many_records_fall_short_of_l_can_be_told():
    reading = dv.measure(SMALL, "distinct_l_diversity", keys=KEYS, target="x")
    # By hand: classes (476, 3*), (480, 2*) and (480, missing) have one value: 1 + 2 + 1 records.
    assert sum(v.records for v in reading.by_value if v.value < 2) == 4


def test_alpha_is_read_together_with_k():
    reading = dv.measure(SMALL, "alpha_k_anonymity", keys="zip", target="x")
    # By hand: 476 has 3, 4, 3; 479 has 5, 3; 480 has 4, 4, 5: the largest share is 2/3, the smallest class 2.
    assert reading.value == pytest.approx(2 / 3)
    assert reading.beside == {"k_anonymity": 2}
    assert alpha_k_anonymity(dv.ask(SMALL, keys="zip", target="x").counts) == reading.value


def test_two_hundred_keys_and_ten_records_are_no_trouble():
    # By hand: 200 keys of which only the last tells two halves of five apart.
    data = {f"key {n}": ["c"] * 10 for n in range(199)} | {"key 199": list("ab") * 5, "x": ["u", "v"] * 5}
    keys = [name for name in data if name != "x"]
    assert value(data, "k_anonymity", keys) == 5
    assert value(data, "discrimination_rate", keys) == 1


def test_a_column_of_numbers_for_each_record_makes_them_unique_only_when_it_is_a_key():
    data = {**SMALL, "row": list(range(8))}
    assert value(data, "uniqueness", KEYS) == 2 / 8
    assert value(data, "uniqueness", [*KEYS, "row"]) == 1
