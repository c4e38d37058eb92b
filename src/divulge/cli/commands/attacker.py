"""The attacker command on a channel or a table: from a file to numbers to a page or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy.typing as npt

from divulge._support.wording import WIDTH, aligned, many, number
from divulge.cli.outputs import number_or_dash
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import AttackerRequest
from divulge.cli.tables import split
from divulge.cli.verbosity import opened
from divulge.counting.counts import RECORD
from divulge.documents import as_json as written
from divulge.documents.attacker import AttackerDocument, BoundEntry
from divulge.errors import ParameterError, counted
from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.mechanisms.channels import attribute_channel
from divulge.questions.data import Data, read
from divulge.questions.question import Question
from divulge.recipes.recipe import Recipe
from divulge.report.attacker.page import page
from divulge.report.attacker.wording import sampled, verdict
from divulge.report.shared.lines import wrapped
from divulge.report.shared.writing import write
from divulge.source.options import OPTIONS
from divulge.table.partition_files import as_partitions

MOST_LINES = 10


def run_read(asked: AttackerRequest) -> None:
    with progress("Reading"):
        channel, words, counts, records = _channel(asked)
        document = account(
            channel,
            asked.distortion,
            **words,
            show_values=asked.show_values or asked.table is None,
            guesses=asked.guesses,
            tolerance=asked.tolerance,
            abstain=asked.abstain,
            counts=counts,
            records=records,
        )
    of_records = asked.table is not None and asked.show_values  # the letters of a channel are no records
    deliver_account(document, asked.report, asked.as_json, shows_values=of_records)


def _channel(asked: AttackerRequest) -> tuple[Channel, dict[str, Any], npt.NDArray[Any] | None, int | None]:
    """The channel, what it is called in words, and the cells and records it was counted from where it was."""
    if (asked.channel is None) == (asked.table is None):
        raise ParameterError(
            "Give either a channel or --table.",
            hint="divulge attacker CHANNEL.csv, or divulge attacker --table FILE --keys A,B --target X.",
        )
    if asked.channel is not None:
        _refuse_beside_channel(asked)
        return Channel.read(asked.channel, asked.prior), {"name": Path(asked.channel).name}, None, None
    if asked.prior is not None:
        raise ParameterError("--prior needs a channel; a table has its own prior.")
    data = opened(read(asked.table, **asked.source.given()))
    if asked.recipe is not None:
        return _released(asked, data)
    names = (*data.schema.attributes, RECORD)
    keys = split(asked.keys, data.schema.attributes)
    if not keys:
        raise ParameterError("No keys given.", hint="Name what the attacker observes: --keys A,B.")
    (target,) = split([asked.target], names)
    counts = Question(data, keys, (target,), as_partitions(asked.partitions)).classes
    cells = None if counts.cells is None else counts.matrix().T
    words = {
        "name": f"{target} by {', '.join(keys)} in {data.source.name}",
        "secret": "whose record it is" if target == RECORD else target,
        "observed": keys,
    }
    return Channel.of_counts(counts), words, cells, counts.records


def _released(asked: AttackerRequest, data: Data) -> tuple[Channel, dict[str, Any], None, None]:
    """What a recipe shows of an attribute to an attacker who knows the recipe."""
    if asked.attribute is None or asked.keys is not None:
        raise ParameterError(
            "--recipe needs --attribute, and no --keys.", hint="Name what is looked for: --attribute A."
        )
    recipe = Recipe.read(asked.recipe or "")
    (attribute,) = split([asked.attribute], data.schema.attributes)
    words = {
        "name": f"{attribute} as {Path(recipe.name).name} releases it, in {data.source.name}",
        "secret": attribute,
        "observed": (f"released {attribute}",),
    }
    return attribute_channel(data, recipe.steps, attribute), words, None, None


def _refuse_beside_channel(asked: AttackerRequest) -> None:
    """Nothing can be said of a table where there is none."""
    said = {
        "--keys": asked.keys,
        "--partitions": asked.partitions,
        "--recipe": asked.recipe,
        "--attribute": asked.attribute,
    }
    idle = [flag for flag, given in said.items() if given is not None]
    idle += [OPTIONS[name].flag for name in asked.source.given()]
    if idle:
        raise ParameterError(
            f"{', '.join(idle)} cannot be given for a channel.",
            hint=f"Give --table FILE, or leave out {', '.join(idle)}.",
        )


def _page(document: AttackerDocument) -> list[str]:
    privacy, entropies = document["privacy"], document["entropies"]
    lines = [
        f"{document['source']}: {counted(document['inputs'], 'secret')}, "
        f"{counted(document['outputs'], 'observation')}",
        "",
        *wrapped(verdict(document), "", WIDTH),
        "",
        f"The attacker's remaining error, by {document['distortion']} distortion (lower is riskier), in: "
        f"{document['error_unit']}",
        *aligned(
            ["without observing", "worst", "average", "best", "reduction"],
            [[number(privacy[name]) for name in ("prior", "worst", "average", "best", "reduction")]],
            right=range(5),
        ),
        "",
        *aligned(
            ["entropy, bits", "before", "after"],
            [[one["name"], number(one["prior"]), number(one["posterior"])] for one in entropies],
            right=(1, 2),
        ),
        "",
        *aligned(
            ["leakage", "gained", "unit", "times"],
            [
                [one["name"], _number(one["additive"]), one["unit"], _number(one["multiplicative"])]
                for one in document["leakage"]
            ],
            right=(1, 3),
        ),
        f"Maximal leakage: {number(document['maximal_leakage'])} bits",
        *sampled(document),
    ]
    if document["capacity"] is not None:
        found = document["capacity"]
        lines.append(f"Capacity: {number(found['value'])} bits, at most {found['gap']:.1g} more")
    lines.append(f"Epsilon: {_number(document['epsilon'])}{'' if document['epsilon'] is None else ' nats'}")
    lines += ["", *(_bound(one) for one in document["bounds"]), ""]
    rows = [
        [one["label"], *map(number_or_dash, (one["probability"], one["privacy"])), one["estimate"] or "-"]
        for one in document["observations"][:MOST_LINES]
    ]
    lines += aligned(["observation", "probability", "remaining error", "estimate"], rows, right=(1, 2))
    more = len(document["observations"]) - len(rows)
    return lines + ([f"  ... and {many(more)} more, with --json"] if more else [])


def _bound(one: BoundEntry) -> str:
    said = "holds" if one["holds"] else "does not hold"
    return f"{one['name']}: {_number(one['left'])} <= {_number(one['right'])} {one['unit']}, {said}"


def deliver_account(
    found: AttackerDocument, report: str | None, as_json: bool, *, shows_values: bool = False
) -> None:
    """Print what remains to an attacker as a page or a document, and write its report."""
    document: AttackerDocument = {**found, "shows_values": shows_values}
    if report is not None:
        write_page(document, report, shows_values=shows_values)
    lines = _page(document) + ([] if report is None else ["", f"Report: {report}"])
    sys.stdout.write(written(document) if as_json else "\n".join(lines) + "\n")


def write_page(found: AttackerDocument, report: str, *, shows_values: bool = False) -> None:
    """Write an account as a page; the letters of a model are no values of records."""
    write(Path(report), page({**found, "shows_values": shows_values}))


def _number(value: float | None) -> str:
    return "infinite" if value is None else number(value)
