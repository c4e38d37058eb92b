"""Not worse than before: checks compared with those of an earlier audit."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from divulge.assessment.all_checks import AnyCheck
from divulge.assessment.asked_check import AskedCheck
from divulge.errors import SourceError
from divulge.ordinary_files import refuse_unreadable_text


def read_baseline(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The document of an earlier audit."""
    hint = "Give a document that divulge audit --json or divulge check --json printed."
    refuse_unreadable_text(Path(path))
    try:
        document = json.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SourceError(f"The baseline {path} cannot be read: {reason}.", hint=hint) from None
    except RecursionError:
        raise SourceError(f"The baseline {path} is nested too deeply.", hint=hint) from None
    except json.JSONDecodeError as error:
        raise SourceError(
            f"The baseline {path} is not JSON, from line {error.lineno} on.", hint=hint
        ) from None
    except ValueError:  # Python reads integers of some thousand digits at most
        raise SourceError(f"The baseline {path} has a number of too many digits.", hint=hint) from None
    if not isinstance(document, dict) or document.get("document") != "divulge audit":
        raise SourceError(f"The baseline {path} is not the document of an audit.", hint=hint)
    if not isinstance(document.get("checks"), list):
        raise SourceError(f"The baseline {path} has no list of checks.", hint=hint)
    if document.get("version") != 1:
        raise SourceError(f"The baseline {path} is of another version than 1.", hint=hint)
    return document


def against(baseline: Mapping[str, Any] | None, checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    """The checks, each told what the baseline found; one that is worse than before does not pass."""
    if baseline is None:
        return list(checks)
    before = {_identity(one): one for one in baseline["checks"]}
    return [_compared(check, before.get(_identity(check.to_dict()))) for check in checks]


def _compared(check: AnyCheck, before: Mapping[str, Any] | None) -> AnyCheck:
    if before is None or before.get("found") is None or check.found is None:
        return replace(check, baseline={"found": None, "worse": False})
    found = before["found"]
    return replace(check, baseline={"found": found, "worse": check.worse(_told(check), than=found)})


def _told(check: AnyCheck) -> float:
    """What a document says was found, which hides the share of very few people."""
    return float(check.to_dict()["found"] or 0.0) if isinstance(check, AskedCheck) else check.found or 0.0


def _identity(check: Mapping[str, Any]) -> tuple[Any, ...]:
    """What says that two checks read the same thing."""
    parameters = tuple(sorted((name, str(value)) for name, value in check["parameters"].items()))
    return check["measure"], parameters, tuple(sorted(check["keys"])), check["target"], check["adjusted"]
