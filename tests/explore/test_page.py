"""The page in a real browser: from a file to an exported release, and who is turned away."""

import http.client
import json
import os
import re
import subprocess
import sys
import zipfile
from contextlib import closing

import numpy as np
import pytest

import divulge as dv
from browsing import contrasts
from divulge.explore.explorer import Explorer
from explore.page_visits import Visit, serving, visiting

pytestmark = pytest.mark.together
RECORDS = 500
PROGRAM = [sys.executable, "-c", "from divulge.cli import main; main()"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A page on a table of made-up people, with the folder that it was started in."""
    folder = tmp_path_factory.mktemp("explored")
    rng = np.random.default_rng(3)
    names = ["age", "sex", "zip", "<script>alert(1)</script>", "illness"]
    rows = zip(
        rng.integers(20, 60, RECORDS),
        rng.choice(["f", "m"], RECORDS),
        rng.choice(["47677", "47678", "47905", "47906"], RECORDS),
        rng.choice(["<b>x</b>", "y"], RECORDS),
        rng.choice(["flu", "asthma", "gout"], RECORDS),
        strict=True,
    )
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "everyone.csv").write_text("\n".join([*lines, *lines[1:]]) + "\n")  # twice as many
    program = [*PROGRAM, "explore", "people.csv", "--no-browser"]
    roles = ["--quasi-identifiers", "age,sex,zip", "--sensitive", "illness"]
    with subprocess.Popen(
        ["env", "--default-signal=INT", *program, *roles],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            said = process.stdout.readline()
            assert said.startswith("The page is at http://127.0.0.1:"), process.stderr.read()
            yield said.split()[-1], folder
        finally:
            process.terminate()


@pytest.fixture
def visit(browser, served):
    with visiting(browser, served[0], accept_downloads=True) as found:
        yield found


def test_a_person_gets_from_a_file_to_a_release_whose_figures_are_those_of_the_page(visit, served):
    page, folder = visit.page, served[1]
    visit.after(lambda: page.fill("[name=k]", "4") or page.dispatch_event("[name=k]", "change"))
    visit.set_level("age", 2)
    visit.set_level("zip", 1)
    page.click("#best")
    page.wait_for_function("() => document.getElementById('certificate').textContent.startsWith('Proved')")
    with page.expect_download() as asked:
        page.click("#export")
    asked.value.save_as(folder / "release.zip")
    with zipfile.ZipFile(folder / "release.zip") as archive:
        archive.extractall(folder)
    assert "signature" in (folder / "keep" / "summary.html").read_text()
    checking = [*PROGRAM, "check", "publish/released.csv", "--policy", "keep/policy.toml"]
    checked = subprocess.run(checking, cwd=folder, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    released = dv.read(folder / "publish" / "released.csv", quasi_identifiers=["age", "sex", "zip"])
    columns = [released.column(name).values_of(released.column(name).codes) for name in ("age", "sex", "zip")]
    kept = np.flatnonzero([set(map(str, row)) != {"*"} for row in zip(*columns, strict=True)])
    k = dv.measure(released.taking(kept), keys=["age", "sex", "zip"], measures=["k_anonymity"])[0].value
    assert visit.figure("smallest") == (f"{k:.0f}" if k >= 5 else "<5")
    shown = page.inner_text("[data-file='recipe.toml']")
    assert shown.strip() == (folder / "keep" / "recipe.toml").read_text().strip()


def test_a_point_of_the_map_says_its_release_and_a_click_takes_it(visit):
    page = visit.page
    page.wait_for_function("() => document.getElementById('map-state')?.textContent.match(/^(\\S+) of \\1 /)")
    point = page.locator("#plot .mark-symbol.role-mark path").last
    point.hover()
    page.wait_for_function("() => document.getElementById('hovered').textContent.includes('loss ')")
    said = page.inner_text("#hovered")
    visit.after(lambda: point.click())
    levels = dict(re.findall(r"(\w+) (\d+)[,:]", said))
    assert {name: page.input_value(f"[name=level-{name}]") for name in levels} == levels
    assert f"loss {page.inner_text('#figure-loss')}," in said
    visit.after(lambda: page.click("#undo"))


def test_of_many_quick_moves_the_last_counts(visit):
    page = visit.page
    page.evaluate(
        """() => {
          const slider = document.querySelector('[name="level-age"]');
          slider.focus();
          for (let move = 0; move < 100; move++) {
            slider.value = move % 4;
            slider.dispatchEvent(new Event("input"));
          }
        }"""
    )
    page.wait_for_function(
        """() => document.querySelector('[data-file="recipe.toml"]').textContent.includes("level = 3")"""
    )
    page.reload()
    page.wait_for_selector("#sentence")
    assert page.input_value("[name=level-age]") == "3"


def test_one_goes_back_and_forth_in_two_tabs(visit, browser, served):
    visit.set_level("sex", 1)
    other = Visit(browser, served[0])
    assert other.page.input_value("[name=level-sex]") == "1"
    other.after(lambda: other.page.click("#undo"))
    assert other.page.input_value("[name=level-sex]") == "0"
    other.context.close()
    visit.after(lambda: visit.page.evaluate("dispatchEvent(new Event('focus'))"))
    assert visit.page.input_value("[name=level-sex]") == "0"
    visit.after(lambda: visit.page.click("#redo"))
    assert visit.page.input_value("[name=level-sex]") == "1"
    visit.after(lambda: visit.page.click("#undo"))


def test_the_population_and_a_need_are_stated_on_the_page_and_the_comparison_follows(visit):
    page = visit.page
    alone = page.inner_text("#figures li:has-text('journalist')")
    page.select_option("[name=sampled]", "source")
    visit.after(lambda: page.select_option("[name=source]", "everyone.csv"))
    assert page.inner_text("#figures li:has-text('journalist')") != alone
    assert "fraction = 0.5" in page.text_content("[data-file='policy.toml']")
    page.click("#change summary")
    page.fill("[name=need-name]", "care")
    page.select_option("[name=need-target]", "illness")
    page.check("[name=need-key-age]")
    visit.after(lambda: page.click("#take-need"))
    assert '[care]\ntarget = "illness"' in page.text_content("[data-file='needs.toml']")
    page.click(
        "#take-need"
    )  # without a name and keys it is refused, and what was said stays while it compares
    page.wait_for_selector("#message:has-text('needs')")
    page.locator("#change").scroll_into_view_if_needed()
    page.wait_for_selector("#compared td:has-text('Journalist risk')")
    assert page.is_visible("#message")
    assert "422" in visit.complaints.pop()  # as the browser notes of what was refused
    assert page.locator("#compared td:has-text('care: illness from age')").count() == 1
    assert page.locator("#compared h3:has-text('Totals')").count() == 1
    for _ in range(2):
        visit.after(lambda: page.click("#undo"))
    assert page.input_value("[name=sampled]") == ""


def test_names_of_a_table_are_text_and_never_markup(visit):
    visit.page.wait_for_selector("#first-records td")
    assert visit.page.locator("th", has_text="<script>alert(1)</script>").count() == 1
    assert visit.page.locator("td b").count() == 0


def test_values_are_masked_until_they_are_unlocked(visit):
    visit.page.wait_for_selector("#first-records td")
    assert set(visit.page.locator("#first-records td").all_inner_texts()) == {"•••"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1024, 390])
def test_the_page_can_be_read(browser, served, scheme, width):
    visit = Visit(browser, served[0], color_scheme=scheme, viewport={"width": width, "height": 800})
    assert contrasts(visit.page) >= 4.5
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    unnamed = """() => [...document.querySelectorAll("input, select, button")].filter(one =>
        !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim())).length"""
    assert visit.page.evaluate(unnamed) == 0
    scale = visit.page.locator(".curve .share").all_text_contents()
    assert scale == ["0%", "50%", "100%"]
    visit.page.wait_for_selector("#plot .role-legend-label text")
    within = """() => [...document.querySelectorAll("#plot .role-legend text, .curve text")].every(one => {
        const box = one.getBoundingClientRect();
        return box.left >= 0 && box.right <= innerWidth; })"""
    assert visit.page.evaluate(within)
    shaded = "getComputedStyle(document.querySelector('.scroll')).backgroundAttachment"
    assert visit.page.evaluate(shaded) == "local, local, scroll, scroll"
    visit.context.close()


LONG = "Auszug_Versichertenbestand_2025_Abteilung_7_endgueltig_korrigiert_v3.csv"


def test_in_a_narrow_window_a_long_name_wraps_reasons_are_seen_and_the_legend_is_whole(browser, tmp_path):
    rng = np.random.default_rng(8)
    remarks = [f"Ms {chr(97 + place % 26)}{chr(97 + place // 26)}son" for place in range(300)]
    rows = zip(rng.integers(20, 60, 300), rng.choice(["f", "m"], 300), rng.choice(["flu", "gout"], 300),
               remarks, strict=True)  # fmt: skip
    lines = ["age,sex,illness,remark", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / LONG).write_text("\n".join(lines) + "\n")
    data = dv.read(tmp_path / LONG, quasi_identifiers=["age", "sex"], sensitive=["illness"])
    with serving(Explorer(data, name=LONG, seed=1)) as url, visiting(browser, url) as visit:
        page = visit.page
        page.wait_for_selector("#plot .role-legend-label text")
        page.set_viewport_size({"width": 400, "height": 900})
        page.wait_for_function(
            """() => [...document.querySelectorAll("#plot .role-legend text")].every(one => {
                const box = one.getBoundingClientRect();
                return box.left >= 0 && box.right <= innerWidth; })"""
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        table = page.locator("#roles .scroll")
        assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
        for row in page.locator("#roles tbody tr").all():
            assert row.bounding_box()["height"] < 280
        assert page.locator("#as-it-is .bad", has_text="remark").count() == 1
        assert page.locator("#roles .bad", has_text="Released as it is").count() == 1
        assert "100%" not in page.inner_text("#sentence")
        visit.after(lambda: page.fill("[name=k]", "2") or page.dispatch_event("[name=k]", "change"))
        assert page.inner_text("#history summary") == "History: 1 change"


def answer(url, path="/api/now", *, host=None, method="POST", **headers):
    """The status and body of a request made by hand."""
    address, token = re.match(r"http://([^/]+)/#(.+)", url).groups()
    told = {"x-divulge-token": token, "host": host or address}
    told.update({name.replace("_", "-"): value for name, value in headers.items()})
    with closing(http.client.HTTPConnection(address)) as connection:
        connection.request(method, path, body=b"{}", headers=told)
        found = connection.getresponse()
        return found.status, found.read().decode(), dict(found.getheaders())


@pytest.mark.parametrize(
    "how",
    [
        {"host": "evil.example"},
        {"host": "evil.example:80"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"x_divulge_token": "guessed"},
        {"x_divulge_token": ""},
    ],
)
def test_others_are_turned_away(served, how):
    status, body, _ = answer(served[0], **how)
    assert status == 403
    assert "people" not in body


def test_the_page_itself_is_let_in_and_may_load_nothing_from_elsewhere(served):
    status, body, headers = answer(served[0], origin=served[0].partition("/#")[0])
    assert (status, json.loads(body)["records"]) == (200, RECORDS)
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "set-cookie" not in headers


@pytest.mark.parametrize("path", ["/api/close", "/page/../explorer.py", "/page/%2e%2e%2fexplorer.py"])
def test_what_is_not_there_is_not_found(served, path):
    assert answer(served[0], path, method="POST" if "api" in path else "GET")[0] == 404
