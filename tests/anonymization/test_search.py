"""The search finds what trying every transformation finds: the same least loss and the same front."""

import dataclasses
import itertools
import math
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge._compiled import library
from divulge.counting.counts import RECORD, Compared, JointCounts
from divulge.counting.value_structure import levels_of
from divulge.errors import Undefined
from divulge.generalization import attribute_levels, best_first, target_cells
from divulge.generalization import search as searching
from divulge.generalization.deadline import Deadline
from divulge.generalization.losses import LOSSES
from divulge.generalization.search import pareto_front, search
from divulge.measures.registry import Law
from divulge.mechanisms.suppression.policy_groups import of_groups
from divulge.policy import Policy
from divulge.table.hierarchy import Hierarchy
from random_hierarchies import THRESHOLDS, lattice_of, random_case

SHARES = st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0])


def counted(keys, targets, policy, whole):
    """Joint counts of rows by key and target, beside the whole table."""
    counts = JointCounts.of(list(zip(keys, targets, strict=True)))
    values = list(counts.target_values)
    others = [value for value in dict.fromkeys(whole) if value not in values]
    often = Counter(whole)
    weight = np.asarray([often[value] for value in [*values, *others]], float)
    tree = policy.attributes["s"].hierarchy
    return dataclasses.replace(
        counts,
        compared=Compared("the original", [*values, *others], weight),
        _statistics={},
        ground={
            "order": np.argsort([*values, *others]).tolist(),
            "ranks": np.argsort(np.argsort([*values, *others])).tolist(),
            "levels": levels_of([*values, *others], tree, attribute="s"),
        },
    )


def by_trying(table, trees, policy, share, loss):
    """Every transformation that meets the policy: its levels, loss and average risk, by the definitions."""
    names, records = list(trees), len(table["s"])
    found = []
    for levels in itertools.product(*(range(tree.levels + 1) for tree in trees.values())):
        cells = {
            name: released(trees[name], level, table[name]) for name, level in zip(names, levels, strict=True)
        }
        keys = list(zip(*cells.values(), strict=True))
        counts = counted(keys, table["s"], policy, table["s"])
        bad = set()
        for one in policy.thresholds:
            if of_groups(one, tuple(names)):
                about = (
                    dataclasses.replace(counts, cells=None, target=RECORD, _statistics={})
                    if about_records(one)
                    else counts
                )
                kept = np.asarray(one.keeps(one.measure.classes(about, one.parameters)))
                order = sorted(set(keys), key=keys.index)
                bad |= {key for key, good in zip(order, kept, strict=True) if not good}
        left = [place for place, key in enumerate(keys) if key not in bad]
        suppressed = records - len(left)
        if not left or suppressed > share * records + 1e-9:
            continue
        rest = JointCounts.of([(keys[place], table["s"][place]) for place in left])
        if all(holds(one, rest) for one in policy.thresholds if not of_groups(one, tuple(names))):
            lost = LOSS[loss](table, trees, levels, keys, left)
            found.append((dict(zip(names, levels, strict=True)), lost, rest.classes / len(left)))
    return found


def about_records(threshold):
    return threshold.target == (RECORD,) or not threshold.measure.reads_target


def holds(threshold, counts):
    if about_records(threshold):
        counts = dataclasses.replace(counts, cells=None, target=RECORD, _statistics={})
    try:
        return bool(threshold.keeps(threshold.measure.compute(counts, threshold.parameters)))
    except Undefined:
        return False


def released(tree, level, values):
    group = dict(zip(tree.values, tree.groups[level - 1] if level else tree.values, strict=True))
    return [group[value] for value in values]


def granularity(table, trees, levels, keys, left):
    kept, total = set(left), 0.0
    for place, (tree, level) in enumerate(zip(trees.values(), levels, strict=True)):
        leaves = Counter(tree.groups[level - 1] if level else tree.values)
        domain = len(tree.values)
        for row in range(len(keys)):
            share = leaves[keys[row][place]] / domain if row in kept else 1.0
            total += (share - 1 / domain) / (1 - 1 / domain)
    return total / len(trees) / len(keys)


def precision(table, trees, levels, keys, left):
    heights = [tree.levels for tree in trees.values()]
    kept = sum(level / height for level, height in zip(levels, heights, strict=True)) * len(left)
    return (kept + len(trees) * (len(keys) - len(left))) / len(trees) / len(keys)


def discernibility(table, trees, levels, keys, left):
    sizes = Counter(keys[row] for row in left)
    return sum(n * n for n in sizes.values()) + len(keys) * (len(keys) - len(left))


def average_class_size(table, trees, levels, keys, left):
    return len(keys) / (len({keys[row] for row in left}) + (len(left) < len(keys)))


def bits(table, trees, levels, keys, left):
    kept, total = set(left), 0.0
    for place, name in enumerate(trees):
        original, now = Counter(table[name]), Counter(key[place] for key in keys)
        for row in range(len(keys)):
            often = now[keys[row][place]] if row in kept else len(keys)
            total += math.log2(often / original[table[name][row]])
    return total / len(keys)


def non_uniform_entropy(table, trees, levels, keys, left):
    total, gone = 0.0, [row for row in range(len(keys)) if row not in set(left)]
    for place, name in enumerate(trees):
        original, now = Counter(table[name]), Counter(key[place] for key in keys)
        total -= sum(
            math.log2(original[table[name][row]] / now[keys[row][place]]) for row in range(len(keys))
        )
        among = Counter(keys[row][place] for row in gone)
        total -= sum(math.log2(among[keys[row][place]] / len(gone)) for row in gone)
    return total


def classification(table, trees, levels, keys, left):
    groups = {}
    for row in left:
        groups.setdefault(keys[row], Counter())[table["s"][row]] += 1
    return 1 - sum(max(one.values()) for one in groups.values()) / len(keys)


def need(table, trees, levels, keys, left):
    lost = []
    released = [key[0] for key in keys]
    for before, after in (
        (table["q0"], released),
        [list(zip(table["other"], one, strict=True)) for one in (table["q0"], released)],
    ):
        before_all, still = (
            information_of_records(before, table["s"]),
            information_of_records(after, table["s"]),
        )
        lost.append(1 - sum(still[row] for row in left) / sum(before_all))
    return sum(lost) / len(lost)


def information_of_records(keys, targets):
    """For each record D(p(target | its keys) || p(target)) in bits."""
    both, rows = Counter(zip(keys, targets, strict=True)), len(keys)
    of_keys, of_targets = Counter(keys), Counter(targets)
    bits = dict.fromkeys(of_keys, 0.0)
    for (key, value), n in both.items():
        bits[key] += n / of_keys[key] * math.log2(n * rows / of_keys[key] / of_targets[value])
    return [bits[key] for key in keys]


LOSS = {
    one.__name__: one
    for one in (
        *(granularity, precision, discernibility, average_class_size, bits, non_uniform_entropy),
        *(need, classification),
    )
}


def found_by_search(case, share, loss, work=searching.MOST_WORK):
    lattice = lattice_of(*case, share, loss)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_WORK", work)
        return lattice, search(lattice, lambda levels: True, deadline=Deadline())


def test_every_loss_is_tried_here():
    assert LOSS.keys() == LOSSES.keys()


@given(seed=st.integers(0, 1 << 40), share=SHARES, loss=st.sampled_from(sorted(LOSS)), exhaust=st.booleans())
def test_the_best_and_the_front_are_those_of_trying_everything(seed, share, loss, exhaust):
    case = random_case(np.random.default_rng(seed))
    if loss == "need" and sum(information_of_records(case[0]["q0"], case[0]["s"])) < 1e-9:
        return  # nothing can be lost, which is refused
    everything = by_trying(*case, share, loss)
    lattice, result = found_by_search(case, share, loss, searching.MOST_WORK if exhaust else 0)
    certificate = result.certificate
    assert certificate.proved
    assert certificate.evaluated + sum(certificate.excluded.values()) == certificate.transformations
    if not everything:
        assert result.best == ()
        return
    losses = sorted(lost for _, lost, _ in everything)
    assert result.best[0].loss == pytest.approx(losses[0], rel=1e-9, abs=1e-9)
    by_levels = {tuple(levels.values()): lost for levels, lost, _ in everything}
    for one in result.best:
        assert one.loss == pytest.approx(by_levels[tuple(one.levels.values())], rel=1e-9, abs=1e-9)
    sums = lattice.room()
    for _ in lattice.whole(sums):
        pass
    front = [(one.loss, one.risk) for one in pareto_front(lattice, sums)]
    np.testing.assert_allclose(front, pareto(everything), rtol=1e-9, atol=1e-9)


def pareto(everything):
    """Loss and risk of what nothing beats in both, by comparing all with all."""
    points = {(round(lost, 10), round(risk, 10)) for _, lost, risk in everything}
    best = [
        one
        for one in points
        if not any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in points)
    ]
    return sorted(best)


@pytest.mark.parametrize(
    ("name", "which"), [(name, place) for name in THRESHOLDS for place in range(len(THRESHOLDS[name]))]
)
def test_every_threshold_by_itself(name, which):
    for seed in range(4):
        case = random_case(np.random.default_rng(seed), {name: THRESHOLDS[name][which]})
        for share in (0.0, 0.3):
            everything = by_trying(*case, share, "granularity")
            _, result = found_by_search(case, share, "granularity")
            assert bool(result.best) == bool(everything)
            if everything:
                least = min(lost for _, lost, _ in everything)
                assert result.best[0].loss == pytest.approx(least, abs=1e-9)


def lawless_and_trusted(name, law, share, seed):
    """What is found where a measure has its own laws, and where it is trusted with one that it breaks."""
    case = random_case(np.random.default_rng(seed), {name: THRESHOLDS[name][0]})
    lattice = lattice_of(*case, share)
    [threshold] = case[2].thresholds
    lawful = dataclasses.replace(threshold.measure, laws=threshold.measure.laws | {law})
    claimed = dataclasses.replace(threshold, measure=lawful)
    criteria = dataclasses.replace(
        lattice.criteria,
        of_classes=tuple(one._replace(threshold=claimed) for one in lattice.criteria.of_classes),
        of_rest=tuple(one._replace(threshold=claimed) for one in lattice.criteria.of_rest),
    )
    trusted = dataclasses.replace(lattice, criteria=criteria)
    found = [search(one, lambda levels: True, deadline=Deadline()).best[:1] for one in (lattice, trusted)]
    everything = by_trying(*case, share, "granularity")
    least = [] if not everything else [min(lost for _, lost, _ in everything)]
    return [[one.loss for one in best] for best in found], least


@pytest.mark.parametrize(
    ("name", "law", "share"), [("itpr", Law.COARSENING, 0.0), ("beta_likeness", Law.ABSORPTION, 0.5)]
)
def test_a_wrong_law_would_be_seen(name, law, share, monkeypatch):
    # ITPR can rise when groups are merged, and in a merged group a value can gain more than in one of its
    # parts. Were they taken for lawful, the search would miss what trying everything finds.
    monkeypatch.setattr(searching, "MOST_WORK", 0)  # so that laws are used where records may be suppressed
    missed = 0
    for seed in range(60):
        (right, trusted), least = lawless_and_trusted(name, law, share, seed)
        assert right == pytest.approx(least)
        missed += trusted != pytest.approx(least)
    assert missed > 0


@pytest.mark.parametrize("name", ["k_anonymity", "distinct_l_diversity"])
def test_where_records_may_be_suppressed_a_law_excludes_finer_levels(name, monkeypatch):
    monkeypatch.setattr(searching, "MOST_WORK", 0)
    excluded = 0
    for seed in range(12):
        case = random_case(np.random.default_rng(seed), {name: THRESHOLDS[name][-1]})
        found = search(lattice_of(*case, 0.1), lambda levels: True, deadline=Deadline())
        losses = sorted(lost for _, lost, _ in by_trying(*case, 0.1, "granularity"))[:10]
        assert [one.loss for one in found.best] == pytest.approx(losses)
        excluded += found.certificate.excluded.get("coarsening", 0)
    assert excluded > 0


def test_a_search_out_of_time_says_what_could_be_better():
    case = random_case(np.random.default_rng(5), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, 0.0)
    result = search(lattice, lambda levels: True, deadline=Deadline(0.0))
    assert not result.certificate.proved
    assert result.certificate.bound == 0.0


class OverAfter(Deadline):
    """A deadline that has passed once it was asked about so many times."""

    asked = 0

    @property
    def over(self):
        self.asked += 1
        return self.asked > self.seconds


def test_losses_of_records_that_there_was_no_time_for_leave_the_proof_open():
    case = random_case(np.random.default_rng(1), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, 0.5, "need")
    in_time = search(lattice, lambda levels: True, deadline=Deadline())
    assert in_time.certificate.proved
    late = search(lattice, lambda levels: True, deadline=OverAfter(len(lattice.parts()) + 1))
    assert not late.certificate.proved
    assert late.certificate.bound <= in_time.best[0].loss <= late.best[0].loss


def test_a_wrong_bound_on_the_loss_would_be_seen():
    wrong = 0
    for seed in range(20):
        case = random_case(np.random.default_rng(seed), {"k_anonymity": {"min": 3}})
        if sum(information_of_records(case[0]["q0"], case[0]["s"])) < 1e-9:
            continue
        lattice = lattice_of(*case, 0.5, "need")
        right = search(lattice, lambda levels: True, deadline=Deadline()).best
        needs = lattice.costs.of_records

        class Above:
            """Bounds that are above the loss of nodes that suppress some records."""

            floor, at = needs.floor, needs.at
            floors = lambda self, needs=needs: 1 - needs.floors()  # noqa: E731

        costs = dataclasses.replace(lattice.costs, of_records=Above())
        found = search(dataclasses.replace(lattice, costs=costs), lambda levels: True, deadline=Deadline())
        wrong += [one.loss for one in found.best[:1]] != [one.loss for one in right[:1]]
    assert wrong > 0


def test_a_lattice_too_large_to_exhaust_is_searched_by_bounds_from_a_good_start():
    case = random_case(np.random.default_rng(1), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, 0.2)
    start = searching.descended(lattice, lambda levels: True, Deadline())
    least = min(lost for _, lost, _ in by_trying(*case, 0.2, "granularity"))
    assert start[0].loss >= least - 1e-12
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_NODES", 1)
        patch.setattr(best_first, "MOST_NODES", 1)
        found = search(lattice, lambda levels: True, deadline=Deadline())
        none_left = search(lattice, lambda levels: True, deadline=Deadline(0.0))
    assert found.best[0].loss == pytest.approx(least)
    assert found.certificate.proved
    assert none_left.best[0] == start[0]
    assert not none_left.certificate.proved


def test_what_waits_to_be_looked_at_is_bounded(monkeypatch):
    monkeypatch.setattr(best_first, "MOST_NODES", 1)
    monkeypatch.setattr(best_first, "MOST_WAITING", 2)
    case = random_case(np.random.default_rng(1), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, 0.2)
    monkeypatch.setattr(searching, "MOST_NODES", 1)
    found = search(lattice, lambda levels: True, deadline=Deadline(60.0))
    assert not found.certificate.proved
    assert found.certificate.stopped is None
    assert found.certificate.bound <= found.best[0].loss


def test_time_ends_a_search_that_only_passes_over_what_is_excluded(monkeypatch):
    lattice = lattice_of(*random_case(np.random.default_rng(1), {"k_anonymity": {"min": 3}}), 0.0)
    monkeypatch.setattr(best_first, "PASSED_OVER", 1)
    asked = []

    def over(evaluated):
        asked.append(evaluated)
        return len(asked) > 3

    nodes = best_first.BestFirst(lattice, over)
    nodes._failed.add(tuple(wide - 1 for wide in lattice.table.shape))  # all are excluded
    assert list(nodes) == []
    assert nodes.finer == 3
    assert nodes.bound is not None


def test_a_release_that_is_refused_leaves_the_next():
    case = random_case(np.random.default_rng(1), {"k_anonymity": {"min": 2}})
    lattice = lattice_of(*case, 0.5)
    first = search(lattice, lambda levels: True, deadline=Deadline()).best
    refused = tuple(first[0].levels[one.name] for one in lattice.table.attributes)
    second = search(lattice, lambda levels: levels != refused, deadline=Deadline()).best
    assert second[0] == first[1]


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("where", ["counting", "accepting"])
def test_an_interrupt_leaves_the_best_so_far_and_a_true_bound(share, held, where):
    case = random_case(np.random.default_rng(4), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, share)
    calls = []

    def interrupt(name):
        calls.append(name)
        if name == where and calls.count(name) == 1:
            raise KeyboardInterrupt

    def accept(levels):
        interrupt("accepting")
        return True

    with pytest.MonkeyPatch.context() as patch:
        for name in ("whole", "loops"):
            real = getattr(type(lattice), name)
            patch.setattr(
                type(lattice), name, lambda self, *a, real=real: interrupt("counting") or real(self, *a)
            )
        if not held:
            patch.setattr(searching, "MOST_NODES", 1)
        result = search(lattice, accept, deadline=Deadline())
    least = min(lost for _, lost, _ in by_trying(*case, share, "granularity"))
    best, certificate = result.best[0], result.certificate
    assert best.loss >= least - 1e-12
    if certificate.proved:
        assert best.loss == pytest.approx(least)
        assert certificate.stopped is None
    else:
        assert certificate.stopped == "interrupt"
        assert certificate.bound <= least + 1e-12


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_without_time_the_top_is_released(share):
    case = random_case(np.random.default_rng(4), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, share)
    result = search(lattice, lambda levels: True, deadline=Deadline(0.0))
    assert result.best
    assert result.certificate.stopped == "time"
    assert not result.certificate.proved


@dataclasses.dataclass(eq=False)
class ByParts(Deadline):
    """A deadline whose time is the parts of a lattice that have been counted."""

    parts: list[int] = dataclasses.field(default_factory=list)

    @property
    def elapsed(self):
        return float(len(self.parts))


@pytest.mark.parametrize("left", [0, 1])
def test_counting_that_takes_all_the_time_leaves_more_than_the_top(left):
    case = random_case(np.random.default_rng(4), {"k_anonymity": {"min": 3}})
    lattice = lattice_of(*case, 0.3)
    lattice = dataclasses.replace(lattice, criteria=dataclasses.replace(lattice.criteria, questions=True))
    parts = len(lattice.parts())
    assert parts > 2
    deadline = ByParts(float(parts - left))
    count = lambda done, of: deadline.parts.append(done)  # noqa: E731
    result = search(lattice, lambda levels: True, deadline=deadline, step=count)
    top = {
        one.name: wide - 1 for one, wide in zip(lattice.table.attributes, lattice.table.shape, strict=True)
    }
    assert result.certificate.stopped == "time"
    assert result.best[0].levels != top
    soon = searching.descended(lattice, lambda levels: True, Deadline())
    assert result.best[0].loss == soon[0].loss


@pytest.mark.parametrize(("share", "most"), [(0.3, 1 << 22), (0.0, 1 << 22), (0.3, 1)])
def test_every_way_of_searching_tells_how_far_it_is(share, most):
    lattice = lattice_of(*random_case(np.random.default_rng(4), {"k_anonymity": {"min": 3}}), share)
    steps = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_NODES", most)
        search(
            lattice, lambda levels: True, deadline=Deadline(), step=lambda done, of: steps.append((done, of))
        )
    assert steps
    assert all(0 <= done <= of > 0 for done, of in steps)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


@pytest.mark.parametrize("word", [64, 4])
def test_classes_found_some_records_at_a_time_are_those_of_all_at_once(word, monkeypatch):
    monkeypatch.setattr(attribute_levels, "WORD", word)
    for seed in range(6):
        case = random_case(np.random.default_rng(seed), {"distinct_l_diversity": {"min": 2}})
        whole = lattice_of(*case, 0.1).table
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(attribute_levels, "CHUNK", 5)
            patch.setattr(target_cells, "CHUNK", 5)
            parts = lattice_of(*case, 0.1).table
        for name in ("keys", "sizes", "class_of"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
        for one, other in zip(parts.cells[0], whole.cells[0], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(2))
def test_levels_that_are_too_fine_are_passed_over_and_all_others_found(seed, monkeypatch):
    monkeypatch.setattr("divulge.generalization.lattice.PARTS", 1)
    rng = np.random.default_rng(seed)
    names = [f"q{place}" for place in range(6)]
    table = {key: np.minimum(rng.geometric(0.15, 12_000), 30).astype(str) for key in names}
    trees = {key: Hierarchy.of([(str(one), "*") for one in range(1, 31)], attribute=key) for key in names}
    attributes = {key: {"role": "quasi-identifier", "hierarchy": trees[key]} for key in names}
    policy = Policy.of({"attributes": attributes, "thresholds": {"k_anonymity": {"min": 5}}})
    found = {}
    for built in (True, False):
        with patch.object(library, "built", lambda built=built: built):
            lattice = lattice_of(table, trees, policy, 0.02, "bits")
            sums = lattice.room()
            assert len(lattice.table.keys) > 4096
            assert list(lattice.whole(sums))
            found[built] = sums
    within = found[False].suppressed <= lattice.limit
    unread = found[True].suppressed == np.iinfo(np.int64).max
    assert within.sum() > 0
    assert unread.any()
    assert not (unread & within).any()
    for one, other in zip(found[True], found[False], strict=True):
        np.testing.assert_allclose(one[within], other[within], rtol=1e-12)
