"""The operator's guide does what it shows, from the first dataset to a restored one."""

import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from divulge.cli import main
from divulge.cli.app import app

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "release-service.md"
QUERIES = ROOT / "docs" / "queries.md"
FENCED = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = "from divulge.cli import main; main()"


def sessions(guide):
    """The commands of a guide in their order, each with the output shown under it."""
    found = []
    for block in FENCED.findall(guide.read_text("utf-8")):
        before, *parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block, flags=re.MULTILINE)
        assert not before
        found += zip(parts[::2], parts[1::2], strict=True)
    return found


def curl(command):
    """What curl would print; it need not be installed."""
    command = re.sub(r"\$\(cat (\S+)\)", lambda found: Path(found[1]).read_text().strip(), command)
    words = shlex.split(command.replace("\\\n", " ").removeprefix("curl -s "))
    url = next(word for word in words if word.startswith("http"))
    told = [(option, word) for option, word in pairwise(words) if option in ("-H", "-d", "-X")]
    headers = dict(word.split(": ", 1) for option, word in told if option == "-H")
    body, method = dict(told).get("-d", ""), dict(told).get("-X", "POST")
    question = urllib.request.Request(url, body.encode(), headers, method=method)
    try:
        with urllib.request.urlopen(question, timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.read().decode()


PORTS = ("8000", "8001")  # of the service and of the witness, in the guide


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Operator:
    """Types what the guide shows. What goes on in the background listens on a port that is free."""

    def __init__(self, capfd, monkeypatch, servers):
        self._capfd, self._monkeypatch, self._servers = capfd, monkeypatch, servers
        self._ports = {shown: free_port() for shown in PORTS}
        self._jobs = {}

    def type(self, command):
        """The exit code and the output of a command, as it stands in the guide."""
        for shown, real in self._servers:
            command = command.replace(shown, real)
        for shown, real in self._ports.items():
            command = command.replace(f"127.0.0.1:{shown}", f"127.0.0.1:{real}")
        command, _, out = command.partition(" > ")
        if command.endswith(" &"):
            return self._serve(command.removesuffix(" &"))
        if command.startswith("kill %"):
            return self._stop(int(command.removeprefix("kill %"))), ""
        if command.startswith("umask "):
            os.umask(int(command.split()[1], 8))
            return 0, ""
        if command.startswith("curl "):
            said = curl(command)
            return (0, said) if not out else (0, Path(out).write_text(said) and "")
        refused = command.startswith("! ")
        command = command.removeprefix("! ")
        if command.startswith("divulge "):
            code = int(self._run(shlex.split(command)) != refused)
        elif command.startswith("python -c "):
            code = subprocess.run([sys.executable, *shlex.split(command)[1:]], check=False).returncode
        else:
            code = subprocess.run(command, shell=True, check=False).returncode
        printed = self._capfd.readouterr()
        if out:
            Path(out).write_text(printed.out)
            return code, printed.err
        return code, self._as_shown(printed.out + printed.err)

    def _as_shown(self, said):
        for shown, real in self._ports.items():
            said = said.replace(f":{real}", f":{shown}")
        return said

    def _run(self, arguments):
        self._monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code or 0

    def _serve(self, command):
        """Start a command in the background, and wait until it says where it listens."""
        is_service = " serve " in command
        arguments = [*shlex.split(command)[1:], "--port", self._ports[PORTS[0 if is_service else 1]]]
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments], stderr=subprocess.PIPE, text=True
        )
        self._jobs[min({1, 2} - self._jobs.keys())] = process
        said = process.stderr.readline()
        if is_service:
            port = self._ports[PORTS[0]]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
                assert answer.read() == b'{"status":"ok"}'
        else:
            said += process.stderr.readline()
        return 0, self._as_shown(said)

    def _stop(self, number):
        process = self._jobs.pop(number)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        return 0

    def stop(self):
        for number in [*self._jobs]:
            self._stop(number)


@pytest.fixture
def operator(tmp_path, monkeypatch, capfd, postgresql):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for example in ("garrisons.csv", "firms.csv", "queries.toml"):
        shutil.copy(ROOT / "examples" / example, tmp_path)
    servers = [
        (f"postgresql://holder@localhost/{name}", postgresql.fresh()) for name in ("garrisons", "restored")
    ]
    found, before = Operator(capfd, monkeypatch, servers), os.umask(0o022)
    yield found
    found.stop()
    os.umask(before)


def as_pattern(shown):
    return r"\s+".join(re.escape(word).replace(r"\.\.\.", r"[\s\S]*?") for word in shown.split())


def test_the_guide_does_what_it_shows(operator):
    for command, shown in sessions(GUIDE):
        code, said = operator.type(command)
        assert code == 0, (command, said)
        wanted = as_pattern(shown.replace("localhost/garrisons", "..."))
        assert re.fullmatch(wanted, said.strip()), (command, said)
    keys = [*Path().glob("*.key")]
    assert {one.name for one in keys} >= {"admin.key", "pg-admin.key", "ann.key"}
    assert {stat.S_IMODE(one.stat().st_mode) for one in keys} == {0o600}


def test_the_guide_to_queries_does_what_it_shows(operator):
    found = sessions(QUERIES)
    for command, shown in found:
        code, said = operator.type(command)
        assert code == 0, (command, said)
        assert re.fullmatch(as_pattern(shown), said.strip()), (command, said)
    assert len(found) > 12


def test_the_guide_names_every_command_and_every_place_it_links_to():
    text = GUIDE.read_text("utf-8")
    for name in typer.main.get_command(app).commands["release"].commands:
        assert f"divulge release {name}" in text, name
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-")
        for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\(#([a-z-]+)\)", text)) <= anchors
