"""Hierarchies as files of ARX and ARGUS, in and out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from divulge.anonymization.recipe_text import hierarchy_text
from divulge.errors import ParameterError, PartitionError, counted
from divulge.explore.choosing.choices import Rows
from divulge.explore.choosing.hierarchy_edits import rows_of
from divulge.source.options import SUPPRESSED
from divulge.table.argus_files import RECODING, TREE, recoding_rows, recoding_text, tree_rows, tree_text
from divulge.table.hierarchy import Hierarchy

ROWS = ".csv"
FORMS = (ROWS, TREE, RECODING)


def form_of(name: object) -> str:
    """The form of a file by its ending: rows as ARX has them, unless it is one of ARGUS."""
    ending = re.search(r"\.[a-z]+$", str(name).lower())
    return ending[0] if ending and ending[0] in FORMS else ROWS


def rows_from_files(tree: Hierarchy, files: object, leader: object = "") -> Rows:
    """A hierarchy from files, each with a ``name`` and a ``text``; several are recodings, each a level.

    Every value of the one that is replaced must be there.
    """
    if not isinstance(files, list) or not files or not all(isinstance(one, Mapping) for one in files):
        raise ParameterError("No file was given.", hint="Choose one, or paste its text.")
    texts = [(form_of(one.get("name", "")), str(one.get("text", ""))) for one in files]
    forms = {form for form, _ in texts}
    if forms == {RECODING}:
        return _levels([recoding_rows(text, tree.values) for _, text in texts], tree)
    if len(texts) > 1:
        raise ParameterError(
            "Several files make one hierarchy only where each is a recoding (.grc).", hint="Choose one file."
        )
    form, text = texts[0]
    if form == TREE:
        found = Hierarchy.of(tree_rows(text, leader=str(leader)), attribute=tree.attribute)
    else:
        found = Hierarchy.from_text(text.removeprefix("\ufeff"), attribute=tree.attribute)
    known = set(found.values)
    lacking = [value for value in tree.values if value and value != SUPPRESSED and value not in known]
    if lacking:
        raise PartitionError(
            f"The file lacks {counted(len(lacking), 'value')} of the {len(tree.values)} "
            f"that '{tree.attribute}' has.",
            hint="Add a line for each, or say which values mean missing.",
        )
    return rows_of(found)


def _levels(recodings: Sequence[Sequence[tuple[str, ...]]], tree: Hierarchy) -> Rows:
    """Recodings as levels, the finest first, and all values together above them."""
    levels = sorted(([row[1] for row in rows] for rows in recodings), key=lambda one: -len(set(one)))
    if len(set(levels[-1])) > 1:
        levels.append([SUPPRESSED for _ in tree.values])
    rows = tuple(
        (value, *(name or "(missing)" for name in names))
        for value, *names in zip(tree.values, *levels, strict=True)
    )
    return rows_of(Hierarchy.of(rows, attribute=tree.attribute))


def written_file(tree: Hierarchy, form: object, level: object = 0) -> dict[str, Any]:
    """A hierarchy as a file: its name and its text; a recoding is of one level."""
    if form not in FORMS:
        raise ParameterError(
            "A hierarchy is not written in this form.", hint=f"Forms are {', '.join(FORMS)}."
        )
    name = re.sub(r"[^\w.-]+", "_", tree.attribute)
    if form == ROWS:
        return {"name": f"hierarchy-{name}{ROWS}", "text": hierarchy_text(tree)}
    if form == TREE:
        return {"name": f"hierarchy-{name}{TREE}", "text": tree_text(rows_of(tree), tree.attribute)}
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= tree.levels:
        raise ParameterError("A recoding is of a level from 1 on.", hint="Move the slider first.")
    text = recoding_text(rows_of(tree), level, tree.attribute)
    return {"name": f"recoding-{name}-{level}{RECODING}", "text": text}
