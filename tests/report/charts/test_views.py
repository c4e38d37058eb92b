"""Our drawing of a chart is that of Vega, and what we do not draw is left to Vega."""

import json
import re
import sys
from xml.etree import ElementTree

import pytest

from divulge.report.attacker.charts import ATTACKER_CHARTS
from divulge.report.audit.charts import CHARTS
from divulge.report.charts.draw import draw
from divulge.report.charts.parts import NotDrawn
from divulge.report.charts.theme import PALETTE, chart
from divulge.report.charts.views import rendered
from divulge.report.comparison.charts import COMPARISON_CHARTS
from divulge.report.release.charts import RELEASE_CHARTS
from report import comparison_document, example_document, release_document
from report.attacker.test_page import document as attacker_document

PAGES = {
    "audit": (CHARTS, example_document.document),
    "wide audit": (CHARTS, lambda: example_document.wide_document(30)),
    "comparison": (COMPARISON_CHARTS, comparison_document.document),
    "many releases": (COMPARISON_CHARTS, lambda: comparison_document.many_releases(8)),
    "release": (RELEASE_CHARTS, lambda: release_document.document(release_document.TESTS, each=True)),
    "attacker": (ATTACKER_CHARTS, attacker_document),
}
SPECS = {
    f"{page}, {one.name}": spec
    for page, (charts, document) in PAGES.items()
    for one in charts
    if (spec := one.spec(document())) is not None
}
SVG = "{http://www.w3.org/2000/svg}"


def texts(root, x=0.0, y=0.0):
    """Every text with where it stands, whatever groups it stands in."""
    moved = re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", root.get("transform", ""))
    x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
    found = [(root.text, x, y)] if root.tag == f"{SVG}text" else []
    return sorted(found + [text for child in root for text in texts(child, x, y)])


def marks(root):
    """How many shapes there are among the marks."""
    groups = [group for group in root.iter() if group.get("class") == "mark"]
    return sum(shape.tag in (f"{SVG}path", f"{SVG}line") for group in groups for shape in group.iter())


def both(spec):
    """A chart as we draw it, and as Vega draws what it says."""
    ours = ElementTree.fromstring(draw(spec, "ours"))
    vega = {**spec, "usermeta": {"not ours": True}}  # nothing that shows, but nothing we know
    with pytest.raises(NotDrawn):
        rendered(vega)
    return ours, ElementTree.fromstring(draw(vega, "Vega's"))


def test_every_chart_of_every_page_is_drawn_without_vega(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    left_to_vega = {}
    for name, spec in SPECS.items():
        try:
            rendered(spec)
        except (LookupError, TypeError, ValueError, ArithmeticError) as reason:
            left_to_vega[name] = reason
    assert not left_to_vega


@pytest.mark.parametrize("name", SPECS)
def test_words_stand_where_vega_puts_them_around_as_many_marks(name):
    ours, vega = both(SPECS[name])
    assert [float(size) for size in ours.get("viewBox").split()] == pytest.approx(
        [float(size) for size in vega.get("viewBox").split()], abs=2
    )
    assert [text for text, _, _ in texts(ours)] == [text for text, _, _ in texts(vega)]
    for our, other in zip(texts(ours), texts(vega), strict=True):
        assert our[1:] == pytest.approx(other[1:], abs=2 + 1e-9), our
    assert marks(ours) == marks(vega)


@pytest.mark.parametrize(
    "part",
    [
        {"mark": {"type": "area", "color": PALETTE["accent"]}},
        {"mark": {"type": "bar", "cornerRadius": 3}},
        {"mark": {"type": "line", "color": PALETTE["accent"], "interpolate": "monotone"}},
        {"transform": [{"filter": "datum.b > 1 && datum.b < 3"}]},
        {"transform": [{"calculate": "datum.b + 1", "as": "c"}]},
    ],
    ids=lambda part: json.dumps(part)[:40],
)
def test_what_is_not_usual_is_left_to_vega(part):
    spec = chart(
        **{
            "data": {"values": [{"a": "x", "b": 1}, {"a": "y", "b": 2}]},
            "width": 100,
            "height": {"step": 20},
            "mark": {"type": "bar"},
            "encoding": {
                "y": {"field": "a", "type": "nominal"},
                "x": {"field": "b", "type": "quantitative"},
            },
            **part,
        }
    )
    with pytest.raises((LookupError, ValueError)):
        rendered(spec)
    assert 'class="mark"' in draw(spec, "a chart")


def test_bars_that_would_be_stacked_and_names_on_edge_are_left_to_vega():
    value = {"field": "b", "type": "quantitative"}
    kind = {
        "field": "c",
        "scale": {"domain": [1, 2], "range": [PALETTE["ink"], PALETTE["soft"]]},
        "legend": None,
    }
    rows = [{"a": "x", "b": 1, "c": 1}, {"a": "x", "b": 2, "c": 2}]
    upright = {"y": {"field": "a", "type": "nominal"}, "x": value, "color": kind}
    shared = {"data": {"values": rows}, "width": 90, "height": 90, "mark": {"type": "bar"}}
    with pytest.raises(NotDrawn, match="stacked"):
        rendered(chart(**shared, encoding=upright))
    with pytest.raises(LookupError, match="labelAngle"):
        rendered(chart(**shared, encoding={"x": {"field": "a", "type": "nominal"}, "y": value}))
