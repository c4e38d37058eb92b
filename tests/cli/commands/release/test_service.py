"""The commands of the release service as an operator and a requester meet them."""

import json
import os
import sqlite3
import stat
import threading
import time
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from typer.testing import CliRunner

from divulge.cli import app as cli
from divulge.cli import main as cli_main
from divulge.cli.commands.release import token_issuers
from divulge.cli.commands.release.calls import service_calls as requesting
from divulge.errors import (
    Conflict,
    Forbidden,
    MissingLibrary,
    MissingSource,
    NotFound,
    ParameterError,
    SourceError,
    TooMuch,
    Unavailable,
)
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree
from divulge.service.operations.locations import ServiceLocations

HEAD = "id,age,place,word\n"
ROWS = [f"p{i},{('20s', '30s', '40s')[i % 3]},{('north', 'south')[i // 3 % 2]},SECRET{i}" for i in range(60)]
INIT = (
    "init",
    "s.db",
    "t.csv",
    "--dataset",
    "people",
    "--id",
    "id",
    "--x",
    "age",
    "--y",
    "place",
    "--samples",
    "200",
)


def invoke(*arguments, group="release"):
    return CliRunner().invoke(cli.app, [group, *map(str, arguments)])


def ask(*arguments, code=0):
    result = invoke(*arguments)
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def refused(*arguments):
    """The error that a command ends in."""
    return invoke(*arguments).exception


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DIVULGE_KEY", raising=False)
    (tmp_path / "t.csv").write_text(HEAD + "\n".join(ROWS) + "\n")
    return tmp_path


@pytest.fixture
def made(folder):
    return invoke(*INIT)


def decide(*ids):
    """Requests that somebody made of the service."""
    from divulge.service.decisions.decisions import RecordRequest
    from divulge.service.operations.locations import ServiceLocations

    decider = ServiceLocations.of("s.db").open()
    decider.batch("people", [RecordRequest(one, os.urandom(8).hex()) for one in ids], "0123456789ab")
    decider.database.close()


def test_init_warns_of_columns_that_name_people_since_they_go_out(folder):
    rows = [f"{row},{('Ute', 'Bo')[n % 2]},{('fine', 'see Mrs Weber')[n % 2]}" for n, row in enumerate(ROWS)]
    (folder / "t.csv").write_text(HEAD.replace("word", "word,Vorname,Notes") + "\n".join(rows) + "\n")
    assert (
        "Warning: 'Vorname' and 'Notes' look as if they name people, and go out with every released record. "
        "To keep them back, give a file without these columns."
    ) in invoke(*INIT).stderr


# -- a dataset and keys -----------------------------------------------------------------------------


def test_init_makes_a_database_and_keys_and_tells_the_admin_key_once(made, folder):
    assert "people: 60 records in s.db" in made.stderr
    told = made.stdout.strip()
    assert len(told) == 12 + 1 + 43
    assert not any(
        told.split(".")[1].encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file()
    )
    assert {file.name for file in (folder / "s-keys").iterdir()} == {
        "signing.pem",
        "digest.key",
        "public.pem",
    }
    assert "A released record has all 4 attributes: id, age, place and word." in made.stderr
    assert "Warning" not in made.stderr
    again = invoke(*INIT[:4], "others", *INIT[5:])
    assert "others: 60 records" in again.stderr
    assert again.stdout == ""
    assert isinstance(refused(*INIT), Conflict)


def test_keys_of_a_database_that_has_a_log_are_never_made_anew(made, folder):
    (folder / "s-keys").rename(folder / "elsewhere")
    error = refused(*INIT[:4], "others", *INIT[5:])
    assert isinstance(error, MissingSource)
    assert "--key-folder" in str(error)
    assert not (folder / "s-keys").exists()


def test_a_dataset_that_was_served_before_is_not_begun_anew(made, folder):
    """What is outside would be forgotten."""
    for name in ("s.db", "s.db-wal", "s.db-shm"):
        (folder / name).unlink(missing_ok=True)
    error = refused(*INIT)
    assert isinstance(error, Conflict)
    assert "records may have been released" in str(error)
    assert invoke(*INIT, "--checkpoints", "others").exit_code == 0


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        (("--baseline", "t.csv", "--following"), ParameterError),
        (("--dataset", "People!"), ParameterError),
        (("--test", "none"), ParameterError),
        (("--alpha", "2"), ParameterError),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_made(folder, more, kind):
    assert isinstance(refused(*INIT, *more), kind)
    assert not (folder / "s.db").exists()


def test_a_baseline_and_partitions_come_from_files(folder):
    (folder / "b.csv").write_text("age,place\n20s,north\n30s,north\n40s,north\n40s,north\n")
    (folder / "p.toml").write_text('[age]\nyoung = ["20s", "30s"]\nold = ["40s"]\n')
    ask(*INIT, "--baseline", "b.csv", "--partitions", "p.toml")
    with closing(sqlite3.connect("s.db")) as connection:
        ((body,),) = connection.execute("SELECT body FROM policy")
        ((kept,),) = connection.execute("SELECT partitions FROM dataset")
    policy = json.loads(body)
    assert dict(zip(policy["values"], policy["shares"], strict=True)) == {"young": 0.5, "old": 0.5}
    (folder / "p.toml").unlink()
    assert json.loads(kept)["age"]["old"] == ["40s"]
    assert "60 records, 0 new, 0 gone" in ask("update", "s.db", "t.csv", "--dataset", "people")


def test_update_takes_the_table_as_it_is_now(made, folder):
    decide("p0", "p1", "p2", "p3", "p4", "p5")
    (folder / "t.csv").write_text(HEAD + "\n".join([*ROWS[6:], "q,20s,north,SECRETQ"]) + "\n")
    said = ask("update", "s.db", "t.csv", "--dataset", "people")
    assert "55 records, fewer than 5 new" in said
    assert isinstance(refused("update", "s.db", "t.csv", "--dataset", "nobody"), NotFound)
    assert "complete" in ask("verify", "s.db", "--replay")


def test_keys_are_made_listed_and_revoked(made):
    result = invoke("key", "s.db", "--role", "requester", "--name", "ann", "--expires", "2999-01-31")
    told = result.stdout.strip()
    identity, secret = told.split(".")
    assert "shown once" in result.stderr
    listed = ask("key", "s.db")
    assert f"{identity}  requester  ann     ann    all    2999-01-31T00:00:00.000000+00:00  -" in listed
    assert secret not in listed
    ask("key", "s.db", "--revoke", identity)
    assert ask("key", "s.db").splitlines()[-1].split()[-1] != "-"
    assert isinstance(refused("key", "s.db", "--revoke", identity), NotFound)


@pytest.mark.parametrize(
    "asked",
    [
        ("--role", "requester"),
        ("--name", "ann"),
        ("--expires", "2999-01-31"),
        ("--role", "king", "--name", "ann"),
        ("--role", "admin", "--name", "ann", "--expires", "2001-01-01"),
        ("--role", "admin", "--name", "ann", "--expires", "soon"),
        ("--revoke", "x", "--role", "admin"),
        ("--revoke", "x", "--person", "ann"),
        ("--person", "ann"),
        ("--role", "admin", "--name", "ann", "--person", "an\u202en"),
        ("--role", "admin", "--name", "ann", "--dataset", "people"),
        ("--role", "requester", "--name", "ann", "--record", "p1"),
        ("--role", "requester", "--name", "ann", "--subject", "ann"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(made, asked):
    assert isinstance(refused("key", "s.db", *asked), ParameterError)


def test_a_key_has_a_person_and_a_scope_and_the_list_names_no_record(made):
    given = ("--role", "requester", "--name", "desk", "--person", "Ann Lee", "--dataset", "people")
    result = invoke("key", "s.db", *given, "--record", "p7", "--record", "p8")
    assert "of Ann Lee, requester" in result.stderr
    identity = result.stdout.partition(".")[0]
    subject = ("--role", "steward", "--name", "dora", "--issuer", "https://issuer", "--subject", "00u1")
    result = invoke("key", "s.db", *subject)
    assert result.stdout == ""
    assert "for tokens of the subject" in result.stderr
    listed = ask("key", "s.db")
    row = next(line for line in listed.splitlines() if line.startswith(identity))
    assert row.split("  ")[1:] == ["requester", "Ann Lee", "desk", "", *row.split("  ")[5:]]
    assert "people: fewer than 5 records" in row
    assert "dora (subject)" in listed
    assert "p7" not in listed
    assert "complete" in ask("verify", "s.db")


def test_tokens_need_an_issuer_an_audience_and_a_package(made, monkeypatch):
    assert "one audience" in str(refused("serve", "s.db", "--oidc-issuer", "https://issuer"))
    assert "one audience" in str(refused("serve", "s.db", "--oidc-keys", "keys.json"))
    given = ("serve", "s.db", "--oidc-audience", "us")
    assert "https" in str(refused(*given, "--oidc-issuer", "http://issuer"))
    monkeypatch.setattr(token_issuers, "find_spec", lambda name: None)
    error = refused(*given, "--oidc-issuer", "https://issuer")
    assert isinstance(error, MissingLibrary)
    assert "divulge[oidc]" in error.hint


def test_a_database_has_one_process_that_writes_and_others_may_look(made):
    from divulge.service.operations.locations import ServiceLocations

    decider = ServiceLocations.of("s.db").open()
    try:
        error = refused("key", "s.db", "--role", "admin", "--name", "ann")
        assert isinstance(error, SourceError)
        assert "Another process has s.db open" in str(error)
        assert isinstance(refused("serve", "s.db", "--port", "0"), SourceError)
        assert "people: 60 records, 0 released" in ask("status", "s.db")
        assert "complete" in ask("verify", "s.db")
        assert "1 entry" in ask("export", "s.db", "out.jsonl", "--dataset", "people")
        assert "Copied" in ask("backup", "s.db", "copy.db")
    finally:
        decider.database.close()


# -- how things stand -------------------------------------------------------------------------------


def test_status_tells_what_is_outside_and_how_near_the_limits_are(made):
    decide(*(f"p{number}" for number in range(30)))
    said = ask("status", "s.db")
    assert "people: 60 records" in said
    assert "policy 1: mis at 0.2" in said
    found = json.loads(ask("status", "s.db", "--json"))
    (one,) = found["datasets"]
    assert one["outside"] + one["waiting"] == 30
    assert f"{one['outside']} released" in said
    assert f"Now, about {round(one['typical']['released'])} of the next 100 typical records" in said
    assert "SECRET" not in said + json.dumps(found)


def test_verify_says_whole_by_what_or_names_the_first_bad_entry(made):
    decide(*(f"p{number}" for number in range(10)))
    said = ask("verify", "s.db", "--replay")
    assert "complete by the holder's seals and" in said
    assert "Repeated with the same result" in said
    assert json.loads(ask("verify", "s.db", "--json"))["whole"] is True
    with closing(sqlite3.connect("s.db")) as connection:
        connection.execute("UPDATE entry SET at = 'never' WHERE chain = 'people' AND idx = 5")
        connection.commit()
    said = ask("verify", "s.db", code=1)
    assert "people: NOT COMPLETE. Entry 5 does not follow" in said
    found = json.loads(ask("verify", "s.db", "--json", code=1))
    assert found["whole"] is False
    (people, _) = found["chains"]
    assert people["fault"]["index"] == 5


def test_a_rotated_key_is_followed_from_the_first_and_the_last(made, folder):
    first, answer = folder / "first.pem", folder / "answer.json"
    first.write_bytes((folder / "s-keys" / "public.pem").read_bytes())
    with decided("p1") as (decider, found):
        (told,), common = found.proved(decider.database)
    answer.write_text(json.dumps({**told, **common}))
    said = ask("rotate-key", "s.db")
    assert said.startswith("The holder's key: ")
    assert first.read_bytes() != (folder / "s-keys" / "public.pem").read_bytes()
    ask("export", "s.db", "out.jsonl", "--dataset", "people")
    for key in (first, "s-keys/public.pem"):
        ask("verify", "s.db", "--public-key", key, "--replay")
        ask("verify", "out.jsonl", "--public-key", key, "--checkpoints", answer)
        ask("verify", "--proof", answer, "--public-key", key, "--checkpoints", "out.jsonl")
    ask("verify", "--proof", answer, "--public-key", first)
    assert "was not signed" in ask("verify", "--proof", answer, "--public-key", "s-keys/public.pem", code=1)
    with decided("p2") as (decider, found):
        (told,), common = found.proved(decider.database)
        later = {**told, **common, **decider.keys.shown("people")}
    answer.write_text(json.dumps(later))
    ask("verify", "--proof", answer, "--public-key", first)
    del later["hand_overs"]
    answer.write_text(json.dumps(later))
    assert "was not signed" in ask("verify", "--proof", answer, "--public-key", first, code=1)


def test_an_answer_is_held_to_its_entry_where_the_log_is_given(made, folder):
    ask("export", "s.db", "early.jsonl", "--dataset", "people")
    with decided("p1") as (decider, found):
        (told,), common = found.proved(decider.database)
    ask("export", "s.db", "out.jsonl", "--dataset", "people")
    answer = folder / "answer.json"
    asked = ("verify", "--proof", answer, "--public-key", "s-keys/public.pem", "--checkpoints")
    for log, change, code, sentence in (
        ("out.jsonl", {}, 0, "in the log of 2 entries"),
        ("out.jsonl", {"decision": "refused"}, 1, "not what entry 2 says"),
        ("out.jsonl", {"ticket": "another"}, 1, "not in entry 2"),
        ("out.jsonl", {"decision": None}, 1, "has no decision"),
        ("out.jsonl", {"ticket": None}, 1, "has no ticket"),
        ("early.jsonl", {}, 1, "has no entry 2"),
    ):
        answer.write_text(json.dumps({**told, **common, **change}))
        assert sentence in ask(*asked, log, code=code)
    for name in ("decision", "ticket"):
        answer.write_text(json.dumps({key: value for key, value in (told | common).items() if key != name}))
        assert f"has no {name}" in ask(*asked, "out.jsonl", code=1)
    lines = (folder / "out.jsonl").read_text()
    (folder / "out.jsonl").write_text(lines.replace(told["ticket"], "another"))
    answer.write_text(json.dumps({**told, **common, "ticket": "another"}))
    assert "is not the answer's" in ask(*asked, "out.jsonl", code=1)


@contextmanager
def decided(record):
    decider = ServiceLocations.of("s.db").open()
    with closing(decider.database):
        yield decider, decider.decided_one("people", RecordRequest(record, f"key {record}"), "0123456789ab")


def test_without_a_private_key_a_command_says_what_to_do(made, folder):
    (folder / "s-keys" / "signing.pem").rename(folder / "signing.pem")
    assert "--signer" in str(invoke("serve", "s.db").exception)
    assert "--signer" in str(invoke("key", "s.db", "--role", "admin", "--name", "a").exception)
    ask("status", "s.db")  # which signs nothing
    for more in (["--new-key"], ["--allow-loss", "people"]):
        assert "There is no key in nowhere" in str(invoke("signer", "nowhere", *more).exception)
    assert "cannot be reached" in str(
        invoke("update", "s.db", "t.csv", "--dataset", "people", "--signer", "none").exception
    )


def test_verify_refuses_to_say_anything_where_there_is_nothing_to_verify_with(made, folder):
    (folder / "s-keys").rename(folder / "k")
    (folder / "s-checkpoints").rename(folder / "c")
    assert "nothing to verify the log with" in str(refused("verify", "s.db"))
    assert "public key" in str(refused("verify", "s.db", "--checkpoints", "c"))
    said = ask("verify", "s.db", "--checkpoints", "c", "--public-key", "k/public.pem")
    assert "complete by 1 checkpoint" in said
    assert "seals" not in said
    assert "without the holder's keys" in str(
        refused("verify", "s.db", "--checkpoints", "c", "--public-key", "k/public.pem", "--replay")
    )
    assert "seals" in ask("verify", "s.db", "--key-folder", "k")
    assert isinstance(refused("verify", "none.db"), MissingSource)
    assert isinstance(refused("verify", "t.csv", "--replay"), ParameterError)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--proxy", "*", "A trusted proxy must be an address or a network."),
        ("--keep-answers", "0", "Answers are kept for 1 to 36500 days."),
        ("--open-per-key", "0", "The limit 'per_key' must be larger than 0."),
    ],
)
def test_serving_with_a_setting_that_cannot_hold_is_refused_before_anything_is_opened(
    made, option, value, sentence
):
    assert sentence in str(refused("serve", "nothing.db", option, value))


def test_verify_names_what_it_does_not_cover(made, folder):
    given = ("--checkpoints", "s-checkpoints", "--public-key", "k/public.pem")
    (folder / "s-keys").rename(folder / "k")
    said = ask("verify", "s.db", *given)
    assert "needs --key-folder: answer, cell, dataset, policy, record, removed_answer, request." in said
    assert "needs --key-folder: api_key." in said
    found = json.loads(ask("verify", "s.db", *given, "--json"))["chains"]
    assert [len(one["not_covered"]) for one in found] == [7, 1]


def test_verify_refuses_checkpoints_that_say_nothing_of_the_log(made, folder):
    ask("export", "s.db", "people.jsonl", "--dataset", "people")
    ask("export", "s.db", "service.jsonl", "--dataset", "service")
    said = str(refused("verify", "people.jsonl", "--checkpoints", "service.jsonl"))
    assert "service.jsonl are of service, and these logs are verified: people" in said
    (folder / "odd.json").write_text((folder / "s-checkpoints" / "people.checkpoints").read_text())
    told = json.loads((folder / "odd.json").read_text().splitlines()[0])
    (folder / "odd.json").write_text(json.dumps({**told, "chain": "others"}))
    assert "are of others" in str(refused("verify", "s.db", "--checkpoints", "odd.json"))
    (folder / "odd.json").write_text(json.dumps({**told, "signature": 7}))
    assert "cannot be read" in str(refused("verify", "s.db", "--checkpoints", "odd.json"))


def test_a_name_that_turns_the_direction_of_writing_is_shown_escaped(made, monkeypatch, capsys):
    name = "ann\u202e\x07"
    ask("key", "s.db", "--role", "auditor", "--name", name, "--person", "ann")
    monkeypatch.setattr("sys.argv", ["divulge", "release", "key", "s.db"])
    with pytest.raises(SystemExit):
        cli_main()
    said = capsys.readouterr().out
    assert "ann\\u202e\\u0007" in said
    assert name not in said


def test_an_export_is_verified_alone_and_against_others_checkpoints(made, folder):
    decide("p1", "p2")
    ask("export", "s.db", "early.jsonl", "--dataset", "people")
    decide("p3", "p4", "p5")
    ask("export", "s.db", "late.jsonl", "--dataset", "people")
    (folder / "alone").mkdir()
    for name in ("early.jsonl", "late.jsonl"):
        (folder / name).rename(folder / "alone" / name)
    said = ask("verify", "alone/late.jsonl")
    assert "is it the holder's?" in said
    said = ask(
        "verify",
        "alone/late.jsonl",
        "--public-key",
        "s-keys/public.pem",
        "--checkpoints",
        "alone/early.jsonl",
    )
    assert "is it the holder's?" not in said
    said = ask("verify", "alone/early.jsonl", "--checkpoints", "s-checkpoints", code=1)
    assert "people: NOT COMPLETE. Entry 4 is missing" in said


def test_a_restored_copy_is_read_only_until_it_is_reconciled(made, folder):
    decide("p1", "p2")
    ask("backup", "s.db", "copy.db")
    decide("p3", "p4", "p5")
    ask("export", "s.db", "out.jsonl", "--dataset", "people")
    for name in ("s.db", "s.db-wal", "s.db-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / "copy.db").rename(folder / "s.db")
    assert "read-only. The database has 3 entries" in ask("status", "s.db")
    assert isinstance(refused("reconcile", "s.db", "--dataset", "people"), ParameterError)
    both = ("--export", "out.jsonl", "--accept-loss")
    assert isinstance(refused("reconcile", "s.db", "--dataset", "people", *both), ParameterError)
    said = ask("reconcile", "s.db", "--dataset", "people", "--export", "out.jsonl")
    assert "people: 3 entries before, 6 now" in said
    assert "read-only" not in ask("status", "s.db")
    assert "complete" in ask("verify", "s.db", "--replay")


# -- a requester ------------------------------------------------------------------------------------


class Service:
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.asked.append((self.command, self.path, dict(self.headers), body))
                code, document = service.answers.pop(0)
                if code is None:
                    with suppress(OSError):
                        for part in document if isinstance(document, list) else [document or b""]:
                            self.wfile.write(part)
                            time.sleep(0.05 * isinstance(document, list))
                    self.close_connection = True
                    return
                said = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", document.decode())
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


KEYS = Ed25519PrivateKey.generate()
PUBLIC = KEYS.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def proved(answer, count=5, key=KEYS, dataset="people"):
    """An answer about the second of some entries, as a service has it that was asked for the first time."""
    tree = LogTree()
    for number in range(count):
        tree.add(f"{number:064x}")
    signed = Checkpoint.signed(key, dataset, 0, count, tree.last, "noon", tree.root)
    return {
        **answer,
        "index": 2,
        "hash": f"{1:064x}",
        "proof": tree.path(2),
        "checkpoint": signed.to_dict(),
    }


RELEASED = proved({"decision": "released", "ticket": "t1", "record": {"id": "p1", "town": "é"}})
SAME = {"consistency": {"since": 5, "path": []}}  # the log is as long as it was
BUSY = (503, {"error": "unavailable", "message": "Nothing was decided."})


@pytest.fixture
def key(folder, monkeypatch):
    monkeypatch.setattr(requesting, "FIRST_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    (folder / "ann.key").write_text("id.secret\n")
    (folder / "public.pem").write_bytes(PUBLIC)
    return ("--key-file", "ann.key", "--public-key", "public.pem")


def test_a_request_is_made_again_under_the_same_key_until_it_is_answered(key):
    with Service(BUSY, (None, None), (429, b"<html>"), (200, RELEASED)) as service:
        said = ask("request", service.url, "people", "p1", *key)
    assert said == 'released\n{"id": "p1", "town": "é"}\n'
    assert len(service.asked) == 4
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in service.asked}) == 1
    for method, path, headers, body in service.asked:
        assert (method, path, json.loads(body)) == ("POST", "/datasets/people/requests", {"record": "p1"})
        assert headers["Authorization"] == "Bearer id.secret"


def test_two_requests_have_two_keys(key, monkeypatch):
    monkeypatch.setenv("DIVULGE_KEY", "id.other")
    waiting = proved({"decision": "waiting", "ticket": "t2"}) | SAME
    with Service((200, RELEASED), (202, waiting)) as service:
        assert json.loads(ask("request", service.url, "people", "p1", "--json", *key[2:])) == RELEASED
        assert ask("request", service.url, "people", "p1", *key[2:]) == "waiting\n"
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in service.asked}
    assert len(keys) == 2
    assert service.asked[0][2]["Authorization"] == "Bearer id.other"


def test_a_ticket_is_followed_and_taken_back(key):
    followed, withdrawn = (
        RELEASED | {"ticket": "a/b"},
        proved({"decision": "withdrawn", "ticket": "t"}) | SAME,
    )
    with Service((200, followed), (200, withdrawn)) as service:
        ask("request", service.url, "people", "--ticket", "a/b", *key)
        assert ask("request", service.url, "people", "--ticket", "t", "--withdraw", *key) == "withdrawn\n"
    assert [one[:2] for one in service.asked] == [
        ("GET", "/datasets/people/requests/a%2Fb"),
        ("DELETE", "/datasets/people/requests/t?since=5"),
    ]


CUT = b"HTTP/1.1 %s\r\nContent-Length: 1000\r\n\r\n{"


@pytest.mark.parametrize(
    "reply",
    [
        CUT % b"200 OK",
        CUT % b"503 X",
        CUT % b"409 X",
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000,
    ],
    ids=["cut", "cut refusal", "cut conflict", "no HTTP", "long header"],
)
def test_a_reply_that_was_cut_off_or_is_no_http_is_no_answer(key, reply):
    with Service((None, reply), (200, RELEASED)) as service:
        assert ask("request", service.url, "people", "p1", *key).startswith("released")
    first, second = (headers["Idempotency-Key"] for _, _, headers, _ in service.asked)
    assert first == second


@pytest.mark.parametrize(
    "head", [b"200 OK\r\nContent-Length: 300000", b"409 X\r\nContent-Length: 300000", b"200 OK"]
)
def test_an_answer_that_is_too_long_is_not_read_to_its_end(key, monkeypatch, head):
    monkeypatch.setattr(requesting, "LONGEST", 100_000)
    with Service((None, b"HTTP/1.1 " + head + b"\r\n\r\n" + b"[" * 300_000)) as service:
        error = refused("request", service.url, "people", "p1", *key)
    assert isinstance(error, SourceError)
    assert "longer than" in str(error)


def test_an_answer_that_comes_too_slowly_is_no_answer(key, monkeypatch):
    monkeypatch.setattr(requesting, "PATIENCE", 0.2)
    monkeypatch.setattr(requesting, "ATTEMPTS", 2)
    held = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    with Service(*[(None, [held, *[b"1"] * 9])] * 2) as service:
        error = refused("request", service.url, "people", "p1", *key)
    assert isinstance(error, Unavailable)
    assert "not known whether" in str(error)


def test_an_answer_to_another_question_is_not_used(key, folder):
    """Its proof says that the entry is in the log, not what was asked."""
    with Service((200, RELEASED), (200, RELEASED), (200, RELEASED | {"record": {"id": 7}} | SAME)) as service:
        assert "another record" in str(refused("request", service.url, "people", "p2", *key))
        assert "another ticket" in str(refused("request", service.url, "people", "--ticket", "t", *key))
        assert not (folder / "state").exists()  # nor remembered
        ask("request", service.url, "people", "7", *key)


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("request", ["p1"]),
        ("request", ["--ticket", "t1"]),
        ("request", ["--ticket", "t1", "--withdraw"]),
        ("propose", ["--test", "mis"]),
        ("approve", [2]),
        ("ask", ["SELECT COUNT(*) FROM people"]),
    ],
    ids=["record", "ticket", "withdrawal", "proposal", "approval", "query"],
)
def test_an_answer_from_the_log_of_another_dataset_is_not_used(key, folder, command, rest):
    said = {**OPEN, "dry_run": TRIAL, "ticket": "t1", "decision": "answered"}
    said |= {"answer": {"exact_low": "33", "exact_high": "33"}}
    other, own = proved(said, dataset="others"), proved(said)
    with Service((200, other), (200, own), (200, other | SAME)) as service:
        asked = [command, service.url, "people", *rest, *key, "--last-seen", "seen.json"]
        group = "query" if command == "ask" else "release"
        sentence = "The answer is from the log of 'others', and 'people' was asked. The answer is not used."
        assert str(invoke(*asked, group=group).exception).startswith(sentence)
        assert not (folder / "seen.json").exists()
        assert invoke(*asked, group=group).exit_code == 0
        kept = (folder / "seen.json").read_text()
        assert str(invoke(*asked, group=group).exception).startswith(sentence)
        assert (folder / "seen.json").read_text() == kept


def test_an_approval_of_another_version_is_not_taken_for_the_one_that_was_asked_for(key):
    with Service((200, proved(OPEN))) as service:
        error = refused("approve", service.url, "people", 3, *key)
    assert "another version" in str(error)


# -- what is remembered -----------------------------------------------------------------------------


def test_the_last_checkpoint_is_remembered_in_a_file_of_ones_own(key, folder):
    with Service((200, RELEASED)) as service:
        ask("request", service.url, "people", "p1", *key)
    (kept,) = (folder / "state").rglob("*.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert json.loads(kept.read_text())["checkpoint"] == RELEASED["checkpoint"]


def test_the_key_of_a_service_is_asked_for_once_and_then_held_to(key):
    told = {"checkpoint": RELEASED["checkpoint"], "public_key": PUBLIC.decode()}
    other = proved({"decision": "released", "ticket": "t"}, key=Ed25519PrivateKey.generate())
    with Service((200, RELEASED), (200, told), (200, RELEASED | SAME), (200, other)) as service:
        asked = ("request", service.url, "people", "p1", *key[:2], "--last-seen", "seen.json")
        assert ask(*asked) == ask(*asked) == 'released\n{"id": "p1", "town": "é"}\n'
        assert "not signed by the holder" in str(refused(*asked))
    assert [one[1] for one in service.asked] == [
        "/datasets/people/requests",
        "/datasets/people/checkpoints",
        "/datasets/people/requests?since=5",
        "/datasets/people/requests?since=5",
    ]


def test_a_log_that_was_turned_back_or_rewritten_is_refused_and_the_evidence_kept(key, folder, capsys):
    earlier = proved(RELEASED, count=4)
    rewritten = proved(RELEASED, count=6)
    rewritten["consistency"] = {"since": 5, "path": ["0" * 64]}
    asked = ("people", "p1", *key, "--last-seen", "seen.json")
    shown = (RELEASED, earlier, rewritten, proved(RELEASED, 6), RELEASED)
    with Service(*((200, one) for one in shown)) as service:
        ask("request", service.url, *asked)
        error = refused("request", service.url, *asked)
        assert str(error).startswith("The log had 5 entries, and now has 4: it was turned back.")
        assert "seen.evidence.json" in str(error)
        assert "does not go on" in str(refused("request", service.url, *asked))
        for _ in range(2):  # one with more entries, and the one that was seen
            assert "no proof that the log goes on" in str(refused("request", service.url, *asked))
    assert "released" not in capsys.readouterr().out
    kept = json.loads((folder / "seen.evidence.json").read_text())
    assert kept["seen"]["checkpoint"]["count"] == 5
    assert kept["answered"]["checkpoint"]["count"] == 5
    assert "é" not in json.dumps(kept, ensure_ascii=False)
    assert json.loads((folder / "seen.json").read_text())["checkpoint"]["count"] == 5


@pytest.mark.parametrize("without", ["proof", "checkpoint", "hash", "index"])
def test_an_answer_without_a_proof_is_not_used(key, without):
    with Service((200, {name: value for name, value in RELEASED.items() if name != without})) as service:
        assert "no proof" in str(refused("request", service.url, "people", "p1", *key))


def test_a_memory_that_cannot_be_read_or_written_is_told(key, folder):
    (folder / "seen.json").write_text("{}")
    (folder / "file").touch()
    with Service((200, RELEASED)) as service:
        asked = ("request", service.url, "people", "p1", *key, "--last-seen")
        assert "cannot be read" in str(refused(*asked, "seen.json"))
        assert not service.asked
        assert "cannot be" in str(refused(*asked, "file/seen.json"))


# -- proofs -----------------------------------------------------------------------------------------


def test_an_answer_is_verified_with_nothing_but_the_public_key(key, folder):
    (folder / "answer.json").write_text(json.dumps(RELEASED))
    said = ask("verify", "--proof", "answer.json", "--public-key", "public.pem")
    assert said == (
        "people: entry 2 in the log of 5 entries signed at noon. Not compared: its decision and ticket "
        "(give --checkpoints EXPORT), and a record or figure in it.\n"
    )
    (folder / "batch.json").write_text(
        json.dumps({"answers": [RELEASED, {"error": "not found"}], "checkpoint": RELEASED["checkpoint"]})
    )
    said = ask("verify", "--proof", "batch.json", "--public-key", "public.pem")
    assert "entry 2 in the log" in said
    assert "NOT PROVED: 1 of 2 answers." in said
    document = json.loads(ask("verify", "--proof", "batch.json", "--public-key", "public.pem", "--json"))
    left = ["decision", "ticket", "contents", "answers with an error"]
    assert document["chains"][0]["not_covered"] == left
    document = json.loads(ask("verify", "--proof", "answer.json", "--public-key", "public.pem", "--json"))
    assert (document["whole"], document["chains"][0]["entries"]) == (True, 5)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"index": 3}, "Entry 3 is not in the log"),
        ({"hash": f"{7:064x}"}, "Entry 2 is not in the log"),
        ({"proof": RELEASED["proof"][:-1]}, "Entry 2 is not in the log"),
        ({"checkpoint": {**RELEASED["checkpoint"], "count": 6}}, "not signed by the holder"),
        ({"checkpoint": {**RELEASED["checkpoint"], "root": "0" * 64}}, "not signed by the holder"),
    ],
)
def test_an_answer_that_is_not_in_the_log_is_not_proved(key, folder, change, sentence):
    (folder / "answer.json").write_text(json.dumps({**RELEASED, **change}))
    assert sentence in ask("verify", "--proof", "answer.json", "--public-key", "public.pem", code=1)


def test_a_proof_that_cannot_be_verified_is_told(key, folder):
    (folder / "answer.json").write_text(json.dumps({**RELEASED, "proof": ["zz"]}))
    public = ("--public-key", "public.pem")
    assert "not an answer" in str(refused("verify", "--proof", "answer.json", *public))
    repeated = json.dumps(RELEASED).replace('"decision":', '"decision": "waiting", "decision":', 1)
    half = {"answers": [{"error": "forbidden", "decision": "released"}], "checkpoint": RELEASED["checkpoint"]}
    odd = [{**RELEASED, "index": "2"}, {**RELEASED, "index": 2.0}]
    for text in (repeated, *map(json.dumps, [half, *odd])):
        (folder / "answer.json").write_text(text)
        assert "not an answer" in str(refused("verify", "--proof", "answer.json", *public))
    assert isinstance(refused("verify", "--proof", "none.json", *public), MissingSource)
    assert "public key" in str(refused("verify", "--proof", "answer.json"))
    assert "either a log or --proof" in str(refused("verify", *public))


@pytest.mark.parametrize(
    ("code", "kind"),
    [(401, SourceError), (403, Forbidden), (404, NotFound), (409, Conflict), (422, SourceError)],
)
def test_a_refusal_is_told_in_the_services_words(key, code, kind):
    with Service((code, {"error": "x", "message": "Not for you."})) as service:
        error = refused("request", service.url, "people", "p1", *key)
    assert isinstance(error, kind)
    assert str(error) == "Not for you."


def test_a_key_is_not_handed_on_to_where_an_answer_points(key):
    with Service((200, RELEASED)) as other, Service((302, other.url.encode())) as service:
        error = refused("request", service.url, "people", "p1", *key)
        assert isinstance(error, SourceError)
        assert not other.asked


def test_a_service_that_does_not_answer_is_given_up_in_the_end(key, monkeypatch):
    with Service(*[BUSY] * requesting.ATTEMPTS) as service:
        error = refused("request", service.url, "people", "p1", *key)
    assert isinstance(error, Unavailable)
    assert "The service refuses: Nothing was decided." in str(error)
    error = refused("request", service.url, "people", "p1", *key)
    assert isinstance(error, Unavailable)
    assert f"No service answers at {service.url}." in str(error)
    with Service((200, b"<html>hello</html>"), (200, b"[" * 100_000)) as service:
        for _ in range(2):
            error = refused("request", service.url, "people", "p1", *key)
            assert "does not come from a release service" in str(error)


def test_a_request_that_makes_no_sense_is_not_sent(key):
    address = "http://127.0.0.1:9"
    for asked in (
        ("people", *key),
        ("people", "p1", "--ticket", "t", *key),
        ("people", "p1", "--withdraw", *key),
    ):
        assert isinstance(refused("request", address, *asked), ParameterError)
    assert "No key given" in str(refused("request", address, "people", "p1"))
    assert isinstance(refused("request", address, "people", "p1", "--key-file", "none"), MissingSource)
    assert "http://" in str(refused("request", "file:///etc", "people", "p1", *key))


def test_samples_beyond_reason_are_refused_before_a_database_is_made(folder):
    error = refused(*INIT[:-1], "1000000000")
    assert isinstance(error, TooMuch)
    assert "would need about" in str(error)
    assert not (folder / "s.db").exists()


def test_a_policy_may_have_a_level_for_the_whole_set():
    ask(*INIT, "--test", "kld", "--familywise")
    assert "policy 1: kld at 0.2 for the whole set" in ask("status", "s.db")


def test_dixons_fault_is_said_when_a_dataset_is_held_to_it(folder):
    rows = [f"q{i},{('20s', '30s')[i % 2]},{('north', 'south', 'west')[i // 2 % 3]}" for i in range(60)]
    (folder / "three.csv").write_text("id,age,place\n" + "\n".join(rows))
    said = invoke(*INIT[:2], "three.csv", *INIT[3:], "--test", "dqt").stderr
    assert "Warning: DQT does not keep its level" in said
    assert "Warning" not in invoke(*INIT).stderr


# -- a steward --------------------------------------------------------------------------------------

OPEN = {"version": 2, "status": "proposed", "approvals_needed": 2, "approvals": ["Emil"], "approved_by": None}
OPEN |= {"proposed_by": "Dora", "expires": "2999-01-31T00:00:00.000000+00:00"}
OPEN |= {"rules": {"tests": ["mis", "kld"], "alpha": 0.1}}
TRIAL = {"would_leave": 3, "waiting": 12, "within_limits": True}


def test_rules_are_proposed_approved_and_listed_with_persons(key):
    answers = [proved({**OPEN, "dry_run": TRIAL}), proved(OPEN), proved({**OPEN, "status": "active"})]
    answers += [{"policies": [OPEN]}]
    with Service(*((200, answer | SAME) for answer in answers)) as service:
        rules = ("--test", "mis,kld", "--alpha", "0.1", "--approvals", "2")
        said = ask("propose", service.url, "people", *rules, *key)
        assert "Version 2 is proposed. 2 other persons can approve it until 2999-01-31." in said
        assert "3 of 12 waiting requests would be released" in said
        assert "has 1 of 2 approvals" in ask("approve", service.url, "people", 2, *key)
        assert ask("approve", service.url, "people", 2, *key) == "Version 2 is active now.\n"
        listed = ask("policies", service.url, "people", *key)
    assert "2        proposed  mis,kld at 0.1  Dora         Emil (1 of 2)  2999-01-31" in listed
    (method, path, _, body), (_, second, *_), *_ = service.asked
    assert (method, path) == ("POST", "/datasets/people/policies")
    assert second == "/datasets/people/policies/2/approval?since=5"
    sent = json.loads(body)
    assert (sent["tests"], sent["alpha"], sent["approvals"]) == (["mis", "kld"], 0.1, 2)
    assert "limits" not in sent


def test_a_proposal_is_not_sent_twice(key):
    for answer in (BUSY, (None, b"")):
        with Service(answer) as service:
            error = refused("propose", service.url, "people", "--test", "mis", *key)
        assert isinstance(error, Unavailable)
        assert "divulge release policies" in error.hint
        assert len(service.asked) == 1


def test_a_proposal_names_its_tests(key):
    assert isinstance(refused("propose", "http://127.0.0.1:9", "people", *key), ParameterError)


def test_a_database_that_is_not_there_is_missed_before_its_keys():
    assert "There is no database nope.db." in str(refused("serve", "nope.db"))
