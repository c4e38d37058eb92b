"""Documents held to their JSON Schemas, by a validator that is not ours."""

import functools
import json

import jsonschema_rs

from divulge.documents import schema


@functools.cache
def _validator(kind):
    return jsonschema_rs.validator_for(schema(kind))


def misfits(document):
    """Where a document departs from the schema of its kind: paths, and what is wrong there."""
    plain = json.loads(json.dumps(document))
    kind = plain["document"].removeprefix("divulge ")
    return [
        "/".join(map(str, one.instance_path)) + ": " + one.message
        for one in _validator(kind).iter_errors(plain)
    ]


def fits(document):
    """Fail where a document departs from its schema."""
    found = misfits(document)
    assert not found, f"a document departs from its schema at {found[:3]}"


def printed_fits(text):
    """The same for what a command printed, if that is a document."""
    if text.startswith("{") and '"document": "divulge ' in text:
        fits(json.loads(text))
