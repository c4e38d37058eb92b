"""Counts of people below five are not said, nor what would give them away."""

from itertools import combinations_with_replacement, product

import pytest

from divulge._support.small_counts import (
    FEW,
    SMALL,
    UNSAID,
    beside,
    blurred,
    exact_counts,
    hidden,
    hidden_among,
    hide_counts,
    hide_unique,
    said_share,
    sum_says_few,
)


def test_counts_from_one_to_four_are_not_said_and_five_is():
    assert SMALL == 5
    assert [hidden(count) for count in range(7)] == [0, "<5", "<5", "<5", "<5", 5, 6]


def test_all_but_one_to_four_of_a_whole_are_not_said_either():
    said = [hidden(count, of=20) for count in range(14, 21)]
    assert said == [14, 15, ">15", ">15", ">15", ">15", 20]


def test_of_a_small_whole_nobody_and_everybody_are_said():
    assert [hidden(count, of=4) for count in range(5)] == [0, "<5", "<5", "<5", 4]
    # Four of five are below five, so that is what is said; not that they are more than none.
    assert hidden(4, of=5) == "<5"


def test_somebody_who_asked_for_exact_counts_gets_them_until_they_are_done():
    with exact_counts():
        assert (hidden(4), hidden(19, of=20), hidden_among([4, 20], 24)) == (4, 19, [4, 20])
        with exact_counts(False):  # asking for less within changes nothing
            assert hidden(4) == 4
        assert hidden(4) == 4
    assert hidden(4) == "<5"


@pytest.mark.parametrize(
    ("counts", "total", "said"),
    [
        ([4, 46, 50], 100, ["<5", "~50", 50]),  # one hidden: what the others leave of the total
        ([3, 321, 322, 354], 1000, ["<5", "~320", 322, 354]),  # to its own nearest ten
        ([4] * 40 + [54, 60], 274, ["<5"] * 40 + ["~50", "~60"]),  # and not to that of 214
        ([1, 1, 1, 1, 5, 50, 60], 119, ["<5"] * 4 + ["~10", "~50", 60]),  # five is at least five
        ([3, 5, 5, 90], 103, ["<5", "~10", "~10", 90]),  # which the next one leaves no room for
        ([1, 325, 674], 1000, ["<5", "~330", "~670"]),  # 324 would be about 320
        ([5, 45, 50], 100, [5, 45, 50]),
        ([1, 1, 48, 50], 100, ["<5", "<5", "~50", 50]),  # two that make two are one each
        ([4, 4, 42, 50], 100, ["<5", "<5", "~40", 50]),  # and two that make eight are four each
        ([1, 2, 47, 50], 100, ["<5", "<5", "~50", 50]),  # that make three are one and two
        ([3, 4, 43, 50], 100, ["<5", "<5", "~40", 50]),  # that make seven are three and four
        ([2, 2, 46, 50], 100, ["<5", "<5", "~50", 50]),  # four in all are few themselves
        ([2, 3, 45, 50], 100, ["<5", "<5", 45, 50]),  # or one and four
        ([1, 1, 4, 44, 50], 100, ["<5", "<5", "<5", 44, 50]),  # or one, two and three
        ([3, 4], 7, ["<5", "<5"]),  # nothing else is there to be rounded
        ([4, 46, 50], 101, ["<5", 46, 50]),  # the total is of others too
        ([4, 46, 50], None, ["<5", 46, 50]),
        ([4, 6], 10, ["<5", "~10"]),
        ([4, 13, 14], 31, ["<5", "~10", 14]),  # the one before 14 may be 14 too, and then three are hidden
        ([4, 14, 13], 31, ["<5", "~10", "~10"]),  # the one after it would not have been rounded first
        ([3, 0, 47], 50, ["<5", 0, "~50"]),  # nobody is no count to round
        ([3, 0], 3, ["<5", 0]),
    ],
)
def test_a_hidden_count_is_not_what_the_others_leave(counts, total, said):
    assert hidden_among(counts, total) == said


@pytest.mark.parametrize(
    ("counts", "said", "few"),
    [
        ([2, 26], ["<5", 26], True),  # 28 less 26
        ([26, 41], [26, 41], False),
        ([26], ["~30"], True),
        ([2, 26], ["<5", "~30"], False),  # 28 may be 1 and 27
        ([2, 26], ["<5", None], False),  # nothing is said of what else it counts
        ([2, 3], ["<5", "<5"], False),  # or one and four
        ([], [], False),
    ],
)
def test_a_sum_of_some_does_not_give_away_what_is_hidden_of_them(counts, said, few):
    assert sum_says_few(counts, said) is few


def possible(said, total):
    """All lists of counts that what is said of them and of their total leaves open."""
    ranges = {
        "<5": range(1, 5),
        **{f"~{tens}": range(max(tens - 5, 5), tens + 5) for tens in range(10, 40, 10)},
    }
    uncertain = [ranges[one] for one in said if isinstance(one, str)]
    rest = total - sum(one for one in said if isinstance(one, int))
    return [found for found in product(*uncertain) if sum(found) == rest]


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_whoever_adds_up_a_list_finds_two_values_or_more_for_each_hidden_count(rows):
    for counts in combinations_with_replacement((1, 2, 3, 4, 5, 6, 9, 14, 15, 16, 25), rows):
        said = hidden_among(counts, sum(counts))
        if FEW not in said or not any(isinstance(one, int) for one in said):
            continue  # nothing is hidden, or nothing is left to be rounded
        found = possible(said, sum(counts))
        texts = [one for one in said if isinstance(one, str)]
        for place in (place for place, one in enumerate(texts) if one == FEW):
            assert len({one[place] for one in found}) >= 2, counts


def test_beside_a_hidden_count_a_rate_does_not_tell_it():
    # Of three records two with one value: 0.918 bits are left, which no other number below five gives.
    assert beside(0.918, "<5") is None
    assert beside(1.0, "<5") == 1.0  # certain, as of one, two, three or four
    assert beside(1.0, "<5", certain=None) is None  # of records, only one is certain
    assert (beside(0.1234, "~10"), beside(0.1234, "~320"), beside(0.1234, 5)) == (0.1, 0.12, 0.1234)
    with exact_counts():
        assert beside(0.918, hidden(3)) == 0.918


def test_a_rate_of_people_without_a_name_has_two_digits():
    # 0.764523 of 26 is what 14, 9 and 3 give, and nothing else.
    rates = [0.764523, 0.998, 0.001, -0.002, -1.2345, 0.0, 1.0, float("-inf")]
    said = [0.76, 0.99, 0.01, -0.01, -1.23, 0.0, 1.0, float("-inf")]
    assert [beside(rate, 26, named=False) for rate in rates] == said
    with exact_counts():
        assert beside(0.764523, 26, named=False) == 0.764523


def test_a_rate_has_as_many_digits_as_hold_for_one_person_more_or_less():
    assert [blurred(3 / 7, people) for people in (9, 10, 99, 100, 12_345)] == [None, 0.4, 0.4, 0.43, 0.4286]
    assert [blurred(value, 50) for value in (0.0, 0.02, 0.98, 1.0)] == [0.0, None, None, 1.0]


@pytest.mark.parametrize(
    ("count", "of", "said"),
    [
        *((count, 69, "<0.072") for count in (1, 2, 3, 4)),
        *((69 - count, 69, ">0.928") for count in (1, 2, 3, 4)),
        *((count, 69, count / 69) for count in (0, 5, 64, 69)),
        (6, 8, 0.75),  # of fewer than ten one side is always few: the count alone decides
        (3, 8, "<0.625"),
        (2, 4, "<1"),
        (4, 3700, "<0.002"),  # 0.108%, and not below 0.1%
    ],
)
def test_a_share_of_few_people_is_a_bound(count, of, said):
    assert said_share(count / of, of) == said
    with exact_counts():
        assert said_share(count / of, of) == count / of


def test_a_document_hides_counts_of_people_wherever_they_are():
    document = {
        "people": 4,
        "share": 0.04,
        "of": 100,
        "checks": [{"records": 3, "share": 0.03}, {"records": 5, "share": 0.05}],
        "nested": ({"lone": 1}, {"unique": 0, "share": 0.0}),
        "aligned": True,  # a truth value is no count
        "attributes": 4,  # nor are these people
    }
    assert hide_counts(document) == {
        "people": "<5",
        "share": None,
        "of": 100,
        "checks": [{"records": "<5", "share": None}, {"records": 5, "share": 0.05}],
        "nested": ({"lone": "<5"}, {"unique": 0, "share": 0.0}),
        "aligned": True,
        "attributes": 4,
    }
    with exact_counts():
        assert hide_counts(document) == document


def test_a_document_does_not_say_all_but_a_few_of_its_records():
    assert hide_counts({"records": 20, "counted": 17}) == {"records": 20, "counted": ">15"}
    assert hide_counts({"records": 20, "counted": 15}) == {"records": 20, "counted": 15}
    # Beside what was counted, records are those of a whole table, however few; of so few nothing is said.
    assert hide_counts({"records": 3, "counted": 3}) == {"records": 3, "counted": "<5"}
    assert hide_counts({"records": "many", "counted": 3}) == {"records": "many", "counted": "<5"}


def test_a_share_of_unique_records_is_not_said_where_it_would_say_how_few():
    # Of 200 people, 4 are 2% and 196 are 98%: neither is said; 5 and 195, nobody and everybody are.
    def said(share, of=200):
        return hide_unique({"uniqueness": share}, of)["uniqueness"]

    shares = [0.0, 0.02, 0.025, 0.975, 0.98, 1.0, None]
    assert [said(share) for share in shares] == [0.0, None, 0.025, 0.975, None, 1.0, None]
    assert said(4.4 / 200) is None  # weighted: fewer than five all the same
    assert said(5.1 / 200) == 5.1 / 200
    assert said(4 / 200 + 1e-9) is None  # four, but for rounding
    assert said(5 / 30_000 - 3e-11, of=30_000) is not None  # five likewise
    assert said(4 / 8, of=8) is None  # of fewer than ten, the count alone decides
    assert said(6 / 8, of=8) == 6 / 8


def test_a_reading_of_uniqueness_that_is_not_said_says_why():
    few, many = ({"measure": "uniqueness", "value": share} for share in (0.02, 0.5))
    unsaid = {"measure": "uniqueness", "value": None, "undefined": UNSAID}
    assert hide_unique(few, 200) == unsaid
    assert hide_unique({**few, "in_population": {"high": 0.04}}, 200) == unsaid  # its end gives the share
    assert hide_unique(many, 200) == many
    assert hide_unique({"unique": 7, "uniqueness": 7 / 200}, 200, {7: 8}) == {
        "unique": "<8",
        "uniqueness": None,
    }


def test_shares_of_unique_records_are_found_in_lists_maps_and_what_is_nested():
    document = [
        {"by_size": ({"uniqueness": [0.5, 0.02], "uniqueness_last": [0.98]}, {"k": 1}), "name": "a"},
        {"map": [[2, 0.5, 0.02], [1, 0.3, 0.4], [3, 0.1, None]], "risk": 0.02},
    ]
    assert hide_unique(document, 200) == [
        {"by_size": [{"uniqueness": [0.5, None], "uniqueness_last": [None]}, {"k": 1}], "name": "a"},
        {"map": [[2, 0.5, None], [1, 0.3, 0.4], [3, 0.1, None]], "risk": 0.02},
    ]
    with exact_counts():
        assert hide_unique(document[1], 200) == document[1]


@pytest.mark.parametrize(
    ("others", "last", "said"),
    [(0.015, 0.13, None), (0.1, 0.13, 0.13), (0.5, 0.485, None), (0.0, 0.13, 0.13), (0.015, 0.0, 0.0)],
)
def test_what_becomes_unique_last_leaves_no_few_at_either_end(others, last, said):
    document = [{"attribute": "age", "uniqueness_last": last, "uniqueness_others": others}]
    assert hide_unique(document, 200) == [{"attribute": "age", "uniqueness_last": said}]
