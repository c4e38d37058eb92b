"""What log-linear models say of how many people are unique, with how well each fits."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.errors import Undefined
from divulge.uniques import loglinear
from divulge.uniques.population_models import ModelEstimate, of_everyone
from divulge.uniques.sample import NOT_HERE, Sample, SizedSample

LOGLINEAR = {"loglinear_main_effects": loglinear.main_effects, "loglinear_two_way": loglinear.two_way}
ALL_ALIKE = "all records are alike, and the model repeats the table"
FITS = {
    "fits": "The model fits.",
    "underfit": "The model has too few terms and overstates.",
    "overfit": "The model has too many terms and understates.",
}


def loglinear_estimates(sample: Sample, fraction: float, chosen: Sequence[str] | None) -> list[ModelEstimate]:
    """Log-linear models with what B says of each."""
    wanted = [name for name in LOGLINEAR if chosen is None or name in chosen]
    if fraction >= 1:
        return [of_everyone(name, sample.size_counts(sample.units).of_size(1)) for name in wanted]
    if isinstance(sample, SizedSample):
        return [ModelEstimate(name, undefined=NOT_HERE) for name in wanted]
    if len(sample.class_sizes) == 1:
        return [ModelEstimate(name, undefined=ALL_ALIKE) for name in wanted]
    try:
        table = loglinear.CombinationTable.of(sample.columns, fraction)
    except Undefined as reason:
        return [ModelEstimate(name, undefined=str(reason)) for name in wanted]
    return [_estimate(name, table) for name in wanted]


def _estimate(name: str, table: loglinear.CombinationTable) -> ModelEstimate:
    try:
        fitted = LOGLINEAR[name](table)
    except Undefined as reason:
        return ModelEstimate(name, undefined=str(reason))
    parameters = {
        "unique_in_both": fitted.unique_in_both,
        "expected_matches": fitted.matches,
        "bias": fitted.bias,
        "bias_error": fitted.error,
    }
    return ModelEstimate(name, fitted.uniques, parameters=parameters, note=FITS[fitted.fits])
