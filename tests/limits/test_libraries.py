"""A package that is not installed is named with the extra that brings it."""

import subprocess
import sys

import pytest

from divulge.limits.libraries import missing_library

PROGRAM = """
import sys
sys.modules["cryptography"] = None  # an import fails
from divulge.cli import main
main()
"""


@pytest.mark.parametrize(("command", "extra"), [("release", "service"), ("query", "queries")])
def test_a_command_that_needs_an_extra_says_which(command, extra):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, command, "status", "none.db"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == (
        "divulge: Running this command needs the package 'cryptography', which is not installed. "
        f"Install the extra '{extra}' with: pip install 'divulge[{extra}]', "
        f"in a checkout: pip install '.[{extra}]'\n"
    )


def test_a_package_that_no_extra_brings_is_not_one_to_install():
    assert missing_library(ModuleNotFoundError("no", name="divulge.nothing")) is None
    assert missing_library(ModuleNotFoundError("no")) is None
