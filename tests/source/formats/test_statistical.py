"""Files of SPSS, Stata and SAS: labels become values, and codes for missing become missing."""

import pandas as pd
import pyreadstat
import pytest

from divulge.engines.opening import open_source
from divulge.errors import SourceError, TooMuch
from divulge.source.base import left_behind
from divulge.source.formats import worker
from file_formats import TABLE, numbers_for_truth, put

ANSWERS = pd.DataFrame(
    {
        "sex": [1, 2, 1, 9, 8, 3],
        "age": [30, 31, 99, 32, 98, None],
        "job": [1, 2, 3, 1, 2, 3],
        "note": [*"ab", "NA", "", *"ab"],
    }
)
LABELS = {
    "sex": {1: "male", 2: "female", 9: "refused"},
    "age": {99: "99 or older"},
    "job": {1: "other", 2: "other", 3: "farmer"},
}


def columns(path, **said):
    source = open_source(path, **said)
    return {
        name: [None if code == 0 else column.values[code - 1] for code in column.codes]
        for name, column in source.encode(source.attributes).items()
    }


@pytest.fixture
def survey(tmp_path):
    missing = {"sex": [9, {"lo": 7, "hi": 8}], "note": ["NA"]}
    pyreadstat.write_sav(
        ANSWERS, tmp_path / "survey.sav", variable_value_labels=LABELS, missing_ranges=missing
    )
    return tmp_path / "survey.sav"


def test_labels_are_values_and_codes_declared_missing_are_missing(survey):
    found = columns(survey)
    assert found["sex"] == ["male", "female", "male", None, None, 3]  # 3 has no label
    assert found["age"] == [30, 31, "99 or older", 32, 98, None]
    assert found["note"] == ["a", "b", None, None, "a", "b"]


def test_what_a_release_cannot_keep_is_said_in_a_sentence(survey, tmp_path):
    assert left_behind(open_source(survey)) == (
        "survey.sav has codes with labels (the labels are values) and codes that mean missing, which the "
        "release does not have; values that meant missing are empty."
    )
    pyreadstat.write_sav(ANSWERS, tmp_path / "a.sav", column_labels=["Sex", "Age", None, None])
    said = "a.sav has labels of variables, which the release does not have."
    assert left_behind(open_source(tmp_path / "a.sav")) == said
    pyreadstat.write_dta(ANSWERS, tmp_path / "a.dta")
    assert left_behind(open_source(tmp_path / "a.dta")) == ""


def test_codes_that_share_a_label_stay_apart(survey):
    assert columns(survey)["job"] == ["other (1)", "other (2)", "farmer", "other (1)", "other (2)", "farmer"]


def test_labels_stay_apart_from_other_labels_and_from_values_without_one(tmp_path):
    rows = pd.DataFrame({"job": [1, 2, 3, 1], "town": ["R", "Rome", "B", "R"]})
    labels = {"job": {1: "same", 2: "same", 3: "same (1)"}, "town": {"R": "Rome", "B": "Bern"}}
    pyreadstat.write_sav(rows, tmp_path / "a.sav", variable_value_labels=labels)
    assert columns(tmp_path / "a.sav") == {
        "job": ["same (1) (1)", "same (2)", "same (1)", "same (1) (1)"],
        "town": ["Rome (R)", "Rome", "Bern", "Rome (R)"],
    }


def test_codes_are_kept_where_labels_are_ignored(survey):
    found = columns(survey, labels="ignore")
    assert found["sex"] == [1, 2, 1, None, None, 3]
    assert found["age"] == [30, 31, 99, 32, 98, None]
    assert found["job"] == [1, 2, 3, 1, 2, 3]


def test_stata_has_missing_values_of_its_own(tmp_path):
    pyreadstat.write_dta(
        pd.DataFrame({"sex": [1, 2, "a", 1]}),
        tmp_path / "survey.dta",
        variable_value_labels={"sex": {1: "male", 2: "female"}},
        missing_user_values={"sex": ["a"]},
    )
    assert columns(tmp_path / "survey.dta") == {"sex": ["male", "female", None, "male"]}


def test_a_portable_file_has_the_same_values_under_shorter_names(tmp_path):
    """It has capital letters of English only, and says nothing of how many records there are."""
    table = {
        name.upper(): column
        for name, column in numbers_for_truth().items()
        if name not in ("city", "illness")
    }
    pyreadstat.write_por(pd.DataFrame(table), tmp_path / "table.por")
    found = columns(tmp_path / "table.por")
    assert found == {name: list(column) for name, column in table.items()}
    assert len(found["ZIP"]) == len(TABLE["zip"])


def test_a_file_that_ends_its_reader_is_a_sentence(survey, monkeypatch):
    monkeypatch.setattr(worker, "__file__", put(survey.parent / "crash.py", "import os; os.abort()"))
    with pytest.raises(SourceError, match=r"survey.sav cannot be read as an SPSS file \(Aborted\)"):
        open_source(survey)


def test_a_file_that_needs_too_much_memory_is_refused(survey, monkeypatch):
    monkeypatch.setattr("divulge.source.formats.statistical.MOST_MEMORY", 48 * 23)  # of 24 cells
    with pytest.raises(TooMuch, match=r"Reading survey.sav needs more memory than 4 GB"):
        open_source(survey)


@pytest.mark.parametrize(
    ("ending", "write"), [(".dta", pyreadstat.write_dta), (".xpt", pyreadstat.write_xport)]
)
def test_an_end_that_is_missing_is_seen_where_the_library_sees_nothing(ending, write, tmp_path):
    write(pd.DataFrame({"A": ["x" * 50] * 9}), tmp_path / f"whole{ending}")
    content = (tmp_path / f"whole{ending}").read_bytes()
    assert open_source(tmp_path / f"whole{ending}").records == 9
    with pytest.raises(SourceError, match="cannot be read as a S"):
        open_source(put(tmp_path / f"cut{ending}", content[:-5]))
