"""Our drawing of a chart is that of Vega, and what we do not draw is left to Vega."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from divulge.report.anonymization.charts import SEARCH_CHARTS
from divulge.report.attacker.charts import ATTACKER_CHARTS
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.reading_charts import READING_CHARTS
from divulge.report.charts import theme
from divulge.report.charts.draw import draw
from divulge.report.charts.parts import NotDrawn
from divulge.report.charts.theme import PALETTE, chart
from divulge.report.charts.views import rendered
from divulge.report.comparison.charts import comparison_charts
from divulge.report.release.charts import RELEASE_CHARTS
from divulge.report.release.page import page
from report import anonymization_document, comparison_document, example_document, release_document
from report.attacker.test_page import document as attacker_document

READINGS = [
    {"measure": "itpr", "parameters": {}, "value": 0.9, "chance": 0.2, "riskier": "higher"},
    {"measure": "discrimination_rate", "parameters": {}, "value": 0.4, "chance": None, "riskier": "higher"},
]


def with_gaps():
    """An audit in which some numbers stay hidden."""
    found = example_document.document()
    found["class_sizes"][1]["share"] = None
    for place in (0, 3):
        found["combinations"]["by_size"][place]["uniqueness"] = [None, None, 0.2]
    return found


OURS = {
    "audit": (CHARTS, example_document.document()),
    "audit with gaps": (CHARTS, with_gaps()),
    "readings": (READING_CHARTS, {"readings": READINGS}),
    "wide audit": (CHARTS, example_document.wide_document(30)),
    "comparison": (comparison_charts(compared := comparison_document.document()), compared),
    "search": (SEARCH_CHARTS, anonymization_document.document()),
    "local recoding": (SEARCH_CHARTS, anonymization_document.document(local=True)),
    "many releases": (comparison_charts(several := comparison_document.many_releases(8)), several),
}
OTHERS = {
    "release": (RELEASE_CHARTS, release_document.document(release_document.TESTS, each=True)),
    "attacker": (ATTACKER_CHARTS, attacker_document()),
}


def specs(pages):
    return {
        f"{page}, {one.name}": spec
        for page, (charts, document) in pages.items()
        for one in charts
        if (spec := one.spec(document)) is not None
    }


SPECS = specs(OURS | OTHERS)
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


def test_every_chart_of_an_audit_and_of_a_comparison_is_drawn_without_vega(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    left_to_vega = {}
    for name, spec in specs(OURS).items():
        try:
            rendered(spec)
        except (LookupError, TypeError, ValueError, ArithmeticError) as reason:
            left_to_vega[name] = reason
    assert not left_to_vega
    assert {"comparison, distributions_1", "audit, combinations"} <= specs(OURS).keys()


def test_the_renderer_is_short_enough_to_be_worth_having_beside_vega():
    files = [path for path in Path(theme.__file__).parent.glob("*.py") if path.name != "theme.py"]
    assert {"draw.py", "marks.py", "parts.py", "views.py"} <= {path.name for path in files}
    assert sum(len(path.read_text().splitlines()) for path in files) < 400


def test_what_a_page_leaves_to_vega_is_drawn_once(monkeypatch):
    asked = []
    drawn = f'<svg xmlns="{SVG[1:-1]}"/>'
    vega = SimpleNamespace(vegalite_to_svg=lambda spec, **_: asked.append(json.dumps(spec)) or drawn)
    monkeypatch.setitem(sys.modules, "vl_convert", vega)
    page(OTHERS["release"][1])
    assert len(asked) == len(set(asked)) == len(specs({"release": OTHERS["release"]}))


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


def bars(**parts):
    """Bars beside names, and what a chart says besides."""
    axis = {"title": None, "values": [0, 2], "format": ".6~g"}
    usual = {
        "data": {"values": [{"a": "x", "b": 1}, {"a": "y", "b": 2}]},
        "width": 100,
        "height": {"step": 20},
        "encoding": {
            "y": {"field": "a", "type": "nominal", "sort": ["x", "y"], "axis": {"title": None}},
            "x": {"field": "b", "type": "quantitative", "scale": {"domain": [0, 2]}, "axis": axis},
        },
        "layer": [{"mark": {"type": "bar", "size": 10}}],
    }
    return chart(**{**usual, **parts})


@pytest.mark.parametrize(
    "part",
    [
        {"layer": [{"mark": {"type": "area", "color": PALETTE["accent"]}}]},
        {"layer": [{"mark": {"type": "bar", "size": 10, "cornerRadius": 3}}]},
        {"layer": [{"mark": {"type": "line", "color": PALETTE["accent"], "interpolate": "monotone"}}]},
        {"transform": [{"filter": "datum.b > 1 && datum.b < 3"}]},
        {"transform": [{"calculate": "datum.b + 1", "as": "c"}]},
        {"layer": [{"mark": {"type": "bar", "size": 10}, "encoding": {"x": {"field": "b", "axis": None}}}]},
        {"layer": [{"mark": {"type": "bar", "size": 10}, "encoding": {"x2": {"datum": 1}}}]},
        {"layer": [{"mark": {"type": "bar", "size": 10}, "encoding": {"color": {"field": "a"}}}]},
        {"title": {"text": "a title", "frame": "group"}},
    ],
    ids=lambda part: json.dumps(part)[:60],
)
def test_what_is_not_usual_is_left_to_vega(part):
    assert len(list(rendered(bars()).iter(f"{SVG}path"))) == 2
    with pytest.raises((LookupError, ValueError)):
        rendered(bars(**part))
    assert 'class="mark"' in draw(bars(**part), "a chart")


@pytest.mark.parametrize(
    "scale",
    [
        {"domain": [1, 2], "type": "log"},
        {"domain": [0, 1], "clamp": True},
        {"domain": [0, 1.9], "nice": True},
        {},
    ],
)
def test_a_scale_that_is_more_than_its_two_ends_is_left_to_vega(scale):
    encoding = bars()["encoding"]
    with pytest.raises((LookupError, ValueError)):
        rendered(bars(encoding={**encoding, "x": {**encoding["x"], "scale": scale}}))


def test_bars_that_would_be_stacked_and_names_on_edge_are_left_to_vega():
    scale = {"domain": [1, 2], "range": [PALETTE["ink"], PALETTE["soft"]]}
    colour = {"color": {"field": "c", "type": "nominal", "scale": scale, "legend": None}}
    rows = [{"a": "x", "b": 1, "c": 1}, {"a": "x", "b": 2, "c": 2}]
    with pytest.raises(NotDrawn, match="stacked"):
        rendered(bars(data={"values": rows}, layer=[{**bars()["layer"][0], "encoding": colour}]))
    numbers = {**bars()["encoding"], "y": bars()["encoding"]["x"]}
    with pytest.raises(NotDrawn, match="between numbers"):
        rendered(bars(encoding=numbers, height=90))
    x, y = bars()["encoding"].values()
    with pytest.raises(LookupError, match="labelAngle"):
        rendered(bars(encoding={"x": x, "y": y}))
