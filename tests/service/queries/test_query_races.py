"""Several at once ask queries of one table: no budget is overspent, and nobody is determined."""

import random
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from service.history import verified
from service.queries_judge import faults
from service.queries_scene import CLINIC, EXACT, NOISY, answering, ask, between, guarded
from service.worker import Job

CLIENTS = 4
CASES = pytest.mark.parametrize(
    ("policy", "budget", "number"),
    [
        pytest.param(EXACT, None, 8, id="exact"),
        pytest.param(NOISY, Decimal(1), 15, id="noisy", marks=pytest.mark.slow),
        pytest.param(EXACT, None, 100, id="exact, many", marks=pytest.mark.slow),
        pytest.param(NOISY, Decimal(1), 100, id="noisy, many", marks=pytest.mark.slow),
    ],
)


def queries_of(client, number):
    """What one client asks: intervals of ages, many of which differ from another's in few people."""
    drawn = random.Random(client)
    found = []
    for one in range(number):
        low, ward = drawn.randrange(20, 60), drawn.choice("abc")
        found.append((between(low, low + drawn.randrange(2, 30), ward), f"{client}-{one}"))
    return found


def judged(place, answers, budget):
    with answering(place) as (decider, _):
        found = faults(decider, answers, budget)
    return found + [one.fault.sentence for one in verified(place, again=True) if one.fault is not None]


@CASES
def test_processes_on_one_server_answer_nothing_that_determines_somebody(
    postgresql, tmp_path, nursery, number, policy, budget
):
    """Two of them are one analyst."""
    place = guarded(postgresql.fresh(), tmp_path, policy)
    where = (place.url, str(place.keys), str(place.anchors), CLINIC)
    jobs = [
        Job(
            *where,
            f"analyst {min(c, 2)}",
            [[one] for one in queries_of(c, number)],
            table=True,
            noisy=budget is not None,
        )
        for c in range(CLIENTS)
    ]
    nursery.start(*jobs)
    answers = {word["key"]: word["answer"] for word in nursery.words() if "answer" in word}
    assert len(answers) == CLIENTS * number
    assert judged(place, answers, budget) == []
    assert {one["decision"] for one in answers.values()} == {"answered", "refused"}


@CASES
def test_threads_on_one_file_answer_nothing_that_determines_somebody(tmp_path, number, policy, budget):
    place = guarded(str(tmp_path / "service.db"), tmp_path, policy)
    with answering(place) as (_, queries):

        def work(client):
            return {
                key: ask(queries, text, key, f"analyst {min(client, 2)}")
                for text, key in queries_of(client, number)
            }

        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = {key: one for part in pool.map(work, range(CLIENTS)) for key, one in part.items()}
    assert len(answers) == CLIENTS * number
    assert judged(place, answers, budget) == []
    assert {one["decision"] for one in answers.values()} == {"answered", "refused"}


def test_the_judge_finds_what_a_service_without_the_audit_answers(tmp_path):
    place = guarded(str(tmp_path / "service.db"), tmp_path, EXACT.replace("differencing = true", ""))
    with answering(place) as (decider, queries):
        for text in (between(20, 100, "a"), between(20, 99, "a")):
            ask(queries, text, text)
        assert faults(decider, {}, None) == ["The answers determine somebody."]


def test_the_judge_finds_a_service_that_forgets_what_it_answered(tmp_path, monkeypatch):
    """As two would that do not follow each other's log."""
    place = guarded(str(tmp_path / "service.db"), tmp_path)
    with answering(place) as (decider, queries):
        ask(queries, between(20, 100, "a"), "k1")
        held = queries._held[CLINIC]
        opened = held.opened._replace(state=held.opened.guard.replay(()))
        queries._held[CLINIC] = type(held)(held.row, opened, held.head, held.tally)
        assert ask(queries, between(20, 99, "a"), "k2")["decision"] == "answered"
        assert faults(decider, {}, None) == ["The answers determine somebody."]
    (fault,) = [one.fault for one in verified(place, again=True) if one.fault is not None]
    assert "another verdict" in fault.sentence
