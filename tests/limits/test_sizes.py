"""What would take too much memory or time is refused before it begins, with the estimate."""

import pytest

from divulge import measure
from divulge.errors import ParameterError, TooMuch
from divulge.estimation.mechanisms.optimal import optimal_mechanism
from divulge.estimation.scenarios.crowds import CorruptedCrowd, Crowd
from divulge.estimation.scenarios.location import Gaussian, Grid, perturbed
from divulge.estimation.scenarios.mixes import pool_mix, threshold_mix
from divulge.limits.sizes import require_memory, require_time

TABLE = {"key": ["a", "a", "b"], "x": [1, 2, 1]}


def test_the_limit_itself_is_allowed():
    require_memory(4 * 10**9, "A table")
    require_time(3600, "A search")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: require_memory(4 * 10**9 + 1, "A table"), "A table would need about 4 GB of memory"),
        (lambda: require_time(7200, "A search"), "A search would take about 2 hours; the limit is 1 hour"),
        # By hand: 10^5 times 10^5 cells of 32 bytes.
        (lambda: Crowd(100_000, 0.5).channel(), "about 320 GB"),
        (lambda: Crowd(100_000, 0.5).posterior, "about 320 GB"),
        (lambda: CorruptedCrowd(100_001, 1, 0.5).channel(), "about 320 GB"),
        (lambda: perturbed(Grid(10**5, 10**5), Gaussian(1.0)), "more than a million TB"),
        (lambda: threshold_mix(10**9, 1), "1,000,000,000 rounds would need about 100 GB"),
        (lambda: pool_mix(10**9, 2, 1), "1,000,000,000 rounds would need about 100 GB"),
        (lambda: threshold_mix(10**5, 10**5).links, "about 320 GB"),
        (lambda: optimal_mechanism([1e-5] * 10**5, loss="hamming", budget=0.1), "about 320 GB"),
        # By hand: a billion times a millisecond, and a little for the six cells.
        (lambda: measure(TABLE, keys="key", target="x", permutations=10**9), "about 12 days"),
    ],
)
def test_too_much_is_refused_with_the_estimate(call, said):
    with pytest.raises(TooMuch, match=said):
        call()


def test_a_mix_of_very_many_messages_in_few_rounds_is_read():
    mix = threshold_mix(10**9, 10**6)
    assert mix.link_privacy == pytest.approx(1 - 1e-6)


@pytest.mark.parametrize(("permutations", "seed"), [(10, -1), (-1, 1)])
def test_shuffles_and_seeds_are_not_negative(permutations, seed):
    with pytest.raises(ParameterError, match="not -1"):
        measure(TABLE, keys="key", target="x", permutations=permutations, seed=seed)
