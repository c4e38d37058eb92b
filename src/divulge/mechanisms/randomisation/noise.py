"""Numbers with noise added to them, or multiplied by it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from divulge.errors import Undefined
from divulge.mechanisms.algorithms.noise import (
    restored,
    with_correlated_noise,
    with_laplace_noise,
    with_multiplicative_noise,
    with_uncorrelated_noise,
)
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_table
from divulge.mechanisms.numbers import number_column, record_numbers
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_AVERAGES = frozenset({MechanismLaw.RECORDS, MechanismLaw.EXPECTED_VALUES})
_ALPHA = Parameter(
    "alpha", "number", "How strong the noise is.", least=0, open=True, example="0.1", secret=True
)
_DECIMALS = Parameter(
    "decimals",
    "whole number",
    "Decimals of the released numbers. Default: as many as before.",
    None,
    least=0,
    most=15,
)


_below_standard = np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)), otypes=[np.float64])


def _normal_below(numbers: Floats, times: Integers, edges: Floats, step: Step) -> Floats:
    """p(released < edge | number) under normal noise."""
    if step["correlated"] or step["restore"]:
        raise Undefined(
            f"step {step.number} ({step.mechanism.name}) moves attributes together, or back to their mean "
            "and variance, so that there is no p(released | true) for one attribute alone"
        )
    mean = float(np.average(numbers, weights=times))
    square = float((times * (numbers - mean) ** 2).sum() / max(1, times.sum() - 1))
    spread = step["alpha"] * math.sqrt(square)
    if spread == 0:
        return (numbers[:, None] < edges).astype(np.float64)
    return np.asarray(_below_standard((edges - numbers[:, None]) / spread))


def _lognormal_below(numbers: Floats, times: Integers, edges: Floats, step: Step) -> Floats:
    """p(released < edge | number) under multiplicative noise."""
    square = math.log1p(step["alpha"] ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (np.log(edges / numbers[:, None]) + square / 2) / math.sqrt(square)
        found = _below_standard(np.nan_to_num(z, nan=-math.inf))
    flat = np.where(numbers[:, None] < 0, 1 - found, found)
    beyond = np.where(numbers[:, None] > 0, edges > 0, edges >= 0)  # a factor is positive: signs stay
    below = np.where(numbers[:, None] < 0, np.where(edges < 0, flat, 1.0), np.where(beyond, flat, 0.0))
    return np.where(numbers[:, None] == 0, (edges > 0).astype(np.float64), below)


def _laplace_below(numbers: Floats, times: Integers, edges: Floats, step: Step) -> Floats:
    """p(released < edge | number) under Laplace noise."""
    z = (edges - numbers[:, None]) * step["epsilon"] / step["sensitivity"]
    return np.asarray(np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0))))


@by_table(
    name="noise",
    title="Additive noise",
    random=True,
    takes="numbers",
    parameters=(
        _ALPHA,
        Parameter(
            "correlated",
            "flag",
            "Noise with alpha times the covariance of the attributes, so that correlations stay; otherwise "
            "each attribute has noise of its own, with alpha times its standard deviation.",
            False,
        ),
        Parameter("restore", "flag", "Bring mean and variance back to what they were.", False),
        _DECIMALS,
    ),
    noise_below=_normal_below,
    laws=frozenset({MechanismLaw.RECORDS}),
    example="1,000 in a column of spread 200, alpha = 0.1: 1,000 and a normal number of spread 20",
    reference="brand2002",
)
def noise(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Add normal noise to numbers.

    Variances grow by a factor of 1 + alpha^2, or of 1 + alpha with correlated noise. ``restore`` undoes that
    by a linear transformation, which anyone who knows its two numbers can take back. Missing values stay.
    """
    if step["correlated"]:
        return _together(table, step, draws)

    def noisy(values: Floats, normals: Floats) -> Floats:
        found = with_uncorrelated_noise(values[:, None], normals[:, None], step["alpha"])
        return (restored(values[:, None], found) if step["restore"] else found)[:, 0]

    return _one_by_one(table, step, draws.normals, noisy)


@by_table(
    name="multiplicative_noise",
    title="Multiplicative noise",
    random=True,
    takes="numbers",
    parameters=(_ALPHA, _DECIMALS),
    noise_below=_lognormal_below,
    laws=_AVERAGES,
    example="1,000 with alpha = 0.1: 1,000 times a positive number with mean 1 and spread 0.1",
    reference="kimwinkler2003",
)
def multiplicative_noise(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Multiply numbers by positive noise with mean 1: large numbers move further, zeros and signs stay."""
    return _one_by_one(
        table,
        step,
        draws.normals,
        lambda values, drawn: with_multiplicative_noise(values, drawn, step["alpha"]),
    )


@by_table(
    name="laplace_noise",
    title="Laplace noise",
    random=True,
    takes="numbers",
    parameters=(
        Parameter(
            "sensitivity",
            "number",
            "By how much one person can change a number.",
            secret=True,
            least=0,
            open=True,
            example="1",
        ),
        Parameter(
            "epsilon",
            "number",
            "Noise has the scale sensitivity / epsilon.",
            secret=True,
            least=0,
            open=True,
            example="1",
        ),
        _DECIMALS,
    ),
    laws=_AVERAGES,
    noise_below=_laplace_below,
    promise="nothing: noise of floating-point numbers does not keep the promise of differential privacy",
    example="with sensitivity 1 and epsilon 0.5: noise of scale 2, whose standard deviation is 2.83",
    reference="dwork2006",
)
def laplace_noise(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Add Laplace noise of a stated scale to numbers.

    This is plain noise. Differential privacy is promised only by mechanisms whose noise comes from OpenDP.
    """
    scale = step["sensitivity"] / step["epsilon"]
    return _one_by_one(
        table, step, draws.uniforms, lambda values, drawn: with_laplace_noise(values, drawn, scale)
    )


def _one_by_one(
    table: WorkingTable,
    step: Step,
    draw: Callable[[str, npt.NDArray[np.int64]], Floats],
    noisy: Callable[[Floats, Floats], Floats],
) -> WorkingTable:
    """Each attribute with noise from a stream of its own."""
    columns = {}
    for name in step.attributes:
        column = table.column(name)
        numbers = record_numbers(column, name, step)
        present = ~np.isnan(numbers)
        with np.errstate(all="ignore"):
            numbers[present] = noisy(numbers[present], draw(name, table.draw_rows)[present])
        _refuse_infinite(numbers[present], step)
        columns[name] = number_column(numbers, column, step["decimals"])
    return table.with_columns(columns)


def _together(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """All attributes with noise that has their covariance."""
    names = step.attributes
    values = np.column_stack([record_numbers(table.column(name), name, step) for name in names])
    if np.isnan(values).any():
        raise step.error(
            "correlated",
            "correlated noise needs a number in every cell, and some are missing.",
            "Leave out correlated = true, or leave out records with missing values.",
        )
    normals = np.column_stack([draws.normals(name, table.draw_rows) for name in names])
    with np.errstate(all="ignore"):
        found = with_correlated_noise(values, normals, step["alpha"])
        found = restored(values, found) if step["restore"] else found
    _refuse_infinite(found, step)
    return table.with_columns(
        {
            name: number_column(found[:, place], table.column(name), step["decimals"])
            for place, name in enumerate(names)
        }
    )


def _refuse_infinite(numbers: Floats, step: Step) -> None:
    if not np.isfinite(numbers).all():
        raise step.error(None, "the noise makes numbers too large to be written.", "Take weaker noise.")
