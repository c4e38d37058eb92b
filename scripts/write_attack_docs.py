"""Write docs/attack-catalogue.md: every attack, what its attacker knows, and what it reads on an example."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import divulge as dv
from divulge import attacks
from divulge.attacks import Outcome
from divulge.table.partition_files import read_partitions

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "attack-catalogue.md"
HEAD = """\
# Catalogue of attacks

*This page is written by `scripts/write_attack_docs.py` from the attacks themselves. To change it, change
their docstrings.*

Each uses the same example: the nine patients of `examples/patients.csv` as released in
`examples/diverse.csv` (3-diverse), matched by `record`, with ZIP Code and Age as quasi-identifiers and
Disease as sensitive. Outside tables and the population are the nine patients themselves; similar diseases
are those of `examples/semantic.toml`. The numbers are explained in [attacks](attacks.md).
"""
LINKAGE = (attacks.linked_distance, attacks.linked_interval, attacks.linked_probability)
ENTRY = """
## {title}

`dv.attacks.{name}`: the attacker knows {knows}.

{about}

On the example: {sentence}
"""


def page() -> str:
    """The page, with the attacks in the order in which a reader of the thesis meets them."""
    keys, sensitive = ["ZIP Code", "Age"], ["Disease"]
    original = dv.read(str(ROOT / "examples/patients.csv"), quasi_identifiers=keys, sensitive=sensitive)
    released = dv.read(str(ROOT / "examples/diverse.csv"))
    aligned = dv.align(original, released, by="record")
    shown = aligned.released
    alike = read_partitions(ROOT / "examples/semantic.toml")["Disease"]
    tried: list[tuple[Callable[..., Outcome], Outcome]] = [
        (attacks.identity_white_box, attacks.identity_white_box(aligned)),
        (attacks.identity_black_box, attacks.identity_black_box(shown)),
        (attacks.identity_grey_box, attacks.identity_grey_box(shown, original)),
        (attacks.homogeneity, attacks.homogeneity(shown)),
        (attacks.background_knowledge, attacks.background_knowledge(shown)),
        (attacks.skewness, attacks.skewness(aligned)),
        (attacks.similarity, attacks.similarity(shown, partitions={"Disease": {"domains": alike}})),
        (attacks.prosecutor, attacks.prosecutor(shown)),
        (attacks.journalist, attacks.journalist(shown, original)),
        (attacks.marketer, attacks.marketer(shown, original)),
        *((attack, attack(aligned)) for attack in LINKAGE),
    ]
    return HEAD + "".join(_entry(attack, outcome) for attack, outcome in tried)


def _entry(attack: Callable[..., Outcome], outcome: Outcome) -> str:
    about = (inspect.getdoc(attack) or "").partition(">>>")[0].strip().replace("``", "`")
    sentence = outcome.sentence[:1].lower() + outcome.sentence[1:]
    return ENTRY.format(
        title=outcome.title, name=attack.__name__, knows=outcome.knows, about=about, sentence=sentence
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
