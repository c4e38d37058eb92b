"""What a proposal would do, before it is approved; and what of a dataset is stuck."""

import pytest

from divulge.errors import NotFound
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import RecordRequest
from service.decisions.test_transaction import ask
from service.scene import NAME, Scene, dataset, people


@pytest.fixture
def decider(tmp_path):
    given = dataset(people(60), "kld", 0.5)
    found = Scene.make(str(tmp_path / "service.db"), tmp_path, given).place.open()
    yield found
    found.database.close()


def test_a_dry_run_names_those_who_leave_once_it_is_approved(decider):
    ids = people(60)["id"]
    ask(decider, ids)
    decider.request(NAME, RecordRequest(ids[3], "once more"), "client")
    before = decider.status(NAME)
    proposed = decider.propose(NAME, Rules.of("kld", 0.05, samples=200), "first")
    trial = proposed["dry_run"]
    assert decider.status(NAME)["outside"] == before["outside"]
    assert trial == decider.dry_run(NAME, proposed["version"])
    assert 0 < trial["would_leave"] <= trial["waiting"]
    assert trial["within_limits"]
    waiting = {one["ticket"] for one in decider.queue(NAME, 1000)}
    decider.approve(NAME, proposed["version"], "second")
    left = waiting - {one["ticket"] for one in decider.queue(NAME, 1000)}
    assert left == set(trial["tickets"])
    after = decider.status(NAME)
    assert after["outside"] == before["outside"] + trial["would_leave"]
    assert (after["stuck_targets"], after["expected_targets"]) == (
        trial["stuck_targets"],
        trial["expected_targets"],
    )


def test_stricter_rules_are_seen_to_be_exceeded(decider):
    ask(decider, people(60)["id"])
    trial = decider.propose(NAME, Rules.of("kld", 0.99, samples=200), "first")["dry_run"]
    assert not trial["within_limits"]
    assert trial["would_leave"] == 0
    assert trial["stuck_targets"] > 0


def test_there_is_no_dry_run_of_a_version_that_is_not_there(decider):
    with pytest.raises(NotFound):
        decider.dry_run(NAME, 9)
