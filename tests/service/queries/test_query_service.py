"""Queries are decided on everything that was answered before, logged and signed before they are answered."""

import shutil
from contextlib import closing
from dataclasses import replace

import duckdb
import pytest

import divulge.queries.table as table_module
import divulge.service.queries.entries as entries_module
from divulge.errors import Conflict, NotFound, Unavailable
from divulge.queries.dependence import Audit
from divulge.service.ledger.log_writer import entries_of
from divulge.service.queries.guarded_tables import described
from service.history import verified
from service.queries_scene import CLINIC, EXACT, NOISY, answering, ask, guarded, patients, table_file

OF_A = "SELECT SUM(cost) FROM patients WHERE ward = 'a'"
BUT_ONE = "SELECT SUM(cost) FROM patients WHERE ward = 'a' AND age < 99"
COUNTS = [f"SELECT COUNT(*) FROM patients WHERE age > {age}" for age in range(20, 50)]


def entries(decider):
    return decider.database.read(lambda connection: entries_of(connection, CLINIC))


def whole(place, *, again=True):
    return [one.fault for one in verified(place, checkpoints=place.anchors, again=again)] == [None, None]


def test_a_query_is_answered_with_its_entry_in_the_signed_log(url, tmp_path):
    place = guarded(url, tmp_path)
    with answering(place) as (decider, queries):
        found = queries.ask(CLINIC, OF_A, "ann", "k1")
        (answer,) = found.answers
        truth = sum(cost for _, _, ward, cost in patients() if ward == "a")
        assert (answer["decision"], answer["answer"]["value"]) == ("answered", truth)
        last = entries(decider)[-1]
        assert (last.index, last.hash, last.kind) == (answer["index"], answer["hash"], "query")
        assert last.fields["answer"] == answer["answer"]
        assert "ann" not in last.body
        assert decider.anchors.newest(CLINIC).count == last.index == found.checkpoint.count
    assert whole(place)


def test_a_tracker_is_refused_for_every_analyst_and_after_a_restart(url, tmp_path):
    place = guarded(url, tmp_path)
    with answering(place) as (_, queries):
        assert ask(queries, OF_A, "k1")["decision"] == "answered"
        refused = ask(queries, BUT_ONE, "k2")
        assert (refused["decision"], refused["reason"]) == ("refused", "differencing")
    with answering(place) as (_, queries):
        refused = ask(queries, BUT_ONE, "k1", "somebody else")
        assert (refused["decision"], refused["reason"]) == ("refused", "differencing")
        status = queries.status(CLINIC)
        assert (status["answered"], status["refused_by_reason"]) == (1, {"differencing": 2})
        assert (status["span"], status["records"], len(status["analysts"])) == (1, len(patients()), 2)
    assert whole(place)


PAID = EXACT.replace("[controls]", "[columns.paid]\nbounds = [-10000, 10000]\n[controls]")


def test_columns_that_determine_each_other_are_audited_together_and_older_logs_stay_whole(
    tmp_path, monkeypatch
):
    table_file(tmp_path / "clinic.duckdb")
    with closing(duckdb.connect(str(tmp_path / "clinic.duckdb"))) as connection:
        connection.execute("ALTER TABLE patients ADD COLUMN paid INTEGER")
        connection.execute("UPDATE patients SET paid = 500 - 2 * cost")
    place, but_one = guarded(str(tmp_path / "service.db"), tmp_path, PAID), BUT_ONE.replace("cost", "paid")
    with monkeypatch.context() as earlier:  # when each column was audited by itself
        earlier.setattr(table_module, "audits_of", lambda sums, known: [*map(Audit.alone, sums)])
        earlier.setattr(entries_module, "CHECKER", "divulge.queries 1")
        with answering(place) as (_, queries):
            assert ask(queries, OF_A, "k1")["decision"] == "answered"
            assert ask(queries, but_one, "k2")["decision"] == "answered"
            assert queries.status(CLINIC)["span"] == 2
    with answering(place) as (decider, queries):
        refused = ask(queries, "SELECT SUM(cost) FROM patients WHERE ward = 'b'", "k3")
        assert (refused["decision"], refused["reason"]) == ("refused", "differencing")
        assert ask(queries, but_one, "k4")["reason"] == "repeated"
        assert [one.fields["checker"][-1] for one in entries(decider)[1:]] == ["1", "1", "2", "2"]
    assert whole(place)


def test_without_the_control_the_tracker_finds_the_value(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path, EXACT.replace("differencing = true", ""))
    with answering(place) as (_, queries):
        all_of_a, but_one = (ask(queries, text, text)["answer"]["value"] for text in (OF_A, BUT_ONE))
    assert all_of_a - but_one == patients()[0][3]


def test_two_services_on_one_server_know_what_the_other_answered(postgresql, tmp_path):
    place = guarded(postgresql.fresh(), tmp_path)
    with answering(place) as (_, one), answering(place) as (_, other):
        assert ask(other, COUNTS[0], "k0")["decision"] == "answered"
        assert ask(one, OF_A, "k1")["decision"] == "answered"
        assert ask(other, BUT_ONE, "k2")["reason"] == "differencing"
        assert ask(one, BUT_ONE, "k3")["reason"] == "differencing"
        assert ask(other, OF_A, "k1") == ask(one, OF_A, "k1")
        assert one.status(CLINIC) == other.status(CLINIC)
    assert whole(place)


def test_a_repeated_query_is_answered_the_same_and_decided_once(url, tmp_path):
    place = guarded(url, tmp_path, NOISY)
    with answering(place) as (decider, queries):
        first = ask(queries, COUNTS[0], "k1")
        assert ask(queries, COUNTS[0], "k1") == first
        with pytest.raises(Conflict, match="used for another query"):
            ask(queries, COUNTS[1], "k1")
        assert ask(queries, COUNTS[1], "k1", "bob")["decision"] == "answered"  # another's key
        assert len(entries(decider)) == 3
        form = ask(queries, "SELECT * FROM patients", "k2")
    with answering(place) as (decider, queries):
        assert ask(queries, COUNTS[0], "k1") == first
        assert ask(queries, "SELECT * FROM patients", "k2") == form
        assert len(entries(decider)) == 4


def test_the_budget_is_a_persons_and_ends(url, tmp_path):
    place = guarded(url, tmp_path, NOISY)
    with answering(place) as (_, queries):
        answers = [ask(queries, text, text, "Ann Lee") for text in COUNTS[:6]]
    with answering(place) as (_, queries):
        answers += [ask(queries, text, text, "ann  LEE") for text in COUNTS[6:12]]
        assert [one["decision"] for one in answers] == ["answered"] * 10 + ["refused"] * 2
        assert [one["left"] for one in answers[-3:]] == ["0.0"] * 3
        assert answers[-1]["reason"] == "budget"
        assert ask(queries, COUNTS[0], "again", "ann lee")["reason"] == "repeated"
        assert ask(queries, COUNTS[12], "mine", "bob")["decision"] == "answered"
        analysts = {one["spent"]: one["left"] for one in queries.status(CLINIC)["analysts"]}
        assert analysts == {1.0: 0.0, 0.1: 0.9}
    assert whole(place)


def test_names_that_look_like_one_person_have_one_budget(url, tmp_path):
    place = guarded(url, tmp_path, NOISY)
    names = ("Ann Lee", "ANNLEE", "Ann-Lee", "Ann\u2010Lee", "\u0430nn lee")
    with answering(place) as (decider, queries):
        for name in names[:-1]:
            decider.make_key(role="requester", name=name, person=name, by="me")
        answers = [ask(queries, text, text, names[at % 5]) for at, text in enumerate(COUNTS[:12])]
        assert [one["decision"] for one in answers] == ["answered"] * 10 + ["refused"] * 2
        assert len(queries.status(CLINIC)["analysts"]) == 1
        assert ask(queries, COUNTS[12], "mine", "Anna Lee")["decision"] == "answered"
    with answering(place) as (_, queries):
        assert ask(queries, COUNTS[1], COUNTS[1], names[1]) == answers[1]
    assert whole(place)


def test_what_is_no_query_is_refused_and_logged_without_its_text(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with answering(place) as (decider, queries):
        for text in ("DROP TABLE patients", "SELECT name FROM patients", "/* ; */ SELECT '", "x" * 9000):
            answer = ask(queries, text, text[:20])
            assert (answer["decision"], answer["reason"]) == ("refused", "form")
            assert answer["message"].endswith(".")
            assert "query" not in entries(decider)[-1].fields
            assert text not in entries(decider)[-1].body
    assert whole(place)


def test_a_table_that_has_changed_is_refused(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with closing(duckdb.connect(str(tmp_path / "clinic.duckdb"))) as connection:
        connection.execute("UPDATE patients SET cost = cost + 1 WHERE id = 7")
    with answering(place) as (_, queries):
        refused = ask(queries, OF_A, "k1")
        assert (refused["decision"], refused["reason"]) == ("refused", "changed table")
        assert "changed since it was guarded" in queries.table_fault(CLINIC)


def test_a_table_that_no_longer_fits_its_policy_is_not_decided_on_and_repeats_are_answered(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with answering(place) as (_, queries):
        first = ask(queries, OF_A, "k1")
    with closing(duckdb.connect(str(tmp_path / "clinic.duckdb"))) as connection:
        connection.execute("ALTER TABLE patients RENAME ward TO former")
    with answering(place) as (_, queries):
        with pytest.raises(Unavailable, match="cannot be read now, so nothing was decided"):
            ask(queries, COUNTS[0], "k2")
        assert ask(queries, OF_A, "k1") == first
        assert "No attribute 'ward'" in queries.table_fault(CLINIC)


def test_a_service_of_an_earlier_version_noted_the_contents_alone(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with answering(place) as (decider, _):
        key = decider.secrets.digest
        row = decider.database.read(lambda connection: described(connection, CLINIC, key))
        earlier = replace(row, fingerprint=row.fingerprint.partition(".")[0])
        assert len(earlier.fingerprint) == 64
        assert earlier != row
        for one in (row, earlier):
            table, guard = one.opened(key)
            with table:
                decision = guard.decide(guard.parse(OF_A), "ann", guard.replay(()))
            assert decision.outcome == "answered"


def test_a_table_that_is_gone_is_not_decided_on_and_repeats_are_answered(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with answering(place) as (_, queries):
        first = ask(queries, OF_A, "k1")
    (tmp_path / "clinic.duckdb").rename(tmp_path / "elsewhere")
    with answering(place) as (decider, queries):
        with pytest.raises(Unavailable, match="cannot be read now, so nothing was decided"):
            ask(queries, COUNTS[0], "k2")
        assert ask(queries, OF_A, "k1") == first
        assert len(entries(decider)) == 2
        assert "cannot be read" in queries.table_fault(CLINIC)
        assert queries.status(CLINIC)["answered"] == 1
        (tmp_path / "elsewhere").rename(tmp_path / "clinic.duckdb")
        assert ask(queries, COUNTS[0], "k2")["decision"] == "answered"


def test_a_database_that_was_turned_back_answers_nothing(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    shutil.copy(tmp_path / "service.db", tmp_path / "copy")
    with answering(place) as (_, queries):
        ask(queries, OF_A, "k1")
    shutil.copy(tmp_path / "copy", tmp_path / "service.db")
    with answering(place) as (_, queries):
        with pytest.raises(Unavailable, match="read-only until it is reconciled"):
            ask(queries, BUT_ONE, "k2")
        assert "older than what was released" in queries.status(CLINIC)["read_only"]


def test_no_answer_leaves_before_its_checkpoint_and_nothing_is_spent_twice(tmp_path, monkeypatch):
    place = guarded(str(tmp_path / "service.db"), tmp_path, NOISY)
    with answering(place) as (decider, queries):

        def full(signed, *against):
            raise OSError("no room")

        with monkeypatch.context() as patched:
            patched.setattr(decider.anchors, "note", full)
            with pytest.raises(Unavailable, match="no answer is given"):
                ask(queries, COUNTS[0], "k1")
        answer = ask(queries, COUNTS[0], "k1")
        assert (answer["left"], len(entries(decider))) == ("0.9", 2)
        assert decider.anchors.newest(CLINIC).count == 2
    assert whole(place)


def test_a_table_is_asked_queries_and_a_dataset_is_not(tmp_path):
    with answering(guarded(str(tmp_path / "service.db"), tmp_path)) as (decider, queries):
        assert (decider.datasets(), decider.guarded_tables()) == ([], [CLINIC])
        for name in ("nothing", "service"):
            with pytest.raises(NotFound):
                queries.ask(name, OF_A, "ann", "k1")
        with pytest.raises(NotFound):
            decider.status(CLINIC)
