"""Suppressing cells of a release never raises what an attack finds or a check reads: stars tell nothing."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge import attacks
from divulge.alignment.tables import align
from divulge.attacks.suppressed_readings import fitted
from divulge.errors import Undefined
from divulge.measures import MEASURES
from divulge.questions.question import Question

KEYS = ("age", "zip", "sex")
GROUPS = {"disease": {"kind": {"cold": ["a", "b"], "other": ["c", "d", "e"]}}}
ATTACKS = {
    name: function
    for name, function in vars(attacks).items()
    if inspect.isfunction(function) and inspect.signature(function).return_annotation == "Outcome"
}
#: Attacks whose risk is what single keys tell about a sensitive attribute: see the two tests at the end.
BY_SAMPLE = ("homogeneity", "background_knowledge", "similarity")
#: An attack whose weights are estimated from the release: with fewer cells another attribute may count.
ESTIMATED = ("linked_probability",)


def outcomes(original, release, keys=KEYS):
    """Every attack there is on a release, with the least and with all that an attacker may have.

    The original is the attacker's other table as well.
    """
    known = dv.read(original, quasi_identifiers=keys, sensitive="disease")
    alignment = align(known, dv.read(release), same_order=True)
    held = {
        "alignment": alignment,
        "released": alignment.released,
        "outside": known,
        "population": known,
        "partitions": GROUPS,
    }
    found = {}
    for name, attack in ATTACKS.items():
        takes = inspect.signature(attack).parameters
        required = {key for key, one in takes.items() if one.default is one.empty}
        for some in (required, required | (takes.keys() & held.keys())):
            found[name, *sorted(some)] = attack(**{key: held[key] for key in some})
    return found


def assert_none_rises(before, after, *, at_random):
    assert {name for name, *_ in before} == ATTACKS.keys()
    for name, one in after.items():
        was = before[name]
        if one.attack in ESTIMATED or (one.attack == "linked_interval" and one.risk is None):
            continue  # where no number is left there is nothing to be measured
        if was.risk is None:
            assert one.risk is None or not one.risk, name
            continue
        assert one.risk is not None, name
        if at_random or one.attack not in BY_SAMPLE:
            assert one.risk <= was.risk + 1e-9, (name, was.risk, one.risk)
        assert one.people <= was.people, (name, was.people, one.people)
        assert one.of == was.of, name


TREE = [("a", "ab", "abc"), ("b", "ab", "abc"), ("c", "c", "abc"), ("d", "de", "de"), ("e", "de", "de")]


def levels(release):
    """What the similarity attack finds on each level of a hierarchy of the diseases, and in all."""
    tree = dv.Hierarchy.of(TREE, attribute="disease")
    data = dv.read(release, quasi_identifiers=KEYS, sensitive="disease", hierarchies={"disease": tree})
    found = attacks.similarity(data)
    (search,) = found.details["search"]
    by_level = [
        [one[name] for name in ("discrimination_rate", "together", "certain")] for one in search["levels"]
    ]
    return [*by_level, [found.risk, found.risk, found.people]]


def assert_no_level_rises(before, after):
    for level, now in zip(before, after, strict=True):
        for was, one in zip(level, now, strict=True):
            assert (one or 0) <= (was or 0) + 1e-9, (was, one)


def starred(table, hidden, keys=KEYS):
    """The table with the cells suppressed that a matrix says, records by keys."""
    cells = {
        key: ["*" if star else cell for star, cell in zip(hidden[:, i], table[key], strict=True)]
        for i, key in enumerate(keys)
    }
    return table | cells


# -- any table, any suppression -----------------------------------------------------------------

VALUES = ("20", "21", "30"), ("7", "8"), ("f", "m"), tuple("abc")
CASES = st.integers(3, 12).flatmap(
    lambda records: st.tuples(
        st.tuples(*(st.lists(st.sampled_from(one), min_size=records, max_size=records) for one in VALUES)),
        st.lists(st.tuples(*[st.booleans()] * 3), min_size=records, max_size=records),
        st.lists(st.integers(0, 2), min_size=records, max_size=records),
        st.integers(2, 3),
    )
)


def case(drawn):
    """An original, its release by coarser ages, its keys, and the release with cells suppressed.

    Of each record one key stays: a record whose keys are all suppressed is as good as removed.
    """
    columns, hidden, shown, width = drawn
    original = dict(zip((*KEYS, "disease"), columns, strict=True))
    release = original | {"age": [f"{one[0]}*" for one in original["age"]]}
    stars = np.asarray(hidden)[:, :width]
    stars[np.arange(len(stars)), np.asarray(shown) % width] = False
    return original, release, KEYS[:width], starred(release, stars, KEYS[:width])


def assert_no_attack_gains(drawn):
    original, release, keys, suppressed = case(drawn)
    before, after = (outcomes(original, one, keys) for one in (release, suppressed))
    assert_none_rises(before, after, at_random=False)
    assert_no_reading_tells_more(before, after)


def assert_no_reading_tells_more(before, after):
    """Of who is who by each key and by all, of a sensitive attribute by all keys together."""
    for name, found in after.items():
        rates = [
            {(one.keys, one.target): one.discrimination_rate for one in each.readings}
            for each in (before[name], found)
        ]
        for (keys, target), rate in rates[0].items():
            if rate is not None and (len(keys) > 1 or target not in ("disease", "disease (kind)")):
                assert (rates[1][keys, target] or 0) <= rate + 1e-7, (name, keys, target)


@settings(max_examples=8)
@given(CASES)
def test_no_attack_finds_more_however_cells_are_suppressed(drawn):
    assert_no_attack_gains(drawn)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(CASES)
def test_no_attack_finds_more_however_cells_are_suppressed_over_many_tables(drawn):
    assert_no_attack_gains(drawn)


def readings(table, keys):
    """What a check would read of every measure that has a reading where cells are suppressed."""
    data, found = dv.read(table, quasi_identifiers=keys, sensitive="disease"), {}
    for target in ("@record", "disease"):
        question = Question(data, keys, (target,))
        stars = fitted(question)
        for measure in MEASURES.values():
            for given_ in measure.variants:
                try:
                    value = (
                        measure.compute(question.counts, given_)
                        if stars is None
                        else stars.value(measure, given_)
                    )
                except Undefined:
                    continue
                found[target, measure.name, *given_.values()] = value
    return found


def assert_no_reading_is_riskier(drawn):
    _, release, keys, suppressed = case(drawn)
    before, after = readings(release, keys), readings(suppressed, keys)
    for name, value in after.items():
        sign = 1 if MEASURES[name[1]].riskier == "higher" else -1
        if name in before:
            assert sign * value <= sign * before[name] + 1e-7 * max(1, abs(before[name])), (
                name,
                before[name],
                value,
            )


@settings(max_examples=8)
@given(CASES)
def test_no_measure_reads_riskier_however_cells_are_suppressed(drawn):
    assert_no_reading_is_riskier(drawn)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(CASES)
def test_no_measure_reads_riskier_however_cells_are_suppressed_over_many_tables(drawn):
    assert_no_reading_is_riskier(drawn)


# -- suppressed at random -----------------------------------------------------------------------


def people(rng, records, related):
    """A table whose sensitive values go with the ages of some, and its release by coarser ages."""
    age = rng.integers(20, 60, records)
    disease = np.where(rng.random(records) < related, age // 10 % 5, rng.integers(0, 5, records))
    original = {
        "age": age.astype(str).tolist(),
        "zip": rng.integers(10, 13, records).astype(str).tolist(),
        "sex": rng.choice(["f", "m"], records).tolist(),
        "disease": [*map("abcde".__getitem__, disease)],
    }
    return original, original | {"age": [f"{one // 10}*" for one in age]}


def at_random(rng, records, share, keys):
    """Which cells of some keys are suppressed, and of no record all of its keys."""
    hidden = rng.random((records, len(keys))) < share
    if len(keys) == len(KEYS):
        hidden[np.arange(records), rng.integers(0, len(keys), records)] = False
    return hidden


def assert_suppression_lowers(seed, shares=(0.02, 0.2, 0.6, 0.97, 1)):
    rng = np.random.default_rng(seed)
    records, related = rng.choice([40, 150, 400]), rng.choice([0, 0.3, 0.9])
    original, release = people(rng, records, related)
    keys = KEYS if rng.random() < 0.5 else (KEYS[rng.integers(0, 3)],)
    before, by_level = outcomes(original, release), levels(release)
    for share in shares:
        suppressed = starred(release, at_random(rng, records, share, keys), keys)
        assert_none_rises(before, outcomes(original, suppressed), at_random=True)
        assert_no_level_rises(by_level, levels(suppressed))


@pytest.mark.parametrize(("seed", "shares"), [(0, (0.02, 0.6)), (1, (0.2, 0.97, 1))])
def test_suppressing_cells_at_random_raises_neither_risk_nor_people(seed, shares):
    assert_suppression_lowers(seed, shares)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, *range(100, 160)])
def test_suppressing_cells_at_random_raises_neither_risk_nor_people_over_many_tables(seed):
    assert_suppression_lowers(seed)


def test_a_key_that_is_suppressed_throughout_raises_no_level_of_a_hierarchy():
    _, release = people(np.random.default_rng(5), 150, 0.9)
    assert_no_level_rises(levels(release), levels(release | {"sex": ["*"] * 150}))


# -- why one reading is bound by what happens at random only ------------------------------------

#: One release, and two originals of which it may come: by the cells that are suppressed, a key tells
#: nothing in the first and everything in the second.
SHOWN = {"zip": ["7", "8", "*", "*"], "disease": ["a", "b", "a", "b"]}
ZIPS = ["7", "8", "8", "7"], ["7", "8", "7", "8"]


def rate(zips, times):
    """What the postcode tells about the disease on the four records, each so many times."""
    table = {"zip": zips * times, "sex": ["f"] * 4 * times, "disease": SHOWN["disease"] * times}
    data = dv.read(table, quasi_identifiers=["zip", "sex"], sensitive="disease")
    found = attacks.homogeneity(data).readings
    return next(one.discrimination_rate for one in found if one.keys == ("zip",))


def test_a_reading_that_never_rises_would_be_nothing_where_half_of_the_cells_tell_all():
    # A reading of the release that no choice of cells could raise is at most that of every original.
    assert [rate(one, 1) for one in ZIPS] == pytest.approx([0, 1])
    assert rate(SHOWN["zip"], 1) == 0  # two shown cells may be an accident
    # A thousand shown cells are none: whoever has a postcode of 7 has a. That is not nothing.
    assert [rate(one, 500) for one in ZIPS] == pytest.approx([0, 1])
    assert rate(SHOWN["zip"], 500) == pytest.approx(0.5)


# -- the laws can fail --------------------------------------------------------------------------

#: Two classes of two records; one record of each loses its postcode.
SMALL = {"age": ["20"] * 4, "zip": ["7", "7", "8", "8"], "sex": [*"ffmm"], "disease": [*"abab"]}
STARS = np.asarray([[False, True, False], [False, False, False], [False, True, False], [False, False, False]])


def test_with_a_star_for_a_value_an_attack_would_find_more(monkeypatch):
    monkeypatch.setattr(Question, "fitting", property(lambda question: question.counts))
    before, after = outcomes(SMALL, SMALL), outcomes(SMALL, starred(SMALL, STARS))
    with pytest.raises(AssertionError, match=r"identity_black_box|homogeneity|prosecutor"):
        assert_none_rises(before, after, at_random=True)


def test_with_records_left_out_a_single_key_would_tell_more(monkeypatch):
    monkeypatch.setattr("divulge.attacks.questions._throughout", lambda data, key: True)  # ask without them
    table, hidden = SMALL | {"zip": ["7", "7", "8", "9"]}, np.zeros((4, 3), bool)
    hidden[:2, 1] = True  # those who share a postcode
    before, after = outcomes(table, table), outcomes(table, starred(table, hidden))
    with pytest.raises(AssertionError):
        assert_no_reading_tells_more(before, after)


def test_with_a_star_for_a_value_a_measure_would_read_riskier(monkeypatch):
    monkeypatch.setitem(readings.__globals__, "fitted", lambda question: None)
    before, after = readings(SMALL, KEYS), readings(starred(SMALL, STARS), KEYS)
    assert after["@record", "k_anonymity"] < before["@record", "k_anonymity"]


def test_skewness_counts_no_more_people_where_suppressed_cells_join_two_classes():
    # By hand: a has 11 of 36 in the original, 1 of 3 with the postcode 7 and 10 of 10 with 8: ten are
    # doubled. With these postcodes suppressed, 11 of 13 women have a. But the one who had 7 may still be with
    # two of b only, and so may each of the others: 1 of 3.
    zips, sexes = ["7"] * 3 + ["8"] * 10 + ["9"] * 23, ["f"] * 13 + ["m"] * 23
    table = {"zip": zips, "sex": sexes, "disease": ["a"] + ["b"] * 2 + ["a"] * 10 + ["b"] * 23}
    hidden = table | {"zip": ["*"] * 13 + ["9"] * 23}
    known = dv.read(table, quasi_identifiers=["zip", "sex"], sensitive="disease")
    found = [attacks.skewness(align(known, dv.read(one))).people for one in (table, hidden)]
    assert found == [10, 0]
