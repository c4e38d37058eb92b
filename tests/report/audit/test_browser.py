"""The page in a real browser: it fetches nothing, breaks no rule of its own, sorts, prints, and fits."""

import re

import pytest

from browsing import contrasts, opened
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.page import page as made
from report.example_document import document, renamed, wide_document

HOSTILE = {
    "age": "<script>window.ran = 1</script>",
    "postcode": '"><img src=x onerror=window.ran=1>',
    "therapy": "a & b",
}
ROLES = "#attributes table"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    documents = {
        "clinic": document(),
        "hostile": renamed(document(), HOSTILE),
        "wide": wide_document(60),
    }
    for name, found in documents.items():
        (folder / f"{name}.html").write_text(made(found), "utf-8")
    return folder


def column(page, place):
    return page.locator(f"{ROLES} tbody tr > :nth-child({place})").all_inner_texts()


@pytest.mark.parametrize("name", ["clinic", "hostile", "wide"])
def test_every_chart_is_drawn_and_nothing_is_fetched_or_refused(browser, files, name):
    with opened(browser, files / f"{name}.html") as page:
        for chart in CHARTS:
            svg = page.locator(f"#chart-{chart.name} svg")
            box = svg.bounding_box()
            assert box["width"] > 200
            assert box["height"] > 100
            marks = svg.locator(".mark path, .mark text, .mark line")
            assert marks.count() > 3
            assert marks.first.evaluate("mark => mark.getBoundingClientRect().width > 0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_have_a_colour_that_differs_from_the_paper(browser, files, scheme):
    with opened(browser, files / "clinic.html", color_scheme=scheme) as page:
        bar = page.locator("#chart-class_sizes .mark path").first
        fill = bar.evaluate("bar => getComputedStyle(bar).fill")
        assert fill == {"light": "rgb(29, 92, 136)", "dark": "rgb(124, 184, 226)"}[scheme]
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 23, 29)"}[scheme]


def test_a_click_on_a_head_sorts_up_then_down(browser, files):
    with opened(browser, files / "clinic.html") as page:
        head = page.locator(f"{ROLES} thead th").nth(3)
        before = column(page, 4)
        head.click()
        assert column(page, 4) == sorted(before, key=lambda cell: int(cell.replace(",", "")))
        assert head.get_attribute("aria-sort") == "ascending"
        head.click()
        assert column(page, 4)[0] == "4,000"
        assert head.get_attribute("aria-sort") == "descending"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_sorts_too(browser, files, key):
    with opened(browser, files / "clinic.html") as page:
        names = column(page, 1)
        page.locator(f"{ROLES} thead [role=button]").first.focus()
        page.keyboard.press(key)
        assert column(page, 1) == sorted(names)
        assert page.locator(f"{ROLES} thead th[aria-sort]").count() == 1


def test_cells_without_a_number_stay_last_either_way(browser, files):
    with opened(browser, files / "clinic.html") as page:
        page.get_by_role("button", name="Open all parts").click()
        table = page.locator("#readings details").nth(1).locator("table").first
        head = table.locator("thead th").nth(4)
        for _ in range(2):
            head.click()
            cells = (
                page.locator("#readings table").first.locator("tbody tr > :nth-child(5)").all_inner_texts()
            )
            numbers = [cell for cell in cells if cell != "–"]
            assert cells[: len(numbers)] == numbers


def test_all_parts_open_and_fold_by_a_button(browser, files):
    with opened(browser, files / "clinic.html") as page:
        parts = page.locator("details").count()
        page.get_by_role("button", name="Open all parts").click()
        assert page.locator("details[open]").count() == parts
        page.get_by_role("button", name="Fold all parts").click()
        assert page.locator("details[open]").count() == 0


def test_a_page_that_broke_its_own_rules_would_be_seen(browser, files):
    broken = files / "broken.html"
    text = (files / "clinic.html").read_text("utf-8")
    broken.write_text(text.replace("<footer>", '<footer style="color: red">'), "utf-8")
    with pytest.raises(AssertionError), opened(browser, broken):
        pass


def test_hostile_names_run_nothing_and_are_shown_as_they_are(browser, files):
    with opened(browser, files / "hostile.html") as page:
        assert page.evaluate("window.ran") is None
        names = column(page, 1)
        assert set(HOSTILE.values()) <= set(names)
        assert page.locator("img").count() == 0


def test_without_scripts_everything_is_there(browser, files):
    with opened(browser, files / "clinic.html", java_script_enabled=False) as page:
        assert page.locator("svg").count() == len(CHARTS)
        assert page.locator("table").count() >= len(CHARTS) + 6
        assert page.get_by_role("button").count() == 0
        page.locator("#chart-attributes summary").click()
        assert page.locator("#chart-attributes table").is_visible()


@pytest.mark.parametrize("name", ["clinic", "wide", "hostile"])
def test_the_page_is_never_wider_than_the_window(browser, files, name):
    with opened(browser, files / f"{name}.html") as page:
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        for width in (1280, 800, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_verdict_is_on_the_first_screen(browser, files):
    with opened(browser, files / "clinic.html", viewport={"width": 1280, "height": 800}) as page:
        box = page.locator("#verdict").bounding_box()
        assert box["y"] + box["height"] < 800


def test_the_keyboard_reaches_the_verdict_first(browser, files):
    with opened(browser, files / "clinic.html") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
        assert page.locator(".skip").bounding_box()["x"] >= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_paper(browser, files, scheme):
    with opened(browser, files / "clinic.html", color_scheme=scheme) as page:
        assert contrasts(page) >= 4.5


def test_printed_it_is_a4(browser, files, tmp_path):
    with opened(browser, files / "wide.html") as page:
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    sheets = re.findall(rb"/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]", (tmp_path / "report.pdf").read_bytes())
    assert len(sheets) > 5
    assert {(round(float(width)), round(float(height))) for width, height in sheets} == {(595, 842)}


@pytest.mark.parametrize("scripts", [True, False])
def test_on_paper_folded_parts_are_open_and_only_the_data_of_charts_is_left_out(browser, files, scripts):
    options = {
        "java_script_enabled": scripts,
        "color_scheme": "dark",
        "viewport": {"width": 680, "height": 1000},
    }
    with opened(browser, files / "clinic.html", **options) as page:
        page.emulate_media(media="print")
        assert page.get_by_text("k-Anonymity: a model for protecting privacy").is_visible()
        assert not page.locator("#chart-attributes table").is_visible()
        assert not page.locator("nav").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        # A head with a button in it is not repeated on the next sheet.
        assert page.locator("thead button").count() == 0
