"""The registry: every mechanism by its name, from which help, docs, recipes and law tests are made."""

from __future__ import annotations

from divulge.errors import ParameterError, suggestion
from divulge.mechanisms import aggregation, randomisation, recoding, suppression, synthesis
from divulge.mechanisms.mechanism import Mechanism

#: The mechanisms in the order in which they are listed.
MECHANISMS: dict[str, Mechanism] = {
    one.name: one
    for one in (
        *recoding.MECHANISMS,
        *suppression.MECHANISMS,
        *aggregation.MECHANISMS,
        *randomisation.MECHANISMS,
        *synthesis.MECHANISMS,
    )
}


def mechanism_named(name: str) -> Mechanism:
    """The mechanism of that name."""
    if name not in MECHANISMS:
        hint = suggestion(name, MECHANISMS) or "List them with: divulge guide mechanisms"
        raise ParameterError(f"Unknown mechanism: '{name}'.", hint=hint)
    return MECHANISMS[name]
