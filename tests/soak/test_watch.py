"""A stream that does not end: records arrive at a steady pace in a file that is rotated at times."""

import json
import random
import time

import pytest

from soak.programs import SECONDS, Program, assert_flat, assert_nothing_left

pytestmark = pytest.mark.slow

POLICY = """
[attributes]
sex = "quasi-identifier"
age = "quasi-identifier"
postcode = "quasi-identifier"
diagnosis = "sensitive"
[thresholds]
k_anonymity = { min = 2 }
discrimination_rate = { max = 0.9, target = "diagnosis" }
"""
ILLNESSES = ["flu", "asthma", "gout", "diabetes"]
HEADER = "sex,age,postcode,diagnosis\n"
A_SECOND = 2_000  # records that arrive


def records(rng, number):
    for _ in range(number):
        who = f"{rng.choice('fm')},{rng.randrange(18, 90)},{rng.randrange(1000):05d}"
        yield f"{who},{rng.choice(ILLNESSES)}\n"


def test_a_stream_is_watched_without_holding_more_as_time_goes_by(tmp_path):
    rng = random.Random(11)
    folder = tmp_path / "watched"
    folder.mkdir()
    policy = folder / "divulge.toml"
    policy.write_text(POLICY)
    file = folder / "arriving.csv"
    file.write_text(HEADER)
    pace = ["--window", "4000", "--every", "1s", "--from", "1000"]
    program = Program(folder, "watch", file, "--policy", policy, *pace, "--json")
    samples = []
    until = time.monotonic() + SECONDS
    while time.monotonic() < until or len(samples) < 8:
        for _ in range(8):
            with file.open("a") as arriving:
                arriving.writelines(records(rng, A_SECOND // 4))
            time.sleep(0.25)
        assert program.process.poll() is None, program.wrong.read_text()
        samples.append(program.memory())
        if len(samples) % 30 == 0:
            file.rename(folder / "arrived.csv")  # as a log is rotated
            file.write_text(HEADER)
    program.end()
    read = [json.loads(line) for line in program.said.read_text().splitlines()]
    assert len(read) >= len(samples) // 2
    assert read[-1]["arrived"] > read[0]["arrived"]
    assert_flat(samples)
    assert_nothing_left(program)
