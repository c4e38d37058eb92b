"""Write docs/measures.md from the registry, so that the page and the code cannot disagree."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from divulge._support.references import REFERENCES
from divulge._support.wording import number
from divulge.errors import Undefined
from divulge.measures import MEASURES, Law, Measure
from divulge.measures.population_figures import FIGURES, PopulationFigure
from divulge.measures.registry import EXAMPLE, example_counts
from divulge.readings.chance import FOLLOWING, LINEAR

PAGE = Path(__file__).parents[1] / "docs" / "measures.md"

FAMILIES = {
    "information": "What the keys reveal",
    "class_size": "How many records are in a group",
    "diversity": "How varied the target is inside a group",
    "closeness": "How far a group is from the whole table",
}

INTRODUCTION = """\
# Measures

*This page is written by `scripts/write_measure_docs.py` from the registry. To change it, change the
measure's facts or docstring and run the script again.*

The letters are the same everywhere. Y are the keys and y is a group: the records with the same key values,
or equivalence class. |Y| is the number of groups. X is the target and x one of its values. n is
the number of records, n_y that of a group, and p(x), p(y), p(x|y) are shares of records, or of weights
where records are weighted. H is entropy in bits.

All worked examples use the same eight records in two groups:
"""

CONVENTIONS = """\
*Case* says what the number is about: the group with the highest risk, the average over records, or the
whole table. *By group* says whether each group has its own value, which `--by-value` prints. *Wildcard* says
whether the measure has a value where missing keys match anything. For the details see
[conventions.md](conventions.md).
"""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield "| age | flu | cold |"
    yield "|---|---:|---:|"
    for age, row in zip(("20s", "30s"), EXAMPLE, strict=True):
        yield f"| {age} | {' | '.join(map(str, row))} |"
    yield ""
    yield CONVENTIONS
    yield "| measure | title | unit | riskier | case |"
    yield "|---|---|---|---|---|"
    for one in MEASURES.values():
        yield f"| [`{one.name}`](#{one.name}) | {one.title} | {one.unit} | {one.riskier} | {one.case} |"
    family = None
    for one in MEASURES.values():
        if one.family != family:
            family = one.family
            yield f"\n## {FAMILIES[family]}"
        yield from _section(one)
    yield from _of_the_population()
    yield "\n## Laws\n"
    yield "A measure is tested on every law that it claims.\n"
    yield from (f"- **{law.name.lower()}**: {law.value}." for law in Law)
    yield "\n## References\n"
    yield "The same keys stand in [references.bib](references.bib).\n"
    used: list[Measure | PopulationFigure] = [*MEASURES.values(), *FIGURES.values()]
    yield from (f"- **{key}**: {REFERENCES[key]}" for key in sorted({one.reference for one in used}))


def _of_the_population() -> Iterator[str]:
    yield "\n## Of the population\n"
    yield (
        "These figures are no functions of joint counts alone: they need to know what the table is a sample "
        "of. `divulge uniqueness` and `divulge audit --population` read them, and a [policy](policy.md) can "
        "set bounds for them. F people of the population are like a record of the table, f of them in it; "
        "[Who is unique](uniqueness.md) says how each is found."
    )
    for one in FIGURES.values():
        yield f"\n### {one.name}\n"
        yield f"**{one.title}.** {one.summary}\n"
        yield f"```text\n{one.formula}\n```\n"
        yield f"- Range: {_range(one)}; {one.riskier} is riskier; {_case(one)}."
        yield f"- Compared with a threshold: {one.cautious}."
        yield f"- Undefined where {one.undefined}."
        yield f"- Reference: {one.reference}."


def _section(one: Measure) -> Iterator[str]:
    yield f"\n### {one.name}\n"
    yield f"**{one.title}.** {one.summary}\n"
    if one.explanation:
        yield f"{one.explanation}\n"
    yield f"```text\n{one.formula}\n```\n"
    yield f"- Range: {_range(one)}; {one.riskier} is riskier; {_case(one)}."
    yield from _parameters(one)
    yield f"- By group: {'yes' if one.by_class else 'no'}. {_chance(one)} {_reach(one)}"
    yield f"- Laws: {_laws(one.laws)}{''.join(_laws_by_kind(one))}."
    yield f"- Reference: {one.reference}."
    yield f"- Example: {one.example}."
    for parameters in one.variants:
        read = f"**{_reading(one, parameters)}**{_classes(one, parameters)}"
        yield f"- divulge gives{_given(parameters)}: {read}."


def _laws(laws: Iterable[Law]) -> str:
    return ", ".join(sorted(law.name.lower() for law in laws)) or "none"


def _laws_by_kind(one: Measure) -> Iterator[str]:
    for kind, laws in one.laws_by_kind.items():
        yield f"; with kind = {kind} also {_laws(laws)}"


def _range(one: Measure | PopulationFigure) -> str:
    low, high = one.bounds
    above = f"{number(low)} or more" if math.isinf(high) else f"{number(low)} to {number(high)}"
    return f"{above} {one.unit}".rstrip()


def _case(one: Measure | PopulationFigure) -> str:
    return "for the whole table" if one.case == "whole" else f"{one.case} case"


def _parameters(one: Measure) -> Iterator[str]:
    taken = list(inspect.signature(one.function).parameters.values())[1:]
    if taken:
        said = ", ".join(f"`{p.name}` ({_word(p.default)} by default)" for p in taken)
        yield f"- Parameters: {said}."


def _chance(one: Measure) -> str:
    if not one.reads_target:
        return "Chance level: none, since shuffling the target does not change it."
    if one.name in LINEAR:
        return "Chance level: exact where affordable, else by shuffles; noise and p by a gamma distribution."
    if one.name in FOLLOWING:
        return "Chance level: by shuffles; noise and p by a gamma distribution."
    return "Chance level, noise and p: by shuffles."


def _reach(one: Measure) -> str:
    wildcard = "yes" if one.reads_overlap else "no"
    return f"Wildcard: {wildcard}." + (" Not defined for `@record`." if one.needs_target else "")


def _given(parameters: Mapping[str, Any]) -> str:
    return "".join(f" with {name} = {_word(value)}" for name, value in parameters.items())


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reading(one: Measure, parameters: Mapping[str, Any]) -> str:
    return f"{_number(one.compute(example_counts(), parameters))} {one.unit}".rstrip()


def _classes(one: Measure, parameters: Mapping[str, Any]) -> str:
    try:
        twenties, thirties = one.classes(example_counts(), parameters).tolist()
    except Undefined:
        return ""
    return f" (20s: {_number(twenties)}, 30s: {_number(thirties)})"


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else number(value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
