"""Values changed, exchanged or left to chance: everything is drawn from the seed."""

from divulge.mechanisms.randomisation.sampling import sample

MECHANISMS = (sample,)
