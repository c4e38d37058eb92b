"""Puts compiled loops into a wheel where there is a C compiler; elsewhere the wheel is pure, and slower."""

from __future__ import annotations

import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/divulge/_compiled"


class CompiledLoops(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles before a wheel or an editable install is made; the library fits every Python of a platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        problem = runpy.run_path(str(Path(self.root, FOLDER, "building.py")))["build"]()
        if problem is not None:
            self.app.display_warning(f"The loops were not compiled, and NumPy does their work. {problem}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(f"{FOLDER}/loops_*")
