"""What regulators ask: three risks with the readings that speak to them, and a list of identifiers.

The risks are those of Opinion 05/2014 of the Article 29 Working Party, the list that of 45 CFR 164.514(b)(2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from divulge._support.wording import enumerated, in_words, number, percent
from divulge.policy.linking import LINKED
from divulge.questions.data import Data
from divulge.roles.listed_identifiers import ListedIdentifier, listed_identifiers

NOTE = "A list checked by name and pattern; not a legal assessment."
QUESTIONS = {
    "singling out": "Can a person's record be isolated?",
    "linkability": "Can records about one person be linked, in one table or between two?",
    "inference": "Can a value of a person be deduced from others?",
}
#: The attacks that speak to a risk, by their names.
LINKING = ("identity_white_box", "identity_grey_box", "journalist", "marketer", *LINKED)
INFERRING = ("homogeneity", "background_knowledge", "skewness", "similarity")
_BY_RATE = ("identity_white_box", "identity_black_box", "homogeneity", "background_knowledge", "similarity")
_ALONE = ("uniqueness", "k_anonymity", "reidentification_risk")
_BEYOND = "attackers who know more than the quasi-identifiers"
_MEMBERSHIP = "whether someone is in the table"
_NO_SENSITIVE = "anything: no attribute is sensitive"
_ONE_TABLE = "links to other tables; divulge compare tries them, with --outside for a table of an attacker"
_TOGETHER = "what several records of one person reveal together"
_SEVERAL = "links between several releases of the same people"

Entry = dict[str, Any]


def asked_of_audit(document: Mapping[str, Any], data: Data) -> Entry:
    """The three risks with the readings of an audit's document, and the list."""
    numbers = [_reads(one["title"], one["text"]) for one in document["numbers"] if one["name"] in _ALONE]
    naming = [_of_check(check) for check in document["checks"] if check["measure"] == "identifiers"]
    learned = _learned(document["checks"]) or [
        _reads(one["title"], one["text"]) for one in document["numbers"] if one["name"] == "inference"
    ]
    together = [_TOGETHER] if data.people < data.records else []
    return {
        "risks": [
            _risk("singling out", numbers, [*together, _BEYOND]),
            _risk("linkability", naming, [*together, _ONE_TABLE, _SEVERAL]),
            _risk("inference", learned, [_MEMBERSHIP] if learned else [_NO_SENSITIVE, _MEMBERSHIP]),
        ],
        **_list(data),
    }


def asked_of_release(release: Mapping[str, Any], data: Data) -> Entry:
    """The same for one release of a comparison's document."""
    readings = release["readings"] or {}
    lacking = [] if release["lacking"] is None else [release["lacking"]]
    linked, unlinked = _attacks(release["attacks"], LINKING)
    inferred, unread = _attacks(release["attacks"], INFERRING)
    learned = _learned(release["checks"])
    tried = {one["attack"] for one in release["attacks"]}
    tables = [
        f"links to {what} ({option})"
        for attack, what, option in (
            ("journalist", "a table of the population", "--population"),
            ("identity_grey_box", "a table of an attacker", "--outside"),
        )
        if attack not in tried
    ]
    return {
        "release": release["name"],
        "risks": [
            _risk(
                "singling out",
                _people(readings, release.get("changed")),
                [*lacking, *_of_changed(release.get("changed")), *_unread(readings), _BEYOND],
            ),
            _risk("linkability", linked, [*lacking, *unlinked, *tables, _SEVERAL]),
            _risk("inference", [*learned, *inferred], [*lacking, *unread, _MEMBERSHIP]),
        ],
        **_list(data),
    }


def _risk(risk: str, readings: Sequence[Entry], not_measured: Sequence[str]) -> Entry:
    return {
        "risk": risk,
        "question": QUESTIONS[risk],
        "readings": list(readings),
        "not_measured": list(dict.fromkeys(not_measured)),
    }


def _reads(what: str, reads: str) -> Entry:
    return {"what": what, "reads": reads}


def _of_check(check: Mapping[str, Any]) -> Entry:
    found = check["found_text"] if check["undefined"] is None else f"not evaluated: {check['undefined']}"
    return _reads(check["title"], found)


def _learned(checks: Sequence[Mapping[str, Any]]) -> list[Entry]:
    return [_of_learned(check) for check in checks if check["measure"] == "learned"]


def _of_learned(check: Mapping[str, Any]) -> Entry:
    """What is learned, with the words of the check where a bare 0% would say less than it does."""
    if check["outcome"] == "pass":
        return _reads(check["title"], check["concerns"].removesuffix("."))
    found, aside = _of_check(check), check.get("not_counted")
    if aside is None or check["undefined"] is not None:
        return found
    return found | {
        "reads": f"{found['reads']}; groups smaller than 3, with {in_words(aside)} people, are not counted"
    }


def _of_changed(changed: str | None) -> list[str]:
    """What is not said of changed values: who is alone among them is nobody."""
    return [] if changed is None else [f"unique people and the smallest group: {changed}"]


def _people(readings: Mapping[str, Any], changed: str | None) -> list[Entry]:
    """Who is alone, in what company, and at what risk, as far as that was read of the people's own values."""
    alone, k, risk = (readings.get(name) for name in ("uniqueness", "k", "average_risk"))
    alone, k = (alone, k) if changed is None else (None, None)
    found = [
        ("Unique people", None if alone is None else _share(alone)),
        ("Smallest group", None if k is None else str(k)),
        ("People truly linked", None if risk is None else percent(risk)),
    ]
    return [_reads(what, said) for what, said in found if said is not None]


def _share(found: float | str) -> str:
    return f"{found[0]}{percent(float(found[1:]))}" if isinstance(found, str) else percent(found)


def _unread(readings: Mapping[str, Any]) -> list[str]:
    said = readings.get("undefined") or {}
    return [f"{'ITPR' if name == 'itpr' else name.replace('_', ' ')}: {why}" for name, why in said.items()]


def _attacks(attacks: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[list[Entry], list[str]]:
    """What some attacks found, and why others could not be tried."""
    asked = [one for one in attacks if one["attack"] in names]
    found = [_reads(one["title"], _result(one)) for one in asked if one["risk"] is not None]
    reasons = dict[str, list[str]]()
    for one in asked:
        if one["risk"] is None:
            reasons.setdefault(one["undefined"], []).append(one["title"])
    return found, [f"{enumerated(titles, most=len(titles))}: {why}" for why, titles in reasons.items()]


def _result(attack: Mapping[str, Any]) -> str:
    side = attack["details"].get("risk_is")
    if attack["attack"] in _BY_RATE:  # a share of information, which is no share of people
        gives = " ".join(filter(None, [side, percent(attack["risk"])]))
        said = f"a quasi-identifier gives {gives} of the information on average"
    else:
        said = " ".join(filter(None, ["risk", side, number(attack["risk"])]))
    if attack["people"] is None or attack["of"] is None:
        return said
    whom = f"{in_words(attack['people'])} of {in_words(attack['of'])}"
    if attack["attack"] == "identity_white_box":
        return f"{said}, and {whom} records can be traced to a single original record"
    return f"{said}, {whom} people{' affected' if attack['attack'] in _BY_RATE else ''}"


def _list(data: Data) -> Entry:
    """The list of identifiers, each line with what was found, and what that is not."""
    lines = [
        {
            "letter": line.letter,
            "identifier": line.title,
            "found": [asdict(one) for one in line.found],
            "result": _line(line),
        }
        for line in listed_identifiers(data)
    ]
    return {"identifiers": lines, "note": NOTE}


def _line(line: ListedIdentifier) -> str:
    said = "none found by name or pattern" if line.recognisable else "cannot be recognised in a table"
    if line.found:
        said = f"found in {enumerated([f'{one.attribute} ({one.why})' for one in line.found], most=8)}"
    return said
