"""The forms of the page in a real browser: by mouse, by keyboard, on odd tables, and without its process."""

import re

import numpy as np
import pytest
import vl_convert

import divulge as dv
from browsing import contrasts
from divulge.explore.explorer import Explorer
from explore.page_visits import serving, visiting

pytestmark = pytest.mark.together
RNG = np.random.default_rng(9)
REFUSED = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
NAME = "<img src=x onerror=alert(1)>"
TABLE = {
    "age": RNG.integers(20, 60, 300).tolist(),
    "town": RNG.choice(["1", "2", "3", "4"], 300).tolist(),
    NAME: RNG.choice(["<script>alert(2)</script>", "y"], 300).tolist(),
    "ill": RNG.choice(["flu", "gout"], 300).tolist(),
}


def explorer_of(columns, **roles):
    return Explorer(dv.read(columns, **roles), name="people", seed=4)


@pytest.fixture
def explorer():
    return explorer_of(TABLE, quasi_identifiers=["age", "town", NAME], sensitive=["ill"])


@pytest.fixture(scope="module")
def elsewhere():
    """An address of the page whose explorer each test sets, so that one process is asked by all."""

    class Changing:
        held = None

        def __getattr__(self, name):
            return getattr(self.held, name)

    changing = Changing()
    with pytest.MonkeyPatch.context() as patched, serving(changing) as url:
        patched.setattr(vl_convert, "javascript_bundle", lambda *_: "")  # the map is tried elsewhere
        yield changing, url


@pytest.fixture(scope="module")
def tab(browser, elsewhere):
    """One tab for all tests: making one takes longer than loading the page."""
    elsewhere[0].held = explorer_of({"age": [1, 2]}, quasi_identifiers=["age"])
    with visiting(browser, elsewhere[1], accept_downloads=True) as found:
        yield found


@pytest.fixture
def opened(tab, elsewhere):
    """What opens the page anew with an explorer."""

    def opened(explorer, *, scheme="light", width=1280):
        elsewhere[0].held = explorer
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        tab.page.set_viewport_size({"width": width, "height": 800})
        tab.page.reload()
        tab.page.wait_for_selector("#sentence")
        tab.page.wait_for_selector("#add-step")
        return tab

    tab.refused = 0  # as often as a test expects it
    yield opened
    assert tab.complaints == [REFUSED] * tab.refused
    tab.complaints.clear()


@pytest.fixture
def visit(opened, explorer):
    return opened(explorer)


def test_a_step_is_filled_in_moved_and_removed_by_keyboard_alone(visit, explorer):
    page = visit.page
    visit.tab_to("add-step")
    page.keyboard.press("Enter")
    page.keyboard.type("Roundi")
    visit.tab_to("step-attribute-age")
    page.keyboard.press("Space")
    visit.tab_to("step-base")
    page.keyboard.type("none")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message:not([hidden])")
    visit.refused += 1
    assert "number" in page.inner_text("#message")
    page.keyboard.press("Control+A")
    page.keyboard.type("10")
    visit.after(lambda: page.keyboard.press("Enter"))
    assert explorer.choices.steps == ({"mechanism": "rounding", "attributes": ["age"], "base": 10},)
    assert 'mechanism = "rounding"' in page.inner_text("[data-file='recipe.toml']")
    explorer.step("add", mechanism="sample", said={"fraction": "0.9"})
    visit.after(lambda: page.evaluate("dispatchEvent(new Event('focus'))"))
    visit.after(lambda: page.focus("#step-down-0") or page.keyboard.press("Enter"))
    assert [step["mechanism"] for step in explorer.choices.steps] == ["sample", "rounding"]
    visit.after(lambda: page.click("#step-remove-0"))
    visit.after(lambda: page.click("#step-remove-0"))
    assert explorer.choices.steps == ()


def test_a_cut_is_moved_by_keys_and_by_the_mouse(visit, explorer):
    page = visit.page
    visit.after(lambda: page.click("#unlock"))
    page.click("text=Hierarchy of age")
    first = "[name=cut-age-1-0]"
    before = float(page.input_value(first))
    page.focus(first)
    visit.after(lambda: page.keyboard.press("ArrowRight"))
    assert float(page.input_value(first)) == before + 1
    assert page.evaluate("document.activeElement.name") == "cut-age-1-0"
    box = page.locator(first).bounding_box()
    low, high = (float(page.get_attribute(first, side)) for side in ("min", "max"))
    last = explorer.now()["attributes"][0]["levels"][1]["cuts"][-1]
    x = box["x"] + 6 + (box["width"] - 12) * (last - low) / (high - low)
    page.mouse.move(x, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x - box["width"] / 12, box["y"] + box["height"] / 2)
    visit.after(lambda: page.mouse.up())
    assert explorer.now()["attributes"][0]["levels"][1]["cuts"][-1] < last


def test_a_tree_comes_in_groups_are_merged_and_it_goes_out(visit, explorer):
    page = visit.page
    visit.after(lambda: page.click("#unlock"))
    page.click("text=Hierarchy of town")
    page.locator("[data-of=town] details summary").click()
    tree = {"name": "town.hrc", "mimeType": "text/plain", "buffer": b"N\n@1\n@2\nS\n@3\nW\n@4\n"}
    visit.after(lambda: page.set_input_files("[name=file-town]", tree))
    assert set(explorer.now()["attributes"][1]["levels"][1]["names"]) == {"N", "S", "W"}
    page.check("[name=group-town-1-S]")
    page.check("[name=group-town-1-W]")
    page.fill("[name=merged-town-1]", "SW")
    visit.after(lambda: page.click("[name=merge-town-1]"))
    with page.expect_download() as asked:
        page.click("[name='save-town.hrc']")
    assert asked.value.path().read_text().splitlines() == ["N", "@1", "@2", "SW", "@3", "@4"]
    page.fill("[name=pasted-town]", "1;x")
    page.click("[name=paste-town]")
    page.wait_for_selector("#message:not([hidden])")
    visit.refused += 1
    assert "lacks 3 values of the 4" in page.inner_text("#message")


def test_a_type_is_corrected(visit, explorer):
    visit.page.click("text=Types and value labels")
    visit.after(lambda: visit.page.select_option("[name=type-town]", "category"))
    assert explorer.choices.types == {"town": "category"}
    visit.page.wait_for_selector(
        "[name=type-town] option:checked:text('category (rare ones merged)')", state="attached"
    )


def test_a_role_and_a_level_are_chosen_by_keys(visit, explorer):
    page = visit.page
    visit.tab_to("role-town")
    visit.after(lambda: page.keyboard.press("ArrowDown"))
    assert explorer.choices.roles["town"] == "sensitive"
    visit.tab_to("level-age")
    visit.after(lambda: page.keyboard.press("ArrowRight"))
    assert explorer.choices.levels["age"] == 1
    assert page.evaluate("document.activeElement.name") == "level-age"


def test_names_are_text_in_every_form(visit):
    visit.page.click("#add-step")
    visit.open_everything()
    assert visit.page.locator(f"text='{NAME}'").count() > 3
    assert visit.page.locator("img, td script").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forms_can_be_read_and_are_named(opened, explorer, scheme):
    explorer.unlock()
    explorer.step("add", mechanism="pram", attributes=["ill"], said={})
    visit = opened(explorer, scheme=scheme, width=1024)
    page = visit.page
    page.click("#step-edit-0")
    visit.open_everything()
    assert contrasts(page) >= 4.5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    nameless = """() => [...document.querySelectorAll("input, select, button, textarea")].filter(one =>
        !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
        .map(one => one.outerHTML)"""
    assert page.evaluate(nameless) == []
    assert page.evaluate("document.querySelector('#figures').getBoundingClientRect().left > 600")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_was_typed_stays_and_the_history_is_gone_back_to(visit, explorer):
    page = visit.page
    page.fill("[name=pin]", "first")
    visit.set_level("age", 1)
    visit.set_level("age", 2)
    assert page.input_value("[name=pin]") == "first"
    page.click("text=History: 2 changes")
    visit.after(lambda: page.click("text=level of age: 1"))
    assert page.input_value("[name=level-age]") == "1"
    assert explorer.history.place == 1


def test_one_goes_back_to_the_page(visit):
    page = visit.page
    page.click("nav >> text=Levels")
    page.reload()
    page.wait_for_selector("#sentence")
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector("#sentence")
    visit.set_level("age", 1)


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        ({"town": ["here"], "age": [3]}, {"quasi_identifiers": ["town", "age"]}),
        ({"ill": ["flu", "gout"] * 5}, {"sensitive": ["ill"]}),
        ({"town": [f"t {number}" for number in range(2000)]}, {"quasi_identifiers": ["town"]}),
        pytest.param(
            {"town": [f"t {number}" for number in range(10**5)], "age": [1, 2] * 50_000},
            {"quasi_identifiers": ["town", "age"]},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["one record", "no quasi-identifier", "many values", "very many values"],
)
def test_odd_tables_are_shown(opened, columns, roles):
    explorer = explorer_of(columns, **roles)
    explorer.change({"roles": dict.fromkeys(roles.get("sensitive", []), "other")})
    visit = opened(explorer)
    page = visit.page
    visit.open_everything()
    assert not re.search(
        r"(?<![\d,.])1 (records|values|attributes|groups|releases)\b", page.inner_text("body")
    )
    if "quasi_identifiers" in roles:
        visit.set_level("town", 1)
    else:
        assert "quasi-identifier" in page.inner_text("#sentence")
        visit.after(lambda: page.select_option("[name=role-ill]", "quasi-identifier"))
    assert page.inner_text("#figure-groups") != ""
    assert page.locator("#message").is_hidden()


def test_a_page_whose_process_was_started_anew_says_what_to_do(browser, explorer):
    with serving(explorer) as url:
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("#sentence")
    port = int(url.split(":")[2].split("/")[0])
    page.click("#redo", force=True)
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.wait_for_selector("#message:has-text('does not answer')")
    with serving(explorer, port=port, token="another-token-of-this-other-process") as again:
        page.evaluate("dispatchEvent(new Event('focus'))")
        page.wait_for_selector("#message:has-text('the address that divulge printed')")
        page.goto("about:blank")
        page.goto(again)
        page.wait_for_selector("#sentence")
        assert page.locator("#message").is_hidden()
    context.close()
