"""Rates that the papers print: those that follow from their tables, and those that do not."""

import pytest

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper


def differing(name):
    """How many printed numbers of an experiment do not follow from the printed data, where any do not."""
    found = {one.item: [number.agrees for number in one.run(Conditions()).numbers] for one in paper(name)}
    return {item: agree.count(False) for item, agree in found.items() if agree.count(False)}


def test_the_numbers_of_the_semantic_rate_that_do_not_follow_from_its_tables():
    assert differing("sedr") == {"table-7": 3, "table-8": 7}


def test_the_numbers_of_the_thesis_that_do_not_follow_from_its_tables():
    assert differing("thesis") == {
        "example-4-3": 1,
        "table-4.6": 2,
        "table-4.7": 3,
        "table-6.8": 2,
        "table-6.9": 2,
    }


@pytest.mark.parametrize("name", ["sedr", "thesis"])
def test_every_claim_holds(name):
    assert all(claim.holds for one in paper(name) for claim in one.run(Conditions()).claims)
