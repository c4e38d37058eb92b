"""Who may do what: every route with every kind of key, and what is kept and told of a key."""

import hmac
import logging

import pytest

from divulge.service.decisions import keys
from divulge.service.http.access import TABLE, Door
from divulge.service.http.problems import Unauthorized
from service.doors_helpers import AT, PAST, House, house
from service.earlier_keys import key_without_person
from service.scene import NAME

STRANGERS = ("no key", "wrong", "unknown", "expired", "revoked")
ROLES = ("requester", "steward", "auditor", "admin")


@pytest.fixture(scope="module")
def callers(tmp_path_factory):
    """A service, and for each kind of caller the key it shows."""
    with house(tmp_path_factory.mktemp("house")) as made:
        yield made, shown(made)


def shown(made: House):
    good = made.keys["requester"]
    revoked = {role: made.new_key(role) for role in ROLES}
    for told in revoked.values():
        made.revoke(told)
    wrong = {role: told[:-1] + ("A" if told[-1] != "A" else "B") for role, told in made.keys.items()}
    return {
        "no key": [None],
        "wrong": [*wrong.values(), good.partition(".")[0], f"{good.partition('.')[0]}.", "", "x" * 5000],
        "unknown": ["0" * 12 + good[12:]],
        "expired": [made.new_key(role, PAST) for role in ROLES],
        "revoked": [*revoked.values()],
        **{role: [made.keys[role]] for role in ROLES},
    }


def faults(made: House, shown, rows=TABLE):
    """Where the doors do not do what the table says."""
    found = []
    for row in rows:
        for caller, told in shown.items():
            for key in told:
                status = made.sample(row.method, row.path, key).status_code
                if not row.roles or caller in row.roles:
                    right = status in (200, 201, 404, 409)  # in, and the decider has answered
                else:
                    right = status == (401 if caller in STRANGERS else 403)
                found += [] if right else [(row.method, row.path, caller, status)]
    return found


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.method} {row.path}")
def test_every_route_lets_in_whom_the_table_names_and_nobody_else(callers, row):
    assert faults(*callers, [row]) == []


def passes_all(door, key):
    return key


def passes_known(door, key):
    if key is None:
        raise Unauthorized("")
    return key


@pytest.mark.parametrize(
    ("place", "name", "switched_off", "seen"),
    [
        (Door, "_passed", passes_all, {*STRANGERS, "requester", "steward", "auditor"}),
        (Door, "_passed", passes_known, {"requester", "steward", "auditor"}),
        (keys.Key, "holds", lambda key, at: True, {"expired", "revoked"}),
        (keys.hmac, "compare_digest", lambda one, other: True, {"wrong"}),
    ],
    ids=["no door", "no roles", "keys hold for ever", "any secret"],
)
def test_the_matrix_sees_a_door_that_stands_open(callers, monkeypatch, place, name, switched_off, seen):
    monkeypatch.setattr(place, name, switched_off)
    rows = [row for row in TABLE if (row.method, row.path) == ("GET", "/keys")]
    assert {caller for _, _, caller, _ in faults(*callers, rows)} == seen


def test_a_key_is_shown_once_as_bearer_and_in_no_other_way(callers):
    made, _ = callers
    good = made.keys["admin"]
    for headers in (
        [("Authorization", f"Bearer {good}"), ("Authorization", f"Bearer {good}")],
        [("Authorization", f"Basic {good}")],
        [("Authorization", good)],
        [("X-Api-Key", good)],
        [("Cookie", f"key={good}")],
    ):
        assert made.ask("GET", "/keys", headers=headers).status_code == 401
    assert made.ask("GET", f"/keys?key={good}").status_code == 401
    assert made.ask("GET", "/keys", headers={"authorization": f"bearer {good}"}).status_code == 200


# -- duties that are kept apart ---------------------------------------------------------------------


def test_whoever_proposed_a_policy_cannot_approve_it_and_another_can_once(callers):
    made, _ = callers
    proposed = made.ask("POST", f"{AT}/policies", "steward", json={"tests": ["mis"], "alpha": 0.2}).json()
    path = f"{AT}/policies/{proposed['version']}/approval"
    own, other = made.keys["steward"], made.new_key("steward")
    answers = [made.ask("POST", path, key).status_code for key in (own, other, other)]
    assert answers == [403, 200, 409]
    assert made.ask("GET", AT, "steward").json()["policy"]["version"] == proposed["version"]


def test_the_log_says_who_changed_the_policy(callers):
    made, _ = callers
    other = made.new_key("steward")
    proposed = made.ask("POST", f"{AT}/policies", "steward", json={"tests": ["kld"], "alpha": 0.1}).json()
    made.ask("POST", f"{AT}/policies/{proposed['version']}/approval", other)
    entries = made.ask("GET", f"{AT}/log?most=1000", "auditor").json()["entries"]
    told = [
        [one["kind"], *(one["body"][name] for name in ("policy", "by", "by_key"))] for one in entries[-2:]
    ]
    persons = [made.ask("GET", "/me", key).json()["person"] for key in ("steward", other)]
    assert told == [
        ["policy proposed", proposed["version"], persons[0], made.keys["steward"][:12]],
        ["policy approved", proposed["version"], persons[1], other[:12]],
    ]


def test_whoever_reads_the_log_changes_nothing_in_the_database(callers):
    made, _ = callers
    before = content(made)
    for row in TABLE:
        made.sample(row.method, row.path, "auditor")
    assert content(made) == before


def content(made):
    tables = ("policy", "record", "request", "answer", "entry", "head", "api_key")
    return made.decider.database.read(
        lambda connection: [connection.rows(f"SELECT * FROM {table}") for table in tables]
    )


def test_a_person_with_two_keys_is_one_person(callers):
    made, _ = callers
    proposed = made.ask("POST", f"{AT}/policies", "steward", json={"tests": ["mis"], "alpha": 0.2}).json()
    person = made.ask("GET", "/me", "steward").json()["person"]
    path = f"{AT}/policies/{proposed['version']}/approval"
    answer = made.ask("POST", path, made.new_key("steward", person=person.upper()))
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
    assert proposed["proposed_by"] == person
    assert (proposed["approvals_needed"], proposed["approvals"]) == (1, [])
    assert made.ask("POST", path, made.new_key("steward")).json()["approvals"] != [person]


def test_a_key_of_nobody_does_all_but_propose_and_approve(callers):
    made, _ = callers
    told = key_without_person(made.decider, "steward", "dora")
    assert made.ask("GET", AT, told).status_code == 200
    assert made.ask("GET", "/me", told).json()["person"] is None
    for method, path in (("POST", f"{AT}/policies"), ("POST", f"{AT}/policies/1/approval")):
        given = {"json": {"tests": ["mis"], "alpha": 0.2}} if path.endswith("policies") else {}
        answer = made.ask(method, path, told, **given)
        assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
        assert "no named person" in answer.json()["message"]


# -- what a key is for --------------------------------------------------------------------------------


def test_a_key_for_records_requests_these_and_no_others_whether_they_exist_or_not(callers):
    made, _ = callers
    told = made.new_key("requester", datasets=[NAME], records=["p7", "nobody at all"])

    def ask(record, dataset=NAME):
        path, headers = f"/datasets/{dataset}/requests", {"Idempotency-Key": "own"}
        return made.ask("POST", path, told, json={"record": record}, headers=headers)

    assert ask("p7").status_code in (200, 202)
    others = [ask("p8"), ask("somebody")]
    assert [one.status_code for one in others] == [403, 403]
    assert others[0].json() == others[1].json()
    assert "does not include this record" in others[0].json()["message"]
    assert [ask("p7", name).status_code for name in ("unknown", "service")] == [403, 403]
    given = [{"record": record, "key": record} for record in ("p8", "p7", "nobody")]
    answers = made.ask("POST", f"{AT}/batches", told, json={"requests": given}).json()["answers"]
    assert [one.get("error") for one in answers] == ["forbidden", None, "forbidden"]
    alone = made.ask("POST", f"{AT}/batches", told, json={"requests": given[::2]})
    assert alone.status_code == 403


def test_a_key_for_a_dataset_sees_no_other_and_nothing_of_all(callers):
    made, _ = callers
    for role in ("steward", "auditor", "requester"):
        own, other = (made.new_key(role, datasets=[name]) for name in (NAME, "others"))
        assert made.ask("GET", "/datasets", own).json()["datasets"] == [NAME]
        assert made.ask("GET", "/datasets", other).json()["datasets"] == []
        assert made.ask("GET", "/me", own).json()["scope"] == {"datasets": [NAME]}
        for row in TABLE:
            if "{dataset}" in row.path and role in row.roles:
                assert made.sample(row.method, row.path, other).status_code == 403
    scoped = made.new_key("auditor", datasets=[NAME])
    assert [made.ask("GET", path, scoped).status_code for path in (AT, "/metrics")] == [200, 403]
    assert made.ask("GET", "/datasets/service/log", scoped).status_code == 403


def test_an_admin_makes_keys_with_person_and_scope_and_the_log_names_no_record(callers):
    made, _ = callers
    given = {"role": "requester", "name": "desk", "person": "Rita", "datasets": [NAME], "records": ["p11"]}
    told = made.ask("POST", "/keys", "admin", json=given).json()
    assert (told["person"], told["scope"]) == ("Rita", {"datasets": [NAME], "records": ["p11"]})
    last = made.ask("GET", "/datasets/service/log?most=1000", "auditor").json()["entries"][-1]
    assert (last["body"]["datasets"], last["body"]["some_records"], last["body"]["person"]) == (
        [NAME],
        True,
        None,
    )
    assert "p11" not in str(last)
    assert "Rita" not in str(last)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"person": "Ri\u202eta"}, "direction of writing"),
        ({"person": "Operator"}, "No person can be called"),
        ({"records": ["p1"]}, "for one dataset"),
        ({"role": "admin", "datasets": [NAME]}, "admin's key"),
        ({"role": "steward", "datasets": [NAME], "records": ["p1"]}, "Only a requester's key"),
        ({"datasets": []}, "check body datasets"),
        ({"datasets": ["No Name"]}, "check body datasets"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_with_a_sentence(callers, more, said):
    made, _ = callers
    answer = made.ask("POST", "/keys", "admin", json={"role": "requester", "name": "desk", **more})
    assert answer.status_code == 422
    assert said in answer.json()["message"]


# -- what is kept and told of a key -----------------------------------------------------------------


def test_a_key_is_told_once_and_kept_as_a_hash(callers, caplog, tmp_path_factory):
    made, _ = callers
    with caplog.at_level(logging.DEBUG):
        told = made.ask("POST", "/keys", "admin", json={"role": "auditor", "name": "Anna"}).json()["key"]
        assert made.ask("GET", "/datasets", told).status_code == 200
        assert made.ask("GET", "/keys", told).status_code == 403
        made.ask("GET", "/keys", f"{told[:-1]}~")
        answers = [made.ask("GET", path, "admin").text for path in ("/keys", "/metrics")]
        answers += [made.ask("GET", "/datasets/service/log?most=1000", "auditor").text]
    identity, secret = told.split(".")
    listed = made.ask("GET", "/keys", "admin").json()["keys"]
    shown_of_a_key = {"id", "role", "name", "person", "scope", "subject", "created", "expires", "revoked"}
    assert set(listed[0]) == shown_of_a_key
    assert identity in answers[0]
    folder = tmp_path_factory.getbasetemp()
    files = b"".join(path.read_bytes() for path in folder.rglob("service.db*"))
    assert identity.encode() in files
    for place in (*answers, caplog.text, files.decode("latin-1")):
        assert secret not in place


def test_secrets_are_compared_in_constant_time_whether_the_key_is_known_or_not(callers, monkeypatch):
    made, shown = callers
    compared = []
    monkeypatch.setattr(
        keys.hmac, "compare_digest", lambda *both: compared.append(both) or hmac_compare(*both)
    )
    for told in (made.keys["admin"], shown["wrong"][0], shown["unknown"][0]):
        made.ask("GET", "/keys", told)
    assert [len(one) for both in compared for one in both] == [64] * 6


hmac_compare = hmac.compare_digest


@pytest.mark.parametrize("expires", ["2001-01-01T00:00:00Z", "2200-01-01T00:00:00", "soon", "", 7, "9999"])
def test_a_key_expires_at_a_time_to_come_with_its_zone(callers, expires):
    made, _ = callers
    given = {"role": "auditor", "name": "Anna", "expires": expires}
    assert made.ask("POST", "/keys", "admin", json=given).status_code == 422


def test_the_time_at_which_a_key_expires_is_kept_as_the_clock_writes_it(callers):
    made, _ = callers
    given = {"role": "auditor", "name": "Anna", "expires": "2200-01-01T01:30:00+01:30"}
    told = made.ask("POST", "/keys", "admin", json=given).json()
    assert told["expires"] == "2200-01-01T00:00:00.000000+00:00"


def test_a_key_that_has_expired_by_the_time_of_the_log_is_refused(callers, monkeypatch):
    made, _ = callers
    monkeypatch.setattr(made.decider, "time", lambda last="": "2201-01-01T00:00:00.000000+00:00")
    given = {"role": "auditor", "name": "Anna", "expires": "2200-01-01T00:00:00Z"}
    refused = made.ask("POST", "/keys", "admin", json=given)
    assert (refused.status_code, "expired already" in refused.json()["message"]) == (422, True)


def test_a_revoked_key_is_good_no_longer(callers):
    made, _ = callers
    told = made.new_key("auditor")
    assert made.ask("GET", "/datasets", told).status_code == 200
    assert made.ask("DELETE", f"/keys/{told[:12]}", "admin").status_code == 204
    assert made.ask("GET", "/datasets", told).status_code == 401
    assert made.ask("DELETE", f"/keys/{told[:12]}", "admin").status_code == 404
