"""The attacker command that finds the best mechanism: for a prior, a joint prior or a table's attribute."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy.typing as npt

from divulge import documents
from divulge._support.wording import aligned, number
from divulge.cli.commands.attackers.accounts import deliver_figures, write_page
from divulge.cli.outputs import number_or_dash
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import OptimizeRequest
from divulge.cli.tables import split
from divulge.cli.verbosity import opened
from divulge.documents.attacker import CurvePoint, MechanismDocument
from divulge.errors import ParameterError
from divulge.estimation.attackers.account import account
from divulge.estimation.channels.attribute_prior import attribute_prior
from divulge.estimation.channels.channel_files import read_matrix, read_prior
from divulge.estimation.channels.distance_files import HOPS, ONTOLOGY, distortion_of
from divulge.estimation.channels.distortion import Distortion
from divulge.estimation.channels.probabilities import settled
from divulge.estimation.channels.system import System
from divulge.estimation.mechanisms.optimal import OptimalMechanism, optimal_mechanism, tradeoff_curve
from divulge.questions.data import read
from divulge.report.attacker.figure_wording import VALUES
from divulge.source.options import OPTIONS

POINTS = 20
MOST_COLUMNS, LISTED = 8, 3  # outputs of a matrix that is printed whole, and of each input otherwise


@dataclass(frozen=True)
class _Setting:
    """What a mechanism is designed for, and what it is called."""

    name: str
    prior: npt.ArrayLike
    inputs: Sequence[str]
    secrets: Sequence[str] | None = None  # where the mechanism does not see the secret itself
    merged: int = 0
    named: bool = True  # whether the names may be said
    shows_values: bool = False  # whether they are then values of records


def run_optimize(asked: OptimizeRequest) -> None:
    if asked.budget is None and not asked.curve:
        raise ParameterError("Give --budget, or --curve for every budget.")
    setting = _setting(asked)
    chosen: dict[str, Any] = {
        "loss": _distance(asked.user_loss, setting.inputs, asked),
        "privacy": _distance(asked.distortion, _judged(setting, asked), asked),
        "goal": cast("Any", asked.goal),  # known ones are checked where it is used
        "inputs": setting.inputs,
        "secrets": setting.secrets,
    }
    with progress("Optimizing"):
        best = (
            None if asked.budget is None else optimal_mechanism(setting.prior, budget=asked.budget, **chosen)
        )
        points = _points(setting, chosen) if asked.curve else None
    document = _document(setting, asked.goal, best, points)
    if best is None or asked.report is None:
        deliver_figures(document, _lines(document), asked.report, asked.as_json)
        return
    _write_report(asked.report, setting, chosen, best, points)
    deliver_figures(document, [*_lines(document), "", f"Report: {asked.report}"], None, asked.as_json)


def _setting(asked: OptimizeRequest) -> _Setting:
    given = [one for one in (asked.prior, asked.joint, asked.file) if one is not None]
    if len(given) != 1:
        raise ParameterError(
            "Give one of PRIOR.csv, --joint and --file.",
            hint="Write divulge attacker optimize PRIOR.csv --budget D.",
        )
    if asked.file is None:
        idle = ["--attribute"] if asked.attribute is not None else []
        idle += [OPTIONS[name].flag for name in asked.source.given()]
        if idle:
            raise ParameterError(f"{', '.join(idle)} cannot be given without --file.")
    if asked.prior is not None:
        names, prior = read_prior(asked.prior)
        return _Setting(Path(asked.prior).name, prior, names)
    if asked.joint is not None:
        secrets, inputs, cells = read_matrix(asked.joint, "joint prior")
        return _Setting(Path(asked.joint).name, cells, inputs, secrets)
    data = opened(read(asked.file, **asked.source.given()))
    if asked.attribute is None:
        raise ParameterError("--file needs --attribute.", hint="Name what is released: --attribute A.")
    (attribute,) = split([asked.attribute], data.schema.attributes)
    found = attribute_prior(data, attribute)
    if found.merged and {asked.user_loss, asked.distortion} != {"hamming"}:
        raise ParameterError(
            "Values of fewer than 5 records are taken together, and then have no distance from others.",
            hint="Use hamming, group the values first, or allow small counts with --exact-counts.",
        )
    name = f"{attribute} in {data.source.name}"
    shown = asked.show_values
    return _Setting(name, found.prior, found.names, merged=found.merged, named=shown, shows_values=shown)


def _judged(setting: _Setting, asked: OptimizeRequest) -> Sequence[str]:
    """Between which values the attacker's distance is: inputs for epsilon, otherwise secrets."""
    return setting.inputs if setting.secrets is None or asked.goal == "epsilon" else setting.secrets


def _distance(given: str, letters: Sequence[str], asked: OptimizeRequest) -> Distortion:
    steps = (HOPS, ONTOLOGY)
    if asked.secret_hierarchy is not None and not {asked.user_loss, asked.distortion} & {*steps}:
        raise ParameterError("--secret-hierarchy is used by hops and ontology only.", hint="Leave it out.")
    return distortion_of(given, letters, hierarchy=asked.secret_hierarchy if given in steps else None)


def _points(setting: _Setting, chosen: dict[str, Any]) -> list[CurvePoint]:
    found = tradeoff_curve(setting.prior, points=POINTS, **chosen)
    return [
        {
            "loss": one.budget if one.goal == "epsilon" else one.loss,
            "value": one.value,
            "price": _finite(one.price),
        }
        for one in found
    ]


def _write_report(
    report: str,
    setting: _Setting,
    chosen: dict[str, Any],
    best: OptimalMechanism,
    points: list[CurvePoint] | None,
) -> None:
    """The page of what the mechanism leaves the attacker, with the curve where it was asked for."""
    name = f"best mechanism for {setting.name}, goal {best.goal}, budget {number(best.budget)}"
    channel = best.channel
    if setting.secrets is not None:
        channel = System(
            setting.prior,
            best.channel.matrix,
            unknowns=setting.secrets,
            inputs=best.channel.inputs,
            decisions=best.channel.outputs,
        ).channel
    document = account(
        channel,
        chosen["privacy"] if best.goal != "epsilon" else "hamming",
        loss=chosen["loss"],
        name=name,
        curve=points,
        goal="average" if points is None else best.goal,
        system_loss=best.loss,
        show_values=setting.named,
    )
    write_page(document, report, shows_values=setting.shows_values)


def _document(
    setting: _Setting, goal: str, best: OptimalMechanism | None, points: list[CurvePoint] | None
) -> MechanismDocument:
    hidden = {name: f"value {place}" for place, name in enumerate(setting.inputs, 1)}
    said = {} if setting.named else hidden
    contents = {
        "source": setting.name,
        "shows_values": setting.shows_values,
        "goal": goal,
        "budget": best and best.budget,
        "value": best and best.value,
        "loss": best and best.loss,
        "price": best and _finite(best.price),
        "gap": best and settled(best.gap),
        "inputs": [said.get(name, name) for name in setting.inputs],
        "outputs": [said.get(str(name), str(name)) for name in best.channel.outputs] if best else [],
        "matrix": best.channel.matrix.tolist() if best else [],
        "merged": setting.merged,
        "curve": points,
    }
    found: MechanismDocument = documents.headed("mechanism", contents)
    return found


def _finite(value: float) -> float | None:
    return None if math.isinf(value) else value


def _lines(found: MechanismDocument) -> list[str]:
    lines = []
    if found["merged"]:
        lines.append("Values of fewer than 5 records are taken together; --exact-counts keeps them apart.")
    if found["matrix"]:
        lines += _mechanism(found)
    if found["curve"] is not None:
        across = "epsilon" if found["goal"] == "epsilon" else "loss"
        rows = [[number(one["loss"]), number(one["value"]), _price(one["price"])] for one in found["curve"]]
        lines += [""] * bool(lines) + aligned([across, VALUES[found["goal"]], "price"], rows, right=range(3))
    return lines


def _mechanism(found: MechanismDocument) -> list[str]:
    budget, value, loss, gap = (number_or_dash(found[name]) for name in ("budget", "value", "loss", "gap"))
    return [
        f"Goal {found['goal']}, budget {budget}: value {value}, loss {loss}",
        f"Price of the budget {_price(found['price'])}; no mechanism is better by more than {gap}",
        "",
        *(_matrix(found) if len(found["outputs"]) <= MOST_COLUMNS else _likeliest(found)),
    ]


def _matrix(found: MechanismDocument) -> list[str]:
    rows = [
        [name, *(number(float(one)) for one in row)]
        for name, row in zip(found["inputs"], found["matrix"], strict=True)
    ]
    return aligned(["p(y|x)", *found["outputs"]], rows, right=range(1, len(rows[0])))


def _likeliest(found: MechanismDocument) -> list[str]:
    """What each input is most often shown as, where all outputs would not fit."""
    rows = []
    for name, row in zip(found["inputs"], found["matrix"], strict=True):
        pairs = sorted(zip(row, found["outputs"], strict=True), key=lambda pair: -pair[0])
        rows.append([name, ", ".join(f"{output} {number(one)}" for one, output in pairs[:LISTED] if one > 0)])
    return [*aligned(["input", f"p(y|x), the {LISTED} most likely outputs"], rows), "  All are in --json."]


def _price(price: float | None) -> str:
    return "infinite" if price is None else number(price)
