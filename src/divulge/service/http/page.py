"""The page on which auditors and stewards follow a dataset; it asks the routes that anyone may ask."""

from __future__ import annotations

from functools import cache
from importlib import resources

#: One script in parts; each uses those before it.
PARTS = ("words", "chain", "chart", "verdict", "time", "lists", "entry", "asking")


def page() -> str:
    """The page before a key is given: it holds nothing of any dataset."""
    return _text("divulge.service.http.assets", "page.html")


def script() -> str:
    """What asks, draws and checks hashes."""
    names = [*(f"page_{part}.js" for part in PARTS), "page.js"]
    return "\n".join(_text("divulge.service.http.assets", name) for name in names)


def style() -> str:
    """The look of the reports, and what only this page has."""
    return _text("divulge.report.templates", "page.css") + _text("divulge.service.http.assets", "page.css")


@cache
def _text(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text("utf-8")
