"""Every law on every measure and variant that claims it, and for each law a false measure it catches."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from divulge.counting.counts import Cells, Compared, JointCounts
from divulge.errors import Undefined
from divulge.measures import MEASURES, Law
from merged_classes import leave_out_class, merge_classes
from random_tables import VARIANTS

# Two laws are about attributes only: to @record, a record standing twice is two subjects.
ATTRIBUTES_ONLY = {Law.DUPLICATION, Law.INDEPENDENCE}


# -- counts to try laws on ---------------------------------------------------------------------------


def counts_of(matrix, ground=None, scale=1.0):
    """Counts of a matrix of records, each of which weighs ``scale``."""
    counts = JointCounts.of_table(matrix)
    if scale != 1:
        cells = counts.cells
        weighted = Cells(cells.start, cells.target, cells.count, cells.weight * scale)
        counts = replace(counts, cells=weighted)
    return counts.with_ground(**(ground or {}))


@dataclass
class Table:
    """Records by class and target value, what is known of the values, and what a record weighs."""

    matrix: np.ndarray
    order: list[int]
    levels: np.ndarray
    scale: float = 1.0

    @property
    def counts(self):
        return counts_of(self.matrix, {"order": self.order, "levels": self.levels}, self.scale)


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 4), min_size=columns, max_size=columns).filter(any)
    matrix = np.array(draw(st.lists(cells, min_size=rows, max_size=rows)))
    matrix = matrix[:, matrix.any(axis=0)]
    width = matrix.shape[1]
    groups = draw(st.lists(st.integers(0, 1), min_size=width, max_size=width))
    levels = np.stack([np.arange(width), np.unique(groups, return_inverse=True)[1]])
    scale = draw(st.sampled_from([1.0, 1.0, 0.5, 0.1]))
    return Table(matrix, draw(st.permutations(range(width))), levels, scale)


sizes = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(lambda n: JointCounts(np.array(n), None))


def read(measure, counts, parameters):
    """The measure's value; None where it is undefined."""
    try:
        return measure.compute(counts, parameters)
    except Undefined:
        return None


def same(one, other):
    if one is None or other is None:
        return one is other
    return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


# -- the laws ----------------------------------------------------------------------------------------


@st.composite
def renamed(draw):
    """A table and the same one with classes and values in another order and under other names."""
    table = draw(tables())
    rows = draw(st.permutations(range(len(table.matrix))))
    columns = draw(st.permutations(range(table.matrix.shape[1])))
    place = {old: new for new, old in enumerate(columns)}
    names = draw(st.permutations(range(int(table.levels.max()) + 1)))
    levels = np.array([[names[group] for group in level] for level in table.levels])[:, columns]
    moved = Table(table.matrix[rows][:, columns], [place[old] for old in table.order], levels, table.scale)
    return table.counts, replace(moved.counts, target_values=[f"value {old}" for old in columns])


@st.composite
def renamed_sizes(draw):
    counts = draw(sizes)
    return counts, replace(counts, size=np.array(draw(st.permutations(counts.size.tolist()))), _statistics={})


def changes_nothing(measure, parameters, pair):
    one, other = pair
    assert same(read(measure, one, parameters), read(measure, other, parameters))


@st.composite
def merged(draw, of=None):
    counts = draw(tables()).counts if of is None else draw(of)
    if len(counts.size) == 1:
        return counts, counts
    one, other = draw(st.permutations(range(len(counts.size))))[:2]
    return counts, merge_classes(counts, one, other)


@st.composite
def left_out(draw, of=None):
    """Counts, and the same without a class, both compared with the table that has all of them."""
    counts = draw(tables()).counts if of is None else draw(of)
    if counts.cells is not None:
        whole = Compared("all records", counts.target_values, counts.target_weight)
        counts = replace(counts, compared=whole, _statistics={})
    if len(counts.size) == 1:
        return counts, counts
    return counts, leave_out_class(counts, draw(st.integers(0, len(counts.size) - 1)))


@st.composite
def absorbed(draw, of=None):
    """Counts, the same with the first class merged with another, and where the merged class is."""
    counts = draw(tables()).counts if of is None else draw(of)
    return counts, counts if len(counts.size) == 1 else merge_classes(counts, 0, 1)


def never_leaves_a_bound(measure, parameters, pair):
    assert measure.by_class is not None
    try:
        alone, together = (measure.classes(counts, parameters)[0].item() for counts in pair)
    except Undefined:
        return
    assert not measure.worse(together, than=alone)


def is_no_riskier_without(measure, parameters, pair):
    whole, rest = (read(measure, counts, parameters) for counts in pair)
    assert rest is None or whole is None or not measure.worse(rest, than=whole)


def never_raises_the_risk(measure, parameters, pair):
    fine, coarse = (read(measure, counts, parameters) for counts in pair)
    assert (fine is None) == (coarse is None)
    assert fine is None or not measure.worse(coarse, than=fine)


@st.composite
def doubled(draw):
    table = draw(tables())
    return table.counts, replace(table, matrix=table.matrix * 2).counts


@st.composite
def independent(draw):
    """Classes that all look like the whole table, and the whole table as one class."""
    table = draw(tables())
    often = np.array(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    values = table.matrix.sum(axis=0)
    alike, whole = np.outer(often, values), (often.sum() * values)[None]
    return replace(table, matrix=alike).counts, replace(table, matrix=whole).counts


@dataclass(frozen=True)
class Check:
    """A law as pairs of counts, and what must hold of a measure's readings on them."""

    pairs: st.SearchStrategy
    holds: Callable


CHECKS = {
    Law.RELABELLING: [Check(renamed(), changes_nothing), Check(renamed_sizes(), changes_nothing)],
    Law.COARSENING: [Check(merged(), never_raises_the_risk), Check(merged(of=sizes), never_raises_the_risk)],
    Law.ABSORPTION: [
        Check(absorbed(), never_leaves_a_bound),
        Check(absorbed(of=sizes), never_leaves_a_bound),
    ],
    Law.SUPPRESSION: [
        Check(left_out(), is_no_riskier_without),
        Check(left_out(of=sizes), is_no_riskier_without),
    ],
    Law.DUPLICATION: [Check(doubled(), changes_nothing)],
    Law.INDEPENDENCE: [Check(independent(), changes_nothing)],
}


def try_law(law, measure, parameters, examples=12):
    """Look for counts on which the measure breaks the law; an AssertionError says it was found out."""
    for check in CHECKS[law]:

        @settings(max_examples=examples, report_multiple_bugs=False, phases=[Phase.generate])
        @given(check.pairs)
        def holds(pair):
            check.holds(measure, parameters, pair)  # noqa: B023 - called before the next one is looked at

        holds()


def claims(law):
    return [
        pytest.param(m, v, id=" ".join([m.name, *map(str, v.values())]))
        for m, v in VARIANTS
        if law in m.laws_of(v)
    ]


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.RELABELLING))
def test_renaming_values_changes_nothing(measure, parameters):
    try_law(Law.RELABELLING, measure, parameters)


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.COARSENING))
def test_merging_two_classes_never_raises_the_risk(measure, parameters):
    try_law(Law.COARSENING, measure, parameters)


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.ABSORPTION))
def test_a_class_merged_with_another_is_never_riskier_than_it_was_alone(measure, parameters):
    try_law(Law.ABSORPTION, measure, parameters)


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.SUPPRESSION))
def test_leaving_out_a_class_never_raises_the_risk(measure, parameters):
    try_law(Law.SUPPRESSION, measure, parameters)


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.DUPLICATION))
def test_standing_every_record_twice_changes_nothing(measure, parameters):
    try_law(Law.DUPLICATION, measure, parameters)


@pytest.mark.parametrize(("measure", "parameters"), claims(Law.INDEPENDENCE))
def test_classes_that_all_look_like_the_table_read_as_one_class_would(measure, parameters):
    try_law(Law.INDEPENDENCE, measure, parameters)


def test_every_law_is_tested_and_claimed_by_some_measure():
    assert set(CHECKS) == set(Law)
    assert all(claims(law) for law in Law)


# -- false measures, one for each law ----------------------------------------------------------------


def false(law, function, riskier="higher"):
    return replace(
        MEASURES["k_anonymity"], name="false", function=function, riskier=riskier, laws=frozenset({law})
    )


FALSE = {
    Law.RELABELLING: false(Law.RELABELLING, lambda counts: float(counts.size[0])),
    Law.COARSENING: false(Law.COARSENING, lambda counts: float(counts.size.max())),
    Law.ABSORPTION: replace(false(Law.ABSORPTION, lambda counts: float(counts.size.max())), riskier="higher"),
    Law.SUPPRESSION: false(Law.SUPPRESSION, lambda counts: -float(counts.size.max())),
    Law.DUPLICATION: false(Law.DUPLICATION, lambda counts: float(counts.records)),
    Law.INDEPENDENCE: false(Law.INDEPENDENCE, lambda counts: float(counts.classes)),
}


@pytest.mark.parametrize("law", Law)
def test_a_false_measure_is_caught_by_the_law_it_claims(law):
    with pytest.raises(AssertionError):
        try_law(law, FALSE[law], {})


@pytest.mark.slow
@pytest.mark.parametrize("law", Law)
def test_laws_hold_on_very_many_tables(law):
    for measure, parameters in VARIANTS:
        if law in measure.laws_of(parameters):
            try_law(law, measure, parameters, examples=200)


UNCLAIMED = [(m, v, law) for m, v in VARIANTS for law in Law if law not in m.laws_of(v)]


@pytest.mark.parametrize(
    ("measure", "parameters", "law"), UNCLAIMED, ids=[f"{m.name}-{law.name}" for m, _, law in UNCLAIMED]
)
def test_a_law_that_a_measure_does_not_claim_is_one_it_breaks(measure, parameters, law):
    with pytest.raises(AssertionError):
        try_law(law, measure, parameters, examples=200)


def test_merging_two_classes_can_raise_itpr():
    # H(X) = H(X|y) = 1 everywhere, so ITPR = 1 - |Y| min p(y): 1 - 3 * 0.2, then 1 - 2 * 0.2.
    counts = JointCounts.of_table([[1, 1], [1, 1], [3, 3]])
    itpr = MEASURES["itpr"]
    assert itpr.compute(counts) == pytest.approx(0.4)
    assert itpr.compute(merge_classes(counts, 0, 2)) == pytest.approx(0.6)
    assert Law.COARSENING not in itpr.laws


def test_a_key_that_tells_nothing_can_raise_maximum_information_leakage():
    # One class of everyone leaks nothing; of two alike, each leaves only half of H(X) unknown.
    leakage = MEASURES["maximum_information_leakage"]
    assert leakage.compute(JointCounts.of_table([[2, 2]])) == 0
    assert leakage.compute(JointCounts.of_table([[1, 1], [1, 1]])) == 0.5


# -- bounds ------------------------------------------------------------------------------------------


def check_bounds(measure, parameters, counts):
    value = read(measure, counts, parameters)
    low, high = measure.bounds
    assert value is None or low <= value <= high


@pytest.mark.parametrize(("measure", "parameters"), VARIANTS)
@given(counts=tables().map(lambda table: table.counts) | sizes)
def test_readings_stay_within_their_bounds(measure, parameters, counts):
    check_bounds(measure, parameters, counts)


@pytest.mark.parametrize(("measure", "parameters"), VARIANTS)
def test_rounding_leaves_no_reading_outside_its_bounds(measure, parameters):
    # H(X|Y) of two records that weigh 0.1 each comes out a bit above H(X).
    check_bounds(measure, parameters, counts_of([[1, 1]], {"order": [0, 1], "levels": [[0, 1]]}, 0.1))


def test_a_measure_with_false_bounds_is_caught():
    narrow = replace(MEASURES["mutual_information"], bounds=(0, 0.5))
    with pytest.raises(AssertionError):
        check_bounds(narrow, {}, JointCounts.of_table([[1, 0], [0, 1]]))


@given(tables(), st.sampled_from([m for m in MEASURES.values() if m.ceiling is not None]))
def test_no_reading_is_riskier_than_its_ceiling(table, measure):
    counts = table.counts
    value = read(measure, counts, {})
    assert value is None or not measure.worse(value, than=measure.ceiling(counts))


# -- the whole and its classes -----------------------------------------------------------------------


def check_worst_case(measure, parameters, counts):
    try:
        values = measure.classes(counts, parameters)
    except Undefined:
        assert read(measure, counts, parameters) is None
        return
    riskiest = values.max() if measure.riskier == "higher" else values.min()
    assert same(measure.compute(counts, parameters), riskiest.item())
    assert len(values) == len(counts.size)


WORST = [(m, v) for m, v in VARIANTS if m.case == "worst" and v != {"kind": "average"}]


@pytest.mark.parametrize(("measure", "parameters"), WORST)
@given(counts=tables().map(lambda table: table.counts) | sizes)
def test_a_worst_case_is_the_riskiest_of_its_classes(measure, parameters, counts):
    check_worst_case(measure, parameters, counts)


def test_a_worst_case_that_is_an_average_is_caught():
    mean = replace(
        MEASURES["worst_posterior"],
        function=lambda counts: MEASURES["worst_posterior"].classes(counts).mean(),
    )
    with pytest.raises(AssertionError):
        check_worst_case(mean, {}, JointCounts.of_table([[1, 0], [1, 1]]))


@given(tables().map(lambda table: table.counts) | sizes)
def test_losses_of_the_discrimination_rate_add_up_over_values(counts):
    rate = MEASURES["discrimination_rate"]
    value = read(rate, counts, {})
    if value is not None:
        assert math.isclose((1 - rate.classes(counts)).sum(), 1 - value, rel_tol=1e-9, abs_tol=1e-9)


@given(tables().map(lambda table: table.counts) | sizes)
def test_averages_over_records_of_the_values_by_class(counts):
    share = counts.class_weight / counts.weight
    for name in ("conditional_entropy", "normalized_conditional_entropy"):
        value = read(MEASURES[name], counts, {})
        assert value is None or same((share * MEASURES[name].classes(counts)).sum().item(), value)
    information = MEASURES["mutual_information"].compute(counts)
    assert same((share * MEASURES["kl_closeness"].classes(counts)).sum().item(), information)


@given(tables().map(lambda table: table.counts))
def test_measures_that_say_the_same_in_other_words(counts):
    value = {m.name: read(m, counts, {}) for m in MEASURES.values()}
    assert same(value["entropy_l_diversity"] * value["entropy_l_diversity_risk"], 1)
    assert same(value["worst_posterior"], value["alpha_k_anonymity"])
    assert same(value["mutual_information"], value["entropy"] - value["conditional_entropy"])
    assert same(value["conditional_privacy"], 1 - 2 ** -value["mutual_information"])
    if value["discrimination_rate"] is not None:
        assert same(value["discrimination_rate"] + value["normalized_conditional_entropy"], 1)
        assert same(value["discrimination_rate"] * value["entropy"], value["mutual_information"])


@pytest.mark.parametrize("law", sorted(ATTRIBUTES_ONLY, key=lambda law: law.name))
def test_laws_about_attributes_do_not_hold_of_records(law):
    # Two records told apart by nothing have 1 bit; each standing twice, 2.
    entropy = MEASURES["entropy"]
    assert law in entropy.laws
    assert entropy.compute(JointCounts(np.array([2]), None)) == 1
    assert entropy.compute(JointCounts(np.array([4]), None)) == 2
