"""Documents read back from JSON files: whole, of a known kind, or refused in a sentence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge.documents import DOCUMENTS, VERSION, schema
from divulge.errors import SourceError
from divulge.limits.ordinary_files import refuse_unreadable_text

PREFIX = "divulge "
LARGEST = 1e300  # beyond what anything is measured in, and within what can be drawn
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def read_json(path: Path, name: str, hint: str) -> Any:
    """What a JSON file holds; a file that is none is refused by its name."""
    refuse_unreadable_text(path)
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SourceError(f"{name} cannot be read: {reason}.", hint=hint) from None
    except RecursionError:
        raise SourceError(f"{name} is nested too deeply.", hint=hint) from None
    except json.JSONDecodeError as error:
        raise SourceError(f"{name} is not JSON, from line {error.lineno} on.", hint=hint) from None
    except ValueError:  # Python reads integers of some thousand digits at most
        raise SourceError(f"{name} has a number of too many digits.", hint=hint) from None


def read_document(path: Path, kinds: Mapping[str, Any], hint: str) -> dict[str, Any]:
    """A document of one of some kinds; no value of it is named where it is refused."""
    name = f"The file {path}"
    document = read_json(path, name, hint)
    title = document.get("document") if isinstance(document, dict) else None
    kind = title.removeprefix(PREFIX) if isinstance(title, str) else None
    if kind not in DOCUMENTS:
        raise SourceError(f"{name} is not a document that divulge wrote.", hint=hint)
    if kind not in kinds:
        raise SourceError(f"{name} is a document of the kind '{kind}', which has no page.", hint=hint)
    if document.get("version") != VERSION:
        raise SourceError(f"{name} is of another version than {VERSION}.", hint=hint)
    fault = first_fault(document, schema(kind))
    if fault is not None:
        raise SourceError(f"{name} is not a complete document of the kind '{kind}': {fault}.", hint=hint)
    return dict(document)


def first_fault(document: Any, definition: Mapping[str, Any]) -> str | None:
    """The first part of a document that is missing or of another kind than its schema says, in words.

    Of JSON Schema it knows what schemas of documents are made of. What a schema does not mention is ignored.

    >>> whole = {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}
    >>> first_fault({"k": 5}, whole), first_fault({"k": "x"}, whole), first_fault({}, whole)
    (None, "'k' has another form", "'k' is missing")
    """
    return _fault(document, definition, definition.get("$defs", {}), "")


def _fault(found: Any, wanted: Mapping[str, Any], named: Mapping[str, Any], path: str) -> str | None:
    if "$ref" in wanted:
        return _fault(found, named[wanted["$ref"].rpartition("/")[2]], named, path)
    if "anyOf" in wanted:
        faults = [_fault(found, one, named, path) for one in wanted["anyOf"]]
        # The most telling fault is the one furthest inside.
        return None if None in faults else max((one or "" for one in faults), key=len)
    known = wanted["enum"] if "enum" in wanted else [wanted["const"]] if "const" in wanted else None
    if known is not None:
        return None if found in known else f"'{path}' has an unknown value"
    kind = _TYPES[wanted["type"]]
    if isinstance(found, int | float) and LARGEST < abs(found) < math.inf:
        return f"'{path}' is too large"
    if kind == (int,) and isinstance(found, float) and found.is_integer():
        return None  # JSON knows one kind of number, and 2.0 is whole
    if not isinstance(found, kind) or (isinstance(found, bool) and bool not in kind):
        return f"'{path}' has another form"
    if isinstance(found, float) and not math.isfinite(found):
        return f"'{path}' is not finite"
    if isinstance(found, str) and "pattern" in wanted and re.search(wanted["pattern"], found) is None:
        return f"'{path}' has another form"
    if isinstance(found, list):
        parts = [(f"{path}[{place}]", one, wanted["items"]) for place, one in enumerate(found)]
    elif isinstance(found, dict):
        inside = f"{path}." if path else ""
        missing = [name for name in wanted.get("required", ()) if name not in found]
        if missing:
            return f"'{inside}{missing[0]}' is missing"
        fields, others = wanted.get("properties", {}), wanted.get("additionalProperties")
        parts = [
            (f"{inside}{name}" if name in fields else f"{inside}(a name)", one, fields.get(name, others))
            for name, one in found.items()
            if name in fields or isinstance(others, dict)
        ]
    else:
        return None
    return next(filter(None, (_fault(one, of, named, place) for place, one, of in parts)), None)
