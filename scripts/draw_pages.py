"""Take the pictures of docs/pictures.md: every page that divulge makes, in a real browser.

python scripts/draw_pages.py [FOLDER]       default: docs/_pictures
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
CHROMIUM = "/usr/bin/chromium"
SCREEN = {"width": 1280, "height": 800}
PORT = 8765
ROLES = ["--quasi-identifiers", "ZIP Code,Age", "--sensitive", "Disease"]


def draw(pictures: Path) -> None:
    """The first screen of each page, and of the audit also a narrow, a dark and a printed one."""
    from playwright.sync_api import sync_playwright

    pictures.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as held, sync_playwright() as playwright:
        folder = Path(held)
        pages = _reports(folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, page in pages.items():
            _take(browser, page.as_uri(), pictures / f"{name}.png")
        audit = pages["audit"].as_uri()
        _take(browser, audit, pictures / "audit-narrow.png", viewport={"width": 390, "height": 800})
        _take(browser, audit, pictures / "audit-dark.png", color_scheme="dark")
        with _service(folder) as (address, key):
            _take(browser, address, pictures / "service.png", key=key)
        browser.close()


def _take(browser: Any, address: str, picture: Path, key: str = "", **options: Any) -> None:
    page = browser.new_context(**{"viewport": SCREEN, **options}).new_page()
    page.goto(address)
    if key:
        page.locator("input[type=password]").fill(key)
        page.locator("input[type=password]").press("Enter")
        page.wait_for_timeout(1500)
    page.screenshot(path=str(picture))
    page.context.close()


def _reports(folder: Path) -> dict[str, Path]:
    """The page of each command that writes one."""
    examples = ROOT / "examples"
    made = {name: folder / f"{name}.html" for name in ("compare", "attacker", "release")}
    tables = [str(examples / name) for name in ("patients.csv", "diverse.csv", "close.csv")]
    _divulge(folder, "demo", "clinic")
    _divulge(folder, "compare", *tables, "--by", "record", *ROLES, "--report", str(made["compare"]))
    clinic = ["--file", "clinic/clinic.csv", "--keys", "age,sex", "--target", "diagnosis"]
    _divulge(folder, "attacker", *clinic, "--report", str(made["attacker"]))
    garrisons = [str(examples / "garrisons.csv"), "--x", "Age", "--y", "Location"]
    tested = ["--test", "kld", "--alpha", "0.2", "--report", str(made["release"])]
    _divulge(folder, "release", "simulate", *garrisons, *tested)
    return {"audit": folder / "clinic" / "report.html", **made}


@contextmanager
def _service(folder: Path) -> Iterator[tuple[str, str]]:
    """A release service that has answered some requests; its address and an auditor's key."""
    rules = [
        "--dataset",
        "garrisons",
        "--id",
        "Name",
        "--x",
        "Age",
        "--y",
        "Location",
        "--test",
        "kld",
        "--alpha",
        "0.2",
    ]
    _divulge(folder, "release", "init", "garrisons.db", str(ROOT / "examples/garrisons.csv"), *rules)
    keys = {
        role: _divulge(folder, "release", "key", "garrisons.db", "--role", role, "--name", role).strip()
        for role in ("requester", "auditor")
    }
    command = [sys.executable, "-m", "divulge", "release", "serve", "garrisons.db", "--port", str(PORT)]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{PORT}"
    try:
        _wait(address)
        for number in range(1, 301):
            _ask(address, keys["requester"], f"S{number:03d}")
        yield address, keys["auditor"]
    finally:
        process.terminate()
        process.wait()


def _wait(address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/health").close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The release service did not start.")


def _ask(address: str, key: str, record: str) -> None:
    request = urllib.request.Request(
        f"{address}/datasets/garrisons/requests",
        json.dumps({"record": record}).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": record},
    )
    urllib.request.urlopen(request).close()


def _divulge(folder: Path, *arguments: str) -> str:
    """What a command prints; a failed check (1) is an answer, too."""
    done = subprocess.run(
        [sys.executable, "-m", "divulge", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "_pictures")
