"""The attacker commands on what epsilon means, and on places under noise."""

from __future__ import annotations

from collections.abc import Callable

from divulge import documents
from divulge._support.wording import number
from divulge.cli.commands.attackers.accounts import (
    asked_estimate,
    deliver_account,
    deliver_figures,
    prior_of,
)
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import EpsilonRequest, LocationRequest
from divulge.documents.attacker import EpsilonDocument
from divulge.errors import ParameterError, not_among
from divulge.estimation.attackers.beliefs import map_of_beliefs
from divulge.estimation.attackers.epsilon import epsilon_for, error_left, errors_up_to
from divulge.estimation.channels.distance_files import distortion_of
from divulge.estimation.channels.memory import room_for_account
from divulge.estimation.scenarios.location import (
    Gaussian,
    Grid,
    Perturbation,
    PlanarLaplace,
    UniformDisc,
    perturbed,
)
from divulge.report.attacker.figure_wording import epsilon_verdict

CURVE = 5.0  # epsilon up to which the error is drawn at least


def run_epsilon(asked: EpsilonRequest) -> None:
    epsilon, error, most_likely = asked.epsilon, asked.error, asked.most_likely
    if (epsilon is None) == (error is None):
        raise ParameterError("Give either --epsilon or --error.", hint="The other one is computed from it.")
    if epsilon is None:
        assert error is not None
        epsilon = epsilon_for(error, most_likely)
    else:
        error = error_left(epsilon, most_likely)
    found = {
        "epsilon": epsilon,
        "error": error,
        "most_likely": most_likely,
        "curve": errors_up_to(max(2 * epsilon, CURVE), most_likely),
    }
    document: EpsilonDocument = documents.headed("epsilon", found)
    lines = [
        f"Before observing, guessing the most likely value is right {number(most_likely)} of the time.",
        epsilon_verdict(document),
    ]
    deliver_figures(document, lines, asked.report, asked.as_json)


def run_location(asked: LocationRequest) -> None:
    kinds: dict[str, Callable[[float], Perturbation]] = {
        "laplace": PlanarLaplace,
        "gaussian": Gaussian,
        "uniform": UniformDisc,
    }
    if asked.noise not in kinds:
        message, hint = not_among(asked.noise, list(kinds), "noise")
        raise ParameterError(message, hint=hint)
    grid = Grid(asked.columns, asked.rows, asked.spacing)
    room_for_account(asked.columns * asked.rows, asked.columns * asked.rows)
    with progress("Perturbing"):
        prior = None if asked.prior is None else prior_of(asked.prior, grid.points)
        channel = perturbed(grid, kinds[asked.noise](asked.noise_scale), prior=prior)
        distortion = distortion_of(asked.distortion, channel.inputs, hierarchy=asked.secret_hierarchy)
        document = asked_estimate(
            asked,
            channel,
            name=f"{asked.columns} by {asked.rows} places, {asked.noise} noise",
            secret="the true place",
            observed=["the reported place"],
            belief=map_of_beliefs(channel, asked.columns, distortion),
        )
    deliver_account(document, asked.report, asked.as_json)
