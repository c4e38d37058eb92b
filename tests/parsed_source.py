"""The package's own modules as syntax trees, for the tests that read them; each is parsed once."""

import ast
import functools


@functools.cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))
