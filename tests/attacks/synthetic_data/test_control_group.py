"""A control group of originals shows nothing, and neither do texts that are nobody's."""

import numpy as np
import pytest

import divulge as dv
from divulge.attacks.synthetic_data.account import synthetic_attacks
from divulge.attacks.synthetic_data.control_group import holds_originals, rows_repeat


def people(seed, rows=400, ages=60):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 18 + ages, rows).tolist(),
        "income": rng.normal(30, 8, rows).round(1).tolist(),
        "place": rng.choice(list("abcdefgh"), rows).tolist(),
        "ill": rng.choice(["flu", "cold", "gout", "none"], rows).tolist(),
    }


def mixed(one, other, many):
    return {name: [*one[name][:many], *other[name][many:]] for name in one}


@pytest.mark.parametrize("many", [400, 200, 40])
def test_a_control_group_of_originals_shows_nothing(many):
    tables = people(1), people(1), mixed(people(1), people(2), many)
    found = synthetic_attacks(*map(dv.read, tables), secrets=["ill"])
    assert len(found) == 4
    for one in found:
        assert one.keys() == {"attack", "undefined"}
        assert one["undefined"].startswith("the control group has records of the original")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "names", [["age", "income", "place", "ill"], ["place", "ill"], ["age", "place", "ill"]]
)
def test_other_people_are_not_taken_for_originals(seed, names):
    one, other = (dv.read({name: people(made)[name] for name in names}) for made in (seed, 100 + seed))
    assert not holds_originals(one, other)


def test_membership_says_nothing_where_texts_are_nobodys():
    made = people(1)
    made["place"] = [one.upper() for one in made["place"]]
    *_, found = synthetic_attacks(*map(dv.read, (people(1), made, people(2))), secrets=["ill"])
    assert found["undefined"] == (
        "place: its released values match no original value, so distances by it say nothing"
    )
    assert "risk" not in found


def test_rows_that_repeat_may_be_of_one_person():
    once = people(1)
    five = {name: values * 5 for name, values in once.items()}
    assert not rows_repeat(dv.read(once))
    assert rows_repeat(dv.read(five))
