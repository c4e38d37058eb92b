"""The service over HTTP, as those who use it see it."""

import inspect
import logging
from collections import Counter
from datetime import datetime, timedelta

import pytest

from divulge.errors import (
    Conflict,
    Forbidden,
    NotFound,
    ParameterError,
    SchemaError,
    SourceError,
    Unavailable,
)
from divulge.service.decisions.open_requests import OpenLimits
from divulge.service.http.access import ROWS, TABLE, Door
from divulge.service.http.app import create_app
from divulge.service.http.readiness import Readiness
from divulge.service.http.routes import ROUTES
from divulge.service.ledger.answer_proofs import Consistency, proofs_in
from divulge.service.ledger.checkpoints import Checkpoint
from service.doors_helpers import AT, SAMPLES, house
from service.scene import NAME, PLACES


@pytest.fixture
def open_house(tmp_path):
    with house(tmp_path) as made:
        yield made


def wanted(record, key):
    return {"json": {"record": record}, "headers": {"Idempotency-Key": key}}


def ask_for_everyone(house):
    """What was answered to a request for each record, by ticket."""
    return {one["ticket"]: one for one in answers_to_everyone(house)}


def answers_to_everyone(house):
    lines = [{"record": f"p{number}", "key": f"k{number}"} for number in range(60)]
    answered = house.ask("POST", f"{AT}/batches", "requester", json={"requests": lines})
    assert answered.status_code == 200
    return answered.json()["answers"]


# -- requests ---------------------------------------------------------------------------------------


def test_a_record_that_may_leave_comes_with_the_answer_and_the_newest_checkpoint(open_house):
    answer = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p0", "a"))
    told = answer.json()
    assert (answer.status_code, told["decision"], told["record"]["id"]) == (200, "released", "p0")
    checkpoint = Checkpoint.of_dict(told["checkpoint"])
    assert checkpoint.is_signed_by(open_house.decider.secrets.public)
    assert (checkpoint.count, checkpoint.head) == (told["index"], told["hash"])


def faults_of(house, answer):
    """What is wrong with the proofs of an answer."""
    return [one.fault(house.decider.keys) for one in proofs_in(answer.json())]


def test_every_answer_proves_that_its_entry_is_in_the_log_that_was_signed(open_house):
    single = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p0", "a"))
    lines = [{"record": f"p{number}", "key": f"b{number}"} for number in range(40)]
    batch = open_house.ask("POST", f"{AT}/batches", "requester", json={"requests": lines})
    again = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p0", "a"))  # an entry of before
    tickets = {one["decision"]: one["ticket"] for one in batch.json()["answers"]}
    followed = [open_house.ask("GET", f"{AT}/requests/{ticket}", "requester") for ticket in tickets.values()]
    withdrawn = open_house.ask("DELETE", f"{AT}/requests/{tickets['waiting']}", "requester")
    assert set(tickets) == {"released", "waiting"}
    proposed = open_house.ask(
        "POST", f"{AT}/policies", "steward", json={"tests": ["mis"], "alpha": 0.1, "samples": 200}
    )
    other = open_house.new_key("steward")
    approved = open_house.ask("POST", f"{AT}/policies/{proposed.json()['version']}/approval", other)
    assert approved.json()["status"] == "active"
    for answer in (single, batch, again, *followed, withdrawn, proposed, approved):
        assert set(faults_of(open_house, answer)) == {None}
    assert len(proofs_in(batch.json())) == 40
    assert again.json()["checkpoint"]["count"] > again.json()["index"]


def test_an_answer_proves_that_the_log_goes_on_from_what_somebody_has_seen(open_house):
    first = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p0", "a"))
    seen = Checkpoint.of_dict(first.json()["checkpoint"])
    ask_for_everyone(open_house)
    for answer in (
        open_house.ask("POST", f"{AT}/requests?since={seen.count}", "requester", **wanted("p1", "b")),
        open_house.ask("GET", f"{AT}/checkpoints?since={seen.count}", "requester"),
        open_house.ask("GET", f"{AT}/checkpoints?since=0", "auditor"),
    ):
        told = answer.json()
        given, newest = Consistency.of_dict(told["consistency"]), Checkpoint.of_dict(told["checkpoint"])
        assert given.fault(seen if given.since else None, newest) is None
        assert newest.count > seen.count
    assert "consistency" not in open_house.ask("GET", f"{AT}/checkpoints?since=9999", "auditor").json()
    assert told["public_key"] == open_house.decider.secrets.public_pem.decode()
    assert open_house.ask("GET", f"{AT}/checkpoints?since=-1", "auditor").status_code == 422


def test_asking_again_with_the_same_key_gets_the_same_answer_and_with_another_record_none(open_house):
    first, again, other = (
        open_house.ask("POST", f"{AT}/requests", "requester", **wanted(record, "a"))
        for record in ("p0", "p0", "p1")
    )
    assert first.json() == again.json()
    assert (other.status_code, other.json()["error"]) == (409, "conflict")
    assert "record" not in other.json()


def test_a_request_that_waits_is_a_ticket_and_can_be_followed_and_withdrawn(open_house):
    found = {one["decision"]: ticket for ticket, one in ask_for_everyone(open_house).items()}
    assert set(found) == {"released", "waiting"}
    waits = open_house.ask("GET", f"{AT}/requests/{found['waiting']}", "requester")
    told = waits.json()
    assert (told["decision"], told["ticket"], "record" in told) == ("waiting", found["waiting"], False)
    out = open_house.ask("GET", f"{AT}/requests/{found['released']}", "requester").json()
    assert (out["decision"], set(out["record"])) == ("released", {"id", "age", "place", "word"})
    gone = open_house.ask("DELETE", f"{AT}/requests/{found['waiting']}", "requester")
    assert (gone.status_code, gone.json()["decision"]) == (200, "withdrawn")
    again = open_house.ask("DELETE", f"{AT}/requests/{found['waiting']}", "requester")
    assert (again.status_code, again.json()["error"]) == (409, "conflict")


def test_a_single_request_that_waits_is_answered_as_accepted(open_house):
    decisions = [one["decision"] for one in ask_for_everyone(open_house).values()]
    record = f"p{59 - decisions[::-1].index('waiting')}"  # the last of them, whom nobody's leaving lets out
    answer = open_house.ask("POST", f"{AT}/requests", "requester", **wanted(record, "again"))
    assert (answer.status_code, answer.json()["decision"]) == (202, "waiting")


def test_nobody_else_sees_or_withdraws_a_request(open_house):
    other = open_house.new_key("requester")
    for ticket in ask_for_everyone(open_house):
        for method in ("GET", "DELETE"):
            answer = open_house.ask(method, f"{AT}/requests/{ticket}", other)
            assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_a_batch_answers_line_by_line(open_house):
    lines = [("p0", "a"), ("p1", "a"), ("nobody", "b"), ("p0", "a")]
    given = {"requests": [{"record": record, "key": key} for record, key in lines]}
    first, conflict, absent, again = open_house.ask("POST", f"{AT}/batches", "requester", json=given).json()[
        "answers"
    ]
    assert first["record"]["id"] == "p0"
    assert (conflict, absent) == ({"error": "conflict"}, {"error": "not found"})
    assert again == first


def test_stewards_see_each_decision_with_time_outcome_and_reason_and_nothing_of_records(open_house):
    answered = ask_for_everyone(open_house)
    found = open_house.ask("GET", f"{AT}/decisions?after=1&most=60", "steward").json()["decisions"]
    assert [one["index"] for one in found] == list(range(2, 62))
    assert {one["verdict"] for one in found if one["kind"] == "decision"} == {"released", "waiting"}
    assert {one["reason"] for one in found} <= {"safe", "peculiar", None}
    assert {*found[0]} == {"index", "at", "kind", "verdict", "reason", "policy", "outside", "waiting", "by"}
    assert {one["by"] for one in found} == {None}  # requesters are not named
    assert found[0]["at"] == open_house.decider.log(NAME, 1, 1)[0]["at"]
    assert not any(ticket in str(found) for ticket in answered)
    assert open_house.ask("GET", f"{AT}/log", "steward").status_code == 403


# -- stewards and auditors --------------------------------------------------------------------------


def test_stewards_and_auditors_see_how_a_dataset_stands(open_house):
    ask_for_everyone(open_house)
    standing = open_house.ask("GET", AT, "steward").json()
    points = open_house.ask("GET", f"{AT}/series?points=5", "auditor").json()["points"]
    queue = open_house.ask("GET", f"{AT}/queue?most=1", "steward").json()
    assert open_house.ask("GET", "/datasets", "auditor").json() == {"datasets": [NAME], "guarded_tables": []}
    assert standing["records"] == 60
    assert points[-1]["index"] == standing["entries"]
    assert len(points) == 5
    assert queue["waiting"] == standing["waiting"] > 0
    assert len(queue["queue"]) == 1


def test_auditors_read_the_log_in_parts_and_have_it_signed(open_house):
    ask_for_everyone(open_house)
    first = open_house.ask("GET", f"{AT}/log?most=10", "auditor").json()["entries"]
    second = open_house.ask("GET", f"{AT}/log?after=10&most=10", "auditor").json()["entries"]
    assert [one["index"] for one in first + second] == list(range(1, 21))
    signed = Checkpoint.of_dict(open_house.ask("POST", f"{AT}/checkpoints", "auditor").json())
    assert signed.is_signed_by(open_house.decider.secrets.public)
    assert signed in open_house.decider.anchors.kept(NAME)


def test_parameters_that_a_route_does_not_take_are_refused(open_house):
    for path in ("policies", "policies/1/dry-run", "queries", "log", "queue", "decisions", "series"):
        refused = open_house.ask("GET", f"{AT}/{path}?limit=-1", "auditor")
        assert (refused.status_code, "limit" in refused.text) == (422, False), path
    assert open_house.ask("GET", f"{AT}/policies?", "auditor").status_code == 200
    assert (
        open_house.ask("GET", f"{AT}/policies?limit=1", "requester").status_code == 403
    )  # the key comes first
    assert open_house.ask("GET", "/health?probe=1").status_code == 200


def test_auditors_read_who_made_which_key(open_house):
    made = open_house.ask("POST", "/keys", "admin", json={"role": "steward", "name": "Anna"}).json()
    last = open_house.ask("GET", "/datasets/service/log", "auditor").json()["entries"][-1]
    admin = open_house.keys["admin"].partition(".")[0]
    assert (last["kind"], last["body"]["id"], last["body"]["by_key"]) == ("key made", made["id"], admin)
    assert last["body"]["by"] == open_house.ask("GET", "/me", "admin").json()["person"]
    assert last["body"]["person"] == "Anna"
    assert open_house.decider.anchors.newest("service").count == last["index"]


@pytest.mark.parametrize(
    "row", [row for row in TABLE if "{dataset}" in row.path], ids=lambda row: f"{row.method} {row.path}"
)
def test_the_chain_of_the_service_is_no_dataset(open_house, row):
    by = sorted(row.roles)[0]
    path = row.path.replace("{dataset}", "service").format(ticket="A" * 16, version=1)
    status = open_house.ask(row.method, path, by, **SAMPLES.get((row.method, row.path), {})).status_code
    assert status == (200 if row.path.endswith(("/log", "/checkpoints")) else 404)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (SchemaError("Dixon's test cannot be used on 'people'."), 422, "invalid"),
        (ParameterError("There is no test 'people'."), 422, "invalid"),
        (NotFound("There is no dataset 'people'."), 404, "not_found"),
        (Forbidden("You cannot approve a policy that you proposed."), 403, "forbidden"),
        (Conflict("It is decided."), 409, "conflict"),
        (Unavailable("The database failed."), 503, "unavailable"),
        (SourceError("The file 'people' is gone."), 503, "unavailable"),
        (KeyError("people"), 503, "unavailable"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else str(one),
)
def test_every_error_of_the_decider_has_its_code_and_repeats_nothing(
    open_house, monkeypatch, error, status, code
):
    def fail(*_):
        raise error

    monkeypatch.setattr(open_house.decider, "status", fail)
    answer = open_house.ask("GET", AT, "steward")
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert NAME not in answer.text


def test_every_route_answers_on_either_database(url, tmp_path):
    with house(tmp_path, url=url) as made:
        answers = {
            (row.method, row.path): made.sample(*row[:2], min(row.roles, default=None)) for row in TABLE
        }
        assert {one for one, answer in answers.items() if answer.status_code >= 500} == set()
        assert {one for one, answer in answers.items() if answer.status_code >= 400} == {
            ("GET", "/datasets/{dataset}/requests/{ticket}"),
            ("DELETE", "/datasets/{dataset}/requests/{ticket}"),
            ("POST", "/datasets/{dataset}/queries"),  # of a dataset, which is no guarded table
            ("GET", "/datasets/{dataset}/queries"),
            ("POST", "/datasets/{dataset}/policies/{version}/approval"),
            ("DELETE", "/keys/{key}"),
        }
        assert len(ask_for_everyone(made)) == 60


# -- how it stands ----------------------------------------------------------------------------------


def test_metrics_count_and_name_no_record_and_no_target(open_house):
    ask_for_everyone(open_house)
    open_house.ask("GET", "/nowhere/secret-path")
    answer = open_house.ask("GET", "/metrics", "admin")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
    assert lines[f'divulge_records{{dataset="{NAME}"}}'] == "60"
    route = 'method="POST",route="/datasets/{dataset}/batches",status="200"'
    assert lines[f"divulge_requests_total{{{route}}}"] == "1"
    assert 0 < float(lines[f'divulge_exposure_ratio{{dataset="{NAME}",test="kld"}}']) < 1
    assert lines['divulge_refusals_total{reason="not_found"}'] == "1"
    assert lines[f'divulge_stuck_targets{{dataset="{NAME}"}}'] == "0"
    assert 0 <= float(lines['divulge_checkpoint_age_seconds{log="service"}']) < 600
    assert lines['divulge_ready{part="database"}'] == "1"
    for hidden in (*PLACES, "p1", "word-", "secret-path"):
        assert hidden not in answer.text


def test_metrics_say_how_long_the_first_has_waited_and_hide_how_few_were_decided_for_a_reason(open_house):
    """Age by hand: the clock is set an hour after the last entry."""

    def collected():
        text = open_house.ask("GET", "/metrics", "auditor").text
        return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))

    decider, age = open_house.decider, f'divulge_queue_age_seconds{{dataset="{NAME}"}}'
    assert age not in collected()
    decided = ask_for_everyone(open_house)
    (first,) = decider.queue(NAME, 1)
    late = datetime.fromisoformat(first["at"]) + timedelta(hours=1)
    decider.clock = lambda: late.isoformat(timespec="microseconds")
    found = collected()
    assert float(found[age]) == 3600
    counts = Counter((one["verdict"], one["reason"]) for one in decider.decisions(NAME, 1, 1000))
    for (verdict, reason), number in counts.items():
        if verdict is not None:
            labels = f'dataset="{NAME}",verdict="{verdict}",reason="{reason}"'
            assert found[f"divulge_decisions_total{{{labels}}}"] == str(number - number % 5)
    assert len(decided) == 60


# -- whether it can decide --------------------------------------------------------------------------


def not_ready(made):
    """The parts that are not ready, as a probe sees them that has not asked for a while."""
    made.app.state.gate.readiness = Readiness(made.decider)
    answer = made.ask("GET", "/ready")
    told = answer.json()
    assert NAME not in answer.text
    assert str(made.decider.anchors.folder) not in answer.text
    wrong = {part for part, state in told["parts"].items() if state != "ok"}
    if wrong:
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert set(told["message"].removeprefix("Not ready: ").rstrip(".").split(", ")) == wrong
    else:
        assert (answer.status_code, told["status"]) == (200, "ready")
    assert made.ask("GET", "/health").json() == {"status": "ok"}  # alive all the same
    return wrong


def test_a_service_is_ready_part_by_part_and_alive_all_the_same(open_house, monkeypatch):
    decider = open_house.decider
    assert not_ready(open_house) == set()
    with monkeypatch.context() as changed:
        changed.setattr(decider.database, "transact", lost)
        assert not_ready(open_house) == {"database"}
        changed.setattr(decider.database, "read", broken)
        assert open_house.ask("GET", "/health").json() == {"status": "ok"}  # which asks no database
    folder = decider.anchors.folder
    folder.rename(folder.with_name("unmounted"))
    assert not_ready(open_house) == {"checkpoints", "logs"}
    folder.mkdir()  # there, and not what was there: no log has a checkpoint
    assert not_ready(open_house) == {"logs"}
    folder.rmdir()
    folder.with_name("unmounted").rename(folder)
    with monkeypatch.context() as changed:
        changed.setattr("divulge.service.http.readiness.ENOUGH", 1 << 60)
        assert not_ready(open_house) == {"disk"}
    with monkeypatch.context() as changed:
        changed.setattr(decider, "clock", lambda: "2001-01-01T00:00:00.000000+00:00")
        assert not_ready(open_house) == {"clock"}
    with monkeypatch.context() as changed:
        changed.setattr(decider.signer, "fault", lambda: "The process that signs cannot be reached.")
        assert not_ready(open_house) == {"signer"}
        assert 'divulge_ready{part="signer"} 0' in open_house.ask("GET", "/metrics", "admin").text
        refused = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p1", "k1"))
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert not_ready(open_house) == set()


def test_a_request_beyond_those_that_may_wait_is_a_conflict_that_says_what_to_do(open_house):
    open_house.decider.open_limits = OpenLimits(per_key=1)
    answers = answers_to_everyone(open_house)
    assert {one["error"] for one in answers if "error" in one} == {"too many open"}
    refused = next(number for number, one in enumerate(answers) if "error" in one)
    answer = open_house.ask("POST", f"{AT}/requests", "requester", **wanted(f"p{refused}", f"k{refused}"))
    assert (answer.status_code, answer.json()["error"]) == (409, "conflict")
    assert answer.json()["message"] == answers[refused]["message"]
    assert 'reason="open requests"} 1' in open_house.ask("GET", "/metrics", "admin").text


def lost(*_):
    raise Unavailable("The database failed, so nothing was decided.")


def test_readiness_is_looked_for_once_in_a_while_and_writes_nothing(open_house):
    looked, at = [], [0.0]
    readiness = Readiness(open_house.decider, lambda: at[0])
    transact, before = open_house.decider.database.transact, open_house.decider.status(NAME)["entries"]
    open_house.decider.database.transact = lambda *given: (looked.append(at[0]), transact(*given))[1]
    for at[0] in (0.0, 0.5, 0.9, 1.0, 1.5):
        assert set(readiness.parts().values()) == {"ok"}
    assert looked == [0.0, 1.0]
    open_house.decider.database.transact = lambda *given: lost(looked.append(readiness.parts()))
    at[0] = 9.0
    assert readiness.parts()["database"] != "ok"
    assert set(looked[-1].values()) == {"ok"}  # whoever asks meanwhile has what was known before
    assert open_house.decider.status(NAME)["entries"] == before


def test_a_database_behind_its_checkpoint_is_not_ready_and_decides_nothing(open_house):
    signed = open_house.decider.anchors.kept(NAME)
    open_house.decider.behind[NAME] = "The database is older than what was released."
    assert not_ready(open_house) == {"logs"}
    answer = open_house.ask("POST", f"{AT}/requests", "requester", **wanted("p0", "a"))
    assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
    assert open_house.ask("POST", f"{AT}/checkpoints", "auditor").status_code == 503
    assert open_house.decider.anchors.kept(NAME) == signed
    assert 'divulge_read_only{dataset="people"} 1' in open_house.ask("GET", "/metrics", "admin").text


def test_nobody_is_let_in_while_the_log_of_keys_is_behind(open_house):
    """A key that was revoked since would seem good."""
    open_house.decider.behind["service"] = "older"
    given = {"role": "admin", "name": "Eve"}
    assert open_house.ask("POST", "/keys", "admin", json=given).status_code == 503
    assert open_house.ask("GET", "/keys", "admin").status_code == 503
    assert open_house.ask("GET", AT, "auditor").status_code == 503
    assert not_ready(open_house) == {"logs"}
    open_house.decider.behind.clear()
    assert len(open_house.ask("GET", "/keys", "admin").json()["keys"]) == 4


def broken(*_, **__):
    raise RuntimeError("secret of p7")


@pytest.mark.parametrize(
    ("method", "path", "by"),
    [("GET", "/ready", None), ("GET", AT, "steward"), ("POST", f"{AT}/requests", "requester")],
)
def test_what_nobody_expected_is_answered_with_nothing_of_it(
    open_house, method, path, by, monkeypatch, caplog
):
    monkeypatch.setattr(open_house.decider.database, "read", broken)
    monkeypatch.setattr(open_house.decider.database, "transact", broken)
    with caplog.at_level(logging.DEBUG):
        answer = open_house.ask(method, path, by, **(wanted("p7", "a") if method == "POST" else {}))
    assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
    assert "p7" not in answer.text + caplog.text
    assert "RuntimeError" not in answer.text
    assert "A request failed with RuntimeError" in caplog.text


def test_an_error_outside_of_all_routes_is_answered_with_nothing_of_it(open_house, monkeypatch, caplog):
    monkeypatch.setattr(open_house.app.state.gate.counters, "add", broken)
    answer = open_house.ask("GET", "/nowhere")
    assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
    assert "p7" not in answer.text + caplog.text


# -- the page, and what every answer carries --------------------------------------------------------


def test_the_page_comes_with_its_script_and_style(open_house):
    kinds = {"/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css"}
    for path, kind in kinds.items():
        answer = open_house.ask("GET", path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"


@pytest.mark.parametrize("path", ["/", "/health", "/datasets", "/nowhere"])
def test_browsers_are_told_to_run_and_keep_nothing_else(open_house, path):
    headers = open_house.ask("GET", path).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/datasets/"])
def test_there_is_nothing_else_to_be_had(open_house, path):
    answer = open_house.ask("GET", path, "admin")
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_every_row_of_the_table_has_its_route_and_every_route_its_row(open_house):
    assert set(ROUTES) == set(ROWS)
    assert {(row.method, row.path) for row in TABLE} == set(ROWS)
    assert strays(open_house.app) == []


def strays(app):
    """Routes that have no door."""
    return [route for route in app.routes if not isinstance(route, Door)]


def test_a_route_without_a_row_cannot_be_added(open_house):
    with pytest.raises(LookupError, match="no row"):
        open_house.app.get("/everything")(lambda: "all")
    with pytest.raises(LookupError, match="no row"):
        open_house.app.put("/health")(lambda: "all")


def test_a_route_that_goes_around_the_doors_would_be_seen(open_house):
    app = create_app(open_house.decider)
    app.add_route("/everything", lambda request: None)
    assert len(strays(app)) == 1


def test_no_route_makes_the_event_loop_wait_for_the_database():
    in_loop = [one for one, (endpoint, _) in ROUTES.items() if inspect.iscoroutinefunction(endpoint)]
    assert in_loop == [("GET", "/health")]  # which asks nothing, and waits for no thread
