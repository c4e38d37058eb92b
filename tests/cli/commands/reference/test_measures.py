"""The catalogue comes from the registry, whole."""

import json

import pytest
from typer.testing import CliRunner

from divulge._support.references import REFERENCES
from divulge._support.wording import number
from divulge.cli.app import app
from divulge.measures import MEASURES
from divulge.measures.linkage_figures import LINKAGE_FIGURES
from divulge.measures.population_figures import FIGURES
from divulge.measures.registry import example_counts


def shown(*arguments):
    named = any(not one.startswith("-") for one in arguments)
    result = CliRunner().invoke(app, ["guide", *([] if named else ["measures"]), *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_has_every_measure_with_formula_range_direction_and_reference():
    text = shown()
    for measure in (*MEASURES.values(), *FIGURES.values(), *LINKAGE_FIGURES.values()):
        assert f"\n{measure.name}  (" in "\n" + text
        assert measure.title in text
        assert f"{measure.riskier} is riskier" in text
        assert measure.reference in text
        assert " ".join(measure.formula.split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", MEASURES)
def test_one_measure_is_explained_with_an_example_that_is_worked_and_computed(name):
    text = " ".join(shown(name).split())
    measure = MEASURES[name]
    assert measure.summary in text
    assert " ".join(measure.example.split()) in text
    assert f"divulge gives {number(measure.compute(example_counts()))}" in text
    assert max(map(len, shown(name).splitlines())) <= 80


def test_the_catalogue_as_json_holds_the_facts():
    facts = {row["name"]: row for row in json.loads(shown("--json"))}
    assert facts.keys() == {**MEASURES, **FIGURES, **LINKAGE_FIGURES}.keys()
    assert facts["population_unique"]["undefined"] == FIGURES["population_unique"].undefined
    assert facts["k_anonymity"]["range"] == [1, None]
    assert facts["itpr"]["riskier"] == "higher"


@pytest.mark.parametrize("name", [*FIGURES, *LINKAGE_FIGURES])
def test_a_figure_of_the_population_or_of_links_is_explained_with_what_a_threshold_is_held_against(name):
    text, figure = " ".join(shown(name).split()), {**FIGURES, **LINKAGE_FIGURES}[name]
    for said in (figure.summary, figure.formula, figure.cautious, figure.undefined):
        assert said in text
    assert REFERENCES[figure.reference] in text
    assert max(map(len, shown(name).splitlines())) <= 80


def test_a_misspelt_measure_gets_a_suggestion():
    result = CliRunner().invoke(app, ["guide", "discrimination"])
    assert "Did you mean 'discrimination_rate'?" in str(result.exception)
    result = CliRunner().invoke(app, ["guide", "population_uniqe"])
    assert "Did you mean 'population_unique'?" in str(result.exception)
