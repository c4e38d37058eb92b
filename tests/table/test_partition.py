"""Partitions: what they cover, what they refuse, and what their errors keep to themselves."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest

import divulge as dv
from divulge.errors import PartitionError
from divulge.table.codes import Codes
from divulge.table.partition import Partition

MARKER = "XYZZY-marker"


def domains(partition, values):
    """The domain of each record, None for missing."""
    coarse = partition.apply(Codes.of(values), attribute="a")
    return [None if code == 0 else coarse.values[code - 1] for code in coarse.codes]


def test_the_semantic_partition_of_the_nine_patients():
    # SeDR paper, section 5.4: SP4 on the diseases of its table 4.
    diseases = "colon cancer,stomach cancer,lung cancer,stomach cancer,diabetes,aids,aids,flu,lung cancer"
    sp4 = Partition.of(
        {
            "other disease": ["diabetes", "flu", "aids"],
            "cancer": ["colon cancer", "lung cancer", "stomach cancer"],
        },
        attribute="disease",
    )
    expected = ["cancer"] * 4 + ["other disease"] * 4 + ["cancer"]
    assert domains(sp4, diseases.split(",")) == expected


def test_an_occupation_in_two_domains_is_refused():
    # Thesis, section 5.6: 14 values announced, 13 given, Protective-serv in the second and third domain.
    given = {
        "office": ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Transport-moving", "Other-service"],
        "hands": ["Handlers-cleaners", "Protective-serv", "Tech-support"],
        "trade": ["Craft-repair", "Protective-serv", "Sales"],
        "rest": ["Machine-op-inspct", "Armed-Forces", "Priv-house-serv"],
    }
    with pytest.raises(PartitionError) as error:
        Partition.of(given, attribute="occupation")
    assert "'occupation' lists 1 value in more than one domain; the domains are hands, trade." in str(
        error.value
    )
    assert "Protective" not in str(error.value)


def test_values_outside_all_domains_are_counted():
    partition = Partition.of({"cancer": ["lung"], "other": ["flu"]}, attribute="disease")
    codes = Codes.of([MARKER, "flu", "gout", MARKER])
    with pytest.raises(PartitionError) as error:
        partition.apply(codes, attribute="disease")
    assert (
        "'disease' has 2 domains, which leave out fewer than 5 values of the data (fewer than 5 records)."
        in str(error.value)
    )
    assert "Add a domain" in error.value.hint


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (f" {MARKER}", "Ignoring case and surrounding spaces, fewer than 5 would be covered."),
        (MARKER.upper(), "Ignoring case and surrounding spaces, fewer than 5 would be covered."),
        ("035", "Compared as numbers, fewer than 5 would be covered: the data have them as text."),
        ("some", "The data may already be generalized: fewer than 5 are names of domains."),
    ],
)
def test_a_near_miss_is_hinted_at(value, hint):
    partition = Partition.of({"some": [MARKER, 35]}, attribute="a")
    with pytest.raises(PartitionError) as error:
        domains(partition, [value])
    assert error.value.hint == hint


@pytest.mark.parametrize(
    ("listed", "value"),
    [
        (35, 35),
        (35, "35"),
        ("35", 35),
        ("35", "35"),
        (35, 35.0),
        (35.0, 35),
        ("35.0", 35),
        ("35", Decimal("35.00")),
        (0.1, Decimal("0.10")),
        ("0.1", 0.1),
        (35, np.int64(35)),
        (2**63 + 1, str(2**63 + 1)),
        (str(2**63 + 1), 2**63 + 1),
        (True, True),
        ("true", True),
        (True, "TRUE"),
        (date(2020, 1, 2), "2020-01-02"),
        ("2020-01-02", date(2020, 1, 2)),
        ("2020-01-02", datetime(2020, 1, 2)),
        ("2020-01-02T03:04:05", datetime(2020, 1, 2, 3, 4, 5)),
        ("2020-01-02", np.datetime64("2020-01-02", "ns")),
        ("Zürich ☃", "Zürich ☃"),
    ],
)
def test_a_listed_value_covers_what_equals_it_or_reads_the_same(listed, value):
    assert domains(Partition.of({"in": [listed]}, attribute="a"), [value]) == ["in"]


@pytest.mark.parametrize(
    ("listed", "value"),
    [(1, True), (True, 1), (1234, "01234"), (35, "35.0"), ("1_000", 1000), (2**53, 2**53 + 1), ("a", "A")],
)
def test_a_listed_value_does_not_cover_what_only_looks_like_it(listed, value):
    with pytest.raises(PartitionError):
        domains(Partition.of({"in": [listed]}, attribute="a"), [value])


@pytest.mark.parametrize(
    ("one", "other"),
    [(35, "35"), (35, 35.0), (True, "true"), ("", None), (date(2020, 1, 2), datetime(2020, 1, 2))],
)
def test_the_same_value_in_two_spellings_is_still_in_two_domains(one, other):
    with pytest.raises(PartitionError, match="lists 1 value in more than one domain"):
        Partition.of({"b": [one], "c": [other]}, attribute="a")


def test_numbers_refuse_a_partition_that_spells_them_two_ways():
    partition = Partition.of({"east": ["01234"], "west": ["1234"]}, attribute="zip")
    assert domains(partition, ["01234", "1234"]) == ["east", "west"]
    with pytest.raises(
        PartitionError,
        match=r"lists fewer than 5 numbers of the data \(fewer than 5 records\) in more than one",
    ):
        domains(partition, [1234, 1234])


def test_missing_stays_missing_unless_a_domain_lists_the_empty_text():
    assert domains(Partition.of({"b": ["x"]}, attribute="a"), ["x", None]) == ["b", None]
    assert domains(Partition.of({"b": ["x", ""]}, attribute="a"), ["x", None, ""]) == ["b", "b", "b"]
    assert domains(Partition.of({"b": ["x"], "c": [None]}, attribute="a"), ["x", None]) == ["b", "c"]


def test_only_values_that_occur_must_be_covered():
    codes = Codes(np.array([1, 1000, 0], dtype=np.uint16), range(0, 10_000, 10))
    coarse = Partition.of({"low": [0], "high": ["9990"]}, attribute="a").apply(codes, attribute="a")
    assert coarse.codes.tolist() == [1, 2, 0]
    assert coarse.values == ["low", "high"]


def test_domains_that_the_data_never_enter_keep_their_place():
    partition = Partition.of({"empty": [], "unseen": ["y"], "seen": ["x"]}, attribute="a")
    coarse = partition.apply(Codes.of(["x"]), attribute="a")
    assert coarse.codes.tolist() == [3]
    assert coarse.values == ["empty", "unseen", "seen"]


def test_no_records_are_covered_by_anything():
    assert len(Partition.of({"b": ["x"]}, attribute="a").apply(Codes.of([]), attribute="a").codes) == 0


@pytest.mark.parametrize("given", [{}, {"b": []}])
def test_a_partition_lists_at_least_one_value(given):
    with pytest.raises(PartitionError, match="lists no values"):
        Partition.of(given, attribute="a")


@pytest.mark.parametrize("given", ["lung", 3, {"lung": 1}, [["lung"]]])
def test_a_domain_is_one_flat_list(given):
    with pytest.raises(PartitionError, match="domain 'b' of 'a'"):
        Partition.of({"b": given}, attribute="a")


def test_a_bin_holds_its_lower_edge():
    bins = Partition.bins([0, 18, 30.5], attribute="age")
    assert list(bins.domains) == ["< 0", "[0, 18)", "[18, 30.5)", "[30.5, inf)"]
    ages = [-1, 0, 17.999, 18, 30.5, float("inf")]
    assert domains(bins, ages) == ["< 0", "[0, 18)", "[0, 18)", "[18, 30.5)", "[30.5, inf)", "[30.5, inf)"]


def test_bins_read_text_as_numbers_and_leave_missing_missing():
    bins = Partition.bins(np.array([18]), attribute="age")
    assert domains(bins, ["017", " 18 ", "1.8e1", Decimal("17.9"), None]) == [
        "< 18",
        "[18, inf)",
        "[18, inf)",
        "< 18",
        None,
    ]


def test_bins_tell_large_integers_apart():
    bins = Partition.bins([2**53 + 1], attribute="id")
    assert domains(bins, [2**53, 2**53 + 1]) == list(bins.domains)


def test_bins_of_a_range_with_gaps():
    codes = Codes(np.array([1, 14, 0, 73], dtype=np.uint8), range(17, 91))
    assert Partition.bins([30, 65], attribute="age").apply(codes, attribute="age").codes.tolist() == [
        1,
        2,
        0,
        3,
    ]


def test_bins_count_values_that_are_no_numbers():
    with pytest.raises(PartitionError) as error:
        Partition.bins([0], attribute="age").apply(Codes.of([MARKER, 3, MARKER, True]), attribute="age")
    assert "'age' need numbers, and fewer than 5 values of the data (fewer than 5 records) cannot" in str(
        error.value
    )
    assert MARKER not in str(error.value)


@pytest.mark.parametrize("edges", [[], ["0"], [True], [0, float("inf")], [float("nan")], "12"])
def test_bins_need_finite_numbers(edges):
    with pytest.raises(PartitionError, match="'age' need a list of finite numbers"):
        Partition.bins(edges, attribute="age")


def test_bins_need_increasing_edges():
    with pytest.raises(PartitionError, match="increase at every step, and 2 of 3 steps do not"):
        Partition.bins([0, 18, 18, 3], attribute="age")


def test_no_error_repeats_a_value():
    partition = Partition.of({"b": [MARKER.lower(), "01", "1"]}, attribute="a")
    for values in ([MARKER], [MARKER + " "], [MARKER, 7], [7, 8.5]):
        with pytest.raises(PartitionError) as error:
            domains(partition, values)
        assert MARKER.lower() not in str(error.value).lower()
        assert "8.5" not in str(error.value)


def test_groups_of_an_attribute_are_applied_once_for_each_partition():
    data = dv.read({"age": [22, 35, None, 22]})
    decades = Partition.bins([30], attribute="age")
    all_ages = Partition.bins([0], attribute="age")
    found = data.grouped("age", decades)
    assert (
        found.codes.tolist()
        == decades.apply(data.column("age"), attribute="age").codes.tolist()
        == [1, 2, 0, 1]
    )
    assert data.grouped("age", decades) is found
    assert data.grouped("age", all_ages).codes.tolist() == [2, 2, 0, 2]
    fewer = data.taking(np.array([1, 3]))
    assert fewer.grouped("age", decades).codes.tolist() == [2, 1]
