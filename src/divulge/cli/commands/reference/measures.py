"""What the guide says of measures: the catalogue, and one explained."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from typing import Any

from divulge._support.references import REFERENCES
from divulge._support.wording import WIDTH, aligned, number
from divulge.measures import MEASURES, Measure
from divulge.measures.linkage_figures import LINKAGE_FIGURES, LinkageFigure
from divulge.measures.population_figures import FIGURES, PopulationFigure
from divulge.measures.registry import EXAMPLE, example_counts

Figure = PopulationFigure | LinkageFigure


#: Everything that is read from counts, and everything that is estimated or found by linking.
EVERY: dict[str, Measure | Figure] = {**MEASURES, **FIGURES, **LINKAGE_FIGURES}


def say_measures(name: str | None, *, as_json: bool) -> None:
    """Print the facts of one measure, or of all."""
    chosen = None if name is None else EVERY[name]
    if as_json:
        facts = [_facts(one) for one in EVERY.values()] if chosen is None else _facts(chosen)
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    elif chosen is None:
        _list_all()
    elif isinstance(chosen, Measure):
        _explain(chosen)
    else:
        _explain_figure(chosen)


def _list_all() -> None:
    for measure in MEASURES.values():
        _list_one(measure)
    print("\nOf the population that a table is a sample of (audit, uniqueness):\n")
    for figure in FIGURES.values():
        _list_one(figure)
    print("\nOf links between a release and its original (link, compare):\n")
    for linked in LINKAGE_FIGURES.values():
        _list_one(linked)
    print("\nExplain one with: divulge guide NAME")


def _list_one(measure: Measure | Figure) -> None:
    print(f"{measure.name}  ({_range(measure)}; {measure.riskier} is riskier; {measure.case} case)")
    print(f"  {measure.title} [{measure.reference}]")
    print(textwrap.fill(measure.formula, WIDTH, initial_indent="  ", subsequent_indent="    "))


def _explain_figure(figure: Figure) -> None:
    print(f"{figure.title} ({figure.name})\n")
    print(textwrap.fill(figure.summary, WIDTH) + "\n")
    for title, said in (
        ("Formula:", figure.formula),
        ("Range:", f"{_range(figure)}; {figure.riskier} is riskier; {figure.case} case"),
        ("Thresholds:", f"compared with {figure.cautious}"),
        ("Undefined:", f"where {figure.undefined}"),
        ("Reference:", REFERENCES[figure.reference]),
    ):
        print(textwrap.fill(f"{title:12}{said}", WIDTH, subsequent_indent=" " * 12))


def _explain(measure: Measure) -> None:
    print(f"{measure.title} ({measure.name})\n")
    print(textwrap.fill(measure.summary, WIDTH))
    for paragraph in measure.explanation.split("\n\n"):
        print("\n" + textwrap.fill(" ".join(paragraph.split()), WIDTH))
    print()
    print(textwrap.fill(f"Formula:    {measure.formula}", WIDTH, subsequent_indent=" " * 12))
    print(f"Range:      {_range(measure)}; {measure.riskier} is riskier; {measure.case} case")
    laws = "; ".join(sorted(law.value for law in measure.laws)) or "none"
    print(textwrap.fill(f"Laws:       {laws}", WIDTH, subsequent_indent=" " * 12))
    print(textwrap.fill(f"Reference:  {REFERENCES[measure.reference]}", WIDTH, subsequent_indent=" " * 12))
    print("\nWorked example, two groups of four records:\n")
    rows = [[key, *map(str, row)] for key, row in zip(("20s", "30s"), EXAMPLE, strict=True)]
    print(textwrap.indent("\n".join(aligned(["age", "flu", "cold"], rows, right=(1, 2))), "    "))
    print("\n" + textwrap.fill(f"{measure.example}", WIDTH, initial_indent="    ", subsequent_indent="    "))
    print(f"\n    divulge gives {number(measure.compute(example_counts()))} {measure.unit}".rstrip())


def _facts(measure: Measure | Figure) -> dict[str, Any]:
    facts = {
        "name": measure.name,
        "title": measure.title,
        "summary": measure.summary,
        "formula": measure.formula,
        "unit": measure.unit,
        "range": [None if math.isinf(bound) else bound for bound in measure.bounds],
        "riskier": measure.riskier,
        "case": measure.case,
        "reference": REFERENCES[measure.reference],
    }
    if not isinstance(measure, Measure):
        return {**facts, "threshold": measure.cautious, "undefined": measure.undefined}
    laws = sorted(law.name.lower() for law in measure.laws)
    return {**facts, "laws": laws, "example": measure.example}


def _range(measure: Measure | Figure) -> str:
    low, high = measure.bounds
    above = f"{number(low)} or more" if math.isinf(high) else f"{number(low)} to {number(high)}"
    return f"{above} {measure.unit}".rstrip()
