"""What a stranger expects beside the code: a licence, how to cite, how to report faults, one version."""

import re
import tomllib
from pathlib import Path

import divulge

ROOT = Path(__file__).parents[1]


def test_the_version_is_said_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/divulge/__init__.py"
    places = [ROOT / "pyproject.toml", ROOT / "README.md"]
    assert [path.name for path in places if divulge.__version__ in path.read_text()] == []


def test_the_citation_and_the_changes_name_this_version_and_its_date():
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M))
    newest = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGES.md").read_text(), re.M)
    assert (cited["version"], cited["date-released"]) == newest.groups()
    assert cited["version"] == divulge.__version__


def test_the_licence_is_the_one_that_the_package_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "LICENSE").read_text()
    assert project["license"] == "Apache-2.0"
    assert "Apache License" in text
    assert "Version 2.0" in text
    assert "license: Apache-2.0" in (ROOT / "CITATION.cff").read_text()


def test_public_hosting_runs_what_a_bare_machine_runs():
    assert ".ci/run" in (ROOT / ".github/workflows/ci.yml").read_text()


def test_every_library_that_is_asked_for_is_listed_with_its_licence_in_the_locked_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(one for name in extras if name not in {"all", "dev", "docs", "gpu"} for one in extras[name]),
    ]
    locked = set(
        re.findall(r"^([\w.-]+)(?:\[\w+\])?==([^ ;\\]+)", (ROOT / "requirements.lock").read_text(), re.M)
    )
    rows = [
        line.strip("| \n").split(" | ")
        for line in (ROOT / "docs/licences.md").read_text().splitlines()
        if " | " in line
    ]
    listed = {row[-3].lower().removeprefix("yes | "): (row[-2], row[-1]) for row in rows}
    for name in {re.match(r"[\w-]+", one)[0].lower() for one in wanted} - {project["name"]}:
        version, licence = listed[name]
        assert (name, version) in locked, f"{name}: make licences"
        assert licence
