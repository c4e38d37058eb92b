"""The page in a real browser, on a real decider: it tells how things stand, and nothing of records."""

import json
import re
import struct
from contextlib import closing

import numpy as np
import pytest

from browsing import contrasts
from divulge.service.http import page as made
from divulge.service.ledger.canonical_json import canonical
from divulge.service.operations.guarded.setting_up import add_table
from divulge.service.queries.guarded_tables import GuardedRow
from divulge.service.queries.query_service import QueryService
from service.page_scene import MARKS, choose, enter, look_again, people, served, settled, visited
from service.queries_scene import CLINIC, EXACT, table_file

WRONG = "This key is unknown or no longer valid."
HOSTILE = '<img src=x onerror="window.ran=1">\u202e\x07'
SHOWN = '<img src=x onerror="window.ran=1">\\u202e\\u0007'
CHANGES = {
    "changed-time": "UPDATE entry SET at = '2020-01-01T00:00:00+00:00' WHERE chain = ? AND idx = 3",
    "changed-body": "UPDATE entry SET body = replace(body, 'safe', 'rash') WHERE chain = ? AND idx = 3",
    "changed-hash": "UPDATE entry SET hash = seal WHERE chain = ? AND idx = 2",
    "entry-gone": "DELETE FROM entry WHERE chain = ? AND idx = 2",
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as found:
        found.load("crowd", ["mis", "kld", "cst", "dqt"])
        found.ask_for("crowd", 150)
        found.load("hostile", "kld", data=people(HOSTILE))
        for name in ("rising", "queue", "quiet", "policies", "empty", *CHANGES):
            found.load(name, "mis")
        yield found


@pytest.fixture(scope="module")
def auditor(scene):
    return scene.key("auditor")


@pytest.fixture(scope="module")
def entered(browser, scene, auditor):
    with visited(browser, scene, auditor, "crowd") as found:
        yield found


@pytest.fixture
def page(entered):
    """The page as an auditor has it before them, with everything folded, on the crowd."""
    entered.evaluate("document.querySelectorAll('dialog').forEach(part => part.close())")
    entered.evaluate("document.querySelectorAll('details').forEach(part => { part.open = false })")
    choose(entered, "crowd")
    return entered


def unfold(page, part):
    page.locator(f"#{part} summary").click()
    page.locator(f"#{part} table").wait_for()


# -- over time --------------------------------------------------------------------------------------


def test_exposure_rises_to_its_limit_while_the_page_is_open(page, scene):
    choose(page, "rising")
    assert page.get_by_text("No decisions yet.").is_visible()
    assert page.get_by_role("heading", name="0 of 1,000 records released, no requests waiting").is_visible()
    chart = page.locator("svg[aria-labelledby^=exposure-mis]")
    used = []
    for _ in range(6):
        scene.ask_for("rising", 25)
        look_again(page)
        used.append(float(chart.locator(".now").text_content().strip("<>%")))
    assert used[0] < 95 < 99 < used[-1] < 100
    down = [float(point) for point in re.findall(r" ([\d.]+)", chart.locator(".curve").get_attribute("d"))]
    limit = float(chart.locator(".limit").get_attribute("y1"))
    assert limit <= min(down) < limit + 1 < down[0]
    outside = scene.decider.status("rising")["outside"]
    assert page.get_by_role("heading", name=f"{outside} of 1,000 records released").is_visible()
    assert page.get_by_text("of the closest limit is used: mutual information is").is_visible()
    assert page.get_by_text("Within the limits").is_visible()


def test_the_queue_grows_and_drains(page, scene):
    choose(page, "queue")
    assert page.get_by_text("No requests are waiting.").is_visible()
    rows = page.locator("#queue-list tbody tr")
    grown = next(waiting for _ in range(40) if (waiting := scene.ask_for("queue", 10)) >= 12)
    look_again(page)
    assert rows.count() == grown
    assert page.get_by_text(f"{grown} requests waiting, tried in order of arrival.").is_visible()
    assert scene.decider.queue("queue", 1)[0]["ticket"] in rows.first.inner_text()
    drained = next(waiting for _ in range(40) if (waiting := scene.ask_for("queue", 5)) <= grown / 2)
    look_again(page)
    assert rows.count() == drained
    says = page.locator("svg[aria-labelledby^=flow-waiting] desc").text_content()
    most, last = map(int, re.search(r"at most (\d+), (\d+) at the end", says).groups())
    assert most >= grown > drained == last


def test_every_chart_has_its_data_in_a_table(page, scene):
    assert page.locator("#exposure-charts svg").count() == 4
    unfold(page, "exposure-data")
    heads = page.locator("#exposure-data thead th").all_inner_texts()
    assert heads[:4] == ["time (UTC)", "MIS value", "MIS limit", "MIS used"]
    last = page.locator("#exposure-data tbody tr").first.locator("td").all_inner_texts()
    points = scene.decider.series("crowd", 300)
    assert last[0] == points[-1]["at"].replace("T", " ")[:19]
    assert [float(last[1]), float(last[2])] == pytest.approx(points[-1]["exposures"][0][1:], rel=1e-3)
    unfold(page, "flow-data")
    assert page.locator("#flow-data tbody tr").count() == len(points)


def test_charts_run_over_time_or_over_decisions_of_one_moment(page):
    code = made.script()
    code = code[code.index("const clock") : code.index("// A chart of values")]
    code = f"const many = String; {code} return axisOf(moments.map(at => ({{ at }})))"
    run = "([code, moments]) => new Function('moments', code)(moments)"
    day, later, end = (f"2026-11-14T{hour}:00:00+00:00" for hour in ("08", "11", "20"))
    axis = page.evaluate(run, [code, [day, later, end]])
    assert axis == {
        "places": [0, 0.25, 1],
        "words": [[0, "08:00"], [0.5, "14:00"], [1, "20:00"]],
        "title": "time (UTC, from 2026-11-14)",
    }
    assert page.evaluate(run, [code, [day, day, day]])["places"] == [0, 0.5, 1]
    seconds = [f"2026-11-14T08:00:{second}+00:00" for second in ("01", "01.5", "02.2")]
    assert page.evaluate(run, [code, seconds])["words"] == [[0, "08:00:01"], [1, "08:00:02"]]


def test_the_first_screen_has_the_verdict_what_it_implies_and_a_chart(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    settled(page)
    assert re.fullmatch(r"\d+ of 1,000 records released, .*", page.locator("#headline").inner_text())
    implied = page.get_by_text("of the next 100 typical records could be released.")
    assert implied.bounding_box()["y"] < 500
    assert page.locator("#exposure-charts svg").first.bounding_box()["y"] < 700


def test_the_page_looks_again_while_it_is_seen_and_never_while_it_is_not(page):
    show = """seen => {
        Object.defineProperty(document, 'hidden', { get: () => !seen, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    look_again(page)
    assert [url.rpartition("/")[2] for url in asked] == ["crowd", "queue?most=100"]  # all else is unchanged
    page.evaluate(show, False)
    look_again(page)  # what had been planned before
    asked.clear()
    look_again(page)
    look_again(page)
    assert asked == []
    page.evaluate(show, True)
    settled(page)
    assert len(asked) == 2
    page.evaluate("delete document.hidden")


# -- decisions --------------------------------------------------------------------------------------


def test_a_decision_is_opened_and_its_hash_follows(page, scene):
    entry = next(e for e in reversed(scene.decider.log("crowd", 0, 1000)) if e["kind"] == "decision")
    page.get_by_role("button", name=f"Open entry {entry['index']}", exact=True).focus()
    page.keyboard.press("Enter")
    opened = page.get_by_role("dialog")
    opened.get_by_text(f"Its hash follows from entry {entry['index'] - 1}.").wait_for()
    said, body = opened.inner_text(), entry["body"]
    parts = [entry["hash"], entry["at"], entry["seal"], *body["tickets"]]
    assert all(
        part in said for part in [*parts, *(body[n] for n in ("verdict", "reason", "record", "digest"))]
    )
    assert opened.locator("tbody tr").count() == len(body["exposures"])
    for index in range(entry["index"] - 1, entry["index"] - 6, -1):
        page.get_by_role("button", name="Entry before").click()
        opened.get_by_role("heading", name=f"Entry {index}:").wait_for()
        assert opened.locator("#follows.pass").is_visible()
    page.keyboard.press("Escape")
    page.locator(f"[data-name=entry-{index}]:focus").wait_for()
    assert opened.is_hidden()


def test_the_first_entry_follows_from_nothing(page):
    choose(page, "empty")
    page.get_by_role("button", name="Open entry 1").click()
    page.get_by_role("heading", name="Entry 1: loaded").wait_for()
    assert page.get_by_text("Its hash is that of a first entry.").is_visible()
    assert page.get_by_role("button", name="Entry before").is_disabled()


def test_a_browser_that_makes_no_hashes_says_so(page):
    page.evaluate("Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true })")
    page.locator("#decisions-list .link").first.click()
    page.get_by_text("Not checked: browsers make hashes on pages that come over TLS").wait_for()
    page.evaluate("delete crypto.subtle")


@pytest.mark.parametrize("name", CHANGES)
def test_an_entry_does_not_follow_once_the_log_is_changed(page, scene, name):
    scene.ask_for(name, 4)
    scene.rewrite(CHANGES[name], name)
    choose(page, name)
    page.get_by_role("button", name="Open entry 3").click()
    page.locator("#follows.fail").wait_for()
    expected = "Entry 2 is missing" if name == "entry-gone" else "Its hash does not follow"
    assert expected in page.locator("#follows").inner_text()


def test_decisions_are_turned_over_page_by_page(page, scene):
    last = scene.decider.status("crowd")["entries"]
    first = page.locator("#decisions-list .link").first
    assert first.inner_text() == str(last)
    page.get_by_role("button", name="Older").click()
    page.get_by_text(f"Entries {last - 39} to {last - 20} of {last}").wait_for()
    look_again(page)
    assert first.inner_text() == str(last - 20)
    page.get_by_role("button", name="Newer").click()
    page.get_by_text(f"to {last} of {last}").wait_for()
    assert page.get_by_role("button", name="Newest").is_disabled()


def test_hashes_are_made_of_the_same_text_as_in_the_service(browser):
    drawn = np.random.default_rng(1).integers(0, 1 << 64, 400, dtype=np.uint64).tolist()
    floats = [struct.unpack("d", struct.pack("Q", bits))[0] for bits in drawn]
    value = {
        "any": [one for one in floats if np.isfinite(one)],
        "small": [0.0, -0.0, 1.0, -1.5, 1e-4, 9.999e-5, -1e-5, 5e-324],
        "large": [123456789.125, 1e15, 1e16, -1.5e16, 1e22, 1.7e308],
        "whole": [0, -7, 2**53 - 1],
        "text": ['"\\/\b\f\n\r\t\x00\x1f\x7f', "é€😀", "1.0", "a number", 'say "1.50"'],
        "plain": [None, True, False, {}, [], {"b": 1, "a": {"z": 2.50, "B": 3}}],
    }
    code = made.script()
    code = code[code.index("const START") : code.index("async function hashed")]
    run = "([code, sent]) => new Function('sent', code + 'return canonical(JSON.parse(sent))')(sent)"
    with browser.new_context() as context:
        found = context.new_page().evaluate(run, [code, json.dumps(value, ensure_ascii=False)])
    assert found == canonical(value)


# -- keys and roles ---------------------------------------------------------------------------------


def test_guarded_tables_are_listed_with_what_was_asked_of_them(browser, scene, auditor, tmp_path):
    table_file(tmp_path / "clinic.duckdb")
    (tmp_path / "queries.toml").write_text(EXACT)
    row, table = GuardedRow.of(CLINIC, tmp_path / "queries.toml")
    with table, closing(QueryService(scene.decider)) as queries:
        add_table(scene.decider, row, table.records, "holder")
        for text in ("SELECT SUM(cost) FROM patients WHERE ward = 'a'", "SELECT name FROM patients"):
            queries.ask(CLINIC, text, "ann", text)
    with visited(browser, scene, auditor, "crowd") as page:
        page.get_by_text("clinic: 1 query answered, 1 refused (form 1)").wait_for()


def test_a_wrong_key_gives_a_sentence(browser, scene):
    with visited(browser, scene, refusals=1) as page:
        for key in ("nobody.knows-it", "ключ"):
            with page.expect_navigation():
                enter(page, key)
            page.get_by_role("alert").get_by_text(WRONG).wait_for()
            assert page.get_by_label("Key of an auditor or a steward").input_value() == ""
            assert page.evaluate("sessionStorage.length") == 0


def test_a_key_that_is_for_something_else_gives_another_sentence(browser, scene):
    with visited(browser, scene, refusals=3) as page:
        for role in ("requester", "admin"):
            with page.expect_navigation():
                enter(page, scene.key(role))
            page.get_by_role("alert").get_by_text("neither an auditor's nor a steward's").wait_for()
            assert page.locator("#parts").is_hidden()


def test_a_key_stays_in_its_tab_until_it_is_forgotten_or_revoked(browser, scene):
    key = scene.key("auditor")
    with visited(browser, scene, key, "crowd", refusals=1) as page:
        page.reload()
        page.get_by_role("heading", level=1, name="crowd").wait_for()
        assert page.evaluate("localStorage.length") == 0
        page.get_by_role("button", name="Forget the key").click()
        page.get_by_label("Key of an auditor or a steward").wait_for()
        assert "crowd" not in page.content()
        enter(page, key)
        page.get_by_role("heading", name="of 1,000 records released").wait_for()
        settled(page)
        scene.revoke(key)
        page.clock.fast_forward(5000)
        page.get_by_text(WRONG).wait_for()
        assert "records released" not in page.content()


def test_one_steward_proposes_and_another_approves(browser, scene):
    scene.ask_for("policies", 80)
    proposer, twin, other = (scene.key("steward", person) for person in ("Dora", "Dora", "Emil"))
    with visited(browser, scene, proposer, "policies", refusals=2) as page:
        assert page.get_by_text("Dora, steward").is_visible()
        newest = page.locator("#decisions-list tbody tr").first.locator("td").all_inner_texts()
        (entry,) = scene.decider.decisions("policies", scene.decider.status("policies")["entries"] - 1, 1)
        assert newest[0] == entry["at"].replace("T", " ")[:19]
        assert newest[1] in ("released", "released after waiting", "waiting")
        assert page.get_by_text("An auditor's key opens the entries.").is_visible()
        assert page.locator("#decisions-list .link").count() == 0
        form, says = page.locator("#proposal"), page.locator("#policy-says")
        form.get_by_label("MIS").uncheck()
        form.get_by_role("button", name="Propose").click()
        says.get_by_text("Choose at least one test.").wait_for()
        form.get_by_label("KLD").check()
        form.get_by_label("Alpha").fill("1")
        form.get_by_role("button", name="Propose").click()
        says.filter(has_not_text="Choose").wait_for()
        assert len(scene.decider.policies("policies")) == 1
        form.get_by_label("Alpha").fill("0.9")
        form.get_by_label("Approvals of later changes").fill("2")
        form.get_by_role("button", name="Propose").click()
        says.get_by_text("Version 2 is proposed. Another steward can approve it until 2").wait_for()
        page.locator("#policies-list").get_by_text("KLD at 0.9").wait_for()
        assert page.get_by_role("button", name="Approve").count() == 0
    with visited(browser, scene, twin, "policies", refusals=1) as page:
        page.locator("#policies-list").get_by_text("0 of 1").wait_for()
        assert page.get_by_role("button", name="Approve").count() == 0  # another key, the same person
    with visited(browser, scene, other, "policies", refusals=1) as page:
        page.get_by_role("button", name="Approve version 2").click()
        page.get_by_role("button", name="Cancel").click()
        assert scene.decider.policies("policies")[1]["status"] == "proposed"
        page.get_by_role("button", name="Approve version 2").click()
        page.get_by_role("button", name="Approve", exact=True).click()
        page.get_by_text("Version 2 is active now.").wait_for()
        page.get_by_text("Tests: KLD, alpha 0.9 (policy version 2)").wait_for()
        settled(page)
        assert page.locator("#verdict.fail").get_by_text("Over a limit").is_visible()
        assert page.get_by_text("The released records exceed").is_visible()
        assert page.locator(".now.over").is_visible()
    changed = scene.decider.policies("policies")[1]
    assert (changed["approved_by"], changed["approval"]["persons"]) == ("Emil", 2)


# -- trouble ----------------------------------------------------------------------------------------


def test_a_dataset_that_is_read_only_says_why(page, scene):
    scene.decider.behind["crowd"] = "The database has 7 entries, and a checkpoint was signed after 9."
    look_again(page)
    scene.decider.behind.clear()
    assert page.locator("#verdict.warn").get_by_text("Read-only").is_visible()
    assert page.get_by_text("after 9. Nothing is decided until it is reconciled.").is_visible()
    look_again(page)
    assert page.locator("#verdict.pass").is_visible()


def test_a_service_that_does_not_answer_is_asked_again(browser, scene, auditor):
    with visited(browser, scene, auditor, "crowd", refusals=1) as page:
        page.route("**/datasets/**", lambda route: route.abort())
        look_again(page)
        assert page.get_by_text(
            "The service does not answer. The page shows the last known state."
        ).is_visible()
        page.unroute("**/datasets/**")
        look_again(page)
        assert page.locator("#trouble").is_hidden()


# -- what is shown, and how -------------------------------------------------------------------------


def test_no_value_of_a_record_is_anywhere_in_the_page(page, scene):
    scene.ask_for("quiet", 120)
    choose(page, "quiet")
    for part in ("exposure-data", "now-data", "flow-data"):
        unfold(page, part)
    for place in range(8):
        page.locator("#decisions-list .link").nth(place).click()
        page.locator("#entry[open]").wait_for()
        assert not any(mark in page.content() for mark in MARKS)
        page.keyboard.press("Escape")
    kept = page.evaluate("JSON.stringify({...sessionStorage}) + document.cookie")
    assert not any(mark in kept for mark in MARKS)


def test_targets_are_named_where_the_service_names_them(page):
    unfold(page, "now-data")
    named = page.locator("#now-data tbody tr").all_inner_texts()
    assert any("camp L1" in line for line in named)
    assert not any(mark in page.content() for mark in ("soldier-", "aged "))


def test_hostile_names_run_nothing_and_are_shown_as_they_are(page, scene):
    scene.ask_for("hostile", 30)
    choose(page, "hostile")
    unfold(page, "now-data")
    assert SHOWN in page.locator("#now-data").inner_text()
    assert page.evaluate("window.ran") is None
    assert page.locator("img").count() == 0


def test_the_page_needs_no_more_than_a_strict_policy_allows(page):
    policy = page.reload().headers["content-security-policy"]  # the browser would complain of a breach
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", made.page())
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", made.script())


def test_light_or_dark_everything_can_be_read(page):
    lines = {"light": "rgb(29, 92, 136)", "dark": "rgb(124, 184, 226)"}
    for scheme, colour in lines.items():
        page.emulate_media(color_scheme=scheme)
        assert contrasts(page) > 4.5
        assert page.locator(".curve").first.evaluate("line => getComputedStyle(line).stroke") == colour


def test_the_page_is_never_wider_than_the_window(page):
    for part in ("exposure-data", "now-data", "flow-data"):
        unfold(page, part)
    page.locator("#decisions-list .link").first.click()
    page.locator("#entry[open]").wait_for()
    fits = (
        "() => [...document.querySelectorAll('.chart svg')].every(one => one.clientWidth <= innerWidth - 16)"
    )
    for width in (390, 800, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        # charts are drawn anew a moment later
        assert any(page.evaluate(fits) or page.wait_for_timeout(20) for _ in range(200))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#entry").evaluate("part => part.scrollWidth <= part.clientWidth")


def test_at_the_usual_width_no_column_of_decisions_and_policies_is_cut(page):
    page.set_viewport_size({"width": 1200, "height": 900})
    for part in ("decisions-list", "policies-list"):
        table = page.locator(f"#{part} .scroll")
        assert table.evaluate("part => part.scrollWidth <= part.clientWidth"), part


def test_no_heading_of_the_policies_is_broken_within_a_word(page):
    page.set_viewport_size({"width": 400, "height": 900})
    heads = page.locator("#policies-list thead th")
    assert heads.evaluate_all("every => every.map(one => getComputedStyle(one).overflowWrap)") == (
        ["break-word"] * heads.count()
    )


def test_the_keyboard_reaches_everything(browser, scene, auditor):
    with visited(browser, scene) as page:
        assert page.evaluate("document.activeElement.id") == "key"
        page.keyboard.type(auditor)
        page.keyboard.press("Enter")
        choose(page, "crowd")
        assert page.evaluate("document.activeElement.id") == "name"
        reached = set()
        for _ in range(45):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
        assert {"dataset", "leave", "scroll", "link", "older"} <= reached


def test_nothing_of_one_dataset_is_shown_under_the_name_of_another(browser, scene, auditor):
    with visited(browser, scene, auditor, "crowd", refusals=1) as page:
        page.route("**/datasets/empty/series*", lambda route: route.abort())
        choose(page, "empty")
        assert page.get_by_role("heading", level=1, name="empty").is_visible()
        assert page.get_by_text("The service does not answer.").is_visible()
        assert page.locator("#parts").is_hidden()


def test_a_dataset_stays_chosen_when_the_page_is_read_anew(page):
    choose(page, "empty")
    page.reload()
    page.get_by_role("heading", level=1, name="empty").wait_for()
    settled(page)


def test_without_scripts_nobody_is_asked_for_a_key(browser, scene):
    with visited(browser, scene, java_script_enabled=False) as page:
        assert "scripts, which are switched off" in page.locator("noscript").text_content()
        assert page.get_by_label("Key of an auditor or a steward").is_hidden()
