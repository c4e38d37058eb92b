"""What drives the risk is said as it is."""

from divulge.assessment.combinations import combinations
from divulge.assessment.story import drivers
from scenes import scope


def combination(table, keys):
    asked = scope({**table, "ill": ["flu"] * len(table[keys[0]])}, keys=keys)
    found = drivers(asked, combinations(asked), [], [], [])
    return next(one.sentence for one in found if one.kind == "combination")


def test_what_a_part_of_the_attributes_makes_unique_is_counted():
    # 40 people on a grid of 8 by 5, and 5 more in a row of their own that a alone tells apart.
    grid = [(n % 8, n // 8) for n in range(40)] + [(100 + n, 9) for n in range(5)]
    table = {"a": [a for a, _ in grid], "b": [b for _, b in grid]}
    assert combination(table, ("a", "b")) == (
        "45 records (100%) are unique on a and b; on either of them alone at most 5 records (11.1%)."
    )


def test_no_part_does_so_only_where_that_is_true():
    table = {"a": [n % 8 for n in range(40)], "b": [n // 8 for n in range(40)]}
    said = combination(table, ("a", "b"))
    assert said == "40 records (100%) are unique on a and b; on either of them alone none."


def test_of_three_attributes_any_two_are_counted():
    cube = [(n % 3, n // 3 % 3, n // 9) for n in range(27)] + [(7, 7, 0), (7, 8, 0)]
    table = {name: [row[place] for row in cube] for place, name in enumerate("abc")}
    # The last two are unique on a and b already, and 27 are only by all three.
    assert combination(table, ("a", "b", "c")) == (
        "29 records (100%) are unique on a, b and c; on any 2 of these 3 fewer than 5 records (<17.2%)."
    )
