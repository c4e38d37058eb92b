"""Documents, their schemas and their page agree; a document read back is whole or refused."""

import copy
import importlib.util
import json
from pathlib import Path

import pytest

from divulge import documents
from divulge.documents.files import first_fault, read_document
from divulge.errors import ParameterError, SourceError
from report import comparison_document, example_document, release_document
from schemas import fits, misfits

ROOT = Path(__file__).parents[2]
FIGURES = {"epsilon": 1.0, "error": 0.27, "most_likely": 0.5, "curve": [{"epsilon": 1.0, "error": 0.27}]}
WHOLE = documents.headed("epsilon", FIGURES)


def writer():
    spec = importlib.util.spec_from_file_location("writer", ROOT / "scripts" / "write_documents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_schemas_and_the_page_are_what_the_script_writes():
    written = writer().texts()
    assert len(written) == len(documents.DOCUMENTS) + 1
    for path, text in written.items():
        assert path.read_text("utf-8") == text, f"{path.name} is old: run scripts/write_documents.py"


def test_an_unknown_kind_lists_those_there_are():
    with pytest.raises(
        ParameterError, match=r"There is no document 'audits'\. There are audit, comparison, "
    ):
        documents.schema("audits")


def test_a_document_that_departs_from_its_schema_would_be_seen():
    with pytest.raises(AssertionError, match="unknown"):
        documents.headed("epsilon", {**FIGURES, "unknown": 1})
    with pytest.raises(AssertionError, match="most_likely"):
        documents.headed("epsilon", {"epsilon": 1.0, "error": 0.27, "curve": []})


@pytest.mark.parametrize(
    "made_up",
    [
        example_document.document(),
        example_document.wide_document(70),
        comparison_document.document(),
        comparison_document.nearly_empty(),
        release_document.document(release_document.TESTS, each=True),
    ],
    ids=["audit", "wide audit", "comparison", "nearly empty comparison", "release"],
)
def test_documents_made_up_for_reports_are_whole(made_up):
    fits(made_up)


def test_a_count_is_a_number_or_hidden_and_nothing_else():
    check = documents.schema("audit")["$defs"]["HomogeneousEntry"]
    line = {"target": "ill", "classes": 2, "records": "<5", "share": None}
    assert first_fault(line, check) is None
    assert first_fault({**line, "records": 12}, check) is None
    assert first_fault({**line, "records": 12.0}, check) is None
    assert first_fault({**line, "records": "four"}, check) == "'records' has another form"
    assert first_fault({**line, "records": 4.5}, check) == "'records' has another form"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"epsilon": None}, "'epsilon' has another form"),
        ({"epsilon": True}, "'epsilon' has another form"),
        ({"epsilon": float("inf")}, "'epsilon' is not finite"),
        ({"document": "divulge audit"}, "'document' has an unknown value"),
        ({"more": 1}, None),
    ],
)
def test_a_fault_is_named_by_its_place(change, fault):
    assert first_fault({**WHOLE, **change}, documents.schema("epsilon")) == fault


def test_a_fault_inside_lists_is_named_by_its_place():
    mechanism = {"goal": "g", "budget": 1, "value": 1, "loss": 1, "price": None, "gap": 0}
    mechanism |= {"source": "p.csv", "shows_values": False, "merged": 0, "curve": None}
    whole = documents.headed("mechanism", {**mechanism, "inputs": ["a"], "outputs": ["b"], "matrix": [[1.0]]})
    broken = copy.deepcopy(whole)
    broken["matrix"][0][0] = "half"
    schema = documents.schema("mechanism")
    assert first_fault(whole, schema) is None
    assert first_fault(broken, schema) == "'matrix[0][0]' has another form"
    assert misfits(broken)[0].startswith("matrix/0/0: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON, from line 1 on"),
        ("[1, 2]", "is not a document that divulge wrote"),
        ('{"document": "another audit"}', "is not a document that divulge wrote"),
        ('{"document": ["divulge audit"]}', "is not a document that divulge wrote"),
        (
            json.dumps({**WHOLE, "document": "divulge mix"}),
            "is a document of the kind 'mix', which has no page",
        ),
        (json.dumps({**WHOLE, "version": 2}), "is of another version than 1"),
        ('{"document": "divulge epsilon", "version": 1}', "'divulge' is missing"),
        ('{"document": "divulge epsilon", "version": ' + "9" * 5000 + "}", "a number of too many digits"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_file_that_is_no_whole_document_is_refused_in_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "d.json"
    path.write_text(text)
    with pytest.raises(SourceError, match="The file ") as refused:
        read_document(path, {"epsilon": None}, "Give another.")
    assert sentence in str(refused.value)


def test_a_whole_document_is_read(tmp_path):
    path = tmp_path / "d.json"
    path.write_text(documents.as_json(WHOLE))
    assert read_document(path, {"epsilon": None}, "") == WHOLE
