"""The verifier in another language says of a log what ours says, from the export alone."""

import json
import os
import shutil
import struct
import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from command_line import run
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.proofs import Decided
from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import Entry, hashed, in_ascii, sealed
from divulge.service.ledger.log_writer import COLUMNS
from divulge.service.ledger.secrets import read_public
from divulge.service.operations.exporting import Export, export
from divulge.service.operations.migrations.stored_trees import build
from divulge.service.operations.reconciling import accept_loss
from divulge.service.operations.verifying import LogCheck
from divulge.service.store.database import open_database
from service.history import OWNER, Requester, at_work, lived
from service.scene import NAME, Scene
from service.turned_back import outside_connection

pytestmark = pytest.mark.together
VERIFIER = Path(__file__).parents[3] / "examples" / "verify_log.mjs"


@pytest.fixture(scope="module")
def node():
    """Where Node.js is; in CI it has to be there."""
    found = shutil.which("node")
    if found is None and not os.environ.get("CI"):
        pytest.skip("Node.js is not installed: Debian's nodejs has it.")
    assert found is not None, "Node.js is missing: scripts/debian-packages installs it."
    return found


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    return lived(str(folder / "service.db"), folder, requests=40, records=60)


@pytest.fixture(scope="module")
def lines(scene, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "out.jsonl"
    with at_work(scene.place, read_only=True) as decider:
        export(decider, NAME, out)
    return out.read_bytes().splitlines(keepends=True)


@pytest.fixture
def verify(node, tmp_path):
    def verify(lines, *options):
        """What the other verifier says of these lines."""
        (tmp_path / "log.jsonl").write_bytes(b"".join(lines))
        command = [node, str(VERIFIER), str(tmp_path / "log.jsonl"), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    return verify


def test_it_is_short():
    assert len(VERIFIER.read_text("utf-8").splitlines()) < 200


def test_both_find_a_log_whole_and_the_same_root(verify, lines, scene, tmp_path):
    code, found = verify(lines, "--public-key", scene.place.keys / "public.pem")
    ours = LogCheck(None, None).export(Export.read(tmp_path / "log.jsonl"))
    assert (code, ours.fault) == (0, None)
    assert (found["chain"], found["entries"], found["checkpoints"]) == (NAME, ours.entries, ours.checkpoints)
    with at_work(scene.place, read_only=True) as decider:
        assert found["root"] == decider.anchors.newest(NAME).root


def extended(line):
    """An entry with a field that no hash covers."""
    told = json.loads(line)
    told["entry"]["approved"] = "by nobody"
    return canonical(told).encode() + b"\n"


def changed(lines):
    """Exports that are not what they were, by what was done to them."""
    last = sum(line.startswith(b'{"entry"') for line in lines)
    return {
        "changed": [*lines[:9], lines[9].replace(b'"outside":', b'"outside":1', 1), *lines[10:]],
        "respelled": [*lines[:9], lines[9].replace(b'":', b'": ', 1), *lines[10:]],
        "a field more": [*lines[:9], extended(lines[9]), *lines[10:]],
        "left out": [*lines[:9], *lines[10:]],
        "moved": [*lines[:9], lines[10], lines[9], *lines[11:]],
        "cut off": [*lines[: last - 3], *lines[last:]],
        "no checkpoint": [*lines[:last], lines[-1]],
        "no key": lines[:-1],
        "two keys": [*lines, lines[-1]],
        "of no known kind": [*lines, b'{"note":1}\n'],
        "signature": [*lines[:-2], lines[-2].replace(b'"count":', b'"count":1', 1), lines[-1]],
    }


@pytest.mark.parametrize(
    "name",
    ["changed", "signature", "a field more", "no key", "two keys", "of no known kind"]
    + [
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("respelled", "left out", "moved", "cut off", "no checkpoint")
    ],
)
def test_both_find_a_fault(verify, lines, scene, tmp_path, name):
    named = name in ("no key", "two keys")  # which are faults although the key is known
    public = scene.place.keys / "public.pem"
    code, found = verify(changed(lines)[name], *(["--public-key", public] if named else []))
    ours = LogCheck(None, read_public(public) if named else None).export(Export.read(tmp_path / "log.jsonl"))
    assert ours.fault is not None
    assert (code, "fault" in found) == (1, True)


@pytest.mark.slow
def test_a_log_of_another_holder_or_no_log_is_not_whole(verify, lines, tmp_path):
    other = Scene.make(str(tmp_path / "other.db"), tmp_path)
    assert verify(lines, "--public-key", other.place.keys / "public.pem")[0] == 1
    assert verify([b"no JSON\n"])[0] == 2


def test_it_checks_an_answers_proof_and_what_was_kept_elsewhere(verify, lines, scene, tmp_path):
    copy = tmp_path / "moved"
    shutil.copytree(scene.place.keys.parent, copy)
    place = type(scene.place)(str(copy / "service.db"), copy / "keys", copy / "checkpoints")
    with at_work(place) as decider:
        asked = [RecordRequest(one, f"key {one}") for one in scene.ids[20:26]]
        decided = decider.decided(NAME, asked, OWNER)
        answers, common = decided.proved(decider.database)
        first = {"index": 1, "hash": json.loads(lines[0])["entry"]["hash"]}
        (earlier,), _ = Decided([first], decided.checkpoint).proved(decider.database)
        export(decider, NAME, tmp_path / "later.jsonl")
    later = (tmp_path / "later.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "answer.json").write_text(json.dumps({"answers": answers, **common}))
    code, found = verify(later, "--proof", tmp_path / "answer.json")
    assert (code, found["proved"]) == (0, 6)
    code, found = verify(lines, "--checkpoints", tmp_path / "answer.json")  # the log before these answers
    assert (code, "is missing" in found["fault"]) == (1, True)
    for change in (
        {"proof": answers[1]["proof"]},
        {"hash": answers[1]["hash"]},
        {"index": 2},
        {"ticket": answers[1]["ticket"]},
        {"decision": "another"},
        {"hash": [answers[0]["hash"]]},
        {"index": str(answers[0]["index"])},
    ):
        forged = {"answers": [{**answers[0], **change}], **common}
        (tmp_path / "answer.json").write_text(json.dumps(forged))
        assert verify(later, "--proof", tmp_path / "answer.json")[0] == 1
    whole = {"answers": [answers[0], {"error": "forbidden"}], **common}
    for name in ("decision", "ticket"):
        without = [{key: value for key, value in answers[0].items() if key != name}]
        (tmp_path / "answer.json").write_text(json.dumps({"answers": without, **common}))
        assert verify(later, "--proof", tmp_path / "answer.json")[0] == 1
    (tmp_path / "answer.json").write_text(json.dumps(whole))
    code, found = verify(later, "--proof", tmp_path / "answer.json")
    assert (code, found["proved"], found["unproved"]) == (0, 1, 1)
    text, index = json.dumps(whole), answers[0]["index"]
    for respelled in (
        text.replace('"decision":', '"decision": "another", "decision":', 1),
        text.replace('"decision":', '"d\\u0065cision": "another", "decision":', 1),
        text.replace('"checkpoint":', '"checkpoint": {}, "checkpoint":', 1),
        text.replace(f'"index": {index}', f'"index": {index}.0', 1),
        text.replace(
            f'"count": {common["checkpoint"]["count"]}', f'"count": {common["checkpoint"]["count"]}e0'
        ),
        text.replace('"error": "forbidden"', '"error": "forbidden", "decision": "released"'),
    ):
        assert respelled != text
        (tmp_path / "answer.json").write_text(respelled)
        assert verify(later, "--proof", tmp_path / "answer.json")[0] == 2, respelled
    odd = (
        '{"a\\"{": "}{\\\\", "index": 1.5, "count": 2.0, "b": [{}, {"index": 1.0}]}'  # of a record: anything
    )
    (tmp_path / "answer.json").write_text(text.replace('"decision":', f'"record": {odd}, "decision":', 1))
    assert verify(later, "--proof", tmp_path / "answer.json")[0] == 0
    (tmp_path / "answer.json").write_text(json.dumps({**earlier, **common}))
    assert verify(later, "--proof", tmp_path / "answer.json")[0] == 0
    code, found = verify(
        lines, "--proof", tmp_path / "answer.json"
    )  # its entry is there, what was signed is not
    assert (code, "signed after entry" in found["fault"]) == (1, True)


@pytest.mark.parametrize(
    "change", [lambda text: text[:-1] + ', "hand_overs": null}', lambda text: text[:-1] + ', "more": NaN}']
)
def test_an_answer_that_readers_take_differently_is_refused_by_both(verify, lines, scene, tmp_path, change):
    with at_work(scene.place) as decider:
        found = decider.decided_one(NAME, RecordRequest(scene.ids[3], f"odd {change('{}')}"), OWNER)
        (answer,), common = found.proved(decider.database, None)
        export(decider, NAME, tmp_path / "now.jsonl")
    now = (tmp_path / "now.jsonl").read_bytes().splitlines(keepends=True)
    proof, public = tmp_path / "odd.json", scene.place.keys / "public.pem"
    proof.write_text(change(json.dumps({**answer, **common})))
    code, said = verify(now, "--public-key", public, "--proof", proof)
    assert (code, "fault" in said) == (2, True)
    ours = run(
        "release", "verify", "--proof", proof, "--public-key", public, "--checkpoints", tmp_path / "now.jsonl"
    )
    assert ours[0] == 2


def test_what_it_cannot_decide_it_says(verify, lines, scene, tmp_path):
    (tmp_path / "empty.json").write_text(json.dumps({"answers": []}))
    with at_work(scene.place, read_only=True) as decider:
        other = {**decider.anchors.newest(NAME).to_dict(), "chain": "another"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    public = scene.place.keys / "public.pem"
    for options in (
        ("--proof", tmp_path / "empty.json"),
        ("--checkpoints", tmp_path / "other.json"),
        ("--public-keys", public),
        ("toString", public),
        (f"--public-key={public}",),
        ("--public-key",),
        ("--public-key", ""),
        ("--public-key", public, "--public-key", public),
    ):
        code, found = verify(lines, *options)
        assert (code, "fault" in found) == (2, True), options


def test_a_log_with_entries_of_before_and_a_loss_is_whole_for_both(verify, tmp_path):
    """Bodies were spelled as Python does, with 1.0 and ASCII alone; the export has them as text."""
    scene = Scene.make(str(tmp_path / "service.db"), tmp_path)
    with at_work(scene.place) as decider:
        Requester(decider).ask(scene.ids, 8)
        key = decider.secrets.digest
    rewrite_as_before(scene.place.url, key)
    shutil.rmtree(scene.place.anchors)
    with at_work(scene.place) as decider:
        accept_loss(decider, NAME, "operator")
        Requester(decider, seed=2).ask(scene.ids, 5)
        export(decider, NAME, tmp_path / "out.jsonl")
    given = (tmp_path / "out.jsonl").read_bytes().splitlines(keepends=True)
    assert any(b'"body":"{' in line for line in given)
    assert LogCheck(key, None).export(Export.read(tmp_path / "out.jsonl")).fault is None
    assert verify(given)[0] == 0


def rewrite_as_before(url, key):
    """A log as an earlier version wrote it."""
    with closing(outside_connection(url)) as connection:
        rows = connection.execute(f"SELECT {COLUMNS} FROM entry WHERE chain = ? ORDER BY idx", (NAME,))
        previous = "0" * 64
        for entry in [Entry(*row) for row in rows.fetchall()]:
            body = in_ascii({**entry.fields, "figure": 1.0, "name": "é"})
            previous = hashed(previous, NAME, entry.index, entry.at, entry.kind, body)
            connection.execute(
                "UPDATE entry SET body = ?, hash = ?, seal = ? WHERE chain = ? AND idx = ?",
                (body, previous, sealed(key, previous), NAME, entry.index),
            )
        connection.execute("UPDATE head SET hash = ? WHERE chain = ?", (previous, NAME))
        connection.execute("DELETE FROM answer")  # they name the hashes that were there, so nobody has them
        connection.execute("UPDATE request SET owner = 'restored'")
        connection.execute("DELETE FROM tree_node")
        connection.commit()
    with closing(open_database(url)) as database:
        database.transact(NAME, lambda connection: build(connection, NAME))


def test_numbers_are_spelled_as_in_the_other_language(node, tmp_path):
    drawn = np.random.default_rng(3).integers(0, 1 << 64, 2000, dtype=np.uint64).tolist()
    floats = [struct.unpack("d", struct.pack("Q", bits))[0] for bits in drawn]
    floats = [one for one in floats if np.isfinite(one)] + [10.0**power for power in range(-30, 30)]
    program = "process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf-8'))))"
    done = subprocess.run(
        [node, "-e", program],
        input=json.dumps(floats),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert canonical(floats) == done.stdout
