"""An audit document of a clinic that exists nowhere, with numbers that fit together well enough."""

from __future__ import annotations

import copy
import itertools
import math
from typing import Any

RECORDS = 4000
BITS = math.log2(RECORDS)

# name, role, distinct values, missing, lone values, identifier class, entropy, reason
ATTRIBUTES: list[tuple[str, str, int, int, int, str | None, float, str]] = [
    ("patient", "identifier", 4000, 0, 4000, "identifier", BITS, "every record has its own value"),
    ("age", "quasi-identifier", 83, 12, 3, "partial identifier", 6.10, "its name says an age"),
    ("sex", "quasi-identifier", 2, 0, 0, "sketchy identifier", 1.00, "its name says a sex"),
    ("postcode", "quasi-identifier", 41, 31, 2, "partial identifier", 5.00, "its values look like postcodes"),
    ("occupation", "quasi-identifier", 37, 204, 6, "partial identifier", 4.60, "its name says an occupation"),
    ("nationality", "quasi-identifier", 28, 9, 7, "partial identifier", 1.90, "its name says a nationality"),
    ("marital_status", "quasi-identifier", 5, 40, 0, "sketchy identifier", 1.70, "its name says a status"),
    (
        "admission_month",
        "quasi-identifier",
        12,
        0,
        0,
        "sketchy identifier",
        3.50,
        "its values look like dates",
    ),
    ("insurer", "quasi-identifier", 9, 3, 0, "sketchy identifier", 2.60, "others outside know it, too"),
    ("diagnosis", "sensitive", 24, 0, 1, "partial identifier", 3.90, "its name says a diagnosis"),
    ("therapy", "sensitive", 11, 88, 0, "sketchy identifier", 2.80, "its name says a treatment"),
    ("ward", "other", 6, 0, 0, "sketchy identifier", 2.30, "nothing says that others know it"),
    ("length_of_stay", "other", 35, 0, 4, "partial identifier", 4.10, "nothing says that others know it"),
    ("visits", "other", 14, 0, 2, "partial identifier", 2.20, "nothing says that others know it"),
]
QUASI = [a[0] for a in ATTRIBUTES if a[1] == "quasi-identifier"]
SENSITIVE = ["diagnosis", "therapy"]
CLASSES = {a[0]: a[2] + bool(a[3]) for a in ATTRIBUTES}
ENTROPY = {a[0]: a[6] for a in ATTRIBUTES}
# How strongly an attribute tells the diagnosis and the therapy, beyond chance.
TELLS = {
    "age": (0.071, 0.043),
    "sex": (0.034, 0.021),
    "postcode": (0.002, -0.001),
    "occupation": (0.018, 0.012),
    "nationality": (0.004, 0.001),
    "marital_status": (0.012, 0.008),
    "admission_month": (0.009, 0.004),
    "insurer": (0.021, 0.056),
    "ward": (0.412, 0.304),
    "length_of_stay": (0.163, 0.121),
    "visits": (0.047, 0.066),
    "diagnosis": (1.0, 0.622),
    "therapy": (0.531, 1.0),
}


def document() -> dict[str, Any]:
    """A fresh copy of the clinic's audit."""
    return copy.deepcopy(_DOCUMENT)


def wide_document(attributes: int) -> dict[str, Any]:
    """The clinic's audit with so many quasi-identifiers, as wide tables have them."""
    found = document()
    names = [f"{QUASI[i % 8]}_at_visit_{i // 8 + 1}" for i in range(attributes)]
    like = {name: QUASI[i % 8] for i, name in enumerate(names)}
    by_name = {a["name"]: a for a in found["roles"]["attributes"]}
    found["roles"]["attributes"] = [
        *({**by_name[like[name]], "name": name} for name in names),
        *(a for a in found["roles"]["attributes"] if a["role"] != "quasi-identifier"),
    ]
    for target in found["targets"]:
        keys = {key["key"]: key for key in target["keys"]}
        target["keys"] = [{**keys[like[name]], "key": name} for name in names]
        target["together"]["keys"] = names
    for check in found["checks"]:
        check["keys"] = names
    combinations = found["combinations"]
    parts = {part["attribute"]: part for part in combinations["contributions"]}
    combinations |= {
        "attributes": names,
        "contributions": [{**parts[like[name]], "attribute": name} for name in names],
        "complete": False,
        "limited": f"sets of up to 4 of {attributes} attributes were searched",
    }
    return found


def renamed(found: Any, names: dict[str, str]) -> Any:
    """The same document with other names for attributes, in sentences too."""
    if isinstance(found, dict):
        return {names.get(key, key): renamed(value, names) for key, value in found.items()}
    if isinstance(found, list):
        return [renamed(one, names) for one in found]
    if isinstance(found, str):
        for old, new in names.items():
            found = found.replace(old, new)
    return found


def _rate(value: float, chance: float | None = None) -> dict[str, Any]:
    if chance is None:
        return {
            "value": value,
            "chance": None,
            "chance_undefined": "every record is its own",
            "adjusted": None,
        }
    adjusted = round((value - chance) / (1 - chance), 4)
    return {
        "value": value,
        "chance": chance,
        "chance_method": "exact",
        "chance_error": 0.0,
        "chance_spread": 0.002,
        "chance_reach": round(chance + 0.006, 4),
        "adjusted": adjusted,
        "noise": round(0.006 / (1 - chance), 4),
        "p_value": 0.0002,
        "in_population": _in_population(value, adjusted > 0.05),
    }


def _in_population(value: float, estimated: bool) -> dict[str, Any]:
    """An interval about a rate of a sample, or a bracket below it."""
    ends = (value - 0.02, value + 0.015, value - 0.003) if estimated else (value / 4, value + 0.02, None)
    return {
        **dict(zip(("low", "high", "estimate"), ends, strict=True)),
        "kind": "interval" if estimated else "bracket",
        "level": 0.95,
        "method": "jackknife, wider for cells of few records"
        if estimated
        else "left-out prediction and plug-in rate",
        "reason": None if estimated else "too few records per class for an estimate",
    }


def _keys(target: str) -> list[dict[str, Any]]:
    found = []
    for name, role, _, _, _, identifier_class, entropy, _ in ATTRIBUTES:
        if role == "identifier" or name == target:
            continue
        if target == "@record":
            rate = _rate(round(entropy / BITS, 4))
            worst = _rate(round(min(1.0, 0.4 + entropy / 11), 4))
        else:
            chance = round(CLASSES[name] / 1400, 4)
            tells = TELLS[name][SENSITIVE.index(target)]
            rate = _rate(round(chance + tells * (1 - chance), 4), chance)
            worst = _rate(round(min(1.0, 0.55 + rate["value"]), 4), round(0.5 + chance, 4))
            identifier_class = "sketchy identifier"
        found.append(
            {
                "key": name,
                "role": role,
                "classes": CLASSES[name],
                "identifier_class": identifier_class,
                "discrimination_rate": rate,
                "itpr": worst,
            }
        )
    return found


def _reading(
    measure: str, value: float | None, unit: str = "", riskier: str = "higher", **more: Any
) -> dict[str, Any]:
    found = {"measure": measure, "parameters": {}, "value": value, "unit": unit, "riskier": riskier}
    found |= {"chance": None, "chance_undefined": "it reads class sizes alone", "adjusted": None}
    return {**found, **more}


def _chances(value: float, chance: float) -> dict[str, Any]:
    adjusted = round((value - chance) / (1 - chance), 4)
    return {"chance": chance, "chance_method": "exact", "chance_error": 0.0, "adjusted": adjusted}


def _target(target: str, entropy: float, readings: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "target": target,
        "title": "re-identification" if target == "@record" else f"inference of {target}",
        "entropy": entropy,
        "undefined": None,
        "keys": _keys(target),
        "together": {
            "keys": QUASI,
            "classes": 2318,
            "identifier_class": "partial identifier",
            "readings": readings,
        },
    }


def _subset(keys: tuple[str, ...]) -> dict[str, Any]:
    entropy = 10.9 * (1 - math.exp(-sum(ENTROPY[key] for key in keys) / 6.6))
    rate = round((ENTROPY[keys[0]] if len(keys) == 1 else entropy) / BITS, 4)
    uniqueness = round(0.401 * (rate / 0.8945) ** 9, 4)
    inference = {"diagnosis": round(0.62 * rate, 4), "therapy": round(0.55 * rate, 4)}
    return {
        "keys": list(keys),
        "classes": round(2 ** (rate * 12.5)),
        "k": 1 if uniqueness > 0.0004 else 7,
        "records": RECORDS,
        "unique": round(uniqueness * RECORDS),
        "uniqueness": uniqueness,
        "discrimination_rate": rate,
        "itpr": 1.0 if uniqueness > 0.0004 else round(rate, 4),
        "targets": {
            name: {"discrimination_rate": value, "itpr": round(min(1.0, 0.4 + value), 4)}
            for name, value in inference.items()
        },
    }


def _spread(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered[0], ordered[len(ordered) // 2], ordered[-1]]


def _combinations() -> dict[str, Any]:
    by_size = {
        size: sorted(
            (_subset(keys) for keys in itertools.combinations(QUASI, size)),
            key=lambda subset: -subset["discrimination_rate"],
        )
        for size in range(1, 9)
    }
    everything = [subset for subsets in by_size.values() for subset in subsets]
    return {
        "attributes": QUASI,
        "searched": 255,
        "possible": 255,
        "largest": 8,
        "complete": True,
        "limited": None,
        "by_size": [
            {
                "size": size,
                "subsets": len(subsets),
                "uniqueness": _spread([s["uniqueness"] for s in subsets]),
                "discrimination_rate": _spread([s["discrimination_rate"] for s in subsets]),
            }
            for size, subsets in by_size.items()
        ],
        "subsets": [subset for subsets in by_size.values() for subset in subsets[:10]],
        "map": [[len(s["keys"]), s["discrimination_rate"], s["uniqueness"]] for s in everything],
        "identifying": [
            {
                "level": "someone",
                "meaning": "at least one record is unique",
                "sets": [["age"], ["postcode"], ["occupation"], ["nationality"]],
                "more": 0,
                "folded": 240,
            },
            {
                "level": "half",
                "meaning": "at least half of the records are unique",
                "sets": [],
                "more": 0,
                "folded": 0,
            },
            {"level": "all", "meaning": "every record is unique", "sets": [], "more": 0, "folded": 0},
        ],
        "contributions": [
            {
                "attribute": name,
                "alone": round(ENTROPY[name] / BITS, 4),
                "last": round(ENTROPY[name] / 120, 4),
                "average": round(ENTROPY[name] / 29.5, 4),
                "average_error": 0.0,
                "average_over": "all orders",
                "uniqueness_last": round(ENTROPY[name] / 41, 4),
            }
            for name in sorted(QUASI, key=lambda name: -ENTROPY[name])
        ],
    }


def _state(k: int, uniqueness: float, risk: float, rate: float, diagnosis: float) -> dict[str, Any]:
    return {
        "k": k,
        "uniqueness": uniqueness,
        "average_risk": risk,
        "discrimination_rate": rate,
        "targets": {"diagnosis": diagnosis, "therapy": round(diagnosis * 0.9, 3)},
    }


def _check(measure: str, title: str, outcome: str, **more: Any) -> dict[str, Any]:
    found = {
        "measure": measure,
        "title": title,
        "parameters": {},
        "keys": QUASI,
        "target": "@record",
        "severity": "fail",
        "outcome": outcome,
        "adjusted": False,
        "min": None,
        "max": None,
        "undefined": None,
        "records": None,
        "share": None,
        "sentence": f"{title}: {more['found_text']} (required: {more['asked']}).",
        "concerns": "",
        "fix": "",
        "baseline": None,
    }
    return {**found, **more}


_BEFORE = _state(1, 0.401, 0.5795, 0.8945, 0.611)
_SIZES = [
    *(("1", 1, 1, 1604, 1604), ("2", 2, 2, 392, 784), ("3 to 4", 3, 4, 221, 745), ("5 to 9", 5, 9, 82, 523)),
    *(("10 to 19", 10, 19, 14, 190), ("20 to 49", 20, 49, 5, 154), ("50 to 99", 50, 99, 0, 0)),
]
_RISKS = ["1 (alone)", "1/2", "1/3 to 1/4", "1/5 to 1/9", "1/10 to 1/19", "1/20 to 1/49", "1/50 to 1/99"]

_DOCUMENT: dict[str, Any] = {
    "document": "divulge audit",
    "version": 1,
    "divulge": "0.1.0",
    "seed": 20170,
    "shows_values": False,
    "source": {
        "name": "clinic.csv",
        "records": RECORDS,
        "counted": RECORDS,
        "suppressed": 0,
        "dropped": 0,
        "people": RECORDS,
        "missing": "value",
        "with_missing": 0,
        "weights": None,
        "population": None,
        "compared_with": "this table",
    },
    "roles": {
        "proposed": True,
        "explicit": "divulge audit clinic.csv --identifiers patient --quasi-identifiers "
        f"{','.join(QUASI)} --sensitive {','.join(SENSITIVE)}",
        "attributes": [
            {
                "name": name,
                "role": role,
                "reasons": [reason],
                "values": values,
                "missing": missing,
                "lone": lone,
                "identifier_class": identifier_class,
            }
            for name, role, values, missing, lone, identifier_class, _, reason in ATTRIBUTES
        ],
    },
    "policy": None,
    "verdict": {
        "outcome": "fail",
        "headline": "2 of 5 checks fail",
        "sentences": [
            "Whoever knows the eight quasi-identifiers of a person finds 1604 of 4000 records (40.1%) "
            "standing alone.",
            "For 268 records (6.7%), everyone else in the class has the same diagnosis.",
            "age, postcode and occupation do most of it: these three alone make 318 records stand alone.",
            "Suppressing occupation would help most, and 2 checks would still be open.",
        ],
        "thresholds": "usual",
    },
    "checks": [
        _check(
            *("k_anonymity", "k-anonymity", "fail"),
            min=5,
            asked="at least 5 records",
            found=1,
            found_text="1 record",
            records=3133,
            share=0.7833,
            concerns="3133 records (78.3%) are in a class below 5",
            why="Whoever knows these attributes of a person finds fewer than five records that fit, and can "
            "single the person out among them.",
            fix="No single attribute suffices. Suppressing occupation and grouping age would give 4.",
        ),
        _check(
            *("uniqueness", "Uniqueness", "fail"),
            max=0.05,
            asked="at most 5%",
            found=0.401,
            found_text="40.1%",
            records=1604,
            share=0.401,
            concerns="1604 records (40.1%) stand alone",
            why="A record that stands alone belongs to one person with certainty, if that person is known to "
            "be in the data.",
            fix="Suppressing occupation would give 18.2%, suppressing postcode 19.6%.",
        ),
        _check(
            *("discrimination_rate", "Discrimination rate", "warn"),
            target="diagnosis",
            severity="warn",
            adjusted=True,
            max=0.2,
            asked="at most 0.2 beyond chance",
            found=0.264,
            found_text="0.264",
            concerns="the average over all records",
            why="The quasi-identifiers remove more than a quarter of the uncertainty about the diagnosis, "
            "beyond what small classes do by chance.",
            fix="Suppressing age would give 0.171.",
        ),
        _check(
            *("distinct_l_diversity", "Distinct l-diversity", "pass"),
            target="therapy",
            keys=["sex", "marital_status"],
            min=3,
            asked="at least 3 values",
            found=7,
            found_text="7 values",
            records=0,
            share=0.0,
            concerns="no record is in a class below 3",
            why="Whoever knows these attributes of a person still has at least 7 therapies to choose among.",
        ),
        _check(
            *("t_closeness", "t-closeness", "not evaluated"),
            parameters={"ground": "ordered"},
            target="therapy",
            max=0.3,
            asked="at most 0.3",
            found=None,
            found_text="undefined",
            undefined="no order of the values of therapy is given",
            why="A class whose therapies differ from those of the whole table tells something about people.",
            fix="Give the values of therapy an order in the policy, or ask for the ground 'equal'.",
        ),
    ],
    "numbers": [
        {
            "name": "k_anonymity",
            "title": "Smallest class",
            "value": 1,
            "text": "1 record",
            "meaning": "the fewest records that share all quasi-identifiers",
        },
        {
            "name": "uniqueness",
            "title": "Records that stand alone",
            "value": 0.401,
            "text": "40.1%",
            "meaning": "records whose combination of quasi-identifiers nobody shares",
        },
        {
            "name": "reidentification_risk",
            "title": "Average risk",
            "value": 0.5795,
            "text": "0.58",
            "meaning": "how often a guess among the records that fit is right",
        },
        {
            "name": "discrimination_rate",
            "title": "Re-identification",
            "value": 0.8945,
            "text": "0.895",
            "meaning": "share of the uncertainty about who it is that the quasi-identifiers remove",
        },
        {
            "name": "inference",
            "title": "Inference of diagnosis",
            "value": 0.264,
            "text": "0.264",
            "meaning": "share of the uncertainty about the diagnosis that they remove beyond chance",
        },
    ],
    "targets": [
        _target(
            "@record",
            round(BITS, 4),
            [
                _reading("discrimination_rate", 0.8945),
                _reading("itpr", 1.0),
                _reading("k_anonymity", 1, "records", "lower"),
                _reading("class_count", 2318, "classes"),
                _reading("uniqueness", 0.401),
                _reading("reidentification_risk", 1.0, parameters={"kind": "highest"}),
                _reading("reidentification_risk", 0.5795, parameters={"kind": "average"}),
            ],
        ),
        *(
            _target(
                name,
                ENTROPY[name],
                [
                    _reading(
                        *("discrimination_rate", rate),
                        in_population=_in_population(rate, False),
                        **_chances(rate, 0.4715),
                    ),
                    _reading("itpr", 1.0, chance_undefined="fewer than 10 shuffles were possible"),
                    _reading("distinct_l_diversity", 1, "values", "lower"),
                    _reading("t_closeness", 0.874, parameters={"ground": "equal"}),
                    _reading("delta_disclosure", None, "bits", undefined="infinite: some value is absent"),
                    _reading("alpha_k_anonymity", 1.0, beside={"k_anonymity": 1}),
                ],
            )
            for name, rate in (("diagnosis", 0.611), ("therapy", 0.5541))
        ),
    ],
    "class_sizes": [
        {
            "label": label,
            "low": low,
            "high": high,
            "classes": classes,
            "records": records,
            "share": records / RECORDS,
        }
        for label, low, high, classes, records in _SIZES
    ],
    "record_risk": [
        {
            "label": risk,
            "low": 1 / high,
            "high": 1 / low,
            "records": records,
            "share": records / RECORDS,
        }
        for risk, (_, low, high, _, records) in zip(_RISKS, _SIZES, strict=True)
    ],
    "homogeneous": [
        {"target": "diagnosis", "classes": 117, "records": 268, "share": 0.067},
        {"target": "therapy", "classes": 151, "records": 339, "share": 0.0848},
    ],
    "values": [
        {
            "attribute": attribute,
            "target": target,
            "lines": [
                {
                    "label": f"value {i + 1}",
                    "records": "<5" if i < few else 5 + 11 * (i - few) + i % 3,
                    "discrimination_rate": round(1 - 0.00021 * (i + 1) ** 1.6, 5),
                    "itpr": round(1 - 0.0094 * (i + 1) ** 1.6, 4),
                    "share_of_top": None if target == "@record" else round(max(0.31, 1 - 0.043 * i), 4),
                }
                for i in range(lines)
            ],
        }
        for attribute, target, few, lines in (
            *(("age", "@record", 6, 20), ("postcode", "@record", 4, 20), ("occupation", "diagnosis", 6, 20)),
            ("insurer", "therapy", 0, 9),
        )
    ],
    "classes": [{"label": f"class {i}", "key": None, "records": "<5"} for i in range(1, 11)],
    "combinations": _combinations(),
    "drivers": [
        {
            "kind": "attribute",
            "keys": ["age"],
            "target": "@record",
            "records": 3,
            "sentence": "age alone removes 51% of the uncertainty about who a record belongs to.",
        },
        {
            "kind": "combination",
            "keys": ["age", "postcode", "occupation"],
            "target": "@record",
            "records": 318,
            "sentence": "age, postcode and occupation together make 318 records stand alone.",
        },
        {
            "kind": "value",
            "keys": ["occupation"],
            "target": "@record",
            "records": 6,
            "sentence": "Six values of occupation occur in one record each.",
        },
        {
            "kind": "class",
            "keys": QUASI,
            "target": "diagnosis",
            "records": 268,
            "sentence": "117 classes of two or more records have a single diagnosis.",
        },
        {
            "kind": "proxy",
            "keys": ["ward"],
            "target": "diagnosis",
            "records": None,
            "sentence": "ward tells the diagnosis better than any quasi-identifier, 0.412 beyond chance.",
        },
    ],
    "plan": None,
    "not_tried": [],
    "helps": [
        {
            "action": action,
            "mechanism": "recode" if action == "generalize" else "remove",
            "attribute": attribute,
            "level": level,
            "sentence": sentence,
            "before": _BEFORE,
            "after": after,
            "failing": failing,
            "matters": True,
            "bits_lost": ENTROPY[attribute],
            "loss": ENTROPY[attribute] / sum(ENTROPY.values()),
            "change": sentence.partition(" would")[0],
            "detail": None,
            "records_lost": 0,
            "records_changed": None,
        }
        for action, attribute, level, sentence, after, failing in [
            (
                *("suppress", "occupation", None),
                "Suppressing occupation would leave 18.2% of the records standing alone.",
                *(_state(1, 0.182, 0.331, 0.801, 0.452), 2),
            ),
            (
                *("suppress", "postcode", None),
                "Suppressing postcode would leave 19.6% of the records standing alone.",
                *(_state(1, 0.196, 0.352, 0.809, 0.471), 2),
            ),
            (
                *("generalize", "age", 1),
                "Grouping age by its first level would leave 21.0% of the records standing alone.",
                *(_state(1, 0.21, 0.366, 0.815, 0.439), 1),
            ),
        ]
    ],
    "warnings": [
        {
            "kind": "identifier",
            "attributes": ["patient"],
            "sentence": "patient names people and must not be part of what is released.",
        },
        {
            "kind": "proxy",
            "attributes": ["ward", "diagnosis"],
            "sentence": "ward tells the diagnosis, although it is not declared sensitive.",
        },
        {
            "kind": "missing",
            "attributes": ["occupation"],
            "sentence": "204 records (5.1%) have no occupation; a gap counts as a value here.",
        },
    ],
    "hints": [
        {
            "kind": "spelling",
            "attribute": "occupation",
            "values": 3,
            "records": 3,
            "sentence": "3 values of occupation differ from others by a letter and occur once each.",
        },
        {
            "kind": "outlier",
            "attribute": "length_of_stay",
            "values": 2,
            "records": 2,
            "sentence": "2 values of length_of_stay lie far from all others.",
        },
    ],
    "people_beyond_table": {
        "declared": "size",
        "undefined": None,
        "keys": QUASI,
        "counted": RECORDS,
        "population_size": 80_000.0,
        "fraction": 0.05,
        "sample": {"groups": 2954, "k": 1, "unique": 2214, "share": 0.5535},
        "population": {
            name: {
                "uniques": uniques,
                "undefined": undefined,
                "interval": None,
                "parameters": {},
                "note": note,
            }
            for name, uniques, undefined, note in (
                ("pitman", 24_310.2, None, None),
                ("zayatz", 27_944.0, None, None),
                ("snb", None, "the equations of the model have no solution", None),
                ("dankar", 24_310.2, None, "The rule takes Pitman's model."),
                ("loglinear_main_effects", 17_102.7, None, "The model fits."),
            )
        },
        "spread": {"least": 17_102.7, "largest": 27_944.0},
        "known": None,
        "estimated": {
            "k_map": {"value": None, "interval": [1, 6], "method": "binomial"},
            "delta_presence": {"value": None, "interval": [0.154, 1.0], "method": "binomial"},
            "people_below": [
                {"k": k, "value": value, "interval": [low, high], "method": "model", "undefined": None}
                for k, value, low, high in (
                    *((2, 380.1, 0, 2220), (3, 702.9, 0, 2700)),
                    *((5, 1140.2, 110, 3120), (10, 2010.6, 980, 3500)),
                )
            ],
        },
        "average_risk": {"value": None, "interval": [0.11, 0.74], "method": "Chao's lower bound"},
        "match": {"value": 0.172, "interval": [0.154, 0.192], "method": "Skinner and Elliot"},
        "risk": {
            "method": "from Chao's lower bound to the groups of the table",
            "expected": None,
            "interval": [455.1, 2954.0],
            "average": None,
            "largest": None,
            "undefined": "a sample gives two ends",
            "model": {
                "method": "E(1/F), Benedetti and Franconi",
                "expected": 402.4,
                "average": 0.1006,
                "largest": 0.1577,
            },
        },
        "special": {
            "largest": 8,
            "records": 2214,
            "unscored": 0,
            "undefined": None,
            "score_sum": 91_540.0,
            "score_max": 5760.0,
            "dis_max": 0.61,
            "by_attribute": {name: round(0.9 - 0.1 * place, 2) for place, name in enumerate(QUASI)},
            "by_size": {
                name: ["<5", 40 + place, 300, 900, 1200, 700, 200, 9] for place, name in enumerate(QUASI)
            },
            "by_value": [{"attribute": "age", "value": "93", "share": 0.04, "records": 6}],
            "more_values": 120,
        },
    },
}
