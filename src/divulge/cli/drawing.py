"""The report command: a document that was saved as JSON, drawn as its page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

HINT = (
    "Give what divulge audit, check, compare, attacker or release simulate printed with --json, "
    "unchanged and whole."
)


def report(
    file: Annotated[
        str, typer.Argument(metavar="FILE.json", help="An audit, comparison, attacker or release document.")
    ],
    out: Annotated[
        Optional[str],  # noqa: UP045 - what typer reads
        typer.Option(
            "--out", metavar="PAGE.html", help="Where to write it. Default: the file's name, .html."
        ),
    ] = None,
) -> None:
    """Draw a document saved with --json as its page."""
    from divulge.cli.delivering import refuse_outputs
    from divulge.cli.progress import progress
    from divulge.documents.files import read_document
    from divulge.report.saving import FORMS, save

    page = Path(f"{Path(file).stem}.html" if out is None else out)
    refuse_outputs(page, inputs=(file,))
    document = read_document(Path(file), FORMS, HINT)
    with progress("Drawing"):
        save(document, page)
    print(f"Report: {page}")
