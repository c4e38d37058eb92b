"""Every entry seals all before it."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import START, Entry, digest, entry_after, fault_in, hashed, in_ascii

KEY = b"k" * 32


def chain(*bodies):
    """Entries that follow from each other."""
    entries, previous = [], START
    for index, body in enumerate(bodies, 1):
        entries.append(entry_after(previous, "people", index, "noon", "decision", {"n": body}, KEY))
        previous = entries[-1].hash
    return entries


@pytest.fixture
def entries():
    return chain(1, 2, 3, 4)


def test_a_chain_as_it_was_written_is_whole(entries):
    assert fault_in(entries, KEY) is None
    assert fault_in([], KEY) is None


@pytest.mark.parametrize(
    "changed", [{"body": '{"n":9}'}, {"at": "one"}, {"kind": "left"}, {"chain": "cats"}, {"hash": "0" * 64}]
)
def test_an_entry_that_was_changed_is_named(entries, changed):
    entries[2] = replace(entries[2], **changed)
    assert fault_in(entries).index == 3


def test_hashes_stay_what_they_were_for_logs_that_exist():
    """An entry of before has a body in ASCII, whose hash does not depend on how bodies are spelled now."""
    text = '["' + "0" * 64 + r'","people",1,"noon","decision","{\"n\":\"\\u00e9\"}"]'
    earlier = in_ascii({"n": "é"})
    assert earlier == r'{"n":"\u00e9"}'
    made = hashed(START, "people", 1, "noon", "decision", earlier)
    assert made == hashlib.sha256(text.encode()).hexdigest()
    entry = Entry("people", 1, "noon", "decision", earlier, made, "")
    assert fault_in([entry]) is None
    assert Entry.of_dict(entry.exported()) == entry
    assert Entry.of_dict(entry.to_dict(), in_ascii) == entry


def test_a_new_entry_is_exported_in_words_that_anybody_can_spell_again(entries):
    (entry,) = chain({"é": 1.0})
    assert entry.body == '{"n":{"é":1}}'
    assert entry.exported()["body"] == {"n": {"é": 1}}


def test_an_entry_that_was_left_out_put_in_or_moved_is_named(entries):
    first, second, third, fourth = entries
    assert fault_in([first, third, fourth]).index == 2
    assert fault_in([first, second, second, third]).index == 3
    assert fault_in([first, third, second, fourth]).index == 2


def test_a_chain_that_was_rewritten_with_hashes_that_fit_is_told_by_its_seals(entries):
    rewritten, previous = entries[:1], entries[0].hash
    for index in (2, 3, 4):
        rewritten.append(entry_after(previous, "people", index, "noon", "decision", {"n": 9}, b"another key"))
        previous = rewritten[-1].hash
    assert fault_in(rewritten) is None
    assert fault_in(rewritten, KEY).index == 2


def test_an_entry_survives_being_written_as_json(entries):
    assert [Entry.of_dict(entry.to_dict()) for entry in entries] == entries


def test_equal_values_are_spelled_alike():
    assert canonical({"b": 1, "a": ["é", None]}) == canonical({"a": ["é", None], "b": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical(float("nan"))


def test_a_digest_needs_its_key_and_keeps_parts_apart():
    assert digest(KEY, "people", "p1") == digest(KEY, "people", "p1")
    assert digest(KEY, "people", "p1") != digest(b"another", "people", "p1")
    assert digest(KEY, "people", "p1") != digest(KEY, "peoplep", "1")


TEXTS = st.text(st.characters(codec="utf-8"))


@given(st.tuples(TEXTS, TEXTS, st.integers(-5, 2**53 - 1), TEXTS, TEXTS, TEXTS))
def test_an_entry_is_hashed_in_the_one_spelling_of_its_parts(parts):
    assert hashed(*parts) == hashlib.sha256(canonical([*parts]).encode()).hexdigest()


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("value", [None, True, 1.0, 2, [1]])
def test_so_is_one_with_a_part_of_another_kind(place, value):
    parts = ["0" * 64, "people", 1, "noon", "decision", "{}"]
    parts[place] = value
    assert hashed(*parts) == hashlib.sha256(canonical(parts).encode()).hexdigest()


@pytest.mark.parametrize("parts", [("\ud800", "a", 1, "", "", ""), ("", "a", 2**53, "", "", "")])
def test_what_cannot_be_spelled_has_no_hash(parts):
    with pytest.raises(ValueError, match=r"surrogates|53 bits"):
        hashed(*parts)
