"""From the fields of a request to a command's arguments and options: each is declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args, get_type_hints

import typer

from divulge._support.small_counts import exact_counts
from divulge.source.options import DEFAULTS, OPTIONS, SourceOptions, split_names

SOURCE = "source"  # the field of a request that holds what was said about its tables


@dataclass(frozen=True)
class Without:
    """Options of a table that a command does not offer, each with the reason, as its users are told."""

    reasons: Mapping[str, str]


def taking(command: Callable[[Any], None]) -> Callable[..., None]:
    """A command whose arguments and options are the fields of the request that it takes."""
    request = get_type_hints(command)["asked"]
    offered = OPTIONS.keys() - left_out(request) if _reads_a_table(request) else ()

    def run(**given: Any) -> None:
        if offered:
            said = {name: given.pop(name) for name in offered}
            said["missing_values"] = tuple(said.get("missing_values") or ())
            said["names"] = tuple(name for text in said["names"] or () for name in split_names(text))
            given[SOURCE] = SourceOptions(**said)
        with exact_counts(given.get("exact_counts", False)):
            command(request(**given))

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__dict__.update(__signature__=Signature([*_parameters(request)]), request=request)
    return run


def left_out(request: Any) -> Mapping[str, str]:
    """The options of a table that a request does not have, each with the reason."""
    if not _reads_a_table(request):
        return {}
    _, *said = get_args(get_type_hints(request, include_extras=True)[SOURCE]) or (None,)
    return next((one.reasons for one in said if isinstance(one, Without)), {})


def why_left_out(command: Any, flag: str) -> str | None:
    """The reason why a command does not have an option that other tables have."""
    request = vars(command).get("request")
    reasons = {} if request is None else left_out(request)
    return next((reason for name, reason in reasons.items() if OPTIONS[name].flag == flag), None)


def _reads_a_table(request: Any) -> bool:
    return any(field.name == SOURCE for field in fields(request))


def _parameters(request: Any) -> Iterator[Parameter]:
    """Parameters as typer reads them; the options of a table come last."""
    hints = get_type_hints(request, include_extras=True)
    for field in fields(request):
        if field.name != SOURCE:
            default = Parameter.empty if field.default is MISSING else field.default
            yield _parameter(field.name, hints[field.name], default)
    for name, option in OPTIONS.items() if _reads_a_table(request) else ():
        if name not in left_out(request):
            default = DEFAULTS[name]
            several = isinstance(default, tuple)
            kind: Any = list[str] | None if several else type(default) if _is_plain(default) else str | None
            said = typer.Option(option.flag, metavar=option.metavar, help=option.help)
            yield _parameter(name, Annotated[kind, said], None if several else default)


def _is_plain(default: object) -> bool:
    """Whether an option is a number, or a word that is said or not."""
    return isinstance(default, int)


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
