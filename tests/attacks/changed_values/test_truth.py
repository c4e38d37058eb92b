"""Whether released values are the people's own, and what the nearest released record tells."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.attacks.changed_values.coupling import coupled
from divulge.attacks.changed_values.nearest import right_links
from divulge.attacks.changed_values.truth import Truth

IDS = [f"p{i}" for i in range(6)]
AGES = [20, 30, 40, 50, 60, 70]
SEXES = ["f", "m", "f", "m", "f", "m"]


def truth(released, by=(), original=None, **roles):
    table = original or {"id": IDS, "age": AGES, "sex": SEXES}
    given = {"quasi_identifiers": ["age", "sex"], **roles}
    return Truth.of(align(dv.read(table, **given), dv.read(released), by=by))


def test_generalized_values_are_the_peoples_own():
    found = truth({"id": IDS, "age": ["2*", "3*", "4*", "5*", "6*", "7*"], "sex": SEXES}, by="id")
    assert (found.fitting, found.strangers, found.changed) == (1, 0, None)


def test_exchanged_records_fit_somebody_and_not_their_own():
    # The six ages and sexes go to the next person but one: everybody keeps a sex, and nobody an age.
    turned = {"id": IDS, "age": AGES[2:] + AGES[:2], "sex": SEXES}
    found = truth(turned, by="id")
    assert (found.fitting, found.strangers) == (0, 0)
    assert found.changed == (
        "100% of the released records do not fit their own original, so values were changed"
    )


def test_records_that_fit_nobody_show_without_identifiers_that_values_were_changed():
    # Sexes turned by one: no 20-year-old man, no 30-year-old woman, and so on.
    found = truth({"age": AGES, "sex": SEXES[1:] + SEXES[:1]})
    assert found.strangers == 1
    fewer = truth({"age": AGES[:5], "sex": SEXES[1:]})
    assert fewer.fitting is None
    assert "100% of the released records fit no original record" in fewer.unknown
    assert "--by" in fewer.unknown


def test_a_number_that_no_original_has_is_made_up_and_a_label_is_not():
    numbers = truth({"id": IDS, "age": [21.5, 33.1, 47.2, 58.8, 61.4, 79.9], "sex": SEXES}, by="id")
    assert (numbers.strangers, numbers.fitting) == (1, 0)
    labels = truth({"id": IDS, "age": ["young"] * 3 + ["old"] * 3, "sex": SEXES}, by="id")
    assert (labels.strangers, labels.changed) == (None, None)


# -- the nearest record ----------------------------------------------------------------------------


def rate(released, **given):
    return right_links(truth({"id": IDS, **released}, by="id", **given), seed=1).rate


def test_slight_noise_leaves_everybody_nearest_to_the_own_record():
    assert rate({"age": [21, 29, 41, 49, 61, 69], "sex": SEXES}) == 1


def test_averages_over_three_hide_everybody_among_three():
    # Microaggregation: 30 and 60 three times each. Sexes suppressed, so that they tell nothing.
    assert rate({"age": [30] * 3 + [60] * 3, "sex": ["*"] * 6}) == pytest.approx(1 / 3)


def test_exchanged_records_lead_to_somebody_else():
    assert rate({"age": AGES[2:] + AGES[:2], "sex": SEXES}) == 0


def test_a_suppressed_record_is_no_nearer_than_any_other():
    released = {"age": [*map(str, AGES[:5]), "*"], "sex": [*SEXES[:5], "*"]}
    assert rate(released) >= 5 / 6


def test_people_are_drawn_where_there_are_many():
    random = np.random.default_rng(5)
    table = {"id": list(range(9000)), "age": random.permutation(9000).tolist(), "sex": ["f"] * 9000}
    noisy = {**table, "age": [age + 0.25 for age in table["age"]]}
    found = right_links(truth(noisy, by="id", original=table), seed=1)
    assert (found.drawn, found.people, found.rate, found.at_most) == (4000, 9000, 1, 1)
    elsewhere = {**table, "age": table["age"][1:] + table["age"][:1]}
    nobody = right_links(truth(elsewhere, by="id", original=table), seed=1)
    # Of 4,000 none: with 95% confidence less than 0.75 in a thousand, as (1 - 0.00075) ** 4000 is 0.05.
    assert (nobody.rate, nobody.at_most) == (0, pytest.approx(0.00075, abs=1e-5))


# -- coupling --------------------------------------------------------------------------------------


def test_values_that_do_not_overlap_are_shared_by_frequency():
    # Two records of a band with originals 22 (once) and 23 (three times).
    assert coupled(np.array([2]), np.array([0, 2]), np.array([0, 1]), np.array([1, 3])).tolist() == [0.5, 1.5]


def test_what_is_left_for_suppressed_values_is_what_the_others_do_not_need():
    # Two a, two b; one a and two b are released, one is suppressed: it must be the other a.
    found = coupled(np.array([1, 2, 1]), np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1]), np.array([2, 2]))
    assert found.tolist() == pytest.approx([1, 2, 1, 0])


def test_open_ways_are_shared_evenly():
    # <= 35 and >= 35, once each, of 35 and 35: each of the two is either.
    found = coupled(np.array([1, 1]), np.array([0, 1, 2]), np.array([0, 0]), np.array([2]))
    assert found.tolist() == pytest.approx([1, 1])


def test_a_share_of_the_records_that_can_be_compared_is_said_to_be_one():
    original = {"town": ["a", "b", "c"] * 40, "age": [20, 30, 40] * 40}
    released = {"town": ["a", "b", "c"] * 39 + ["zz"] * 3, "age": [30, 40, 20] * 40}
    data = dv.read(original, quasi_identifiers=["town", "age"])
    found = Truth.of(align(data, dv.read(released)))
    assert not found.judged.all()
    assert "of the released records that can be compared fit no original record" in found.changed
