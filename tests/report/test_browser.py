"""Every page in a real browser: it fetches nothing, breaks no rule of its own, sorts, prints, and fits."""

import re

import pytest

from browsing import contrasts, opened
from divulge.estimation.attackers.account import account
from divulge.estimation.channels.channel import Channel
from divulge.report.anonymization.charts import SEARCH_CHARTS
from divulge.report.anonymization.page import page as search_page
from divulge.report.attacker.charts import ATTACKER_CHARTS
from divulge.report.attacker.page import page as attacker_page
from divulge.report.audit.charts import CHARTS as AUDIT_CHARTS
from divulge.report.audit.page import page as audit_page
from divulge.report.comparison.charts import page_charts
from divulge.report.comparison.page import page as comparison_page
from divulge.report.release.charts import RELEASE_CHARTS
from divulge.report.release.page import page as release_page
from report import anonymization_document, comparison_document, example_document, release_document

SCRIPT, IMAGE = "<script>window.ran = 1</script>", '"><img src=x onerror=window.ran=1>'
NAMES = {"age": SCRIPT, "postcode": IMAGE, "therapy": "a & b"}
RELEASES = {"clinic_bands.csv": SCRIPT, "age": IMAGE}
SHOWN = {"shows_values": True}
REGIMENTS = [f"regiment {place}" for place in range(60)]
RISKIEST = "#combinations > .scroll > table"
OPENED = "document.querySelectorAll('details').forEach(part => { part.open = true })"
#: Whether two texts of a drawing cover each other.
COVERED = """svg => {
  const boxes = Array.from(svg.querySelectorAll('text'), one => one.getBoundingClientRect());
  const over = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
  return boxes.some((one, place) => boxes.slice(place + 1).some(other => over(one, other)));
}"""
#: Texts of drawings that begin or end beside their drawing.
OUTSIDE = """all => all.flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return Array.from(svg.querySelectorAll('text')).filter(text => {
    const words = text.getBoundingClientRect();
    return words.width && (words.left < box.left - 1 || words.right > box.right + 1);
  }).map(text => text.textContent);
})"""
DESK, SHEET = {"width": 1280, "height": 800}, {"width": 680, "height": 1000}


def audits():
    found = example_document.document()
    return (
        found,
        example_document.renamed({**found, **SHOWN}, NAMES),
        {**example_document.wide_document(60), **SHOWN},
    )


def comparisons():
    found = comparison_document.document()
    return found, example_document.renamed(found, RELEASES), comparison_document.many_releases(14)


def releases():
    tests = release_document.TESTS
    names = {}, {"targets": [SCRIPT, IMAGE, "a & b"]}, {"targets": REGIMENTS}
    return [release_document.document(tests, **given, each=True) for given in names]


def attackers():
    rows = [[0.95, 0.05], [0.2, 0.8]]
    names = ["healthy", "ill"], [SCRIPT, IMAGE]
    return [{"divulge": "0.1.0", **account(Channel([0.9, 0.1], rows, one, one))} for one in names]


def searches():
    return anonymization_document.document(), example_document.renamed(
        anonymization_document.document(local=True), NAMES
    )


#: By kind: plain, hostile and large documents, how a page is made of one, and the charts on it.
KINDS = {
    "audit": (audits, audit_page, AUDIT_CHARTS),
    "comparison": (comparisons, comparison_page, page_charts(comparison_document.document())),
    "release": (releases, release_page, RELEASE_CHARTS),
    "attacker": (attackers, attacker_page, ATTACKER_CHARTS),
    "search": (searches, search_page, SEARCH_CHARTS),
}
ANSWERS = {
    "audit": "verdict",
    "comparison": "recommendation",
    "release": "answer",
    "attacker": "verdict",
    "search": "result",
}
#: The chart that the first screen begins.
FIRST_CHARTS = {"release": "released", "attacker": "belief", "search": "loss_risk"}
#: What a click opens without scripts, and the table that is then seen.
FOLDED = {
    "audit": ("#chart-attributes summary", "#chart-attributes table"),
    "comparison": ("#attack-1 > summary", "#attack-1 table"),
    "release": ("#chart-exposure_mis summary", "#chart-exposure_mis table"),
}
LARGE = [kind for kind in KINDS if kind not in ("attacker", "search")]
EVERY = [
    (kind, name)
    for kind in KINDS
    for name in ("plain", "hostile", "large")
    if kind in LARGE or name != "large"
]


def drawn(kind, name):
    """The charts on a page; single values are drawn only where values are shown."""
    return [chart for chart in KINDS[kind][2] if (kind, name, chart.name) != ("audit", "plain", "values")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for kind, (documents, made, _) in KINDS.items():
        for name, document in zip(("plain", "hostile", "large"), documents(), strict=False):
            (folder / f"{kind}-{name}.html").write_text(made(document), "utf-8")
    return folder


# -- what is asked of any page -----------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_every_chart_is_drawn_and_nothing_is_fetched_or_refused(browser, files, kind, name):
    with opened(browser, files / f"{kind}-{name}.html") as page:
        assert page.evaluate("window.ran") is None
        assert page.locator("img").count() == 0
        page.evaluate(OPENED)
        for chart in drawn(kind, name):
            svg = page.locator(f"#chart-{chart.name} svg")
            box = svg.bounding_box()
            assert box["width"] > 200
            assert box["height"] > 100
            marks = svg.locator(".mark path, .mark text, .mark line")
            assert marks.count() > 3
            assert marks.first.evaluate("mark => mark.getBoundingClientRect().width > 0")


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_the_page_is_never_wider_than_the_window(browser, files, kind, name):
    with opened(browser, files / f"{kind}-{name}.html") as page:
        page.evaluate(OPENED)
        for width in (1280, 800, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", KINDS)
def test_at_1200_pixels_no_table_is_cut_and_all_words_of_a_chart_are_inside_of_it(browser, files, kind):
    with opened(browser, files / f"{kind}-plain.html", viewport={"width": 1200, "height": 800}) as page:
        page.evaluate(OPENED)
        # Words that are as long as a check or a release can say.
        page.locator(".overview tbody .under").evaluate_all(
            "all => all.forEach(one => { one.textContent = 'fails: at most 0.1% of people in small groups' })"
        )
        assert (
            page.locator(".scroll:has(table)").evaluate_all(
                "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.ariaLabel)"
            )
            == []
        )
        assert page.locator("svg").evaluate_all(OUTSIDE) == []


@pytest.mark.parametrize(("kind", "answer"), ANSWERS.items())
def test_the_answer_is_on_the_first_screen_and_the_keyboard_reaches_it_first(browser, files, kind, answer):
    with opened(browser, files / f"{kind}-plain.html", viewport=DESK) as page:
        box = page.locator(f"#{answer}").bounding_box()
        assert box["y"] + box["height"] < 800
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == f"Skip to the {answer}"
        assert page.locator(".skip").bounding_box()["x"] >= 0


@pytest.mark.parametrize(("kind", "chart"), FIRST_CHARTS.items())
def test_the_first_screen_has_a_sentence_with_a_number_and_a_chart(browser, files, kind, chart):
    with opened(browser, files / f"{kind}-plain.html", viewport=DESK) as page:
        assert re.search(r"\d", page.locator(f"#{ANSWERS[kind]} h2").inner_text())
        box = page.locator(f"#chart-{chart} svg").bounding_box()
        assert box["y"] + min(box["height"], 200) < 800


@pytest.mark.parametrize("kind", FOLDED)
def test_without_scripts_everything_is_there(browser, files, kind):
    summary, table = FOLDED[kind]
    with opened(browser, files / f"{kind}-plain.html", java_script_enabled=False) as page:
        assert page.locator("svg").count() == len(drawn(kind, "plain"))
        assert page.get_by_role("button").count() == 0
        page.locator(summary).first.click()
        assert page.locator(table).first.is_visible()
        assert page.locator("table").count() >= (len(AUDIT_CHARTS) + 6 if kind == "audit" else 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_text_stands_out_from_the_paper(browser, files, kind, scheme):
    with opened(browser, files / f"{kind}-plain.html", color_scheme=scheme) as page:
        assert contrasts(page) >= 4.5


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("kind", KINDS)
def test_in_a_narrow_window_no_table_of_rows_and_no_chart_is_cut(browser, files, kind, name):
    with opened(browser, files / f"{kind}-{name}.html", viewport={"width": 400, "height": 900}) as page:
        page.evaluate(OPENED)
        cut = (
            """all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""
        )
        assert page.locator(".scroll:has(> .titled), .chart").evaluate_all(cut) == []
        heads = page.locator(".titled tbody td").evaluate_all("all => all.filter(one => !one.dataset.title)")
        assert heads == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_was_lost_is_printed_with_its_tables(browser, files):
    with opened(browser, files / "comparison-plain.html", viewport=SHEET) as page:
        page.emulate_media(media="print")
        assert page.locator("#loss > details").count() > 1
        for part in page.locator("#loss > details").all():
            assert part.locator("summary").first.is_visible()
            assert part.locator("table, ul").first.is_visible()


def test_heads_of_numbers_do_not_run_together_on_paper(browser, files):
    with opened(browser, files / "audit-plain.html", viewport=SHEET) as page:
        page.emulate_media(media="print")
        gaps = """all => all.flatMap(table => {
          const texts = Array.from(table.tHead.rows[0].cells, cell => {
            const words = document.createRange();
            words.selectNodeContents(cell);
            return words.getBoundingClientRect();
          });
          return texts.slice(1).map((one, place) => one.left - texts[place].right);
        })"""
        assert min(page.locator(".helps").evaluate_all(gaps)) > 6


@pytest.mark.parametrize("kind", LARGE)
def test_printed_it_is_a4_and_nothing_leaves_the_sheet(browser, files, tmp_path, kind):
    with opened(browser, files / f"{kind}-large.html", viewport=SHEET) as page:
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        assert not page.locator("[id^=chart-] table").first.is_visible()
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    sheets = re.findall(rb"/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+) ?\]", (tmp_path / "report.pdf").read_bytes())
    assert len(sheets) > 5
    assert {(round(float(width)), round(float(height))) for width, height in sheets} == {(595, 842)}


def test_a_page_that_broke_its_own_rules_would_be_seen(browser, files):
    broken = files / "broken.html"
    text = (files / "audit-plain.html").read_text("utf-8")
    broken.write_text(text.replace("<footer>", '<footer style="color: red">'), "utf-8")
    with pytest.raises(AssertionError), opened(browser, broken):
        pass


# -- an audit ----------------------------------------------------------------------------------------


def column(page, place):
    return page.locator(f"{RISKIEST} tbody tr > :nth-child({place})").all_inner_texts()


def test_the_first_screen_has_verdict_identifiers_four_numbers_and_a_chart(browser, files):
    with opened(browser, files / "audit-plain.html", viewport=DESK) as page:
        assert page.locator("#verdict h2").bounding_box()["height"] < 60
        assert page.locator(".tiles > div").count() == 4
        for part in ("#verdict h2", "#identifiers", ".tiles", "#chart-record_risk svg"):
            box = page.locator(part).bounding_box()
            assert 0 < box["y"] < box["y"] + box["height"] < DESK["height"], part
        fits = "charts => charts.every(chart => chart.scrollWidth <= chart.clientWidth)"
        assert page.locator(".chart").evaluate_all(fits)
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.locator("#verdict .chart").evaluate_all(fits)


def test_a_check_opens_and_a_command_is_copied(browser, files):
    with opened(browser, files / "audit-plain.html") as page:
        why = page.locator(".checks dd").first
        assert not why.is_visible()
        page.locator(".checks summary").first.click()
        assert why.is_visible()
        command = page.locator("pre.command")
        page.get_by_role("button", name="Copy").click()
        assert page.evaluate("getSelection().toString()") == command.inner_text()


def test_an_option_in_a_sentence_of_a_check_stays_on_its_line(browser, files):
    added = """() => {
      const option = document.createElement('span');
      option.className = 'option';
      document.querySelector('.checks summary > span').append(option);
      return getComputedStyle(option).display;
    }"""
    with opened(browser, files / "audit-plain.html") as page:
        assert page.evaluate(added) == "inline"


def test_a_table_of_fourteen_attributes_is_printed_on_at_most_ten_sheets(browser, files, tmp_path):
    with opened(browser, files / "audit-plain.html", viewport=SHEET) as page:
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
        page.emulate_media(media="print")
        heights = [box["height"] for box in (svg.bounding_box() for svg in page.locator("svg").all())]
        assert max(heights) < 500  # of a sheet that is about a thousand high, so that none has it alone
    assert len(re.findall(rb"/MediaBox", (tmp_path / "report.pdf").read_bytes())) <= 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_have_a_colour_that_differs_from_the_paper(browser, files, scheme):
    with opened(browser, files / "audit-plain.html", color_scheme=scheme) as page:
        bar = page.locator("#chart-class_sizes .mark path").first
        fill = bar.evaluate("bar => getComputedStyle(bar).fill")
        assert fill == {"light": "rgb(29, 92, 136)", "dark": "rgb(124, 184, 226)"}[scheme]
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 23, 29)"}[scheme]


def test_a_click_on_a_head_sorts_up_then_down(browser, files):
    with opened(browser, files / "audit-plain.html") as page:
        head = page.locator(f"{RISKIEST} thead th").nth(2)
        before = column(page, 3)
        rising = sorted(before, key=lambda cell: int(cell.replace(",", "")))
        head.click()
        assert column(page, 3) == rising
        assert head.get_attribute("aria-sort") == "ascending"
        head.click()
        assert column(page, 3) == rising[::-1] != rising
        assert head.get_attribute("aria-sort") == "descending"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_sorts_too(browser, files, key):
    with opened(browser, files / "audit-plain.html") as page:
        names = column(page, 2)
        page.locator(f"{RISKIEST} thead [role=button]").nth(1).focus()
        page.keyboard.press(key)
        page.keyboard.press(key)
        assert column(page, 2) == sorted(names, reverse=True) != names
        assert page.locator(f"{RISKIEST} thead th[aria-sort]").count() == 1


def test_cells_without_a_number_stay_last_either_way(browser, files):
    with opened(browser, files / "audit-plain.html") as page:
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
    with opened(browser, files / "audit-plain.html") as page:
        parts = page.locator("details").count()
        page.get_by_role("button", name="Open all parts").click()
        assert page.locator("details[open]").count() == parts
        page.get_by_role("button", name="Fold all parts").click()
        assert page.locator("details[open]").count() == 0


def test_hostile_names_are_shown_as_they_are(browser, files):
    with opened(browser, files / "audit-hostile.html") as page:
        assert set(NAMES.values()) <= set(page.locator("#attributes details th").all_text_contents())


@pytest.mark.parametrize("scripts", [True, False])
def test_on_paper_folded_parts_are_open_and_only_tables_of_data_are_left_out(browser, files, scripts):
    options = {"java_script_enabled": scripts, "color_scheme": "dark", "viewport": SHEET}
    with opened(browser, files / "audit-plain.html", **options) as page:
        page.emulate_media(media="print")
        assert page.get_by_text("k-Anonymity: a model for protecting privacy").is_visible()
        assert not page.locator("#chart-attributes table").is_visible()
        assert not page.locator("nav").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        # A head with a button in it is not repeated on the next sheet.
        assert page.locator("thead button").count() == 0


# -- a comparison ------------------------------------------------------------------------------------


def test_the_first_screen_holds_the_recommendation_the_chart_and_the_table(browser, files):
    with opened(browser, files / "comparison-plain.html", viewport=DESK) as page:
        title, chart, table = (
            page.locator(f"#recommendation {part}").bounding_box() for part in ("h2", "svg", ".overview")
        )
        for box in (title, chart, table):
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 800
            assert box["x"] + box["width"] <= 1280
        assert chart["x"] + chart["width"] <= table["x"]  # side by side
        rows = page.locator(".overview tbody tr").count()
        assert rows == len(comparison_document.RELEASES) + 1


def test_no_attack_is_said_twice_and_each_opens_by_a_click(browser, files):
    with opened(browser, files / "comparison-plain.html") as page:
        titles = page.locator("#attacks h3").all_inner_texts()
        assert len(titles) == len({*titles}) == page.locator("details.attack").count() > 5
        assert not page.locator("details.attack table").first.is_visible()
        page.locator("details.attack summary").first.click()
        assert page.locator("details.attack table").first.is_visible()


def test_at_the_usual_width_three_releases_need_no_scrolling(browser, files):
    with opened(browser, files / "comparison-plain.html", viewport=DESK) as page:
        fits = "part => part.scrollWidth <= part.clientWidth"
        tables = page.locator(".scroll:has(> .beside)")
        assert all(tables.nth(place).evaluate(fits) for place in range(tables.count()))


def test_a_click_on_a_head_sorts_what_can_be_sorted(browser, files):
    with opened(browser, files / "comparison-plain.html") as page:
        head = page.locator("#alignment thead th").nth(1)
        head.click()
        first = page.locator("#alignment tbody tr").first.inner_text()
        assert first.startswith("clinic_coarse.csv")
        assert page.locator(".beside [role=button]").count() == 0


def test_sentences_of_folded_parts_are_printed(browser, files):
    with opened(browser, files / "comparison-large.html") as page:
        page.emulate_media(media="print")
        assert page.get_by_text("An attacker who looks for a certain person").first.is_visible()


@pytest.mark.parametrize("name", ["plain", "large"])
def test_names_in_the_chart_of_risk_and_utility_do_not_cover_each_other(browser, files, name):
    with opened(browser, files / f"comparison-{name}.html", viewport=DESK) as page:
        assert not page.locator("#chart-risk_utility svg").evaluate(COVERED)


# -- a release simulation ----------------------------------------------------------------------------


def test_charts_need_no_scrolling_and_their_labels_do_not_cover_each_other(browser, files):
    with opened(browser, files / "release-plain.html", viewport=DESK) as page:
        fits = "charts => charts.every(chart => chart.scrollWidth <= chart.clientWidth)"
        assert page.locator(".chart").evaluate_all(fits)
        for chart in RELEASE_CHARTS:
            assert not page.locator(f"#chart-{chart.name} svg").evaluate(COVERED), chart.name
