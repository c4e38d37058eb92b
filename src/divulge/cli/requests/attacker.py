"""What the attacker commands may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, option
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions

_distortion = partial(option, "NAME", "What a wrong estimate costs: hamming, squared, absolute.", "hamming")


@dataclass(frozen=True, kw_only=True)
class AttackerRequest(SpokenRequest):
    """Compute the attacker's remaining error.

    The attacker sees what a channel puts out, the keys of a table, or an attribute as a recipe releases it,
    and guesses what is unknown. Also how much leaks, with bounds.
    """

    channel: str | None = argument(
        "CHANNEL.csv", "Channel: a row for each secret, with its name, then p(y|x).", None
    )
    prior: str | None = option("P.csv", "Prior: a name and a probability in each row. Default: all equal.")
    table: str | None = option("FILE", "Read a table instead of a channel, with --keys and --target.")
    keys: Names = option("A,B", "Attributes that the attacker sees.")
    target: str = option("X", "Attribute that the attacker looks for, or @record.", "@record")
    partitions: str | None = options.partitions()
    recipe: str | None = option(
        "FILE.toml", "With --table: the attacker sees what this recipe makes of --attribute."
    )
    attribute: str | None = option("A", "With --recipe: the attribute that the attacker looks for.")
    distortion: str = _distortion()
    guesses: int = option("N", "Number of guesses; one right guess is enough.", 1, min=1)
    tolerance: float | None = option("D", "An estimate within this distance counts as right.")
    abstain: float | None = option("COST", "Cost for the attacker of not guessing.")
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    report: str | None = options.report()
    as_json: bool = options.as_json()
    source: SourceOptions = options.of_observed_records()


@dataclass(frozen=True, kw_only=True)
class OptimizeRequest:
    """Find the best mechanism within a budget."""

    prior: str = argument("PRIOR.csv", "Prior: a name and a probability in each row.")
    budget: float = option("D", "Expected loss allowed, or epsilon for the goal epsilon.", REQUIRED)
    goal: str = option("NAME", "What to keep private: average, worst, information or epsilon.", "average")
    loss: str = option("NAME", "What a wrong output costs its users: hamming, squared, absolute.", "hamming")
    distortion: str = _distortion()
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class EpsilonRequest:
    """Convert epsilon to an attacker's error, or back."""

    epsilon: float | None = option("E", "Give the error that this epsilon leaves.")
    error: float | None = option("P", "Give the epsilon that leaves at least this error.")
    most_likely: float = option("P", "Prior probability of the most likely value.", 0.5)
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class CrowdsRequest:
    """Compute the server's error in a crowd of users.

    Users pass messages on to each other before one of them submits it (Crowds).
    """

    users: int = option("N", "Number of users.", REQUIRED, min=1)
    submit: float = option("P", "Probability that a user submits instead of passing on.", REQUIRED)
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class MixRequest:
    """Compute how uncertain senders stay behind a mix.

    For a threshold mix or a pool mix.
    """

    messages: int = option("N", "Number of messages that come in.", REQUIRED, min=1)
    threshold: int = option("N", "Number of messages sent in a round.", REQUIRED, min=1)
    pool: int = option("N", "Number of messages kept back in each round.", 0, min=0)
    report: str | None = options.report()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class LocationRequest:
    """Compute the error that location noise leaves."""

    columns: int = option("N", "Columns of the grid.", 5, min=1)
    rows: int = option("N", "Rows of the grid.", 5, min=1)
    spacing: float = option("D", "Width of a cell.", 1.0)
    noise: str = option("NAME", "Noise: laplace, gaussian or uniform.", "laplace")
    scale: float = option(
        "S", "Of laplace epsilon per distance, of gaussian the deviation, of uniform the radius.", 1.0
    )
    report: str | None = options.report()
    as_json: bool = options.as_json()
