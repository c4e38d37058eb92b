"""What was chosen, as files that make the same release again: recipe, policy, script, release, manifest."""

from __future__ import annotations

import io
import json
import re
import shlex
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge._support.toml_text import in_comment, toml_key, toml_value
from divulge._support.wording import flattened
from divulge.anonymization.recipe_text import hierarchy_text
from divulge.documents.comparison import ComparisonDocument
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.population_files import beside
from divulge.explore.choosing.reading_options import file_options
from divulge.explore.scene import Scene
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.recipes.draft import step_text
from divulge.recipes.outputs.csv_lines import csv_lines
from divulge.recipes.transform import Application
from divulge.report.comparison.page import page
from divulge.source.options import OPTIONS, READING
from divulge.table.hierarchy import Hierarchy

_NOT_TAKEN = ("weights", "missing", "anatomy")
POLICY, RECIPE, SCRIPT, NEEDS = "policy.toml", "recipe.toml", "release.py", "needs.toml"
RELEASE_POLICY = "policy-of-release.toml"  # where the table is written in another way than a release
RELEASED, AGAIN = "released.csv", "released-again.csv"  # the release, and the same made by its recipe
PUBLISH, KEEP = "publish", "keep"  # the folders of an archive
MANIFEST, README = "manifest.json", "README.txt"
SHOWN = (RECIPE, POLICY, NEEDS, SCRIPT)


def text_files(
    scene: Scene, choices: Choices, table: str, reading: Mapping[str, Any], seed: int
) -> dict[str, str]:
    """Recipe, policy, Python script, needs, and the hierarchies that they name, by file name.

    ``table`` is the path of the original; the archive is unpacked beside it, and these are in its folder of
    what is kept: they have the seed, which can undo the order of rows, and hierarchies name every value.
    """
    source = Path(table).name
    files: dict[str, str] = {}
    steps = []
    for step in scene.steps(choices.levels):
        said = dict(step)
        if isinstance(step.get("hierarchy"), Hierarchy):
            said["hierarchy"] = _hierarchy(step["hierarchy"], files, scene.memo)
        if isinstance(step.get("policy"), Policy):
            said["policy"] = POLICY
        steps.append(step_text(said))
    compared = _compared(choices, table)
    head = (
        f"# The release that was found for {in_comment(source)}.\n"
        f"# Commands are for the folder of {in_comment(source)}, in which the archive is unpacked.\n"
        f"# Make it again, with the seed of the session, by:\n"
        f"# {in_comment(_command(source, reading, seed))}\n"
        f"# Compare it with its original by:\n"
        f"# {in_comment(_compare_command(source, reading, compared, seed))}"
    )
    return {
        RECIPE: "\n\n".join([head, *steps]) + "\n",
        **_policies(scene, source, reading, files),
        **({NEEDS: _tables(choices.needs, files, scene.memo)} if choices.needs else {}),
        SCRIPT: _script(source, reading, compared, seed),
        **files,
    }


def _policies(scene: Scene, source: str, reading: Mapping[str, Any], files: dict[str, str]) -> dict[str, str]:
    """The policy, with how the table is read; where that does not hold for a release, one for it as well."""
    said = file_options(reading)
    read = {"source": f"../{source}", **said, **scene.tables.get("data", {})}
    others = {name: one for name, one in scene.tables.items() if name != "data"}
    text = _tables({"data": read, **others}, files, scene.memo)
    if not said:
        return {POLICY: text}
    head = f"# For {in_comment(source)} as it was read; {RELEASE_POLICY} is the same for the release.\n\n"
    return {POLICY: head + text, RELEASE_POLICY: _tables(scene.tables, files, scene.memo)}


def _compared(choices: Choices, table: str) -> dict[str, str]:
    """The files that a comparison reads beside the recipe, by the keyword that names them."""
    found = {"policy": _kept(POLICY)}
    if "source" in choices.population:
        found["population"] = beside(table, choices.population["source"])
    return {**found, "needs": _kept(NEEDS)} if choices.needs else found


def _kept(name: str) -> str:
    """The path of a file that is kept, from the folder of the table."""
    return f"{KEEP}/{name}"


def _tables(tables: Mapping[str, Any], files: dict[str, str], memo: dict[Any, Any]) -> str:
    lines: list[str] = []
    for name, table in tables.items():
        lines += ["", f"[{toml_key(name)}]"]
        lines += [
            f"{toml_key(key)} = {toml_value(_plain(value, files, memo))}" for key, value in table.items()
        ]
    return "\n".join([*lines[1:], ""])


def _plain(value: Any, files: dict[str, str], memo: dict[Any, Any]) -> Any:
    if isinstance(value, Hierarchy):
        return _hierarchy(value, files, memo)
    if isinstance(value, Mapping):
        return {key: _plain(one, files, memo) for key, one in value.items()}
    return value


def _hierarchy(tree: Hierarchy, files: dict[str, str], memo: dict[Any, Any]) -> str:
    """The name of a hierarchy's file, whose text is made once."""
    name = f"hierarchy-{re.sub(r'[^A-Za-z0-9_.-]+', '_', tree.attribute)}.csv"
    if ("text", tree.attribute) not in memo:
        memo["text", tree.attribute] = hierarchy_text(tree)
    files[name] = memo["text", tree.attribute]
    return name


def _command(source: str, reading: Mapping[str, Any], seed: int) -> str:
    """The command that makes the release again, with what was said of the table."""
    words = ["divulge", "transform", source, "--recipe", _kept(RECIPE), "--seed", str(seed), "--out", AGAIN]
    return shlex.join([*words, *_flags(_of_transform(reading))])


def _compare_command(source: str, reading: Mapping[str, Any], files: Mapping[str, str], seed: int) -> str:
    """The command that compares it with the original."""
    words = ["divulge", "compare", source, "--recipe", _kept(RECIPE)]
    for name, file in files.items():
        words += ["--need" if name == "needs" else f"--{name}", file]
    return shlex.join([*words, "--seed", str(seed), *_flags(_of_opening(reading))])


def _flags(said: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in said.items():
        for one in value if isinstance(value, list) else [value]:
            words += [OPTIONS[name].flag] if one is True else [OPTIONS[name].flag, str(one)]
    return words


def _of_transform(reading: Mapping[str, Any]) -> dict[str, Any]:
    """What transform takes: a recipe says what weighs, and which records are left out."""
    return {name: value for name, value in reading.items() if name in OPTIONS and name not in _NOT_TAKEN}


def _of_opening(reading: Mapping[str, Any]) -> dict[str, Any]:
    """How the file is opened; what its values mean is in the policy."""
    found = _of_transform(reading)
    return {name: value for name, value in found.items() if OPTIONS[name].concerns in READING}


def _script(source: str, reading: Mapping[str, Any], files: Mapping[str, str], seed: int) -> str:
    said = "".join(f", {name}={value!r}" for name, value in _of_transform(reading).items())
    lines = [  # a name in the first two lines could say how the script is encoded
        f"import divulge as dv\n\n# To be run in the folder of {in_comment(source)}: python {_kept(SCRIPT)}",
        f"seed = {seed}  # which can undo the order of rows: keep it with the original",
        f"dv.transform({source!r}, {_kept(RECIPE)!r}, seed=seed, out={AGAIN!r}{said})",
    ]
    if len(files) > 1:  # more than the policy
        named = {**files, **_of_opening(reading)}
        told = "".join(f", {name}={value!r}" for name, value in named.items())
        lines.append(f"print(dv.compare({source!r}, dv.Recipe.read({_kept(RECIPE)!r}), seed=seed{told}))")
    return "\n".join([*lines, ""])


def every_file(
    texts: Mapping[str, str],
    done: Application,
    released: bytes,
    compared: ComparisonDocument,
    summary: str,
) -> dict[str, str | bytes]:
    """The files of an archive by name: what may be published, and what has to stay with the original."""
    published: dict[str, str | bytes] = {
        RELEASED: released,
        MANIFEST: _manifest(done, share=True),
        README: (
            f"What may be published, once {KEEP}/summary.html is signed.\n\n"
            f"{RELEASED}: the release\n{MANIFEST}: what was done to it, without the seed\n"
        ),
    }
    kept: dict[str, str | bytes] = {
        **texts,
        MANIFEST: _manifest(done, share=False),
        "report.html": page(flattened(compared)),
        "summary.html": summary,
        README: _kept_readme(texts),
    }
    folders = {PUBLISH: published, KEEP: kept}
    return {f"{folder}/{name}": text for folder, files in folders.items() for name, text in files.items()}


def _manifest(done: Application, *, share: bool) -> str:
    return json.dumps(done.manifest.to_dict(share=share), indent=1) + "\n"


def _kept_readme(texts: Mapping[str, str]) -> str:
    """What each kept file is, and why it stays."""
    about = {
        "summary.html": "what was checked and done, to be signed",
        "report.html": "the release beside its original",
        RECIPE: "makes the release again; has the seed",
        SCRIPT: "the same in Python; has the seed",
        MANIFEST: "what was done, with the seed",
        POLICY: "what the release is held to",
        RELEASE_POLICY: "the same, for the release",
        NEEDS: "what analysts need",
    }
    written = {**texts, "summary.html": "", "report.html": "", MANIFEST: ""}
    lines = [f"{name}: {said}" for name, said in about.items() if name in written]
    lines += [f"{name}: every value of the original, and its groups" for name in texts if name not in about]
    return (
        "Keep these files with the original. Do not publish them: the seed can undo the order of rows, and\n"
        "hierarchies list every value of the original.\n\n" + "\n".join(lines) + "\n"
    )


def packed_files(files: Mapping[str, str | bytes]) -> bytes:
    """Files as one archive."""
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return to.getvalue()


def csv_bytes(table: WorkingTable) -> bytes:
    """A release as the command line writes it."""
    return b"".join(bytes(block) for block in csv_lines(table))
