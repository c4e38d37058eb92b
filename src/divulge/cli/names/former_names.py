"""Names that commands and options had before 1.0: they are accepted still, and no help lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: Commands that became part of another, with what has to be said there.
_COMMANDS = {"utility": "compare", "measures": "guide", "mechanisms": "guide", "tabulate": "table"}
_LISTED = ("measures", "mechanisms")  # that list all of their kind where none is named

#: What options are called now, by command.
_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "init": {"--force": "--overwrite", "--recipe": "--write-recipe"},
    "anonymize": {"--recipe-out": "--write-recipe"},
    "transform": {"--key": "--write-key"},
    "watch": {"--key": "--cursor", "--strict": "--all-lines"},
    "uniqueness": {"--population-size": "--population"},
    "audit": {"--csv": "--csv-folder"},
    "check": {"--csv": "--csv-folder", "--baseline": "--earlier"},
    "compare": {"--csv": "--csv-folder"},
    "demo": {"--records": "--size"},
    "reproduce": {"--report": "--out"},
    "attacker read": {"--table": "--file", "--hierarchy": "--secret-hierarchy"},
    "attacker typical": {"--epsilon": "--within"},
    "attacker optimize": {"--table": "--file", "--loss": "--user-loss"},
    "attacker mix": {"--threshold": "--batch", "--interval": "--period"},
    "attacker location": {"--scale": "--noise-scale"},
    "release signer": {"--accept-loss": "--allow-loss"},
}
_TABLES = ("attacker read", "attacker optimize")  # where --table now names a table of the file
_OF_THE_SERVICE = {"--keys": "--key-folder", "--name": "--dataset", "--seen": "--last-seen"}
_SILENT = ("--force", "--recipe-out", "--population-size")  # former names that no command has today


def with_command(arguments: Sequence[str]) -> list[str]:
    """What was typed after divulge, with the command's name of today.

    >>> with_command(["measures"]), with_command(["measures", "itpr"]), with_command(["utility", "f.csv"])
    (['guide', 'measures'], ['guide', 'itpr'], ['compare', 'f.csv'])
    """
    if not arguments or arguments[0] not in _COMMANDS:
        return list(arguments)
    name, *rest = arguments
    alone = all(one.startswith("-") for one in rest)
    return [_COMMANDS[name], *([name] if name in _LISTED and alone else []), *rest]


def said_of_options(command: str, arguments: Sequence[str], taken: Sequence[str]) -> list[str]:
    """What to say of former names that other commands use for another thing, a line each.

    >>> said_of_options("watch", ["-", "--strict"], ["-", "--all-lines"])
    ['divulge: --strict of watch is --all-lines now; --strict of other commands is another option.']
    """
    changed = [
        (typed.partition("=")[0], now.partition("=")[0])
        for typed, now in zip(arguments, taken, strict=True)
        if typed != now
    ]
    return [
        f"divulge: {former} of {command} is {now} now; {former} of other commands is another option."
        for former, now in dict.fromkeys(changed)
        if former not in _SILENT
    ]


def with_options(command: str, arguments: Sequence[str], known: Sequence[str]) -> list[str]:
    """What was typed after a command, with options as they are called today; what it has is left as it is.

    >>> with_options("watch", ["-", "--strict", "--key=id"], ["--all-lines", "--cursor"])
    ['-', '--all-lines', '--cursor=id']
    """
    if command in _TABLES and "--file" not in arguments:
        known = [name for name in known if name != "--table"]
    former = {**(_OF_THE_SERVICE if command.startswith("release ") else {}), **_OPTIONS.get(command, {})}
    found: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[place:]]
        name, sign, value = argument.partition("=")
        called = former.get(name)
        found.append(argument if called not in known or name in known else f"{called}{sign}{value}")
    return found
