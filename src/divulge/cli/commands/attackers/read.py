"""The attacker command on a channel or a table: from a file to numbers to a page or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt

from divulge.cli.commands.attackers.accounts import asked_estimate, deliver_account
from divulge.cli.progress import progress
from divulge.cli.requests.attacker import AttackerRequest
from divulge.cli.tables import split
from divulge.cli.verbosity import opened
from divulge.counting.counts import RECORD
from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.mechanisms.channels import attribute_channel
from divulge.questions.data import Data, read
from divulge.questions.question import Question
from divulge.recipes.recipe import Recipe
from divulge.source.options import OPTIONS
from divulge.table.partition_files import as_partitions


def run_read(asked: AttackerRequest) -> None:
    with progress("Reading"):
        channel, words, counts, records = _channel(asked)
        document = asked_estimate(
            asked,
            channel,
            **words,
            show_values=asked.show_values or asked.file is None,
            counts=counts,
            records=records,
        )
    of_records = asked.file is not None and asked.show_values  # the letters of a channel are no records
    deliver_account(document, asked.report, asked.as_json, shows_values=of_records)


def _channel(asked: AttackerRequest) -> tuple[Channel, dict[str, Any], npt.NDArray[Any] | None, int | None]:
    """The channel, what it is called in words, and the cells and records it was counted from where it was."""
    if (asked.channel is None) == (asked.file is None):
        raise ParameterError(
            "Give either a channel or --file.",
            hint="divulge attacker CHANNEL.csv, or divulge attacker --file FILE --keys A,B --target X.",
        )
    if asked.channel is not None:
        _refuse_beside_channel(asked)
        return Channel.read(asked.channel, asked.prior), {"name": Path(asked.channel).name}, None, None
    if asked.prior is not None:
        raise ParameterError("--prior needs a channel; a table has its own prior.")
    data = opened(read(asked.file, **asked.source.given()))
    if asked.recipe is not None:
        return _released(asked, data)
    if asked.observations is not None:
        raise ParameterError(
            "Who sees the keys of a record again learns nothing new from them.",
            hint="Leave out --observations, or give --recipe for values that are drawn again each time.",
        )
    names = (*data.schema.attributes, RECORD)
    keys = split(asked.keys, data.schema.attributes)
    if not keys:
        raise ParameterError("No keys given.", hint="Name what the attacker observes: --keys A,B.")
    targets = split(asked.target or [RECORD], names)
    counts = Question(data, keys, targets, as_partitions(asked.partitions)).classes
    cells = None if counts.cells is None else counts.matrix().T
    words = {
        "name": f"{', '.join(targets)} by {', '.join(keys)} in {data.source.name}",
        "secret": "whose record it is" if targets == (RECORD,) else ", ".join(targets),
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
            hint=f"Give --file FILE, or leave out {', '.join(idle)}.",
        )
