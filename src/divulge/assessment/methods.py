"""What was done, in a paragraph that can go into a report or a paper, with its references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from divulge import __version__
from divulge._support.references import REFERENCES
from divulge._support.small_counts import SMALL
from divulge._support.wording import enumerated, in_words, many, percent
from divulge.measures import MEASURES, Measure
from divulge.measures.population_figures import FIGURES, PopulationFigure
from divulge.policy.demands import QUESTIONS
from divulge.report.shared.tables import named
from divulge.report.shared.wording import MISSING

Document = Mapping[str, Any]
LISTED = 40  # names up to which all are spelled out
LEARNED = "what is learned about "
_BY_ROLE = (
    ("quasi-identifier", "An attacker was assumed to know {} (quasi-identifiers)"),
    ("sensitive", "sensitive attributes: {}"),
    ("identifier", "direct identifiers: {}"),
)
_HIDDEN = f"Numbers of fewer than {SMALL} people are not reported."


def methods_of_audit(document: Document) -> dict[str, Any]:
    """The paragraph of an audit, from its document."""
    source, attributes = document["source"], document["roles"]["attributes"]
    by_role = {role: [one["name"] for one in attributes if one["role"] == role] for role, _ in _BY_ROLE}
    text = _sentences(
        f"Disclosure risk was assessed with divulge {__version__} on a table of "
        f"{many(source['records'])} records and {len(attributes)} attributes",
        _people(source),
        _roles(by_role, "suggested" if document["roles"]["proposed"] else "given"),
        f"Missing values: {MISSING[source['missing']]}",
        _sample(source["population"]),
        _held_to(document["policy"], document["checks"]),
        _chance(document["targets"], document["seed"]),
        _searched(document["combinations"]),
        _HIDDEN,
    )
    return {"text": text, "references": _references(document["checks"])}


def methods_of_comparison(document: Document) -> dict[str, Any]:
    """The paragraph of a comparison, from its document."""
    original, releases = document["original"], document["releases"]
    by_role = {"quasi-identifier": original["quasi_identifiers"], "sensitive": original["sensitive"]}
    checks = [check for release in releases for check in release["checks"]]
    aligned = dict.fromkeys(release["alignment"]["how"] for release in releases)
    text = _sentences(
        f"{enumerated([one['name'] for one in releases], most=8)} "
        f"{'was' if len(releases) == 1 else 'were'} compared with {original['name']}, the original of "
        f"{in_words(original['records'])} records and {original['attributes']} attributes, "
        f"with divulge {__version__}",
        _roles(by_role, "suggested" if original["roles"] == "proposed" else "given"),
        f"Records of a release and of the original were {enumerated([_how(one) for one in aligned], most=8)}",
        *_attacked([one for release in releases for one in release["attacks"]]),
        _held_to(document["policy"], checks),
        f"Random choices and shuffles used the seed {document['seed']}",
        _HIDDEN,
    )
    return {"text": text, "references": _references(checks)}


def _sentences(*parts: str) -> str:
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)


def _how(alignment: str) -> str:
    return alignment if alignment.startswith("not") else f"matched {alignment}"


def _attacked(attacks: Sequence[Document]) -> Iterator[str]:
    """The attacks that were measured on some release, then those that could be measured on none."""
    measured = dict.fromkeys(one["title"] for one in attacks if one["risk"] is not None)
    others = dict.fromkeys(one["title"] for one in attacks if one["title"] not in measured)
    if measured:
        yield f"These attacks were tried: {enumerated(list(measured), most=12)}"
    if others:
        yield f"These attacks could not be measured: {enumerated(list(others), most=12)}"


def _people(source: Document) -> str:
    if source["people"] == source["records"]:
        return ""
    return f"The records are about {in_words(source['people'])} people"


def _roles(by_role: Mapping[str, Sequence[str]], chosen: str) -> str:
    parts = [
        words.format(enumerated(by_role[role], most=LISTED)) for role, words in _BY_ROLE if by_role.get(role)
    ]
    how = "given" if chosen == "given" else "suggested by the software from names and values"
    return f"{'; '.join(parts)}. These roles were {how}"


def _sample(population: Document | None) -> str:
    if population is None:
        return "The table was not taken to be a sample: an attacker was assumed to know who is in it"
    sample = "The table was taken to be a sample"
    if population["size"] is not None:
        known = f", of whom {population['source']} is a table" if population.get("source") else ""
        return f"{sample} of {many(population['size'])} people{known}"
    if population["weight"] is not None:
        return f"{sample}, with the weights {population['weight']}"
    return f"{sample} with {percent(population['fraction'])} of the population"


def _held_to(policy: Document | None, checks: Sequence[Document]) -> str:
    """What readings were compared with: each requirement once, with everything it was asked of."""
    asked: dict[str, dict[str, None]] = {}
    for check in checks:
        asked.setdefault(check["asked"], {})[_called(check)] = None
    listed = [f"{_together(list(names))} ({requirement})" for requirement, names in asked.items()]
    name = "the default checks" if policy is None else policy["name"]
    whose = name if name.startswith("the ") else f"the policy {name}"
    return f"Readings were compared with {whose}{': ' if listed else ''}{'; '.join(listed)}"


def _called(check: Document) -> str:
    title = check["title"] if check["measure"] in QUESTIONS else named(check["title"], check)
    return title if title[1:2].isupper() or title[1:2] == "-" else title[:1].lower() + title[1:]


def _together(names: Sequence[str]) -> str:
    """Names that begin alike, said once.

    >>> _together(["what is learned about age", "what is learned about job"])
    'what is learned about age and job'
    """
    bare = [name.removeprefix(LEARNED) for name in names]
    start = LEARNED if all(name.startswith(LEARNED) for name in names) else ""
    return start + enumerated(bare if start else names, most=LISTED)


def _chance(targets: Sequence[Document], seed: int) -> str:
    """How it was found what unrelated data would give."""
    ways = {
        rate["chance_method"]
        for target in targets
        for key in target["keys"]
        for rate in (key["discrimination_rate"], key["itpr"])
        if rate.get("chance_method")
    }
    times = {int(way.split()[0]) for way in ways if way.endswith("shuffles")}
    between = " to ".join(str(one) for one in sorted({min(times), max(times)})) if times else ""
    said = [*(["exactly"] if "exact" in ways else []), *([f"by {between} shuffles"] if times else [])]
    if not said:
        return ""
    return (
        "Rates were compared with those of unrelated data of the same shape, "
        f"computed {' or '.join(said)} (seed {seed})"
    )


def _searched(combinations: Document | None) -> str:
    if combinations is None:
        return ""
    return (
        f"{many(combinations['searched'])} of {many(combinations['possible'])} combinations of "
        "quasi-identifiers were searched"
    )


def _references(checks: Iterable[Document]) -> list[str]:
    """The papers of the measures that were read or checked, and the opinion that names the three risks."""
    measures = {"k_anonymity", "discrimination_rate", *(check["measure"] for check in checks)}
    facts: list[Measure | PopulationFigure] = [*MEASURES.values(), *FIGURES.values()]
    keys = {one.reference for one in facts if one.name in measures}
    return [REFERENCES[key] for key in sorted({*keys, "article29wp2014"})]
