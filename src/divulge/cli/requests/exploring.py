"""What may be asked of the local page."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.parameters import argument, flag, option, table_options
from divulge.cli.requests.tables import RolesRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class ExploreRequest(RolesRequest):
    """Find a release on a local page.

    Starts a page on this machine, on which roles, levels and thresholds are chosen and their figures follow
    at once. Nothing is sent out. It ends on Ctrl-C, or when the page has been closed for a while.
    """

    file: str = argument("FILE", "A table, or a session that was saved (.divulge).")
    session: str | None = option("FILE.divulge", "A saved session to continue, on this table.")
    policy: str | None = options.policy()
    population: str | None = options.population()
    fraction: float | None = options.fraction()
    need: str | None = options.need()
    port: int = option("N", "Port to listen on. Default: any that is free.", 0, min=0)
    no_browser: bool = flag("Print the address, and open no browser.")
    source: SourceOptions = table_options(
        anatomy="A release is made of the original.",
        weights="Choose weights on the page, or name them in a policy.",
    )
