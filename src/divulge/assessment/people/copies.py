"""Records that are copies of others: alike in everything, though something tells the others apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import marked
from divulge._support.threads import blocks
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.packing import coded, packed, ranked

Numbers = npt.NDArray[Any]
TELLS_APART = 0.95  # values per different record from which on an attribute tells records apart
TELLING = 12  # attributes of most values, by which records are told apart sooner than by all
MANY = 1 << 17  # records from which on it is first counted how many differ at least
SOME = 20  # different records below which that they repeat says nothing
EXTRA = 0.02  # of the different records that may occur otherwise: at least fifty are then copied alike
MOSTLY = 0.5  # share of pairs above which copies of records explain them
BY_CHANCE = 0.01  # how probable so many copies may be among people who are alike on the keys
COMMON = 0.9  # share of records that agree in all but the keys, from which on copies cannot be told
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(data: Data) -> Numbers | None:
    """A number for each record that its copies share; None where there are no copies.

    Records alike in everything are copies where an attribute that is neither key nor sensitive tells
    the others apart: two people would differ in it.
    """
    memo, asked = data.memo("@copies"), tuple(_without_role(data))
    if asked not in memo:
        memo[asked] = _copies(data) if data.has_each_record() else None
    found: Numbers | None = memo[asked]
    return found


def copied(data: Data) -> int:
    """How many records are copies of others, wherever they are counted."""
    if data.has_each_record():
        same = copies(data)
        return 0 if same is None else data.records - (int(same.max()) + 1)
    if data.times is not None or not set(data.schema.attributes) <= set(data.source.attributes):
        return 0  # rows that were brought over for a question, with what it is about
    most = _values_that_tell_apart(data)
    if not most:
        return 0
    distinct = data.distinct(data.schema.attributes)
    return 0 if most < TELLS_APART * distinct else data.records - distinct


def _copies(data: Data) -> Numbers | None:
    values = [data.cardinality(name) - 1 for name in _without_role(data)]
    if not values or max(values) < TELLS_APART * _different_at_least(data):
        return None
    most = _values_that_tell_apart(data)
    if not most or most < TELLS_APART * _different_at_least(
        data, by=lambda name: data.summary(name).distinct
    ):
        return None
    mixed = np.sort(_mixed(data, data.schema.attributes))
    distinct = int(np.count_nonzero(mixed[1:] != mixed[:-1])) + 1
    return None if distinct == data.records or most < TELLS_APART * distinct else _hashed(data)[0]


class LookCopied(NamedTuple):
    """How many records are different; where some occur more often, what divides how often each does."""

    different: int
    times: int = 1
    all_of_them: bool = True  # whether that divides how often each occurs, and not only nearly all


def look_copied(data: Data) -> LookCopied | None:
    """Whether all records look copied, and from how many; None where they do not, or cannot be told.

    Either each different record occurs equally often; or a multiple of some number of times, which chance
    does not give to that many; or once more than others, although the keys nearly tell the different ones
    apart: people who share all keys would differ in something else, and in their number.
    """
    schema = data.schema
    if schema.identifiers or not data.has_each_record():
        return None
    able = [name for name in schema.attributes if 2 * (data.cardinality(name) - 1) > data.records]
    if any(2 * data.summary(name).distinct > data.records for name in able):
        return None
    if 2 * _different_by_some(data) > data.records:
        return None
    often = _repeated(data)

    def told_by_keys(distinct: int) -> bool:
        keys = schema.quasi_identifiers
        rest, _ = _hashed(data, [name for name in schema.attributes if name not in keys])
        varied = int(np.bincount(rest).max()) < COMMON * data.records
        return varied and _hashed(data, keys)[1] >= TELLS_APART * distinct

    times = np.flatnonzero(often)
    return by_repetition(times, often[times], told_by_keys)


def by_repetition(times: Numbers, often: Numbers, told_by_keys: Callable[[int], bool]) -> LookCopied | None:
    """Whether records look copied by how often they occur: ``often`` different ones so many ``times`` each.

    ``told_by_keys`` says whether the keys nearly tell so many different records apart.
    """
    distinct, least, most = int(often.sum()), int(times.min()), int(times.max())
    if distinct < SOME or 2 * distinct > int((times * often).sum()):
        return None
    if most == least:
        return LookCopied(distinct)
    if (common := _common_divisor(times, often)) > 1:
        return LookCopied(distinct, common, not (times % common).any())
    return LookCopied(distinct) if most - least == 1 and told_by_keys(distinct) else None


def _common_divisor(times: Numbers, often: Numbers) -> int:
    """What divides how often records occur, but for a few of many different ones."""
    if (common := int(np.gcd.reduce(times))) > 1:
        return common
    extra = int(EXTRA * often.sum())
    for prime in _prime_factors(int(np.bincount(times, often).argmax())):
        divided = times % prime == 0
        if int(often[~divided].sum()) <= extra:
            return int(np.gcd.reduce(times[divided]))
    return 1


def unlike_others(data: Data, attribute: str, others: Sequence[str]) -> int:
    """How many values of an attribute are on records that are together unlike those of any other value."""
    column, mixed = data.column(attribute), _mixed(data, others)
    order = np.argsort(column.codes, kind="stable")
    codes = column.codes[order]
    begins = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    together = np.sort(np.add.reduceat(mixed[order] * _ODD, begins))
    return int((np.unique(together, return_counts=True)[1] == 1).sum())


def copied_pairs(data: Data, keys: Sequence[str], number: Numbers, sizes: Numbers) -> Numbers | None:
    """The groups of two that are one record twice; None where these are not most, or chance may make them.

    ``number`` has the group of each row and ``sizes`` its people. Two people alike on the keys agree in the
    rest by chance as often as any two records.
    """
    rest = [name for name in data.schema.attributes if name not in keys and name != data.weights]
    in_pairs = np.flatnonzero(sizes[number] == 2)
    if not rest or not len(in_pairs) or not data.has_each_record():
        return None
    others, _ = _hashed(data, rest)
    in_pairs = in_pairs[np.argsort(number[in_pairs], kind="stable")]
    first, second = in_pairs[::2], in_pairs[1::2]
    same = others[first] == others[second]
    share, agree = float(same.mean()), float(((np.bincount(others) / len(others)) ** 2).sum())
    if share <= MOSTLY or agree >= share:
        return None
    told = share * math.log(share / agree)  # Chernoff: how improbable so many are by chance
    told += (1 - share) * math.log((1 - share) / (1 - agree)) if share < 1 else 0.0
    return None if len(first) * told < -math.log(BY_CHANCE) else number[first[same]]


def never_copied(data: Data, share: float) -> bool:
    """Whether no record is, or looks, copied, whichever records alike in all attributes are left out.

    ``share`` is the share of records that may be.
    """
    if not data.has_each_record():
        return False
    records, out = data.records, share * data.records
    summaries = {name: data.summary(name).distinct for name in data.schema.attributes}
    telling = max((summaries[name] for name in _without_role(data)), default=0)
    least = _different_by_some(data)
    if 2 * least > records + out and telling < TELLS_APART * (least - out):
        return True
    often = _repeated(data)
    held = often * np.arange(len(often))
    distinct, whole = int(often.sum()), np.cumsum(held)
    rare = int(np.searchsorted(whole, out, side="right"))  # the rarest go first: that leaves the fewest
    gone = int(often[:rare].sum()) + int((out - (whole[rare - 1] if rare else 0)) / max(rare, 1))
    nearly = held[1:] + np.append(held[2:], 0)  # records that occur equally often, or once more
    looks = not data.schema.identifiers and 2 * max(summaries.values()) <= records + out
    looks = looks and 2 * distinct <= records + out
    looks = looks and (
        int(nearly.max(initial=0)) >= records - out or _nearly_all_divided(held, out + _extra(often))
    )
    return not looks and (not telling or telling < TELLS_APART * (distinct - gone))


def _extra(often: Numbers) -> int:
    """How many records the few different ones are at most that may occur otherwise."""
    most = often[::-1]
    left = np.clip(int(EXTRA * often.sum()) - np.append(0, np.cumsum(most)[:-1]), 0, most)
    return int((left * np.arange(len(often))[::-1]).sum())


def _nearly_all_divided(held: Numbers, out: float) -> bool:
    """Whether a number divides how often records occur, but for some that are no more than may be left out.

    ``held`` is how many records occur so many times, by that number. What divides all the others divides one
    of those that are too many to be left out together.
    """
    times = np.flatnonzero(held)
    times = times[np.argsort(-held[times], kind="stable")]
    most = int(np.searchsorted(np.cumsum(held[times]), out, side="right")) + 1
    divisors = {one for number in times[:most].tolist() for one in _prime_factors(number)}
    return any(int(held[times[times % one > 0]].sum()) <= out for one in divisors)


def _prime_factors(number: int) -> Iterator[int]:
    """The primes that divide a number."""
    by = 2
    while by * by <= number:
        if number % by == 0:
            yield by
            while number % by == 0:
                number //= by
        by += 1
    if number > 1:
        yield number


def _different_by_some(data: Data) -> int:
    """How many records differ by the attributes of most values: so many at least."""
    memo = data.memo("@different by some")
    if data.missing_values not in memo:
        named = sorted(data.schema.attributes, key=lambda name: -data.cardinality(name))
        if len(named) <= TELLING and data.source.records < MANY:
            memo[data.missing_values] = int(_repeated(data).sum())
        else:
            memo[data.missing_values] = _different(
                _hash([data.column(name) for name in named[:TELLING]], data.source.records)
            )
    return int(memo[data.missing_values])


def _different(mixed: Numbers) -> int:
    """How many hashes are different; of many, how many of their highest bits are, which are fewer."""
    if len(mixed) >= MANY and library.built():
        bits = int(len(mixed) * 8 - 1).bit_length()
        return marked(mixed >> np.uint64(64 - bits), 1 << bits)
    mixed = np.sort(mixed)
    return int(np.count_nonzero(mixed[1:] != mixed[:-1])) + 1


def _repeated(data: Data) -> Numbers:
    """How many different records occur so many times, by that number."""
    memo = data.memo("@repeated")
    if data.missing_values not in memo:
        mixed = np.sort(_mixed(data, data.schema.attributes))
        ends = np.flatnonzero(np.append(mixed[1:] != mixed[:-1], True)) if len(mixed) else np.zeros(0, int)
        memo[data.missing_values] = np.bincount(np.diff(ends, prepend=-1))
    found: Numbers = memo[data.missing_values]
    return found


def _values_that_tell_apart(data: Data) -> int:
    """The most values of an attribute that is neither key nor sensitive; 0 where all differ."""
    records = data.records
    summaries = [data.summary(name) for name in _without_role(data)]
    if any(one.lone == records for one in summaries):
        return 0
    return max((one.distinct for one in summaries if one.present == records > one.distinct > 1), default=0)


def _without_role(data: Data) -> list[str]:
    """The attributes that are neither key nor sensitive, and were not: a release lacks those given up."""
    schema = data.schema
    given = {*schema.quasi_identifiers, *schema.sensitive, *schema.given_up, data.weights}
    return [name for name in schema.attributes if name not in given]


def _different_at_least(data: Data, by: Callable[[str], int] = lambda name: 0) -> int:
    """How many records differ at least: combinations of two attributes with many values, if soon counted.

    Of those that may have most values, the two are taken that have most by what is given.
    """
    able = sorted(data.schema.attributes, key=lambda name: -data.cardinality(name))[:TELLING]
    columns = [data.column(name) for name in sorted(able, key=lambda name: -by(name))[:2]]
    bound = math.prod(column.cardinality for column in columns)
    if bound > data.records:
        return 1
    return int(np.count_nonzero(np.bincount(packed(coded(columns), data.source.records), minlength=bound)))


def _hashed(data: Data, attributes: Sequence[str] | None = None) -> tuple[Numbers, int]:
    """Records numbered by all their values, or those of some attributes, through a hash of 64 bits."""
    return ranked(_mixed(data, data.schema.attributes if attributes is None else attributes))


def _mixed(data: Data, attributes: Sequence[str]) -> Numbers:
    """A hash of 64 bits for each record."""
    return _hash([data.column(name) for name in attributes], data.source.records)


def _hash(columns: Sequence[Codes], records: int) -> Numbers:
    mixed = np.zeros(records, np.uint64)
    for rows in blocks(records, 1 << 14):  # which stay in the cache from one attribute to the next
        word = mixed[rows]
        for column in columns:
            word ^= column.codes[rows]
            word *= _ODD
            word ^= word >> np.uint64(29)
    return mixed
