"""Rules are changed by persons, not by keys: as many as are needed, in time, none of them twice."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations

import pytest

from divulge.errors import Conflict, DivulgeError, Forbidden, ParameterError, Unavailable
from divulge.safe_release import Rules
from divulge.service.identities.approvals import ApprovalRule, OpenProposal, Signatory
from divulge.service.operations.replaying import replay
from divulge.service.operations.verifying import LogCheck
from service.earlier_keys import key_without_person
from service.history import at_work
from service.scene import NAME, Scene, dataset, people

RULES = Rules.of("kld", 0.1, samples=100)
AT = "2026-01-01T12:00:00.000000+00:00"


def faults(decider):
    """What verifying finds, with every decision taken again."""
    check = LogCheck(decider.secrets.digest, decider.secrets.public)
    return [one.fault for one in check.database(decider.database, again=True) if one.fault]


def kinds(decider):
    return [one["kind"] for one in decider.log(NAME, 0, 1000)]


def keys(decider, *persons):
    """A steward's key for each, as who signs."""
    return [
        decider.make_key(role="steward", name="desk", person=one, by="me")[1].signatory for one in persons
    ]


def several_approve(url, folder):
    """A service whose rules are changed by three persons: one proposes, two approve within a week."""
    given = replace(dataset(people(60)), approval=ApprovalRule(2, 7))
    return Scene.make(url, folder, given).place


@pytest.fixture
def strict(tmp_path):
    with at_work(several_approve(str(tmp_path / "service.db"), tmp_path)) as found:
        yield found


# -- who ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["Dora", "DORA", "Ｄｏｒａ", "D ora"])
def test_who_proposed_cannot_approve_with_another_key(decider, second):
    first, other, emil = keys(decider, "Dora", second, "Emil")
    assert first.key != other.key
    decider.propose(NAME, RULES, *first)
    with pytest.raises(Forbidden, match="that you proposed"):
        decider.approve(NAME, 2, *other)
    assert decider.approve(NAME, 2, *emil)["status"] == "active"
    assert faults(decider) == []


def test_the_key_that_proposed_cannot_approve_whoever_it_is_said_to_be(decider):
    (dora,) = keys(decider, "Dora")
    decider.propose(NAME, RULES, *dora)
    with pytest.raises(Forbidden, match="that you proposed"):
        decider.approve(NAME, 2, "Somebody else", dora.key)


def test_two_keys_that_are_named_alike_belong_to_those_they_were_made_for(decider):
    """A key's name is no person's."""
    dora, emil = keys(decider, "Dora", "Emil")
    decider.propose(NAME, RULES, *dora)
    decider.approve(NAME, 2, *emil)
    assert [one["approvals"] for one in decider.policies(NAME)] == [[], ["Emil"]]


def test_a_key_made_before_keys_had_persons_can_neither_propose_nor_approve(decider):
    told = key_without_person(decider, "steward", "Dora")
    key = decider.key_shown(told)
    assert (key.person, key.role) == (None, "steward")
    with pytest.raises(Forbidden, match="no named person"):
        key.signatory  # noqa: B018
    assert faults(decider) == []


def test_what_was_proposed_before_keys_had_persons_has_to_be_proposed_again(decider):
    decider.propose(NAME, RULES, "0123456789ab")
    change = "UPDATE policy SET entry = NULL WHERE version = 2"
    decider.database.transact(NAME, lambda connection: connection.rows(change))
    with pytest.raises(Conflict, match="before keys had persons"):
        decider.approve(NAME, 2, "Emil")


@pytest.mark.parametrize("person", ["Emil", "", "dora", None])
def test_a_person_that_was_changed_in_the_database_is_found_by_verifying_and_before_use(decider, person):
    told, key = decider.make_key(role="steward", name="desk", person="Dora", by="me")
    assert decider.key_shown(told) == key
    change = ("UPDATE api_key SET person = ? WHERE id = ?", (person, key.id))
    decider.database.transact("nobody", lambda connection: connection.rows(*change))
    with pytest.raises(Unavailable, match="was changed in the database"):
        decider.key_shown(told)
    (found,) = faults(decider)
    assert found.sentence == "The table of keys contradicts entry 1: a key was changed."


# -- how many ----------------------------------------------------------------------------------------


def test_rules_hold_once_as_many_persons_have_approved_as_are_needed(strict):
    dora, twin, emil, fay = keys(strict, "Dora", "dora", "Emil", "Fay")
    proposed = strict.propose(NAME, RULES, *dora)
    assert (proposed["approvals_needed"], proposed["approvals"]) == (2, [])
    first = strict.approve(NAME, 2, *emil)
    assert (first["status"], first["approvals"]) == ("proposed", ["Emil"])
    for by, problem in ((emil, Conflict), (twin, Forbidden), (keys(strict, "EMIL")[0], Conflict)):
        with pytest.raises(problem):
            strict.approve(NAME, 2, *by)
    assert strict.status(NAME)["policy"]["version"] == 1
    last = strict.approve(NAME, 2, *fay)
    assert (last["status"], last["approvals"], last["approved_by"]) == ("active", ["Emil", "Fay"], "Fay")
    assert kinds(strict) == ["loaded", "policy proposed", "approval given", "policy approved"]
    assert strict.policies(NAME)[1]["approval"] == {"persons": 2, "days": 7}  # it stays as it was
    assert faults(strict) == []


def test_how_many_must_approve_is_itself_changed_by_as_many(strict):
    strict.propose(NAME, RULES, "Dora", None, lambda rule: ApprovalRule(1, rule.days))
    assert strict.approve(NAME, 2, "Emil")["status"] == "proposed"  # one is not enough yet
    assert strict.approve(NAME, 2, "Fay")["status"] == "active"
    strict.propose(NAME, RULES, "Dora")
    assert strict.approve(NAME, 3, "Emil")["status"] == "active"
    assert faults(strict) == []


def test_a_stricter_rule_holds_for_what_was_proposed_before_it(decider):
    decider.propose(NAME, RULES, "Dora")
    decider.propose(NAME, RULES, "Dora", None, lambda rule: ApprovalRule(2))
    decider.approve(NAME, 3, "Emil")
    answer = decider.approve(NAME, 2, "Emil")
    assert (answer["status"], answer["approvals_needed"]) == ("proposed", 2)
    assert faults(decider) == []


def test_an_approval_given_with_a_key_that_is_revoked_since_does_not_count(strict):
    emil, fay, gus = keys(strict, "Emil", "Fay", "Gus")
    strict.propose(NAME, RULES, "Dora")
    strict.approve(NAME, 2, *emil)
    strict.revoke_key(emil.key, "me")
    with pytest.raises(Forbidden, match="revoked"):
        strict.approve(NAME, 2, *emil)
    assert strict.approve(NAME, 2, *fay)["approvals"] == ["Fay"]
    assert strict.approve(NAME, 2, *gus)["status"] == "active"
    assert faults(strict) == []


def test_what_was_proposed_with_a_key_that_is_revoked_since_cannot_be_approved(decider):
    dora, emil = keys(decider, "Dora", "Emil")
    decider.propose(NAME, RULES, *dora)
    decider.revoke_key(dora.key, "me")
    with pytest.raises(Conflict, match="was proposed is revoked"):
        decider.approve(NAME, 2, *emil)


def test_of_approvals_at_the_same_moment_each_person_counts_once(url, tmp_path):
    """Eight threads, two persons besides the proposer: each approves once, the second puts rules in force."""
    with at_work(several_approve(url, tmp_path)) as decider:
        signing = keys(decider, "Emil", "emil", "EMIL", "Dora", "dora", "Fay", "FAY", "fay")
        decider.propose(NAME, RULES, "Dora")

        def approve(by):
            try:
                return decider.approve(NAME, 2, *by)["status"]
            except DivulgeError as error:
                return type(error).__name__

        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(approve, signing))
        assert found.count("active") == found.count("proposed") == 1
        assert found.count("Conflict") + found.count("Forbidden") == 6
        (entry,) = (one["body"] for one in decider.log(NAME, 0, 99) if one["kind"] == "policy approved")
        assert {person.casefold() for person, _ in entry["approved"]} == {"emil", "fay"}
        assert faults(decider) == []


@pytest.mark.parametrize("entry", [2, 3])
def test_a_proposal_whose_row_was_turned_back_cannot_be_approved_again(strict, entry):
    """It was in force and is not any more; its row says that it waits for one more approval."""
    strict.propose(NAME, RULES, "Dora")
    strict.approve(NAME, 2, "Emil")
    strict.approve(NAME, 2, "Fay")
    strict.propose(NAME, Rules.of("mis", 0.3, samples=100), "Dora")
    strict.approve(NAME, 3, "Emil")
    strict.approve(NAME, 3, "Fay")
    change = f"UPDATE policy SET status = 'proposed', approved_by = NULL, entry = {entry} WHERE version = 2"
    strict.database.transact(NAME, lambda connection: connection.rows(change))
    with pytest.raises(Unavailable, match="was changed in the database"):
        strict.approve(NAME, 2, "Gus")


# -- until when --------------------------------------------------------------------------------------


def test_a_proposal_that_has_expired_cannot_be_approved_and_the_log_says_so(decider):
    expires = decider.propose(NAME, RULES, "Dora")["expires"]
    real, decider.clock = decider.clock, lambda: expires
    assert decider.policies(NAME)[1]["status"] == "expired"
    with pytest.raises(Conflict, match="The proposal expired on"):
        decider.approve(NAME, 2, "Emil")
    decider.clock = real  # a clock that is set back does not open it again
    with pytest.raises(Conflict, match="is expired"):
        decider.approve(NAME, 2, "Emil")
    assert kinds(decider) == ["loaded", "policy proposed", "proposal expired"]
    assert decider.status(NAME)["policy"]["version"] == 1
    assert faults(decider) == []
    assert decider.propose(NAME, RULES, "Dora")["version"] == 3


def test_a_proposal_is_open_until_the_moment_at_which_it_expires(decider):
    expires = decider.propose(NAME, RULES, "Dora")["expires"]
    decider.clock = lambda: f"{expires[:10]}T00:00:00.000000+00:00"  # that day's first moment
    assert decider.approve(NAME, 2, "Emil")["status"] == "active"


def test_how_long_a_proposal_is_open_is_what_the_rules_in_force_say():
    made = OpenProposal.made(Signatory("Dora", None), AT, ApprovalRule(1, 7))
    assert made.expires == "2026-01-08T12:00:00.000000+00:00"


@pytest.mark.parametrize("given", [(0, 30), (11, 30), (1, 0), (1, 366)])
def test_how_many_and_how_long_have_limits(given):
    with pytest.raises(ParameterError):
        ApprovalRule(*given)


# -- what a holder could seal ------------------------------------------------------------------------


def test_approvals_follow_only_from_what_was_proposed():
    emil, fay, dora = (Signatory(name, name) for name in ("Emil", "Fay", "Dora"))
    before = OpenProposal.made(dora, AT, ApprovalRule(2))
    for pair in permutations((emil, fay)):
        assert replace(before, approved=pair).follows(before, AT, ApprovalRule())
    for given, rule, at in (
        ((emil,), ApprovalRule(), AT),  # too few
        ((emil, emil), ApprovalRule(), AT),
        ((emil, dora), ApprovalRule(), AT),
        ((emil, Signatory("EMIL", "another key")), ApprovalRule(), AT),
        ((emil, fay), ApprovalRule(3), AT),
        ((emil, fay), ApprovalRule(), before.expires),  # too late
    ):
        assert not replace(before, approved=given).follows(before, at, rule)
    for other in (
        replace(before, expires="2999", approved=(emil, fay)),
        replace(before, proposer=fay, approved=(emil, dora)),
        replace(before, needed=1, approved=(emil,)),
    ):
        assert not other.follows(before, AT, ApprovalRule())


def test_replay_finds_rules_that_the_holder_put_in_force_alone(strict, monkeypatch):
    """The holder seals what it wants; taken again, the log contradicts itself."""
    strict.propose(NAME, RULES, "Dora")
    with monkeypatch.context() as patched:
        patched.setattr(OpenProposal, "complete", True)
        strict.approve(NAME, 2, "Emil")
    found = strict.database.read(lambda connection: replay(connection, NAME, 2, strict.secrets.digest))
    assert (found.fault.index, "as many other persons" in found.fault.sentence) == (3, True)
