"""A count that an audit hides is not worked out from the smallest groups and rates of the same document."""

import math
import random

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts


def table(seed, few):
    """A few people of an age that nobody else has."""
    drawn = random.Random(seed)
    people = drawn.randint(230, 420)
    rows = [(10 * drawn.randint(2, 5), *map(drawn.choice, ("MF", "nse", "abc"))) for _ in range(people)]
    rows += [(90, "M", drawn.choice("nse"), drawn.choice("ab")) for _ in range(few)]
    return dict(zip(("age", "sex", "region", "ill"), map(list, zip(*rows, strict=True)), strict=True))


def audited(columns, **options):
    roles = {"quasi_identifiers": ["age", "sex", "region"], "sensitive": ["ill"]}
    return dv.audit(dv.read(columns), **roles, **options).document


def recomputed(document, attribute):
    """Sizes of a hidden group that fit the listed counts, the smallest group and the rate of an attribute."""
    (block,) = [
        one for one in document["values"] if (one["attribute"], one["target"]) == (attribute, "@record")
    ]
    (alone,) = [one for one in document["combinations"]["subsets"] if one["keys"] == [attribute]]
    said = [line["records"] for line in block["lines"]]
    if "<5" not in said:
        return None
    whole = document["source"]["records"]
    known = [one for one in said if isinstance(one, int)]
    target = (1 - alone["discrimination_rate"]) * whole * math.log2(whole)
    size = sum(one * math.log2(one) for one in known)
    found = {
        few
        for few in range(1, 5)
        for rest in [whole - sum(known) - few]
        if rest > 0 and abs(size + few * math.log2(few) + rest * math.log2(rest) - target) < 1e-6 * target
    }
    return found | {alone["k"]}


@pytest.mark.parametrize("few", [1, 2, 3, 4])
@pytest.mark.parametrize("show_values", [True, False])
def test_a_hidden_count_is_not_in_the_same_document(few, show_values):
    for seed in range(3):
        document = audited(table(seed, few), show_values=show_values)
        assert recomputed(document, "age") is None
        for subset in document["combinations"]["subsets"]:
            if subset["keys"] == ["age"]:
                rate = subset["discrimination_rate"]
                assert rate == round(rate, 2)
        lines = [one for block in document["values"] for one in block["lines"]]
        assert all(one["records"] != "<5" for one in lines if "90" in str(one))


def test_exact_counts_are_in_it_when_they_are_asked_for():
    with exact_counts():
        document = audited(table(0, 3))
    (block,) = [one for one in document["values"] if (one["attribute"], one["target"]) == ("age", "@record")]
    assert block["lines"][0]["records"] == 3
    assert all(isinstance(line["records"], int) for line in block["lines"])
