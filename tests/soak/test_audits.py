"""One process that audits files of every format, again and again."""

import json
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from file_formats import FORMATS
from soak.programs import SECONDS, Program, assert_flat, assert_nothing_left

pytestmark = pytest.mark.slow

LOOP = """
    import json, sys
    import divulge as dv
    for line in sys.stdin:
        said = json.loads(line)
        roles = {"quasi_identifiers": ["zip", "age"], "sensitive": ["illness"]}
        audit = dv.audit(said["file"], **roles, **said["options"])
        audit.save(said["page"])
        print("audited", flush=True)
"""


def test_audits_of_every_format_hold_no_more_memory_as_time_goes_by(tmp_path):
    folder = tmp_path / "audits"
    asked = []
    for place, (write, options) in enumerate(FORMATS.values()):
        (tmp_path / str(place)).mkdir()
        file = write(tmp_path / str(place))
        options = {name: str(tmp_path / str(place) / value) for name, value in options.items()}
        asked.append(json.dumps({"file": str(file), "options": options, "page": str(tmp_path / "page.html")}))
    command = [sys.executable, "-W", "error", "-c", dedent(LOOP)]
    program = Program(folder, command=command, stdin=subprocess.PIPE, text=True)
    samples, rounds = [], 0
    until = time.monotonic() + SECONDS
    while time.monotonic() < until or rounds < 8:
        for line in asked:
            program.process.stdin.write(line + "\n")
            program.process.stdin.flush()
        rounds += 1
        while len(program.said.read_text().splitlines()) < rounds * len(asked):
            assert program.process.poll() is None, program.wrong.read_text()
            time.sleep(0.05)
        samples.append(program.memory())
    program.process.stdin.close()
    assert program.process.wait(60) == 0
    assert_flat(samples)
    assert_nothing_left(program)
