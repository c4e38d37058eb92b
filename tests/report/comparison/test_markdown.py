"""The comparison as a comment: short, in words, and names stay names."""

import re

from divulge.report.comparison.markdown import markdown
from report.comparison_document import document, many_releases, nearly_empty
from report.example_document import renamed


def test_a_comment_has_the_recommendation_and_readings_with_words():
    assert markdown(document()).count("patient is still in the release.") == 1  # of two releases
    text = markdown(document() | {"notices": []})
    assert text.startswith(
        "### divulge: clinic_coarse.csv is recommended\n\nclinic_coarse.csv meets all 3 checks"
    )
    assert "clinic.csv: 4,000 records, beside 3 releases of it." in text
    assert "| clinic_coarse.csv | 3 of 3 ✓ all pass | 6.2%; 241 people | 72% |" in text
    assert "| Re-identification: smallest group | 1 | 1 = same | 5 ↑ better | 1 = same |" in text
    assert "| Homogeneity: risk | 0.161 ↑ highest | 0.043 ↓ lowest | 0.118 |" in text
    assert "| k-anonymity | 1 record ✕ Fails | 5 records ✓ Passes | 1 record ✕ Fails |" in text
    assert "- clinic_synthetic.csv: length_of_stay is not in the release." in text


def test_every_table_has_as_many_cells_in_every_row():
    for block in markdown(document()).split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


def test_of_many_releases_the_first_are_shown_and_the_others_counted():
    text = markdown(many_releases(30))
    assert "Not shown: 24 releases." in text
    assert len(text) < 20_000


def test_nothing_measured_is_still_a_comment():
    text = markdown(nearly_empty())
    assert text.startswith("### divulge: no release is recommended\n\nNothing could be measured.")
    assert "beside 1 release of it" in text


def test_a_name_stays_a_name():
    text = markdown(renamed(document(), {"clinic_bands.csv": "<b>|*x*@y", "diagnosis": "[a](b)"}))
    assert "<b>" not in text
    assert r"&lt;b&gt;\|\*x\*@&#8203;y" in text
    assert r"\[a\](b)" in text
