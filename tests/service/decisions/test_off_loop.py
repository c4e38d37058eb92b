"""Requests share threads, and each gets its own answer."""

import asyncio
import threading

import anyio
import pytest

from divulge.errors import Unavailable
from divulge.report.shared.answer_headers import HEADERS
from divulge.service.decisions.off_loop import KeyChecks, LoopAnswers, LoopWaiter
from service.doors_helpers import AT, house
from service.scene import NAME

BATCH = {"json": {"requests": [{"record": "p0", "key": "line"}]}}
DECIDED = {202: 200}  # whether it waits depends on which came first


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with house(tmp_path_factory.mktemp("off-loop")) as found:
        yield found


def at_once(made, *requests):
    """The answers to requests that are sent together: each a path, a key and what is sent."""

    async def all_of_them():
        async with anyio.create_task_group() as tasks:
            for place, (path, by, given) in enumerate(requests):
                tasks.start_soon(one, place, path, by, given)

    async def one(place, path, by, given):
        found[place] = await made.asked("POST", path, by, given)

    found = {}
    made.portal.call(all_of_them)
    return [found[place] for place in range(len(requests))]


def wanted(record, key):
    return {"json": {"record": record}, "headers": {"Idempotency-Key": key}}


def test_requests_at_once_are_answered_each_by_its_own_key_and_record(made):
    revoked = made.new_key("requester")
    made.revoke(revoked)
    own = made.new_key("requester", datasets=[NAME], records=["p1"])
    before = len(made.decider.log(NAME, 0, 1000))
    found = at_once(
        made,
        (f"{AT}/requests", "requester", wanted("p0", "one")),
        (f"{AT}/requests", revoked, wanted("p0", "two")),
        (f"{AT}/requests", own, wanted("p1", "three")),
        (f"{AT}/requests", own, wanted("p2", "four")),
        (f"{AT}/requests", "steward", wanted("p2", "five")),
        (f"{AT}/requests", "requester", wanted("nobody", "six")),
        (f"{AT}/requests", "requester", wanted("p3", "one")),  # a key that the first has used
    )
    statuses = [DECIDED.get(one.status_code, one.status_code) for one in found]
    assert statuses[1:6] == [401, 200, 403, 403, 404]
    assert sorted([statuses[0], statuses[6]]) == [200, 409]
    assert len(made.decider.log(NAME, 0, 1000)) >= before + 2  # who waited may have left as well
    assert {one.json()["ticket"] for one in found if one.is_success} == {
        ticket for one in made.decider.log(NAME, before, 1000) for ticket in one["body"]["tickets"]
    }


def test_a_request_that_does_not_go_straight_counts_once_and_has_every_header_once(made):
    def counted():
        lines = made.app.state.gate.counters.lines()
        return sum(number for told, number in lines if told["route"].endswith("/requests"))

    for given, status in (
        (wanted("p0", "odd"), 200),
        ({"json": {}, "headers": {"Idempotency-Key": "x"}}, 422),
    ):
        before = counted()
        answer = made.ask("POST", f"{AT}/requests", "requester", **given)
        assert DECIDED.get(answer.status_code, answer.status_code) == status
        assert counted() == before + 1
        for name, _ in HEADERS:
            assert len(answer.headers.get_list(name.decode())) == 1


def test_keys_that_are_shown_at_once_are_looked_up_together(made):
    looked, begun, go_on = [], threading.Event(), threading.Event()

    class Slow:
        def keys_shown(self, told):
            looked.append(told)
            if len(looked) == 1:
                begun.set()
                go_on.wait(5)
            return [Unavailable("changed") if one == "bad" else one.upper() for one in told]

    async def asked():
        checks = KeyChecks(Slow(), LoopAnswers())
        first = asyncio.ensure_future(checks.shown("a"))
        await asyncio.to_thread(begun.wait, 5)
        others = [asyncio.ensure_future(checks.shown(one)) for one in ("b", "bad", "c")]
        await asyncio.sleep(0)
        go_on.set()
        found = await asyncio.gather(first, *others, return_exceptions=True)
        return found, await checks.shown("d")

    found, after = asyncio.run(asked())
    assert looked == [["a"], ["b", "bad", "c"], ["d"]]
    assert [found[0], found[1], found[3], after] == ["A", "B", "C", "D"]
    assert isinstance(found[2], Unavailable)


def test_a_lookup_that_fails_fails_for_all_in_it_and_the_next_is_made(made):
    class Failing:
        fails = True

        def keys_shown(self, told):
            if self.fails:
                self.fails = False
                raise Unavailable("no")
            return told

    async def asked():
        checks = KeyChecks(Failing(), LoopAnswers())
        found = await asyncio.gather(checks.shown("a"), checks.shown("b"), return_exceptions=True)
        return found, await checks.shown("c")

    found, after = asyncio.run(asked())
    assert [type(one) for one in found] == [Unavailable, Unavailable]
    assert after == "c"


def test_a_key_whose_row_was_changed_does_not_hinder_others(made):
    bad, good = made.new_key("requester"), made.new_key("requester")
    change = "UPDATE api_key SET person = 'somebody' WHERE id = ?"
    made.decider.database.transact(NAME, lambda work: work.rows(change, (bad.partition(".")[0],)))
    found = made.decider.keys_shown([good, bad, "0" * 12 + ".x", good])
    assert [type(one).__name__ for one in found] == ["Key", "Unavailable", "NoneType", "Key"]
    answers = at_once(
        made, (f"{AT}/requests", good, wanted("p5", "g")), (f"{AT}/requests", bad, wanted("p6", "b"))
    )
    assert [DECIDED.get(one.status_code, one.status_code) for one in answers] == [200, 503]


def test_who_no_longer_waits_is_not_told_and_a_loop_that_is_closed_is_not_woken():
    telling = LoopAnswers()

    async def left():
        asked = LoopWaiter.now()
        asked.future.cancel()
        telling.tell(asked, 1)
        await asyncio.sleep(0)
        return asked

    gone = asyncio.run(left())
    telling.tell(gone, 2)
    telling.tell(gone, 3)
    assert telling._told == {}


def test_a_loop_is_woken_once_for_all_that_a_thread_tells_within_some_work():
    telling = LoopAnswers()

    async def asked():
        waiting, woken = [LoopWaiter.now() for _ in range(3)], []
        loop = waiting[0].loop
        wake = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *given: woken.append(given) or wake(*given)

        def work():
            for number, one in enumerate(waiting):
                telling.tell(one, number, Unavailable("no") if number == 1 else None)
                assert woken == []

        await asyncio.to_thread(telling.together, work)
        found = await asyncio.gather(*(one.future for one in waiting), return_exceptions=True)
        after = LoopWaiter.now()
        telling.tell(after, "at once")  # as always, once that is over
        return found, await after.future, [given[0] for given in woken].count(telling._hand_out)

    (first, second, third), after, woken = asyncio.run(asked())
    assert (first, third, after, woken) == (0, 2, "at once", 2)
    assert isinstance(second, Unavailable)


def test_those_who_were_told_are_answered_even_if_the_work_fails():
    telling = LoopAnswers()

    async def asked():
        waiting = LoopWaiter.now()

        def work():
            telling.tell(waiting, 1)
            raise KeyError

        with pytest.raises(KeyError):
            telling.together(work)
        return await waiting.future

    assert asyncio.run(asked()) == 1


def test_any_number_of_keys_is_looked_up_at_once_and_more_is_read_only_where_it_is_needed(made):
    told, looked, read = [made.new_key("requester") for _ in range(3)], [], []

    def noted(name, calls):
        act = getattr(made.decider.database, name)
        return lambda given: (calls.append(given), act(given))[1]

    def shown():
        looked.clear()
        read.clear()
        found = made.decider.keys_shown([*told, "0" * 12 + ".x", told[0]])
        assert [len(asked) for asked in looked] == [2]
        return [one and one.id for one in found]

    identities = [one.partition(".")[0] for one in told]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made.decider.database, "look", noted("look", looked))
        patch.setattr(made.decider.database, "read", noted("read", read))
        made.decider.keys_shown(told[:1])
        assert shown() == [*identities, None, identities[0]]
        assert len(read) == 1  # a look at a file is one; all entries of the log of keys are known
        made.decider.revoke_key(identities[1], "admin")
        assert shown() == [identities[0], None, identities[2], None, identities[0]]
        assert len(read) == 2


def test_names_of_datasets_that_do_not_exist_are_not_remembered(made):
    before = {*made.decider._commits._queues}
    for number in range(3):
        for path, given in (("requests", wanted("p0", f"n{number}")), ("batches", BATCH)):
            assert (
                made.ask("POST", f"/datasets/none-{number}/{path}", "requester", **given).status_code == 404
            )
    assert {*made.decider._commits._queues} <= before | {NAME}
