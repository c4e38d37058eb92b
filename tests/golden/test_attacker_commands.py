"""The figures on the attacker's estimation error again, as the attacker commands print them.

Origin and trust are those of ``test_estimation_core.py`` and ``test_estimation_scenarios.py``: what is called
``computed`` was worked out apart from this package.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from divulge.cli import app as cli

HERE = Path(__file__).parent
RECORDS = {r["id"]: r for r in json.loads((HERE / "estimation_error.json").read_text(encoding="utf-8"))}


@cache
def ask(*arguments) -> dict:
    result = CliRunner().invoke(cli.app, ["attacker", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("channels")


def those(beginning):
    return sorted(identifier for identifier in RECORDS if identifier.startswith(beginning))


def last(identifier):
    return identifier.rsplit(".", 1)[-1]


def exactly(identifier, within=1e-12):
    return pytest.approx(RECORDS[identifier]["computed"], abs=within, rel=within)


def channel(folder, name, inputs, prior, matrix, outputs):
    file = folder / f"{name}.csv"
    rows = [[x, p, *row] for x, p, row in zip(inputs, prior, matrix, strict=True)]
    lines = [["x", "prior", *outputs], *rows]
    file.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return file


def sides(found, name):
    """The two sides of a bound."""
    [one] = [one for one in found["bounds"] if one["name"] == name]
    return one["left"], one["right"]


@pytest.mark.parametrize("identifier", [name for name in those("ee.binary.") if ".opt." not in name])
def test_a_binary_channel(identifier, folder):
    params = RECORDS[identifier]["params"]
    letters = ("0", "1")
    name = f"binary{params['p']}"
    found = ask(channel(folder, name, letters, params["prior"], params["channel"], letters))
    values = {
        "p_avg": found["privacy"]["average"],
        "p_min": found["privacy"]["worst"],
        "p_cond": found["observations"][0]["privacy"],
        "distortion": found["operating_point"]["loss"],
        "mi": found["leakage"][0]["additive"],
        "t": sides(found, "I <= t")[1],
        "delta": sides(found, "t <= delta")[1],
        "tv": found["observations"][0]["total_variation"],
        "epsilon": found["epsilon"],
    }
    assert values[last(identifier)] == exactly(identifier)


@pytest.mark.parametrize("identifier", those("ee.binary.opt."))
def test_the_best_binary_mechanism(identifier, folder):
    (folder / "fair.csv").write_text("0,0.5\n1,0.5\n")
    budget = 1 - RECORDS[identifier]["params"]["u0"]
    found = ask("optimize", folder / "fair.csv", "--budget", budget)
    assert found["value"] == exactly(identifier, 1e-9)


DISTORTIONS = {
    "Hamming": ("hamming",),
    "absolute": ("absolute",),
    "squared": ("squared", "--among-values"),
    "squared_real": ("squared",),
}


@pytest.mark.parametrize("identifier", those("ee.general."))
def test_a_channel_of_three_numbers(identifier, folder):
    params = RECORDS["ee.general.Hamming.y0"]["params"]
    outputs = ("y0", "y1", "y2")
    file = channel(folder, "general", params["x_values"], params["prior"], params["channel"], outputs)
    kind = identifier.split(".")[2]
    found = ask(file, "--distortion", *DISTORTIONS.get(kind, ("hamming",)))
    values = {
        "avg": found["privacy"]["average"],
        "min": found["privacy"]["worst"],
        "mi": found["leakage"][0]["additive"],
        "t": sides(found, "I <= t")[1],
        "delta": sides(found, "t <= delta")[1],
        **{one["label"]: one["privacy"] for one in found["observations"]},
    }
    assert values[last(identifier)] == exactly(identifier)


@pytest.mark.parametrize("identifier", those("ee.crowds."))
def test_a_crowd(identifier):
    params = RECORDS[identifier]["params"]
    found = ask("crowds", "--users", params["n"], "--submit", params["p"], "--renyi", "2")
    crowd, hidden = found["crowd"], found["crowd"]["anonymity"]
    values = {
        "posterior_hit": crowd["posterior"],
        "posterior_miss": crowd["posterior_others"],
        "privacy": found["privacy"]["average"],
        "h_inf": hidden["min_entropy"],
        "h_1": hidden["serjantov_danezis"],
        "h_2": hidden["renyi"][0]["entropy"],
        "h_0": hidden["max_entropy"],
        "order": hidden["min_entropy"] <= hidden["serjantov_danezis"] <= hidden["max_entropy"],
        "mi": found["leakage"][0]["additive"],
    }
    assert values[last(identifier)] == exactly(identifier, 1e-9)


@pytest.mark.parametrize("identifier", those("ee.rd.uniform"))
def test_the_least_information_within_a_budget(identifier, folder):
    letters = int(identifier.split(".")[2].removeprefix("uniform"))
    file = folder / f"uniform{letters}.csv"
    file.write_text("".join(f"{letter},{1 / letters}\n" for letter in range(letters)))
    budget = RECORDS[identifier]["params"]["D"]
    found = ask("optimize", file, "--budget", budget, "--goal", "information")
    assert found["value"] == exactly(identifier, 1e-8)


@pytest.mark.parametrize("identifier", those("ee.confidence."))
def test_a_short_list_of_equally_likely_values(identifier, folder):
    size = RECORDS[identifier]["params"]["cardinality"]
    nothing = channel(folder, f"list{size}", range(size), [1 / size] * size, [[1.0]] * size, ["seen"])
    found = ask(nothing, "--confidence", 1)["confidence"]
    assert (found["least"], found["error"]) == (size, exactly(identifier))


def test_places_under_normal_noise_by_the_squared_distance():
    found = ask("location", "--noise", "gaussian", "--noise-scale", 1, "--distortion", "squared")["privacy"]
    # Without observing the middle is the best estimate, 2 from each side: (4 + 1 + 0 + 1 + 4) / 5 twice.
    assert (found["prior"], round(found["average"], 4)) == (4.0, 1.3438)


def test_three_observations_through_a_noisy_channel(folder):
    file = channel(folder, "noisy", "01", (0.5, 0.5), [[0.75, 0.25], [0.25, 0.75]], "01")
    # By hand: two or three of three are wrong, 3 * 0.25^2 * 0.75 + 0.25^3.
    after = ask(file, "--observations", 3)["repeated"][3]
    assert (after["observations"], after["average"]) == (3, pytest.approx(0.15625, abs=1e-15))
