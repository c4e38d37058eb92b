"""The page, the sheet to be signed and the commands say the same of a release."""

import io
import json
import urllib.error
import urllib.request
import zipfile

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.errors import DivulgeError
from divulge.explore.explorer import Explorer
from divulge.explore.exporting.sheet_checks import OF_POLICY, sheet_checks
from explore.page_visits import serving

RECORDS = 400
RNG = np.random.default_rng(8)
PEOPLE = {
    "age": RNG.integers(20, 60, RECORDS),
    "sex": RNG.choice(["f", "m"], RECORDS),
    "illness": RNG.choice(["flu", "gout", "asthma"], RECORDS),
}
FIRST = [a + b for a in ("An", "Be", "Cla", "Do", "El", "Fi") for b in ("na", "ra", "rissa", "tta", "lia")]
LAST = [a + b for a in ("Mey", "Schnei", "Web", "Fisch", "Klos", "Zieg") for b in ("er", "ler", "ermann")]
TABLES = {
    "plain": {},
    "a household number": {"hhid": np.arange(RECORDS) // 4 + 1},
    "a person number": {"person_id": RNG.permutation(RECORDS) + 10_000},
    "names": {"name": [f"{RNG.choice(FIRST)} {RNG.choice(LAST)}" for _ in range(RECORDS)]},
    "different values": {"cost": RNG.normal(100, 10, RECORDS).round(6)},
    "texts": {
        "note": [f"saw patient {n} at the old ward and was told to come again" for n in range(RECORDS)]
    },
    "a number as a key": {"zip": RNG.integers(10_000, 99_999, RECORDS)},
    "codes of people": {"card": [f"C{n // 3 * 7919 + 471335}" for n in range(RECORDS)]},
    "an address of mail as a value": {"contact": [f"p{n}@example.org" for n in range(RECORDS)]},
}
CHOSEN = {
    "names": {"name": "other"},
    "a person number": {"person_id": "other"},
    "different values": {"cost": "other"},
    "texts": {"note": "other"},
    "a number as a key": {"zip": "quasi-identifier"},
    "an address of mail as a value": {"contact": "sensitive"},
}


@pytest.fixture(params=TABLES)
def explorer(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {**PEOPLE, **TABLES[request.param]}
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    found = Explorer(dv.read("people.csv"), name="people.csv", seed=5)
    found.change({"roles": CHOSEN.get(request.param, {})})
    return found


def said_on_the_page(explorer):
    """The outcome of each check by its title as the page has it; None where the release is to decide it."""
    found = {}
    for one in explorer.now()["figures"]["thresholds"]:
        outcome = {True: "pass", None: None, False: "warn" if one["warns"] else "fail"}[one["holds"]]
        found.setdefault(one["name"], []).append(outcome)
    return {
        name: next((one for one in ("fail", None, "warn") if one in outcomes), "pass")
        for name, outcomes in found.items()
    }


@pytest.mark.parametrize("suppress", [0.0, 1.0])
@pytest.mark.parametrize("levels", [{}, {"age": 2}, {"age": 3, "sex": 1, "zip": 4}])
def test_what_the_page_says_of_a_check_is_what_the_sheet_and_the_command_say(
    explorer, levels, suppress, tmp_path
):
    there = {name: level for name, level in levels.items() if name in explorer.choices.roles}
    thresholds = {name: one for name, one in explorer.choices.thresholds.items() if name != "k_anonymity"}
    explorer.change({"levels": there, "suppress": suppress, "thresholds": thresholds})
    if explorer.now()["figures"]["left"] == 0:
        pytest.skip("no record would be left")
    page = said_on_the_page(explorer)
    scene = explorer.scenes.scene(explorer.choices)
    checks = sheet_checks(scene, scene.release(explorer.choices.levels, 5).table)
    sheet = {one.told["title"]: one.told["outcome"] for one in checks if one.of == OF_POLICY}
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(tmp_path)
    _, out, _ = run("check", "publish/released.csv", "--policy", "keep/policy.toml", "--json")
    command = {one["title"]: one["outcome"] for one in json.loads(out)["checks"]}
    assert sheet == command
    assert {"Attributes that name people", "Gaps in what was measured"} <= page.keys() & sheet.keys()
    decided = {name: outcome for name, outcome in page.items() if outcome is not None and name in sheet}
    assert decided == {name: sheet[name] for name in decided}


@pytest.mark.parametrize("explorer", ["a household number"], indirect=True)
def test_a_household_number_warns_on_the_page_and_is_no_gap(explorer):
    told = {one["name"]: one for one in explorer.now()["figures"]["thresholds"]}
    named, gaps = told["Attributes that name people"], told["Gaps in what was measured"]
    assert (named["holds"], named["warns"]) == (False, True)
    assert "'hhid' is a record or household number" in named["found"]
    assert gaps["holds"] is None
    [about] = [one["about"] for one in explorer.now()["figures"]["as_it_is"]]
    assert about == "it is the number of a record, a person or a household, which links releases"


@pytest.mark.parametrize("explorer", ["names"], indirect=True)
def test_the_headline_says_first_that_names_are_released(explorer):
    explorer.change({"levels": {"age": 3, "sex": 1}})
    sentence = explorer.now()["figures"]["sentence"]
    first = "Do not release: direct identifiers found ('name'). "
    assert sentence.startswith(first)
    assert sentence.removeprefix(first).endswith("share everything that the attacker knows of any of them.")
    removed = explorer.change({"roles": {"name": "identifier"}})["figures"]["sentence"]
    assert "Do not release" not in removed


@pytest.mark.parametrize("explorer", ["names"], indirect=True)
def test_a_search_that_names_forbid_says_what_to_do_on_the_page(explorer):
    with pytest.raises(DivulgeError) as refused:
        searched(explorer)
    assert str(refused.value) == (
        "name would be released, and names people. No level changes that. Give it the role identifier under "
        "Roles, which removes it."
    )


@pytest.mark.parametrize("explorer", ["plain"], indirect=True)
def test_no_option_of_a_command_is_named_on_a_page(explorer):
    asked = {"thresholds": {"singled_out": {"max": 0, "k": 500}}, "suppress": 0.0}
    with serving(explorer) as address:
        assert ask(address, "change", patch=asked)[0] == 200
        ask(address, "best")
        code, told = ask(address, "searched")
        while told.get("searching"):
            code, told = ask(address, "searched")
    assert code == 422
    assert told["message"].endswith("Allow more suppression, ask for less, or give higher levels.")


def searched(explorer):
    """Search for the least loss, to the end."""
    told = explorer.best()
    while told["searching"]:
        told = explorer.searched()


def ask(address, name, **said):
    """What the door of a page answers, with its status."""
    place, token = address.split("/#")
    head = {"Content-Type": "application/json", "X-Divulge-Token": token}
    request = urllib.request.Request(f"{place}/api/{name}", json.dumps(said).encode(), head)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)
