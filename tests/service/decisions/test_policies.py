"""What a dataset is held to, in versions."""

import numpy as np
import pytest

from divulge.safe_release import Guard, Rules, State, table_of
from divulge.service.decisions.policies import ACTIVE, PROPOSED, PolicyVersion, policies_of, policy_of
from service.scene import NAME

TABLE = table_of([[50, 40], [30, 60], [7, 3]], ["20s", "30s", "40s"], ["north", "south"])


def policy(tests="mis", version=1):
    guard = Guard.of(TABLE, tests, 0.2, samples=100)
    return PolicyVersion.of(version, guard, status=PROPOSED, proposed_by="one", approved_by=None)


def test_a_policy_decides_as_the_guard_it_was_made_of():
    guard = Guard.of(TABLE, "mis,kld,cst", 0.2, samples=100, degrees="present", merging="left", seed=3)
    read = PolicyVersion.of(4, guard, status=ACTIVE, proposed_by="one", approved_by="two").guard
    assert read.rules == guard.rules
    assert read.domain.values == guard.domain.values
    assert np.array_equal(read.baseline.shares, guard.baseline.shares)
    assert read.baseline.version == 4
    counts = np.array([[5, 4], [3, 6], [1, 0]])
    assert State.of(read, counts).exposures() == State.of(guard, counts).exposures()


def test_the_fingerprint_is_that_of_rules_and_baseline():
    assert policy().digest == policy(version=2).digest
    assert policy().digest != policy("kld").digest
    assert policy().expects_the_same(policy("kld"))


def test_what_others_see_of_a_policy_names_no_value():
    assert not {"20s", "north"} & set(str(policy().to_dict()).replace("'", " ").split())


def test_versions_are_read_in_their_order(decider):
    decider.propose(NAME, Rules.of("kld", 0.1, samples=100), "one")
    found = decider.database.read(lambda connection: policies_of(connection, NAME))
    assert [(one.version, one.status) for one in found] == [(1, ACTIVE), (2, PROPOSED)]
    assert decider.database.read(lambda connection: policy_of(connection, NAME, 2)) == found[1]
    assert decider.database.read(lambda connection: policy_of(connection, NAME, 3)) is None


def test_a_policy_whose_text_is_damaged_is_not_taken_for_another():
    with pytest.raises((KeyError, ValueError)):
        PolicyVersion(1, ACTIVE, "{}", "0" * 64, "one", "one").guard  # noqa: B018


def test_a_level_for_the_whole_set_is_part_of_a_policy_and_of_its_fingerprint():
    guard = Guard.of(TABLE, "kld", 0.2, samples=100, familywise=True)
    made = PolicyVersion.of(1, guard, status=ACTIVE, proposed_by="one", approved_by="two")
    assert made.guard.critical.level == guard.critical.level == pytest.approx(1 - 0.8**0.5)
    assert made.digest != policy("kld").digest
    assert "familywise" not in policy("kld").body  # what was written before reads and digests as before


def test_known_counts_are_part_of_a_policy_only_where_a_test_needs_them():
    def made(guard, version=1):
        return PolicyVersion.of(version, guard, status=ACTIVE, proposed_by="one", approved_by="two")

    known = made(Guard.of(TABLE, "seq", 0.2, form="joint", known_counts=True))
    assert known.guard.baseline.counts.tolist() == TABLE.counts.sum(axis=1).tolist()
    counts = np.array([[5, 4], [3, 6], [1, 0]])
    same = Guard.of(TABLE, "seq", 0.2, form="joint", known_counts=True)
    assert State.of(known.guard, counts).exposures() == State.of(same, counts).exposures()
    for other in ("kld", "seq"):
        shares = made(Guard.of(TABLE, other, 0.2))
        assert "counts" not in shares.body
        assert known.expects_the_same(shares)
        assert shares.expects_the_same(known)
    doubled = table_of(2 * TABLE.counts, TABLE.domain.values, TABLE.domain.targets)
    assert not known.expects_the_same(made(Guard.of(doubled, "seq", 0.2, form="joint", known_counts=True)))
