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
from divulge.report.shared.writing import refuse_replacing
from divulge.report.shared.writing import write as save_text


def run_demo(asked: DemoRequest) -> None:
    where = Path(asked.folder)
    with progress("Making up a clinic") as stage:
        try:
            report = where / "report.html"
            if not asked.overwrite:
                refuse_replacing(report, "clinic.csv")
            paths = write(where, records=asked.size, overwrite=asked.overwrite)
            policy = Policy.read(paths["policy"])
            found = with_command(audit(policy.open(None), policy, stage=stage))
            save_text(report, page(found.document))
        except OSError as error:
            raise SourceError(f"{where} cannot be written to: {error.strerror}.") from None
    called = [str(paths["data"]), "--policy", str(paths["policy"])]
    print(text(found.document, report=str(report), called=called), end="")
    print(f"Data: {paths['data']}; policy: {paths['policy']}")
