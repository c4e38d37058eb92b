"""What an attacker still gets wrong, and the best mechanisms, on 10 to 1,000 letters against qif and dit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Result, compare, environment, made, run, save

Run = Callable[[], Any]
PEERS = ("qif==1.6.0", "dit==2.3")
#: Letters up to which a peer is asked; with 1,000 neither of these was waited for to the end.
LARGEST = {("dit", "information"): 100, ("qif", "capacity"): 100}
#: How near a peer has to come: dit stops where one step of its iteration changes little.
NEAR = {"capacity": 1e-3}


def write(letters: int, path: Path) -> None:
    rng = np.random.default_rng(letters)
    prior = rng.dirichlet(np.ones(letters))
    with path.open("wb") as file:
        np.savez(file, prior=prior, channel=rng.dirichlet(np.ones(letters), size=letters))


def loaded(path: str) -> tuple[Any, Any]:
    file = np.load(path)
    return file["prior"], file["channel"]


def often(letters: int, function: Run) -> Run:
    """The function as often as it takes to be measured, since a call on few letters takes microseconds."""
    times = max(1, 1000 // letters)

    def repeated() -> Any:
        for _ in range(times):
            answer = function()
        return answer

    return repeated


# -- contenders -----------------------------------------------------------------------------------


def divulge(path: str, what: str, limit: str = "") -> Run:
    from divulge.estimation.channels.channel import Channel
    from divulge.estimation.information.capacity import capacity
    from divulge.estimation.information.leakage import mutual_information
    from divulge.estimation.mechanisms.optimal import optimal_mechanism

    prior, matrix = loaded(path)
    letters = len(prior)
    if what == "privacy":
        return often(letters, lambda: Channel(prior, matrix).privacy("hamming").average)
    if what == "information":
        return often(letters, lambda: mutual_information(Channel(prior, matrix)))
    if what == "capacity":
        return lambda: capacity(matrix).value
    if what == "rate":
        find = partial(optimal_mechanism, prior, loss=spread(letters), goal="information")
        return lambda: found_rate(find(budget=float(limit)))
    if what == "epsilon":
        find = partial(optimal_mechanism, prior, loss="absolute", privacy="absolute", goal="epsilon")
        return lambda: find(budget=float(limit)).value
    return lambda: optimal_mechanism(prior, loss="absolute", budget=float(limit)).value


def qif(path: str, what: str, limit: str = "") -> Run:
    import qif as peer

    prior, matrix = loaded(path)
    letters = len(prior)
    if what == "privacy":
        return often(letters, lambda: float(peer.measure.bayes_risk.posterior(prior, matrix)))
    if what == "information":
        return often(letters, lambda: float(peer.measure.shannon.add_leakage(prior, matrix)))
    if what == "capacity":
        return lambda: float(peer.measure.shannon.add_capacity(matrix)[0])
    apart = peer.metric.euclidean(peer.uint)
    if what == "epsilon":
        distance = peer.metric.scale(apart, float(limit))

        def least() -> float:
            rule = peer.mechanism.d_privacy.min_loss_given_d(prior, letters, distance, apart)
            return float((prior[:, None] * rule * spread(letters) * letters).sum())

        return least

    def best() -> float:
        rule = peer.mechanism.bayes_risk.max_risk_given_max_loss(prior, letters, float(limit), apart)
        return float(peer.measure.bayes_risk.posterior(prior, rule))

    return best


def dit(path: str, what: str, limit: str = "") -> Run:
    import dit as peer
    from dit.algorithms import channel_capacity
    from dit.rate_distortion.blahut_arimoto import blahut_arimoto

    prior, matrix = loaded(path)
    letters = len(prior)
    if what == "rate":
        distances = spread(letters)

        def rate() -> list[float]:
            # One start is enough, since the problem is convex; dit would make a hundred.
            found = blahut_arimoto(prior, float(limit), lambda *_: distances, max_iters=10**4, restarts=1)[0]
            return [float(found.rate), float(found.distortion)]

        return rate
    if what == "capacity":
        return lambda: float(channel_capacity(matrix)[0])
    joint = peer.Distribution.from_ndarray(prior[:, None] * matrix)
    return often(letters, lambda: float(peer.shannon.mutual_information(joint, [0], [1])))


def spread(letters: int) -> Any:
    """Absolute distances of the letters, the largest about 1."""
    places = np.arange(letters)
    return np.abs(places[:, None] - places) / letters


def found_rate(mechanism: Any) -> list[float]:
    return [mechanism.value, mechanism.gap]


# -- the run --------------------------------------------------------------------------------------


def contest(path: Path, letters: int, what: str, peers: Sequence[str], limit: str = "") -> dict[str, Any]:
    """One question to all that answer it, which have to agree."""
    peers = [peer for peer in peers if letters <= LARGEST.get((peer, what), letters)]
    ours = run("channels", "divulge", path, what, limit)
    theirs = [
        run("channels", peer, path, what, limit, python=environment("qif_dit", *PEERS)) for peer in peers
    ]
    table = compare(f"{what}, {letters:,} letters", [ours, *theirs], "divulge")
    for result in theirs:
        agree(what, ours, result)
    return table


def agree(what: str, ours: Result, theirs: Result) -> None:
    apart = abs(ours.answer - theirs.answer)
    print(f"divulge finds {ours.answer:.12g}, {theirs.contender} {theirs.answer:.12g}")
    if not apart < NEAR.get(what, 1e-6) * max(1.0, abs(ours.answer)):
        raise SystemExit(f"{what}: {theirs.contender} finds another value")


def rate(path: Path, letters: int) -> dict[str, Any]:
    """dit is given a slope and finds a distortion, for which divulge finds the least rate."""
    theirs = run("channels", "dit", path, "rate", 10.0, python=environment("qif_dit", *PEERS))
    ours = run("channels", "divulge", path, "rate", theirs.answer[1])
    table = compare(f"rate-distortion, {letters:,} letters", [ours, theirs], "divulge")
    print(f"divulge finds {ours.answer[0]:.12g} within {ours.answer[1]:.1g}, dit {theirs.answer[0]:.12g}")
    if ours.answer[0] - ours.answer[1] > theirs.answer[0] + 1e-9:
        raise SystemExit("dit finds a lower rate than the least")
    return table


def main(full: bool = True) -> None:
    tables = []
    for letters in (10, 100, 1000) if full else (10,):
        path = made(f"channel_{letters}.npz", partial(write, letters))
        tables.append(contest(path, letters, "privacy", ["qif"]))
        tables.append(contest(path, letters, "information", ["qif", "dit"]))
        tables.append(contest(path, letters, "capacity", ["qif", "dit"]))
        tables.append(rate(path, letters))
    for letters in (10, 30) if full else (10,):
        path = made(f"channel_{letters}.npz", partial(write, letters))
        tables.append(contest(path, letters, "mechanism", ["qif"], str(letters / 10)))
        tables.append(contest(path, letters, "epsilon", ["qif"], "0.5"))
    save("channels", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
