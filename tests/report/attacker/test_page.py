"""The page on an attacker's error: its content."""

from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.report.attacker.charts import ATTACKER_CHARTS
from divulge.report.attacker.page import page as made
from divulge.report.shared.frame import LIMIT


def document():
    channel = Channel([0.9, 0.1], [[0.95, 0.05], [0.2, 0.8]], ["healthy", "ill"], ["healthy", "ill"])
    return {"divulge": "0.1.0", **account(channel)}


def test_the_page_says_what_is_left_first_and_has_a_table_under_every_chart():
    page = made(document())
    assert page.index("0.065 on average, 0.0229 at worst") < page.index("Observations</h2>")
    assert page.count("Data of this chart") == len(ATTACKER_CHARTS) == page.count("<svg")
    assert page == made(document())


def test_a_channel_with_nothing_to_draw_beyond_the_distribution_is_told_in_words():
    perfect = {"divulge": "0.1.0", **account(Channel([0.5, 0.5], [[1, 0], [0, 1]]), "squared")}
    page = made(perfect)
    assert "The curve is worked out for up to 12 secrets" in page
    assert "epsilon is infinite" in page


def test_many_letters_stay_below_a_megabyte():
    letters = 300
    rows = [[0.9 if i == j else 0.1 / (letters - 1) for j in range(letters)] for i in range(letters)]
    found = {"divulge": "0.1.0", **account(Channel([1 / letters] * letters, rows))}
    assert len(made(found).encode()) < LIMIT
