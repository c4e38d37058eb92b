"""The attacker command on a system: what it is fed, what it decides, what is seen, and background."""

from __future__ import annotations

from pathlib import Path

from divulge.cli.commands.attackers.accounts import asked_estimate, deliver_account
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import SystemRequest
from divulge.errors import ParameterError
from divulge.estimation.channels.distance_files import distortion_of
from divulge.estimation.channels.system import System


def run_system(asked: SystemRequest) -> None:
    system = System.read(asked.joint, asked.rule, asked.seen, asked.background)
    observed = ["what is seen of the decision"] + ["the background"] * (asked.background is not None)
    with progress("Reading"):
        document = asked_estimate(
            asked,
            system.channel,
            name=f"a system of {Path(asked.joint).name} and {Path(asked.rule).name}",
            observed=observed,
            system_loss=_loss(system, asked),
        )
    deliver_account(document, asked.report, asked.as_json)


def _loss(system: System, asked: SystemRequest) -> float | None:
    """How far decisions are from what the system is fed; None where the distortion cannot say."""
    if not set(system.decisions) <= set(system.inputs):
        return None
    try:
        return system.distortion(
            distortion_of(asked.distortion, system.inputs, hierarchy=asked.secret_hierarchy)
        )
    except ParameterError:  # a distance between secrets, which the inputs are not
        return None
