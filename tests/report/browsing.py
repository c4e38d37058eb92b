"""How tests open a page in a real browser, and what they ask of any."""

import re
from contextlib import contextmanager
from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


@contextmanager
def opened(browser, file, **options):
    """A page in a profile of its own, offline, with every request and complaint noted."""
    context = browser.new_context(offline=True, **options)
    requests, complaints = [], []
    context.route(re.compile(r"^(?!file:)"), lambda route: route.abort())
    context.on("request", lambda request: requests.append(request.url))
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    page = context.new_page()
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.error('violates ' + e.violatedDirective))"
    )
    page.goto(file.as_uri())
    try:
        yield page
        assert requests == [file.as_uri()]
        assert complaints == []
    finally:
        context.close()


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
