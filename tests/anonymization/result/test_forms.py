"""What an attribute is released as, in words."""

import pytest

from divulge.anonymization.result.forms import form


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["20-29", "30-39"], "2 intervals of 10"),
        (["-10--6", "-5--1"], "2 intervals of 5"),
        (["[0, 0.5)", "[0.5, 1)"], "2 intervals of 0.5"),
        (["20-29", "30-49"], "2 groups"),
        (["20-29", "60+"], "2 groups"),
        (["1984-05", "1984-06"], "2 months"),
        (["1984 Q1", "1984 Q2"], "2 quarters"),
        (["1980s", "1990s", None], "2 decades"),
        (["476**", "479**"], "2 prefixes of 3 characters"),
        (["4****", "5****"], "2 prefixes of 1 character"),
        (["red", "blue", "(other)"], "2 values and rare ones merged"),
        (["Europe", "Asia"], "2 groups"),
        (["*"], "one group"),
        (["1984", "1985"], "2 groups"),
    ],
)
def test_the_form_of_a_level_names_no_group(names, said):
    assert form(names, 1, ["a", "b"]) == said


def test_years_are_years_where_values_are_dates():
    assert form(["1984", "1985"], 3, ["1984-05-17", "1985-01-01"]) == "2 years"
