"""What a search found: the best transformation with its recipe, those next to it, and the certificate."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden_part
from divulge._support.wording import number
from divulge.anonymization.local import LocalRecoding
from divulge.documents.making.anonymization import AnonymizationDocument
from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.search import MOST_WORK, Certificate, SearchResult, pareto_front
from divulge.generalization.transformations import Transformation
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.files import refuse_release, write_release
from divulge.recipes.frames import frame_like, is_frame
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application
from divulge.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Anonymization:
    """The transformation of least loss under which every threshold of a policy holds, and its release."""

    data: Data
    policy: Policy
    lattice: GeneralizationLattice
    result: SearchResult
    recipe: Recipe
    hierarchies: Mapping[str, Hierarchy]
    made: tuple[str, ...]  # attributes whose hierarchies were made, not given
    suppress: float  # the largest share of records that may be suppressed
    application: Application
    local: LocalRecoding | None = None  # the release, where groups have levels of their own
    given: object = field(default=None, repr=False)  # the table as it came in

    def __repr__(self) -> str:
        best = self.best
        proof = "proved best" if self.certificate.proved else "best so far"
        return f"Anonymization({self.lattice.costs.loss.name} {number(best.loss)}, {proof})"

    def _repr_html_(self) -> str:
        names = list(self.best.levels)
        rows = [
            [number(one.loss), str(hidden_part(one.suppressed, self.data.records)), str(one.classes)]
            + [str(one.levels[name]) for name in names]
            for one in self.result.best
        ]
        head = ["loss", "suppressed", "groups", *names]
        return table_view("Best transformations", head, rows, self.sentence)

    @property
    def best(self) -> Transformation:
        """The transformation of least loss."""
        return self.result.best[0]

    @property
    def certificate(self) -> Certificate:
        """How it is known that nothing better exists."""
        return self.result.certificate

    @cached_property
    def front(self) -> tuple[Transformation, ...] | None:
        """Risk against loss: what no other transformation beats in both; None where they are too many."""
        sums = self.result.sums
        if sums is None:
            table = self.lattice.table
            if table.nodes > MOST_NODES or table.nodes * len(table.keys) > MOST_WORK:
                return None
            sums = self.lattice.room()
            for _ in self.lattice.whole(sums):
                pass
        return pareto_front(self.lattice, sums)

    @property
    def sentence(self) -> str:
        """How far it is proved that nothing better exists, in words."""
        found = self.certificate
        looked = f"{found.evaluated:,} of {found.transformations:,} transformations were evaluated"
        laws = "".join(f", {nodes:,} excluded by {_LAWS[law]}" for law, nodes in found.excluded.items())
        if found.proved:
            return f"Proved best: {looked}{laws}."
        floor = number(found.bound or 0.0)
        return f"Best so far: {looked}. Those left could have a loss as low as {floor}."

    @property
    def table(self) -> Any:
        """The release: a frame of the kind that came in, or else data."""
        if is_frame(self.given):
            return frame_like(self.given, self.application.table, self.application.untouched)
        return self.policy.open(self.application.table)

    def to_dict(self) -> AnonymizationDocument:
        """Everything as plain values, ready for JSON."""
        certificate, records = self.certificate, self.data.records
        body = {
            "loss": self.lattice.costs.loss.name,
            "formula": self.lattice.costs.loss.formula,
            "suppress": self.suppress,
            "records": records,
            "quasi_identifiers": list(self.best.levels),
            "hierarchies": {
                name: {"levels": one.levels, "made": name in self.made}
                for name, one in self.hierarchies.items()
            },
            "best": self._entry(self.best),
            "next": [self._entry(one) for one in self.result.best[1:]],
            "local": self._local(),
            "front": None if self.front is None else [self._entry(one) for one in self.front],
            "certificate": {**asdict(certificate), "excluded": dict(certificate.excluded)},
            "sentence": self.sentence,
        }
        found: AnonymizationDocument = documents.headed("anonymization", body)
        return found

    def _local(self) -> dict[str, Any] | None:
        """The local recoding that was released, beside the global optimum."""
        if self.local is None:
            return None
        suppressed = int(self.lattice.table.sizes[self.local.suppressed].sum())
        return {
            "loss": self.local.loss,
            "suppressed": hidden_part(suppressed, self.data.records),
            "classes": self.local.groups,
        }

    def _entry(self, one: Transformation) -> dict[str, Any]:
        """A transformation as a document has it; few suppressed records are not counted."""
        return {
            "loss": one.loss,
            "suppressed": hidden_part(one.suppressed, self.data.records),
            "classes": one.classes,
            "risk": one.risk,
            "levels": dict(one.levels),
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the release, in the form that the ending says; .json is the document of the search."""
        to = Path(path)
        if to.suffix.lower() == ".json":
            from divulge.report.shared.writing import refuse_unwritable, write

            refuse_unwritable(to)
            write(to, documents.as_json(self.to_dict()))
            return
        refuse_release(to, overwrite=overwrite)
        write_release(self.application.table, to, overwrite=overwrite)


_LAWS = {
    "coarsening": "the coarsening law (what fails fails at every finer level)",
    "loss bound": "their loss without suppression, which is higher already",
}
