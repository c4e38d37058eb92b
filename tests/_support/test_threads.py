"""Work shared out over threads comes back whole and in order."""

import threading

import pytest

from divulge._support.threads import ahead, cores, run, shares


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
