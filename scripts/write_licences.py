"""Write a software bill of materials of all that divulge uses, and docs/licences.md from it.

The bill is made by CycloneDX from a fresh environment that has divulge with all its extras, in the versions
that requirements.lock pins, and nothing else. The engine for graphics cards is left out.

    python scripts/write_licences.py    dist/divulge.cdx.json and docs/licences.md
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BILL = ROOT / "dist" / "divulge.cdx.json"
PAGE = ROOT / "docs" / "licences.md"
CLASSIFIER = "License :: OSI Approved :: "

HEAD = """# Licences of what divulge uses

divulge is under the Apache License 2.0. This is every library that `pip install 'divulge[all]'` brings, with
the licence that it declares; the first column says whether divulge asks for it itself. `make licences`
makes this page, and writes a software bill of materials in the CycloneDX format to `dist/divulge.cdx.json`.
The extra `gpu` is not part of `all`: CuPy and the CUDA libraries that it brings have their own licences.

| asked for | library | version | licence |
|---|---|---|---|
"""

#: Licences of libraries that declare none in their metadata, as their repositories say.
SAID_ELSEWHERE = {"protobuf": "BSD-3-Clause"}


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        used, tool = Path(made, "used"), Path(made, "tool")
        for home, wanted in (
            (used, [f"{ROOT}[all]", "--constraint", str(ROOT / "requirements.lock")]),
            (tool, ["cyclonedx-bom>=7"]),
        ):
            run("-m", "uv", "venv", "--quiet", "--python", sys.executable, str(home))
            run("-m", "uv", "pip", "install", "--quiet", "--python", str(home / "bin" / "python"), *wanted)
        BILL.parent.mkdir(exist_ok=True)
        bill = ["--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--output-file", BILL]
        subprocess.run(
            [tool / "bin" / "cyclonedx-py", "environment", *bill, used / "bin" / "python"], check=True
        )
    PAGE.write_text(HEAD + "".join(rows(json.loads(BILL.read_text()))), encoding="utf-8")


def rows(bill: dict[str, Any]) -> Iterator[str]:
    root = bill["metadata"]["component"]["bom-ref"]
    direct = next(set(one.get("dependsOn", ())) for one in bill["dependencies"] if one["ref"] == root)
    for part in sorted(bill["components"], key=lambda part: str(part["name"]).lower()):
        if part["name"] == "divulge":
            continue
        asked = "yes" if part["bom-ref"] in direct else ""
        yield f"| {asked} | {part['name']} | {part['version']} | {licence(part)} |\n"


def licence(part: dict[str, Any]) -> str:
    """What a library declares: an expression, or else an identifier, or else words."""
    found = part.get("licenses", [])
    if not found:
        return SAID_ELSEWHERE[part["name"]]
    named = [one.get("expression") or one["license"].get("id") or one["license"]["name"] for one in found]
    told = [name for name in named if not name.startswith(CLASSIFIER)] or named
    return ", ".join(sorted({name.removeprefix(CLASSIFIER).splitlines()[0] for name in told}))


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    main()
