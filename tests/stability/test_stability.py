"""What is public stays: names are frozen, and files of every kept version are read as they were then."""

import gzip
import importlib.util
import json
from pathlib import Path

import pytest

import divulge as dv
from command_line import run
from divulge import documents
from divulge.documents.files import first_fault
from divulge.errors import PolicyError
from divulge.policy.place import FORMAT

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).parent / "kept"
VERSIONS = sorted(path.name for path in KEPT.iterdir())


def freezer():
    spec = importlib.util.spec_from_file_location("freeze", ROOT / "scripts" / "freeze.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def now():
    return {path: {*text.splitlines()} for path, text in freezer().texts().items()}


@pytest.mark.parametrize("name", ["names", "commands", "keys", "files"])
def test_nothing_public_is_gone_or_not_yet_frozen(now, name):
    path = freezer().FOLDER / f"{name}.txt"
    frozen = {*path.read_text("utf-8").splitlines()}
    assert len(frozen) > 150
    assert frozen - now[path] == set(), "gone or changed: see docs/stability.md"
    assert now[path] - frozen == set(), "new: run scripts/freeze.py"


@pytest.fixture(params=VERSIONS)
def kept(request, tmp_path, monkeypatch):
    """The folder of a version, where commands are run."""
    for path in (KEPT / request.param).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "audit.json").write_bytes(gzip.decompress((tmp_path / "audit.json.gz").read_bytes()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audited(folder):
    return json.loads((folder / "audit.json").read_text())


def test_a_policy_that_was_kept_asks_for_the_same(kept):
    code, out, _ = run("check", "--policy", "policy.toml", "--json", "--exact-counts")
    assert code == 1
    then, found = audited(kept)["checks"], json.loads(out)["checks"]
    asked = ("measure", "keys", "target", "severity", "min", "max", "outcome", "found")
    assert [[one[key] for key in asked] for one in found] == [[one[key] for key in asked] for one in then]
    assert len(found) > 7


def test_a_recipe_that_was_kept_makes_the_same_release(kept):
    code, _, _ = run("transform", "people.csv", "--recipe", "recipe.toml", "--out", "again.csv")
    assert (code or 0) == 0
    assert (kept / "again.csv").read_bytes() == (kept / "released.csv").read_bytes()


def test_an_audit_that_was_kept_is_whole_drawn_and_compared_with(kept):
    document = audited(kept)
    assert first_fault(document, documents.schema("audit")) is None
    assert run("report", "audit.json", "--out", "page.html")[0] in (None, 0)
    assert "people.csv" in (kept / "page.html").read_text()
    code, out, _ = run("check", "--policy", "policy.toml", "--earlier", "audit.json", "--json")
    assert code == 1
    assert any(one["baseline"] is not None for one in json.loads(out)["checks"])


@pytest.mark.parametrize("given", [FORMAT + 1, "1", True, None])
def test_another_format_is_refused_with_what_to_do(given):
    asked = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    assert dv.Policy.of({**asked, "format": FORMAT}).thresholds
    for refuse in (
        lambda: dv.Policy.of({**asked, "format": given}),
        lambda: dv.Recipe.of({"format": given, "step": [{"mechanism": "remove", "attributes": ["age"]}]}),
    ):
        with pytest.raises(PolicyError, match=f"reads format {FORMAT}, and no other.* or write format = 1"):
            refuse()


def test_what_divulge_writes_says_its_format(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,zip,ill\n" + "".join(f"{n % 9},{n % 4},x\n" for n in range(90)))
    assert run("init", "people.csv")[0] in (None, 0)
    assert run("init", "people.csv", "--write-recipe", "recipe.toml")[0] in (None, 0)
    for name in ("divulge.toml", "recipe.toml"):
        assert f"\nformat = {FORMAT}\n" in (tmp_path / name).read_text()
