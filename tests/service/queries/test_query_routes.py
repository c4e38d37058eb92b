"""Queries over HTTP: who may ask, what is answered, and what is refused before anything is decided."""

from contextlib import closing

import pytest

from divulge.service.ledger.answer_proofs import proofs_in
from divulge.service.queries.query_session import QuerySession
from service.doors_helpers import House, house
from service.queries_scene import CLINIC, guarded
from service.scene import NAME

AT = f"/datasets/{CLINIC}/queries"
OF_A = "SELECT SUM(cost) FROM patients WHERE ward = 'a'"


@pytest.fixture
def clinic(tmp_path):
    guarded(str(tmp_path / "service.db"), tmp_path)
    with house(tmp_path) as made, closing(made.app.state.gate.queries):
        yield made


def asking(made: House, text, key="k", by="requester", at=AT):
    return made.ask("POST", at, by, json={"query": text}, headers={"Idempotency-Key": key})


def test_an_answer_comes_with_its_proof_and_is_repeated_the_same(clinic):
    answer = asking(clinic, OF_A)
    assert (answer.status_code, answer.json()["decision"]) == (200, "answered")
    assert [one.fault(clinic.decider.keys) for one in proofs_in(answer.json())] == [None]
    assert asking(clinic, OF_A).json()["answer"] == answer.json()["answer"]
    assert asking(clinic, "SELECT 1").status_code == 409  # under the same key
    refused = asking(clinic, f"{OF_A} AND age < 99", "k2")
    assert (refused.status_code, refused.json()["reason"]) == (200, "differencing")
    assert [one.fault(clinic.decider.keys) for one in proofs_in(refused.json())] == [None]


def test_a_key_that_is_revoked_while_a_query_is_decided_is_told_nothing(clinic, monkeypatch):
    key, decide = clinic.new_key("requester"), QuerySession.decide

    def slowly(session, pieces):
        decide(session, pieces)
        while ended:
            clinic.decider.revoke_key(ended.pop(), by="holder")

    ended = [key.partition(".")[0]]
    monkeypatch.setattr(QuerySession, "decide", slowly)
    answer = asking(clinic, OF_A, by=key)
    assert (answer.status_code, answer.json()["message"]) == (403, "This key is revoked.")
    assert clinic.ask("GET", AT, "auditor").json()["entries"] == 1
    assert asking(clinic, OF_A).json()["reason"] == "passed"  # nothing was spent or remembered


def test_keys_for_records_or_other_datasets_cannot_ask(clinic):
    for scope in ({"datasets": [NAME]}, {"datasets": [CLINIC], "records": ["p1"]}):
        answer = asking(clinic, OF_A, by=clinic.new_key("requester", **scope))
        assert answer.status_code == 403
    assert asking(clinic, OF_A, by=clinic.new_key("requester", datasets=[CLINIC])).status_code == 200
    assert clinic.ask("GET", "/datasets", "requester").json()["guarded_tables"] == [CLINIC]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"json": {"query": ""}}, 422),
        ({"json": {"query": "x" * 10_001}}, 422),
        ({"json": {"query": OF_A, "more": 1}}, 422),
        ({"json": [OF_A]}, 422),
        ({"content": b"x" * (1 << 21)}, 413),
    ],
)
def test_what_is_no_question_is_refused_before_it_is_decided(clinic, given, status):
    answer = clinic.ask("POST", AT, "requester", headers={"Idempotency-Key": "k"}, **given)
    assert answer.status_code == status
    assert clinic.decider.status(NAME)["entries"] == 1
    assert clinic.ask("GET", AT, "auditor").json()["entries"] == 1


def test_stewards_see_counts_and_budgets_and_no_names(clinic):
    asking(clinic, OF_A)
    asking(clinic, "SELECT name FROM patients", "k2")
    told = clinic.ask("GET", AT, "steward").json()
    assert (told["answered"], told["refused_by_reason"], told["span"]) == (1, {"form": 1}, 1)
    assert "number" not in str(told["analysts"])  # of the person
    kinds = clinic.ask("GET", f"/datasets/{CLINIC}/decisions", "auditor").json()["decisions"]
    assert [(one["kind"], one["verdict"]) for one in kinds] == [
        ("table guarded", None),
        ("query", "answered"),
        ("query", "refused"),
    ]
    assert clinic.ask("GET", AT, "requester").status_code == 403
    assert clinic.ask("GET", f"/datasets/{CLINIC}", "steward").status_code == 404
    assert f'divulge_decisions_total{{dataset="{CLINIC}"' in clinic.ask("GET", "/metrics", "auditor").text
    assert clinic.ask("GET", "/ready").status_code == 200


def test_a_table_that_is_gone_is_a_sentence_without_its_place(clinic, tmp_path):
    (tmp_path / "clinic.duckdb").rename(tmp_path / "elsewhere")
    answer = asking(clinic, OF_A)
    assert answer.status_code == 503
    assert answer.json()["message"].startswith("The table cannot be read now, so nothing was decided.")
    assert str(tmp_path) not in answer.text
    (tmp_path / "elsewhere").rename(tmp_path / "clinic.duckdb")
    assert asking(clinic, OF_A).json()["decision"] == "answered"
