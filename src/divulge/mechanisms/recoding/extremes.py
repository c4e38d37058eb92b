"""Extreme numbers replaced: the largest (top coding), the smallest (bottom coding), or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import SMALL
from divulge._support.wording import number as in_digits
from divulge.mechanisms.mechanism import Step, recoding
from divulge.mechanisms.numbers import decimals, occurring_numbers, spelled_like
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition


@recoding(
    name="top_bottom_coding",
    title="Top and bottom coding",
    takes="numbers",
    parameters=(
        Parameter("top", "number", "Numbers above it are replaced (top coding).", None, example="90"),
        Parameter("bottom", "number", "Numbers below it are replaced (bottom coding).", None, example="18"),
        Parameter(
            "replacement",
            "choice",
            "What replaces them: the limit itself, a label such as '> 90', or the mean of those replaced.",
            "limit",
            choices=("limit", "label", "mean"),
        ),
    ),
    alone=lambda step: step["replacement"] != "mean",
    example="97 with top = 90: 90",
    reference="sondeck2017thesis",
)
def top_bottom_coding(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Replace numbers beyond a limit, which few people have: above it, below it, or both.

    Top coding is about the largest numbers, bottom coding about the smallest. With ``replacement = "mean"``
    the mean of the attribute stays as it was; the mean of few people is close to what each of them has.
    """
    top, bottom = step["top"], step["bottom"]
    if top is None and bottom is None:
        raise step.error(None, "top_bottom_coding needs top, bottom or both.", "Write top = 90.")
    if top is not None and bottom is not None and bottom > top:
        raise step.error("bottom", "the bottom lies above the top.", "Exchange the two.")
    places, numbers = occurring_numbers(values, counts, attribute, step)
    times = counts[1:][places]
    new: list[object] = [None, *values]
    sides: tuple[tuple[float | None, str, Callable[..., npt.NDArray[np.bool_]]], ...] = (
        (top, ">", np.greater),
        (bottom, "<", np.less),
    )
    for limit, sign, beyond in sides:
        if limit is None:
            continue
        replaced = beyond(numbers, limit)
        if not replaced.any():
            continue
        if step["replacement"] == "mean" and int(times[replaced].sum()) < SMALL:
            raise step.error(
                "replacement",
                f"fewer than {SMALL} records of '{attribute}' lie beyond a limit, and their mean is close to "
                "what each of them has.",
                'Write replacement = "limit", or move the limit.',
            )
        text = _replacement(limit, sign, numbers[replaced], times[replaced], values, step["replacement"])
        for place, changed in zip(places, replaced.tolist(), strict=True):
            if changed:
                new[place + 1] = text
    return Transition.relabelling(values, new)


def _replacement(
    limit: float,
    sign: str,
    numbers: npt.NDArray[np.float64],
    times: npt.NDArray[np.int64],
    values: Sequence[object],
    kind: str,
) -> object:
    if kind == "label":
        return f"{sign} {in_digits(limit)}"
    number = float(np.average(numbers, weights=times)) if kind == "mean" else float(limit)
    places = decimals([limit]) if kind == "limit" else max(decimals(values), 2)
    return spelled_like([number], values, places)[0]
