"""Values replaced by coarser ones: nothing is drawn, and every record stays."""

from divulge.mechanisms.recoding.codes import groups, prefix
from divulge.mechanisms.recoding.dates import dates
from divulge.mechanisms.recoding.extremes import top_bottom_coding
from divulge.mechanisms.recoding.intervals import intervals
from divulge.mechanisms.recoding.levels import recode
from divulge.mechanisms.recoding.listed import recode_combinations
from divulge.mechanisms.recoding.removal import remove
from divulge.mechanisms.recoding.rounding import interval_rounding, rounding
from divulge.mechanisms.recoding.subtrees import recode_subtrees

MECHANISMS = (
    recode,
    recode_subtrees,
    recode_combinations,
    groups,
    intervals,
    top_bottom_coding,
    rounding,
    interval_rounding,
    dates,
    prefix,
    remove,
)
