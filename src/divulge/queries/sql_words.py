"""The words of a text, looked at before it is parsed: what no query has is refused while it is cheap to.

The parser goes back and tries again where words have several meanings, which doubles its work with every
nested call of a function or type. A query that is answered nests nothing but parentheses, so a text with
other words is parsed only if it is short and flat, to say what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

LONGEST_OTHER, DEEPEST_OTHER = 200, 4  # of a text with words that no query has
MOST_OTHER = 8  # such words
_BEFORE_PARENTHESES = frozenset({"COUNT", "SUM", "AVG", "IN", "AND", "OR", "NOT", "WHERE", "BETWEEN"})
_WORDS = frozenset({"SELECT", "FROM", "IS", "NULL", "TRUE", "FALSE"}) | _BEFORE_PARENTHESES
_SIGNS = frozenset({"(", ")", ",", ".", "*", "-", ";", "=", "<>", "!=", "<", "<=", ">", ">="})
_VALUES = frozenset({"STRING", "NUMBER", "IDENTIFIER"})


def is_tangled(words: Sequence[Any], names: Collection[str]) -> bool:
    """Whether a text has words that no query has, and is too long or nested too deeply to be parsed.

    ``words`` are the tokens of sqlglot, ``names`` those of columns and the table.
    """
    known = {name.casefold() for name in names}
    others = sum(_others(words, known))
    if not others:
        return False
    depth = most = 0
    for word in words:
        depth += (word.text in "([{") - (word.text in ")]}") if len(word.text) == 1 else 0
        most = max(most, depth)
    return others > MOST_OTHER or len(words) > LONGEST_OTHER or most > DEEPEST_OTHER


def _others(words: Sequence[Any], known: Collection[str]) -> Iterator[bool]:
    """For each word, whether no query has it there."""
    selects = 0
    for place, word in enumerate(words):
        text, kind = word.text.upper(), word.token_type.name
        called = place + 1 < len(words) and words[place + 1].text == "("
        selects += text == "SELECT"
        if kind in _VALUES or text in _SIGNS:
            yield called and kind in _VALUES
        elif called:
            yield text not in _BEFORE_PARENTHESES
        else:
            yield selects > 1 or (text not in _WORDS and word.text.casefold() not in known)
