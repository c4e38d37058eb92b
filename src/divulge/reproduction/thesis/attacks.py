"""Sections 3.3, 4.6 and 5.5: which measure sees which attack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.api import measure
from divulge.reproduction.experiment import Claim, Conditions, Findings, Tabulation
from divulge.reproduction.thesis.paper import PAPER
from divulge.table.hierarchy import Hierarchy

Groups = Sequence[str]  # diseases of the people of a group, in few words: "flu flu aids"
CANCERS = ("lung", "colon", "stomach")
OTHERS = ("flu", "aids", "diabetes")
DOMAINS = {"cancer": CANCERS, "other": OTHERS, "healthy": ("none",)}
TREE = Hierarchy.of(
    [(value, name, "*") for name, values in DOMAINS.items() for value in values], attribute="disease"
)
MARGIN = 1e-6


@dataclass(frozen=True)
class AttackPair:
    """Two tables: one that reveals people to an attack, and one that does not."""

    name: str
    present: Groups
    absent: Groups


ATTACKS = (
    AttackPair(
        "identity: a group of one person",
        ("flu", "aids", "flu aids lung flu aids lung"),
        ("flu aids lung flu", "aids flu aids lung"),
    ),
    AttackPair(
        "homogeneity: all people of a group have one disease",
        ("flu flu flu", "aids aids aids", "lung lung lung"),
        ("flu aids lung", "flu aids lung", "flu aids lung"),
    ),
    AttackPair(
        "background knowledge: one disease can be ruled out, and one is left",
        ("flu aids flu aids", "lung colon lung colon"),
        ("flu aids lung colon", "flu aids lung colon"),
    ),
    AttackPair(
        "skewness: half of a group has what one in four people has",
        ("aids" + " aids" * 3 + " none" * 4, *("aids" + " none" * 7,) * 2),
        ("aids aids" + " none" * 6,) * 3,
    ),
    AttackPair(
        "similarity: different diseases that mean the same",
        ("lung colon stomach", "flu aids diabetes"),
        ("lung colon flu", "stomach aids diabetes"),
    ),
)


def _columns(groups: Groups) -> dict[str, list[str]]:
    people = [(f"group {place}", disease) for place, some in enumerate(groups) for disease in some.split()]
    return {"group": [one for one, _ in people], "disease": [one for _, one in people]}


def _read(name: str, target: str = "disease", **more: Any) -> Callable[[Groups], float]:
    def of_groups(groups: Groups) -> float:
        value = measure(_columns(groups), name, keys=["group"], target=target, **more).value
        return round(float(value or 0.0), 12)

    return of_groups


def _one_over(name: str) -> Callable[[Groups], float]:
    read = _read(name)
    return lambda groups: 1 / read(groups)


#: What each measure reads, higher being riskier.
MEASURES: Mapping[str, Callable[[Groups], float]] = {
    "k-anonymity": _one_over("k_anonymity"),
    "distinct l-diversity": _one_over("distinct_l_diversity"),
    "entropy l-diversity": _one_over("entropy_l_diversity"),
    "t-closeness": _read("t_closeness", ground="equal"),
    "t-closeness by hierarchy": _read("t_closeness", ground="hierarchical", hierarchies={"disease": TREE}),
    "DR, identity": _read("discrimination_rate", "@record"),
    "DR": _read("discrimination_rate"),
    "SeDR": _read("discrimination_rate", partitions={"disease": DOMAINS}),
}
#: What the thesis says: the attack, the measure, and whether it sees it.
SAID = (
    ("identity", "k-anonymity", True),
    ("homogeneity", "k-anonymity", False),
    ("background knowledge", "k-anonymity", False),
    ("homogeneity", "distinct l-diversity", True),
    ("background knowledge", "distinct l-diversity", True),
    ("skewness", "distinct l-diversity", False),
    ("similarity", "distinct l-diversity", False),
    ("skewness", "t-closeness", True),
    ("similarity", "t-closeness by hierarchy", True),
    ("identity", "DR, identity", True),
    ("homogeneity", "DR", True),
    ("background knowledge", "DR", True),
    ("skewness", "DR", True),
    ("similarity", "DR", False),
    ("similarity", "SeDR", True),
)


@PAPER.add("attacks", "Which measure sees which attack", "Sections 3.3.1, 4.6.1 and 5.5")
def attacks(conditions: Conditions) -> Findings:
    """k-anonymity sees identity only, diversity no skewness and no similarity, the rate no similarity."""
    read = {
        (attack.name, name): (risk(attack.present), risk(attack.absent))
        for attack in ATTACKS
        for name, risk in MEASURES.items()
    }
    seen = {at: present > absent + MARGIN for at, (present, absent) in read.items()}
    return Findings(
        claims=[_claim(attack, name, sees, seen) for attack, name, sees in SAID],
        tables=[
            Tabulation(
                "Seen: the table that reveals people reads higher",
                ["attack", *MEASURES],
                [
                    [one.name, *("yes" if seen[one.name, name] else "no" for name in MEASURES)]
                    for one in ATTACKS
                ],
            ),
            Tabulation(
                "Readings of the table that reveals people, and of the one that does not",
                ["attack", *MEASURES],
                [
                    [
                        one.name,
                        *(" / ".join(f"{value:.2g}" for value in read[one.name, name]) for name in MEASURES),
                    ]
                    for one in ATTACKS
                ],
            ),
            Tabulation(
                "The tables: diseases of each group",
                ["attack", "reveals people", "does not"],
                [[one.name, _shown(one.present), _shown(one.absent)] for one in ATTACKS],
            ),
        ],
        notes=["Higher is riskier throughout; k-anonymity and l-diversity stand as 1/k and 1/l."],
    )


def _claim(attack: str, name: str, sees: bool, seen: Mapping[tuple[str, str], bool]) -> Claim:
    [found] = [
        value for (title, measured), value in seen.items() if title.startswith(attack) and measured == name
    ]
    says = f"{name} {'sees' if sees else 'does not see'} {attack}."
    return Claim(says, found == sees, "" if found == sees else "The readings are in the table below.")


def _shown(groups: Groups) -> str:
    return "; ".join(groups)
