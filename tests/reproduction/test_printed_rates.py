"""Rates that the papers print: those that follow from their tables, and those that do not."""

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper


def test_the_numbers_of_the_semantic_rate_that_do_not_follow_from_its_tables():
    differing = {
        one.item: sum(number.agrees is False for number in one.run(Conditions()).numbers)
        for one in paper("sedr")
    }
    assert differing == {
        "table-5": 0,
        "table-6": 0,
        "table-7": 3,
        "table-8": 7,
        "table-10": 0,
        "table-11": 0,
        "table-12": 0,
        "table-13": 0,
    }


def test_every_claim_of_the_semantic_rate_holds():
    assert all(claim.holds for one in paper("sedr") for claim in one.run(Conditions()).claims)
