"""What a search found: the best transformation with its recipe, those next to it, and the certificate."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from divulge._support.threads import cached_property
from divulge._support.wording import amount
from divulge.anonymization.inputs import person_of
from divulge.anonymization.local import LocalRecoding
from divulge.anonymization.recipe_text import recipe_files
from divulge.anonymization.release import others_named, people_checks, policy_checks, release_checks
from divulge.anonymization.result.document import search_document
from divulge.anonymization.result.front import Front, front_of
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.provenance import Provenance
from divulge.documents.making.anonymization import AnonymizationDocument
from divulge.engines.opening import is_elsewhere
from divulge.errors import ParameterError
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.search import Certificate, SearchResult
from divulge.generalization.transformations import Transformation
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.files import refuse_existing, refuse_release, write_release
from divulge.recipes.frames import frame_like, is_frame
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application, is_table_name, make_release
from divulge.report.shared.plots import Plot, plotted
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
    provenance: Provenance = field(default_factory=lambda: Provenance("", ()), repr=False)
    proposed: bool = False  # whether nobody gave roles
    tables: Mapping[str, Any] | None = field(default=None, repr=False)  # of a policy that has no file
    layout: str | None = field(default=None, repr=False)  # of a release of fixed width, before the policy's
    left_out: bool = False  # whether suppressed records are not in the release
    asked_to_leave_out: bool = False
    whole: Data | None = field(default=None, repr=False)  # the table where it is, before records came over
    seed: int | None = field(default=None, repr=False)
    recoded: bool = False  # whether ``data`` has one value for each group, and is no original
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        proof = "proved best" if self.certificate.proved else "best so far"
        return f"Anonymization({self.lattice.costs.loss.name} {amount(self.loss)}, {proof})"

    def __str__(self) -> str:
        from divulge.report.anonymization.text import text

        return text(search_document(self, front=False))

    def _repr_html_(self) -> str:
        from divulge.report.anonymization.notebook import notebook

        return notebook(self.to_dict())

    @property
    def name(self) -> str:
        """What the table is called."""
        return self.provenance.files[0].name if self.provenance.files else self.data.source.name

    @property
    def best(self) -> Transformation:
        """The transformation of least loss."""
        return self.result.best[0]

    @property
    def loss(self) -> float:
        """The loss of the release: of the best transformation, or of the local recoding."""
        return self.best.loss if self.local is None else self.local.loss

    @property
    def suppressed_records(self) -> int:
        """How many records are suppressed in the release, whether they are marked or left out."""
        if self.local is None or self.local.alike:
            return self.best.suppressed
        return int(self.lattice.table.sizes[self.local.suppressed].sum())

    @property
    def certificate(self) -> Certificate:
        """How it is known that nothing better exists."""
        return self.result.certificate

    @cached_property
    def checks(self) -> list[AnyCheck]:
        """The checks of the policy on the release, as ``divulge check`` makes them."""
        found = release_checks(self.application.table, self.policy)
        if not self.stayed:
            return found
        return others_named(found, self.original, self.application.table.attributes, self.policy)

    @property
    def original(self) -> Data:
        """The table with all its attributes, wherever it is."""
        return self.data if self.whole is None else self.whole

    @property
    def stayed(self) -> bool:
        """Whether combinations came over, and the release is made where the table is."""
        return self.recoded or self.application.table.times is not None

    @cached_property
    def checks_by_people(self) -> list[AnyCheck]:
        """The same, those that count people read while identifiers still say whose records are whose."""
        if person_of(self.data) is None:
            return self.checks
        counted = people_checks(self.data, self.recipe, self.policy)
        by_name = {(one.name, one.asked): one for one in counted}
        return [by_name.get((one.name, one.asked), one) for one in self.checks]

    @cached_property
    def checks_before(self) -> list[AnyCheck]:
        """The checks of the policy on the original."""
        return policy_checks(self.original if self.stayed else self.data, self.policy)

    @property
    def front(self) -> Front | None:
        """Risk against loss: what no other transformation beats in both; None where it is not known."""
        return self.front_or_reason[0]

    @property
    def front_or_reason(self) -> tuple[Front | None, str | None]:
        """The front, or why it is not known."""
        return self.find_front(lambda done, of: None)

    def find_front(self, step: Callable[[int, int], None]) -> tuple[Front | None, str | None]:
        """Find the front, which is found once; ``step`` is told how far that is."""
        if "front" not in self._known:
            self._known["front"] = front_of(self.lattice, self.result, step)
        found: tuple[Front | None, str | None] = self._known["front"]
        return found

    @property
    def sentence(self) -> str:
        """How far it is proved that nothing better exists, in words."""
        found = self.certificate
        looked = f"{found.evaluated:,} of {found.transformations:,} transformations were evaluated"
        laws = "".join(f", {nodes:,} excluded by {_LAWS[law]}" for law, nodes in found.excluded.items())
        if found.proved:
            local = " Local recoding was stopped by Ctrl-C." if found.stopped else ""
            return f"Proved best: {looked}{laws}.{local}"
        unchecked = f" ({_UNCHECKED})" if self.recoded else ""
        why = f" ({_STOPPED[found.stopped]})" if found.stopped else unchecked
        left = found.transformations - found.evaluated - sum(found.excluded.values())
        which = "Those left" if left > 0 else "Not all of these were held to every check, and they"
        least = amount(found.bound or 0.0)
        return f"Best so far{why}: {looked}{laws}. {which} could have a loss as low as {least}."

    @property
    def table(self) -> Any:
        """The release: a frame of the kind that came in, or else data; of a table on Spark a frame there."""
        if self.stayed:
            return self._made_there(None, overwrite=False)
        if is_frame(self.given):
            return frame_like(self.given, self.application.table, self.application.untouched)
        return self.policy.open(self.application.table)

    def to_dict(self) -> AnonymizationDocument:
        """Everything as plain values, ready for JSON."""
        return search_document(self)

    def plot(self, name: str | None = None) -> Plot:
        """A chart of the report that shows itself in a notebook; an unknown name lists the known ones."""
        from divulge.report.anonymization.charts import SEARCH_CHARTS

        return plotted(SEARCH_CHARTS, self.to_dict(), name)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write what the ending says: .html, .md and .json the report, .toml the recipe, others the release.

        A recipe has files of its own for what was made; reports are replaced, the others only if allowed.
        With "#released" the release is a table beside the one that was read.
        """
        to = Path(path)
        if to.suffix.lower() in REPORTS:
            from divulge.report.saving import save

            save(self.to_dict(), to)
        elif to.suffix.lower() == ".toml":
            from divulge.report.shared.writing import write

            files = recipe_files(self, to, self.name, self.tables)
            for file in files:
                refuse_existing(file, overwrite=overwrite)
            for file, text in files.items():
                write(file, text, private=file.suffix == ".csv")  # they name values of single people
        elif self.stayed or is_table_name(os.fspath(path)):
            self._made_there(os.fspath(path), overwrite=overwrite)
        else:
            layout = self.layout or self.policy.data.layout
            refuse_release(to, overwrite=overwrite, layout=layout)
            write_release(self.application.table, to, overwrite=overwrite, layout=layout)

    def _made_there(self, out: str | None, *, overwrite: bool) -> Any:
        """The release made where the table is, by the recipe."""
        if not is_elsewhere(self.original.source):
            raise ParameterError(
                "A table is named for the release, and the data are in no database.", hint="Name a file."
            )
        return make_release(self.original, self.recipe, out=out, overwrite=overwrite, seed=self.seed).frame


REPORTS = (".html", ".md", ".json")
_STOPPED = {"time": "the time was over", "interrupt": "stopped by Ctrl-C"}
_UNCHECKED = "finer releases have too many groups to be made where the records are"
_LAWS = {
    "coarsening": "the coarsening law (what fails fails at every finer level)",
    "loss bound": "their loss without suppression, which is higher already",
}
