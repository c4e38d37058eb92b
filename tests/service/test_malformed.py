"""Whatever is sent, the service neither breaks nor lets a record out for it, and repeats nothing of it."""

import gzip
import io
import json
import re
import zipfile

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks

from divulge.service.http import bodies
from divulge.service.http.access import ROWS, TABLE
from divulge.service.http.problems import STATUSES, Invalid
from service.doors_helpers import AT, SAMPLES, house
from service.scene import NAME

MARK = "Sent-And-Not-To-Be-Repeated"
EXAMPLES = 12  # of each operation that takes anything, as described and not: 350 requests in all
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with house(tmp_path_factory.mktemp("malformed")) as made:
        yield made


@pytest.fixture(scope="module")
def schema(made):
    found = schemathesis.openapi.from_dict(made.app.openapi())
    found.app = made.app
    return found


def standing(made):
    """Everything that a request could change."""
    status = made.decider.status(NAME)
    return status["outside"], status["waiting"], status["entries"], len(made.decider.log("service", 0, 1000))


def is_problem(answer, codes=(413, 422)):
    """A documented code with a sentence, in which nothing is repeated."""
    told = answer.json()
    assert set(told) == {"error", "message"}
    assert STATUSES[told["error"]] == answer.status_code
    assert answer.status_code in codes
    assert MARK not in answer.text
    return True


# -- requests drawn from the description of the service ---------------------------------------------


def every_operation(test):
    """A test for each route, with requests as described and with others."""
    modes = pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name)
    return modes(pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.method} {row.path}")(test))


@every_operation
def test_no_request_breaks_the_service(made, schema, row, mode):
    try_requests(made, schema, row, mode, EXAMPLES)


@pytest.mark.slow
@every_operation
def test_no_request_of_very_many_breaks_the_service(made, schema, row, mode):
    try_requests(made, schema, row, mode, EXAMPLES * 50)


def try_requests(made, schema, row, mode, examples):
    operation = schema[row.path][row.method]
    if "{" not in row.path and (row.method, row.path) not in SAMPLES:
        if mode is GenerationMode.NEGATIVE:
            return  # it takes nothing that could be wrong
        examples = 1
    headers = {"Authorization": f"Bearer {made.keys[min(row.roles)]}"} if row.roles else {}
    before, described = made.outside(), json.dumps(made.app.openapi())
    expected = [*CHECKS, checks.negative_data_rejection] if mode is GenerationMode.NEGATIVE else CHECKS

    @settings(max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case):
        if "dataset" in case.path_parameters and not spoilt(case, ParameterLocation.PATH):
            case.path_parameters["dataset"] = NAME  # so that not everything is refused for its dataset
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=expected, headers=headers)
        if answer.status_code >= 400:
            told = answer.json()["message"]
            repeated = [text for text in texts(case) if text in told and text not in described]
            assert not [text for text in repeated if len(text) > 4]  # shorter ones are in our own words

    run()
    assert made.outside() == before


def spoilt(case, location):
    """Whether a part of a request was made wrong on purpose."""
    part = case.meta.components.get(location)
    return part is not None and part.mode is GenerationMode.NEGATIVE


def texts(case):
    """All text that a request holds."""
    held = [case.path_parameters, dict(case.headers or {}), case.query, case.body]
    while held:
        value = held.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            held += [*value, *value.values()]
        elif isinstance(value, list):
            held += value


@pytest.mark.parametrize("alpha", [0.0001, 0.9999])
@pytest.mark.parametrize(
    "tests", [["mis"], ["kld"], ["cst"], ["dqt"], ["seq"], ["mis", "kld", "cst", "dqt", "seq"]], ids=str
)
def test_rules_at_the_edge_of_what_may_be_proposed_can_be_held_to(made, tests, alpha):
    proposed = made.ask(
        "POST", f"{AT}/policies", "steward", json={"tests": tests, "alpha": alpha, "samples": 100}
    ).json()
    approved = made.ask("POST", f"{AT}/policies/{proposed['version']}/approval", made.new_key("steward"))
    assert (approved.status_code, approved.json()["status"]) == (200, "active")
    assert made.ask("GET", AT, "steward").status_code == 200
    assert made.ask("GET", "/metrics", "admin").status_code == 200


def test_a_level_for_the_whole_set_can_be_proposed(made):
    asked = {"tests": ["kld"], "alpha": 0.1, "samples": 100, "familywise": True}
    proposed = made.ask("POST", f"{AT}/policies", "steward", json=asked)
    assert proposed.status_code == 201
    found = made.ask("GET", f"{AT}/policies", "steward").json()["policies"]
    assert [one["rules"].get("familywise") for one in found][-1] is True


# -- bodies that mean nothing, or two things --------------------------------------------------------

BODIES = list(SAMPLES)
VALUES = {
    "not a number": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "too large a number": "1e400",
    "a number of many digits": "1" * 5000,
    "minus nothing": "-0.0",
    "a truth": "true",
    "nothing": "null",
    "an empty list": "[]",
    "an empty object": "{}",
    "a list of text": f'["{MARK}"]',
    "an object": f'{{"{MARK}": "{MARK}"}}',
    "half a character": f'"{MARK}\\ud800"',
    "the other half": '"\\udc00p0"',
    "NUL": '"p0\\u0000"',
    "an empty text": '""',
    "ten megabytes": '"' + "x" * 10_000_000 + '"',
    "lists in lists": "[" * 10_000 + "]" * 10_000,
    "objects in objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
}
LOOK_ALIKE = str.maketrans("aeocp", "аеоср")  # Latin to Cyrillic
KINDS = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/problem+json",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "",
)


def with_value(valid, raw):
    """The body with one of its values replaced, for each of them."""

    def spots(value):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield {**value, name: "\0"}
                yield from ({**value, name: one} for one in spots(inner))
        elif isinstance(value, list) and isinstance(value[0], dict):
            yield from ([one, *value[1:]] for one in spots(value[0]))

    return [json.dumps(spot).replace('"\\u0000"', raw) for spot in spots(valid)]


def zipped(text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("body.json", text)
    return file.getvalue()


def malformed(valid):
    """Bodies that must be refused, each with its name and the headers it comes with."""
    text = json.dumps(valid)
    first, value = next(iter(valid.items()))
    again = json.dumps({first: value})[1:-1]
    found = [(name, body, {}) for name, raw in VALUES.items() for body in with_value(valid, raw)]
    found += [
        ("a name twice", f"{{{again}, {text[1:]}", {}),
        ("a name twice, spelled otherwise", f'{{"\\u{ord(first[0]):04x}{again[2:]}, {text[1:]}', {}),
        ("an unknown name", f'{text[:-1]}, "{MARK}": 1}}', {}),
        ("a name that looks alike", text.replace(f'"{first}"', f'"{first.translate(LOOK_ALIKE)}"'), {}),
        ("a name in capitals", text.replace(f'"{first}"', f'"{first.upper()}"'), {}),
        ("less a value", "{}", {}),
        ("nothing", "", {}),
        ("a list", f"[{text}]", {}),
        ("a text", json.dumps(text), {}),
        ("two bodies", text + text, {}),
        ("no end", text[:-1], {}),
        ("a comment", f"{text} // {MARK}", {}),
        ("single quotes", text.replace('"', "'"), {}),
        ("a byte order mark", b"\xef\xbb\xbf" + text.encode(), {}),
        ("another encoding", text.encode("utf-16"), {}),
        ("no encoding", text.encode().replace(b'"', b'"\xff', 1), {}),
        ("gzip", gzip.compress(text.encode()), {"Content-Encoding": "gzip"}),
        ("gzip that is not said to be", gzip.compress(text.encode()), {}),
        ("a bomb", gzip.compress(b" " * 20_000_000 + text.encode()), {"Content-Encoding": "gzip"}),
        ("zip", zipped(text), {"Content-Type": "application/zip"}),
        ("said to be gzip", text, {"Content-Encoding": "gzip"}),
        *((f"kind {kind}", text, {"Content-Type": kind}) for kind in KINDS),
    ]
    return found


def slipped(made, method, path, only=None):
    """What was not refused as it should be."""
    given = SAMPLES[method, path]
    place = path.format(dataset=NAME)
    by = min(ROWS[method, path].roles)
    found = set()
    for number, (name, body, headers) in enumerate(malformed(given["json"])):
        if only not in (None, name):
            continue
        told = {"Content-Type": "application/json", **given.get("headers", {}), **headers}
        if "Idempotency-Key" in told:
            told["Idempotency-Key"] = f"malformed-{number}"
        answer = made.ask(method, place, by, content=body, headers=told)
        if answer.status_code not in (413, 422) or not is_problem(answer):
            found.add(name)
    return found


@pytest.mark.parametrize(("method", "path"), BODIES)
def test_a_malformed_body_is_refused_and_changes_nothing(made, method, path):
    before = standing(made)
    assert slipped(made, method, path) == set()
    assert standing(made) == before


def test_bodies_are_refused_for_what_is_wrong_with_them_alone(made):
    for method, path in BODIES:
        body = json.dumps(SAMPLES[method, path]["json"])
        headers = {"Content-Type": 'application/json; charset="UTF-8"', "Idempotency-Key": "well-formed"}
        by = min(ROWS[method, path].roles)
        answer = made.ask(method, path.format(dataset=NAME), by, content=body, headers=headers)
        fitting = (404,) if path.endswith("/queries") else (200, 201, 202)  # a dataset is no guarded table
        assert answer.status_code in fitting


@pytest.mark.parametrize(
    ("name", "switched_off", "seen"),
    [
        ("_object", dict, "a name twice"),
        ("FORBIDDEN", re.compile("(?!)"), "NUL"),
        ("JSON", re.compile(".*"), "kind application/json; charset=utf-16"),
    ],
)
def test_a_body_that_is_read_less_strictly_would_be_seen(tmp_path, monkeypatch, name, switched_off, seen):
    monkeypatch.setattr(bodies, name, switched_off)
    with house(tmp_path) as other:
        assert slipped(other, *BODIES[0], only=seen) == {seen}


@pytest.mark.parametrize(
    "text",
    ["NaN", "[-Infinity]", "1e400", "-1e999", '{"a": 1, "a": 1}', '"\\ud800"', '{"\\u0000": 1}', "[[[[1]]]]"],
)
def test_json_that_is_not_plain_has_no_value(text):
    with pytest.raises(Invalid):
        bodies.parsed(text.encode(), 3)


def test_json_that_is_plain_has_its_value():
    assert bodies.parsed(b'{"a": [1, -0.0, "\\ud83d\\ude00", null]}', 3) == {"a": [1, 0.0, "😀", None]}


# -- paths, queries and headers ---------------------------------------------------------------------

NAMES = (
    "PEOPLE",
    "people%00",
    "%00",
    "рeople",
    "people%0a",
    "a" * 64,
    "-people",
    "people;drop",
    "%2e%2e",
    "a.b",
)
NUMBERS = (
    "NaN",
    "1e2",
    "-1",
    "0",
    "1001",
    "true",
    "１２",
    "1_0",
    "%205",
    "+5",
    "5.0",
    "",
    "9" * 30,
    "0x10",
    "5%00",
)


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_name_a_dataset_is_refused(made, name):
    for row in TABLE:
        if row.path.startswith("/datasets/{dataset}"):
            path = row.path.replace("{dataset}", name).format(ticket="A", version=1)
            given = SAMPLES.get((row.method, row.path), {})
            assert is_problem(made.ask(row.method, path, min(row.roles), **given), (422, 404))


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_no_whole_number_in_its_bounds_is_refused(made, number):
    for path in ("/log?most=", "/queue?most=", "/log?after=-", "/series?points=-"):
        assert is_problem(made.ask("GET", f"{AT}{path}{number}", "auditor"))
    answer = made.ask("POST", f"{AT}/policies/{number}/approval", "steward")
    assert is_problem(answer, (404, 422))


@pytest.mark.parametrize("query", [f"{MARK}=1", f"most={MARK}", "most=5&Most=6"])
def test_what_is_no_part_of_a_query_is_refused(made, query):
    assert is_problem(made.ask("GET", f"{AT}/log?{query}", "auditor"))


@pytest.mark.parametrize("key", [None, "", " ", "a b", "é", "k" * 201, "a\tb"])
def test_a_request_without_a_proper_idempotency_key_is_refused(made, key):
    before = standing(made)
    headers = {} if key is None else {"Idempotency-Key": key.encode()}
    answer = made.ask("POST", f"{AT}/requests", "requester", json={"record": "p0"}, headers=headers)
    assert is_problem(answer)
    assert standing(made) == before


def test_a_body_where_none_is_wanted_is_refused(made):
    before = standing(made)
    for method, path, by in (("POST", "/checkpoints", "auditor"), ("GET", "/log", "auditor")):
        assert is_problem(made.ask(method, f"{AT}{path}", by, json={MARK: MARK}))
    assert standing(made) == before
