"""Every experiment in small: it runs, what differs from the paper has a reason, and it can be drawn."""

import html
import json
from functools import cache
from pathlib import Path

import pytest

from divulge.documents import as_json, schema
from divulge.documents.files import first_fault
from divulge.errors import ParameterError
from divulge.report.reproduction.markdown import markdown
from divulge.report.reproduction.page import page
from divulge.report.reproduction.text import text
from divulge.reproduction.document import reproduced
from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import experiments

SMALL = Conditions(full=False)
EVERY = [pytest.param(one, id=f"{one.paper} {one.item}") for one in experiments()]


@cache
def in_small(experiment):
    return reproduced([experiment], SMALL)


def without_reason(entry):
    """Numbers that differ and claims that do not hold, where nothing says why."""
    numbers = [one for one in entry["numbers"] if one["agrees"] is False or one["ours"] is None]
    claims = [one for one in entry["claims"] if not one["holds"]]
    return [one for one in (*numbers, *claims) if not one["why"]]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EVERY)
def test_an_experiment_in_full(experiment):
    (entry,) = reproduced([experiment], Conditions())["experiments"]
    assert entry["undefined"] is None
    assert without_reason(entry) == []


@pytest.mark.parametrize("experiment", EVERY)
def test_an_experiment_in_small(experiment):
    document = in_small(experiment)
    assert first_fault(json.loads(as_json(document)), schema("reproduction")) is None
    (entry,) = document["experiments"]
    assert entry["shows"].endswith(".")
    assert entry["undefined"] is None or experiment.needs
    if entry["undefined"] is None:
        assert entry["numbers"] or entry["claims"] or entry["tables"]
    assert without_reason(entry) == []
    assert experiment.title in html.unescape(page(document))
    assert entry["shows"].split()[0] in text(document)
    assert markdown(document).startswith("# ")


def test_an_item_may_be_a_figure_that_an_experiment_covers():
    assert [one.item for one in experiments("thesis", "figure-4.5")] == ["adult-4.7"]
    assert [one.item for one in experiments("itpr", "table-2")] == ["table-1"]
    assert [one.item for one in experiments("thesis", "table-6.6")] == ["table-6.6"]
    with pytest.raises(ParameterError, match="figure-99"):
        list(experiments("thesis", "figure-99"))


GOLDEN = Path(__file__).parents[1] / "golden"
PAPERS = {"ITPR paper": "itpr", "SeDR paper": "sedr", "thesis": "thesis"}
#: Printed numbers that no experiment has beside ours, and why.
ELSEWHERE = {
    "itpr.s5.eps_max": "the end of the axis of figure 1",
    "itpr.s5.hiv_group": "an example in words",
    "itpr.s5.cp_of_mi": "figure 4 has the MI itself",
    "itpr.s5.theta_12pct": "figure 4 has a table that gives 0.4",
    "sedr.t2.k": "a claim of table 9",
    "sedr.t3.k": "a table of table 9",
    "sedr.t3.l.salary": "a claim of table 9",
    "sedr.t3.l.disease": "a claim of table 9",
    "sedr.s2_3.prior": "an example in words",
    "sedr.s4_3.age_text": "a note of table 6",
    "thesis.t2_6.age.g2": "table 2.6 rounds what it releases",
    "thesis.s5_4_4.dr22": "table 5 of the paper",
    "thesis.t6_11.sum": "needs Adult",
    "thesis.t6_12.sum": "needs Adult",
}


def printed_numbers(name):
    """The printed numbers of a paper and ours, but for those that need data."""
    chosen = [one for one in experiments(name) if not one.needs and not one.takes]
    entries = [entry for one in chosen for entry in in_small(one)["experiments"]]
    numbers = [(one["printed"], one["ours"]) for entry in entries for one in entry["numbers"]]
    return [both for both in numbers if None not in both]


@pytest.mark.parametrize("source", PAPERS)
def test_every_printed_number_stands_in_an_experiment(source):
    golden = json.loads((GOLDEN / "discrimination.json").read_text("utf-8"))
    numbers = printed_numbers(PAPERS[source])
    missing = [
        one["id"]
        for one in golden
        if one["source"] == source
        and one["published_value"] is not None
        and isinstance(one["computed"], int | float)
        and not any(
            abs(printed - one["published_value"]) < 1e-6 and abs(ours - one["computed"]) < 1e-6
            for printed, ours in numbers
        )
    ]
    assert [one for one in missing if one not in ELSEWHERE] == []
