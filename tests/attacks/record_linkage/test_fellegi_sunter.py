"""The probabilities of agreement against an implementation that makes every pair, and best links by hand."""

import numpy as np
import pytest

from divulge.attacks.record_linkage.fellegi_sunter import best_links, fit


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
