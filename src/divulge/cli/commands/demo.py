"""The demo command: made-up data with planted problems, their policy and their report."""

from __future__ import annotations

from pathlib import Path

from divulge.assessment import audit
from divulge.cli.command_line import with_command
from divulge.cli.progress import progress
from divulge.cli.requests.tools import DemoRequest
from divulge.demo import write
from divulge.errors import SourceError
from divulge.policy import Policy
from divulge.report.audit.page import page
from divulge.report.audit.text import text
from divulge.report.shared.writing import write as save_text


def run_demo(asked: DemoRequest) -> None:
    where = Path(asked.folder)
    with progress("Making up a clinic") as stage:
        try:
            paths = write(where, records=asked.size)
            policy = Policy.read(paths["policy"])
            found = with_command(audit(policy.open(None), policy, stage=stage))
            report = where / "report.html"
            save_text(report, page(found.document))
        except OSError as error:
            raise SourceError(f"{where} cannot be written to: {error.strerror}.") from None
    print(text(found.document, report=str(report)), end="")
    print(f"Data: {paths['data']}; policy: {paths['policy']}")
