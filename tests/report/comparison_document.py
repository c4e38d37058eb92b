"""A comparison of three releases of a clinic that exists nowhere; its numbers fit together well enough."""

from __future__ import annotations

import copy
from typing import Any

RECORDS = 4000
QUASI = ["age", "sex", "postcode", "occupation", "marital_status"]
SENSITIVE = ["diagnosis", "therapy"]
BANDS, COARSE, SYNTHETIC = RELEASES = ("clinic_bands.csv", "clinic_coarse.csv", "clinic_synthetic.csv")
SIZES = {BANDS: 4000, COARSE: 3888, SYNTHETIC: 4200}
NOT_ALIGNED = "records of clinic_synthetic.csv cannot be matched with those of the original"

# title, what the attacker knows, risk and people for each release
ATTACKS: dict[str, tuple[str, str, list[float | None], list[int | None]]] = {
    "identity_white_box": (
        "Identity disclosure, white box",
        "the original values of the quasi-identifiers, and how they were generalized",
        [0.581, 0.342, None],
        [332, 0, None],
    ),
    "identity_black_box": (
        "Identity disclosure, black box",
        "the released table and nothing else",
        [0.316, 0.187, 0.402],
        [332, 0, 1310],
    ),
    "homogeneity": (
        "Homogeneity",
        "the quasi-identifiers of a person who is in the table",
        [0.161, 0.043, 0.118],
        [268, 0, 402],
    ),
    "background_knowledge": (
        "Background knowledge",
        "the quasi-identifiers of a person, and sensitive values that the person does not have",
        [0.161, 0.043, 0.118],
        [911, 74, 1205],
    ),
    "skewness": (
        "Skewness",
        "the quasi-identifiers of a person, and how frequent sensitive values are in the whole table",
        [0.142, 0.031, 0.127],
        [604, 118, 733],
    ),
    "similarity": (
        "Similarity",
        "the quasi-identifiers of a person, and which sensitive values mean nearly the same",
        [0.233, 0.094, 0.171],
        [391, 12, 468],
    ),
    "prosecutor": (
        "Prosecutor",
        "that a certain person is in the table, and the person's quasi-identifiers",
        [0.241, 0.062, 0.51],
        [1180, 0, 2290],
    ),
    "journalist": (
        "Journalist",
        "a population that the table was drawn from",
        [None, None, None],
        [None, None, None],
    ),
    "marketer": (
        "Marketer",
        "the quasi-identifiers of everyone, and tries to name as many as possible",
        [0.241, 0.062, 0.51],
        [964, 241, 2142],
    ),
}
REASONS = {"identity_white_box": NOT_ALIGNED, "journalist": "no table of the population was given"}


def document() -> dict[str, Any]:
    """A fresh copy of the clinic's comparison."""
    return copy.deepcopy(_DOCUMENT)


def many_releases(number: int) -> dict[str, Any]:
    """The clinic's comparison with so many releases, as a search over treatments would leave them."""
    found = document()
    like = found["releases"]
    found["releases"] = [
        copy.deepcopy(like[place % 3]) | {"name": f"clinic_level_{place}.csv"} for place in range(number)
    ]
    found["recommendation"]["release"] = f"clinic_level_{number - 1}.csv"
    return found


def renamed_releases(*called: str) -> dict[str, Any]:
    """The clinic's comparison with other names for its releases."""
    found = document()
    for release, name in zip(found["releases"], called, strict=True):
        release["name"] = name
    return found


def nearly_empty() -> dict[str, Any]:
    """What is left of a comparison with a release in which everything was suppressed."""
    found = document()
    (release,) = found["releases"] = found["releases"][:1]
    release |= {"readings": None, "attacks": [], "mining": None, "needs": [], "checks": [], "records": 0}
    release["lacking"] = "every record has all its quasi-identifiers suppressed"
    nothing = {"attributes": [], "records": 0, "left_out": 0, "measures": [], "undefined": None}
    release["loss"] = {"continuous": nothing, "categorical": [], "contingency": [], "distributions": []}
    release["summary"] = {"lines": [], "overall_information_loss": None}
    release["score"] = {"risk": None, "utility": None, "risk_undefined": None, "utility_undefined": None}
    release["alignment"] |= {"aligned": 0, "columns": [], "notes": ["every cell of age is suppressed"]}
    found["allowed"], found["notices"] = None, []
    found["recommendation"] = {"release": None, "sentences": ["Nothing could be measured."]}
    return found


def _state(
    k: int, alone: float, risk: float, rate: float, targets: dict[str, tuple[Any, ...]]
) -> dict[str, Any]:
    fields = ("discrimination_rate", "itpr", "adjusted", "distinct_l_diversity", "t_closeness")
    return {
        "k": k,
        "uniqueness": alone,
        "average_risk": risk,
        "discrimination_rate": rate,
        "itpr": 1.0 if alone else rate + 0.1,
        "targets": {
            name: {**dict(zip(fields, found, strict=True)), "t_closeness_compared_with": "the original table"}
            for name, found in targets.items()
        },
    }


_ORIGINAL = _state(
    *(1, 0.401, 0.5795, 0.8945),
    {"diagnosis": (0.611, 1.0, 0.264, 1, 0.92), "therapy": (0.502, 1.0, 0.183, 1, 0.88)},
)
_STATES = [
    _state(
        *(1, 0.083, 0.241, 0.742),
        {"diagnosis": (0.412, 1.0, 0.221, 1, 0.71), "therapy": (0.338, 1.0, 0.141, 1, 0.88)},
    ),
    _state(
        *(5, 0.0, 0.062, 0.521),
        {"diagnosis": (0.128, 0.402, 0.094, 3, 0.31), "therapy": (0.097, 0.338, 0.071, 2, 0.28)},
    ),
    _state(
        *(1, 0.312, 0.51, 0.88),
        {"diagnosis": (0.29, 1.0, 0.06, 1, 0.96), "therapy": (None, None, None, 1, None)},
    ),
]


def _reading(key: str, target: str, rate: float) -> dict[str, Any]:
    chance = None if target == "@record" else round(rate / 4, 4)
    return {
        "keys": [key],
        "target": target,
        "discrimination_rate": rate,
        "itpr": round(min(1.0, 1.2 * rate), 4),
        "chance": chance,
        "adjusted": None if chance is None else round((rate - chance) / (1 - chance), 4),
        "undefined": None,
        "values": [
            {
                "label": f"value {number}",
                "records": "<5" if number == 1 else 30 * number,
                "discrimination_rate": round(1 - (1 - rate) * number / 5, 4),
                "itpr": round(rate / number, 4),
            }
            for number in (1, 2, 3)
        ],
    }


def _attack(name: str, place: int) -> dict[str, Any]:
    title, knows, risks, people = ATTACKS[name]
    risk, count, of = risks[place], people[place], SIZES[RELEASES[place]]
    target = "@record" if name.startswith(("identity", "prosecutor", "marketer")) else "diagnosis"
    affected = "Nobody is" if not count else f"{count} of {of} people are"
    details: dict[str, Any] = {}
    if name == "background_knowledge":
        steps = [
            {"values": n, "records": few, "share": few / of, "worst_posterior": 0.5 + n / 4}
            for n in range(3)
            for few in [(count or 0) * n // 2]
        ]
        details = {"ruling_out": [{"target": "diagnosis", "of": of, "steps": steps, "undefined": None}]}
    if name == "identity_black_box":
        details = {"k": 1, "on": {"age": "age*"}, "hidden_keys": ["age", "sex"]}
    return {
        "attack": name,
        "title": title,
        "knows": knows,
        "risk": risk,
        "people": count,
        "of": None if count is None else of,
        "readings": [] if risk is None else [_reading(key, target, risk) for key in QUASI[:3]],
        "details": {} if risk is None else details,
        "sentence": ""
        if risk is None
        else f"{affected} within reach of this attacker, whose risk reads {risk}.",
        "undefined": REASONS[name] if risk is None else None,
        "people_undefined": REASONS[name] if risk is None else None,
        "people_at_most": None,
    }


_MEASURES = {
    "data": "Values",
    "covariances": "Covariances",
    "correlations": "Correlations",
    "loadings": "Loadings of principal components",
    "communalities": "Communalities",
    "scores": "Factor scores",
}


def _continuous(place: int) -> dict[str, Any]:
    aligned = RELEASES[place] != SYNTHETIC
    return {
        "attributes": ["age", "length_of_stay"],
        "records": SIZES[RELEASES[place]],
        "left_out": 0,
        "measures": [
            {
                "name": name,
                "title": title,
                "mean_squared_error": round(8.4 * (place + 1) / (row + 1) ** 3, 4) if measured else None,
                "mean_absolute_error": round(2.2 * (place + 1) / (row + 1) ** 2, 4) if measured else None,
                "mean_variation": round(0.06 * (place + 1), 4) if measured and row < 3 else None,
                "zeros": 0,
                "undefined": None if measured else NOT_ALIGNED,
            }
            for row, (name, title) in enumerate(_MEASURES.items())
            for measured in [aligned or name not in ("data", "scores")]
        ],
        "undefined": None,
    }


def _loss(place: int) -> dict[str, Any]:
    lost = {"age": (0.91, 3.8), "sex": (0.0, 0.0), "postcode": (0.88, 2.6), "occupation": (0.64, 1.9)}
    bits, share = (0.5, 1.0, None)[place], (0.3, 0.55, None)[place]
    return {
        "continuous": _continuous(place),
        "categorical": [
            {
                "attribute": name,
                "kind": "ordinal" if name == "age" else "nominal",
                "changed": None if bits is None else round(changed * bits, 4),
                "entropy_loss": None if bits is None else round(entropy * bits, 4),
                "share_of_entropy": None if share is None else round(changed * share, 4),
                "undefined": NOT_ALIGNED if bits is None else None,
            }
            for name, (changed, entropy) in lost.items()
        ],
        "contingency": [
            {"attributes": ["sex"], "order": 1, "distance": round(0.01 * (place + 1), 4)},
            {"attributes": ["sex", "diagnosis"], "order": 2, "distance": round(0.04 * (place + 1), 4)},
        ],
        "distributions": [
            {
                "attributes": list(attributes),
                "total_variation": round(width * (place + 1), 4),
                "jensen_shannon": round(width * (place + 1) / 2, 4),
                "hellinger": round(width * (place + 1) * 0.8, 4),
                "earth_mover": round(width * (place + 1) / 3, 4) if attributes == ("age",) else None,
                "recoding_loss": 3.21 if attributes == ("age",) and place == 0 else None,
                "recoding_share": 0.57 if attributes == ("age",) and place == 0 else None,
                "undefined": None,
                "shares": _shares(width * (place + 1)) if len(attributes) == 1 else [],
            }
            for attributes, width in ((("age",), 0.06), (("sex",), 0.004), (("age", "sex"), 0.08))
        ],
    }


def _shares(moved: float) -> list[dict[str, Any]]:
    """Both distributions as they are drawn: so many people moved from the first value to no value."""
    labels = (*(f"value {rank}" for rank in range(1, 6)), "suppressed")
    rest = (0.2, 0.1, 0.05, 0.025)
    before, after = (0.625, *rest, 0.0), (round(0.625 - moved, 4), *rest, round(moved, 4))
    return [
        {"label": label, "original": one, "released": other}
        for label, one, other in zip(labels, before, after, strict=True)
    ]


def _mining(place: int) -> list[dict[str, Any]]:
    kept = (0.97, 0.91, 0.88)[place]

    def task(name: str, target: str | None, score: str, before: float) -> dict[str, Any]:
        after = round(before * kept, 4)
        return {
            "task": name,
            "target": target,
            "original": {"score": before, "interval": [round(before - 0.02, 4), round(before + 0.02, 4)]},
            "released": {"score": after, "interval": [round(after - 0.03, 4), round(after + 0.03, 4)]},
            "kept": kept,
            "score": score,
            "guessing": round(before / 2, 4),
            "records": RECORDS,
            "undefined": None,
            "kept_interval": None,
            "steadiness": 0.714 if target is None else None,
        }

    clustering = task("clustering", None, "adjusted Rand index", 1.0)
    if RELEASES[place] == SYNTHETIC:
        clustering |= {"original": None, "released": None, "kept": None, "undefined": NOT_ALIGNED}
    return [
        task("decision tree", "diagnosis", "accuracy", 0.47),
        task("nearest neighbours", "diagnosis", "accuracy", 0.41),
        task("regression", "length_of_stay", "r squared", 0.38),
        clustering,
    ]


def _needs(place: int) -> list[dict[str, Any]]:
    def need(name: str, keys: list[str], target: str, before: float, after: float | None) -> dict[str, Any]:
        return {
            "name": name,
            "keys": keys,
            "target": target,
            "utility": after,
            "original": before,
            "chance": 0.021,
            "adjusted": None if after is None else round((after - 0.021) / (1 - 0.021), 4),
            "at_least": None,
            "enough": None,
            "undefined": "age has one value" if after is None else None,
            "records": RECORDS,
            "counted": RECORDS,
            "lines": [
                {
                    "label": f"value {number}",
                    "records": "<5" if number == 3 else 900 // number,
                    "utility": after,
                    "chance": 0.012,
                    "adjusted": round((after - 0.012) / (1 - 0.012), 4),
                }
                for number in (1, 2, 3)
                if after is not None
            ],
        }

    return [
        need("therapy by diagnosis", ["diagnosis"], "therapy", 0.531, (0.531, 0.507, 0.441)[place]),
        need("stay by age group", ["age", "sex"], "length_of_stay", 0.148, (0.139, 0.102, None)[place]),
    ]


def _check(measure: str, title: str, outcome: str, asked: str, found: str, **more: Any) -> dict[str, Any]:
    return {
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
        "asked": asked,
        "found": 1.0,
        "found_text": found,
        "undefined": None,
        "records": None,
        "share": None,
        "sentence": f"{title}: {found} (required: {asked}).",
        "concerns": "332 records (8.3%) in classes that read beyond it" if outcome == "fail" else "",
        "why": "Whoever knows these attributes of a person finds few records that fit.",
        "fix": "Leaving out occupation would give 3." if outcome == "fail" else "",
        "baseline": None,
        **more,
    }


def _checks(place: int) -> list[dict[str, Any]]:
    return [
        _check(
            *("k_anonymity", "k-anonymity", ("fail", "pass", "fail")[place], "at least 5 records"),
            ("1 record", "5 records", "1 record")[place],
        ),
        _check(
            *("reidentification_risk", "Re-identification risk (average)"),
            *(("warn", "pass", "warn")[place], "at most 0.1", ("0.241", "0.062", "0.51")[place]),
            parameters={"kind": "average"},
            severity="warn",
        ),
        _check(
            *("discrimination_rate", "Discrimination rate of diagnosis"),
            *(
                ("warn", "pass", "pass")[place],
                "at most 0.2 beyond chance",
                ("0.221", "0.094", "0.06")[place],
            ),
            target="diagnosis",
            adjusted=True,
        ),
    ]


def _alignment(place: int) -> dict[str, Any]:
    if RELEASES[place] == SYNTHETIC:
        return {
            "how": "not record by record",
            "aligned": None,
            "columns": [{"original": name, "released": name} for name in (*QUASI, *SENSITIVE)],
            "notes": [
                "The original has 4,000 records and the release 4,200, and no identifier is in both.",
                "length_of_stay is not in the release.",
            ],
            "by": [],
            "order": None,
        }
    stars = "*" if RELEASES[place] == COARSE else ""
    notes = [
        "age* was taken for age, postcode* for postcode.",
        "112 records of the original are not released.",
    ]
    return {
        "how": "by patient",
        "aligned": SIZES[RELEASES[place]],
        "columns": [
            {"original": name, "released": f"{name}{stars if name in ('age', 'postcode') else ''}"}
            for name in (*QUASI, *SENSITIVE)
        ],
        "notes": notes if stars else [],
        "by": ["patient"],
        "order": None,
    }


def _lost(attack: dict[str, Any]) -> float | None:
    guessed = attack["attack"] in ("prosecutor", "journalist", "marketer", "skewness")
    return None if guessed or attack["risk"] is None else round(1 - attack["risk"], 4)


def _release(place: int) -> dict[str, Any]:
    name = RELEASES[place]
    attacks = [_attack(attack, place) for attack in ATTACKS]
    return {
        "name": name,
        "records": SIZES[name],
        "lacking": None,
        "alignment": _alignment(place),
        "changed": None,
        "readings": _STATES[place],
        "attacks": attacks,
        "summary": {
            "lines": [
                {
                    **{field: attack[field] for field in ("attack", "title", "risk")},
                    "information_loss": _lost(attack),
                }
                for attack in attacks
            ],
            "overall_information_loss": (0.629, 0.8075, None)[place],
        },
        "loss": _loss(place),
        "mining": _mining(place),
        "needs": _needs(place),
        "checks": _checks(place),
        "score": {
            "risk": _STATES[place]["average_risk"],
            "utility": (0.86, 0.72, 0.78)[place],
            "risk_undefined": None,
            "utility_undefined": None,
        },
    }


_DOCUMENT: dict[str, Any] = {
    "document": "divulge comparison",
    "version": 1,
    "divulge": "0.1.0",
    "seed": 20170,
    "shows_values": False,
    "original": {
        "name": "clinic.csv",
        "records": RECORDS,
        "attributes": 9,
        "quasi_identifiers": QUASI,
        "sensitive": SENSITIVE,
        "roles": "given",
        "population": None,
        "readings": _ORIGINAL,
    },
    "notices": [
        {"release": name, "kind": "matching", "text": "patient is still in the release."}
        for name in (BANDS, COARSE)
    ],
    "releases": [_release(place) for place in range(3)],
    "policy": {"name": "divulge.toml", "digest": "sha256:5c2e"},
    "axes": {"risk": "average re-identification risk", "utility": "share of the information kept"},
    "allowed": {"risk": 0.1},
    "provenance": {
        "date": "2020-01-01T12:00:00Z",
        "files": [
            {
                "role": "original",
                "name": "clinic.csv",
                "records": 4000,
                "sha256": "9f86d081",
                "undefined": None,
            },
            {
                "role": "release",
                "name": "clinic_synthetic.csv",
                "records": 4200,
                "sha256": None,
                "undefined": "a table of a database has no file",
            },
        ],
        "policy_text": ["[attributes]", 'age = "quasi-identifier"'],
        "command": "divulge compare clinic.csv clinic_synthetic.csv",
    },
    "changes": [],
    "recommendation": {
        "release": COARSE,
        "sentences": [
            "clinic_coarse.csv meets all 3 checks: people truly linked fall from 58% to 6.2%, "
            "and every class has at least 5 records.",
            "It keeps 72% of the information, where clinic_bands.csv keeps 86% and fails 1 of 3 checks.",
            "clinic_synthetic.csv leaves 51% of people truly linked, close to that of the original.",
        ],
    },
}
