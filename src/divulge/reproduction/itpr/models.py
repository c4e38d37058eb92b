"""Tables 1 and 2, equation 9: what privacy models leave open, and why ITPR counts groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from divulge.api import ask
from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    PublishedNumber,
    Tabulation,
)
from divulge.reproduction.itpr.paper import PAPER, readings

GROUPS = ("3551*, 2*", "3559*, 4*", "352*, 3*")
#: Diseases of the people of each group.
DISEASES: Mapping[str, Sequence[str]] = {
    "table 1": ("Asthma", "Diabetes", "HIV"),
    "table 2": ("Asthma", "Diabetes", "Diabetes", "Diabetes", "HIV"),
}
MODELS = {"k": "k_anonymity", "l": "distinct_l_diversity", "t": "t_closeness", "posterior": "worst_posterior"}
PRINTED = {"table 1": (3, 3, 0, 0.33), "table 2": (5, 3, 0, 0.60)}  # in the order of `MODELS`
EXACT = 1e-9  # of counts
ALONE = "equation 9"


@PAPER.add("table-1", "Two tables that privacy models rank the wrong way", "Tables 1 and 2, section 3.1")
def table_1(conditions: Conditions) -> Findings:
    """The table with the larger k and the same l and t says more about the disease."""
    counts = {name: _counts(diseases) for name, diseases in DISEASES.items()}
    found = {
        name: {model: MEASURES[measure].compute(one) for model, measure in MODELS.items()}
        for name, one in counts.items()
    }
    first, second = found.values()
    six = {name: readings(one) for name, one in counts.items()}
    return Findings(
        [
            PublishedNumber(
                f"{name}, {model}",
                printed,
                found[name][model],
                tolerance=None if model == "posterior" else EXACT,
            )
            for name, each in PRINTED.items()
            for model, printed in zip(MODELS, each, strict=True)
        ],
        [
            Claim(
                "Table 2 has the larger k, and the same l and t.",
                second["k"] > first["k"] and all(first[one] == second[one] for one in ("l", "t")),
            ),
            Claim("In table 2 a disease is guessed better.", second["posterior"] > first["posterior"]),
        ],
        tables=[
            Tabulation(
                "The six measures",
                ["table", *six["table 1"]],
                [[name, *(round(value, 12) for value in one.values())] for name, one in six.items()],
            )
        ],
        notes=[
            "Every group has the diseases of the whole table, so that ITPR, DR, MI and CP are 0 in both: "
            "they say what a group adds, not what is known without it."
        ],
    )


@PAPER.add("equation-9", "Why ITPR counts groups", "Equation 9, section 4")
def equation_9(conditions: Conditions) -> Findings:
    """Without the number of groups the least possible reading is 1 - 1/n; with it, ITPR begins at 0."""
    numbers = range(2, 31 if conditions.full else 8)
    tables = {n: JointCounts.of_table(np.full((n, 4), 6)) for n in numbers}
    alone = [(float(n), _largest_rate(one)) for n, one in tables.items()]
    itpr = [(float(n), MEASURES["itpr"].compute(one)) for n, one in tables.items()]
    at = dict(alone)
    return Findings(
        [
            PublishedNumber("least reading, two groups", 0.5, at[2], 0.1),
            PublishedNumber("least reading, three groups", 0.66, at[3]),
        ],
        [
            Claim("It is 1 - 1/n for n groups.", all(abs(y - (1 - 1 / n)) < EXACT for n, y in alone)),
            Claim("ITPR of the same tables is 0.", all(abs(y) < EXACT for _, y in itpr)),
        ],
        [
            Figure(
                "Equal groups that say nothing",
                "groups",
                "reading",
                [Curve(ALONE, alone), Curve("ITPR", itpr)],
            )
        ],
    )


def _counts(diseases: Sequence[str]) -> JointCounts:
    people = [(group, disease) for group in GROUPS for disease in diseases]
    columns = {"group": [group for group, _ in people], "Disease": [disease for _, disease in people]}
    return ask(columns, keys=["group"], target="Disease").counts.in_cells()


def _largest_rate(counts: JointCounts) -> float:
    """The largest rate of a group, which is MIL as a share of H(X)."""
    return float(
        MEASURES["maximum_information_leakage"].compute(counts) / MEASURES["entropy"].compute(counts)
    )
