"""Whether a table would name people in its rows and columns, whatever its cells say."""

from __future__ import annotations

from dataclasses import replace

from divulge._support.toml_text import toml_value
from divulge._support.wording import enumerated
from divulge.errors import ParameterError
from divulge.questions.data import Data
from divulge.roles.proposal import propose
from divulge.tabulation.table_policy import TablePolicy


def refuse_named_rows(data: Data, asked: TablePolicy) -> None:
    """Refuse tables by an attribute that names people: its values are published even where cells are not.

    Groups of a hierarchy name nobody, and what a policy allows was looked at.
    """
    used = dict.fromkeys(name for spec in asked.specs for table in spec.tables for name in table.by)
    shown = [name for name in used if not asked.levels.get(name) and name not in asked.allowed]
    known = [name for name in shown if name in data.schema.attributes]  # what is not is refused elsewhere
    naming = [one.attribute for one in propose(data, known) if one.names and not one.guessed] if known else []
    if naming:
        quoted, one = enumerated([f"'{name}'" for name in naming]), len(naming) == 1
        names = "names" if one else "name"
        raise ParameterError(
            f"{quoted} {names} people, and every value would be published as the name of "
            "a row or a column, suppressed cells or not.",
            hint=f"Leave {'it' if one else 'them'} out of the table. If no person is named there, allow "
            f"{'it' if one else 'them'} in a policy for tables (--policy): [allow], and below it "
            f"identifiers = {toml_value(naming)}.",
        )


def with_contributor(data: Data, asked: TablePolicy) -> TablePolicy:
    """The same, where records of one identifier that was given are one contributor's."""
    people = data.schema.identifiers
    if asked.contributor is None and len(people) == 1:
        return replace(asked, contributor=people[0])
    return asked
