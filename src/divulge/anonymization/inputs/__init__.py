"""What a search reads beside levels: who is counted, and what a release is needed for."""

from divulge.anonymization.inputs.counted import check_countable, counted_data, person_of, unlisted_rows
from divulge.anonymization.inputs.need_loss import (
    NeedLoss,
    NeedLosses,
    asked_loss,
    need_losses,
    predicted_target,
)

__all__ = [
    "NeedLoss",
    "NeedLosses",
    "asked_loss",
    "check_countable",
    "counted_data",
    "need_losses",
    "person_of",
    "predicted_target",
    "unlisted_rows",
]
