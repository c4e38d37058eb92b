"""What stands in a comment of a TOML file stays there, whatever it is."""

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from divulge._support.toml_text import in_comment

EVIL = "".join(map(chr, [*range(0x21), *range(0x7F, 0xA1), 0x61C, 0x2028, 0x2029, 0x202E, 0xD800, 0xFEFF]))


@given(st.text(st.characters(exclude_categories=())))
@example(EVIL)
@example('a\n[[step]]\nmechanism = "remove"')
@example("a\r[b]")
def test_a_comment_is_one_line_that_says_nothing(text):
    said = in_comment(text)
    assert len(f"#{said}#".splitlines()) == 1
    assert tomllib.loads(f"# {said}\na = 1\n") == {"a": 1}
    said.encode()  # half a character would stop the file from being written


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_stands_as_it_is(text):
    assert in_comment(text) == text
