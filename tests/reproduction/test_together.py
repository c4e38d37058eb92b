"""All papers on one table: which measures see a mechanism, and which agree."""

import pytest

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper


def verdicts(item):
    table, _ = paper("together")[item].run(Conditions(full=False)).tables
    return {name: (left, verdict) for name, verdict, left, *_ in table.rows}


def test_randomised_ages_are_noticed_by_what_reads_the_locations_of_groups():
    found = verdicts("randomised")
    agree = {name for name, (_, verdict) in found.items() if verdict.endswith("agrees")}
    tests = {f"{test}, limit used" for test in ("MIS", "KLD", "CST", "SEQ")}
    assert agree == {"DR", "attacker's gain", "t-closeness", *tests}
    assert {name for name, (_, verdict) in found.items() if verdict == "blind"} == {
        "ITPR",
        "1/k",
        "1/l, distinct",
    }
    assert found["DQT, limit used"][1] == "sees a part"


def test_one_range_of_all_ages_says_nothing_and_diversity_does_not_notice():
    found = verdicts("generalized")
    assert [name for name, (_, verdict) in found.items() if verdict == "blind"] == ["1/l, distinct"]
    assert {left for name, (left, _) in found.items() if name != "1/l, distinct"} == {"0%"}


@pytest.mark.parametrize("item", ["randomised", "generalized"])
def test_every_claim_holds(item):
    assert all(claim.holds for claim in paper("together")[item].run(Conditions(full=False)).claims)
