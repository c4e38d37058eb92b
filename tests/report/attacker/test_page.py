"""The page on an attacker's error: its content."""

import pytest

from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.report.attacker.beliefs import belief
from divulge.report.attacker.charts import ATTACKER_CHARTS, attacker_charts, curve, distribution
from divulge.report.attacker.page import page as made
from divulge.report.attacker.wording import verdict
from divulge.report.shared.frame import LIMIT


def document():
    channel = Channel([0.9, 0.1], [[0.95, 0.05], [0.2, 0.8]], ["healthy", "ill"], ["healthy", "ill"])
    return {"divulge": "0.1.0", **account(channel)}


def test_the_page_says_how_good_guesses_are_first_and_has_a_table_under_every_chart():
    page = made(document())
    sentence = (
        "Knowing the observation, the best guess of the secret is right 93.5% of the time; without it, 90%."
    )
    assert (
        page.index(sentence)
        < page.index("Attacker's remaining error</h2>")
        < page.index("Appendix: bounds</h2>")
    )
    assert page.count("Data of this chart") == len(ATTACKER_CHARTS) == page.count("<svg")
    assert page == made(document())


def test_what_cannot_be_drawn_is_told_in_words():
    perfect = {"divulge": "0.1.0", **account(Channel([0.5, 0.5], [[1, 0], [0, 1]]), "squared")}
    page = made(perfect)
    assert "The curve is computed for 2 to 12 secrets" in page
    assert "Every observation leaves the same error." in page
    assert "Epsilon: infinite" in page


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"guesses": 2},
            "one of the 2 best guesses of the secret is right 100% of the time; without it, 100%.",
        ),
        (
            {"abstain": 0.01},
            "the best guess of the secret, or no guess, costs 0.01 on average; without it, 0.01.",
        ),
        (
            {"distortion": "absolute"},
            "the secret is off by 0.065 (unit of the secret) on average; without it, 0.1.",
        ),
        (
            {"distortion": "absolute", "tolerance": 1.0},
            "is within 1 of it 100% of the time; without it, 100%.",
        ),
    ],
)
def test_the_verdict_says_what_the_error_counts(asked, sentence):
    assert sentence in verdict(account(Channel([0.9, 0.1], [[0.95, 0.05], [0.2, 0.8]]), **asked))


def test_axes_end_where_the_data_end():
    found = document()
    drawn = distribution(found)["layer"][0]["encoding"]
    ends = [found["privacy"]["worst"], found["privacy"]["best"]]
    assert drawn["x"]["scale"]["domain"] == pytest.approx(ends)
    assert drawn["y"]["scale"]["domain"][1] == pytest.approx(1.3 * 0.875)  # p(no) = 0.9 * 0.95 + 0.1 * 0.2


def test_the_trade_off_marks_where_this_channel_is():
    found = document()
    assert found["operating_point"] == pytest.approx(
        {"loss": 0.065, "value": 0.065}
    )  # 0.9 * 0.05 + 0.1 * 0.2
    diamond = next(one for one in curve(found)["layer"] if one["mark"].get("shape") == "diamond")
    assert diamond["data"]["values"] == [found["operating_point"]]
    other = {**found, "operating_point": None}
    assert not [one for one in curve(other)["layer"] if one["mark"].get("shape") == "diamond"]
    said = [attacker_charts(one)[-1].reading for one in (found, other)]
    assert ["diamond" in one for one in said] == [True, False]


def test_no_stroke_runs_through_a_number():
    beliefs = {
        "form": "bars",
        "secrets": ["a", "b", "c"],
        "prior": [0.1, 0.1, 0.3],
        "posterior": [[0.4, 0.075, 0.05]],
    }
    drawn = belief({"belief": beliefs})
    assert [one["end"] for one in drawn["data"]["values"]] == [0.4, 0.1, 0.05]
    assert drawn["layer"][2]["encoding"]["x"]["field"] == "end"


def test_a_table_has_no_picture_of_beliefs_which_would_show_its_records():
    channel = Channel([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"], ["c", "d"])
    assert account(channel, records=8)["belief"] is None
    assert account(channel)["belief"]["posterior"] == [[0.5, 0.5], [0.5, 0.5]]


def test_many_letters_stay_below_a_megabyte():
    letters = 300
    rows = [[0.9 if i == j else 0.1 / (letters - 1) for j in range(letters)] for i in range(letters)]
    found = {"divulge": "0.1.0", **account(Channel([1 / letters] * letters, rows))}
    assert len(made(found).encode()) < LIMIT
