"""What commands that read no table may be asked."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.completion import explained, papers
from divulge.cli.parameters import argument, flag, option


@dataclass(frozen=True, kw_only=True)
class DemoRequest:
    """Make example data and audit them.

    The data are those of a made-up clinic, with problems to find.
    """

    folder: str = argument("FOLDER", "Where to write them.", "demo")
    size: int = option("N", "Number of records.", 4000, min=100)
    overwrite: bool = options.overwrite()


@dataclass(frozen=True, kw_only=True)
class DrawRequest:
    """Draw a saved JSON document as a page."""

    file: str = argument(
        "FILE.json", "An audit, comparison, anonymize, attacker or release document, printed with --json."
    )
    out: str | None = options.out(
        "a page. Another page of divulge is replaced. Default: the name of the file, with .html."
    )
    overwrite: bool = options.overwrite()


@dataclass(frozen=True, kw_only=True)
class GuideRequest:
    """Explain a measure or mechanism, or choose some.

    Without a name it asks about the attacker, by options or on the terminal, and names what fits.
    """

    name: str | None = argument(
        "NAME",
        "A measure, mechanism, attack, loss or other word to explain; measures or mechanisms list all.",
        None,
        autocompletion=explained,
    )
    domain: str | None = option("NAME", "What the data are: table, communication, location or other.")
    hamming: bool | None = flag(
        "An estimate is right or wrong, or more or less near the truth.",
        None,
        called="--hamming/--by-degrees",
    )
    distortion_known: bool | None = flag(
        "Whether you know how the attacker measures distance.",
        None,
        called="--distance-known/--distance-unknown",
    )
    occurrences: str | None = option("NAME", "How often the attacker observes: single or multiple.")
    case: str | None = option("NAME", "Which case matters, for the person: worst, average or best.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class ReproduceRequest:
    """Repeat the experiments of the papers.

    Without a paper it lists the experiments. Published numbers are shown with ours, and the reason where they
    differ.
    """

    paper: str | None = argument("PAPER", "Short name of a paper, or all.", None, autocompletion=papers)
    item: str | None = argument("ITEM", "One of its experiments, such as figure-1.", None)
    small: bool = flag("Run smaller versions, in seconds.")
    data: str | None = option(
        "FOLDER", "Where data are that cannot be shipped, such as Adult with its hierarchies."
    )
    seed: int | None = options.seed("0")
    out: str | None = options.out("a page (.html), text (.md) or the document (.json).")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class DoctorRequest:
    """Test every engine on this machine.

    Exit codes: 0 each engine works or is not installed, 1 a self-test failed.
    """

    quick: bool = flag("Leave out Spark, which is slow to start.")
    as_json: bool = options.as_json()
