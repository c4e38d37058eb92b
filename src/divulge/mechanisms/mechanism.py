"""A mechanism: what is done to a table, with everything that is to be said about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.errors import PolicyError
from divulge.estimation.channels.channel import Channel
from divulge.mechanisms.channels import attribute_channel
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition, in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy.place import PolicyPlace
from divulge.questions.data import Data
from divulge.source.options import SUPPRESSED

Takes = Literal["any values", "numbers", "few values", "records"]


class MechanismLaw(Enum):
    """What a mechanism keeps to; each is tested on every mechanism that claims it."""

    IDEMPOTENT = "applied twice, it does what it does once"
    ORDER = "the order of rows changes nothing"
    MARGINALS = "how often each value occurs stays exactly the same"
    EXPECTED_VALUES = "each number stays the same on average"
    COARSENING = "values once together stay together: no rate for the keys it changes goes up"
    RECORDS = "no record is left out or added"


class Promise(NamedTuple):
    """What a step guarantees of its output: a name such as k, epsilon or delta, and a number."""

    name: str
    value: float
    about: str = ""  # to which attributes or under which condition


@dataclass(frozen=True, eq=False)
class Step:
    """A mechanism with attributes and parameters, at its place in a recipe."""

    mechanism: Mechanism
    attributes: tuple[str, ...]
    parameters: Mapping[str, Any]
    place: PolicyPlace
    number: int
    mark: str = SUPPRESSED  # what stands in a suppressed cell

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter, its default where nothing was said."""
        return self.parameters[name]

    def error(self, key: str | None, message: str, hint: str) -> PolicyError:
        """The error to raise where the table does not allow what the step says."""
        return (self.place / key if key else self.place).error(message, hint)


Apply = Callable[[WorkingTable, Step, Draws], WorkingTable]
#: From the values of an attribute, how many records have each (missing first), its name and the step.
MakeTransition = Callable[[Sequence[object], npt.NDArray[np.int64], str, Step], Transition]

Floats = npt.NDArray[np.float64]
#: p(released < edge) from numbers, how many records have each, edges and the step: a row for each number.
NoiseBelow = Callable[[Floats, npt.NDArray[np.int64], Floats, "Step"], Floats]


def looks_at_others(step: Step) -> bool:
    """A mechanism under which what becomes of a record depends on the other records."""
    return False


def record_by_record(step: Step) -> bool:
    """A mechanism that changes each record by itself, whatever the others are."""
    return True


def nothing_promised(step: Step) -> tuple[Promise, ...]:
    """A mechanism that guarantees nothing."""
    return ()


@dataclass(frozen=True)
class Mechanism:
    """Something that can be done to a table, and its facts.

    ``transition`` is what it does to each value where it sees one attribute of one record at a time: then it
    is a channel, and it can run where the records are. Otherwise it needs all records together.
    """

    name: str
    title: str
    apply: Apply
    random: bool
    takes: Takes
    example: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    keeps_rows: bool = True  # whether each released record is that of one original row
    seeded: bool = True  # whether the seed repeats what is drawn
    laws: frozenset[MechanismLaw] = frozenset()
    promises: Callable[[Step], tuple[Promise, ...]] = nothing_promised
    promise: str = "nothing"  # the same in words
    transition: MakeTransition | None = None
    noise_below: NoiseBelow | None = None  # p(released < edge | number), where numbers get noise of their own
    alone: Callable[[Step], bool] = looks_at_others  # whether a step changes each record by itself
    names_attributes: bool = True
    beside: tuple[str, ...] = ()  # further tables that it makes, which go out with the release
    explained: Callable[..., Any] | None = field(default=None, repr=False)

    @property
    def _doc(self) -> list[str]:
        return (inspect.getdoc(self.explained or self.apply) or "").split("\n\n")

    @property
    def drawn(self) -> str:
        """Whether anything is drawn, and from what, in words."""
        if not self.random:
            return "no"
        return "yes, drawn from the seed" if self.seeded else "yes, drawn from the system: no seed repeats it"

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return self._doc[0].replace("\n", " ")

    @property
    def explanation(self) -> str:
        """The docstring after its first sentence."""
        return "\n\n".join(part for part in self._doc[1:] if not part.startswith(">>>"))

    def channel(self, data: Data, attribute: str, **parameters: Any) -> Channel:
        """p(released | true) of an attribute, for an attacker who knows the mechanism and its parameters.

        Undefined where what becomes of a value depends on other records. Noisy numbers are in intervals.

        >>> from divulge.mechanisms import mechanism_named
        >>> from divulge.questions.data import read
        >>> flip = mechanism_named("pram").channel(read({"ill": ["no", "yes"]}), "ill", retention=0.9)
        >>> flip.matrix.round(3).tolist()
        [[0.9, 0.1], [0.1, 0.9]]
        """
        place = PolicyPlace(self.name)
        step = Step(self, (attribute,), self.read(parameters, place, Path(), (attribute,)), place, 1)
        return attribute_channel(data, [step], attribute)

    def read(
        self, given: Mapping[str, Any], place: PolicyPlace, folder: Path, attributes: Sequence[str]
    ) -> dict[str, Any]:
        """Its parameters as given, checked, and the defaults of others; paths start from a folder."""
        values = {}
        for one in self.parameters:
            if one.name in given:
                values[one.name] = one.read(given[one.name], place / one.name, folder, attributes)
            elif one.required:
                raise place.error(f"{self.name} needs '{one.name}'.", one.hint)
            else:
                values[one.name] = one.default
        return values


def by_value(**facts: Any) -> Callable[[MakeTransition], Mechanism]:
    """A mechanism that is defined by what becomes of each value."""

    def register(transition: MakeTransition) -> Mechanism:
        spared = sparing_marks(transition)
        return Mechanism(
            apply=lambda table, step, draws: apply_by_value(spared, table, step, draws),
            transition=spared,
            explained=transition,
            **facts,
        )

    return register


#: What holds where values are replaced by coarser ones, all records with a value alike.
RECODING_LAWS = frozenset({MechanismLaw.ORDER, MechanismLaw.COARSENING, MechanismLaw.RECORDS})
recoding = partial(by_value, random=False, alone=record_by_record, laws=RECODING_LAWS)


def names_mark(step: Step) -> bool:
    """Whether a step says by name what becomes of suppressed cells."""
    listed = step.parameters.get("groups")
    named = listed.values() if isinstance(listed, Mapping) else ()
    return any(isinstance(one, list | tuple) and step.mark in one for one in named)


def sparing_marks(transition: MakeTransition) -> MakeTransition:
    """The same transition, under which a suppressed cell stays suppressed, unless the step names it."""

    def spared(
        values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
    ) -> Transition:
        code = next((code for code, value in enumerate(values, 1) if value == step.mark), None)
        if code is None or names_mark(step):
            return transition(values, counts, attribute, step)
        others = counts.copy()
        others[code] = 0
        made = transition(values, others, attribute, step)
        return made.keeping(code, step.mark)

    return spared


def by_table(**facts: Any) -> Callable[[Apply], Mechanism]:
    """A mechanism that is defined by what becomes of a table."""

    def register(apply: Apply) -> Mechanism:
        return Mechanism(apply=apply, **facts)

    return register


def apply_by_value(transition: MakeTransition, table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Every attribute of a step turned into what its transition says."""
    columns = {}
    for name in step.attributes:
        column = in_canonical_order(table.column(name))
        counts = column.frequencies().astype(np.int64)
        made = transition(column.values, counts, name, step)
        columns[name] = made.apply(column, partial(draws.uniforms, name, table.draw_rows))
    return table.with_columns(columns)


def with_parameters(step: Step, **changed: Any) -> Step:
    """The same step with some parameters changed, for mechanisms made of others."""
    return replace(step, parameters={**step.parameters, **changed})
