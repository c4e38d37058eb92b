"""Values replaced by coarser ones: nothing is drawn, and every record stays."""

from divulge.mechanisms.recoding.levels import recode
from divulge.mechanisms.recoding.removal import remove
from divulge.mechanisms.recoding.rounding import rounding

MECHANISMS = (recode, rounding, remove)
