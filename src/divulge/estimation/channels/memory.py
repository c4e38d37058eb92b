"""How much memory a channel takes, to hold it and to read it, estimated before it is made."""

from __future__ import annotations

from divulge.limits.sizes import require_memory

HELD = 32  # bytes for each cell while a channel is made: itself, what it is made from, and its check
READ = 96  # bytes for each cell while all there is to say of a channel is worked out (measured: 73 to 91)
COEFFICIENT = 100  # bytes for each coefficient of a linear program while it is made and solved
HINT = "Use a smaller one; similar values can be merged."


def room_for_channel(inputs: int, outputs: int) -> None:
    """Refuse a channel too large to be made."""
    require_memory(inputs * outputs * HELD, _named(inputs, outputs), hint=HINT)


def room_for_account(inputs: int, outputs: int) -> None:
    """Refuse a channel too large to be read for everything there is to say of it."""
    require_memory(inputs * outputs * READ, f"Reading {_named(inputs, outputs).lower()}", hint=HINT)


def room_for_program(entries: int, variables: int) -> None:
    """Refuse a linear program too large to be solved; ``entries`` are the coefficients of its limits."""
    doing = f"A linear program with {variables:,} variables and {entries:,} coefficients"
    require_memory(entries * COEFFICIENT, doing, hint="Use fewer secrets.")


def _named(inputs: int, outputs: int) -> str:
    return f"A channel from {inputs:,} secrets to {outputs:,} observations"
