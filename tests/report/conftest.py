"""A real browser for the tests that look at pages in one."""

import os

import pytest
from playwright.sync_api import sync_playwright

from report.browsing import CHROMIUM, QUIET


@pytest.fixture(scope="module")
def playwright():
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail("Chromium is not installed; scripts/debian-packages installs it")
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright):
    with playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET) as started:
        yield started
