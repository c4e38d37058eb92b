"""The local page under a script of clicks that a person could make."""

import random
import time

import numpy as np
import pytest

from explore.page_visits import visiting
from soak.programs import SECONDS, Program, assert_flat, assert_nothing_left

pytestmark = pytest.mark.slow
RECORDS = 3_000


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    columns = [
        rng.integers(20, 60, RECORDS),
        rng.choice(["f", "m"], RECORDS),
        rng.choice(["47677", "47678", "47905", "47906"], RECORDS),
        rng.choice(["flu", "asthma", "gout"], RECORDS),
    ]
    lines = ["age,sex,zip,illness", *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def clicks(visit, rng):
    """One thing that a person does on the page."""
    page = visit.page
    kind = rng.choice(["level", "level", "level", "k", "undo", "redo", "export", "reload"])
    if kind == "level":
        visit.set_level(rng.choice(["age", "zip", "sex"]), rng.choice([0, 1]))
    elif kind == "k":
        wanted = str(rng.choice([2, 3, 5, 10]))
        if page.input_value("[name=k]") != wanted:
            visit.after(lambda: page.fill("[name=k]", wanted) or page.dispatch_event("[name=k]", "change"))
    elif kind in {"undo", "redo"}:
        if page.is_enabled(f"#{kind}"):
            visit.after(lambda: page.click(f"#{kind}"))
    elif kind == "export":
        with page.expect_download() as asked:
            page.click("#export")
        asked.value.delete()
    else:
        page.reload()
        page.wait_for_selector("#sentence")


def test_the_explorer_holds_no_more_memory_as_a_person_clicks_on(browser, table, tmp_path):
    rng = random.Random(7)
    roles = ["--quasi-identifiers", "age,sex,zip", "--sensitive", "illness"]
    program = Program(tmp_path / "explored", "explore", table, "--no-browser", *roles)
    samples = []
    until = time.monotonic() + SECONDS
    with visiting(browser, program.address(), accept_downloads=True) as visit:
        while time.monotonic() < until or len(samples) < 8:
            for _ in range(10):
                clicks(visit, rng)
            samples.append(program.memory())
    program.end()
    assert_flat(samples)
    assert_nothing_left(program)
