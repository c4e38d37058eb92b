"""What the attacker commands may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, option
from divulge.source.options import SourceOptions

_distortion = partial(option, "NAME", "What a wrong estimate costs: hamming, squared, absolute.", "hamming")


@dataclass(frozen=True, kw_only=True)
class AttackerRequest:
    """Compute what an attacker who sees the outputs still gets wrong.

    Also what leaks, and its bounds.
    """

    channel: str | None = argument("[CHANNEL.csv]", "A row for each secret: its name, then p(y|x).", None)
    prior: str | None = option("P.csv", "A name and a probability in each row. Default: equal.")
    table: str | None = option("FILE", "Instead of a channel: a table, with --keys and --target.")
    keys: Names = option("A,B", "What is observed.")
    target: str = option("X", "What is unknown: an attribute, or @record.", "@record")
    partitions: str | None = options.partitions()
    distortion: str = _distortion()
    guesses: int = option("N", "Guesses, of which one may be right.", 1, min=1)
    tolerance: float | None = option("D", "An estimate this near counts as right.")
    abstain: float | None = option("COST", "What it costs the attacker not to guess.")
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    report: str | None = options.report()
    as_json: bool = options.as_json()
    source: SourceOptions = options.of_observed_records()


@dataclass(frozen=True, kw_only=True)
class OptimizeRequest:
    """Find the best mechanism within a budget, with its price and gap."""

    prior: str = argument("PRIOR.csv", "A name and a probability in each row.")
    budget: float = option("D", "Expected loss allowed; for goal epsilon, epsilon.", REQUIRED)
    goal: str = option("NAME", "average, worst, information or epsilon.", "average")
    loss: str = option("NAME", "The system's: hamming, squared, absolute.", "hamming")
    distortion: str = _distortion()
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class EpsilonRequest:
    """Translate epsilon into the error of an attacker who guesses, or back."""

    epsilon: float | None = option("E", "What does this epsilon leave the attacker to get wrong?")
    error: float | None = option("P", "Which epsilon leaves at least this error?")
    most_likely: float = option("P", "Prior probability of the likeliest value.", 0.5)
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class CrowdsRequest:
    """Compute the error left to a server where users hand messages on."""

    users: int = option("N", "Users of the crowd.", REQUIRED, min=1)
    submit: float = option("P", "Probability to submit instead of handing on.", REQUIRED)
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class MixRequest:
    """Compute how uncertain a threshold or pool mix leaves who sent what."""

    messages: int = option("N", "Messages that come in.", REQUIRED, min=1)
    threshold: int = option("N", "Messages sent in a round.", REQUIRED, min=1)
    pool: int = option("N", "Messages kept back each round.", 0, min=0)
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class LocationRequest:
    """Compute the error left on a grid of places that are perturbed."""

    columns: int = option("N", "Cells of the grid, across.", 5, min=1)
    rows: int = option("N", "Cells of the grid, up.", 5, min=1)
    spacing: float = option("D", "Width of a cell.", 1.0)
    noise: str = option("NAME", "laplace, gaussian or uniform.", "laplace")
    scale: float = option("S", "Epsilon per distance, deviation, or radius.", 1.0)
    report: str | None = options.report()
    as_json: bool = options.as_json()
