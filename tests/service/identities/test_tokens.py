"""Tokens of an issuer: only its own, for this service, in time, for a subject that an admin has entered."""

import hashlib
import hmac
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm

from divulge.errors import Conflict, SourceError, Unavailable
from divulge.service.http.app import create_app
from divulge.service.identities.issuer_keys import FRESH, KEPT, PAUSE, IssuerKeys, reader_of
from divulge.service.identities.subjects import Subject
from divulge.service.identities.tokens import LONGEST, SKEW, TokenIssuer
from service.doors_helpers import AT, PATIENT, house
from service.scene import NAME
from service.token_issuer import AUDIENCE, issuing, new_key, spelled

FAR = 10**9  # seconds


@pytest.fixture(scope="module")
def issuer():
    with issuing() as found:
        found.add("elliptic", "ES256")
        found.add("edwards", "EdDSA")
        found.add("rsa", "RS256")
        yield found


@pytest.fixture(scope="module")
def checking(issuer):
    found = TokenIssuer.of(issuer.url, AUDIENCE)
    found.keys.load()
    return found


def vouched(checking, token):
    found = checking.subject_of(token, time.time())
    return None if found is None else found.name


# -- what is accepted --------------------------------------------------------------------------------


def test_a_token_of_the_issuer_names_its_subject_with_every_kind_of_key(issuer, checking):
    for named in ("elliptic", "edwards", "rsa"):
        assert checking.subject_of(issuer.token("dora", named), time.time()) == Subject(issuer.url, "dora")
    several = issuer.token(aud=["another", AUDIENCE], header={"typ": "at+jwt"})
    assert vouched(checking, several) == "dora"


def test_clocks_may_differ_a_little(issuer, checking):
    now = int(time.time())
    assert vouched(checking, issuer.token(exp=now - SKEW // 2)) == "dora"
    assert vouched(checking, issuer.token(iat=now + SKEW // 2)) == "dora"
    assert vouched(checking, issuer.token(nbf=now + SKEW // 2)) == "dora"


# -- what is not -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": None},
        {"aud": []},
        {"iss": "https://another"},
        {"iss": None},
        {"exp": 1},
        {"exp": None},
        {"exp": "soon"},
        {"exp": 1e308},
        {"iat": None},
        {"iat": FAR * 3},
        {"nbf": FAR * 3},
        {"exp": FAR * 3},  # valid for decades
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
    ],
    ids=str,
)
def test_a_token_with_other_claims_proves_nothing(issuer, checking, changed):
    assert vouched(checking, issuer.token(**changed)) is None


def test_a_token_proves_nothing_once_it_has_expired_or_is_valid_for_too_long(issuer, checking):
    now = int(time.time())
    assert vouched(checking, issuer.token(exp=now - SKEW - 5)) is None
    assert vouched(checking, issuer.token(exp=now + LONGEST - 5)) == "dora"
    assert vouched(checking, issuer.token(exp=now + LONGEST + 5)) is None


def test_a_clock_that_is_set_back_does_not_make_a_token_valid_again(issuer, checking):
    token = issuer.token()
    assert checking.subject_of(token, time.time() + 300 + SKEW + 1) is None


def test_no_algorithm_but_those_with_a_public_key_is_accepted(issuer, checking):
    claims = issuer.claims()
    for none in ("none", "None", "NONE", "", None):
        assert vouched(checking, spelled({"alg": none, "kid": "elliptic"}, claims)) is None
        assert vouched(checking, spelled({"alg": none, "kid": "elliptic"}, claims, b"x")) is None
    assert vouched(checking, spelled({"kid": "elliptic"}, claims, b"x")) is None


@pytest.mark.parametrize("named", ["rsa", "elliptic", "edwards"])
def test_a_public_key_is_not_taken_for_a_shared_secret(issuer, checking, named):
    """Whoever knows the public key could sign with it, if the token could choose the algorithm."""
    public = issuer.keys[named][1].public_key()
    texts = [public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)]
    texts += [json.dumps(issuer.web_key(named)).encode(), b""]
    for text in texts:
        for digest in ("sha256", "sha384", "sha512"):
            header = {"alg": f"HS{digest[3:]}", "kid": named, "typ": "JWT"}
            unsigned = spelled(header, issuer.claims()).rpartition(".")[0]
            seal = hmac.digest(text, unsigned.encode(), getattr(hashlib, digest))
            assert vouched(checking, spelled(header, issuer.claims(), seal)) is None


def test_a_key_is_used_with_its_own_algorithm_only(issuer, checking):
    rsa = issuer.keys["rsa"][1]
    for algorithm in ("PS256", "RS512", "RS384"):  # the issuer says that the key is for RS256
        assert vouched(checking, jwt.encode(issuer.claims(), rsa, algorithm, {"kid": "rsa"})) is None
    for named, other in (("rsa", "elliptic"), ("elliptic", "rsa"), ("edwards", "elliptic")):
        assert vouched(checking, issuer.token(named=named, header={"kid": other})) is None


def test_keys_that_a_token_brings_along_are_not_used(issuer, checking):
    stranger = new_key("ES256")
    own = {
        "kid": "elliptic",
        "jwk": {**issuer.web_key("elliptic"), "kid": "mine"},
        "jku": f"{issuer.url}/keys",
    }
    for header in (own, {**own, "kid": "mine"}, {**own, "x5u": issuer.url}):
        assert vouched(checking, jwt.encode(issuer.claims(), stranger, "ES256", header)) is None


ODD_HEADERS = [
    {"kid": None},
    {"kid": 7},
    {"kid": ""},
    {"kid": "x" * 256},
    {"crit": ["exp"]},
    {"typ": "other"},
]


@pytest.mark.parametrize("header", ODD_HEADERS, ids=str)
def test_a_token_with_another_header_proves_nothing(issuer, checking, header):
    """Signed by the right key all the same."""
    claims, plain = issuer.claims(), {"alg": "ES256", "typ": "JWT", "kid": "elliptic"}
    for whole, right in (({**plain, **header}, None), (plain, "dora")):
        unsigned = spelled(whole, claims).rpartition(".")[0]
        signature = ECAlgorithm(ECAlgorithm.SHA256).sign(unsigned.encode(), issuer.keys["elliptic"][1])
        assert vouched(checking, spelled(whole, claims, signature)) == right


def test_whatever_is_no_token_proves_nothing(issuer, checking):
    good = issuer.token()
    head, claims, signature = good.split(".")
    for text in ("", ".", "..", "a.b.c", head, f"{head}.{claims}", f"{head}.{claims}.", f"{good}.x"):
        assert vouched(checking, text) is None
    flipped = claims[:-2] + ("A" if claims[-2] != "A" else "B") + claims[-1]
    assert vouched(checking, f"{head}.{flipped}.{signature}") is None
    deep = spelled({"alg": "ES256", "kid": "elliptic"}, issuer.claims(), b"x")
    assert vouched(checking, deep) is None
    assert vouched(checking, spelled([], 7, b"x")) is None


# -- the issuer's keys -------------------------------------------------------------------------------


def keys_of(issuer, at=None, place=None):
    at = at if at is not None else [0.0]
    return IssuerKeys(reader_of(issuer.url, place), lambda: at[0]), at


def test_keys_are_read_once_and_again_when_they_are_old_or_a_token_names_another(issuer):
    keys, at = keys_of(issuer)
    before = issuer.asked["/keys"]
    keys.load()
    for _ in range(5):
        assert keys.find("elliptic")
        assert keys.find("nobody's") is None  # not more than once in a while
    assert issuer.asked["/keys"] == before + 1
    issuer.add("new", "EdDSA")
    at[0] += PAUSE + 1
    assert keys.find("new")
    assert issuer.asked["/keys"] == before + 2
    del issuer.keys["new"]
    at[0] += FRESH + 1
    assert keys.find("new") is None
    assert issuer.asked["/keys"] == before + 3


def test_keys_are_used_for_a_while_when_they_cannot_be_read_and_then_no_longer(issuer):
    keys, at = keys_of(issuer)
    keys.load()
    issuer.down = True
    try:
        at[0] += FRESH + 1
        assert keys.find("elliptic")
        at[0] = KEPT + 1
        with pytest.raises(Unavailable, match="cannot be read"):
            keys.find("elliptic")
    finally:
        issuer.down = False
    at[0] += PAUSE + 1
    assert keys.find("elliptic")


def test_keys_in_a_file_are_used_without_asking_anybody(issuer, tmp_path):
    (tmp_path / "keys.json").write_text(json.dumps(issuer.web_keys()))
    checking = TokenIssuer.of(issuer.url, AUDIENCE, str(tmp_path / "keys.json"))
    before = issuer.asked.total()
    checking.keys.load()
    assert vouched(checking, issuer.token()) == "dora"
    assert issuer.asked.total() == before


def test_two_keys_with_one_id_are_both_not_used(issuer, tmp_path):
    one, other = issuer.web_key("elliptic"), {**issuer.web_key("edwards"), "kid": "elliptic"}
    for pair in ([one, other], [other, one]):
        (tmp_path / "keys.json").write_text(json.dumps({"keys": [*pair, issuer.web_key("rsa")]}))
        checking = TokenIssuer.of(issuer.url, AUDIENCE, str(tmp_path / "keys.json"))
        checking.keys.load()
        assert [vouched(checking, issuer.token(named=named)) for named in ("elliptic", "rsa")] == [
            None,
            "dora",
        ]


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits long")
def test_shared_secrets_short_keys_and_keys_for_encryption_are_not_used(issuer, tmp_path):
    issuer.add("short", "RS256", bits=1024)
    try:
        keys = [issuer.web_key("short"), {**issuer.web_key("rsa"), "use": "enc"}]
        keys += [
            {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
            {"kty": "EC", "kid": "elliptic"},
            {"kid": "odd"},
        ]
        keys += [{**issuer.web_key("edwards"), "key_ops": ["sign"]}]
        (tmp_path / "keys.json").write_text(json.dumps({"keys": keys}))
        checking = TokenIssuer.of(issuer.url, AUDIENCE, str(tmp_path / "keys.json"))
        checking.keys.load()
        tokens = [issuer.token(named=named) for named in ("short", "rsa", "elliptic", "edwards")]
        tokens += [jwt.encode(issuer.claims(), "secret" * 9, "HS256", {"kid": "shared"})]
        assert [vouched(checking, token) for token in tokens] == [None] * 5
    finally:
        del issuer.keys["short"]


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"{}", b'{"keys": 7}', b'{"keys": [7]}', b"x" * (1 << 19), b"\xff"]
)
def test_what_is_no_set_of_keys_is_refused_with_a_sentence(issuer, answer):
    issuer.answers["/odd"] = answer
    with pytest.raises(SourceError):
        keys_of(issuer, place=f"{issuer.url}/odd")[0].load()


def test_keys_come_from_the_issuer_itself_and_by_https(issuer, tmp_path):
    for place in ("http://issuer.example/keys", "ftp://127.0.0.1/keys", "file:///etc/passwd"):
        with pytest.raises(SourceError, match="https"):
            reader_of(issuer.url, place)
    with pytest.raises(SourceError, match="https"):
        reader_of("http://issuer.example", None)
    for missing in ("missing", "elsewhere"):  # where it redirects to is not followed
        with pytest.raises(SourceError, match="cannot be read"):
            reader_of(issuer.url, f"{issuer.url}/{missing}")()
    with pytest.raises(SourceError, match="cannot be read"):
        reader_of(issuer.url, str(tmp_path / "missing"))()
    with pytest.raises(SourceError, match="does not describe itself"):
        reader_of(f"{issuer.url}/", None)()  # it is another issuer by its own description


# -- at the door -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(issuer, checking, tmp_path_factory):
    with house(tmp_path_factory.mktemp("tokens")) as found:
        found.app = create_app(found.decider, PATIENT, checking)
        yield found


def enter(made, issuer, name, role="steward", **more):
    """Give a subject a role, as an admin does."""
    given = {"role": role, "name": name, "subject": {"issuer": issuer.url, "name": name}, **more}
    answer = made.ask("POST", "/keys", "admin", json=given)
    assert answer.status_code == 201
    assert "key" not in answer.json()
    return answer.json()


def test_a_subject_is_known_once_an_admin_has_entered_it_and_until_it_is_revoked(made, issuer):
    token = issuer.token("nora")
    assert made.ask("GET", "/me", token).status_code == 401
    entered = enter(made, issuer, "nora", person="Nora Lee", datasets=[NAME])
    told = made.ask("GET", "/me", token).json()
    assert (told["person"], told["role"], told["subject"]) == ("Nora Lee", "steward", True)
    assert made.ask("GET", AT, token).status_code == 200
    assert made.ask("GET", "/keys", token).status_code == 403
    assert made.ask("GET", "/datasets/others", token).status_code == 403
    last = made.ask("GET", "/datasets/service/log?most=1000", "auditor").json()["entries"][-1]
    assert (last["body"]["id"], last["body"]["person"], last["body"]["subject"]) == (
        entered["id"],
        "Nora Lee",
        True,
    )
    assert issuer.url not in str(last)
    assert made.ask("DELETE", f"/keys/{entered['id']}", "admin").status_code == 204
    assert made.ask("GET", "/me", token).status_code == 401


def test_a_subject_has_one_role_at_a_time(made, issuer):
    first = enter(made, issuer, "otto")
    again = {"role": "auditor", "name": "otto", "subject": {"issuer": issuer.url, "name": "otto"}}
    assert made.ask("POST", "/keys", "admin", json=again).status_code == 409
    made.ask("DELETE", f"/keys/{first['id']}", "admin")
    assert made.ask("POST", "/keys", "admin", json=again).status_code == 201
    with pytest.raises(Conflict):
        made.decider.make_key(role="admin", name="otto", by="me", subject=Subject(issuer.url, "otto"))


def test_a_person_with_a_key_and_a_token_is_one_person(made, issuer):
    enter(made, issuer, "pia", person="Pia")
    enter(made, issuer, "quin", person="Quin")
    own = made.new_key("steward", person="PIA")
    proposed = made.ask("POST", f"{AT}/policies", own, json={"tests": ["mis"], "alpha": 0.2}).json()
    path = f"{AT}/policies/{proposed['version']}/approval"
    answers = [made.ask("POST", path, issuer.token(name)) for name in ("pia", "quin")]
    assert [one.status_code for one in answers] == [403, 200]
    assert answers[1].json()["approved_by"] == "Quin"


def test_a_token_that_proves_nothing_is_answered_as_no_key(made, issuer):
    enter(made, issuer, "rosa")
    good = issuer.token("rosa")
    assert made.ask("GET", "/me", good).status_code == 200
    bad = [
        issuer.token("rosa", aud="another"),
        issuer.token("rosa", exp=1),
        issuer.token("rosa", header={"kid": "x"}),
    ]
    bad += [
        spelled({"alg": "none", "kid": "elliptic"}, issuer.claims("rosa")),
        good[:-3],
        f"{good}=",
        good + "x" * 9000,
    ]
    assert {made.ask("GET", "/me", token).status_code for token in bad} == {401}
    twice = [("Authorization", f"Bearer {good}")] * 2
    assert made.ask("GET", "/me", headers=twice).status_code == 401
    plain = create_app(made.decider, PATIENT)  # no issuer is configured
    made.app, before = plain, made.app
    try:
        assert made.ask("GET", "/me", good).status_code == 401
    finally:
        made.app = before


def test_the_key_of_a_subject_fits_no_secret_and_its_row_is_held_to_the_log(made, issuer):
    entered = enter(made, issuer, "sven")
    token = issuer.token("sven")
    assert made.ask("GET", "/me", f"{entered['id']}.{'A' * 43}").status_code == 401
    own = Subject(issuer.url, "sven").text
    for column, value in (
        ("subject", Subject(issuer.url, "thief").text),
        ("person", "Tia"),
        ("role", "admin"),
    ):
        ((before,),) = made.decider.database.read(
            lambda c, column=column: c.rows(f"SELECT {column} FROM api_key WHERE subject = ?", (own,))
        )
        change = f"UPDATE api_key SET {column} = ? WHERE id = ?"
        made.decider.database.transact("nobody", lambda c, v=value, q=change: c.rows(q, (v, entered["id"])))
        shown = issuer.token("thief") if column == "subject" else token
        assert made.ask("GET", "/me", shown).status_code == 503
        made.decider.database.transact("nobody", lambda c, v=before, q=change: c.rows(q, (v, entered["id"])))
    assert made.ask("GET", "/me", token).status_code == 200
