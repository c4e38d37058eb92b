"""A real browser for the tests that look at pages in one, and what they ask of any page."""

import os
import re
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
WINDOW = {"width": 1280, "height": 720}
PAGES = WeakKeyDictionary()  # by browser and options


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of one file: the loop that drives it must not be there for others."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail("Chromium is not installed; scripts/debian-packages installs it")
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET) as started,
    ):
        yield started


@contextmanager
def opened(browser, file, *, viewport=WINDOW, **options):
    """A file in a page, offline, with every request and complaint noted.

    Making a page takes longer than loading a file, so that tests with the same options have it one after
    the other; after one that fails there is a new page.
    """
    kept = PAGES.setdefault(browser, {})
    known = tuple(sorted(options.items()))
    visit = kept.get(known) or Visit(browser, options)
    kept[known] = visit
    visit.begin(viewport)
    try:
        visit.page.goto(file.as_uri())
        yield visit.page
        assert visit.requests == [file.as_uri()]
        assert visit.complaints == []
    except BaseException:
        del kept[known]
        visit.page.context.close()
        raise


class Visit:
    """A page in a profile of its own, and what it asked for and complained of since a test began."""

    def __init__(self, browser, options):
        context = browser.new_context(offline=True, **options)
        self.requests, self.complaints = [], []
        context.route(re.compile(r"^(?!file:)"), lambda route: route.abort())
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", lambda message: self.complaints.append(message.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.page = context.new_page()
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', "
            "e => console.error('violates ' + e.violatedDirective))"
        )

    def begin(self, viewport):
        self.page.emulate_media(media="null")
        self.page.set_viewport_size(viewport)
        self.requests.clear()
        self.complaints.clear()


def contrasts(page):
    """The least contrast of text against the paper under it, as the WCAG count it."""
    return page.evaluate(
        """() => {
          const light = colour => {
            const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
              .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const paper = element => {
            for (let one = element; one; one = one.parentElement) {
              const colour = getComputedStyle(one).backgroundColor;
              if (!colour.endsWith(', 0)')) return colour;
            }
          };
          const found = [];
          for (const element of document.querySelectorAll('main *:not(svg *), header *, nav *, footer *')) {
            const said = Array.from(element.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
            if (!said) continue;
            const [one, other] = [getComputedStyle(element).color, paper(element)].map(light);
            found.push((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
          }
          return Math.min(...found);
        }"""
    )
