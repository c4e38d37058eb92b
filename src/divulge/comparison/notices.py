"""What a reader of a comparison has to know first: who gave roles, whether records are matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge._support.wording import capitalized, enumerated, many, percent, records
from divulge.alignment.tables import NO_WEIGHTS
from divulge.assessment.checks.identifiers import answer
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.naming import Naming, namings
from divulge.assessment.scope import Scope
from divulge.attacks.linkage.wrong_keys import JOINED
from divulge.comparison.release import Release
from divulge.errors import listed_attributes
from divulge.policy import Population

MANY = 20
CANNOT = "Rows cannot be aligned"
SUPPRESSED = (
    "Some cells are suppressed, and the risk may be higher than shown here: a suppressed cell fits any "
    "value, but an attacker who knows the value may still find the person. Audit the release as well, which "
    "measures that. Where records are matched (--key, --by), group sizes and people truly linked are counted "
    "by the original values, and can be a higher risk."
)
VALUES = (
    "Some cells are suppressed. Attacks and thresholds on sensitive values may understate the risk, because "
    "a suppressed cell fits any value there. Who can be singled out, what is learned, group sizes and people "
    "truly linked are counted by the original values."
)
ELIMINATION = (
    "Not measured: someone who knows everybody's original values can rule out records that must be those of "
    "others, and may find more people by elimination."
)
DIFFERS = (
    "divulge check of the release alone can give other shares: a suppressed cell is a value of its own "
    "there, and records without any shown quasi-identifier are left out."
)
ABOUT_THESE = "What is compared record by record is about these only."


def notices(releases: Sequence[Release], original: Scope, *, proposed: bool) -> list[dict[str, Any]]:
    """Sentences for the top of every output, with the release that each is about."""
    found: list[dict[str, Any]] = []
    if proposed:
        found.append({"release": None, "kind": "roles", "text": _suggested(original)})
    if original.population is not None:
        found.append({"release": None, "kind": "population", "text": _sampled(original.population)})
    for release in releases:
        if release.matching:
            text = _still_there(release.matching, _naming(release))
            found.append({"release": release.name, "kind": "matching", "text": text})
        said = {
            "naming": _named(release),
            "others": _without_role(release),
            "incomplete": _incomplete(release),
            "drawn": _drawn(release),
            "population": _unweighted(release),
        }
        found += [
            {"release": release.name, "kind": kind, "text": text} for kind, text in said.items() if text
        ]
        if groups := _in_groups(release):
            found.append({"release": release.name, "kind": "incomplete", "text": groups})
        refused = [note for note in release.alignment.notes if note.startswith(CANNOT)]
        joined = [note for note in refused if JOINED in note]
        if joined or (release.alignment.by and release.alignment.rows is None):
            text = (joined or refused)[0]
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.few_matched is not None:
            text = f"{_sentence(release.alignment.few_matched)} {ABOUT_THESE}"
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.refused is not None:
            found.append({"release": release.name, "kind": "order", "text": release.alignment.refused})
        if release.copied is not None:
            found.append({"release": release.name, "kind": "by", "text": release.copied})
        if release.whose is not None:
            found.append({"release": release.name, "kind": "by", "text": _sentence(release.whose)})
        if release.partly_suppressed:
            text = SUPPRESSED if release.originals is None else VALUES
            found.append(
                {"release": release.name, "kind": "suppressed", "text": f"{text} {ELIMINATION} {DIFFERS}"}
            )
        changed = release.changed or release.exchanged
        if changed is not None:
            found.append({"release": release.name, "kind": "changed", "text": _sentence(changed)})
    return found


def _suggested(original: Scope) -> str:
    keys, sensitive = (
        enumerated(list(names), most=MANY) if names else "" for names in (original.keys, original.sensitive)
    )
    return (
        f"No roles given; using these suggestions: quasi-identifiers {keys}; sensitive "
        f"{sensitive or 'none'}. To set them, use --quasi-identifiers and --sensitive or a policy."
    )


def _sampled(population: Population) -> str:
    """What the checks take the releases for, and that nothing else does."""
    if population.weight is not None:
        people = f"the people that {population.weight} adds up to"
    elif population.size is not None:
        people = f"{many(population.size)} people"
    else:
        people = f"a population, of which {percent(population.fraction or 1.0)} are in it"
    return (
        f"The checks treat each release as a sample of {people} ([population] of the policy). Readings and "
        "attacks count only the people in the table."
    )


def _naming(release: Release) -> list[str]:
    """Of the attributes that match records those that name people, whatever the policy allows."""
    found = namings(release.scope.data, ())
    return [one.attribute for one in found if one.names and one.attribute in release.matching]


def _identifying(release: Release) -> list[Naming]:
    """The attributes that name people or may, those aside that match records."""
    found = namings(release.scope.data, (), release.suspected)
    return [one for one in found if one.attribute not in release.matching]


def _named(release: Release) -> str:
    """Which attributes name people or may, and what to do about it; nothing where the policy allows them."""
    found = answer(release.scope.data, _identifying(release), release.demands)
    return "" if found.outcome == "pass" else f"{found.sentence} {found.fix}"


def _unweighted(release: Release) -> str:
    """That the original is weighted and the release is not, since it lacks the weights."""
    return next((note for note in release.alignment.notes if note.startswith(NO_WEIGHTS)), "")


def _without_role(release: Release) -> str:
    """Which attributes go out though nothing is measured of them."""
    said = {*(one.attribute for one in _identifying(release)), *release.matching}
    names = [name for name in release.scope.others if name not in said]
    if not names:
        return ""
    listed, one = listed_attributes(names), len(names) == 1
    has, it, role = (
        ("has no role and is", "it", "a role") if one else ("have no role and are", "them", "roles")
    )
    return (
        f"{listed} {has} in the release: no figure says what is revealed by {it}. Give {it} {role}, or leave "
        f"{it} out."
    )


def _incomplete(release: Release) -> str:
    """How many records are in the release though no figure counts them, since a value is missing."""
    data, keys = release.scope.data, release.scope.keys
    if data.missing != "drop" or not keys:
        return ""
    asked = {"a quasi-identifier": release.scope.question(keys)}
    asked |= {
        f"a quasi-identifier or of {name}": release.scope.question(keys, name)
        for name in data.schema.sensitive
    }
    least, said = 0, list[str]()
    for of, question in asked.items():
        if question.dropped_records > least:
            said.append(
                f"{capitalized(records(question.dropped_records, of=data.records))} lack a value of {of}."
            )
            least = question.dropped_records
    if not said:
        return ""
    return f"{' '.join(said)} They are in the release, and figures about these attributes leave them out."


def _in_groups(release: Release) -> str:
    """What is counted in groups that the release does not have, so that figures say little of it."""
    asked = [one for one in release.checks if isinstance(one, TableCheck)]
    return next((one.concerns for one in asked if one.measure_name == "measured"), "")


def _drawn(release: Release) -> str:
    """That other draws of a recipe give other figures."""
    recipe = release.recipe
    if recipe is None or not recipe.random:
        return ""
    how = (
        "with the seed of the recipe"
        if recipe.seed is not None
        else f"with seed {release.scope.seed} (--seed)"
    )
    if not any(step.mechanism.random and step.mechanism.seeded for step in recipe.steps):
        how = "from the system"
    return f"The recipe draws at random, here {how}. Another draw has other figures."


def _still_there(matching: Sequence[str], naming: Sequence[str]) -> str:
    """What matches records and is no part of what may be published, those that name people first."""
    there, it = ("is", "it") if len(matching) == 1 else ("are", "them")
    names = f" {enumerated(list(naming))} name{'s'[: len(naming) == 1]} people." if naming else ""
    return (
        f"{enumerated(list(matching), most=MANY)} {there} still in the release, used to match records (--by)."
        f"{names} Leave {it} out of what is published."
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
