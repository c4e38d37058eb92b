"""Compiled loop over what chance gives for mutual information; loaded only where its terms are many."""

from __future__ import annotations

import math

import numpy as np

from divulge._support.compilation import loop

NOTHING = 1e-20  # probability, as a share of the likeliest count's, from which on counts add nothing


@loop
def expected_information(sizes, often, targets, common, records):
    """Sum of E[n log2(n N / (a b))] over class sizes a and target frequencies b: N times bits.

    Probabilities are ratios to that of the count nearest the mean, multiplied outward from there.
    """
    total = 0.0
    for i in range(len(sizes)):
        for j in range(len(targets)):
            a, b = sizes[i], targets[j]
            a_left, b_left, rest = float(a), float(b), float(records) - float(a) - float(b)
            low, high = max(0.0, -rest), min(a_left, b_left)
            middle = min(max(np.rint(a * (b / records)), low), high)
            scale = records / a / b
            mass, bits = 1.0, middle * math.log2(middle * scale) if middle > 0 else 0.0
            p, n = 1.0, middle
            while n < high and p > NOTHING:
                p *= (a_left - n) * (b_left - n) / ((n + 1) * (rest + n + 1))
                n += 1
                mass += p
                bits += p * n * math.log2(n * scale)
            p, n = 1.0, middle
            while n > low and p > NOTHING:
                p *= n * (rest + n) / ((a_left - n + 1) * (b_left - n + 1))
                n -= 1
                mass += p
                if n > 0:
                    bits += p * n * math.log2(n * scale)
            total += often[i] * common[j] * bits / mass
    return total
