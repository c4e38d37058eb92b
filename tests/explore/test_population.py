"""What a table is a sample of: every record that was drawn counts in its share, suppressed or not."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.toml_text import tables_of
from divulge.assessment.people.sample import SampleShare
from divulge.assessment.scope import Scope
from divulge.explore.explorer import Explorer
from divulge.policy import Population

KEPT, ALONE, PEOPLE = 10, 90, 1000  # records of one group, records that are suppressed, people there are
DRAWN = {"fraction": 0.1}


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    """Ten records share their values, ninety are suppressed; a hundred of a thousand people were drawn."""
    folder = tmp_path_factory.mktemp("drawn")
    ages = [20] * KEPT + [100 + age for age in range(ALONE)]
    lines = [f"{age},a,{'flu' if place % 2 else 'gout'}" for place, age in enumerate(ages)]
    (folder / "people.csv").write_text("\n".join(["age,zip,ill", *lines]) + "\n")
    everyone = [*ages, *range(1000, 1000 + PEOPLE - len(ages))]
    (folder / "everyone.csv").write_text("\n".join(["age,zip", *(f"{age},a" for age in everyone)]) + "\n")
    data = dv.read(folder / "people.csv", quasi_identifiers=["age", "zip"], sensitive=["ill"])
    found = Explorer(data, name=str(folder / "people.csv"), seed=5)
    found.change({"suppress": 1.0, "thresholds": {"k_anonymity": {"min": 5}}})
    return found


def test_a_number_of_people_says_the_same_as_the_share_that_was_drawn(explorer):
    by_share = explorer.change({"population": DRAWN})["figures"]["risks"]
    by_size = explorer.change({"population": {"size": PEOPLE}})["figures"]["risks"]
    assert by_size == by_share
    told = explorer.population()
    while told.get("estimating"):
        told = explorer.population()
    k_map = next(one for one in told["figures"] if "k-map" in one["title"])
    assert k_map["interval"][1] == 10 * KEPT  # not ten times as many


def test_the_policy_says_the_share_that_was_drawn(explorer):
    everyone = explorer.name.replace("people.csv", "everyone.csv")
    for given in ({"size": PEOPLE}, {"source": everyone}):
        policy = explorer.change({"population": given})["files"]["policy.toml"]
        assert tables_of(policy)["population"] == DRAWN


def test_an_audit_counts_suppressed_records_in_the_share():
    starred = {name: [value] * KEPT + ["*"] * ALONE for name, value in (("age", "20"), ("zip", "a"))}
    data = dv.read(starred, quasi_identifiers=["age", "zip"])
    found = dv.audit(data, population=PEOPLE).to_dict()["people_beyond_table"]
    assert (found["population_size"], found["fraction"]) == (PEOPLE, 0.1)
    assert found["estimated"]["k_map"]["interval"][1] == 10 * KEPT


def test_records_that_a_change_leaves_out_were_drawn_all_the_same():
    data = dv.read({"age": ["20"] * KEPT + list(range(ALONE))}, quasi_identifiers=["age"])
    scope = Scope(data, population=Population(size=PEOPLE))
    assert scope.leaving_out(np.arange(KEPT + ALONE) >= KEPT).sample == scope.sample == SampleShare(0.1)
