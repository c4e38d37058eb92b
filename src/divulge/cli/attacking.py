"""The attacker commands at work: from files to numbers to a page or JSON."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from divulge import documents
from divulge.cli.progress import progress
from divulge.cli.reading import split
from divulge.counts import RECORD
from divulge.data import read
from divulge.documents.attacker import AttackerDocument, BoundEntry, MechanismDocument, MixDocument
from divulge.errors import ParameterError, counted, suggestion
from divulge.estimation.account import account
from divulge.estimation.channel import Channel
from divulge.estimation.epsilon import epsilon_for, error_left
from divulge.estimation.optimal import Mechanism, optimal_mechanism
from divulge.estimation.reading import read_prior
from divulge.estimation.room import room_for_account
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
from divulge.question import Question
from divulge.report.attacker import page
from divulge.report.attacker_samples import sampled
from divulge.report.saving import as_json as written
from divulge.report.writing import write
from divulge.wording import aligned, many, number

MOST_LINES = 10


@dataclass(frozen=True)
class Reading:
    """What was asked of a channel or a table."""

    channel: str | None
    prior: str | None
    table: str | None
    keys: Sequence[str] | None
    target: str
    distortion: str
    guesses: int
    tolerance: float | None
    abstain: float | None
    show_values: bool
    report: str | None
    as_json: bool
    exact_counts: bool = False


@dataclass(frozen=True)
class Wanted:
    """What was asked of the best mechanism."""

    prior: str
    budget: float
    goal: Any
    loss: str
    distortion: str
    as_json: bool


def run_read(asked: Reading) -> None:
    with progress("Reading"):
        channel, name, counts, records = _channel(asked)
        document = account(
            channel,
            asked.distortion,
            name=name,
            show_values=asked.show_values or asked.table is None,
            guesses=asked.guesses,
            tolerance=asked.tolerance,
            abstain=asked.abstain,
            counts=counts,
            records=records,
        )
    of_records = asked.table is not None and asked.show_values  # the letters of a channel are no records
    _deliver(document, asked.report, asked.as_json, shows_values=of_records)


def _channel(asked: Reading) -> tuple[Channel, str, npt.NDArray[Any] | None, int | None]:
    """The channel, what to call it, and the cells and records it was counted from where it was."""
    if (asked.channel is None) == (asked.table is None):
        raise ParameterError(
            "Give either a channel or --table.",
            hint="divulge attacker CHANNEL.csv, or divulge attacker --table FILE --keys A,B --target X.",
        )
    if asked.channel is not None:
        return Channel.read(asked.channel, asked.prior), Path(asked.channel).name, None, None
    if asked.prior is not None:
        raise ParameterError("--prior goes with a channel; a table has its own.")
    data = read(asked.table)
    names = (*data.schema.attributes, RECORD)
    keys = split(asked.keys, data.schema.attributes)
    if not keys:
        raise ParameterError("No keys were given.", hint="Name what the attacker observes: --keys A,B.")
    (target,) = split([asked.target], names)
    counts = Question(data, keys, (target,)).classes
    cells = None if counts.cells is None else counts.matrix().T
    name = f"{target} by {', '.join(keys)} in {data.source.name}"
    return Channel.of_counts(counts), name, cells, counts.records


def _page(document: AttackerDocument) -> list[str]:
    privacy, entropies = document["privacy"], document["entropies"]
    lines = [
        f"{document['source']}: {counted(document['inputs'], 'secret')}, "
        f"{counted(document['outputs'], 'observation')}",
        f"The attacker's error, by {document['distortion']} distortion (lower is riskier), in: "
        f"{document['error_unit']}",
        "",
        *aligned(
            ["before observing", "worst", "average", "best", "reduction"],
            [[number(privacy[name]) for name in ("prior", "worst", "average", "best", "reduction")]],
            right=range(5),
        ),
        "",
        *aligned(
            ["entropy, bits", "before", "after"],
            [[one["name"], number(one["prior"]), number(one["posterior"])] for one in entropies],
            right=(1, 2),
        ),
        "",
        *aligned(
            ["leakage", "gained", "unit", "times"],
            [
                [one["name"], _number(one["additive"]), one["unit"], _number(one["multiplicative"])]
                for one in document["leakage"]
            ],
            right=(1, 3),
        ),
        f"Maximal leakage: {number(document['maximal_leakage'])} bits",
        *sampled(document),
    ]
    if document["capacity"] is not None:
        found = document["capacity"]
        lines.append(f"Capacity: {number(found['value'])} bits, at most {found['gap']:.1g} more")
    lines.append(f"Epsilon: {_number(document['epsilon'])}{'' if document['epsilon'] is None else ' nats'}")
    lines += ["", *(_bound(one) for one in document["bounds"]), ""]
    rows = [
        [one["label"], _said(one["probability"]), _said(one["privacy"]), one["estimate"] or "-"]
        for one in document["observations"][:MOST_LINES]
    ]
    lines += aligned(["observation", "probability", "error left", "estimate"], rows, right=(1, 2))
    more = len(document["observations"]) - len(rows)
    return lines + ([f"  ... and {many(more)} more, with --json"] if more else [])


def _said(value: float | None) -> str:
    return "-" if value is None else number(value)


def _bound(one: BoundEntry) -> str:
    said = "holds" if one["holds"] else "does not hold"
    return f"{one['name']}: {_number(one['left'])} <= {_number(one['right'])} {one['unit']}, {said}"


def run_optimize(asked: Wanted) -> None:
    names, prior = read_prior(asked.prior)
    with progress("Optimizing"):
        found = optimal_mechanism(
            prior,
            loss=asked.loss,
            budget=asked.budget,
            privacy=asked.distortion,
            goal=asked.goal,
            inputs=names,
        )
    if asked.as_json:
        sys.stdout.write(written(_told(found)))
        return
    reached = f"value {number(found.value)}, loss {number(found.loss)}"
    print(f"Goal {found.goal}, budget {number(found.budget)}: {reached}")
    price = "infinite" if math.isinf(found.price) else number(found.price)
    print(f"Price of the budget {price}; no rule is better by more than {found.gap:.1g}")
    print()
    rows = [
        [str(name), *(number(float(value)) for value in row)]
        for name, row in zip(found.channel.inputs, found.channel.matrix, strict=True)
    ]
    print(
        *aligned(["p(y|x)", *map(str, found.channel.outputs)], rows, right=range(1, len(rows[0]))), sep="\n"
    )


def _told(found: Mechanism) -> MechanismDocument:
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


def run_epsilon(epsilon: float | None, error: float | None, most_likely: float, as_json: bool) -> None:
    if (epsilon is None) == (error is None):
        raise ParameterError("Give either --epsilon or --error.", hint="The other one is worked out.")
    if epsilon is None:
        assert error is not None
        epsilon = epsilon_for(error, most_likely)
    else:
        error = error_left(epsilon, most_likely)
    if as_json:
        found = {"epsilon": epsilon, "error": error, "most_likely": most_likely}
        sys.stdout.write(written(documents.headed("epsilon", found)))
        return
    print(f"Before observing, the likeliest value is right {number(most_likely)} of the time.")
    print(
        f"With epsilon = {number(epsilon)} a guess is wrong at least {number(error)} of the time, after any "
        "observation."
    )


@dataclass(frozen=True)
class Places:
    """What was asked of a grid of places."""

    columns: int
    rows: int
    spacing: float
    noise: str
    scale: float
    report: str | None
    as_json: bool


def run_crowds(users: int, submit: float, report: str | None, as_json: bool) -> None:
    crowd = Crowd(users, submit)
    room_for_account(users, users)
    channel = crowd.channel()
    _deliver(account(channel, name=f"a crowd of {users}"), report, as_json)


def run_location(asked: Places) -> None:
    kinds: dict[str, Callable[[float], Perturbation]] = {
        "laplace": PlanarLaplace,
        "gaussian": Gaussian,
        "uniform": UniformDisc,
    }
    if asked.noise not in kinds:
        hint = suggestion(asked.noise, kinds) or f"Choose {', '.join(kinds)}."
        raise ParameterError(f"No noise is called '{asked.noise}'.", hint=hint)
    grid = Grid(asked.columns, asked.rows, asked.spacing)
    room_for_account(asked.columns * asked.rows, asked.columns * asked.rows)
    with progress("Perturbing"):
        channel = perturbed(grid, kinds[asked.noise](asked.scale))
        name = f"{asked.columns} by {asked.rows} places, {asked.noise} noise"
        document = account(channel, "euclidean", name=name)
    _deliver(document, asked.report, asked.as_json)


def run_mix(messages: int, threshold: int, pool: int, as_json: bool) -> None:
    if pool:
        if messages % threshold:
            raise ParameterError("With a pool the messages must fill whole rounds of the threshold.")
        found = pool_mix(messages // threshold, threshold, pool)
    else:
        found = threshold_mix(messages, threshold)
    contents = {
        "messages": messages,
        "threshold": threshold,
        "pool": pool,
        "entropy": found.entropy,
        "error": found.privacy,
        "link_error": found.link_privacy,
        "degree": found.degree,
    }
    document: MixDocument = documents.headed("mix", contents)
    if as_json:
        sys.stdout.write(written(document))
        return
    print(f"{messages} messages through a mix of threshold {threshold}{f' and pool {pool}' if pool else ''}")
    rows = [
        ["all correspondences together, bits", number(found.entropy)],
        ["all guessed at once, probability of a mistake", number(found.privacy)],
        ["one message guessed, probability of a mistake", number(found.link_privacy)],
        ["degree of anonymity (0 none, 1 full)", number(found.degree)],
    ]
    print(*aligned(["what is left", ""], rows, right=(1,)), sep="\n")


def _deliver(
    found: AttackerDocument, report: str | None, as_json: bool, *, shows_values: bool = False
) -> None:
    document: AttackerDocument = {**found, "shows_values": shows_values}
    if report is not None:
        write(Path(report), page(document))
    lines = _page(document) + ([] if report is None else ["", f"Report: {report}"])
    sys.stdout.write(written(document) if as_json else "\n".join(lines) + "\n")


def _number(value: float | None) -> str:
    return "infinite" if value is None else number(value)
