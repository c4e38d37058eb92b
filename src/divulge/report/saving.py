"""A document written to a file, in the form that the file's ending asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.report import attacker, comparison, comparison_markdown, release
from divulge.report.junit import junit
from divulge.report.markdown import markdown
from divulge.report.page import page
from divulge.report.writing import refuse_unwritable, write
from divulge.wording import flattened

Form = Callable[[Mapping[str, Any]], str]


def _flat(form: Form) -> Form:
    """The form of a document whose texts are one line each."""
    return lambda document: form(flattened(document))


#: The forms that a kind of document can be written in, by the ending of the file.
FORMS: dict[str, dict[str, Form]] = {
    "audit": {".html": _flat(page), ".json": as_json, ".md": _flat(markdown), ".xml": _flat(junit)},
    "comparison": {
        ".html": _flat(comparison.page),
        ".json": as_json,
        ".md": _flat(comparison_markdown.markdown),
    },
    "attacker": {".html": attacker.page, ".json": as_json},
    "release simulation": {".html": release.page, ".json": as_json},
}


def save(document: Mapping[str, Any], path: Path) -> None:
    """Write a document as its page or as JSON, most also as Markdown, an audit also as JUnit's XML."""
    forms = FORMS[document["document"].removeprefix("divulge ")]
    form = forms.get(path.suffix.lower())
    if form is None:
        raise ParameterError(
            f"The ending of {path.name} says no form to write in.", hint=f"Use one of {', '.join(forms)}."
        )
    refuse_unwritable(path)
    write(path, form(document))
