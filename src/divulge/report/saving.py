"""A document written to a file, in the form that the file's ending asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from divulge._support.wording import flattened
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.report.anonymization import markdown as search_markdown
from divulge.report.anonymization import page as search_page
from divulge.report.attacker import figures_page, trace_page
from divulge.report.attacker import page as attacker_page
from divulge.report.audit.junit import junit
from divulge.report.audit.markdown import markdown
from divulge.report.audit.page import page
from divulge.report.comparison import markdown as comparison_markdown
from divulge.report.comparison import page as comparison_page
from divulge.report.release import page as release_page
from divulge.report.reproduction import markdown as reproduction_markdown
from divulge.report.reproduction import page as reproduction_page
from divulge.report.shared.writing import refuse_unwritable, write
from divulge.report.table import markdown as table_markdown
from divulge.report.table import page as table_page

Form = Callable[[Mapping[str, Any]], str]


def _flat(form: Form) -> Form:
    """The form of a document whose texts are one line each."""
    return lambda document: form(flattened(document))


#: The forms that a kind of document can be written in, by the ending of the file.
FORMS: dict[str, dict[str, Form]] = {
    "audit": {".html": _flat(page), ".json": as_json, ".md": _flat(markdown), ".xml": _flat(junit)},
    "comparison": {
        ".html": _flat(comparison_page.page),
        ".json": as_json,
        ".md": _flat(comparison_markdown.markdown),
    },
    "attacker": {".html": attacker_page.page, ".json": as_json},
    "trace": {".html": trace_page.page, ".json": as_json},
    **{kind: {".html": figures_page.page, ".json": as_json} for kind in figures_page.KINDS},
    "reproduction": {
        ".html": reproduction_page.page,
        ".json": as_json,
        ".md": reproduction_markdown.markdown,
    },
    "release simulation": {".html": release_page.page, ".json": as_json},
    "table": {
        ".html": _flat(table_page.page),
        ".json": as_json,
        ".md": _flat(table_markdown.markdown),
    },
    "anonymization": {
        ".html": _flat(search_page.page),
        ".json": as_json,
        ".md": _flat(search_markdown.markdown),
    },
}


def form_for(kind: str, path: Path) -> Form:
    """The form that the ending of a file asks for; refused where a kind of document has none of that name."""
    forms = FORMS[kind]
    form = forms.get(path.suffix.lower())
    if form is None:
        raise ParameterError(
            f"The ending of {path.name} is not a known format.", hint=f"Use one of {', '.join(forms)}."
        )
    return form


def save(document: Mapping[str, Any], path: Path) -> None:
    """Write a document as its page or as JSON, most also as Markdown, an audit also as JUnit's XML."""
    form = form_for(document["document"].removeprefix("divulge "), path)
    refuse_unwritable(path)
    write(path, form(document))
