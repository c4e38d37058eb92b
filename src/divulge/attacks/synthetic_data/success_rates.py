"""How often attacks succeed, how sure that is, and what is left beyond a control group."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z = 1.959963984540054


@dataclass(frozen=True)
class SuccessRate:
    """A rate with its error: the middle and half the width of Wilson's interval."""

    value: float
    error: float

    @classmethod
    def of(cls, successes: int, attacks: int, z: float = Z) -> SuccessRate:
        """Of so many attacks these succeeded.

        >>> SuccessRate.of(0, 100).error == SuccessRate.of(0, 100).value
        True
        """
        weight = attacks + z * z
        spread = successes * (attacks - successes) / attacks + z * z / 4
        return cls((successes + z * z / 2) / weight, z / weight * math.sqrt(spread))

    def successes(self, attacks: int, z: float = Z) -> float:
        """How many of so many attacks succeeded."""
        return self.value * (attacks + z * z) - z * z / 2

    @property
    def interval(self) -> tuple[float, float]:
        return max(self.value - self.error, 0.0), min(self.value + self.error, 1.0)


def beyond(attack: SuccessRate, control: SuccessRate) -> SuccessRate:
    """What an attack reaches beyond the same attack on people who were not used: 0 as often, 1 always.

    (attack - control) / (1 - control), its error by the errors of both.
    """
    left = 1 - control.value
    by_attack, by_control = 1 / left, (attack.value - 1) / left**2
    error = math.sqrt((attack.error * by_attack) ** 2 + (control.error * by_control) ** 2)
    return SuccessRate((attack.value - control.value) / left, error)
