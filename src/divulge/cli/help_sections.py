"""Help that is drawn in sections, with summaries that are never cut off."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

#: The sections of a command's options, in the order of its help; what has none comes first, under Options.
ROLES, OUTPUT, SOURCE, ENGINE = "Roles", "Output", "Source", "Engine"
SECTIONS = ("Arguments", "Options", ROLES, OUTPUT, SOURCE, ENGINE)
WIDTH = 100  # of help on a wide terminal
WHOLE = 1000  # characters of a summary, which has far fewer


class SectionedCommand(TyperCommand):
    """A command whose options are listed by what they are about."""

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


class SummarizedGroup(TyperGroup):
    """Commands with their summaries, each whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, one.get_short_help_str(WHOLE))
                    for name, one in self.commands.items()
                    if not one.hidden
                ]
            )
