"""Every experiment in small: it runs, what differs from the paper has a reason, and it can be drawn."""

import html
import json

import pytest

from divulge.documents import as_json, schema
from divulge.documents.files import first_fault
from divulge.report.reproduction.markdown import markdown
from divulge.report.reproduction.page import page
from divulge.report.reproduction.text import text
from divulge.reproduction.document import reproduced
from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import experiments

SMALL = Conditions(full=False)
EVERY = [pytest.param(one, id=f"{one.paper} {one.item}") for one in experiments()]


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
    document = reproduced([experiment], SMALL)
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
