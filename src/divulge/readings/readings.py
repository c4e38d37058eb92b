"""The readings of several measures on one question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from divulge import documents
from divulge._support.small_counts import exact_counts as exact
from divulge._support.small_counts import hide_counts
from divulge._support.stages import Stage, Steps, silent
from divulge._support.threads import cached_property
from divulge.documents.readings import ReadingsDocument
from divulge.errors import Undefined
from divulge.measures import identifier as identifiers
from divulge.measures.identifier import IdentifierClass
from divulge.questions.question import Question
from divulge.readings import chance as chances
from divulge.readings.chance import Association
from divulge.readings.frames import FrameColumn, Kind, frame, picked
from divulge.readings.printable_reading import rounded
from divulge.readings.reading import Reading, readings_view

if TYPE_CHECKING:
    from divulge.report.shared.plots import Plot

COLUMNS = {
    "reading": str,
    "measure": str,
    "value": float,
    "undefined": str,
    "unit": str,
    "riskier": str,
    "chance": float,
    "chance_undefined": str,
    "chance_method": str,
    "adjusted": float,
    "p_value": float,
}
IN_POPULATION = {"population_kind": str, "population_low": float, "population_high": float}


@dataclass(frozen=True, eq=False)
class Readings(Sequence[Reading]):
    """The readings of several measures on one question, sharing counts and shuffles."""

    question: Question
    readings: tuple[Reading, ...]
    seed: int = chances.SEED
    stage: Stage = silent

    @overload
    def __getitem__(self, which: str | int) -> Reading: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Reading, ...]: ...
    def __getitem__(self, which: str | int | slice) -> Reading | tuple[Reading, ...]:
        """A reading by its measure's name or its place."""
        if isinstance(which, str):
            found = [r for r in self.readings if which in (r.name, r.measure.name)]
            if not found:
                raise KeyError(which)
            return found[0]
        return self.readings[which]

    def _repr_html_(self) -> str:
        return readings_view(self.readings, self.question)

    def __len__(self) -> int:
        return len(self.readings)

    def __iter__(self) -> Iterator[Reading]:
        return iter(self.readings)

    @cached_property
    def association(self) -> Association | None:
        """Whether keys and target are related at all, by how much unrelated data of this shape tell."""
        return chances.association(self.question.counts, self.seed)

    @cached_property
    def identifier_class(self) -> IdentifierClass | None:
        """What kind of identifier the keys are together; None where that is undefined."""
        return _identifier_class(self.question)[0]

    @cached_property
    def identifier_classes(self) -> dict[str, IdentifierClass | None]:
        """What kind of identifier each key is alone, on the records that all of them are read on."""
        return {key: found for key, (found, _) in self._key_by_key.items()}

    @cached_property
    def _key_by_key(self) -> dict[str, tuple[IdentifierClass | None, str | None]]:
        if len(self.question.keys) == 1:
            return {self.question.keys[0]: _identifier_class(self.question)}
        self.stage("Counting key by key")
        alone = (
            Question(
                q.data,
                (key,),
                q.target,
                {n: p for n, p in q.partitions.items() if n in (key, *q.target)},
                among=q.keys,
            )
            for q in [self.question]
            for key in Steps(self.stage, len(q.keys)).each(q.keys)
        )
        return {question.keys[0]: _identifier_class(question) for question in alone}

    def _identifier_classes_undefined(self) -> dict[str, Any]:
        """Why keys, together or one by one, have no kind; nothing where they have one."""
        together, reason = _identifier_class(self.question)
        alone = {key: why for key, (_, why) in self._key_by_key.items() if why is not None}
        found: dict[str, Any] = {} if together else {"identifier_class_undefined": reason}
        return found | ({"identifier_classes_undefined": alone} if alone else {})

    def to_dict(
        self,
        *,
        by_value: bool = False,
        most: int | None = None,
        exact_counts: bool = False,
        sample: bool = False,
    ) -> ReadingsDocument:
        """Everything as plain values, ready for JSON."""
        question, data = self.question, self.question.data
        with exact(exact_counts):
            people = hide_counts(
                {
                    "records": data.records,
                    "counted": question.records,
                    "suppressed": question.suppressed_records,
                    "dropped": question.dropped_records,
                }
            )
        contents = {
            "data": {
                "source": data.source.name,
                **people,
                "classes": question.counts.classes,
                "missing": data.missing,
                "weights": data.weights,
            },
            "keys": list(question.keys),
            "target": question.target_name,
            "partitions": {name: list(partition.domains) for name, partition in question.partitions.items()},
            "identifier_class": _text(self.identifier_class),
            "identifier_classes": {key: _text(found) for key, found in self.identifier_classes.items()},
            **self._identifier_classes_undefined(),
            "association": self._association(exact_counts),
            "seed": self.seed,
            "readings": [
                r.to_dict(by_value=by_value, most=most, exact_counts=exact_counts, sample=sample)
                for r in self.readings
            ],
        }
        return documents.headed("readings", contents)

    def _association(self, exact_counts: bool) -> dict[str, Any] | None:
        if self.association is None:
            return None
        with exact(exact_counts):
            return {
                name: rounded(value, self.question)
                if isinstance(value, float) and name != "p_value"
                else value
                for name, value in vars(self.association).items()
            }

    def to_frame(self, *, kind: Kind | None = None) -> Any:
        """A line for each reading, as a frame of pandas or Polars: the kind that came in, or ``kind``.

        Where neither came in it is one of pandas, or of Polars where pandas is not installed.
        """
        return frame(self.columns(), self.question.data.source.name, kind)

    def columns(self) -> dict[str, FrameColumn]:
        """The columns of the frame, whatever library is there; the population's where that was asked for."""
        rows = [{**one.to_dict(), "reading": one.name} for one in self.readings]
        if all(one.interval is None for one in self.readings):
            return picked(rows, COLUMNS)
        for row in rows:
            row |= {f"population_{name}": row["in_population"][name] for name in ("kind", "low", "high")}
        return picked(rows, COLUMNS | IN_POPULATION)

    def plot(self, name: str | None = None) -> Plot:
        """The readings from 0 to 1 as a chart that shows itself in a notebook."""
        from divulge.report.audit.reading_charts import READING_CHARTS
        from divulge.report.shared.plots import plotted

        return plotted(READING_CHARTS, self.to_dict(), name)


def _identifier_class(question: Question) -> tuple[IdentifierClass | None, str | None]:
    """The kind of identifier that keys are, or why that is not known."""
    try:
        return identifiers.identifier_class(question.counts), None
    except Undefined as undefined:
        return None, undefined.message


def _text(found: IdentifierClass | None) -> str | None:
    return None if found is None else found.value
