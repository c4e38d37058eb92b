"""Everything public shows itself in a notebook, and no style of the notebook can break it."""

from typing import NamedTuple

import pytest

import divulge as dv
from browsing import opened
from divulge.attacks.outcome import Outcome
from divulge.report.audit.notebook import notebook as audit_notebook
from divulge.report.comparison.notebook import notebook as comparison_notebook
from divulge.safe_release import Guard, State, decide, table_of
from divulge.safe_release.simulation import simulate
from report import anonymization_document, comparison_document, example_document

#: What JupyterLab says of the insides of an output, and worse.
JUPYTER = """
.jp-RenderedHTMLCommon { font: 14px/1.6 sans-serif; padding-right: 20px; }
.jp-RenderedHTMLCommon dt { font-weight: bold; float: left; clear: left; width: 20%; }
.jp-RenderedHTMLCommon dd { float: left; width: 80%; padding-left: 0.5em; }
.jp-RenderedHTMLCommon table { table-layout: fixed; margin-left: auto; margin-right: auto; font-size: 12px; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr {
  text-align: right; vertical-align: middle; padding: 0.5em; white-space: nowrap; border: none;
}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #f5f5f5; }
.jp-RenderedHTMLCommon span, .jp-RenderedHTMLCommon strong { float: left; width: 20%; height: 4px; }
"""
COLUMNS = {
    "age": [20, 20, 30, 30, 40, 40] * 20,
    "sex": ["f", "m"] * 60,
    "disease": ["flu", "cold", "flu", "ill", "ill", "flu"] * 20,
}
HELD = table_of([[30, 20, 12], [20, 30, 11], [5, 8, 20]], ["young", "middle", "old"], ["a", "b", "c"])
#: Boxes of texts that lie over one another, of tables and figures in numbers.
OVERLAPS = """() => {
  const every = document.querySelectorAll('th, td, .numbers span, .numbers strong');
  const texts = [...every].filter(one => one.textContent);
  const boxes = texts.map(one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  });
  const over = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  return boxes.filter((one, place) => boxes.slice(place + 1).some(other => over(one, other))).length;
}"""
STYLES = """() => [...document.querySelectorAll('.divulge-report :not(style, svg, svg *)')].map(one => {
  const style = getComputedStyle(one);
  return [style.float, style.backgroundColor, style.tableLayout].join(' ');
})"""


class Page(NamedTuple):
    """What an audit or a comparison shows, made from a document."""

    html: str

    def _repr_html_(self):
        return self.html


def every_object():
    """One of each kind of object that public functions hand back, with a word that its view has."""
    data = dv.read(COLUMNS, quasi_identifiers=["age", "sex"], sensitive="disease")
    guard = Guard.of(HELD, "mis", 0.2, samples=200)
    channel = dv.Channel([0.9, 0.1], [[0.95, 0.05], [0.2, 0.8]], ["healthy", "ill"], ["no", "yes"])
    readings = dv.measure(data, ["k_anonymity", "entropy"], keys=["age", "sex"], target="disease")
    return {
        "audit": (Page(audit_notebook(example_document.document())), "required"),
        "comparison": (Page(comparison_notebook(comparison_document.document())), "release"),
        "search": (anonymization_document.found(local=True), "mean 2.42"),
        "data": (data, "quasi-identifier"),
        "readings": (readings, ">k-anonymity<"),
        "reading": (readings["k_anonymity"], "20 records"),
        "channel": (channel, "observations"),
        "privacy": (channel.privacy(), "on average"),
        "mechanism": (dv.optimal_mechanism([0.5, 0.3, 0.2], loss="hamming", budget=0.2), "p(y|x)"),
        "simulation": (simulate(HELD, guard, runs=2), "target 1"),
        "decision": (decide(State.start(guard), {"x": "young", "y": "a"}), "released"),
        "roles": (dv.roles.propose(dv.read(COLUMNS)), "Suggested roles"),
        "policy": (dv.Policy.of({"thresholds": {"k_anonymity": {"min": 2, "keys": ["age"]}}}), "at least 2"),
        "partition": (dv.Partition.of({"cancer": ["lung"], "other": ["flu"]}, attribute="d"), "lung"),
        "hierarchy": (dv.Hierarchy.of([("47677", "476**")], attribute="zip"), "476**"),
        "counts": (dv.JointCounts.of_table([[5, 6], [7, 8]]), "classes"),
        "alignment": (dv.align(data, dv.read(COLUMNS)), "original"),
        "uniqueness": (dv.uniqueness(data, size=5_000, special=True), "smallest group"),
        "linkage": (dv.link(data, data, by=["age", "sex"]), "nearest record"),
        "outcome": (Outcome("x", "Homogeneity", "age", sentence="<b>nothing</b>"), "&lt;b&gt;nothing"),
    }


@pytest.fixture(scope="module")
def objects():
    return every_object()


def test_everything_public_shows_itself_as_a_table_or_a_small_page(objects):
    for name, (one, word) in objects.items():
        html = one._repr_html_()
        assert html.startswith('<div class="divulge-report">'), name
        assert word in html, name
        assert "<script" not in html, name
        assert len(html) < 60_000, name


def test_who_is_unique_and_linked_is_said_shortly_and_without_few_people(objects):
    for name, said in (
        ("uniqueness", "Uniqueness(a dictionary of columns by age and sex: 120 records)"),
        ("linkage", "RecordLinkage(a dictionary of columns to a dictionary of columns by age and sex)"),
    ):
        assert repr(objects[name][0]) == said
    lone = dv.uniqueness({"age": [20] * 60 + [30] * 58 + [40, 50]}, keys="age")
    assert ">&lt;4.2%<" in lone._repr_html_()


def test_a_policy_shows_what_it_requires_of_people_too():
    asked = dv.Policy.of({"thresholds": {"singled_out": {"k": 4, "max": 0.01, "keys": ["age"]}}})
    assert "groups smaller than 4</td><td>at most 1% of people" in asked._repr_html_()


def test_readings_have_titles_and_a_small_k_no_plural():
    lone = dv.measure({"age": [1, 2, 2]}, ["k_anonymity"], keys="age")
    assert ">k-anonymity</th><td>1</td>" in lone._repr_html_()


def test_a_view_in_a_notebook_names_no_value_of_a_record(objects):
    for name in ("data", "readings", "simulation", "roles", "counts", "alignment"):
        html = objects[name][0]._repr_html_()
        assert not any(value in html for value in (">flu<", ">cold<", ">young<")), name


def test_no_style_of_a_notebook_moves_colours_or_covers_anything(browser, objects, tmp_path):
    views = "".join(one._repr_html_() for one, _ in objects.values())
    page = tmp_path / "notebook.html"
    page.write_text(
        f"<!DOCTYPE html><meta charset=utf-8><style>{JUPYTER}</style>"
        f'<div class="jp-RenderedHTMLCommon">{views}</div>',
        "utf-8",
    )
    with opened(browser, page, viewport={"width": 900, "height": 800}) as shown:
        assert shown.evaluate(OVERLAPS) == 0
        assert {*shown.evaluate(STYLES)} == {"none rgba(0, 0, 0, 0) auto"}
        shown.set_viewport_size({"width": 390, "height": 800})
        assert shown.evaluate(OVERLAPS) == 0
        assert shown.evaluate("document.documentElement.scrollWidth") <= 390
