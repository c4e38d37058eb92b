"""A release simulation in a terminal: what was released first, 80 columns, then targets, tests and rules."""

import pytest

from divulge.report.release.text import text
from report.release_document import TESTS, document

MANY = [f"regiment of the northern part of the country, number {place}" for place in range(60)]


@pytest.mark.parametrize(
    "found",
    [
        document(),
        document(TESTS, each=True),
        document(TESTS, MANY, each=True, y=["Regiment", "Country"]),
        document(source="a" * 200),
        document(runs=1, evolution=[]),
        document(TESTS, MANY, each=True, refused=100.5),
    ],
    ids=["one", "all", "many", "long name", "nothing read", "refused"],
)
def test_no_line_is_wider_than_a_terminal(found):
    assert max(map(len, text(found).splitlines())) <= 80


def test_what_was_released_comes_first_then_who_loses_and_how_near_the_limit_came():
    lines = text(document()).splitlines()
    assert lines[:2] == [
        "military.csv: 5,000 records, 10 values of Age, 5 targets of Location",
        "20 runs of 5,000 requests, seed 1",
    ]
    assert lines[3] == "3,581 of 5,000 requests released on average, 1,419 wait."
    assert lines[4] == "  Fewest released: L2, 320 of 1,000 requests (32%)."
    assert "  critical value. Closest: 79.6% of it (mutual information, 33 records" in lines
    assert "  After the first run, about 83 of the next 100 typical records could be" in lines


def test_room_for_typical_records_is_not_said_where_most_requests_wait():
    found = document()
    waiting = [{**one, "released": one["requested"] / 20, "share": 0.05} for one in found["by_target"]]
    assert "typical records" not in text({**found, "by_target": waiting})


def test_targets_have_a_line_each_and_the_last_is_all_of_them():
    lines = text(document()).splitlines()
    head = lines.index("Location  records  requested  released   +/-  share  fitting")
    assert lines[head + 2] == "L1          1,000      1,000       800  39.3  80.0%     95.5"
    assert lines[head + 7] == "all         5,000      5,000     3,581     –  71.6%    1,096"


def test_tests_by_themselves_stand_side_by_side():
    lines = text(document(("mis", "kld"), each=True)).splitlines()
    head = lines.index("Location  requested    MIS    KLD    CST    DQT    SEQ  fitting")
    assert lines[head + 3] == "L2            1,000    320    320    320    320    320      250"
    assert "Of 20 runs, how many end with released records that pass each test:" in lines
    assert "MIS and KLD   20   20    0   11    0" in lines
    assert "CST            0    0   20   11    0" in lines


def test_one_test_is_not_told_twice():
    assert text(document(each=True)).splitlines().count("MIS    20    0    0   11    0") == 1


def test_a_test_that_cannot_be_carried_out_has_a_dash():
    found = document(cross_safety={"mis": 20, "kld": 0, "cst": 0, "dqt": None})
    assert "MIS    20    0    0    –" in text(found)


def test_the_rules_say_which_way_is_stricter():
    said = " ".join(text(document(("mis", "dqt"))).split())
    assert "pass MIS (mutual information) and DQT (Dixon's coefficient)" in said
    assert "alpha of 0.2" in said
    assert said.endswith("A higher alpha is stricter.")


def test_of_many_targets_those_that_lose_most_are_told_and_can_be_told_apart():
    made = text(document(targets=MANY))
    assert "... and 40 targets that lose less, with --json" in made
    assert "regiment o… number 1 " in made


def test_a_limit_that_was_passed_is_not_passed_over():
    found = document()
    found["evolution"][7]["exposures"][0]["safe"] = False
    said = " ".join(text(found).split())
    sizes = len(found["evolution"])
    assert f"At 1 of the {sizes} sizes of the first run, the released records did not stay below" in said
    assert "At every size" not in said


def test_names_that_would_steer_a_terminal_do_not():
    assert "\x1b" not in text(document(targets=["\x1b[31mred", "blue", "green"]))


def test_nothing_held_back_and_nothing_read_are_said():
    whole = document(evolution=[])
    for line in whole["by_target"]:
        line |= {"released": 1000.0, "share": 1.0}
    assert "All requests were released, for every target." in text(whole)
    assert "Too few records were released for a test to be carried out." in text(whole)


def test_requests_refused_for_good_are_told_apart_from_those_that_wait():
    lines = text(document(refused=20.0)).splitlines()
    assert lines[3] == "3,581 of 5,000 requests released on average, 1,319 wait, 100 refused for good."
    assert "  Refused for good: 100 with a value that the baseline does not expect. These" in lines
    head = lines.index("Location  records  requested  released  refused  share  fitting")
    assert lines[head + 2] == "L1          1,000      1,000       800       20  80.0%     95.5"
    assert "refused" not in text(document())


def test_the_level_is_said_to_be_that_of_each_target():
    said = " ".join(text(document(("kld",))).split())
    # 1 - 0.8^5 = 0.67232
    assert (
        "Alpha is the level of each target, not of the set: if all 5 were independent, chance alone would "
        "exceed at least one critical value in 67.2% of sets." in said
    )
    assert "level of each comparison, not of the set: if all 6" in " ".join(
        text(document(("mis", "kld"))).split()
    )
    assert "not of the set" not in text(document(("mis",)))


def test_a_level_for_the_whole_set_is_said_to_be_one():
    found = document(("kld",), level=0.0436)
    found["rules"]["familywise"] = True
    said = " ".join(text(found).split())
    assert "Alpha is the level of the whole set" in said
    assert "Each of the 5 comparisons has a level of 0.0436." in said


def test_the_fault_of_dixons_test_stands_beside_it():
    said, other = (" ".join(text(document(tests)).split()) for tests in (("dqt",), ("mis", "kld", "cst")))
    assert "DQT does not keep its level" in said
    assert "does not keep its level" not in other
