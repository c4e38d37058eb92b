"""What somebody probably meant who typed an option or a command that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

# Words for the same thing in other tools; of several options, the first that the command has.
_OPTIONS = {
    "output out o": ("--report", "--out", "--json"),
    "save to": ("--report", "--out"),
    "html": ("--report",),
    "format": ("--json", "--markdown"),
    "j": ("--json",),
    "md": ("--markdown",),
    "xml": ("--junit",),
    "qi qids quasi": ("--quasi-identifiers", "--keys"),
    "keys": ("--quasi-identifiers", "--key-folder"),
    "key known": ("--keys", "--quasi-identifiers", "--write-key", "--cursor"),
    "id ids": ("--identifiers", "--identifier", "--by"),
    "direct-identifiers": ("--identifiers",),
    "sa sensitive-attribute sensitive-attributes secret": ("--sensitive", "--target"),
    "target": ("--sensitive",),
    "delimiter delim sep d": ("--separator",),
    "quotechar": ("--quote",),
    "sheet sheet-name worksheet tab": ("--table",),
    "charset codec": ("--encoding",),
    "na na-values null null-values": ("--missing-value",),
    "star": ("--suppressed",),
    "config rules threshold thresholds": ("--policy",),
    "k": ("--policy", "--measure"),
    "random-state rng": ("--seed",),
    "shuffles": ("--permutations",),
    "metric metrics": ("--measure",),
    "param parameter": ("--with",),
    "values": ("--show-values", "--by-value"),
    "exact counts": ("--exact-counts",),
    "groups bins": ("--partitions",),
    "generalization generalisation": ("--hierarchy",),
    "match on join": ("--by",),
    "rename": ("--column",),
    "mem ram": ("--memory",),
    "backend": ("--engine",),
    "fail-on-warning": ("--strict",),
    "force f": ("--overwrite",),
    "recipe-out": ("--write-recipe",),
    "name": ("--dataset",),
    "table": ("--file",),
    "csv": ("--csv-folder",),
    "baseline": ("--earlier",),
    "silent s": ("--quiet",),
    "debug": ("--verbose",),
    "risks record-risk": ("--records",),
}
_COMMANDS = {
    "assess report risk profile scan": "audit",
    "validate test gate": "check",
    "diff": "compare",
    "tables": "table",
    "policy new": "init",
    "example": "demo",
    "metrics list": "guide",
    "simulate": "release simulate",
    "serve": "release serve",
    "verify": "release verify",
    "request": "release request",
    "ask": "query ask",
    "html page draw": "report",
    "explain": "guide",
    "help": "--help",
    "version": "--version",
}
OPTIONS = {word: meant for words, meant in _OPTIONS.items() for word in words.split()}
COMMANDS = {word: meant for words, meant in _COMMANDS.items() for word in words.split()}


def meant_option(asked: str, known: Sequence[str]) -> str | None:
    """The option that comes nearest, first by meaning, then by spelling.

    >>> meant_option("--output", ["--report", "--json"]), meant_option("--identifer", ["--identifiers"])
    ('--report', '--identifiers')
    >>> meant_option("--outpt", ["--report", "--json"])
    '--report'
    >>> meant_option("--sheet", ["--seed", "--table"])
    '--table'
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
    >>> meant_command("serve", ["audit", "release"]), meant_command("serve", ["audit"])
    ('release serve', None)
    """
    word = asked.casefold()
    there = {old: new for old, new in COMMANDS.items() if new.startswith("--") or new.split()[0] in known}
    if word in there:
        return there[word]
    words = {**there, **{name: name for name in known}}
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return words[near[0]] if near else None
