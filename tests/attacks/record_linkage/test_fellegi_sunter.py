"""The probabilities of agreement against an implementation that makes every pair, and best links by hand."""

import numpy as np
import pytest

from divulge.attacks.record_linkage.fellegi_sunter import best_links, fit, misled, own_patterns


@pytest.fixture(scope="module")
def tables():
    """Eighty people with five attributes, and the same with a tenth of the values drawn anew."""
    rng = np.random.default_rng(7)
    bounds = [6, 9, 4, 12, 7]
    ours = [(rng.integers(0, bound, 80), bound) for bound in bounds]
    theirs = [
        (np.where(rng.random(80) < 0.1, rng.integers(0, bound, 80), codes), bound) for codes, bound in ours
    ]
    return ours, theirs


def pairs(ours, theirs):
    """Agreement of all pairs: original, released, attribute."""
    return np.array(
        [one[:, None] == other[None, :] for (one, _), (other, _) in zip(ours, theirs, strict=True)]
    ).transpose(1, 2, 0)


def test_m_and_u_are_those_of_all_pairs_made_one_by_one(tables):
    """Expectation and maximization in its plainest form, u being that of all pairs."""
    agrees = pairs(*tables).reshape(-1, 5)
    u, m, prior = agrees.mean(axis=0), np.full(5, 0.7), 1 / 80
    for _ in range(5000):
        like = prior * np.prod(np.where(agrees, m, 1 - m), axis=1)
        unlike = (1 - prior) * np.prod(np.where(agrees, u, 1 - u), axis=1)
        belongs = like / (like + unlike)
        m = (agrees * belongs[:, None]).sum(axis=0) / belongs.sum()
    model = fit(*tables)
    np.testing.assert_allclose(model.u, u, rtol=1e-12)
    np.testing.assert_allclose(model.m, m, atol=1e-6)
    assert model.counts.sum() == 80 * 80


def test_small_steps_that_add_up_are_taken_to_their_end():
    """Few attributes of few values: each round moves m by less than 1e-7, and it is still 2e-5 away."""
    rng = np.random.default_rng(0)
    ours = [(rng.integers(0, bound, 60), bound) for bound in (2, 3, 4, 5)]
    theirs = [
        (np.where(rng.random(60) < 0.15, rng.integers(0, bound, 60), own), bound) for own, bound in ours
    ]
    patterns, counts = np.unique(pairs(ours, theirs).reshape(-1, 4), axis=0, return_counts=True)
    u, m, prior = np.average(patterns, axis=0, weights=counts), np.full(4, 0.9), 1 / 60
    for _ in range(4000):
        like = prior * np.prod(np.where(patterns, m, 1 - m), axis=1)
        unlike = (1 - prior) * np.prod(np.where(patterns, u, 1 - u), axis=1)
        m = np.average(patterns, axis=0, weights=counts * like / (like + unlike))
    np.testing.assert_allclose(fit(ours, theirs, starts=(0.9,)).m, m, atol=1e-7)


def test_values_that_rarely_change_have_a_high_m(tables):
    truth = [np.mean(one == other) for (one, _), (other, _) in zip(*tables, strict=True)]
    np.testing.assert_allclose(fit(*tables).m, truth, atol=0.1)


def test_best_links_are_the_pairs_of_highest_weight(tables):
    model, agrees = fit(*tables), pairs(*tables)
    weight = np.log2(np.where(agrees, model.m / model.u, (1 - model.m) / (1 - model.u))).sum(axis=2)
    found = best_links(model, *tables)
    for released in range(80):
        best = weight[:, released].max()
        assert found.weight[released] == pytest.approx(best, abs=1e-6)
        assert found.ties[released] == np.isclose(weight[:, released], best).sum()


def villages():
    """Twenty villages with one trade each, as many women as men, and men anywhere; all released as they are.

    People of a village agree on village and trade, half of them on sex, which any two people do more often:
    most alike are not the same.
    """
    rng = np.random.default_rng(0)
    home, away = np.repeat(np.arange(20), 10), rng.integers(0, 20, (2, 400))
    sex = np.concatenate([np.tile([0, 1], 100), np.ones(400, np.int64)])
    return [(sex, 2), *((np.concatenate([home, there]), 20) for there in away)]


def test_a_model_in_which_agreement_speaks_against_a_link_found_no_matches():
    columns = villages()
    model = fit(columns, columns)
    rows = np.arange(600), np.arange(600)
    assert model.m[0] < model.u[0] - 0.2  # though nobody's sex was changed
    assert model.against == [0]
    assert misled(model) == [0]
    assert misled(model, own_patterns(columns, columns, rows)) == [0]


def test_values_that_were_all_changed_do_not_mislead():
    """Everybody's first value is another one: agreement on it rightly speaks against a link."""
    rng = np.random.default_rng(2)
    ours = [(rng.integers(0, bound, 400), bound) for bound in (3, 20, 20, 20)]
    theirs = [((ours[0][0] + 1) % 3, 3), *ours[1:]]
    model = fit(ours, theirs)
    assert model.m[0] < 0.01
    assert model.against == [0]
    assert misled(model, own_patterns(ours, theirs, (np.arange(400), np.arange(400)))) == []


def test_a_start_is_left_from_which_agreement_speaks_against_a_link():
    """Three in their twenties, one in the thirties, both attributes alike: from 0.6 the others are found."""
    columns = [(np.array([0, 0, 0, 1]), 2)] * 2
    wrong, right = fit(columns, columns, starts=(0.6,)), fit(columns, columns)
    assert (wrong.m < wrong.u).all()
    assert wrong.log_likelihood >= right.log_likelihood
    assert (right.m >= right.u).all()


def test_the_same_model_is_found_from_every_start(tables):
    m = [fit(*tables, starts=(start,)).m for start in (0.6, 0.9, 0.99)]
    np.testing.assert_allclose(m[0], m[1], atol=1e-5)
    np.testing.assert_allclose(fit(*tables).m, m[1], atol=1e-5)
