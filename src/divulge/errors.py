"""Every error divulge raises on purpose.

    DivulgeError
    ├── SourceError            the data cannot be read as a table
    │   ├── MissingSource      no such file or table
    │   ├── EmptySource        nothing in it, or a header without records
    │   ├── DuplicateAttribute a column name stands twice
    │   └── MissingLibrary     reading this needs a package that is not installed
    ├── UnknownAttribute       a name that is not in the source
    ├── SchemaError            roles, keys, target or weights contradict each other or the data
    ├── PartitionError         a partition or hierarchy is not one, or does not cover the data
    ├── UnknownMeasure         a name that is not in the registry
    ├── ParameterError         a measure was given a parameter it cannot use
    ├── PolicyError            a policy cannot be read or asks for what makes no sense, and where
    │   └── RecipeError        the same of a recipe, or a step that the table does not allow
    ├── QueryError             a query is not one of those that a guarded table answers
    ├── CannotProtect          cells of a table that nothing of what was asked for protects
    ├── TooMuch                it would need more memory or time than there is, and how much
    ├── ReleaseError           a request to the release service cannot be carried out
    │   ├── Unavailable        nothing was decided, or it is not known: ask again with the same key
    │   ├── Conflict           it contradicts what was asked or decided before
    │   ├── NotFound           no such dataset, record or ticket for this key
    │   ├── Forbidden          the role of the key does not allow this
    │   └── (Unauthorized, Invalid, TooLarge and TooMany are said at the service's door alone)
    └── Undefined              the measure has no value here, and why

A message says what was asked, what was found and what to try. It names attributes, counts and limits,
never the values in records: errors end up in logs, and a log is a release.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from divulge._support.header import DoubtfulName, names_look_like_values


class DivulgeError(Exception):
    """Base of all errors on purpose: a sentence for the user, and a hint where there is one."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


class SourceError(DivulgeError):
    """The data cannot be read as a table."""


class MissingSource(SourceError):
    """No such file or table."""


class EmptySource(SourceError):
    """Nothing in it, or a header without records."""


class DuplicateAttribute(SourceError):
    """A column name stands twice, so a name does not say which column is meant."""


def installing(extra: str) -> str:
    """How to install an extra, from an index of packages and from a checkout, which may be on none."""
    return f"pip install 'divulge[{extra}]', in a checkout: pip install '.[{extra}]'"


class MissingLibrary(SourceError):
    """Reading this, or working it out, needs a package that is not installed."""

    def __init__(self, what: str, package: str, extra: str, *, doing: str = "Reading") -> None:
        super().__init__(
            f"{doing} {what} needs the package '{package}', which is not installed.",
            hint=f"Install the extra '{extra}' with: {installing(extra)}",
        )
        self.package = package
        self.extra = extra


class UnknownAttribute(DivulgeError):
    """A name that is not in the source."""

    def __init__(self, asked: str, attributes: Sequence[str], where: str = "the source") -> None:
        hint = attribute_suggestion(asked, _shown(attributes))
        if not hint and len(attributes) == 1:
            hint = "It has a single attribute: is the separator right?"
        super().__init__(
            f"No attribute '{asked}' in {where}, which has {listed_attributes(attributes)}.", hint=hint
        )
        self.asked = asked
        self.attributes = tuple(attributes)


class SchemaError(DivulgeError):
    """Roles, keys, target or weights contradict each other or the data."""


class PartitionError(DivulgeError):
    """A partition or hierarchy is not one, or does not cover the data."""


class UnknownMeasure(DivulgeError):
    """A name that is not in the registry."""

    def __init__(self, asked: str, known: Sequence[str]) -> None:
        hint = suggestion(asked, known) or "List them with: divulge guide measures"
        super().__init__(f"Unknown measure: '{asked}'.", hint=hint)
        self.asked = asked


class ParameterError(DivulgeError):
    """A measure was given a parameter it cannot use."""


class PolicyError(DivulgeError):
    """A policy cannot be read, or asks for what makes no sense; the message leads to the place."""

    def __init__(
        self, path: str, key: str | None, message: str, *, line: int | None = None, hint: str | None = None
    ) -> None:
        place = [path, f"line {line}" if line is not None else None, key]
        super().__init__(f"{', '.join(filter(None, place))}: {message}", hint=hint)
        self.path = path
        self.key = key
        self.line = line


class RecipeError(PolicyError):
    """A recipe cannot be read, asks for what makes no sense, or for what the table does not allow."""


class QueryError(DivulgeError):
    """A query is not one of those that a guarded table answers; the message says what is in the way."""


class CannotProtect(DivulgeError):
    """Cells of a table that nothing of what was asked for protects; ``cells`` names them, no message does."""

    def __init__(self, message: str, *, hint: str | None = None, cells: Sequence[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.cells = tuple(cells)


class TooMuch(DivulgeError):
    """What was asked would need more memory or time than it may take; the message has the estimate."""


class ReleaseError(DivulgeError):
    """A request to the release service cannot be carried out."""


class Unavailable(ReleaseError):
    """Nothing was decided, or it is not known whether it was: ask again with the same key."""


class Conflict(ReleaseError):
    """It contradicts what was asked or decided before."""


class NotFound(ReleaseError):
    """No such dataset, record or ticket for this key."""


class Forbidden(ReleaseError):
    """The role of the key does not allow this."""


class Undefined(DivulgeError):
    """The measure has no value on these counts; the message is the reason."""


def listing(names: Sequence[str], most: int = 12) -> str:
    """The names in one line, the tail of a long list counted instead of spelled out."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def listed_attributes(names: Sequence[str]) -> str:
    """The names of attributes in one line; only their number where they may be values of a record.

    >>> listed_attributes(["age", "sex"]), listed_attributes(["34", "M", "flu"])
    ('age, sex', '3 attributes, whose names may be values and are not shown')
    >>> listed_attributes(["age", DoubtfulName("Ann"), DoubtfulName("Bo")])
    'age and 2 more, whose names may be values and are not shown'
    """
    shown = [name if len(name) <= 60 else f"{name[:59]}…" for name in _shown(names)]
    hidden = len(names) - len(shown)
    count = f"{listing(shown)} and {hidden} more" if shown else counted(hidden, "attribute")
    return f"{count}, whose names may be values and are not shown" if hidden else listing(shown)


def _shown(names: Sequence[str]) -> list[str]:
    """The names that a message may repeat; none if one of them looks like a value."""
    sure = [name for name in names if not isinstance(name, DoubtfulName)]
    return [] if names_look_like_values(sure) else sure


def counted(n: int, noun: str) -> str:
    """The number with its noun: '1 value', '2 values', '3 classes', '30,162 records'."""
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}{'es' if noun.endswith('s') else 's'}"


def not_among(asked: str, known: Sequence[str], what: str) -> tuple[str, str]:
    """The message and the hint where something is none of a few words.

    >>> not_among("dorp", ("value", "drop"), "way")
    ("Unknown way: 'dorp'.", "Did you mean 'drop'? Choose value or drop.")
    """
    choose = f"Choose {', '.join(known[:-1])} or {known[-1]}."
    meant = suggestion(asked, known)
    return f"Unknown {what}: '{asked}'.", f"{meant} {choose}" if meant else choose


def suggestion(asked: str, names: Iterable[str]) -> str | None:
    """'Did you mean ...?' when a known name comes near the asked one, whatever its case."""
    by_folded = {name.casefold().strip(): name for name in names if not isinstance(name, DoubtfulName)}
    near = difflib.get_close_matches(asked.casefold().strip(), by_folded, n=1, cutoff=0.6)
    return f"Did you mean '{by_folded[near[0]]}'?" if near else None


def attribute_suggestion(asked: str, names: Iterable[str]) -> str | None:
    """The same for an attribute, which may be called anything: it is misspelled, or part of a longer name.

    >>> attribute_suggestion("zip_code", ["age", "Zipcode"]), attribute_suggestion("code", ["Zipcode"])
    ("Did you mean 'Zipcode'?", "Did you mean 'Zipcode'?")
    >>> attribute_suggestion("alter", ["water"]), attribute_suggestion("patient_id", ["patient_age"])
    (None, None)
    """
    word = asked.casefold().strip()
    most = 2 if len(word) >= 8 else 1
    near = [name for name in names if _within(word, name.casefold().strip(), most)]
    return suggestion(asked, near)


def _within(word: str, name: str, errors: int) -> bool:
    return word in name or name in word or _typing_errors(word, name) <= errors


def _typing_errors(one: str, other: str) -> int:
    """Letters added, left out, replaced or exchanged with the next one, between two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(row[-1] + 1, before[j] + 1, before[j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], above[j - 2] + 1)
    return row[-1]


def file_suggestion(asked: str, names: Iterable[str]) -> str | None:
    """The same for a file: that names end alike says nothing of what was meant.

    >>> file_suggestion("adlt.csv", ["adult.csv", "one.csv"]), file_suggestion("nope.csv", ["one.csv"])
    ("Did you mean 'adult.csv'?", None)
    """
    by_stem = {name.rpartition(".")[0] or name: name for name in names}
    stem = asked.rpartition(".")[0] or asked
    if stem in by_stem:
        return f"Did you mean '{by_stem[stem]}'?"
    found = difflib.get_close_matches(stem.casefold(), [one.casefold() for one in by_stem], n=1, cutoff=0.7)
    near = next((name for one, name in by_stem.items() if found and one.casefold() == found[0]), None)
    return f"Did you mean '{near}'?" if near else None
