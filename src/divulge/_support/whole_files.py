"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write a file or a folder to, which becomes the one at the path once all is written.

    Where writing fails, what was at the path is there still, and nothing else is left.
    """
    final = Path(os.path.realpath(path))
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".divulge-release-") as folder:
        made = Path(folder, path.name)
        yield made
        if final.is_dir():
            os.replace(final, Path(folder, "replaced"))
        os.replace(made, final)
