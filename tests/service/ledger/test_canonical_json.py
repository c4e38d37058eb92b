"""JSON is spelled as RFC 8785 has it."""

import json
import struct

import pytest

from divulge.service.ledger.canonical_json import canonical

# RFC 8785, appendix B: the bits of a number, and how it is written
NUMBERS = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""


@pytest.mark.parametrize("line", NUMBERS.strip().splitlines())
def test_numbers_are_written_as_in_the_rfc(line):
    bits, written = line.split()
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value) == written


def test_the_example_of_the_rfc():
    """RFC 8785, section 3.2.2 and its result in 3.2.4."""
    given = r"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    assert canonical(json.loads(given)) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r""""string":"€$\u000f\nA'B\"\\\\\"/"}"""
    )


def test_names_are_sorted_by_their_utf_16_units():
    """RFC 8785, section 3.2.3: an emoji comes before a Hebrew presentation form, whose code is smaller."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\x80", "\xf6"]
    assert [*json.loads(canonical(dict.fromkeys(names)))] == [
        "\r", "1", "\x80", "\xf6", "\u20ac", "\U0001f600", "\ufb33"
    ]  # fmt: skip


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, -(2**53), "\ud800", {"\udc00": 1}])
def test_what_has_no_spelling_is_refused(value):
    with pytest.raises(ValueError, match=r"JSON compliant|surrogates"):
        canonical([value])


@pytest.mark.parametrize("value", [{1: 2}, b"bytes", {1, 2}])
def test_what_is_no_json_is_refused(value):
    with pytest.raises(TypeError, match="JSON compliant"):
        canonical(value)
