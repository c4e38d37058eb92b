"""What the attacker commands share: how an account is asked for, and where it goes."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.cli.commands.attackers.account_text import account_lines
from divulge.cli.requests.attacker import AccountRequest, AttackerEstimateRequest
from divulge.documents import as_json as written_json
from divulge.documents.attacker import AttackerDocument
from divulge.errors import ParameterError
from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.channel_files import read_names, read_prior_of
from divulge.estimation.channels.distance_files import distortion_of
from divulge.estimation.channels.written_names import written
from divulge.report.attacker.figures_page import page as figures_page
from divulge.report.attacker.page import page
from divulge.report.shared.writing import write
from divulge.table.codes import as_number

ENDINGS = (".csv", ".txt")  # of a file of observations


def asked_account(asked: AccountRequest, channel: Channel, **words: Any) -> AttackerDocument:
    """The account of a channel as a request asks for it."""
    return account(
        channel,
        **words,
        observations=asked.observations,
        confidence=asked.confidence,
        orders=orders_of(asked.renyi),
    )


def asked_estimate(asked: AttackerEstimateRequest, channel: Channel, **words: Any) -> AttackerDocument:
    """The same of an attacker who estimates by a distortion, perhaps with another prior in mind."""
    believed = None
    if asked.believed_prior is not None:
        believed = prior_of(asked.believed_prior, channel.inputs)
    return asked_account(
        asked,
        channel,
        **words,
        distortion=distortion_of(
            asked.distortion,
            channel.inputs,
            hierarchy=asked.secret_hierarchy,
            among_values=asked.among_values,
        ),
        guesses=asked.guesses,
        tolerance=asked.tolerance,
        abstain=asked.abstain,
        believed=believed,
    )


def prior_of(path: str, inputs: Sequence[object]) -> list[float]:
    """The probability of each secret, from a file that names them; coordinates have a semicolon between."""
    return read_prior_of(
        path,
        [written(name).replace(", ", ";") if isinstance(name, tuple) else written(name) for name in inputs],
    )


def orders_of(given: Sequence[str] | None) -> list[float]:
    """The orders of Rényi entropies, from numbers with commas between."""
    texts = [part.strip() for text in given or () for part in text.split(",")]
    orders = [math.inf if text in ("inf", "infinity") else as_number(text) for text in texts]
    strange = [text for text, order in zip(texts, orders, strict=True) if order != order]
    if strange:
        raise ParameterError(
            f"'{strange[0]}' is not an order of a Rényi entropy.",
            hint="Give numbers from 0 on, or inf, such as --renyi 0.5,3.",
        )
    return orders


def observed_of(given: str) -> list[str]:
    """Observations in their order: those of a file, or the names that were given."""
    if Path(given).is_file() or Path(given).suffix.lower() in ENDINGS:
        return read_names(given)
    return [part.strip() for part in given.split(",") if part.strip()]


def deliver_account(
    found: AttackerDocument, report: str | None, as_json: bool, *, shows_values: bool = False
) -> None:
    """Print what remains to an attacker as a page or a document, and write its report."""
    document: AttackerDocument = {**found, "shows_values": shows_values}
    if report is not None:
        write_page(document, report, shows_values=shows_values)
    lines = account_lines(document) + ([] if report is None else ["", f"Report: {report}"])
    sys.stdout.write(written_json(document) if as_json else "\n".join(lines) + "\n")


def write_page(found: AttackerDocument, report: str, *, shows_values: bool = False) -> None:
    """Write an account as a page; the letters of a model are no values of records."""
    write(Path(report), page({**found, "shows_values": shows_values}))


def deliver_figures(found: Mapping[str, Any], lines: list[str], report: str | None, as_json: bool) -> None:
    """Print figures as lines or as a document, and write their page."""
    if report is not None:
        write(Path(report), figures_page(found))
        lines = [*lines, "", f"Report: {report}"]
    sys.stdout.write(written_json(found) if as_json else "\n".join(lines) + "\n")
