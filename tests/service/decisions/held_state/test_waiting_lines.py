"""Who waits in a cell is looked up together with all that their record needs to leave."""

import pytest

from divulge.service.decisions.decisions import RecordRequest
from service.history import at_work
from service.scene import NAME, Scene


class Counted:
    """A transaction that counts how often the database is asked."""

    def __init__(self, connection):
        self.ways, self._connection = 0, connection

    def __getattr__(self, name):
        self.ways += name in ("rows", "several")
        return getattr(self._connection, name)


@pytest.fixture
def ways(monkeypatch):
    """For a decider, how often each of its transactions asks."""

    def watched(decider):
        found, transact = [], decider.database.transact

        def counted(chain, work):
            found.append(Counted(None))

            def asking(connection):
                found[-1] = Counted(connection)
                return work(found[-1])

            return transact(chain, asking)

        monkeypatch.setattr(decider.database, "transact", counted)
        return found

    return watched


def test_one_who_leaves_is_looked_up_at_once(url, tmp_path, ways):
    with at_work(Scene.make(url, tmp_path).place) as decider:
        counted, seen = ways(decider), 0
        for number in range(60):
            before = decider.status(NAME)["entries"]
            decider.request(NAME, RecordRequest(f"p{number}", f"key {number}"), "ann")
            kinds = [one["kind"] for one in decider.log(NAME, before, 100)]
            if kinds == ["decision", "left"]:
                assert counted[-1].ways == 2
                seen += 1
        assert seen
