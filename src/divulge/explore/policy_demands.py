"""What a policy asks of a release, demand by demand, and which of it the groups of a release decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from divulge._compiled.generalization import NodeSums
from divulge._support.rounding import above
from divulge._support.wording import enumerated, number, percent
from divulge.assessment.checks.measured import TITLE as GAPS
from divulge.counting.counts import RECORD, JointCounts
from divulge.documents.making.exploration import ThresholdEntry
from divulge.errors import Undefined
from divulge.explore.groups import known_groups
from divulge.explore.scene import Scene
from divulge.explore.table_checks import gaps_of_table, naming
from divulge.generalization.criteria import RestCondition
from divulge.generalization.transformations import Levels
from divulge.measures import get
from divulge.policy import Learning, SinglingOut, Threshold
from divulge.policy.demands import CLOSE
from divulge.policy.linking import LINKED

NAMED = "Attributes that name people"
LEAST = "k_anonymity"


@dataclass(frozen=True)
class GroupDemand:
    """A demand beside the bounds of the search; ``holds`` is None where only the release itself can say."""

    name: str
    bound: str
    severity: Literal["fail", "warn"]
    holds: Callable[[Levels], bool | None] | None = None
    singled_out: SinglingOut | None = None

    @property
    def words(self) -> str:
        """The demand as a line of a list."""
        return f"{self.name}: {self.bound}"

    def state(self, levels: Levels) -> bool | None:
        """Whether it is met at some levels; None where groups do not decide that."""
        return None if self.holds is None else self.holds(levels)


def group_demands(scene: Scene) -> list[GroupDemand]:
    """What a policy asks beside the bounds by which the search suppresses groups or leaves out levels."""
    # Scenes of other populations, and of other groups that are suppressed, have the same memo.
    asked = "demands", scene.policy.digest, scene.criteria.suppressed_below
    if asked not in scene.memo:
        scene.memo[asked] = [*_found(scene)]
    found: list[GroupDemand] = scene.memo[asked]
    return found


def small_share(scene: Scene, small: int, left: int) -> float:
    """The share of all released records that are in small groups; suppressed ones are in none."""
    return small / max(scene.table.records if scene.data.suppressed else left, 1)


def demand_entries(scene: Scene, levels: Levels, sums: NodeSums, left: int) -> list[ThresholdEntry]:
    """Every demand of the policy and its state: thresholds on groups hold by suppression."""
    found = [
        ThresholdEntry(
            name=_title(one),
            bound=_bounds(one.min, one.max),
            holds=_counted(scene, one, sums, left),
            warns=one.severity == "warn",
            found="",
        )
        for one in scene.policy.thresholds
        if one not in scene.criteria.unknown
    ]
    found += [
        ThresholdEntry(
            name=one.name,
            bound=one.bound + (" (warns)" if one.severity == "warn" else ""),
            holds=one.state(levels) if left else False,
            warns=one.severity == "warn",
            found="",
        )
        for one in group_demands(scene)
    ]
    demands = scene.policy.demands
    if demands.identifiers == "fail":
        found.append(_named(scene, levels))
    if demands.measured == "warn":  # a release may have more of them than the table
        there = " ".join(gaps_of_table(scene))
        found.append(
            ThresholdEntry(
                name=GAPS, bound="none (warns)", holds=False if there else None, warns=True, found=there
            )
        )
    return found


def _named(scene: Scene, levels: Levels) -> ThresholdEntry:
    """That no attribute names people, by the check of the release where levels do not matter to it."""
    found = naming(scene, levels)
    holds = None if found is None else found.outcome == "pass"
    said = "" if found is None or holds else found.sentence
    warns = found is not None and found.outcome == "warn"
    return ThresholdEntry(name=NAMED, bound="none", holds=holds, warns=warns, found=said)


def counts_decide(scene: Scene) -> bool:
    """Whether groups that are compared with the table are compared with what is released of it."""
    return bool(scene.data.suppressed) or not scene.criteria.against_table


def _counted(scene: Scene, threshold: Threshold, sums: NodeSums, left: int) -> bool | None:
    """Whether a threshold holds that sums over groups decide."""
    if not left:
        return False
    own = [
        one for one in scene.criteria.of_rest if isinstance(one, RestCondition) and one.threshold == threshold
    ]
    if not own and threshold.measure.against_table and not counts_decide(scene):
        return None
    return all(bool(one.holds(sums, np.asarray([float(left)]))[0]) for one in own)


def _found(scene: Scene) -> Iterator[GroupDemand]:
    policy = scene.policy
    for one in scene.criteria.unknown:
        yield GroupDemand(
            _title(one), _bounds(one.min, one.max), one.severity, partial(_threshold_holds, scene, one)
        )
    for size in policy.demands.singled_out:
        by = "" if size.keys is None else f" by {enumerated(size.keys)}"
        bound = f"{_share(size.max)} in groups smaller than {size.k}"
        holds = partial(_singled_out_holds, scene, size)
        yield GroupDemand(f"People who can be singled out{by}", bound, size.severity, holds, size)
    for level in policy.demands.learned:
        by = "" if level.keys is None else f" by {enumerated(level.keys)}"
        for target in scene.data.schema.sensitive if level.target is None else level.target:
            beyond = " beyond chance" if level.chance else ""
            bound = f"{_share(level.max)} with {percent(level.certain)} certainty{beyond}"
            holds = partial(_nothing_learned, scene, level, target)
            yield GroupDemand(f"What is learned about {target}{by}", bound, level.severity, holds)
    for link in policy.demands.linked:
        yield GroupDemand(LINKED[link.attack], _share(link.max), link.severity)
    for figure in policy.figures:
        yield GroupDemand(figure.measure.title, _bounds(figure.min, figure.max), figure.severity)


def _singled_out_holds(scene: Scene, asked: SinglingOut, levels: Levels) -> bool | None:
    """Whether few enough records are in small groups.

    Where a population, gaps or suppressed cells make groups larger than they are counted here, that they
    are large enough is known, and that they are not is left to the release.
    """
    keys = scene.table.named if asked.keys is None else asked.keys
    if not set(keys) <= set(scene.table.named) or not _countable(scene):
        return None
    groups = known_groups(scene, levels, keys)
    small = int(groups.sizes[groups.people < asked.k].sum())
    if small == 0:
        return True
    if scene.person is not None and asked.max:  # a share of people, who are not records
        return None
    if not above(small_share(scene, small, groups.records), asked.max):
        return True
    return None if _sampled(scene) or _marks(scene, levels, keys) else False


def _nothing_learned(scene: Scene, asked: Learning, target: str, levels: Levels) -> bool | None:
    """True where too few are in groups with a value that is as likely as asked, whatever chance would make.

    More of them may still be due to chance, which is left to the release.
    """
    keys = scene.table.named if asked.keys is None else asked.keys
    here = set(keys) <= set(scene.table.named) and target in scene.data.schema.sensitive
    if not here or not _countable(scene) or scene.person is not None or _marks(scene, levels, keys):
        return None
    groups, place = known_groups(scene, levels, keys), scene.target(target)
    counts = groups.counts(place)
    cells = counts.cells
    if cells is None or not groups.records:
        return None
    left = np.bincount(cells.target, weights=cells.weight)
    every = np.asarray(scene.table.targets[place].share)
    often = np.minimum(left / left.sum(), every[: len(left)])  # a release may count who is suppressed as well
    share = cells.weight / np.asarray(counts.class_weight)[cells.owner]
    likely = (share > asked.certain - CLOSE) & (often[cells.target] < 1 - asked.gain + CLOSE)
    concerned = int(groups.sizes[np.unique(cells.owner[likely])].sum())
    return None if above(small_share(scene, concerned, groups.records), asked.max) else True


def _countable(scene: Scene) -> bool:
    """Whether records count alike, each in one group."""
    return scene.data.weights is None and scene.data.missing == "value"


def _sampled(scene: Scene) -> bool:
    """Whether people beyond the table count."""
    return scene.policy.population is not None or scene.data.sample_weights is not None


def _threshold_holds(scene: Scene, threshold: Threshold, levels: Levels) -> bool | None:
    """Whether a threshold by some of the quasi-identifiers holds, where groups say so."""
    keys = scene.table.named if threshold.keys is None else threshold.keys
    data, measure = scene.data, threshold.measure
    decided = _countable(scene) and not measure.against_table and not threshold.adjusted
    if not decided or not set(keys) <= set(scene.table.named) or _marks(scene, levels, keys):
        return None
    groups = known_groups(scene, levels, keys)
    about: Sequence[tuple[str, ...]] = [(RECORD,)] if threshold.target is None else [threshold.target]
    if threshold.target is None and measure.reads_target:
        about = [(name,) for name in data.schema.sensitive]
    found = True
    for target in about:
        if target == (RECORD,) and measure.name == LEAST:
            value = float(groups.people.min())
        elif scene.person is not None or (target != (RECORD,) and target not in scene.criteria.targets):
            return None
        else:
            counts = (
                JointCounts(groups.sizes, None, [], keys=("key",), target=RECORD)
                if target == (RECORD,)
                else groups.counts(scene.criteria.targets.index(target))
            )
            try:
                value = float(get(measure.name).compute(counts, threshold.parameters))
            except Undefined:
                return None
        found = found and bool(threshold.keeps(value))
    return found


def _marks(scene: Scene, levels: Levels, keys: Sequence[str]) -> bool:
    """Whether single cells of some quasi-identifiers are suppressed, or all cells of all of them."""
    mark = scene.data.suppressed
    names = [
        one.names[level]
        for one, level in zip(scene.table.attributes, levels, strict=True)
        if one.name in keys
    ]
    whole = [list(one) == [mark] for one in names]
    return all(whole) or any(
        mark in one and not all_of_it for one, all_of_it in zip(names, whole, strict=True)
    )


def _title(threshold: Threshold) -> str:
    by = f" by {enumerated(threshold.keys)}" if threshold.keys else ""
    return f"{threshold.measure.title}{by}"


def _bounds(least: float | None, most: float | None) -> str:
    said = [
        f"{word} {number(one)}" for word, one in (("at least", least), ("at most", most)) if one is not None
    ]
    return " and ".join(said)


def _share(most: float) -> str:
    return "nobody" if most == 0 else f"at most {percent(most)} of people"
