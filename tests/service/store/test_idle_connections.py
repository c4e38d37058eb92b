"""Connections are taken and given back: the last first, and none that is not as it was."""

import pytest

from divulge.service.store.idle_connections import IdleConnections


class Connection:
    def __init__(self):
        self.idle, self.closed = True, False

    def close(self):
        self.idle, self.closed = False, True


@pytest.fixture
def made():
    return []


@pytest.fixture
def connections(made):
    def connect():
        made.append(Connection())
        return made[-1]

    return IdleConnections(connect, (OSError,))


def test_the_one_given_back_last_is_taken_first(connections, made):
    with connections.one() as first, connections.one() as second:
        assert made == [first, second]
    with connections.one() as found:
        assert found is first
        with connections.one() as other:
            assert other is second
    assert len(made) == 2


def test_one_that_is_closed_or_in_a_transaction_is_not_taken_again(connections, made):
    with connections.one() as found:
        found.idle = False
    assert found.closed
    with connections.one() as other:
        assert other is not found


def test_after_a_failure_all_are_made_anew_and_after_an_error_of_the_work_none(connections, made):
    with connections.one(), connections.one():
        pass
    with pytest.raises(KeyError), connections.one():
        raise KeyError
    assert [one.closed for one in made] == [False, False]
    with pytest.raises(OSError, match="lost"), connections.one():
        raise OSError("lost")
    assert [one.closed for one in made] == [True, True]
    with connections.one() as found:
        assert found is made[2]


def test_those_in_use_are_closed_when_they_are_given_back(connections, made):
    with connections.one() as used:
        with connections.one() as idle:
            pass
        connections.close()
        assert (idle.closed, used.closed) == (True, False)
    assert used.closed
