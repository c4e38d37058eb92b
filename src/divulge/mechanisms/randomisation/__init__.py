"""Values changed, exchanged or left to chance: everything is drawn from the seed."""

from divulge.mechanisms.randomisation.massc import massc
from divulge.mechanisms.randomisation.noise import laplace_noise, multiplicative_noise, noise
from divulge.mechanisms.randomisation.post_randomisation import pram
from divulge.mechanisms.randomisation.random_rounding import random_rounding
from divulge.mechanisms.randomisation.sampling import sample
from divulge.mechanisms.randomisation.swapping import random_swapping, rank_swapping, targeted_swapping

MECHANISMS = (
    noise,
    multiplicative_noise,
    laplace_noise,
    rank_swapping,
    random_swapping,
    targeted_swapping,
    random_rounding,
    pram,
    sample,
    massc,
)
