"""What somebody probably meant who typed an option or a command that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

# Words for the same thing in other tools; of several options, the first that the command has.
OPTIONS: dict[str, tuple[str, ...]] = {
    "output": ("--report", "--out", "--json"),
    "out": ("--report", "--out", "--json"),
    "o": ("--report", "--out", "--json"),
    "html": ("--report",),
    "save": ("--report", "--out"),
    "to": ("--report", "--out"),
    "format": ("--json", "--markdown"),
    "j": ("--json",),
    "md": ("--markdown",),
    "xml": ("--junit",),
    "qi": ("--quasi-identifiers", "--keys"),
    "qids": ("--quasi-identifiers", "--keys"),
    "quasi": ("--quasi-identifiers", "--keys"),
    "keys": ("--quasi-identifiers",),
    "key": ("--keys", "--quasi-identifiers"),
    "known": ("--keys", "--quasi-identifiers"),
    "id": ("--identifiers", "--identifier", "--by"),
    "ids": ("--identifiers", "--identifier", "--by"),
    "direct-identifiers": ("--identifiers",),
    "sa": ("--sensitive", "--target"),
    "sensitive-attribute": ("--sensitive", "--target"),
    "sensitive-attributes": ("--sensitive", "--target"),
    "secret": ("--sensitive", "--target"),
    "target": ("--sensitive",),
    "delimiter": ("--separator",),
    "delim": ("--separator",),
    "sep": ("--separator",),
    "d": ("--separator",),
    "quotechar": ("--quote",),
    "charset": ("--encoding",),
    "codec": ("--encoding",),
    "na": ("--missing-value",),
    "na-values": ("--missing-value",),
    "null": ("--missing-value",),
    "null-values": ("--missing-value",),
    "star": ("--suppressed",),
    "config": ("--policy",),
    "rules": ("--policy",),
    "threshold": ("--policy",),
    "thresholds": ("--policy",),
    "k": ("--policy", "--measure"),
    "random-state": ("--seed",),
    "rng": ("--seed",),
    "shuffles": ("--permutations",),
    "metric": ("--measure",),
    "metrics": ("--measure",),
    "param": ("--with",),
    "parameter": ("--with",),
    "values": ("--show-values", "--by-value"),
    "exact": ("--exact-counts",),
    "counts": ("--exact-counts",),
    "groups": ("--partitions",),
    "bins": ("--partitions",),
    "generalization": ("--hierarchy",),
    "generalisation": ("--hierarchy",),
    "match": ("--by",),
    "on": ("--by",),
    "join": ("--by",),
    "rename": ("--column",),
    "mem": ("--memory",),
    "ram": ("--memory",),
    "backend": ("--engine",),
    "fail-on-warning": ("--strict",),
    "overwrite": ("--force",),
    "f": ("--force",),
}
COMMANDS = {
    "assess": "audit",
    "report": "audit",
    "risk": "audit",
    "profile": "audit",
    "scan": "audit",
    "validate": "check",
    "test": "check",
    "gate": "check",
    "verify": "check",
    "diff": "compare",
    "policy": "init",
    "new": "init",
    "example": "demo",
    "metrics": "measures",
    "list": "measures",
    "simulate": "release",
    "serve": "release",
    "help": "guide",
}


def meant_option(asked: str, known: Sequence[str]) -> str | None:
    """The option that comes nearest, first by meaning, then by spelling.

    >>> meant_option("--output", ["--report", "--json"]), meant_option("--identifer", ["--identifiers"])
    ('--report', '--identifiers')
    >>> meant_option("--outpt", ["--report", "--json"])
    '--report'
    >>> meant_option("--frobnicate", ["--report"])
    """
    word = asked.lstrip("-").split("=")[0].casefold().replace("_", "-")
    names = {option.lstrip("-"): option for option in known}
    by_meaning = _by_meaning(word, known)
    if by_meaning is not None:
        return by_meaning
    begun = [name for name in names if len(word) > 2 and name.startswith(word)]
    near = begun or difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    within = [name for name in names if len(word) > 3 and word in name.split("-")]
    found = near or within
    if found:
        return names[found[0]]
    near = difflib.get_close_matches(word, OPTIONS, n=1, cutoff=0.8)  # a word we know, misspelt
    return _by_meaning(near[0], known) if near else None


def _by_meaning(word: str, known: Sequence[str]) -> str | None:
    return next((option for option in OPTIONS.get(word, ()) if option in known), None)


def meant_command(asked: str, known: Sequence[str]) -> str | None:
    """The command that comes nearest, first by meaning, then by spelling.

    >>> meant_command("adit", ["audit", "check"]), meant_command("diff", ["audit", "compare"])
    ('audit', 'compare')
    """
    word = asked.casefold()
    if COMMANDS.get(word) in known:
        return COMMANDS[word]
    words = {**{old: new for old, new in COMMANDS.items() if new in known}, **{name: name for name in known}}
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return words[near[0]] if near else None
