"""Queries are decided on everything that was answered before, logged and signed before they are answered."""



from divulge.service.ledger.log_writer import entries_of
from service.history import verified
from service.queries_scene import CLINIC, answering, ask, guarded, patients

ALL = "SELECT SUM(cost) FROM patients"
BUT_ONE = "SELECT SUM(cost) FROM patients WHERE age < 99"
OF_A = "SELECT SUM(cost) FROM patients WHERE ward = 'a'"


def entries(decider):
    return decider.database.read(lambda connection: entries_of(connection, CLINIC))


def test_a_query_is_answered_with_its_entry_in_the_signed_log(url, tmp_path):
    with answering(guarded(url, tmp_path)) as (decider, queries):
        found = queries.ask(CLINIC, OF_A, "ann", "k1")
        (answer,) = found.answers
        truth = sum(cost for _, _, ward, cost in patients() if ward == "a")
        assert (answer["decision"], answer["answer"]["value"]) == ("answered", truth)
        last = entries(decider)[-1]
        assert (last.index, last.hash, last.kind) == (answer["index"], answer["hash"], "query")
        assert last.fields["answer"] == answer["answer"]
        assert "ann" not in last.body
        assert decider.anchors.newest(CLINIC).count == last.index == found.checkpoint.count
    assert [one.fault for one in verified(guarded_place(url, tmp_path), again=True)] == [None, None]


def guarded_place(url, folder):
    from divulge.service.operations.locations import ServiceLocations

    return ServiceLocations.of(url, folder / "keys", folder / "checkpoints")


def test_a_tracker_is_refused_after_a_restart_as_before_it(url, tmp_path):
    place = guarded(url, tmp_path)
    with answering(place) as (_, queries):
        assert ask(queries, ALL, "k1")["decision"] == "answered"
    with answering(place) as (_, queries):
        refused = ask(queries, BUT_ONE, "k2", "somebody else")
        assert (refused["decision"], refused["reason"]) == ("refused", "set size")
