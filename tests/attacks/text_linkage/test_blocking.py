"""Rules by which pairs are chosen: as many pairs as they say, within their bound."""

import numpy as np
import pytest

from divulge.attacks.text_linkage import blocking
from divulge.attacks.text_linkage.blocking import chosen_rules, text_column
from divulge.errors import TooMuch
from divulge.source.dictionary import encode_objects


def column(name, ours, theirs, *, fuzzy=False):
    return text_column(name, encode_objects(name, ours), encode_objects(name, theirs), fuzzy=fuzzy)


NAMES = ["Anna", "anna ", "Bert", None, "Carl", "Carla"]


def test_texts_are_compared_without_spaces_and_in_small_letters():
    found = column("name", NAMES, ["ANNA", "bert", None, "x"])
    assert [found.texts[code] for code in found.original] == ["anna", "anna", "bert", None, "carl", "carla"]
    assert [found.texts[code] for code in found.released] == ["anna", "bert", None, "x"]


def test_every_pair_is_compared_where_they_are_few():
    [rule] = chosen_rules([column("name", NAMES, NAMES, fuzzy=True)])
    assert (rule.words, rule.pairs) == ("every pair", 36)


def test_rules_make_the_pairs_that_agree_and_missing_agrees_with_nobody(monkeypatch):
    """anna twice in both: 4 pairs; bert, carl and carla one each. carl and carla begin alike: 2 more."""
    monkeypatch.setattr(blocking, "MOST_PAIRS", 30)
    rules = chosen_rules([column("name", NAMES, NAMES, fuzzy=True)])
    assert {rule.words: rule.pairs for rule in rules} == {
        "equal name": 7,
        "last 3 letters of name": 7,
        "first 3 letters of name": 9,
    }
    assert rules[-1].sql == "left(l.a0, 3) = left(r.a0, 3)"


def test_rules_that_make_too_many_pairs_are_put_together(monkeypatch):
    rng = np.random.default_rng(0)
    tables = [[rng.integers(0, 4, 40).tolist() for _ in range(2)] for _ in range(2)]
    columns = [column(name, *held) for name, held in zip("ab", tables, strict=True)]
    together = sum(
        (one, two) == (other, another)
        for one, two in zip(tables[0][0], tables[1][0], strict=True)
        for other, another in zip(tables[0][1], tables[1][1], strict=True)
    )
    monkeypatch.setattr(blocking, "MOST_PAIRS", together)
    [rule] = chosen_rules(columns)
    assert (rule.words, rule.pairs) == ("equal a and equal b", together)
    monkeypatch.setattr(blocking, "MOST_PAIRS", together - 1)
    with pytest.raises(TooMuch, match="Too many records agree"):
        chosen_rules(columns)
