"""What is required besides measures: nobody named or singled out, and nothing learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from divulge.policy.checks import Context
from divulge.policy.linking import LINKED, Linking, linking_of
from divulge.policy.place import PolicyPlace
from divulge.table.schema import Role

QUESTIONS = ("identifiers", "singled_out", "learned", "measured", *LINKED)
GAIN = 1 / 3
CLOSE = 1e-6  # to 1, within which a share cannot be told from it
_HINTS = {
    "singled_out": "Write singled_out = { max = 0, k = 11 }, or several such tables in a list.",
    "learned": "Write learned = { max = 0, certain = 0.9 }, or several such tables in a list.",
}
_ALLOW = 'Write [allow], and below it identifiers = ["pseudonym"].'


@dataclass(frozen=True)
class SinglingOut:
    """At most a share of people are found with a risk above 1/k, as in sets of fewer than k."""

    max: float
    k: int
    severity: Literal["fail", "warn"] = "fail"
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Learning:
    """For at most a share of people a value becomes as likely as ``certain``, by a ``gain`` over guessing.

    With ``chance`` left in force, what chance alone would make is one degree less severe.
    """

    max: float
    certain: float
    gain: float = GAIN
    severity: Literal["fail", "warn"] = "fail"
    chance: bool = True
    keys: tuple[str, ...] | None = None
    target: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Demands:
    """What singling out, learning and linkage are held to, and what is let through."""

    singled_out: tuple[SinglingOut, ...] = ()
    learned: tuple[Learning, ...] = ()
    identifiers: Literal["fail", "allow"] = "fail"
    allowed: tuple[str, ...] = ()
    measured: Literal["warn", "ignore"] = "warn"
    linked: tuple[Linking, ...] = ()
    declared: tuple[str, ...] = ()  # identifiers by the policy's own word


#: What is asked when no policy says otherwise. Why these numbers: docs/audit.md.
USUAL = Demands(
    singled_out=(SinglingOut(0.001, 3), SinglingOut(0.0, 5, "warn")),
    learned=(Learning(0.0, 0.9), Learning(0.0, 0.5, severity="warn")),
)


def usual_thresholds(*, sensitive: bool) -> dict[str, Any]:
    """The usual demands as the [thresholds] of a policy; what is learned needs a sensitive attribute."""
    singled = [{"max": one.max, "k": one.k, "severity": one.severity} for one in USUAL.singled_out]
    learned = [{"max": one.max, "certain": one.certain, "severity": one.severity} for one in USUAL.learned]
    return {"singled_out": singled, **({"learned": learned} if sensitive else {})}


def demands_of(
    thresholds: Mapping[str, Any],
    place: PolicyPlace,
    allow: object,
    allow_place: PolicyPlace,
    context: Context,
) -> Demands:
    """The four questions as [thresholds] and [allow] answer them."""
    table = allow_place.table(allow, _ALLOW)
    allow_place.check_keys(table, ("identifiers",))
    return Demands(
        tuple(_singled_out(*one, context) for one in _entries(thresholds, place / "singled_out")),
        tuple(_learned(*one, context) for one in _entries(thresholds, place / "learned")),
        _word(thresholds, place, "identifiers", ("fail", "allow")),
        allow_place.named(table, "identifiers", _ALLOW) or (),
        _word(thresholds, place, "measured", ("warn", "ignore")),
        linking_of(thresholds, place),
        context.having(Role.IDENTIFIER),
    )


def _entries(thresholds: Mapping[str, Any], place: PolicyPlace) -> list[tuple[dict[str, Any], PolicyPlace]]:
    name = str(place.path[-1])
    return place.tables(thresholds[name], _HINTS[name]) if name in thresholds else []


def _singled_out(table: Mapping[str, Any], place: PolicyPlace, context: Context) -> SinglingOut:
    place.check_keys(table, ("max", "k", "severity", "keys"))
    k = table.get("k", 5)
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise (place / "k").error("this must be a whole number from 2 on.", "Write k = 5.")
    share = _share("max", table, place, 0.0)
    return SinglingOut(share, k, place.severity(table), _keys(table, place, context))


def _learned(table: Mapping[str, Any], place: PolicyPlace, context: Context) -> Learning:
    place.check_keys(table, ("max", "certain", "gain", "chance", "severity", "keys", "target"))
    chance = place.flag(table, "chance", True)
    target = place.named(table, "target", 'Write names, such as "disease".')
    if target is None and not context.having(Role.SENSITIVE):
        raise place.error(
            "learned is about sensitive attributes, and there is none.",
            'Give an attribute the role "sensitive", or name a target.',
        )
    certain = _share("certain", table, place, 0.9)
    if certain == 0:
        raise (place / "certain").error("this must be above 0.", "Write certain = 0.9.")
    return Learning(
        _share("max", table, place, 0.0),
        certain,
        _share("gain", table, place, GAIN),
        place.severity(table),
        chance,
        _keys(table, place, context),
        target,
    )


def _keys(table: Mapping[str, Any], place: PolicyPlace, context: Context) -> tuple[str, ...] | None:
    keys = place.named(table, "keys", 'Write names, such as ["age", "sex"].')
    if keys is None:
        context.check_has_keys(place)
    return keys


def _share(name: str, table: Mapping[str, Any], place: PolicyPlace, default: float) -> float:
    least = ", or max = 0 for nobody" if name == "max" else ""
    hint = f"Write a share, such as {name} = {default or 0.01:g}{least}."
    value = (place / name).number(table.get(name, default), hint)
    limit = "at most 1" if name == "certain" else "below 1"  # what no table could exceed is no bound
    if not 0 <= value <= 1 or (name != "certain" and value > 1 - CLOSE):
        raise (place / name).error(f"this must be a share from 0 on, {limit}.", hint)
    return float(value)


def _word(thresholds: Mapping[str, Any], place: PolicyPlace, name: str, words: Sequence[str]) -> Any:
    return (place / name).choice(thresholds.get(name, words[0]), words, f"answer to {name}")
