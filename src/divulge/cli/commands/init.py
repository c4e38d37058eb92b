"""The init and demo commands: a policy drafted from a proposal, and made-up data with their report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.assessment import audit
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.tables import unescaped
from divulge.data import read
from divulge.demo import write
from divulge.errors import ParameterError, SourceError
from divulge.missing_codes import declarable, missing_codes
from divulge.policy import Policy
from divulge.policy_draft import draft
from divulge.proposal import roles_to_use
from divulge.report.page import page
from divulge.report.text import text
from divulge.report.writing import write as save_text
from divulge.schema import Role
from divulge.wording import one_line


@dataclass(frozen=True)
class Draft:
    """What was asked of the init command."""

    file: str
    out: str
    force: bool
    missing: Any
    missing_values: Sequence[str] | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None


def run_init(asked: Draft) -> None:
    out = Path(asked.out)
    refuse_outputs(out, inputs=(asked.file,))
    if out.exists() and not asked.force:
        raise ParameterError(f"{out} is there already.", hint="Name another file with --out, or use --force.")
    with progress("Reading"):
        data = read(
            asked.file,
            missing=asked.missing,
            missing_values=list(asked.missing_values or ()),
            table=asked.table,
            separator=unescaped(asked.separator),
            quote=asked.quote,
            encoding=asked.encoding,
        )
        proposed = roles_to_use(data)
        looked_at = [one.attribute for one in proposed if one.role is not Role.IDENTIFIER]
        codes = missing_codes(data, looked_at)
    said = {
        "table": asked.table,
        "missing_values": list(asked.missing_values or ()) or None,
        "separator": unescaped(asked.separator),
        "quote": asked.quote,
        "encoding": asked.encoding,
    }
    policy = draft(
        _from(out, asked.file),
        proposed,
        missing=asked.missing,
        reading={k: v for k, v in said.items() if v},
        codes=codes,
    )
    save_text(out, policy)
    print(f"Wrote {out}, with roles proposed for {len(proposed)} attributes:")
    for role in Role:
        names = [one.attribute for one in proposed if one.role is role]
        print(f"  {role.value + ':':18}{one_line(', '.join(names)) or 'none'}")
    if texts := declarable(codes):
        named = ", ".join(f'"{text}"' for text in texts)
        print(f"Probably missing values: {named}. See missing_values in {out}.")
    print(f"Read it, correct it, then: divulge check --policy {out}")


def _from(policy: Path, file: str) -> str:
    """The path of the data as the policy must write it: from its own folder."""
    if "://" in file:
        return file
    try:
        return str(Path(file).resolve().relative_to(policy.resolve().parent))
    except ValueError:
        return str(Path(file).resolve())


def run_demo(folder: str, records: int) -> None:
    where = Path(folder)
    with progress("Making up a clinic") as stage:
        try:
            paths = write(where, records=records)
            policy = Policy.read(paths["policy"])
            found = audit(policy.open(None), policy, stage=stage)
            report = where / "report.html"
            save_text(report, page(found.document))
        except OSError as error:
            raise SourceError(f"{where} cannot be written to: {error.strerror}.") from None
    print(text(found.document, report=str(report)), end="")
    print(f"Data: {paths['data']}; policy: {paths['policy']}")
