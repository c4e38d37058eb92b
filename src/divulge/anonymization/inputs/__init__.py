"""What a search reads beside levels: who is counted, and what a release is needed for."""

from divulge.anonymization.inputs.condensed import condensed, refuse_staying, searched_attributes
from divulge.anonymization.inputs.counted import (
    check_countable,
    counted_data,
    person_of,
    plainly_counted,
    refuse_named,
    unlisted_rows,
)
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
    "condensed",
    "counted_data",
    "need_losses",
    "person_of",
    "plainly_counted",
    "predicted_target",
    "refuse_named",
    "refuse_staying",
    "searched_attributes",
    "unlisted_rows",
]
