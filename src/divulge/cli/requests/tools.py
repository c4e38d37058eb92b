"""What commands that read no table may be asked."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.parameters import argument, flag, option


@dataclass(frozen=True, kw_only=True)
class DemoRequest:
    """Make up a clinic's data with planted problems, and audit them."""

    folder: str = argument("[FOLDER]", "Where to write it.", "demo")
    size: int = option("N", "Records made up.", 4000, called="--records", min=100)


@dataclass(frozen=True, kw_only=True)
class DrawRequest:
    """Draw a document saved with --json as its page."""

    file: str = argument("FILE.json", "An audit, comparison, attacker or release document.")
    out: str | None = option("PAGE.html", "Where to write it. Default: the file's name, .html.")


@dataclass(frozen=True, kw_only=True)
class GuideRequest:
    """Choose measures that fit an attacker.

    Answer its questions by options, or on the terminal.
    """

    domain: str | None = option("NAME", "table, communication, location or other.")
    hamming: bool | None = flag(
        "An estimate is right or wrong, or more or less near.", None, called="--hamming/--by-degrees"
    )
    distortion_known: bool | None = flag(
        "How the attacker measures distance.", None, called="--distance-known/--distance-unknown"
    )
    occurrences: str | None = option("NAME", "single or multiple.")
    case: str | None = option("NAME", "worst, average or best, for the person.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class DoctorRequest:
    """Test every engine on this machine.

    Exit codes: 0 each works or is not installed, 1 a self-test failed.
    """

    quick: bool = flag("Leave out what is slow to start: Spark.")
    as_json: bool = options.as_json()


@dataclass(frozen=True, kw_only=True)
class MeasuresRequest:
    """List the measures, or explain one with a worked example."""

    name: str | None = argument("NAME", "A measure to explain.", None)
    as_json: bool = options.as_json()
