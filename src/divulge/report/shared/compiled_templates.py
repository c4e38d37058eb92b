"""Compiled templates, kept as Python keeps compiled modules: compiling takes longer than filling."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class TemplateCache(BytecodeCache):
    """Templates of a folder, compiled; one that cannot be read or kept is compiled each time.

    What is kept is used for the same text, under the same ``settings``, only.
    """

    def __init__(self, folder: Path, settings: object) -> None:
        self.folder, self.settings = folder, settings

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return name

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{self.settings!r}\n{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(Exception):  # a file may be cut off in many ways
            bucket.load_bytecode(BytesIO(self._file(bucket).read_bytes()))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        half = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            half.write_bytes(bucket.bytecode_to_string())
            half.replace(file)  # at once, since another process may be reading it

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self.folder / f"{bucket.key}.py"))).with_suffix(".template")
