"""Rates that the papers print: those that follow from their tables, and those that do not."""

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper

SMALL = Conditions(full=False)


def printed(name):
    """The tables and examples that have their data in the paper; star tables have none."""
    stars = ("table-3.6", "table-4.10", "table-5.5")
    return [
        one
        for one in paper(name)
        if one.item.startswith(("table", "example")) and not one.needs and one.item not in stars
    ]


def differing(name):
    """How many printed numbers of an experiment do not follow from the printed data, where any do not."""
    found = {one.item: [number.agrees for number in one.run(SMALL).numbers] for one in printed(name)}
    return {item: agree.count(False) for item, agree in found.items() if agree.count(False)}


def test_the_numbers_of_the_semantic_rate_that_do_not_follow_from_its_tables():
    assert differing("sedr") == {"table-7": 3, "table-8": 7}


def test_the_numbers_of_the_thesis_that_do_not_follow_from_its_tables():
    assert differing("thesis") == {
        "example-4-3": 1,
        "table-2.4": 1,
        "table-4.6": 2,
        "table-4.7": 3,
        "table-6.8": 2,
        "table-6.9": 2,
    }


def failing(name):
    """The claims of a paper that do not hold."""
    return [claim.says for one in printed(name) for claim in one.run(SMALL).claims if not claim.holds]


def test_every_claim_holds_but_one_about_a_table_of_the_thesis():
    assert failing("sedr") == []
    assert failing("thesis") == ["Records 7 and 8 are the only ones with the same pattern."]
