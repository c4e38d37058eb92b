"""What texts have in common: parts of cells that list several, words, numbers, beginnings of codes."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.asked.sensitive_questions import AskedValues, SensitiveAnswers

Numbers = npt.NDArray[Any]
MOST_TEXTS = 50_000  # different texts up to which they are taken apart
MOST_PARTS = 300  # that are asked about, those of most records first
MOST_WAYS = 24  # parts of one cell are in different ways to ask
LEAST = 5  # records of a part from which on a group could know it beyond chance

_LISTED = re.compile(r"\s*[;|,/\n]\s*")
_BEGINNINGS = tuple(map(re.compile, (r"[^\W\d_][^\W_]*", r"[^\W\d_]+(?=\d)", r"[^\W\d_]+\d+")))
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![^\s(])\d+(?![^\s),;])")
_STEM = re.compile(r"\b(?:([^\W_]*\d)[^\W\d_]|([ivx]+)[a-h]?)\b")  # 3 of 3b, iv of iva, and iv alone
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{3,}")


def without_signs(text: str) -> str:
    """A text in small letters, with a space for every run of signs.

    >>> without_signs("HIV-pos"), without_signs("hiv_pos."), without_signs(" HIV+")
    ('hiv pos', 'hiv pos', 'hiv')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", " ", plain).strip()


def parts_of(text: str) -> set[str]:
    """What a text says in its parts: what it lists, words, numbers, and beginnings before digits or a sign.

    A letter after a number is no part of it. Where words have no space between them, any two letters that
    follow each other are a part: all who share a word share these.

    >>> sorted(parts_of("HIV-123")), sorted(parts_of('["Gout", "HIV"]')), sorted(parts_of("type 2; flu"))
    (['hiv'], ['gout', 'hiv'], ['2', 'flu', 'type', 'type 2'])
    >>> sorted(parts_of("Q3 2019")), sorted(parts_of("Stage IVB")), sorted(parts_of("患艾滋病"))
    (['2019', 'q', 'q3'], ['iv', 'ivb', 'stage'], ['患艾', '滋病', '艾滋'])
    """
    whole, listed = without_signs(text), _listed(text)
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = {without_signs(one) for one in listed} if len(listed) > 1 else set()
    found |= {word for word in _WORD.findall(plain) if len(word) > 1}
    found.update(_NUMBER.findall(plain))
    found.update("".join(stem) for stem in _STEM.findall(plain))
    found.update(run[at : at + 2] for run in _UNSPACED.findall(plain) for at in range(len(run) - 1))
    for beginning in _BEGINNINGS:
        if begun := beginning.match(text.strip()):
            found.add(begun[0].casefold())
    return found - {"", whole}


def _listed(text: str) -> list[str]:
    """The parts of a list, in JSON or between separators."""
    if text.startswith("[") and text.endswith("]"):
        try:
            read = json.loads(text.replace("'", '"'))
        except ValueError:
            read = None
        if isinstance(read, list):
            return [str(one) for one in read]
    return [one for one in _LISTED.split(text.strip("[]{}() ")) if one]


def asked_by_part(answers: SensitiveAnswers) -> list[AskedValues]:
    """Parts that several texts share, each asked as a value; those that meet in a text in separate ways."""
    column, used = answers.column, answers.used
    if not answers.have_words or not 2 < len(used) <= MOST_TEXTS:
        return []
    having = defaultdict[str, list[int]](list)
    for code in used.tolist():
        value = column.values[code - 1]
        if isinstance(value, str):
            for part in parts_of(value) | _whole(value):
                having[part].append(code)
    return [*_ways(answers, _asked(having, answers))]


def _whole(text: str) -> set[str]:
    """A text that is one part itself: alone in its cell, it is the same as in a list."""
    folded = without_signs(text)
    return {folded} if folded else set()


def _asked(having: dict[str, list[int]], answers: SensitiveAnswers) -> Iterable[tuple[int, ...]]:
    """The codes of each part that several but not all texts have, those of most records first."""
    records = answers.records
    shared = {tuple(codes) for codes in having.values() if 1 < len(codes) < len(answers.used)}
    held = {codes: int(records[list(codes)].sum()) for codes in shared}
    most = sorted((codes for codes in shared if held[codes] >= LEAST), key=lambda one: (-held[one], one))
    return most[:MOST_PARTS]


def _ways(answers: SensitiveAnswers, parts: Iterable[tuple[int, ...]]) -> Iterator[AskedValues]:
    """Parts in as few ways as hold them: in one way a text has at most one of them."""
    ways, often = list[Numbers](), list[int]()
    for codes in parts:
        place = next((i for i, of_code in enumerate(ways) if not of_code[list(codes)].any()), len(ways))
        if place == len(ways):
            if place == MOST_WAYS:
                continue
            ways.append(np.zeros(answers.column.cardinality, np.int64))
            often.append(0)
        often[place] += 1
        ways[place][list(codes)] = often[place]
    for of_code, many in zip(ways, often, strict=True):
        # The last number is that of answers without such a part, 0 of those who gave none.
        of_code[answers.used[of_code[answers.used] == 0]] = many + 1
        news = np.ones(many + 2, bool)
        news[[0, many + 1]] = False
        unknown = None if answers.unknown is None else np.asarray([0])
        yield AskedValues(of_code, many + 2, news, rough=True, kind="part", unknown=unknown)
