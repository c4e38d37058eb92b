"""The comparison in a terminal: the recommendation first, 80 columns, and words beside arrows."""

import re

import pytest

from divulge.report.comparison.markdown import markdown
from divulge.report.comparison.page import page
from divulge.report.comparison.text import text
from report.comparison_document import document, many_releases, nearly_empty, renamed_releases


@pytest.mark.parametrize(
    "found",
    [
        document(),
        nearly_empty(),
        many_releases(5),
        many_releases(40),
        renamed_releases("a.csv", "b.csv", "synthetic.csv"),
    ],
    ids=["three", "empty", "five", "forty", "short names"],
)
def test_no_line_is_wider_than_a_terminal(found):
    assert max(map(len, text(found).splitlines())) <= 80


def test_names_stand_over_the_columns_where_they_fit():
    made = text(renamed_releases("bands.csv", "coarse.csv", "synthetic.csv"))
    assert "original  bands.csv        coarse.csv       synthetic.csv" in made
    assert "R1" not in made


def test_long_names_get_numbers_and_a_legend():
    lines = text(document()).splitlines()
    assert "  R2 = clinic_coarse.csv: 3,888 records, aligned by patient, recommended" in lines
    assert "original  R1               R2               R3" in text(document())


def test_a_release_of_one_record_has_one_and_is_not_matched():
    found = document()
    synthetic = next(one for one in found["releases"] if one["alignment"]["how"].startswith("not"))
    synthetic["records"] = 1
    assert ": 1 record, not matched record by record\n" in text(found)


def test_more_than_three_releases_are_told_in_parts():
    made = text(many_releases(5))
    assert "original  R1               R2               R3" in made
    assert "original  R4               R5" in made


def test_the_recommendation_comes_before_the_numbers():
    made = text(document())
    assert made.index("RECOMMENDED: clinic_coarse.csv") < made.index("Checks passed") < made.index("Attacks")
    assert "NONE RECOMMENDED" in text(nearly_empty())


def test_a_single_release_is_not_recommended_before_others():
    found = document()
    found["releases"] = [one for one in found["releases"] if one["name"] == "clinic_coarse.csv"]
    made = text(found)
    assert "NO CHECK FAILS: clinic_coarse.csv" in made
    assert "recommended" not in made.split("Checks passed")[0].lower()
    assert markdown(found).startswith("### divulge: no check fails for clinic_coarse.csv\n")
    assert '<h2 id="recommendation-title">No check fails for clinic_coarse.csv</h2>' in page(found)


def test_readings_have_arrows_and_words():
    made = text(document())
    assert "    Smallest group   1         1 = same         5 ↑ better       1 = same" in made
    assert "    Furthest group   0.920     0.710 ↓ better   0.310 ↓ better   0.960 ↑ worse" in made


def test_the_share_of_people_truly_linked_has_one_name():
    made = text(document()).split("Before and after")
    assert [" ".join(part.split()).count("People truly") for part in made] == [1, 1]
    assert not re.search("average risk|re-identification risk|Truly linked", "".join(made))


def test_readings_of_changed_values_are_not_comparable():
    found = document()
    found["releases"] = [found["releases"][2] | {"changed": "all values were made up"}]
    lines = text(found).splitlines()
    furthest = next(line for line in lines if line.startswith("    Furthest group"))
    assert furthest.endswith("  0.960 not comparable")
    assert not any(line.endswith(" changed") for line in lines)


def test_attacks_losses_needs_and_checks_have_a_line_each():
    made = text(document())
    assert "Homogeneity             0.161, 6.7%      0.043, 0%        0.118, 9.6%" in made
    said = "the risk is the share of the information that a quasi-identifier gives on average, not of people."
    assert said in " ".join(made.split())
    assert "Still unknown, overall  0.629            0.807            –" in made
    assert "0.531 = same     0.507 ↓ worse    0.441 ↓ worse" in made
    assert re.search("k-anonymity +FAIL 1 record    pass 5 records   FAIL 1 record", made)


def test_releases_have_a_line_each_with_checks_people_and_utility():
    lines = [line.split("  ") for line in text(document()).splitlines()]
    rows = [[cell.strip() for cell in line if cell] for line in lines]
    place = rows.index(["Release", "Checks passed", "People truly linked", "Utility kept"])
    assert rows[place + 1 : place + 5] == [
        ["R1", "0 of 3, 1 fails, 2 warn", "24.1%", "86%"],
        ["R2", "3 of 3, all pass", "6.2%", "72%"],
        ["R3", "1 of 3, 1 fails, 1 warns", "51%", "78%"],
        ["original", "–", "58%", "100%"],
    ]
    assert "  R1  " in text(document())
    found = nearly_empty()
    assert re.search("clinic_bands.csv|R1 +not measured +not measured +not measured", text(found))


def test_what_could_not_be_measured_is_said_once_with_the_releases_it_is_about():
    made = " ".join(text(document()).split())
    reason = "Journalist not measured: no table of the population was given."
    assert made.count(reason) == 1
    empty = text(nearly_empty())
    assert "clinic_bands.csv: every record has all its quasi-identifiers suppressed." in empty
    assert "not measured" in empty


def test_where_the_report_is_comes_last():
    assert text(document(), report="out.html").endswith("\nReport: out.html\n")


def test_models_have_a_line_each_where_they_were_asked_for():
    found = document()
    for release, kept, interval in zip(
        found["releases"], (1.4, -0.2, 0.5), ([0.8, 2.0], [-0.9, 0.5], [0.4, 0.6]), strict=True
    ):
        release["mining"] = [release["mining"][0] | {"kept": kept, "kept_interval": interval}]
    lines = text(found).splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("Models"))
    assert "as much as the original, within chance" in lines[place]
    words = [word.strip() for word in lines[place + 2].split("  ") if word.strip()]
    assert words[-3:] == ["= 80% to 200%", "nothing", "50%"]
    for release in found["releases"]:
        release["mining"] = None
    assert "Models" not in text(found)


def test_what_a_check_found_is_never_cut():
    found = document()
    for release in found["releases"]:
        for check in release["checks"]:
            check["found_text"] = "<0.12% of people"
    made = text(found).split("\nChecks\n")[1].split("\n\n")[0]
    assert "…" not in made
    assert made.count("<0.12%") == made.count("people") > 0
    assert max(map(len, made.splitlines())) <= 80
