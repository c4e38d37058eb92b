"""The attacker commands on sequences: a secret that moves, and the sequences to be considered."""

from __future__ import annotations

import sys
from pathlib import Path

from divulge._support.wording import WIDTH, aligned, number
from divulge.cli.commands.attackers.accounts import deliver_figures, observed_of
from divulge.cli.requests.attacker import TraceRequest, TypicalRequest
from divulge.documents import as_json
from divulge.documents.attacker import TraceDocument, TypicalDocument
from divulge.errors import ParameterError
from divulge.estimation.attackers.trace_account import trace_account
from divulge.estimation.attackers.typical import conditionally_typical_set, typical_set
from divulge.estimation.attackers.typical_account import typical_account
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.channel_files import read_prior, read_rows_of
from divulge.estimation.channels.distance_files import distortion_of
from divulge.report.attacker.figure_wording import typical_verdict
from divulge.report.attacker.trace_page import page
from divulge.report.attacker.trace_wording import trace_verdict
from divulge.report.shared.lines import wrapped
from divulge.report.shared.writing import write

MOST_STEPS = 20


def run_trace(asked: TraceRequest) -> None:
    channel = Channel.read(asked.channel, asked.prior)
    inputs = [str(name) for name in channel.inputs]
    columns, moves = read_rows_of(asked.moves, "matrix of moves", inputs)
    if columns != inputs:
        raise ParameterError(
            f"The columns of '{Path(asked.moves).name}' are not the states of the channel, in their order.",
            hint="Write the names of the states in the header as the channel has them in its rows.",
        )
    distortion = distortion_of(asked.distortion, channel.inputs, hierarchy=asked.secret_hierarchy)
    observed = observed_of(asked.observed)
    document = trace_account(channel, moves, observed, distortion, name=Path(asked.channel).name)
    if asked.report is not None:
        write(Path(asked.report), page(document))
    lines = _trace_lines(document) + ([] if asked.report is None else ["", f"Report: {asked.report}"])
    sys.stdout.write(as_json(document) if asked.as_json else "\n".join(lines) + "\n")


def _trace_lines(found: TraceDocument) -> list[str]:
    steps = found["steps"]
    rows = [
        [
            str(step),
            one["observation"],
            one["estimate"],
            number(one["error"]),
            number(one["error_then"]),
            one["path"],
        ]
        for step, one in enumerate(steps[:MOST_STEPS], 1)
    ]
    more = len(steps) - len(rows)
    head = ["step", "observation", "estimate", "error", "error as it happened", "path"]
    return [
        *wrapped(trace_verdict(found), "", WIDTH),
        "",
        f"Error in: {found['error_unit']}",
        *aligned(
            ["", "worst step", "average", "best step"],
            [["all observations known", *(number(found[case]) for case in ("worst", "average", "best"))]],
            right=(1, 2, 3),
        ),
        f"As it happened, on average: {number(found['average_then'])}",
        f"Uncertainty of the whole path: {number(found['entropy'])} bits",
        f"Probability of these observations: 2^{number(found['log2_likelihood'])}",
        "",
        *aligned(head, rows, right=(0, 3, 4)),
        *([f"  ... and {more:,} more, with --json"] if more else []),
    ]


def run_typical(asked: TypicalRequest) -> None:
    document = _typical(asked)
    deliver_figures(document, _typical_lines(document), asked.report, asked.as_json)


def _typical(asked: TypicalRequest) -> TypicalDocument:
    """The typical set of a prior, or given what was observed through a channel."""
    if asked.channel is not None:
        if asked.prior is not None or asked.length is not None or asked.observed is None:
            raise ParameterError(
                "--channel goes with --observed, and without PRIOR.csv and --length.",
                hint="Write divulge attacker typical --channel CHANNEL.csv --observed A,B.",
            )
        channel, observed = Channel.read(asked.channel), observed_of(asked.observed)
        return typical_account(
            lambda length: conditionally_typical_set(channel, observed[:length], asked.within),
            len(observed),
            letters=len(channel.inputs),
            name=Path(asked.channel).name,
        )
    if asked.prior is None or asked.length is None or asked.observed is not None:
        raise ParameterError(
            "Give PRIOR.csv and --length, or --channel and --observed.",
            hint="Write divulge attacker typical PRIOR.csv --length N.",
        )
    names, prior = read_prior(asked.prior)
    return typical_account(
        lambda length: typical_set(prior, length, asked.within),
        asked.length,
        letters=len(names),
        name=Path(asked.prior).name,
    )


def _typical_lines(found: TypicalDocument) -> list[str]:
    return [
        *wrapped(typical_verdict(found), "", WIDTH),
        "",
        f"Entropy: {number(found['entropy'])} bits per place, give or take {number(found['epsilon'])}",
        f"All sequences: 2^{number(found['possible'])}",
    ]
