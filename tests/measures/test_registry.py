"""The registry: facts that are complete, examples that come out as printed, parameters that are checked."""

import inspect
import re

import numpy as np
import pytest

import divulge as dv
from divulge import measures
from divulge._support.references import REFERENCES
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError, Undefined, UnknownMeasure
from divulge.measures import MEASURES, get
from divulge.measures.registry import EXAMPLE, example_counts, measure

ALL = pytest.mark.parametrize("one", MEASURES.values(), ids=MEASURES)


def test_the_catalogue_in_its_order():
    assert list(MEASURES) == [
        *("entropy", "conditional_entropy", "normalized_conditional_entropy", "mutual_information"),
        *("conditional_privacy", "discrimination_rate", "itpr", "maximum_information_leakage"),
        *("entropy_l_diversity_risk", "kl_closeness", "worst_posterior", "attacker_error"),
        *("best_attacker_error", "entropy_drop", "normalized_entropy_drop"),
        *("k_anonymity", "class_count", "average_class_size", "uniqueness", "reidentification_risk"),
        "class_size_difference",
        *("distinct_l_diversity", "entropy_l_diversity", "recursive_cl_diversity", "alpha_k_anonymity"),
        "occurrence_difference",
        *("t_closeness", "delta_disclosure", "beta_likeness"),
    ]


@ALL
def test_the_worked_example_ends_in_the_number_that_is_read(one):
    printed = re.findall(r"\d+(?:\.\d+)?", one.example)[-1]
    digits = len(printed.partition(".")[2])
    assert f"{one.compute(example_counts()):.{digits}f}" == printed


def test_the_worked_examples_are_about_eight_records_in_two_classes():
    counts = example_counts()
    assert counts.matrix().tolist() == [list(row) for row in EXAMPLE]
    assert (counts.records, counts.classes) == (8, 2)


@ALL
def test_every_variant_reads_the_worked_example(one):
    for parameters in one.variants:
        assert one.bounds[0] <= one.compute(example_counts(), parameters) <= one.bounds[1]


@ALL
def test_the_facts_are_complete(one):
    assert one.reference in REFERENCES
    assert one.title
    assert one.formula
    assert one.summary.endswith(".")
    assert "\n" not in one.summary
    assert ">>>" not in one.explanation
    assert one.riskier in {"higher", "lower"}
    assert one.case in {"worst", "average", "best", "whole"}
    assert set(one.beside) <= set(MEASURES)
    assert one.bounds[0] < one.bounds[1]


@ALL
def test_variants_name_parameters_that_the_function_and_its_classes_take(one):
    takes = list(inspect.signature(one.function).parameters)[1:]
    assert all(set(variant) <= set(takes) for variant in one.variants)
    if callable(one.by_class):
        assert list(inspect.signature(one.by_class).parameters) == takes


@ALL
def test_the_classes_at_the_risky_end_of_the_statistic_are_those_at_risk(one):
    counts = JointCounts.of_table(np.random.default_rng(4).integers(0, 6, (30, 4)) + 1)
    counts = counts.with_ground(order=[2, 0, 1, 3], levels=[[0, 0, 1, 1]])
    if one.by_class is None:
        with pytest.raises(Undefined, match="whole table"):
            one.statistic()
        return
    for parameters in one.variants:
        statistic, values = one.statistic(parameters), one.classes(counts, parameters)
        of_classes = counts.statistic(statistic)
        worst = values[of_classes.argmax() if statistic.riskier == "higher" else of_classes.argmin()]
        assert worst == pytest.approx(values.max() if one.riskier == "higher" else values.min())


def test_a_measure_can_be_had_by_its_name():
    assert all(getattr(measures, name) is one.function for name, one in MEASURES.items())
    with pytest.raises(AttributeError, match="no attribute 'anonymity'"):
        _ = measures.anonymity


@ALL
def test_the_first_variant_is_what_is_read_unless_told(one):
    assert one.compute(example_counts(), one.variants[0]) == one.compute(example_counts())


@ALL
def test_an_unknown_parameter_is_named_with_those_there_are(one):
    with pytest.raises(ParameterError, match=f"{one.name} has no parameter 'depth'. It takes"):
        one.compute(example_counts(), {"depth": 2})


def test_a_slip_in_a_measure_s_name_comes_with_a_suggestion():
    with pytest.raises(UnknownMeasure, match=r"Unknown measure: 'k_anonimity'. Did you mean 'k_anonymity'?"):
        get("k_anonimity")
    with pytest.raises(UnknownMeasure, match="List them with: divulge guide measures"):
        dv.measure({"a": [1]}, "zzz", keys="a")


def test_registering_hands_the_function_back_untouched():
    def plain(counts):
        """A number."""
        return 1.0

    facts = {"title": "t", "formula": "f", "bounds": (0, 1), "riskier": "higher", "case": "whole"}
    try:
        assert measure(**facts, reference="shannon1948", example="1")(plain) is plain
        assert get("plain").compute(example_counts()) == 1
    finally:
        del MEASURES["plain"]


def test_worse_respects_the_direction_and_forgives_rounding():
    k, rate = get("k_anonymity"), get("discrimination_rate")
    assert k.worse(2, than=3)
    assert not k.worse(3, than=2)
    assert rate.worse(0.3, than=0.2)
    assert not rate.worse(0.2 + 1e-15, than=0.2)


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.needs_target])
def test_measures_that_compare_target_values_are_undefined_on_record(name):
    counts = dv.ask({"a": [1, 1, 2]}, keys="a").counts
    with pytest.raises(Undefined, match="with @record every record is its own value"):
        get(name).compute(counts)
    assert not get(name).applies(counts)


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.by_class is None])
def test_properties_of_the_whole_table_have_no_value_for_a_class(name):
    with pytest.raises(Undefined, match="whole table"):
        get(name).classes(example_counts())


def test_variants_that_need_an_order_or_a_tree_apply_where_there_is_one():
    closeness, plain = get("t_closeness"), JointCounts.of_table([[1, 1]])
    assert [closeness.applies(plain, v) for v in closeness.variants] == [True, False, False]
    assert all(closeness.applies(example_counts(), v) for v in closeness.variants)
