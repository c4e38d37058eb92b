"""Fill a database with the code of the version that is on PYTHONPATH: python make.py URL FOLDER.

A version is a working tree of git at its commit; PYTHONPATH has its src and its tests. What comes out is kept
beside this file: see README.md.
"""

import subprocess
import sys
from pathlib import Path

from service.history import lived


def main(url: str, folder: Path) -> None:
    def key(*options: str) -> str:
        program = (sys.executable, "-c", "import divulge.cli; divulge.cli.main()", "release", "key", url)
        places = ("--key-folder", str(folder / "keys"), "--checkpoints", str(folder / "checkpoints"))
        done = subprocess.run((*program, *places, *options), check=True, capture_output=True, text=True)
        return done.stdout

    lived(url, folder, requests=24, records=24)
    for role, name in (("admin", "admin"), ("requester", "ann"), ("auditor", "carla")):
        told = key("--role", role, "--name", name, "--expires", "2999-01-01")
        (folder / f"{name}.key").write_text(told)
    key("--revoke", told.partition(".")[0])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
