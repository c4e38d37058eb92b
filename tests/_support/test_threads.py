"""Work shared out over threads comes back whole and in order."""

import os
import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from divulge._support.small_counts import exact_counts, hidden
from divulge._support.threads import Aside, ahead, cached_property, cores, run, shares


@pytest.mark.parametrize(("length", "parts"), [(0, 3), (1, 3), (10, 3), (7, 1)])
def test_shares_cover_everything_once(length, parts):
    covered = [i for share in shares(length, parts) for i in range(share.start, share.stop)]
    assert covered == list(range(length))


def test_every_set_of_arguments_is_worked_on():
    done = []
    run(lambda a, b: done.append((a, b)), [1, 2, 3], "xyz")
    assert sorted(done) == [(1, "x"), (2, "y"), (3, "z")]


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        run(lambda n: 1 / n, [1, 0])
    with pytest.raises(ZeroDivisionError):
        list(ahead(lambda n: 1 / n, [1, 0]))


def test_jobs_of_a_job_wait_for_no_thread_that_waits_for_it():
    done, within = threading.Event(), []

    def job(number):
        if number:
            assert done.wait(10)
        else:
            run(within.append, range(5))
            done.set()

    run(job, range(cores() + 1))  # every thread there is waits for the first of them
    assert sorted(within) == [0, 1, 2, 3, 4]


def test_where_no_thread_can_be_begun_memory_is_short(monkeypatch):
    def refused(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(MemoryError):
        list(ahead(str, [1, 2]))


FORKED = """
import os, signal, warnings
from divulge._support.threads import run

warnings.simplefilter("ignore")
run(pow, [2, 3], [2, 2])
child = os.fork()
if not child:
    signal.alarm(20)  # it may wait for ever
    done = []
    run(lambda a, b: done.append(a * b), [1, 2], [3, 4])
    os._exit(0 if sorted(done) == [3, 8] else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_begins_threads_of_its_own():
    assert subprocess.run([sys.executable, "-c", FORKED]).returncode == 0


def test_results_come_in_order_whoever_is_ready_first():
    slow = threading.Event()

    def job(item):
        if item == 0 and cores() > 1:
            assert slow.wait(10)
        if item == cores():  # handed out only while the first is still being worked on
            slow.set()
        return item

    assert list(ahead(job, range(20))) == list(range(20))


def test_work_runs_only_a_few_items_ahead():
    begun = []
    results = ahead(lambda item: begun.append(item) or item, range(1000))
    next(results)
    assert len(begun) <= 2 * cores() + 2
    results.close()


class Slow:
    """Two of them work their value out at the same time, which one lock for both would not let them."""

    def __init__(self, both):
        self._both = both

    @cached_property
    def value(self):
        self._both.wait(10)
        return object()


def test_instances_do_not_wait_for_each_other():
    both = threading.Barrier(2)
    slow = [Slow(both), Slow(both)]
    run(lambda one: one.value, slow)
    assert slow[0].value is not slow[1].value


def test_threads_that_ask_at_once_are_given_the_same():
    one, found = Slow(threading.Barrier(2)), []
    run(lambda _: found.append(one.value), range(2))
    assert found == [one.value] * 2


def test_a_job_aside_goes_on_while_this_thread_does():
    met = threading.Barrier(2)
    with Aside() as aside:
        waiting = aside.begin(met.wait, 10)
        met.wait(10)
        assert waiting() in (0, 1)


def test_an_error_aside_is_raised_where_its_result_is_asked_for():
    with Aside() as aside:
        failing = aside.begin(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            failing()


def test_a_job_aside_counts_as_exactly_as_who_began_it():
    with exact_counts(True), Aside() as aside:
        assert aside.begin(hidden, 2)() == 2


def test_leaving_by_an_error_ends_a_job_at_its_next_step():
    begun, steps, results = threading.Event(), [], []

    def endless(stage):
        while True:
            begun.set()
            stage.step(len(steps), 0)
            steps.append(1)

    with pytest.raises(KeyboardInterrupt), Aside() as aside:  # noqa: PT012
        results += [aside.begin(endless, aside), aside.begin(steps.append, 2)]
        begun.wait(10)
        raise KeyboardInterrupt
    for result in results:
        with pytest.raises(CancelledError):
            result()
    assert 2 not in steps


def test_who_waits_for_a_job_aside_is_told_of_all_its_steps():
    some, rest, heard = threading.Event(), threading.Event(), []

    def job(stage):
        stage.step(1, 3)
        some.set()
        rest.wait(10)
        stage.step(2, 3)
        stage.step(3, 3)

    with Aside() as aside:
        done = aside.begin(job, aside)
        some.wait(10)
        with aside.followed(lambda *step: heard.append(step)):
            rest.set()
            done()
    assert heard == [(1, 3), (2, 3), (3, 3)]
