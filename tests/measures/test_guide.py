"""The guide: every attacker gets advice that exists, and the published table comes out."""

import importlib
import inspect
from itertools import product

import pytest

import divulge.attacks as dv_attacks
from divulge._support.references import REFERENCES
from divulge.errors import ParameterError
from divulge.measures import MEASURES
from divulge.measures.guide import QUESTIONS, recommend
from divulge.measures.guide_attacks import ATTACK_FITS, recommended_attacks
from divulge.measures.guide_fits import ELSEWHERE, FITS
from divulge.measures.population_figures import FIGURES
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.guide import MECHANISM_FITS, recommended_mechanisms
from divulge.mechanisms.guide_scenarios import SCENARIO_FITS

ATTACKERS = [
    dict(zip([question.name for question in QUESTIONS], values, strict=True))
    for values in product(*([answer.value for answer in question.answers] for question in QUESTIONS))
]


def named(**attacker):
    return [advice.measure for advice in recommend(**attacker)]


def found(measure):
    """What a measure's name leads to: a function of the registry, or a thing in the package."""
    if measure in FIGURES:
        return FIGURES[measure].why.format
    if measure in MEASURES:
        return MEASURES[measure].function
    module, _, name = measure.rpartition(".")
    return getattr(importlib.import_module(f"divulge.{module}"), name)


def test_every_attacker_gets_advice_and_none_twice():
    for attacker in ATTACKERS:
        measures = named(**attacker)
        assert measures, attacker
        assert len(set(measures)) == len(measures), attacker


def test_every_measure_named_exists_and_says_why_and_where_from():
    for fit in FITS:
        advice = fit.advice
        assert callable(found(advice.measure))
        assert advice.title
        assert advice.reference in REFERENCES
        assert advice.why.endswith(".")


def test_titles_and_references_of_registered_measures_are_those_of_the_registry():
    advice = recommend(
        domain="table", hamming=False, distortion_known=False, occurrences="single", case="worst"
    )
    assert advice[0].measure == "t_closeness"
    assert advice[0].title == MEASURES["t_closeness"].title
    assert advice[0].reference == "li2007"


def test_nothing_is_described_that_no_advice_names():
    assert set(ELSEWHERE) == {fit.measure for fit in FITS} - set(MEASURES) - set(FIGURES)


@pytest.mark.parametrize(
    ("domain", "hamming", "case", "first"),
    [
        ("table", False, "worst", ["t_closeness"]),
        ("table", False, "average", ["mutual_information"]),
        ("table", False, "best", ["k_anonymity", "distinct_l_diversity"]),
        ("table", True, "best", ["k_anonymity", "distinct_l_diversity"]),
        ("communication", True, "worst", ["estimation.information.entropy.min_entropy"]),
        ("communication", True, "average", ["estimation.information.entropy.shannon_entropy"]),
        ("communication", True, "best", ["estimation.information.entropy.hartley_entropy"]),
    ],
)
def test_the_published_guide_comes_first(domain, hamming, case, first):
    # rebollo2013, table IV; its row on tables takes the distortion to be unknown.
    measures = named(domain=domain, hamming=hamming, distortion_known=False, occurrences="single", case=case)
    assert measures[: len(first)] == first


def test_the_worst_case_of_a_table_names_t_closeness_for_any_attacker_without_a_known_distance():
    for hamming in (True, False):
        given = {"domain": "table", "occurrences": "single", "case": "worst"}
        assert "t_closeness" in named(hamming=hamming, distortion_known=False, **given)


def test_a_known_distance_is_used_and_not_bounded():
    for domain, case in product(["table", "location"], ["worst", "average", "best"]):
        given = {"domain": domain, "case": case, "hamming": False, "distortion_known": True}
        assert named(occurrences="single", **given)[0] == "estimation.channels.privacy.privacy"
        assert "estimation.attackers.traces.HiddenMarkov" in named(occurrences="multiple", **given)


def test_sequences_are_measured_by_the_size_of_the_typical_set():
    given = {"domain": "location", "hamming": True, "occurrences": "multiple", "case": "average"}
    assert named(**given)[:2] == [
        "estimation.information.entropy.shannon_entropy",
        "estimation.attackers.typical.conditionally_typical_set",
    ]


def test_hamming_distortion_need_not_be_said_to_be_known():
    for attacker in ATTACKERS:
        if attacker["hamming"]:
            left_out = {name: value for name, value in attacker.items() if name != "distortion_known"}
            assert recommend(**attacker) == recommend(**left_out)


def test_a_best_case_over_the_smallest_class_says_that_it_is_both():
    for fit in FITS:
        if fit.case == "best" and fit.measure in MEASURES and MEASURES[fit.measure].case != "best":
            assert MEASURES[fit.measure].case == "worst"
            assert "assumption about the attacker is the best case" in fit.why


def test_questions_are_the_parameters():
    assert [question.name for question in QUESTIONS] == list(inspect.signature(recommend).parameters)


def test_what_is_known_need_not_be_asked():
    open_ = [question.name for question in QUESTIONS if question.needed({"hamming": True, "case": "best"})]
    assert open_ == ["domain", "occurrences"]
    assert [question.name for question in QUESTIONS if question.needed({"hamming": False})] == [
        "domain",
        "distortion_known",
        "occurrences",
        "case",
    ]


def test_an_answer_that_is_none_is_refused_with_those_there_are():
    given = {"domain": "table", "hamming": False, "occurrences": "single", "case": "worst"}
    with pytest.raises(
        ParameterError, match=r"'tables' is not an answer to 'domain'.*table, communication, loc"
    ):
        recommend(**{**given, "domain": "tables"})
    with pytest.raises(ParameterError, match="None is not an answer to 'distortion_known'"):
        recommend(**given)


def test_every_measure_of_a_table_is_among_the_advice():
    assert {fit.measure for fit in FITS} >= MEASURES.keys() | FIGURES.keys()


def test_attacks_and_mechanisms_named_exist_and_every_attacker_of_a_table_gets_some():
    for one in (*ATTACK_FITS, *MECHANISM_FITS, *SCENARIO_FITS):
        assert one.advice.why.endswith(".")
        assert one.advice.reference in REFERENCES
    for one in (*ATTACK_FITS, *SCENARIO_FITS):
        assert callable(found(one.advice.measure))
    for hamming, known, case in product((True, False), (True, False), ("worst", "average")):
        assert recommended_attacks("table", hamming, case)
        assert recommended_mechanisms("table", hamming, known, case)
    assert recommended_attacks("location", True, "worst") == []


def test_every_attack_and_every_mechanism_of_a_table_is_among_the_advice():
    attacks = {name for name in dv_attacks.__all__ if name[0].islower()} - {"summary"}
    assert {one.attack for one in ATTACK_FITS} == attacks
    assert {one.mechanism for one in MECHANISM_FITS} == MECHANISMS.keys()


def test_messages_and_places_have_mechanisms_of_their_own():
    for domain, hamming in product(("communication", "location", "other"), (True, False)):
        for one in recommended_mechanisms(domain, hamming, True, "average"):
            assert one.command.startswith("divulge attacker ")
    assert recommended_mechanisms("communication", True, None, "best")[0].title == "Crowds"


@pytest.mark.parametrize(
    ("attacker", "measure", "command"),
    [
        (
            {"domain": "table", "hamming": False, "distortion_known": True, "case": "worst"},
            "estimation.channels.privacy.privacy",
            "divulge attacker --file FILE --keys A,B --target X --distortion NAME",
        ),
        (
            {"domain": "other", "hamming": False, "distortion_known": False, "case": "average"},
            "estimation.mechanisms.optimal.optimal_mechanism",
            "divulge attacker optimize PRIOR.csv --budget D --goal information",
        ),
        (
            {"domain": "location", "hamming": True, "case": "worst"},
            "estimation.channels.privacy.privacy",
            "divulge attacker location --noise laplace --noise-scale S --distortion hamming",
        ),
    ],
)
def test_a_command_goes_with_how_the_attacker_judges_estimates(attacker, measure, command):
    advice = {one.measure: one for one in recommend(occurrences="single", **attacker)}
    assert advice[measure].command == command
