"""A template is compiled once for its text and settings, and what is kept of it is never in the way."""

import sys

import jinja2
import pytest

from divulge.report.shared.compiled_templates import TemplateCache


@pytest.fixture
def filled(tmp_path, monkeypatch):
    """What a new environment makes of a text, and how often it compiled for that."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)

    def fill(text, settings="plain"):
        found = jinja2.Environment(
            loader=jinja2.DictLoader({"page.html.j2": text}),
            autoescape=True,
            bytecode_cache=TemplateCache(tmp_path, settings),
        )
        compiled = []
        found.compile = lambda *given: compiled.append(given) or jinja2.Environment.compile(found, *given)
        return found.get_template("page.html.j2").render(name="Ann"), len(compiled)

    return fill


def kept(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_template_is_compiled_once(filled, tmp_path):
    assert filled("Dear {{ name }}") == ("Dear Ann", 1)
    assert filled("Dear {{ name }}") == ("Dear Ann", 0)
    [file] = kept(tmp_path)
    assert file.parent.name == "__pycache__"


@pytest.mark.parametrize(("text", "settings"), [("Hello {{ name }}", "plain"), ("Dear {{ name }}", "other")])
def test_another_text_or_other_settings_are_compiled_anew(filled, text, settings):
    filled("Dear {{ name }}")
    assert filled(text, settings) == (text.replace("{{ name }}", "Ann"), 1)


@pytest.mark.parametrize("left", [b"", b"j2", b"nothing that was ever compiled"])
def test_what_was_cut_off_is_compiled_anew(filled, tmp_path, left):
    filled("Dear {{ name }}")
    [file] = kept(tmp_path)
    file.write_bytes(left)
    assert filled("Dear {{ name }}") == ("Dear Ann", 1)
    assert filled("Dear {{ name }}") == ("Dear Ann", 0)


def test_nothing_is_kept_where_python_keeps_nothing(filled, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert [filled("Dear {{ name }}") for _ in range(2)] == [("Dear Ann", 1)] * 2
    assert not kept(tmp_path)


def test_a_folder_that_cannot_be_written_is_no_error(filled, tmp_path):
    (tmp_path / "__pycache__").write_text("a file in its place")
    assert [filled("Dear {{ name }}") for _ in range(2)] == [("Dear Ann", 1)] * 2
