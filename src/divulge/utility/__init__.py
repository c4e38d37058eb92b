"""Utility: what released data are still good for, by a need and compared with the original."""

from divulge.utility.categorical import (
    CategoricalLoss,
    TableDistance,
    categorical_loss,
    contingency_distances,
)
from divulge.utility.continuous import ContinuousLoss, MatrixLoss, continuous_loss
from divulge.utility.distributions import DistributionDistance, distribution_distances
from divulge.utility.estimates import CorrelationChange, TotalChange, correlation_changes, total_changes
from divulge.utility.mining import Mined, Score, mine
from divulge.utility.need import Need, NeedLine, NeedReading, utility
from divulge.utility.need_file import as_needs, needs_of, read_needs

__all__ = [
    "CategoricalLoss",
    "ContinuousLoss",
    "CorrelationChange",
    "DistributionDistance",
    "MatrixLoss",
    "Mined",
    "Need",
    "NeedLine",
    "NeedReading",
    "Score",
    "TableDistance",
    "TotalChange",
    "as_needs",
    "categorical_loss",
    "contingency_distances",
    "continuous_loss",
    "correlation_changes",
    "distribution_distances",
    "mine",
    "needs_of",
    "read_needs",
    "total_changes",
    "utility",
]
