"""What files of Parquet and Arrow hold beside the values of records: notes, and unused entries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import numpy as np

from divulge.source.beside.unread import Unread, of_texts
from divulge.table.codes import Codes

# Descriptions of columns and types, by the programs that write tables.
_OF_WRITERS = re.compile(
    r"ARROW:schema|pandas|org\.apache\.spark\..+|spark\..+|parquet\.(?:avro|proto)\..+|avro\.schema|writer\..+"
    r"|r|geo|huggingface|duckdb_.+|polars_.+|hive\..+|iceberg\..+|presto.+|trino.+"
)


def written_beside(noted: Mapping[bytes, bytes]) -> Iterator[Unread]:
    """The notes of a file about its table that its writer did not make of the columns alone."""
    texts = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in noted.items()}
    others = [text for key, text in texts.items() if not _OF_WRITERS.fullmatch(key)]
    others += [_noted_on_frame(texts["pandas"])] if "pandas" in texts else []
    yield from of_texts("entry of metadata", "data", dict.fromkeys(others))


def _noted_on_frame(text: str) -> str:
    """What was noted on a frame (``frame.attrs``), which pandas writes with its description and alone."""
    try:
        noted = json.loads(text).get("attributes")
    except (ValueError, AttributeError, RecursionError):
        return text
    return json.dumps(noted) if noted else ""


def unused_entries(attribute: str, codes: Codes) -> list[Unread]:
    """The texts of a dictionary that no record has, such as the categories of a frame that was filtered."""
    if isinstance(codes.values, range):
        return []
    unused = np.flatnonzero(codes.frequencies()[1:] == 0).tolist()
    texts = (str(codes.values[place]) for place in unused)
    return of_texts("category", "listed", texts, of=attribute)
