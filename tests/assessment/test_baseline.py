"""Not worse than before."""

import json

import pytest

import divulge as dv
from divulge.assessment import audit, read_baseline
from divulge.errors import SourceError
from scenes import PEOPLE

POLICY = {
    "attributes": {"zip": "quasi-identifier", "age": "quasi-identifier", "ill": "sensitive"},
    "thresholds": {"measured": "ignore", "uniqueness": {"max": 0.9}, "discrimination_rate": {"max": 0.99}},
}


def test_the_same_data_are_not_worse_than_themselves():
    before = audit(PEOPLE, POLICY, search=False).to_dict()
    found = audit(PEOPLE, POLICY, search=False, baseline=before)
    assert found.outcome == "pass"
    assert not any(check["baseline"]["worse"] for check in found.to_dict()["checks"])


def test_a_reading_that_got_worse_fails_though_its_bound_holds():
    before = audit(PEOPLE, POLICY, search=False).to_dict()
    finer = PEOPLE | {"age": ["20", "21", "30", "40", "20", "30", "40", "40"]}
    found = audit(finer, POLICY, search=False, baseline=before)
    check = found.to_dict()["checks"][1]
    assert check["baseline"] == {"found": 0.625, "worse": True}  # fewer than 5 of 8 were unique
    assert check["outcome"] == "fail"


def test_a_check_that_is_new_has_nothing_to_be_compared_with():
    before = audit(PEOPLE, POLICY, search=False).to_dict()
    more = POLICY | {"thresholds": {"k_anonymity": {"min": 2, "keys": ["zip"]}}}
    assert audit(PEOPLE, more, search=False, baseline=before).to_dict()["checks"][1]["baseline"] == {
        "found": None,
        "worse": False,
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "not JSON"),
        ("[]", "not the document"),
        ('{"document": "x"}', "not the doc"),
    ],
)
def test_what_is_no_baseline_is_refused_in_words(tmp_path, content, said):
    path = tmp_path / "last.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SourceError, match=said):
        read_baseline(path)


def test_a_document_that_was_written_is_read_back(tmp_path):
    document = dv.audit(PEOPLE, POLICY).to_dict()
    path = tmp_path / "last.json"
    path.write_text(json.dumps(document))
    assert read_baseline(path) == json.loads(json.dumps(document))
