"""A session file says nothing that could lead elsewhere, and belongs to one table."""

import json
import os
import socket

import pytest

import divulge as dv
from command_line import run
from divulge.errors import ParameterError
from divulge.explore.explorer import Explorer
from divulge.explore.session_file import FILES, saved_session, session_text, session_with_table
from divulge.mechanisms.registry import MECHANISMS
from divulge.table.hierarchy import Hierarchy

ROLES = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and its session, beside the one in which commands are run."""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    (tmp_path / "there" / "people.csv").write_text("age,ill\n" + "30,flu\n40,gout\n" * 6)
    explorer = Explorer(dv.read("people.csv", **ROLES), name="people.csv", seed=5)
    explorer.unlock()
    (tmp_path / "there" / "mine.divulge").write_text(session_text(explorer))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def written(place, **said):
    """The session with something in it that somebody else wrote."""
    path = place / "there" / "mine.divulge"
    path.write_text(json.dumps({**json.loads(path.read_text()), **said}))
    return "../there/mine.divulge"


def test_paths_start_from_the_session_file_and_do_so_again_once_it_is_saved(place):
    (place / "here" / "people.csv").write_text("age,ill\n1,secret\n")
    (place / "there" / "everyone.csv").write_text("age\n" + "30\n40\n" * 20)
    again = saved_session("../there/mine.divulge")
    assert again.name == os.path.join("../there", "people.csv")
    again.change({"population": {"source": "../there/everyone.csv"}})
    said = json.loads(session_text(again))
    assert (said["source"], said["history"]["states"][-1]["population"]) == (
        "people.csv",
        {"source": "everyone.csv"},
    )


def test_values_are_masked_again_and_every_unlocking_is_noted(place):
    again = saved_session("../there/mine.divulge")
    assert not again.now()["unlocked"]
    assert {cell for row in again.preview()["rows"] for cell in row} == {"•••"}
    assert again.unlock()["unlocked"]
    assert len(json.loads(session_text(again))["unlocked"]) == 2


def test_another_table_of_the_same_name_is_refused_unless_it_is_named(place):
    (place / "there" / "people.csv").write_text("age,ill\n" + "30,flu\n40,cold\n" * 6)
    with pytest.raises(ParameterError, match="another table") as refused:
        saved_session("../there/mine.divulge")
    assert "--session" in refused.value.hint
    assert session_with_table("../there/mine.divulge", "../there/people.csv", {}).choices.known == ("age",)
    os.remove(place / "there" / "people.csv")
    with pytest.raises(ParameterError, match="not there"):
        saved_session("../there/mine.divulge")


@pytest.fixture
def server():
    """A port of this machine that notes whether anybody connects."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield listening


@pytest.mark.parametrize("kind", ["source", "master", "population"])
def test_a_session_file_connects_to_nobody(place, server, kind):
    address = f"postgresql://ann:secret@127.0.0.1:{server.getsockname()[1]}/x"
    history = json.loads((place / "there" / "mine.divulge").read_text())["history"]
    history["states"][0]["population"] = {"source": address}
    said = {
        "source": {"source": address, "reading": {"table": "t"}},
        "master": {"reading": {"engine": "spark", "master": address}},
        "population": {"history": history},
    }[kind]
    code, _, err = run("explore", written(place, **said), "--no-browser")
    assert (code, "would connect to 127.0.0.1" in err, "secret" in err) == (2, True, False)
    with pytest.raises(BlockingIOError):
        server.accept()


SHARED = ["\\\\host\\share\\people.csv", "//host/share/people.csv", "/\\host/share/people.csv"]


@pytest.mark.parametrize("named", SHARED)
def test_shared_folders_are_elsewhere(place, named):
    with pytest.raises(ParameterError, match="would connect to host"):
        saved_session(written(place, source=named))


STEPS = {
    "hierarchy": {"mechanism": "recode", "attributes": ["age"], "level": 1},
    "records": {"mechanism": "listed_changes"},
    "mapping": {"mechanism": "recode_combinations", "attributes": ["age"]},
    "policy": {"mechanism": "another", "attributes": ["age"]},
}


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_no_step_of_a_session_file_opens_a_shared_folder(place, name, pinned):
    kept = json.loads((place / "there" / "mine.divulge").read_text())["history"]
    for named in [*SHARED, "https://ann:secret@host/h.csv", *([{"age": SHARED[0]}] * (name == "hierarchy"))]:
        history = json.loads(json.dumps(kept))
        changed = {**history["states"][0], "steps": [{**STEPS[name], name: named}]}
        history = {**history, "pins": {"A": changed}} if pinned else {**history, "states": [changed]}
        path = written(place, history=history)
        with pytest.raises(ParameterError, match="would connect to host for a step"):
            saved_session(path)
        with pytest.raises(ParameterError, match="would connect to host for a step"):
            session_with_table(path, "../there/people.csv", {})


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("named", SHARED)
def test_no_need_of_a_session_file_opens_a_shared_folder(place, named, pinned, monkeypatch):
    opened = []
    monkeypatch.setattr(Hierarchy, "read", lambda path, **_: opened.append(path))
    history = json.loads((place / "there" / "mine.divulge").read_text())["history"]
    groups = {"age": {"hierarchy": named, "level": 1}}
    needs = {"use": {"target": "ill", "keys": ["age"], "partitions": groups}}
    changed = {**history["states"][0], "needs": needs}
    history = {**history, "pins": {"A": changed}} if pinned else {**history, "states": [changed]}
    path = written(place, history=history)
    for again in (saved_session, lambda path: session_with_table(path, "../there/people.csv", {})):
        with pytest.raises(ParameterError, match="would connect to host for a need"):
            again(path)
    assert not opened


@pytest.mark.parametrize("named", [*SHARED, "postgresql://ann:secret@host/x"])
@pytest.mark.parametrize(
    "table",
    [
        "[attributes]\nage = {{ role = 'quasi-identifier', hierarchy = '{}' }}\n",
        "[attributes]\nill = 'sensitive'\nage.role = 'quasi-identifier'\nage.hierarchy = '{}'\n",
        "[data]\nsource = '{}'\n",
        "[data]\nanatomy = '{}'\n",
        "[data]\nlayout = '{}'\n",
        "[data]\nmaster = '{}'\n",
        "[population]\nsource = '{}'\n",
    ],
    ids=["hierarchy", "dotted", "source", "anatomy", "layout", "master", "population"],
)
def test_no_policy_that_a_step_of_a_session_file_names_leads_to_another_machine(place, table, named):
    (place / "here" / "evil.toml").write_text(table.format(named) + "[thresholds]\nk_anonymity.min = 2\n")
    step = {"mechanism": "suppress_groups", "attributes": ["age"], "policy": "evil.toml"}
    history = json.loads((place / "there" / "mine.divulge").read_text())["history"]
    history = {**history, "states": [{**history["states"][0], "steps": [step]}]}
    path = written(place, history=history)
    sentence = "would connect to host, which the policy of a step, evil.toml, names"
    with pytest.raises(ParameterError, match=sentence) as refused:
        saved_session(path)
    assert "secret" not in str(refused.value)
    with pytest.raises(ParameterError, match=sentence):
        session_with_table(path, "../there/people.csv", {})


@pytest.mark.parametrize(
    "policy",
    [
        "[attributes]\nage = { role = 'quasi-identifier', hierarchy = 'h.csv' }\n[data]\ncomment = '//'\n"
        "[thresholds]\nk_anonymity.min = 2\n",
        "attributes = 3\ndata = ['//host/share']\npopulation = 4\n",
        "[attributes]\nage = { hierarchy = ['//host/share'] }\n",
        "no policy",
        None,
    ],
    ids=["local", "odd", "list", "text", "missing"],
)
def test_what_is_wrong_with_the_policy_of_a_step_is_said_at_the_step(place, policy):
    (place / "here" / "h.csv").write_text("30;low\n40;low\n")
    if policy is not None:
        (place / "here" / "kept.toml").write_text(policy)
    step = {"mechanism": "suppress_groups", "attributes": ["age"], "policy": "kept.toml"}
    history = json.loads((place / "there" / "mine.divulge").read_text())["history"]
    history = {**history, "states": [{**history["states"][0], "steps": [step]}]}
    again = saved_session(written(place, history=history))
    assert again.choices.steps[0]["policy"] == "kept.toml"


def test_every_parameter_that_names_a_file_is_looked_at():
    kinds = {one.kind for mechanism in MECHANISMS.values() for one in mechanism.parameters}
    plain = {"whole number", "number", "text", "choice", "flag", "numbers", "texts", "attribute"}
    assert kinds - plain - {"attributes", "table", "matrix"} <= {*FILES}


@pytest.mark.parametrize("table", ["attributes", "population"])
def test_tables_of_a_policy_that_the_page_makes_itself_are_not_taken_from_a_session_file(place, table):
    kept = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "//host/share/h.csv"}},
        "population": {"source": "//host/share/everyone.csv"},
    }
    with pytest.raises(ParameterError, match="no saved session"):
        saved_session(written(place, kept={table: kept[table]}))


def test_what_reads_otherwise_than_an_option_is_refused(place):
    with pytest.raises(ParameterError, match="no saved session"):
        saved_session(written(place, reading={"hierarchies": {"age": "x.csv"}}))


def test_the_address_of_a_database_is_not_saved_and_is_asked_for(place):
    data = dv.read("../there/people.csv", **ROLES)
    explorer = Explorer(data, name="postgresql://ann:secret@host/x", reading={"table": "t"}, seed=5)
    (place / "here" / "db.divulge").write_text(session_text(explorer))
    assert "host" not in (place / "here" / "db.divulge").read_text()
    with pytest.raises(ParameterError, match="table of a database"):
        saved_session("db.divulge")


def test_the_command_goes_on_with_a_session_on_a_table_that_it_names(place, monkeypatch):
    from divulge.explore.http import server as page

    started = []
    monkeypatch.setattr(page, "explore", lambda explorer, **_: started.append(explorer))
    (place / "here" / "other.csv").write_text("age,ill\n" + "30,flu\n50,gout\n" * 6)
    session = ["--session", "../there/mine.divulge"]
    code, _, err = run("explore", "other.csv", *session, "--no-browser")
    assert (code, started[0].name, "another table" in err) == (0, "other.csv", True)
    code, _, err = run("explore", "../there/people.csv", *session, "--no-browser")
    assert (code, "another table" in err) == (0, False)
    for flag in (["--sensitive", "ill"], ["--policy", "p.toml"]):
        assert run("explore", "other.csv", *session, *flag)[0] == 2
    assert run("explore", "../there/mine.divulge", "--separator", ";")[0] == 2
