"""The guide command: a few questions about the attacker, and the measures that fit."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import asdict, fields

from divulge import documents
from divulge._support.references import REFERENCES
from divulge._support.wording import WIDTH
from divulge.cli.parameters import flag_of
from divulge.cli.requests.tools import GuideRequest
from divulge.documents import as_json as written
from divulge.errors import ParameterError
from divulge.measures.guide import QUESTIONS, GuideQuestion, recommend

OPTION = {one.name: flag_of(one).replace("/", " or ") for one in fields(GuideRequest)}


def run_guide(asked: GuideRequest) -> None:
    given = {question.name: getattr(asked, question.name) for question in QUESTIONS}
    answers = {name: value for name, value in given.items() if value is not None}
    for question in QUESTIONS:
        if question.name in answers:
            question.check(answers[question.name])
    for question in QUESTIONS:
        if question.needed(answers):
            answers[question.name] = _asked(question)
    advice = recommend(**answers)
    if asked.as_json:
        found = {"answers": answers, "advice": [asdict(one) for one in advice]}
        sys.stdout.write(written(documents.headed("guide", found)))
        return
    print(f"{len(advice)} measures fit, the best first:\n")
    for one in advice:
        print(f"{one.title} ({one.measure})")
        print(textwrap.fill(one.why, WIDTH, initial_indent="  ", subsequent_indent="  "))
        said = REFERENCES[one.reference]
        print(
            textwrap.fill(f"[{one.reference}] {said}", WIDTH, initial_indent="  ", subsequent_indent="    ")
        )


def _asked(question: GuideQuestion) -> str | bool:
    """The answer given on a terminal; without one, what to say instead."""
    if not sys.stdin.isatty():
        raise ParameterError(
            f"The guide needs to know: {question.text}", hint=f"Answer with {OPTION[question.name]}."
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
