"""The page of a comparison in a real browser: it fetches nothing, fits, prints, and can be read."""

import re

import pytest

from browsing import contrasts, opened
from divulge.report.comparison.charts import COMPARISON_CHARTS
from divulge.report.comparison.page import page as made
from report.comparison_document import document, many_releases
from report.example_document import renamed

HOSTILE = {"clinic_bands.csv": "<script>window.ran = 1</script>", "age": '"><img src=x onerror=window.ran=1>'}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("comparisons")
    documents = {
        "clinic": document(),
        "hostile": renamed(document(), HOSTILE),
        "many": many_releases(14),
    }
    for name, found in documents.items():
        (folder / f"{name}.html").write_text(made(found), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["clinic", "hostile", "many"])
def test_every_chart_is_drawn_and_nothing_is_fetched_or_refused(browser, files, name):
    with opened(browser, files / f"{name}.html") as page:
        assert page.evaluate("window.ran") is None
        for chart in COMPARISON_CHARTS:
            box = page.locator(f"#chart-{chart.name} svg").bounding_box()
            assert box["width"] > 200
            assert box["height"] > 60
            assert page.locator(f"#chart-{chart.name} .mark path").count() > 1


@pytest.mark.parametrize("name", ["clinic", "hostile", "many"])
def test_the_page_is_never_wider_than_the_window(browser, files, name):
    with opened(browser, files / f"{name}.html") as page:
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        for width in (1280, 800, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_recommendation_is_on_the_first_screen_and_the_keyboard_reaches_it_first(browser, files):
    with opened(browser, files / "clinic.html", viewport={"width": 1280, "height": 800}) as page:
        box = page.locator("#recommendation").bounding_box()
        assert box["y"] + box["height"] < 800
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the recommendation"


def test_at_the_usual_width_three_releases_need_no_scrolling(browser, files):
    with opened(browser, files / "clinic.html", viewport={"width": 1280, "height": 800}) as page:
        fits = "part => part.scrollWidth <= part.clientWidth"
        tables = page.locator(".scroll:has(> .beside)")
        assert all(tables.nth(place).evaluate(fits) for place in range(tables.count()))


def test_without_scripts_everything_is_there(browser, files):
    with opened(browser, files / "clinic.html", java_script_enabled=False) as page:
        assert page.locator("svg").count() == len(COMPARISON_CHARTS)
        assert page.get_by_role("button").count() == 0
        page.locator("#attacks summary", has_text="By attribute").first.click()
        assert page.locator("#attacks details[open] table").first.is_visible()


def test_a_click_on_a_head_sorts_what_can_be_sorted(browser, files):
    with opened(browser, files / "clinic.html") as page:
        head = page.locator("#alignment thead th").nth(1)
        head.click()
        first = page.locator("#alignment tbody tr").first.inner_text()
        assert first.startswith("clinic_coarse.csv")
        assert page.locator(".beside [role=button]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_paper(browser, files, scheme):
    with opened(browser, files / "clinic.html", color_scheme=scheme) as page:
        assert contrasts(page) >= 4.5


def test_printed_it_is_a4_and_no_table_leaves_the_sheet(browser, files, tmp_path):
    with opened(browser, files / "many.html", viewport={"width": 680, "height": 1000}) as page:
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        assert page.get_by_text("An attacker who looks for a certain person").first.is_visible()
        assert not page.locator("#chart-risk_utility table").is_visible()
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    sheets = re.findall(rb"/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]", (tmp_path / "report.pdf").read_bytes())
    assert {(round(float(width)), round(float(height))) for width, height in sheets} == {(595, 842)}
