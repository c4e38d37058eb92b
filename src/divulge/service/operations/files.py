"""Files that an operator asks for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from divulge.errors import SourceError


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """A file that was not there, that only its owner may read, and that is gone again if filling it fails."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise SourceError(f"The file {path} already exists.", hint="Name another.") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}.", hint="Name another file.") from None
    try:
        yield
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise SourceError(f"{path} cannot be written: {error.strerror}.") from None
        raise
