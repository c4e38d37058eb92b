"""What a look at the attributes themselves brings up: warnings for a release, hints at errors in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden
from divulge._support.wording import enumerated, many, number, percent, records, some, some_of
from divulge.assessment.drivers.rates import TargetRates
from divulge.counting.counts import RECORD
from divulge.questions.data import Data
from divulge.readings.beyond_chance import beyond_chance
from divulge.roles.vocabulary import of_household, of_weights
from divulge.table.codes import MISSING, Codes, as_number
from divulge.table.schema import Role

NEARLY_UNIQUE = 0.9  # distinct values per record from which an attribute nearly identifies
MOSTLY_MISSING = 0.5
PROXY = 0.5  # adjusted rate from which an attribute gives another away
CATEGORICAL = 10  # records per value from which a lone value is odd
COMPARED = 300  # values up to which spellings are compared
RARE = 0.001  # share of records up to which a spelling is rare
FREQUENT = 10  # times as many records as the rare spelling
FEWEST_NUMBERS, MOST_NUMBERS = 10, 200_000  # distinct values among which a number can be far out
FAR_OUT = 3.0  # quartile ranges beyond the quartiles (Tukey's outer fence)


@dataclass(frozen=True)
class Profile:
    """An attribute in a few counts."""

    name: str
    role: str
    reasons: tuple[str, ...]
    values: int
    missing: int = field(repr=False)
    lone: int = field(repr=False)
    identifier_class: str | None


@dataclass(frozen=True)
class Warning:
    """Something about attributes that a release should not overlook."""

    kind: str
    attributes: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class Hint:
    """Something that looks like an error in the data; lone values are risky, whether right or wrong."""

    kind: str
    attribute: str
    values: int = field(repr=False)
    records: int = field(repr=False)
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The hint as plain values; lone values of a few people are not counted out either."""
        values = hidden(self.values) if isinstance(hidden(self.records), str) else self.values
        return {**asdict(self), "values": values}


# -- warnings ------------------------------------------------------------------------------------


def warnings(data: Data, profiles: Sequence[Profile], rates: Sequence[TargetRates]) -> list[Warning]:
    """Attributes that say nothing or nearly everything, doubles, proxies, gaps."""
    return [
        *_households(data),
        *_proxies(rates),
        *_duplicates(data, profiles),
        *_lonely(data, profiles),
    ]


def _households(data: Data) -> list[Warning]:
    """Identifiers that several people seem to share, by which people are counted all the same."""
    names = data.schema.identifiers
    if not names or not all(map(of_household, names)) or data.people == data.records:
        return []
    said = (
        f"{enumerated(names)} looks like the number of a household. Records that share it are counted as one "
        "person. If they are several people, do not give it as an identifier."
    )
    return [Warning("household", names, said)]


def _lonely(data: Data, profiles: Sequence[Profile]) -> list[Warning]:
    found = []
    for profile in profiles:
        if profile.role == Role.IDENTIFIER.value:
            continue
        if profile.values + (profile.missing > 0) <= 1:
            said = f"{profile.name} is constant and can be left out."
            if of_weights(profile.name) and data.weights is None:
                said = (
                    f"{profile.name} is constant. If it says how many people a record stands for, give it "
                    f"with --weights {profile.name}, or in a policy as weights under [data]."
                )
            if not profile.values:
                said = f"No record has a value of {profile.name}."
            elif profile.role == Role.SENSITIVE.value:
                said = f"Everyone has the same {profile.name}: being in the table reveals it."
            found.append(Warning("constant", (profile.name,), said))
        elif data.records > 1 and profile.values >= NEARLY_UNIQUE * data.records:
            kind = "unique" if profile.values == data.records else "nearly unique"
            said = (
                f"{profile.name} is {kind}: {many(profile.values)} values on {many(data.records)} "
                "records. An attacker who knows it can find the record."
            )
            found.append(Warning(kind, (profile.name,), said))
        if MOSTLY_MISSING * data.records <= profile.missing < data.records:
            said = f"{profile.name} is missing in {records(profile.missing, of=data.records)}."
            found.append(Warning("missing", (profile.name,), said))
    return found


def _duplicates(data: Data, profiles: Sequence[Profile]) -> list[Warning]:
    """Attributes that are the same under other names: each value of one goes with one of the other."""
    alike: dict[bytes, list[str]] = {}
    for profile in profiles:
        told_apart = 1 < profile.values + (profile.missing > 0) < data.records
        listed = data.all_values(profile.name) if told_apart else None
        if listed is None:
            continue
        counts = listed[1]
        used = np.sort(counts[counts > 0])
        alike.setdefault(used.tobytes(), []).append(profile.name)
    found = []
    for names in alike.values():
        while len(names) > 1:
            first, *rest = names
            same = [name for name in rest if _one_to_one(data, first, name)]
            if same:
                said = f"{enumerated([first, *same])} are equivalent (one-to-one): one of them is enough."
                found.append(Warning("duplicate", (first, *same), said))
            names = [name for name in rest if name not in same]
    return found


def _one_to_one(data: Data, one: str, other: str) -> bool:
    held = data.at_hand([one, other]) or data
    return held.distinct([one, other]) == np.count_nonzero(data.frequencies(one)[1])


def _proxies(rates: Sequence[TargetRates]) -> list[Warning]:
    found = []
    sensitive = [target for target in rates if target.target != RECORD]
    compared = sum(len(target.keys) + 1 for target in sensitive)
    for target in sensitive:
        for key in target.keys:
            rate = key.discrimination_rate
            high = rate["value"] is not None and (rate["adjusted"] or 0.0) >= PROXY
            if high and beyond_chance(rate.get("p_value"), compared):
                said = (
                    f"{key.key} predicts {target.target}: it gives {percent(rate['value'])} of the "
                    f"information about it; unrelated data give {percent(rate['chance'])} on average and up "
                    f"to {percent(rate['chance_reach'])}."
                )
                found.append(Warning("proxy", (key.key, target.target), said))
    return found


# -- hints ---------------------------------------------------------------------------------------


def hints(data: Data, profiles: Sequence[Profile]) -> list[Hint]:
    """Lone values where values usually have many records, spellings nearly alike, numbers far out."""
    found: list[Hint] = []
    for profile in profiles:
        if profile.role == Role.IDENTIFIER.value or profile.values < 2:
            continue
        listed = data.all_values(profile.name)
        if listed is None:
            continue  # too many to be brought over, and mostly alone
        codes, counts = listed
        counts[MISSING] = 0
        if profile.lone and counts.sum() >= CATEGORICAL * profile.values:
            said = (
                f"{profile.name}: {_of_values(profile.lone, profile.values)} on one record only. Such a "
                "value makes its person unique; it may be rare, or a typing error."
            )
            found.append(Hint("lone value", profile.name, profile.lone, profile.lone, said))
        found += _spellings(profile.name, codes, counts) + _far_out(profile.name, codes, counts)
    return found


def _of_values(lone: int, values: int) -> str:
    """How many of the values are meant, as the subject of a sentence with its verb."""
    return f"{some_of(lone, values)} values {'is' if hidden(lone) == 1 else 'are'}"


def _spellings(name: str, codes: Codes, counts: npt.NDArray[np.int64]) -> list[Hint]:
    used = np.flatnonzero(counts)
    texts = {int(code): codes.values[code - 1] for code in used[: COMPARED + 1]}
    if len(texts) > COMPARED or not all(isinstance(text, str) for text in texts.values()):
        return []
    words = {code: " ".join(str(text).split()).casefold() for code, text in texts.items()}
    rare = [code for code in words if counts[code] <= max(2, RARE * counts.sum())]
    odd = [code for code in rare if any(_rather(other, code, words, counts) for other in words)]
    if not odd:
        return []
    concerned = int(counts[odd].sum())
    said = (
        f"{name}: {some(len(odd), 'rare value')} ({records(concerned)}) spelled almost like a frequent one."
    )
    return [Hint("spelling", name, len(odd), concerned, said)]


def _rather(frequent: int, rare: int, words: dict[int, str], counts: npt.NDArray[np.int64]) -> bool:
    """Whether a rare value looks like a frequent one, misspelled."""
    if frequent == rare or counts[frequent] < FREQUENT * counts[rare]:
        return False
    one, other = words[frequent], words[rare]
    if one == other:
        return True
    if any(letter.isdigit() for letter in one + other) or min(len(one), len(other)) < 4:
        return False
    return _one_slip_apart(one, other)


def _one_slip_apart(one: str, other: str) -> bool:
    """Whether a letter left out, put in, changed, or swapped with its neighbour makes one of the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]


def _far_out(name: str, codes: Codes, counts: npt.NDArray[np.int64]) -> list[Hint]:
    used = np.flatnonzero(counts)
    if not FEWEST_NUMBERS <= len(used) <= MOST_NUMBERS:
        return []
    values = np.asarray([*map(as_number, codes.values_of(used))])
    if np.isnan(values).mean() > 0.01:
        return []
    there = ~np.isnan(values)
    values, times = values[there], counts[used][there]
    order = np.argsort(values)
    reached = np.cumsum(times[order]) / times.sum()
    low, high = (values[order][np.searchsorted(reached, share)] for share in (0.25, 0.75))
    fence = FAR_OUT * (high - low)
    far = (values < low - fence) | (values > high + fence)
    few = int(times[far].sum())
    if high == low or not few or few > max(3, 0.001 * times.sum()):
        return []
    said = (
        f"{name}: {records(few)} with a number more than {number(FAR_OUT)} interquartile ranges beyond the "
        "quartiles. Such outliers may make people unique, or be errors."
    )
    return [Hint("outlier", name, int(far.sum()), few, said)]
