"""Simulation documents of the shape that releases have, made up and yet like those of real tables."""

import math

TESTS = ("mis", "kld", "cst", "dqt", "seq")
UNITS = {"mis": "bits", "kld": "bits", "cst": "", "dqt": "", "seq": "odds"}
BY_TARGET = ("kld", "cst", "seq")
RECORDS, RUNS = 1000, 20


def document(
    tests=("mis",),
    targets=("L1", "L2", "L3", "L4", "L5"),
    *,
    each=False,
    moments=120,
    refused=0.0,
    pictures=True,
    **more,
):
    """A simulation under some tests; the second target loses most, each has so many refused."""
    lines = [_target(place, name, tests, refused) for place, name in enumerate(targets)]
    total = {
        field: sum(line[field] for line in lines)
        for field in ("records", "requested", "released", "waiting", "refused", "fitting")
    }
    found = {
        "document": "divulge release simulation",
        "divulge": "0.1.0",
        "version": 1,
        "source": "military.csv",
        "shows_values": True,
        "x": ["Age"],
        "y": ["Location"],
        "values": 10,
        "requests": RECORDS * len(targets),
        "runs": RUNS,
        "seed": 1,
        "rules": {
            "tests": list(tests),
            "alpha": 0.2,
            "degrees": "domain",
            "merging": "smallest",
            "samples": 10_000,
            "seed": 0,
            "reach": 2,
            **({"form": "each"} if "seq" in tests else {}),
        },
        "level": 0.2,
        "comparisons": sum(len(targets) if test in BY_TARGET else 1 for test in tests),
        "targets": list(targets),
        "released_by_target": {line["target"]: line["released"] for line in lines},
        "by_target": lines,
        **total,
        "share": total["released"] / total["requested"],
        "refused_by_reason": {"unknown target": 0.0, "unknown value": total["refused"]},
        "cross_safety": {test: RUNS if test in tests else 11 * (test == "dqt") for test in TESTS},
        "evolution": [_moment(size, tests, targets) for size in _sizes(round(total["released"]), moments)],
    }
    if pictures:
        found |= _pictures(tests, targets)
    if each:
        found["each"] = [document((test,), targets, moments=3, pictures=False) for test in TESTS]
    return {**found, **more}


def _target(place, name, tests, refused):
    released = RECORDS * (0.4 if place == 1 else 0.9) - 100 * len(tests) + 20 * (place % 3) + 0.25
    return {
        "target": name,
        "records": RECORDS,
        "requested": float(RECORDS),
        "released": released,
        "deviation": 39.34,
        "waiting": RECORDS - released - refused,
        "refused": refused,
        "share": released / RECORDS,
        "fitting": 95.5 if place == 0 else 250.0,
    }


def _pictures(tests, targets):
    """Two groups of values, and a statistic that is 4 or 6 and no more likely to be one than the other."""
    groups = [
        {"values": "17 to 19", "numbers": "values 1 to 5", "expected": 0.25},
        {"values": "20 to 29", "numbers": "values 6 to 10", "expected": 0.75},
    ]
    bins = [
        {"low": 3.0, "high": 5.0, "simulated": 0.5, "chi_square": 0.45},
        {"low": 5.0, "high": 7.0, "simulated": 0.5, "chi_square": 0.4},
    ]
    one = {"degrees": 5, "samples": 100, "value": 4.2, "critical": 6.1, "bins": bins, "records": 300}
    return {
        "typical": {"requested": 100, "released": 82.9},
        "histograms": {
            "groups": groups,
            "targets": [{"target": name, "records": [300, 700], "released": [200, 600]} for name in targets],
        },
        "statistics": [
            {"test": test, "target": None if test == "mis" else targets[0], **one}
            for test in tests
            if test in ("mis", "kld")
        ],
    }


def _sizes(most, moments):
    return sorted({round(most ** (place / (moments - 1))) for place in range(moments)})


def _moment(records, tests, targets):
    rate = None if records < 2 else records**-0.6
    found = []
    for test in tests:
        names = targets[:records] if test in BY_TARGET else [None]
        found += [_exposure(test, name, place, records) for place, name in enumerate(names)]
    return {"records": records, "exposures": found, "discrimination_rate": rate, "itpr": rate and rate**0.1}


def _exposure(test, name, place, records):
    if test in ("mis", "kld"):
        critical = 4 * (1 + records / 10) ** -0.9
    elif test == "seq":
        critical = 5.0
    else:
        critical = None if records < 8 else {"cst": 3.2 * int(math.log10(records)), "dqt": 0.451}[test]
    waving = 0.9 + 0.1 * math.sin(records + place)
    value = None if critical is None else critical * waving * (1 - 0.2 / (1 + place)) * 0.995
    return {
        "test": test,
        "target": name,
        "value": value,
        "critical": critical,
        "unit": UNITS[test],
        "safe": True,
    }
