"""Which attacks to try on a release, by the attacker that the guide asks for, with the command to run."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.measures.guide_fits import Advice, Case, Domain

COMPARE = "divulge compare ORIGINAL RELEASED --by ID --quasi-identifiers A,B --sensitive X"


@dataclass(frozen=True)
class AttackFit:
    """An attack, whom it is for, and why."""

    attack: str  # its name in divulge.attacks
    title: str
    cases: str  # of worst, average, best
    right_or_wrong: bool  # whether it counts right guesses, or guesses that come near
    command: str
    why: str
    reference: str

    @property
    def advice(self) -> Advice:
        return Advice(f"attacks.{self.attack}", self.title, self.why, self.reference, self.command)


ATTACK_FITS = (
    AttackFit(
        "prosecutor",
        "Prosecutor",
        "worst",
        True,
        COMPARE,
        "Someone knows that a person is in the release and looks for the record: the smallest group.",
        "elemam2008",
    ),
    AttackFit(
        "homogeneity",
        "Homogeneity",
        "worst average",
        True,
        COMPARE,
        "Someone finds the group of a person and reads off what its records share.",
        "machanavajjhala2007",
    ),
    AttackFit(
        "background_knowledge",
        "Background knowledge",
        "worst",
        True,
        COMPARE,
        "The same for someone who can rule out a value.",
        "machanavajjhala2007",
    ),
    AttackFit(
        "identity_white_box",
        "Identity, with the original",
        "worst average",
        True,
        COMPARE,
        "How far the released keys give back the original ones, to someone who has the original.",
        "sondeck2017thesis",
    ),
    AttackFit(
        "identity_black_box",
        "Identity, with the release only",
        "average",
        True,
        COMPARE,
        "How far the released keys single out records, to someone who has nothing else.",
        "sondeck2017thesis",
    ),
    AttackFit(
        "identity_grey_box",
        "Identity, with another table",
        "average",
        True,
        f"{COMPARE} --outside FILE",
        "The same for someone who has another table about the same people.",
        "sondeck2017thesis",
    ),
    AttackFit(
        "marketer",
        "Marketer",
        "average",
        True,
        COMPARE,
        "Someone tries to re-identify as many people as possible: one right guess for each group.",
        "elemam2008",
    ),
    AttackFit(
        "linked_probability",
        "Linkage by agreement",
        "average",
        True,
        "divulge link ORIGINAL RELEASED --by ID --keys A,B",
        "Where values were changed: how many records are linked to the right original one.",
        "fellegi1969",
    ),
    AttackFit(
        "journalist",
        "Journalist",
        "worst best",
        True,
        f"{COMPARE} --population FILE",
        "Someone does not know who is in the release; everyone alike in the population is a candidate.",
        "elemam2008",
    ),
    AttackFit(
        "similarity",
        "Similarity",
        "worst average",
        False,
        f"{COMPARE} --partitions X=FILE.toml",
        "Someone is content with a group of similar values, such as any cancer.",
        "li2007",
    ),
    AttackFit(
        "skewness",
        "Skewness",
        "worst",
        False,
        COMPARE,
        "Someone learns that a value is far more likely in a group than in the original.",
        "li2007",
    ),
    AttackFit(
        "linked_distance",
        "Linkage by distance",
        "average",
        False,
        "divulge link ORIGINAL RELEASED --by ID --keys A,B",
        "Where numbers were changed: how many records are nearest to their own original.",
        "pagliuca1999",
    ),
    AttackFit(
        "linked_interval",
        "Interval disclosure",
        "worst average best",
        False,
        "divulge link ORIGINAL RELEASED --by ID --keys A,B",
        "Where numbers were changed: how often the original lies close to what is released.",
        "mateosanz2004",
    ),
)


def recommended_attacks(domain: Domain, hamming: bool, case: Case) -> list[Advice]:
    """The attacks on a table that fit an attacker; of other data the attacker's error is the attack.

    >>> [one.title for one in recommended_attacks("table", True, "best")]
    ['Journalist']
    """
    if domain != "table":
        return []
    return [one.advice for one in ATTACK_FITS if case in one.cases.split() and one.right_or_wrong == hamming]
