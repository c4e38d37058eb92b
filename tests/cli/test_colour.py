"""Colour repeats what words say, on terminals that want it."""

import io

import pytest

from divulge.cli.streams import Edge, takes_colour

PAGE = "FAIL: Do not release\n\nChecks\n  pass  fine\n  WARN  few\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def written(stream, text=PAGE):
    Edge(stream, in_colour=takes_colour(stream)).write(text)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_terminal_sees_verdicts_and_headings_in_colour():
    assert written(Terminal()) == (
        "\x1b[31mFAIL\x1b[0m: Do not release\n\n\x1b[1mChecks\x1b[0m\n"
        "  \x1b[32mpass\x1b[0m  fine\n  \x1b[33mWARN\x1b[0m  few\n"
    )


def test_a_file_and_whoever_wants_no_colour_see_words_alone(monkeypatch):
    assert written(io.StringIO()) == PAGE
    monkeypatch.setenv("TERM", "dumb")
    assert written(Terminal()) == PAGE
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert written(Terminal()) == PAGE


def test_colour_in_a_value_is_shown_and_not_obeyed():
    assert written(Terminal(), "\x1b[31mAnn\x1b[0m") == "\\u001b[31mAnn\\u001b[0m"
