"""What the attacker commands may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, argument, flag, option
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions

_COSTS = "hamming, squared, absolute, euclidean, hops, ontology, or a matrix of distances"
_distortion = partial(option, "NAME|FILE.csv", f"What a wrong estimate costs: {_COSTS}.", default="hamming")
_hierarchy = partial(option, "FILE", "Hierarchy of the secret's values, for hops and ontology.")
_prior = partial(option, "P.csv", "Prior: a name and a probability in each row. Default: all equal.")
_table = partial(option, "FILE", "Read a table instead, and take everything from its records.")
_attribute = partial(option, "A", "Attribute that is released.")
_renyi = partial(option, "A,B", "Also print the Rényi entropies of these orders, such as 0.5 or inf.")
_observed = partial(option, "A,B|FILE", "Observations in their order, or a file with one in each row.")


@dataclass(frozen=True, kw_only=True)
class AccountRequest:
    """What is asked about what an attacker believes after observing."""

    observations: int | None = option(
        "N", "Also print the error after up to N observations of the same secret.", min=1
    )
    confidence: float = option("P", "Probability of the attacker's short list.", 0.95)
    renyi: Names = _renyi()
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class AttackerEstimateRequest(AccountRequest):
    """The same, and how the attacker estimates."""

    distortion: str = _distortion()
    secret_hierarchy: str | None = _hierarchy()
    among_values: bool = flag("The estimate must be one of the values, also for squared distortion.")
    guesses: int = option("N", "Number of guesses; one right guess is enough.", 1, min=1)
    tolerance: float | None = option("D", "An estimate within this distance counts as right.")
    abstain: float | None = option("COST", "Cost for the attacker of not guessing.")
    believed_prior: str | None = option(
        "P.csv", "What an attacker gets wrong who believes this prior instead."
    )


@dataclass(frozen=True, kw_only=True)
class AttackerRequest(AttackerEstimateRequest, SpokenRequest):
    """Compute the attacker's remaining error.

    The attacker sees what a channel puts out, the keys of a table, or an attribute as a recipe releases it,
    and guesses what is unknown. Also how much leaks, with bounds.
    """

    channel: str | None = argument(
        "CHANNEL.csv", "Channel: a row for each secret, with its name, then p(y|x).", None
    )
    prior: str | None = _prior()
    file: str | None = _table()
    keys: Names = options.keys()
    target: Names = options.target(" Default: @record.")
    partitions: str | None = options.partitions()
    recipe: str | None = option(
        "FILE.toml", "Recipe that is applied to the original; the attacker sees what it makes of --attribute."
    )
    attribute: str | None = _attribute()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    source: SourceOptions = options.of_observed_records()


@dataclass(frozen=True, kw_only=True)
class SystemRequest(AttackerEstimateRequest):
    """Compute the error behind a system.

    The system is fed X', which is related to the secret X, and decides on Y'. The attacker sees Y, which
    depends on Y', and may have background knowledge of X.
    """

    joint: str = argument("JOINT.csv", "p(x, x'): a row for each secret, with its name; all add up to 1.")
    rule: str = argument("RULE.csv", "p(y'|x'): a row for each input of the system, with its name.")
    seen: str | None = option(
        "P.csv", "p(y|y'): what is seen of each decision. Default: the decision itself."
    )
    background: str | None = option("P.csv", "p(b|x): what else the attacker knows, a row for each secret.")


@dataclass(frozen=True, kw_only=True)
class TraceRequest:
    """Follow a secret that moves from step to step.

    The attacker sees one observation at each step, and knows how the secret moves (a hidden Markov model).
    """

    channel: str = argument("CHANNEL.csv", "Channel: a row for each state, with its name, then p(y|x).")
    moves: str = option("P.csv", "p(next|x): a row for each state, with its name.", REQUIRED)
    observed: str = _observed(default=REQUIRED)
    prior: str | None = _prior()
    distortion: str = _distortion()
    secret_hierarchy: str | None = _hierarchy()
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class TypicalRequest:
    """Count the sequences an attacker must consider.

    They are those whose surprise per place is within some bits of the entropy: few of all, and nearly certain
    to contain the true one.
    """

    prior: str | None = argument("PRIOR.csv", "Prior of each secret in a sequence of independent ones.", None)
    length: int | None = option("N", "Number of secrets in the sequence.", min=1)
    channel: str | None = option("CHANNEL.csv", "Instead of a prior: given what was observed through it.")
    observed: str | None = _observed()
    within: float = option("BITS", "How far the surprise per place may be from the entropy.", 0.1)
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class OptimizeRequest:
    """Find the best mechanism within a budget."""

    prior: str | None = argument("PRIOR.csv", "Prior: a name and a probability in each row.", None)
    joint: str | None = option(
        "JOINT.csv", "p(x, x'), a row for each secret, if the mechanism sees X' and not the secret X."
    )
    file: str | None = _table()
    attribute: str | None = _attribute()
    budget: float | None = option("D", "Expected loss allowed, or epsilon for the goal epsilon.")
    curve: bool = flag("Print the whole trade-off, from the smallest budget to the largest useful one.")
    goal: str = option("NAME", "What to keep private: average, worst, information or epsilon.", "average")
    user_loss: str = option("NAME|FILE.csv", f"What a wrong output costs its users: {_COSTS}.", "hamming")
    distortion: str = _distortion()
    secret_hierarchy: str | None = _hierarchy()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()
    source: SourceOptions = options.of_observed_records()


@dataclass(frozen=True, kw_only=True)
class EpsilonRequest:
    """Convert epsilon to an attacker's error, or back."""

    epsilon: float | None = option("E", "Give the error that this epsilon leaves.")
    error: float | None = option("P", "Give the epsilon that leaves at least this error.")
    most_likely: float = option("P", "Prior probability of the most likely value.", 0.5)
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class CrowdsRequest(AccountRequest):
    """Compute the server's error in a crowd of users.

    Users pass messages on to each other before one of them submits it (Crowds).
    """

    users: int = option("N", "Number of users.", REQUIRED, min=1)
    submit: float = option("P", "Probability that a user submits instead of passing on.", REQUIRED)
    corrupted: int = option(
        "N", "Users who work for the attacker. A message is then passed on at least once.", 0, min=0
    )


@dataclass(frozen=True, kw_only=True)
class MixRequest:
    """Compute how uncertain senders stay behind a mix.

    For a threshold mix, a pool mix, or one that sends at regular times.
    """

    messages: int | None = option("N", "Number of messages that come in.", min=1)
    batch: int | None = option("N", "Number of messages sent in a round.", min=1)
    times: str | None = option("T,T|FILE", "Instead of both: when each message comes in, in order.")
    period: float | None = option("D", "With --times: time between two rounds.")
    pool: int = option("N", "Number of messages kept back in each round.", 0, min=0)
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class DegreesRequest:
    """Compute degrees of anonymity.

    They say how well hidden a sender is if the attacker holds these probabilities for the users.
    """

    posterior: str | None = argument("POSTERIOR.csv", "A user and a probability in each row.", None)
    renyi: Names = _renyi()
    links: str | None = option(
        "LINKS.csv",
        "How likely each input of a mix became each output, or 1 where it is possible and 0 where not.",
    )
    report: str | None = options.report()
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class LocationRequest(AttackerEstimateRequest):
    """Compute the error that location noise leaves."""

    columns: int = option("N", "Columns of the grid.", 5, min=1)
    rows: int = option("N", "Rows of the grid.", 5, min=1)
    spacing: float = option("D", "Width of a cell.", 1.0)
    noise: str = option("NAME", "Noise: laplace, gaussian or uniform.", "laplace")
    noise_scale: float = option(
        "S", "Of laplace epsilon per distance, of gaussian the deviation, of uniform the radius.", 1.0
    )
    prior: str | None = option("P.csv", "Prior: a place such as 2;1 and a probability in each row.")
    distortion: str = _distortion(default="euclidean")
