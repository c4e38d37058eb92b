"""Tables 4 and 5: the six measures on eight records, as ages and diseases get more or less varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

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
    rises,
)
from divulge.reproduction.itpr.inference import figure_3
from divulge.reproduction.itpr.paper import PAPER, Readings, readings
from divulge.reproduction.itpr.reidentification import figure_1, figure_2
from divulge.reproduction.itpr.variation import figure_4
from divulge.reproduction.printed_rates import rows

RECORD = "@record"
TABLE = rows("""
Age 1  Age 2  Age 3  Age 4  Age 5  Disease 1      Disease 2      Disease 3  Zip 1  Zip 2
30     30     30     30     30     Diabetes       Diabetes       Diabetes   35000  35000
62     30     30     30     30     Epilepsy       Diabetes       Diabetes   35000  35000
37     30     30     30     30     Asthma         Epilepsy       Diabetes   35000  35000
21     30     47     47     30     Allergies      Depression     Diabetes   35510  35510
19     30     30     30     47     Depression     HIV            Diabetes   35510  35510
47     30     30     47     47     HIV            Heart Disease  HIV        35510  35510
71     30     30     30     47     Heart Disease  Cancer         Asthma     35510  35200
73     30     30     30     47     Cancer         Allergies      Allergies  35510  35200
""")
IDENTITY = {f"Age {case}": ([f"Age {case}"], RECORD) for case in range(1, 6)}
ZIPS = {f"Age 2, Zip {case}": (["Age 2", f"Zip {case}"], RECORD) for case in (1, 2)}
INFERENCE = {f"Age 5, Disease {case}": (["Age 5"], f"Disease {case}") for case in range(1, 4)}
MEASURED = ("DR", "MI", "CP", "MIL", "ELD")
PRINTED = {  # in the order of `MEASURED`
    "Age 1": (1, 3, 0.875, 3, 1),
    "Age 2": (0, 0, 0, 0, 0.125),
    "Age 3": (0.18, 0.54, 0.31, 3, 1),
    "Age 4": (0.27, 0.81, 0.43, 2.75, 0.5),
    "Age 5": (0.33, 1, 0.5, 2, 0.25),
    "Age 5, Disease 1": (0.33, 1, 0.5, 2, 0.25),
    "Age 5, Disease 2": (0.36, 1, 0.5, 1, 0.35),
    "Age 5, Disease 3": (0.35, 0.54, 0.31, 1, 1),
}
PRINTED_ITPR = {
    "Age 1": 1,
    "Age 2": 0,
    "Age 3": 1,
    "Age 4": 0.83,
    "Age 5": 0.33,
    "Age 2, Zip 1": 0.6,
    "Age 2, Zip 2": 0.75,
    "Age 5, Disease 1": 0.33,
    "Age 5, Disease 2": 0.45,
    "Age 5, Disease 3": 1,
}
WHY = {
    (
        "Age 5, Disease 2",
        "MIL",
    ): "The other rows follow from max H(X) - p(y) H(X|y), which gives 2; 1 is the largest "
    "divergence of a group from the table.",
    (
        "Age 5, Disease 3",
        "MIL",
    ): "The other rows follow from max H(X) - p(y) H(X|y), which gives 1.5488; no reading "
    "gives 1 here and the printed numbers elsewhere.",
}
#: What the paper expects: each case is riskier than the one after it.
FALLING = ("Age 3", "Age 4", "Age 5", "Age 2")
ALONG = {
    "one of two groups shrinks": figure_1,
    "one of ten shrinks": figure_2,
    "one disease prevails": figure_3,
    "a group differs": figure_4,
}
RISING = ("Age 5, Disease 1", "Age 5, Disease 2", "Age 5, Disease 3")


@PAPER.add("table-4", "Five measures on eight records", "Tables 3 and 4, section 3.3")
def table_4(conditions: Conditions) -> Findings:
    """DR, MI and CP rate half against half as riskier than one person alone; ELD does not."""
    found = _readings({**IDENTITY, **INFERENCE})
    ones = [
        PublishedNumber(
            f"{case}, {name}", value, found[case][name], _digit(name, value), WHY.get((case, name), "")
        )
        for case, printed in PRINTED.items()
        for name, value in zip(MEASURED, printed, strict=True)
    ]
    wrong = [name for name in ("DR", "MI", "CP") if found["Age 3"][name] < found["Age 5"][name]]
    return Findings(
        ones,
        [
            Claim("DR, MI and CP read Age 3 below Age 5, which is less risky.", len(wrong) == 3),
            Claim(
                "MIL reads Age 3 below Age 5 as well.",
                found["Age 3"]["MIL"] < found["Age 5"]["MIL"],
                "Section 3.3 says so; table 4 prints 3 against 2.",
            ),
            Claim("ELD falls from Age 3 to Age 2, as is expected.", _falls(found, "ELD", FALLING)),
            Claim(
                "ELD rises from Disease 1 to Disease 3, as is expected.", _falls(found, "ELD", RISING[::-1])
            ),
        ],
        notes=["ELD is 2^max, where the paper prints 2^min: only that gives its numbers."],
    )


@PAPER.add("table-5", "ITPR on the same records", "Tables 5 and 6, section 4")
def table_5(conditions: Conditions) -> Findings:
    """ITPR puts all cases into the order that is expected of them."""
    found = _readings({**IDENTITY, **ZIPS, **INFERENCE})
    return Findings(
        [
            PublishedNumber(
                case,
                value,
                found[case]["ITPR"],
                0.1 if value == 0.6 else 0.01,
                "Printed as Case 1 of Zip Code a second time." if case == "Age 2, Zip 2" else "",
            )
            for case, value in PRINTED_ITPR.items()
        ],
        [
            Claim(
                "ITPR is 1 where everyone, or one person, is unique.",
                found["Age 1"]["ITPR"] == found["Age 3"]["ITPR"] == 1,
            ),
            Claim("ITPR falls from Age 3 to Age 2.", _falls(found, "ITPR", FALLING)),
            Claim("ITPR rises from Disease 1 to Disease 3.", _falls(found, "ITPR", RISING[::-1])),
        ],
    )


@PAPER.add(
    "six-measures", "Six measures on the same data, in one picture", "Tables 3 to 6; all of section 3.3"
)
def six_measures(conditions: Conditions) -> Findings:
    """ITPR and ELD alone put all cases into the order of their risk.

    In the picture MI and MIL are divided by the entropy of what is to be found out, so that all six lie
    between 0 and 1.
    """
    cases = {**{name: IDENTITY[name] for name in ("Age 2", "Age 5", "Age 4", "Age 3", "Age 1")}, **INFERENCE}
    found = _readings(cases)
    entropies = {case: MEASURES["entropy"].compute(_counts(*asked)) for case, asked in cases.items()}
    shown = {
        case: {
            name: value / (entropies[case] if name in ("MI", "MIL") else 1) for name, value in read.items()
        }
        for case, read in found.items()
    }
    names = list(found["Age 1"])
    ordered = {name: (_falls(found, name, FALLING), _falls(found, name, RISING[::-1])) for name in names}
    grows = {title: _directions(run(Conditions(full=False))) for title, run in ALONG.items()}
    return Findings(
        claims=[_in_order(name, all(ordered[name])) for name in names],
        figures=[
            Figure(
                "From no risk to the highest: who it is (Age), then which disease it is",
                "case",
                "reading",
                [Curve(name, [(at, shown[case][name]) for at, case in enumerate(cases)]) for name in names],
                categories=tuple(cases),
            )
        ],
        tables=[
            Tabulation(
                "Cases in the order of the risk, and readings as it grows along figures 1 to 4",
                ["measure", "who it is", "which disease", *ALONG],
                [
                    [
                        name,
                        *("in order" if one else "not in order" for one in both),
                        *(some[name] for some in grows.values()),
                    ]
                    for name, both in ordered.items()
                ],
            )
        ],
        notes=[
            "Age 2: all alike; Age 5: half and half; Age 4: two of eight; Age 3: one of eight; Age 1: all "
            "different. MI divided by the entropy is DR."
        ],
    )


def _in_order(name: str, ours: bool) -> Claim:
    says = name in ("ITPR", "ELD")
    why = "" if ours == says else "The readings are those of tables 4 and 5."
    return Claim(f"{name} {'puts' if says else 'does not put'} all cases in order.", ours == says, why)


def _directions(found: Findings) -> dict[str, str]:
    """What each measure does along a figure."""
    first, alone = found.figures[:2]
    return {one.name: _direction([y for _, y in one.points]) for one in (*first.curves, *alone.curves)}


def _direction(values: Sequence[float]) -> str:
    up, down = rises(values), rises([-value for value in values])
    return "constant" if up and down else "rises" if up else "falls" if down else "neither"


def _counts(keys: Sequence[str], target: str) -> JointCounts:
    return ask(
        {name: list(values) for name, values in TABLE.items()}, keys=keys, target=target
    ).counts.in_cells()


def _readings(cases: Mapping[str, tuple[list[str], str]]) -> dict[str, Readings]:
    return {case: readings(_counts(*asked)) for case, asked in cases.items()}


def _falls(found: Mapping[str, Readings], name: str, cases: Sequence[str]) -> bool:
    """Whether a measure reads each case higher than the next."""
    read = [found[case][name] for case in cases]
    return all(one > other for one, other in pairwise(read))


def _digit(name: str, value: float) -> float:
    """The unit of the last digit that the paper prints."""
    return 0.001 if value == 0.875 or (name, value) == ("ELD", 0.125) else 0.01
