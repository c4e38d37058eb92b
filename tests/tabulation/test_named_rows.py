"""A table that would name people in its rows is refused, whatever its cells say."""

import pytest

from divulge.errors import ParameterError
from divulge.questions.data import read
from divulge.tabulation.account import tabulate

NAMES = ["Ida Berg", "David Novak", "Maria Schmidt", "Peter Weber"]
PEOPLE = {
    "Name": [NAMES[n % 4] for n in range(80)],
    "Nachname": [NAMES[n % 4].split()[1] for n in range(80)],
    "town": ["A", "B"] * 40,
    "ill": ["yes", "no", "no", "yes", "no"] * 16,
}
SAID = (
    "'Nachname' names people, and every value would be published as the name of a row or a column, "
    "suppressed cells or not."
)


@pytest.mark.parametrize("by", [["Name"], ["Nachname", "ill"], ["town", "Name"]])
def test_names_of_people_are_no_rows(by):
    with pytest.raises(ParameterError, match="names people"):
        tabulate(PEOPLE, by)


def test_it_says_what_would_be_published_and_how_to_allow_it():
    with pytest.raises(ParameterError) as caught:
        tabulate(PEOPLE, ["Nachname", "ill"])
    assert caught.value.message == SAID
    assert caught.value.hint.endswith('[allow], and below it identifiers = ["Nachname"].')


def test_a_policy_for_tables_allows_them_by_name():
    allowed = {"allow": {"identifiers": ["Nachname"]}}
    assert tabulate(PEOPLE, ["Nachname", "ill"], policy=allowed).outcome == "pass"
    with pytest.raises(ParameterError, match="'Name' names people"):
        tabulate(PEOPLE, ["Name", "ill"], policy=allowed)


def test_groups_of_a_hierarchy_name_nobody(tmp_path):
    lines = [f"{name};{'first' if n < 2 else 'second'}" for n, name in enumerate(NAMES)]
    (tmp_path / "names.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "tables.toml").write_text(
        '[attributes]\nName = { hierarchy = "names.csv", level = 1 }\n[[table]]\nby = ["Name", "town"]\n'
    )
    assert tabulate(PEOPLE, policy=tmp_path / "tables.toml").outcome == "pass"


def test_records_of_one_identifier_are_one_contributor():
    visits = {"who": [n // 10 for n in range(80)], "town": ["A" if n < 40 else "B" for n in range(80)]}
    given = tabulate(read(visits, identifiers="who"), "town")
    assert given.protected[0].risk.at_risk.sum() == 2  # four people each, with ten records of each
    assert tabulate(visits, "town").protected[0].risk.at_risk.sum() == 0
