"""Write docs/mechanisms.md from the registry, and its table of figures from docs/mechanisms_on_adult.json.

With the path of the Adult table (its hierarchies beside it) the figures are read anew first:
``python scripts/write_mechanism_docs.py path/to/adult.csv``.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from divulge._support.references import REFERENCES
from divulge._support.toml_text import toml_key, toml_value
from divulge._support.wording import percent
from divulge.comparison import compare
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.mechanism import Mechanism
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.recipes.recipe import Recipe

DOCS = Path(__file__).parents[1] / "docs"
PAGE, FIGURES = DOCS / "mechanisms.md", DOCS / "mechanisms_on_adult.json"
FAMILIES = {
    "recoding": "Coarser values",
    "suppression": "Records and cells left out",
    "aggregation": "Records in groups that share values",
    "randomisation": "Values changed, exchanged or left to chance",
    "synthesis": "Records and counts that are made up",
}
HEAD = """\
# Mechanisms

*This page is written by `scripts/write_mechanism_docs.py` from the registry. To change it, change the
facts or docstring of a mechanism and run the script again.*

A mechanism is one thing that can be done to a table before it is released. A [recipe](recipes.md) names
mechanisms in order. `divulge guide mechanisms` lists them, `divulge guide NAME` explains one.

- **Takes**: what the attributes must hold.
- **Random**: whether something is drawn. Anyone who knows the seed can undo what is drawn from it.
- **Records**: whether each released record is that of one original record. If not, a comparison cannot say
  whom a record is about, and says *not measured*.
- **Promises**: what the step guarantees of its output. Most guarantee nothing: measure the release.
- **Keeps to**: laws that tests hold it to.
"""
ON_ADULT = """\

## On Adult

One recipe of each mechanism, compared with the original: {records} records of the
[Adult](https://archive.ics.uci.edu/dataset/2/adult) census table. Known to the attacker: {keys}. Sensitive:
{sensitive}. Seed {seed}. The figures are in `mechanisms_on_adult.json`; made with
`python scripts/write_mechanism_docs.py adult.csv`.

- **People linked**: the share of people who are linked to their own record, where each is linked to the
  record that fits best.
- **White box**: how much a released quasi-identifier says about its original value; beyond chance where
  values were changed.
- **Homogeneity**: how much a released quasi-identifier says about the sensitive attribute.
- **Kept**: the share of the information of all attributes that is kept. Records that left count as lost.

| mechanism | recipe | people linked | white box | homogeneity | kept |
|---|---|---:|---:|---:|---:|
"""
NOTES = """
Nothing here is a ranking: each mechanism has a strength, and these are one setting each. *Not measured*
means that nobody can say whose record a released one is; it does not mean that there is no risk. Of a sample
(`sample`, `massc`) the attacker is taken to know who is in it, so that fewer records look alike. The steps
that draw noise from the system (`private_counts`, `private_records`) give other figures each time.
"""
KEYS = ["sex", "age", "race", "marital-status", "education"]
SENSITIVE, SEED = "occupation", 1
DOMAINS = {
    "sex": ["Male", "Female"],
    "race": ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
    "salary-class": ["<=50K", ">50K"],
}
#: One step for each mechanism; Adult has no dates.
STEPS: dict[str, dict[str, Any]] = {
    "recode": {"attributes": ["age"], "hierarchy": "adult_hierarchy_age.csv", "level": 2},
    "recode_subtrees": {
        "attributes": ["marital-status"],
        "hierarchy": "adult_hierarchy_marital-status.csv",
        "groups": ["spouse not present"],
    },
    "recode_combinations": {"attributes": ["sex", "race"], "mapping": "combinations.csv"},
    "groups": {
        "attributes": ["race"],
        "groups": {"other": ["Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]},
    },
    "intervals": {"attributes": ["age"], "width": 10},
    "top_bottom_coding": {"attributes": ["age"], "top": 70, "bottom": 20},
    "rounding": {"attributes": ["age"], "base": 5},
    "interval_rounding": {"attributes": ["age"], "edges": [16, 25, 35, 45, 55, 65, 91]},
    "prefix": {"attributes": ["education"], "keep": 1, "fill": ""},
    "remove": {"attributes": ["race"]},
    "suppress_records": {"attributes": KEYS, "k": 3},
    "suppress_groups": {"attributes": KEYS, "policy": "three.toml"},
    "suppress_cells": {"attributes": KEYS, "k": 3},
    "recode_cells": {
        "attributes": ["age", "marital-status", "education"],
        "hierarchy": {name: f"adult_hierarchy_{name}.csv" for name in ("age", "marital-status", "education")},
        "k": 3,
    },
    "listed_changes": {"records": "listed.csv"},
    "microaggregation": {"attributes": ["age"], "k": 50},
    "anatomy": {"attributes": [SENSITIVE], "l": 3},
    "noise": {"attributes": ["age"], "alpha": 0.2, "decimals": 0},
    "multiplicative_noise": {"attributes": ["age"], "alpha": 0.1, "decimals": 0},
    "laplace_noise": {"attributes": ["age"], "sensitivity": 1, "epsilon": 0.5, "decimals": 0},
    "rank_swapping": {"attributes": ["age"], "percent": 5},
    "random_swapping": {"attributes": ["sex", "age"], "share": 0.2},
    "targeted_swapping": {"attributes": ["education"], "k": 2, "keys": ["sex", "age"]},
    "random_rounding": {"attributes": ["age"], "base": 5},
    "pram": {"attributes": ["sex", "race", "marital-status"], "retention": 0.9},
    "sample": {"fraction": 0.2},
    "massc": {"attributes": ["sex", "race", "marital-status", "education"]},
    "synthetic_trees": {"attributes": [*KEYS, SENSITIVE]},
    "private_counts": {"attributes": list(DOMAINS), "epsilon": 1, "domains": DOMAINS},
    "private_records": {"attributes": list(DOMAINS), "epsilon": 1, "domains": DOMAINS},
}


def page() -> str:
    """The whole page, with the figures that were kept."""
    return "\n".join([HEAD, *_catalogue()]) + _on_adult(json.loads(FIGURES.read_text("utf-8")))


def _catalogue() -> Iterator[str]:
    for family, title in FAMILIES.items():
        yield f"## {title}\n"
        for one in MECHANISMS.values():
            if one.apply.__module__.split(".")[2] == family or _module(one) == family:
                yield from _entry(one)


def _module(one: Mechanism) -> str:
    return "" if one.explained is None else one.explained.__module__.split(".")[2]


def _entry(one: Mechanism) -> Iterator[str]:
    yield f"### {one.title}\n"
    yield f"`{one.name}`: {_inline(one.summary)}\n"
    if one.explanation:
        yield _inline(one.explanation) + "\n"
    records = "each is that of one original record" if one.keeps_rows else "made up: none is anybody's"
    yield f"- Takes: {one.takes}"
    yield f"- Random: {one.drawn}"
    yield f"- Records: {records}"
    yield f"- Promises: {one.promise}"
    yield f"- Keeps to: {'; '.join(sorted(law.value for law in one.laws)) or 'no law'}"
    yield f"- Example: {one.example}"
    yield f"- Reference: {REFERENCES[one.reference]}"
    if one.parameters:
        yield "\n| parameter | is | meaning |"
        yield "|---|---|---|"
        for parameter in one.parameters:
            yield f"| `{parameter.name}` | {_kind(parameter)} | {_cell(parameter.help)} |"
    yield ""


def _kind(one: Parameter) -> str:
    kind = " or ".join(f"`{word}`" for word in one.choices) if one.choices else one.kind
    default = json.dumps(one.default, ensure_ascii=False) if not one.required else ""
    usual = "required" if one.required else ("optional" if one.default is None else f"default `{default}`")
    return _cell(", ".join(filter(None, [kind, one.bounds, usual, "secret" if one.secret else ""])))


def _inline(text: str) -> str:
    return text.replace("``", "`")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _on_adult(figures: dict[str, Any]) -> str:
    head = ON_ADULT.format(
        records=f"{figures['records']:,}",
        keys=", ".join(figures["quasi_identifiers"]),
        sensitive=figures["sensitive"],
        seed=figures["seed"],
    )
    nothing = f"| the original | nothing is done | {percent(figures['original'])} | 100% | | 100% |\n"
    rows = [_row(name, figures["mechanisms"].get(name)) for name in MECHANISMS]
    return head + nothing + "".join(rows) + NOTES


def _row(name: str, found: dict[str, Any] | None) -> str:
    if found is None:
        return f"| `{name}` | Adult has no dates | | | | |\n"
    shown = [_figure(found[part]) for part in ("linked", "white_box", "homogeneity", "kept")]
    return f"| `{name}` | `{found['recipe']}` | {' | '.join(shown)} |\n"


def _figure(value: float | None) -> str:
    return "not measured" if value is None else percent(value)


def read_figures(adult: Path) -> dict[str, Any]:
    """The figures of every mechanism on the Adult table."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as private:
        for one in adult.parent.glob("adult_hierarchy_*.csv"):
            Path(private, one.name).write_bytes(one.read_bytes())
        with Path(private, "listed.csv").open("w", encoding="utf-8", newline="") as file:
            lines = [[number, "suppress", "age"] for number in range(1, 1001)]
            csv.writer(file).writerows([["record", "action", "attribute"], *lines])
        Path(private, "combinations.csv").write_text(_women_by_race().text(), "utf-8")
        Path(private, "three.toml").write_text(_policy(), "utf-8")
        for name, said in STEPS.items():
            recipe = Recipe.of({"seed": SEED, "step": [{"mechanism": name, **said}]}, folder=private)
            compared = compare(
                str(adult), recipe, quasi_identifiers=KEYS, sensitive=SENSITIVE, tables=1, seed=SEED
            )
            document = compared.to_dict()
            found[name] = {"recipe": _said(said), **_measured(document["releases"][0])}
            sys.stderr.write(f"{name}: {found[name]}\n")
    return {
        "records": compared.original.data.records,
        "quasi_identifiers": KEYS,
        "sensitive": SENSITIVE,
        "seed": SEED,
        "original": round(document["original"]["readings"]["average_risk"], 5),
        "mechanisms": found,
    }


def _women_by_race() -> CombinationMapping:
    """The race of men in two groups, that of women as it is."""
    white = DOMAINS["race"][0]
    rows = {
        (sex, race): (sex, race if sex == "Female" or race == white else "not White")
        for sex in DOMAINS["sex"]
        for race in DOMAINS["race"]
    }
    return CombinationMapping(("sex", "race"), rows)


def _policy() -> str:
    """A policy that asks for groups of three."""
    roles = [f'{name} = "quasi-identifier"' for name in KEYS]
    asked = ["[thresholds]", "k_anonymity = { min = 3 }"]
    return "\n".join(["[attributes]", *roles, f'{SENSITIVE} = "sensitive"', *asked]) + "\n"


def _measured(release: Any) -> dict[str, float | None]:
    risks = {one["attack"]: one["risk"] for one in release["attacks"]}
    figures = {
        "linked": release["score"]["risk"],
        "white_box": risks.get("identity_white_box"),
        "homogeneity": risks.get("homogeneity"),
        "kept": release["score"]["utility"],
    }
    return {name: None if value is None else round(value, 5) for name, value in figures.items()}


def _said(step: dict[str, Any]) -> str:
    told = {name: value for name, value in step.items() if name not in ("hierarchy", "domains", "records")}
    return "; ".join(f"{toml_key(name)} = {toml_value(value)}" for name, value in told.items()) or "a file"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        FIGURES.write_text(json.dumps(read_figures(Path(sys.argv[1])), indent=1) + "\n", "utf-8")
    PAGE.write_text(page(), "utf-8")
