import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.distortion import EUCLIDEAN
from divulge.estimation.information.leakage import mutual_information
from divulge.estimation.scenarios.location import (
    Gaussian,
    GaussianPlace,
    Grid,
    PlanarLaplace,
    UniformDisc,
    perturbed,
)
from estimation.channels import epsilon_of

NOISES = [Gaussian(0.8), PlanarLaplace(1.3), UniformDisc(1.7)]


def drawn(noise, size, random):
    """Noise as it is usually drawn: a direction and a distance."""
    angle = random.uniform(0, 2 * math.pi, size)
    if isinstance(noise, Gaussian):
        return random.normal(0, noise.deviation, (size, 2))
    if isinstance(noise, PlanarLaplace):
        distance = random.gamma(2, 1 / noise.epsilon, size)
    else:
        distance = noise.radius * np.sqrt(random.random(size))
    return distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
def test_cells_are_hit_as_often_as_in_a_simulation(noise):
    grid, place, size = Grid(4, 3, spacing=0.9, origin=(-1.0, 0.2)), (0.3, 0.7), 40_000
    found = np.array(place) + drawn(noise, size, np.random.default_rng(3))
    nearest = np.argmin(((found[:, None] - np.array(grid.points)) ** 2).sum(axis=2), axis=1)
    shares = np.bincount(nearest, minlength=12) / size
    assert shares == pytest.approx(perturbed(grid, noise, places=[place]).matrix[0], abs=0.008)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
def test_wide_fine_grids_show_how_far_noise_moves_a_place(noise):
    grid = Grid(161, 161, spacing=0.1, origin=(-8.0, -8.0))
    moved = perturbed(grid, noise, places=[(0.0, 0.0)]).distortion("euclidean")
    expected = {
        Gaussian: 0.8 * math.sqrt(math.pi / 2),
        PlanarLaplace: 2 / 1.3,
        UniformDisc: 2 / 3 * 1.7,
    }
    assert moved == pytest.approx(expected[type(noise)], rel=3e-3)


@given(st.floats(0.05, 4), st.integers(2, 7), st.integers(1, 6), st.floats(0.2, 3))
def test_planar_laplace_keeps_its_epsilon_on_any_grid(epsilon, columns, rows, spacing):
    channel = perturbed(Grid(columns, rows, spacing), PlanarLaplace(epsilon))
    assert epsilon_of(channel.matrix, EUCLIDEAN.matrix(channel.inputs, channel.inputs)) <= epsilon * (
        1 + 1e-9
    )


def test_planar_laplace_uses_nearly_all_of_its_epsilon_far_away():
    grid = Grid(400, 1, spacing=1.0)
    channel = perturbed(grid, PlanarLaplace(1.0), places=[(0.0, 0.0), (1.0, 0.0)])
    ratio = np.log(channel.matrix[1] / channel.matrix[0])
    # On a line the rest of the plane is summed over, which adds a factor that falls off with the distance.
    assert np.all(np.diff(ratio[2:]) > -1e-9)
    assert 0.998 < ratio[-1] <= 1.0


def test_planar_laplace_noise_has_the_density_it_should_have():
    grid = Grid(401, 401, spacing=0.05, origin=(-10.0, -10.0))
    masses = perturbed(grid, PlanarLaplace(2.0), places=[(0.0, 0.0)]).matrix[0].reshape(401, 401)
    for column, row in [(220, 200), (240, 230), (300, 100), (380, 380)]:
        distance = 0.05 * math.hypot(column - 200, row - 200)
        density = 2.0**2 / (2 * math.pi) * math.exp(-2.0 * distance)
        assert masses[column, row] / 0.05**2 == pytest.approx(density, rel=2e-3)


def test_the_disc_reaches_no_cell_beyond_its_radius():
    channel = perturbed(Grid(9, 1), UniformDisc(1.2), places=[(4.0, 0.0)])
    assert np.flatnonzero(channel.matrix[0] > 0).tolist() == [3, 4, 5]


def test_cells_at_the_corners_of_a_disc_have_no_mass_where_it_does_not_reach():
    grid = Grid(41, 41, spacing=0.07, origin=(-1.4, -1.4))
    masses = perturbed(grid, UniformDisc(1.0), places=[(0.0, 0.0)]).matrix[0]
    nearest = np.linalg.norm(np.maximum(np.abs(grid.points) - 0.035, 0), axis=1)
    assert not masses[nearest > 1].any()
    assert masses[nearest < 0.999].all()


def test_two_places_under_normal_noise_by_hand():
    # The middle between places 2 apart is one standard deviation away: Phi(-1) of the mass is beyond it.
    privacy = perturbed(Grid(2, 1, spacing=2.0), Gaussian(1.0)).privacy("euclidean")
    assert privacy.average == pytest.approx(2 * 0.15865525393145707)
    assert privacy.estimates == ((0.0, 0.0), (2.0, 0.0))


@pytest.mark.parametrize("make", [Gaussian, UniformDisc, lambda size: PlanarLaplace(1 / size)])
def test_more_noise_leaves_the_attacker_further_off(make):
    grid = Grid(5, 5)
    errors = [perturbed(grid, make(size)).privacy("euclidean").average for size in (0.3, 1.0, 3.0)]
    assert errors == sorted(errors)
    assert errors[0] < errors[-1]


def test_a_fine_line_of_places_comes_close_to_the_normal_closed_forms():
    line = Grid(241, 1, spacing=0.1, origin=(-12.0, 0.0))
    x = np.array(line.points)[:, 0]
    prior = np.exp(-(x**2) / 8)
    channel = perturbed(line, Gaussian(1.0), prior=prior / prior.sum())
    closed = GaussianPlace(prior_variance=4.0, noise_variance=1.0, dimensions=1)
    assert channel.privacy("squared").average == pytest.approx(closed.privacy, rel=1e-3)
    assert mutual_information(channel) == pytest.approx(closed.mutual_information, rel=1e-3)
    seen = channel.outputs.index(line.points[140])
    assert channel.privacy("squared").estimates[seen][0] == pytest.approx(closed.weight * x[140], rel=1e-3)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Grid(0, 3), "number of columns must be a whole number of at least 1"),
        (lambda: Grid(3, 3, spacing=0.0), "spacing must be a finite number above 0"),
        (lambda: PlanarLaplace(-1.0), "Epsilon must be a finite number above 0"),
        (lambda: Gaussian(math.inf), "standard deviation must be a finite number"),
        (lambda: UniformDisc(math.nan), "radius must be a finite number"),
        (lambda: perturbed(Grid(2, 2), Gaussian(1.0), places=[(1.0, 2.0, 3.0)]), "has 2 coordinates"),
        (lambda: perturbed(Grid(2, 2), Gaussian(1.0), prior=[0.5, 0.6]), "adds up to 1.1"),
        (lambda: GaussianPlace(1.0, 0.0), "variance of the noise"),
    ],
)
def test_a_location_that_cannot_be_is_refused(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()
