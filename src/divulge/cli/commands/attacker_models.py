"""The attacker commands on models: the best mechanism, what epsilon means, crowds, mixes and places."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from divulge import documents
from divulge._support.wording import aligned, number
from divulge.cli.commands.attacker import deliver_account, write_page
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import (
    CrowdsRequest,
    EpsilonRequest,
    LocationRequest,
    MixRequest,
    OptimizeRequest,
)
from divulge.documents import as_json as written
from divulge.documents.attacker import MechanismDocument, MixDocument
from divulge.errors import ParameterError, not_among
from divulge.estimation.attackers.account import account
from divulge.estimation.attackers.beliefs import every_belief, map_of_beliefs, one_belief
from divulge.estimation.attackers.epsilon import epsilon_for, error_left
from divulge.estimation.channels.channel_files import read_prior
from divulge.estimation.channels.memory import room_for_account
from divulge.estimation.mechanisms.optimal import OptimalMechanism, optimal_mechanism
from divulge.estimation.scenarios.crowds import Crowd
from divulge.estimation.scenarios.location import (
    Gaussian,
    Grid,
    Perturbation,
    PlanarLaplace,
    UniformDisc,
    perturbed,
)
from divulge.estimation.scenarios.mixes import pool_mix, threshold_mix

MESSAGES = "2.1 is the first message of round 2, 0.1 the first of the pool; inside: not sent yet."


def run_optimize(asked: OptimizeRequest) -> None:
    names, prior = read_prior(asked.prior)
    with progress("Optimizing"):
        found = optimal_mechanism(
            prior,
            loss=asked.loss,
            budget=asked.budget,
            privacy=asked.distortion,
            goal=cast("Any", asked.goal),  # known ones are checked where it is used
            inputs=names,
        )
    if asked.report is not None:
        name = (
            f"best mechanism for {Path(asked.prior).name}, goal {found.goal}, budget {number(found.budget)}"
        )
        write_page(account(found.channel, asked.distortion, loss=asked.loss, name=name), asked.report)
    if asked.as_json:
        sys.stdout.write(written(_told(found)))
        return
    reached = f"value {number(found.value)}, loss {number(found.loss)}"
    print(f"Goal {found.goal}, budget {number(found.budget)}: {reached}")
    price = "infinite" if math.isinf(found.price) else number(found.price)
    print(f"Price of the budget {price}; no mechanism is better by more than {found.gap:.1g}")
    print()
    rows = [
        [str(name), *(number(float(value)) for value in row)]
        for name, row in zip(found.channel.inputs, found.channel.matrix, strict=True)
    ]
    print(
        *aligned(["p(y|x)", *map(str, found.channel.outputs)], rows, right=range(1, len(rows[0]))), sep="\n"
    )
    if asked.report is not None:
        print(f"\nReport: {asked.report}")


def _told(found: OptimalMechanism) -> MechanismDocument:
    contents = {
        "goal": found.goal,
        "budget": found.budget,
        "value": found.value,
        "loss": found.loss,
        "price": None if math.isinf(found.price) else found.price,
        "gap": found.gap,
        "inputs": [str(name) for name in found.channel.inputs],
        "outputs": [str(name) for name in found.channel.outputs],
        "matrix": found.channel.matrix.tolist(),
    }
    return documents.headed("mechanism", contents)


def run_epsilon(asked: EpsilonRequest) -> None:
    epsilon, error, most_likely = asked.epsilon, asked.error, asked.most_likely
    if (epsilon is None) == (error is None):
        raise ParameterError("Give either --epsilon or --error.", hint="The other one is computed from it.")
    if epsilon is None:
        assert error is not None
        epsilon = epsilon_for(error, most_likely)
    else:
        error = error_left(epsilon, most_likely)
    if asked.as_json:
        found = {"epsilon": epsilon, "error": error, "most_likely": most_likely}
        sys.stdout.write(written(documents.headed("epsilon", found)))
        return
    print(f"Before observing, guessing the most likely value is right {number(most_likely)} of the time.")
    print(
        f"With epsilon = {number(epsilon)} a guess is wrong at least {number(error)} of the time, after any "
        "observation."
    )


def run_crowds(asked: CrowdsRequest) -> None:
    crowd = Crowd(asked.users, asked.submit)
    room_for_account(asked.users, asked.users)
    channel = crowd.channel()
    document = account(
        channel,
        name=f"a crowd of {asked.users}",
        secret="who started the message",
        observed=["who submits it"],
        belief=one_belief(channel, called="user"),
    )
    deliver_account(document, asked.report, asked.as_json)


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
        channel = perturbed(grid, kinds[asked.noise](asked.scale))
        name = f"{asked.columns} by {asked.rows} places, {asked.noise} noise"
        document = account(
            channel,
            "euclidean",
            name=name,
            secret="the true place",
            observed=["the reported place"],
            belief=map_of_beliefs(channel, asked.columns, "euclidean"),
        )
    deliver_account(document, asked.report, asked.as_json)


def run_mix(asked: MixRequest) -> None:
    messages, threshold, pool = asked.messages, asked.threshold, asked.pool
    if pool:
        if messages % threshold:
            raise ParameterError("With a pool the messages must fill whole rounds of the threshold.")
        found = pool_mix(messages // threshold, threshold, pool)
    else:
        found = threshold_mix(messages, threshold)
    if asked.report is not None:
        room_for_account(messages + pool, messages + pool)
        name = f"{messages} messages through a mix of threshold {threshold}"
        document = account(
            found.channel,
            name=f"{name}{_pool(pool)}",
            secret="its sender",
            observed=["when a message leaves"],
            belief=every_belief(found.channel, note=MESSAGES),
        )
        write_page(document, asked.report)
    contents = {
        "messages": messages,
        "threshold": threshold,
        "pool": pool,
        "entropy": found.entropy,
        "error": found.privacy,
        "link_error": found.link_privacy,
        "degree": found.degree,
    }
    figures: MixDocument = documents.headed("mix", contents)
    if asked.as_json:
        sys.stdout.write(written(figures))
        return
    print(f"{messages} messages through a mix of threshold {threshold}{_pool(pool)}")
    rows = [
        ["all correspondences together, bits", number(found.entropy)],
        ["all guessed at once, probability of a mistake", number(found.privacy)],
        ["one message guessed, probability of a mistake", number(found.link_privacy)],
        ["degree of anonymity (0 none, 1 full)", number(found.degree)],
    ]
    print(*aligned(["remaining uncertainty", ""], rows, right=(1,)), sep="\n")
    if asked.report is not None:
        print(f"\nReport: {asked.report}")


def _pool(pool: int) -> str:
    return f" and pool {pool}" if pool else ""
