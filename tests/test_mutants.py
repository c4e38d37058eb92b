"""The script that changes the code in small ways: it changes what it says, and only for who asks."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def mutants():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts" / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mutants"]


def test_every_module_that_is_changed_and_every_test_beside_it_is_there(mutants):
    for group in mutants.GROUPS.values():
        for module, tests in group.items():
            assert (mutants.SOURCE / module).is_file(), module
            assert tests
            for one in tests:
                assert (ROOT / "tests" / one).exists(), one


def test_comparisons_signs_and_constants_are_changed_one_at_a_time(mutants):
    found = {(one.before, one.after) for one in mutants.mutants_of("_support/rounding.py", [])}
    assert found == {
        ("1e-09", "1.000000001"),
        ("1e-12", "1.000000000001"),
        ("value > bound + _slack(bound)", "value >= bound + _slack(bound)"),
        ("bound + _slack(bound)", "bound - _slack(bound)"),
        ("value < lowest(bound)", "value <= lowest(bound)"),
        ("bound - _slack(bound)", "bound + _slack(bound)"),
        ("0.0", "1.0"),
        ("-ABSOLUTE", "--ABSOLUTE"),
        ("-ABSOLUTE < value < ABSOLUTE", "-ABSOLUTE <= value < ABSOLUTE"),
        ("values * (abs(values) >= ABSOLUTE) + 0.0", "values * (abs(values) >= ABSOLUTE) - 0.0"),
        ("values * (abs(values) >= ABSOLUTE)", "values / (abs(values) >= ABSOLUTE)"),
        ("abs(values) >= ABSOLUTE", "abs(values) > ABSOLUTE"),
        ("ABSOLUTE + RELATIVE * abs(bound)", "ABSOLUTE - RELATIVE * abs(bound)"),
        ("RELATIVE * abs(bound)", "RELATIVE / abs(bound)"),
    }


def test_a_changed_module_does_what_the_change_says_and_the_file_stays_as_it_is(mutants):
    before = (mutants.SOURCE / "_support/rounding.py").read_bytes()
    [mutant] = [
        one for one in mutants.mutants_of("_support/rounding.py", []) if one.before == "bound + _slack(bound)"
    ]
    spec = mutants.Changed(mutant).find_spec("divulge._support.rounding")
    changed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(changed)
    assert changed.above(0.3, 0.3)
    assert not importlib.import_module("divulge._support.rounding").above(0.3, 0.3)
    assert (mutants.SOURCE / "_support/rounding.py").read_bytes() == before


def test_the_sample_is_the_same_every_time(mutants):
    assert mutants.chosen(["policy"], 7) == mutants.chosen(["policy"], 7)
    assert len(mutants.chosen(["policy"], 7)["policy"]) == 7
    assert len(mutants.chosen(["policy"], None)["policy"]) > mutants.SAMPLE
