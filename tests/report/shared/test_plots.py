"""Charts of the report as objects that show themselves in a notebook."""

import sys
from types import SimpleNamespace

import pytest

import divulge as dv
from divulge.errors import ParameterError
from divulge.report.audit.charts import CHARTS
from divulge.report.comparison.charts import comparison_charts
from divulge.report.shared.plots import VEGA_LITE, plotted
from report import comparison_document, example_document

TABLE = {"age": [22, 22, 35, 35], "ill": ["flu", "cold", "flu", "flu"]}


@pytest.fixture(scope="module")
def readings():
    return dv.measure(TABLE, ["k_anonymity", "discrimination_rate", "itpr"], keys="age", target="ill")


def test_a_plot_shows_itself_as_vega_lite_and_as_svg(readings):
    plot = readings.plot()
    shown = plot._repr_mimebundle_()
    assert shown[VEGA_LITE] == plot.to_dict()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["text/plain"] == "Plot(rates: Readings from 0 to 1)"


def test_a_specification_has_a_background_that_vega_lite_knows(readings):
    # Null is drawn, but is no colour by the schema of Vega-Lite, which Altair holds charts to.
    assert readings.plot().to_dict()["background"] == "transparent"


def test_the_chart_of_readings_has_the_rates_and_their_chance(readings):
    points = readings.plot().to_dict()["data"]["values"]
    assert [(one["rate"], one["chance"]) for one in points] == [
        (one.value, one.chance) for one in readings if one.measure.name != "k_anonymity"
    ]


def test_the_charts_of_an_audit_and_a_comparison_are_those_of_their_reports():
    audit, comparison = example_document.document(), comparison_document.document()
    assert plotted(CHARTS, audit).to_dict() == CHARTS[0].spec(audit)
    assert plotted(CHARTS, audit, "class_sizes").title == "Records by group size"
    charts = comparison_charts(comparison)
    assert plotted(charts, comparison, "attack_risk").to_dict() == charts[1].spec(comparison)


def test_an_audit_and_a_comparison_have_plots():
    data = dv.read(TABLE, quasi_identifiers="age", sensitive="ill")
    audit = dv.audit(data, search=False)
    assert audit.plot("record_risk").name == "record_risk"
    assert dv.compare(data, TABLE).plot().name == "risk_utility"
    with pytest.raises(ParameterError, match="nothing to draw in the chart 'combinations'"):
        audit.plot("combinations")


def test_an_unknown_chart_lists_those_there_are(readings):
    with pytest.raises(ParameterError, match=r"There is no chart 'pie'. There are rates\."):
        readings.plot("pie")


def test_altair_gets_the_specification_where_it_is_installed(readings, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ParameterError, match="needs the package 'altair'"):
        readings.plot().to_altair()
    taken = SimpleNamespace(Chart=SimpleNamespace(from_dict=lambda spec: ("altair", spec)))
    monkeypatch.setitem(sys.modules, "altair", taken)
    assert readings.plot().to_altair() == ("altair", readings.plot().to_dict())
