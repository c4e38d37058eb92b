"""Commands: help drawn in sections, summaries never cut off, and values converted only where need be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from divulge.cli.names.former_names import said_of_options, with_options

#: The sections of a command's options, in the order of its help; what has none comes first, under Options.
ROLES, OUTPUT, SOURCE, ENGINE = "Roles", "Output", "Source", "Engine"
SECTIONS = ("Arguments", "Options", ROLES, OUTPUT, SOURCE, ENGINE)
WIDTH = 100  # of help on a wide terminal
WHOLE = 1000  # characters of a summary, which has far fewer


class PlainValues:
    """Values as they were typed, where nothing is to be converted: the converter takes long to import."""

    def get_params(self, ctx: Any) -> list[Any]:
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            vars(one).setdefault("process_value", partial(_processed, one, one.process_value))
        return found


def _processed(parameter: Any, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """A parameter's value: what was not given, a default, and plain text where text is asked for stay."""
    several = parameter.multiple or parameter.nargs != 1
    asked = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    text = not several and asked is str and isinstance(value, str) and value.isascii()
    if (not text and value is not parameter.default) or (value is None and parameter.required):
        return convert(ctx, value)
    value = () if value is None and several else value
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


class SectionedCommand(PlainValues, TyperCommand):
    """A command whose options are listed by what they are about."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        path = " ".join(str(ctx.command_path).split()[1:])
        known = [flag for one in self.get_params(ctx) for flag in one.opts]
        taken = with_options(path, args, known)
        sys.stderr.writelines(f"{line}\n" for line in said_of_options(path, args, taken))
        return super().parse_args(ctx, taken)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        named: list[Any] = [(one.required, one.metavar or one.name) for one in arguments]
        return ["[OPTIONS]", *(name if needed else f"[{name}]" for needed, name in named)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None and one.param_type_name == "argument":
                sections["Arguments"].append((str(one.metavar or one.name), str(record[1])))
            elif record is not None:
                sections[getattr(one, "rich_help_panel", None) or "Options"].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


class SummarizedGroup(PlainValues, TyperGroup):
    """Commands with their summaries, each whole."""

    wanted: ClassVar[Mapping[str, Sequence[str]]] = {}  # commands by what a person wants

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*self.summaries().items()])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """All commands on one screen, by what a person wants, where that is said."""
        if not self.wanted:
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        formatter.write(f"{self.help}\n\n")
        summaries, side = self.summaries(), max(map(len, self.wanted)) + 2
        width = max(map(len, summaries)) + 2
        for wish, names in self.wanted.items():
            for place, name in enumerate(names):
                formatter.write(f"{'' if place else wish:{side}}{name:{width}}{summaries[name]}\n")
        flags = [one for option in self.get_params(ctx) for one in sorted(option.opts, key=len)]
        formatter.write(f"{'Options':{side}}{' '.join(flags)}\n")

    def summaries(self) -> dict[str, str]:
        """What each command does, by its name."""
        return {name: one.get_short_help_str(WHOLE) for name, one in self.commands.items()}
