"""A document written to a file, in the form that the file's ending asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge.errors import ParameterError
from divulge.report import comparison, comparison_markdown
from divulge.report.junit import junit
from divulge.report.markdown import markdown
from divulge.report.page import page
from divulge.report.writing import refuse_unwritable, write
from divulge.wording import flattened, plain_zeros


def as_json(document: Mapping[str, Any]) -> str:
    """The document as JSON text, in full precision."""
    return json.dumps(plain_zeros(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMS = {
    "divulge audit": {".html": page, ".json": as_json, ".md": markdown, ".xml": junit},
    "divulge comparison": {".html": comparison.page, ".json": as_json, ".md": comparison_markdown.markdown},
}


def save(document: Mapping[str, Any], path: Path) -> None:
    """Write an audit or a comparison as HTML, JSON or Markdown, an audit also as JUnit's XML."""
    forms = FORMS[document["document"]]
    form = forms.get(path.suffix.lower())
    if form is None:
        raise ParameterError(
            f"The ending of {path.name} says no form to write in.", hint=f"Use one of {', '.join(forms)}."
        )
    refuse_unwritable(path)
    write(path, form(document if form is as_json else flattened(document)))
