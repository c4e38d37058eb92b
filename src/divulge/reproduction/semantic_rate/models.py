"""Table 9: the 0.167-close table, and what k-anonymity and l-diversity read of it and of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.api import measure
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber, Tabulation
from divulge.reproduction.printed_rates import Columns, shown
from divulge.reproduction.semantic_rate.paper import CANCER_OR_NOT, K_ANONYMOUS, L_DIVERSE, PAPER, T_CLOSE
from divulge.table.hierarchy import Hierarchy

NO_TREE = (
    "The paper gives no hierarchy of diseases. 5/18 follows where two cancers are a quarter as far apart as "
    "a cancer and another disease. One level of groups gives {:.3f}, and equal distances give {:.3f}."
)
DIVERSE, CLOSE = "3 (3-diverse)", "9 (0.167-close)"
RELEASED = {DIVERSE: L_DIVERSE, CLOSE: T_CLOSE}
LOW = {"4K", "5K", "6K"}


@PAPER.add("table-9", "The 0.167-close table", "Tables 2, 3 and 9, section 4.4")
def table_9(conditions: Conditions) -> Findings:
    """Closeness counts how far salaries are from each other; diversity does not."""
    by_ranks = {name: _by_ranks(columns) for name, columns in RELEASED.items()}
    by_tree, by_groups = (
        _close(T_CLOSE, "Disease", ground="hierarchical", hierarchies={"Disease": _tree(levels)})
        for levels in (3, 1)
    )
    near = [salary in LOW for zip_code, salary in _people(L_DIVERSE) if zip_code == "355**"]
    why = NO_TREE.format(by_groups, _close(T_CLOSE, "Disease", ground="equal"))
    return Findings(
        [
            PublishedNumber(
                "t-closeness, Salary",
                0.167,
                by_ranks[CLOSE],
                0.001,
                "By ranks of salaries, as in Li and others (2007).",
            ),
            PublishedNumber("t-closeness, Disease", 0.278, by_tree, 0.001, why),
            PublishedNumber("3-diverse table: low salaries in 355**", 0.5, sum(near) / len(near)),
        ],
        [
            Claim("Table 2 is 3-anonymous.", _read(K_ANONYMOUS, "k_anonymity") == 3),
            Claim("Table 3 is 3-diverse in Salary and Disease.", _diverse(L_DIVERSE) == (3, 3)),
            Claim(
                "Table 9 is 3-diverse as well, and closer than table 3.",
                _diverse(T_CLOSE) == (3, 3) and by_ranks[CLOSE] < by_ranks[DIVERSE],
            ),
        ],
        tables=[
            Tabulation(
                "Readings",
                ["table", "k", "l, Salary", "l, Disease", "t, Salary by ranks", "t, Salary all equal"],
                [
                    [
                        name,
                        _read(columns, "k_anonymity"),
                        *_diverse(columns),
                        by_ranks[name],
                        _close(columns, "Salary", ground="equal"),
                    ]
                    for name, columns in RELEASED.items()
                ],
            ),
            shown("Table 9", T_CLOSE),
        ],
    )


def _keys(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    return [name for name in columns if name.endswith("*")]


def _read(columns: Columns, name: str, **more: Any) -> float:
    table = {attribute: list(values) for attribute, values in columns.items()}
    value = measure(table, name, keys=_keys(table), **more).value
    assert value is not None
    return float(value)


def _diverse(columns: Columns) -> tuple[float, float]:
    salary, disease = (
        _read(columns, "distinct_l_diversity", target=target) for target in ("Salary", "Disease")
    )
    return salary, disease


def _close(columns: Mapping[str, Sequence[Any]], target: str, **more: Any) -> float:
    return _read(columns, "t_closeness", target=target, **more)


def _by_ranks(columns: Columns) -> float:
    salaries = {**columns, "Salary": [int(one.rstrip("K")) for one in columns["Salary"]]}
    return _close(salaries, "Salary", ground="ordered")


def _tree(levels: int) -> Hierarchy:
    """Cancers and others on so many levels: the more there are, the nearer are two cancers."""
    lines = [
        (disease, *[f"domain {place}"] * levels, "*")
        for place, some in enumerate(CANCER_OR_NOT)
        for disease in some
    ]
    return Hierarchy.of(lines, attribute="Disease")


def _people(columns: Columns) -> list[tuple[str, str]]:
    return list(zip(columns["ZIP Code*"], columns["Salary"], strict=True))
