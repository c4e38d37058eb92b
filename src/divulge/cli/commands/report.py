"""The report command: a document that was saved as JSON, drawn as its page."""

from __future__ import annotations

from pathlib import Path

from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.tools import DrawRequest
from divulge.documents.files import read_document
from divulge.errors import SourceError
from divulge.report.saving import FORMS, save
from divulge.report.shared.writing import refuse_replacing

HINT = (
    "Give what divulge audit, check, compare, anonymize, table, attacker or release simulate printed with "
    "--json, unchanged and complete."
)


def run_report(asked: DrawRequest) -> None:
    file = Path(asked.file)
    page = Path(f"{file.stem}.html" if asked.out is None else asked.out)
    if file.is_file() and file.read_bytes()[:1] == b"<":
        raise SourceError(
            f"{file} is a page already: open it in a browser.",
            hint="To draw a page, give the document that the command printed with --json.",
        )
    refuse_outputs(page, inputs=(asked.file,))
    if not asked.overwrite:
        refuse_replacing(page)
    document = read_document(file, FORMS, HINT)
    with progress("Drawing"):
        try:
            save(document, page)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # its words may hold values
            raise SourceError(
                f"The file {file} has impossible numbers and cannot be drawn.", hint=HINT
            ) from None
    print(f"Report: {page}")
