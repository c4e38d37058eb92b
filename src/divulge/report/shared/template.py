"""Templates that stand beside the code, with everything they print escaped."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from divulge._support.wording import in_words, many, shortened, visible
from divulge.report.shared import formats
from divulge.report.shared.bars import bar_labels, bars
from divulge.report.shared.compiled_templates import TemplateCache
from divulge.report.shared.tables import named, target_title

#: All that what a template is compiled to depends on: no filter is applied until it is filled.
SETTINGS: dict[str, Any] = {
    "autoescape": True,
    "keep_trailing_newline": True,
    "lstrip_blocks": True,
    "optimized": False,
    "trim_blocks": True,
}


def beside(name: str) -> str:
    """The text of a file of this package."""
    return resources.files("divulge.report.templates").joinpath(name).read_text("utf-8")


def render(template: str, **context: Any) -> str:
    """A template filled; a name that it misspells is an error, and what is missing shows as a dash."""
    return _environment().get_template(template).render(context)


@jinja2.pass_context
def _shown(_: object, value: object) -> object:
    """What a template prints: a dash for nothing, and control characters made visible."""
    if value is None:
        return formats.NOTHING
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _there(name: str) -> str | None:
    """The text of a template, None where there is none of that name."""
    return beside(name) if resources.files("divulge.report.templates").joinpath(name).is_file() else None


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(_there),
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        bytecode_cache=TemplateCache(Path(__file__).parents[1] / "templates", SETTINGS),
        **SETTINGS,
    )
    found.filters |= {
        "bar_labels": bar_labels,
        "bars": bars,
        "capitalize_first": lambda words: words[:1].upper() + words[1:],
        "cell": formats.cell,
        "clipped": formats.clipped,
        "count": many,
        "in_words": in_words,
        "listing": formats.listing,
        "options": options,
        "shortened": shortened,
        "sorting": sorting,
        "target_title": target_title,
        "with_parameters": named,
    }
    return found


def options(words: str) -> Markup:
    """Words in which no option of the command line is broken at its hyphens.

    >>> options("Give its size (--population).")
    Markup('Give its size <span class="option">(--population)</span>.')
    """
    whole = r'<span class="option">\g<0></span>'
    return Markup(re.sub(r"\(?--[a-z][a-z-]*\)?", whole, str(escape(visible(words)))))


def sorting(value: object) -> str:
    """What a table is sorted by where a cell shows something else; nothing goes last.

    >>> [sorting(value) for value in (12, 0.5, "<5", None)]
    ['12', '0.5', '4.5', '']
    """
    if isinstance(value, str) and re.fullmatch(r"[<>]\d+", value):  # a count that is hidden
        return str(float(value[1:]) + (-0.5 if value[0] == "<" else 0.5))
    return "" if value is None else str(value)
