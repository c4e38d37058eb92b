"""The guide command: a measure, mechanism or word explained, or a few questions and what fits the answers."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from divulge import documents
from divulge._support.references import REFERENCES
from divulge._support.wording import WIDTH
from divulge.cli.commands.reference.measures import EVERY, say_measures
from divulge.cli.commands.reference.mechanisms import say_mechanisms
from divulge.cli.commands.reference.terms import say_term, term, terms
from divulge.cli.parameters import flag_of
from divulge.cli.requests.tools import GuideRequest
from divulge.documents import as_json as written
from divulge.errors import ParameterError, suggestion
from divulge.measures.guide import QUESTIONS, GuideQuestion, recommend
from divulge.measures.guide_attacks import recommended_attacks
from divulge.measures.guide_fits import Advice
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.guide import recommended_mechanisms

MEASURE_LIST, MECHANISM_LIST = "measures", "mechanisms"  # names that mean all of them
TITLES = {
    "advice": "Measures that fit, the best first:",
    "attacks": "Attacks to try:",
    "mechanisms": "Mechanisms that help:",
}
OPTION = {
    one.name: flag_of(one).replace("/", " or ") for one in fields(GuideRequest) if "called" in one.metadata
}
#: What words of the field are called here.
FIELD = {
    **dict.fromkeys(("dp", "differential privacy", "laplace"), "laplace_noise"),
    **dict.fromkeys(("generalization", "generalisation", "recoding"), "recode"),
    "k": "k_anonymity",
    "l": "distinct_l_diversity",
    "t": "t_closeness",
}


def run_guide(asked: GuideRequest) -> None:
    if asked.name is None:
        _choose(asked)
        return
    answered = [OPTION[one.name] for one in QUESTIONS if getattr(asked, one.name) is not None]
    if answered:
        raise ParameterError(
            f"{', '.join(answered)} cannot be given together with a name.", hint="Leave out one of the two."
        )
    name = asked.name.replace("-", "_")
    if name in (MEASURE_LIST, *EVERY):
        say_measures(None if name == MEASURE_LIST else name, as_json=asked.as_json)
    elif name in (MECHANISM_LIST, *MECHANISMS):
        say_mechanisms(None if name == MECHANISM_LIST else name, as_json=asked.as_json)
    elif (word := term(asked.name)) is not None:
        say_term(word, as_json=asked.as_json)
    else:
        known = (MEASURE_LIST, MECHANISM_LIST, *EVERY, *MECHANISMS, *terms())
        lists = "List measures and mechanisms with: divulge guide measures, divulge guide mechanisms"
        raise ParameterError(
            f"Unknown measure, mechanism or word: '{asked.name}'.",
            hint=_meant(asked.name, known) or lists,
        )


def _meant(asked: str, known: Sequence[str]) -> str | None:
    """The name that a word of the field stands for, those that contain it, or the nearest by spelling.

    >>> _meant("l-diversity", ["distinct_l_diversity", "entropy_l_diversity", "t_closeness"])
    "Did you mean 'distinct_l_diversity' or 'entropy_l_diversity'?"
    >>> _meant("dp", ["laplace_noise", "p"]), _meant("tcloseness", ["t_closeness"])
    ("Did you mean 'laplace_noise'?", "Did you mean 't_closeness'?")
    """
    word = " ".join(asked.casefold().replace("-", " ").replace("_", " ").split())
    parts = {name: f" {name.casefold().replace('_', ' ')} " for name in known}
    near = [name for name in known if f" {word}" in parts[name]] if len(word) > 2 else []
    found = [FIELD[word]] if FIELD.get(word) in known else near[:3]
    if not found:
        return suggestion(asked, known)
    return f"Did you mean {' or '.join(map(repr, found))}?"


def _choose(asked: GuideRequest) -> None:
    """Ask what is not yet answered, and print what fits."""
    given = {question.name: getattr(asked, question.name) for question in QUESTIONS}
    answers = {name: value for name, value in given.items() if value is not None}
    for question in QUESTIONS:
        if question.name in answers:
            question.check(answers[question.name])
    for question in QUESTIONS:
        if question.needed(answers):
            answers[question.name] = _asked(question)
    parts = _advised(answers)
    if asked.as_json:
        found = {name: [asdict(one) for one in advice] for name, advice in parts.items()}
        sys.stdout.write(written(documents.headed("guide", {"answers": answers, **found})))
        return
    for name, title in TITLES.items():
        if parts[name]:
            print(f"{title}\n")
            print(*(line for one in parts[name] for line in _lines(one)), sep="\n")
            print()
    if answers["domain"] == "table":
        print("divulge guide NAME explains one of them.")


def _advised(answers: dict[str, Any]) -> dict[str, list[Advice]]:
    """What fits the answers: measures, attacks and mechanisms, each with its command."""
    domain, hamming, case = answers["domain"], answers["hamming"], answers["case"]
    return {
        "advice": recommend(**answers),
        "attacks": recommended_attacks(domain, hamming, case),
        "mechanisms": recommended_mechanisms(domain, hamming, answers.get("distortion_known"), case),
    }


def _lines(one: Advice) -> list[str]:
    """A piece of advice: what it is, the command to run, why, and the paper."""
    reference = f"[{one.reference}] {REFERENCES[one.reference]}"
    return [
        textwrap.fill(f"{one.title} ({one.measure})", WIDTH, subsequent_indent="  "),
        *_command(one.command),
        textwrap.fill(one.why, WIDTH, initial_indent="  ", subsequent_indent="  "),
        textwrap.fill(reference, WIDTH, initial_indent="  ", subsequent_indent="    "),
    ]


def _command(command: str) -> list[str]:
    """A command in lines that a shell reads as one."""
    lines = textwrap.wrap(command, WIDTH - 6, break_on_hyphens=False)
    return textwrap.indent(" \\\n  ".join(lines), "  ").replace("  ", "  $ ", 1).splitlines()


def _options(question: GuideQuestion) -> str:
    """The option that answers a question, and what it takes."""
    values = [str(one.value) for one in question.answers if not isinstance(one.value, bool)]
    return " ".join([OPTION[question.name], *([" or ".join(values)] if values else [])])


def _asked(question: GuideQuestion) -> str | bool:
    """The answer given on a terminal; without one, what to say instead."""
    if not sys.stdin.isatty():
        raise ParameterError(
            f"The guide needs to know: {question.text}", hint=f"Answer with {_options(question)}."
        )
    print(question.text, question.why, sep="\n", file=sys.stderr)
    for place, answer in enumerate(question.answers, 1):
        print(f"  {place}. {answer.meaning}", file=sys.stderr)
    while True:
        print("Number: ", end="", file=sys.stderr, flush=True)
        said = sys.stdin.readline().strip()
        if said.isdigit() and 1 <= int(said) <= len(question.answers):
            return question.answers[int(said) - 1].value
        if not said:
            raise ParameterError("No answer given.")
