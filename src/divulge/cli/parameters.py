"""From the fields of a request to a command's arguments and options: each is declared once."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from importlib import import_module
from inspect import Parameter, Signature, getdoc
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast, get_type_hints

import typer

from divulge._support.small_counts import exact_counts
from divulge.cli.completion import words
from divulge.cli.help_sections import ENGINE, WHOLE, SectionedCommand, SummarizedGroup
from divulge.cli.help_sections import SOURCE as SOURCE_SECTION
from divulge.cli.verbosity import speaking
from divulge.source.options import DEFAULTS, OPTIONS, SourceOptions, split_names

REQUIRED = MISSING  # the default of what has none
SOURCE = "source"  # the field of a request that holds what was said about its tables


def argument(metavar: str, help: str, default: Any = REQUIRED, **more: Any) -> Any:
    """A field of a request that is an argument of its command."""
    return field(default=default, metadata={"kind": typer.Argument, "metavar": metavar, "help": help, **more})


def option(
    metavar: str,
    help: str,
    default: Any = None,
    *,
    called: str | None = None,
    section: str | None = None,
    **more: Any,
) -> Any:
    """A field of a request that is an option, named as the field is unless it is called otherwise."""
    said = {"kind": typer.Option, "called": called, "metavar": metavar, "help": help, **more}
    return field(default=default, metadata={**said, "rich_help_panel": section})


def flag(
    help: str,
    default: bool | None = False,
    *,
    called: str | None = None,
    short: str | None = None,
    section: str | None = None,
) -> Any:
    """A field of a request that is true where its option is given, perhaps by a single letter."""
    said = {"kind": typer.Option, "called": called, "short": short, "help": help}
    return field(default=default, metadata={**said, "rich_help_panel": section})


def table_options(**without: str) -> Any:
    """The field of a request that holds what is said about its tables.

    What a command does not offer is given with the reason, as its users are told.
    """
    return field(metadata={"without": without})


class CommandGroup(SummarizedGroup):
    """Commands that are made when they are used: to run one, the options of the others need not be known.

    ``offered`` has by request, among ``divulge.cli.requests``, the function that answers it, among
    ``divulge.cli.commands``. A function ``run_audit`` is the command ``audit``. Its arguments and options are
    the fields of the request, its help is what the request says of itself.
    """

    offered: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *, commands: Mapping[str, Any], **said: Any) -> None:
        super().__init__(**said)
        self.on_use = CommandsOnUse(self.offered, commands)
        self.commands = cast(Any, self.on_use)  # it is only looked into

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.on_use)

    def summaries(self) -> dict[str, str]:
        return {name: self.on_use.summary(name) for name in self.on_use}


class CommandsOnUse(Mapping[str, Any]):
    """Commands by name, those of groups last; what is not yet made is made when it is asked for."""

    def __init__(self, offered: Mapping[str, str], groups: Mapping[str, Any]) -> None:
        self._offered = {
            where.rpartition(".run_")[2].replace("_", "-"): (request, where)
            for request, where in offered.items()
        }
        self._groups = groups
        self._made: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        return chain(self._offered, self._groups)

    def __len__(self) -> int:
        return len(self._offered) + len(self._groups)

    def __getitem__(self, name: str) -> Any:
        if name in self._groups:
            return self._groups[name]
        if name not in self._made:
            request, where = self._offered[name]
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(name, cls=SectionedCommand)(_command(_request(request), where))
            self._made[name] = typer.main.get_command(alone)
        return self._made[name]

    def summary(self, name: str) -> str:
        """What a command does, without its options."""
        if name in self._groups:
            one = self._groups[name]
        else:
            one = SectionedCommand(name, help=getdoc(_request(self._offered[name][0])))
        return str(one.get_short_help_str(WHOLE))


def _request(where: str) -> Any:
    module, _, name = where.rpartition(".")
    return getattr(import_module(f"divulge.cli.requests.{module}"), name)


def _command(request: Any, where: str) -> Callable[..., None]:
    offered = OPTIONS.keys() - left_out(request) if _reads_a_table(request) else ()
    module, _, function = where.rpartition(".")

    def run(**given: Any) -> None:
        if offered:
            said = {name: given.pop(name) for name in offered}
            said["missing_values"] = tuple(said.get("missing_values") or ())
            said["names"] = tuple(name for text in said["names"] or () for name in split_names(text))
            given[SOURCE] = SourceOptions(**said)
        if given.get("report") is not None and not given.get("overwrite"):
            from divulge.report.shared.writing import refuse_replacing

            refuse_replacing(Path(given["report"]))
        answer = getattr(import_module(f"divulge.cli.commands.{module}"), function)
        if not gc.isenabled():  # what was imported stays; to look through it again and again takes long
            gc.freeze()
            atexit.register(gc.unfreeze)  # so that what DuckDB holds is let go of at the end
            gc.enable()
        spoken = {name: given.get(name, False) for name in ("quiet", "verbose")}
        printed = given.get("as_json", False) or "-" in (given.get("markdown"), given.get("csv"))
        with exact_counts(given.get("exact_counts", False)), speaking(**spoken, printed=printed):
            answer(request(**given))

    run.__doc__ = request.__doc__
    run.__dict__.update(__signature__=Signature([*_parameters(request)]), request=request, where=where)
    return run


def left_out(request: Any) -> Mapping[str, str]:
    """The options of a table that a request does not have, each with the reason."""
    return next((one.metadata["without"] for one in fields(request) if one.name == SOURCE), {})


def why_left_out(command: Any, flag: str) -> str | None:
    """The reason why a command does not have an option that other tables have."""
    request = vars(command).get("request")
    reasons = {} if request is None else left_out(request)
    return next((reason for name, reason in reasons.items() if OPTIONS[name].flag == flag), None)


def _reads_a_table(request: Any) -> bool:
    return any(one.name == SOURCE for one in fields(request))


def _parameters(request: Any) -> Iterator[Parameter]:
    """Parameters as typer reads them; the options of a table come last."""
    hints = get_type_hints(request)
    for one in fields(request):
        if one.name != SOURCE:
            default = Parameter.empty if one.default is MISSING else one.default
            yield _parameter(one.name, Annotated[hints[one.name], _said(one)], default)
    for name, option in OPTIONS.items() if _reads_a_table(request) else ():
        if name not in left_out(request):
            default = DEFAULTS[name]
            several = isinstance(default, tuple)
            kind: Any = list[str] | None if several else type(default) if _is_plain(default) else str | None
            said = typer.Option(
                option.flag,
                metavar=option.metavar,
                help=option.help,
                rich_help_panel=ENGINE if option.concerns == "engine" else SOURCE_SECTION,
                autocompletion=words(option.choices) if option.choices else None,
            )
            yield _parameter(name, Annotated[kind, said], None if several else default)


def _is_plain(default: object) -> bool:
    """Whether an option is a number, or a word that is said or not."""
    return isinstance(default, int)


def _said(one: Field[Any]) -> Any:
    """What typer is told of a field."""
    said = {name: value for name, value in one.metadata.items() if name not in ("kind", "called", "short")}
    names = () if one.metadata["kind"] is typer.Argument else (flag_of(one),)
    names += (one.metadata["short"],) if one.metadata.get("short") else ()
    return one.metadata["kind"](*names, **said)


def flag_of(one: Field[Any]) -> str:
    """What the option of a field is called."""
    return one.metadata["called"] or f"--{one.name.replace('_', '-')}"


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
