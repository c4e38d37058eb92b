"""Chapter 2: recoding, anatomy and microaggregation of one table of nine people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.api import measure
from divulge.questions.data import read
from divulge.recipes.transform import transform
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber, Tabulation
from divulge.reproduction.printed_rates import rows
from divulge.reproduction.thesis.paper import PAPER
from divulge.table.hierarchy import Hierarchy
from divulge.utility.estimated_count import estimated_count

Table = Mapping[str, Sequence[Any]]
DISEASES = (
    *("colon cancer", "stomach cancer", "lung cancer", "diabetes", "diabetes", "aids", "aids", "flu"),
    "lung cancer",
)
ORIGINAL: Table = {  # table 2.1, salaries in thousands; record 4 has another disease than in chapter 5
    "ZIP Code": ["35567", "35502", "35560", "35817", "35810", "35812", "35502", "35568", "35505"],
    "Age": [22, 22, 22, 45, 63, 40, 35, 35, 32],
    "Salary": [4, 5, 6, 7, 12, 9, 8, 10, 11],
    "Disease": list(DISEASES),
}
GROUPS = [1, 1, 1, 2, 2, 2, 2, 2, 1]  # the attribute ID of table 2.3
YOUNG, OLD = "≤ 32", "> 32"
AGES = Hierarchy.of(
    [(str(age), YOUNG if age <= 32 else OLD, "*") for age in sorted(set(ORIGINAL["Age"]))], attribute="Age"
)
STANDS_FOR = {"Age": {YOUNG: range(18, 33), OLD: range(33, 100)}}
RECODED = rows("""
ZIP Code  Age   Disease
35***     ≤ 32  colon cancer
35***     ≤ 32  stomach cancer
35***     ≤ 32  lung cancer
35***     ≤ 32  lung cancer
35***     > 32  diabetes
35***     > 32  diabetes
35***     > 32  aids
35***     > 32  aids
35***     > 32  flu
""")
SENSITIVE = rows("""
Group-ID  Disease         Count
1         colon cancer    1
1         stomach cancer  1
1         lung cancer     2
2         diabetes        2
2         aids            2
2         flu             1
""")
PRINTED = {"Age": (22, 49.33, 34), "Salary": (5, 9, 10)}  # table 2.6, of records 1 to 3, 4 to 6, 7 to 9
IN_PLACE_OF = (
    "Two of the five people of group 2 are 35 years old; all five are 35 or older, and 2 x 5/5 = 2. The "
    "printed number is that of the age 35."
)


@PAPER.add("table-2.2", "Generalization and suppression", "Tables 2.1 and 2.2, section 2.5.1")
def table_2_2(conditions: Conditions) -> Findings:
    """Recoding of ZIP code and age leaves two groups, and no value that only one person has."""
    released = _recoded()
    smallest = measure(released, "k_anonymity", keys=["ZIP Code", "Age"]).value
    before = measure(ORIGINAL, "uniqueness", keys=["Age"]).value
    return Findings(
        claims=[
            Claim("Recoding makes table 2.2 of table 2.1.", _lines(released) == _lines(RECODED)),
            Claim("In table 2.1 the age 45 is one person's.", list(ORIGINAL["Age"]).count(45) == 1),
            Claim("In table 2.2 no combination of values is one person's.", (smallest or 0) > 1),
        ],
        tables=[
            _shown("Table 2.2, made by recoding", released),
            Tabulation(
                "Readings",
                ["unique by age before", "smallest group after"],
                [[before, smallest]],
            ),
        ],
    )


@PAPER.add("table-2.4", "Anatomy, and a question asked of it", "Tables 2.3 to 2.5, section 2.5.4")
def table_2_4(conditions: Conditions) -> Findings:
    """Keys and diseases in two tables: how many people of 35 or older have aids is answered better."""
    done = transform(
        {**ORIGINAL, "ID": GROUPS},
        [
            {
                "mechanism": "anatomy",
                "attributes": ["Disease"],
                "groups": "ID",
                "group_name": "Group-ID",
                "count_name": "Count",
            }
        ],
        keep_order=True,
        seed=conditions.seed,
    )
    sensitive = done.beside["sensitive"]
    asked = {"Age": lambda age: age >= 35, "Disease": lambda one: one == "aids"}
    exact = estimated_count(ORIGINAL, asked)
    recoded = estimated_count(_recoded(), asked, STANDS_FOR, "one of the group")
    evenly = estimated_count(_recoded(), asked, STANDS_FOR)
    anatomy = estimated_count(read(done.data, anatomy=sensitive), asked)
    return Findings(
        numbers=[
            PublishedNumber("people of 35 or older with aids", 2, exact, 1),
            PublishedNumber(
                "estimated from table 2.2",
                0.4,
                recoded,
                0.1,
                "2 x 1/5 takes one of the five people above 32 to be 35 or older, whatever the ages.",
            ),
            PublishedNumber(
                "estimated from table 2.2, ages above 32 equally likely",
                None,
                evenly,
                why="All ages from 33 to 99 but two fit.",
            ),
            PublishedNumber("estimated from tables 2.4 and 2.5", 0.8, anatomy, 0.1, IN_PLACE_OF),
        ],
        claims=[
            Claim("Anatomy makes table 2.5 of table 2.3.", _lines(sensitive) == _lines(SENSITIVE)),
            Claim(
                "The estimate from anatomy is closer to the truth than that from recoding.",
                abs(anatomy - exact) < min(abs(recoded - exact), abs(evenly - exact)),
            ),
        ],
        tables=[
            _shown("Table 2.4, keys with their groups", done.data),
            _shown("Table 2.5, diseases of each group", sensitive),
        ],
    )


@PAPER.add("table-2.6", "Microaggregation", "Table 2.6, section 2.5.5")
def table_2_6(conditions: Conditions) -> Findings:
    """Three people share each age and each salary; the groups are those of the thesis."""
    step = {
        "mechanism": "microaggregation",
        "attributes": ["Age", "Salary"],
        "k": 3,
        "standardize": False,
    }
    released = transform(ORIGINAL, [step], keep_order=True, seed=conditions.seed).data
    digit = {"Age": 0.01, "Salary": 1}
    return Findings(
        numbers=[
            PublishedNumber(
                f"{name} of records {3 * place + 1} to {3 * place + 3}",
                printed,
                float(released[name][3 * place]),
                digit[name],
                "The thesis takes the median of salaries, divulge their mean." if name == "Salary" else "",
            )
            for name, each in PRINTED.items()
            for place, printed in enumerate(each)
        ],
        claims=[
            Claim(
                "Groups are the records 1 to 3, 4 to 6 and 7 to 9.",
                [list(released["Age"]).index(age) // 3 for age in released["Age"]]
                == [0] * 3 + [1] * 3 + [2] * 3,
            )
        ],
        tables=[_shown("Table 2.6, made by microaggregation", released)],
    )


def _recoded() -> Table:
    steps: list[dict[str, Any]] = [
        {"mechanism": "prefix", "attributes": ["ZIP Code"], "keep": 2},
        {"mechanism": "recode", "attributes": ["Age"], "hierarchy": AGES, "level": 1},
        {"mechanism": "remove", "attributes": ["Salary"]},
    ]
    found: Table = transform(ORIGINAL, steps, keep_order=True).data
    return found


def _lines(table: Table) -> list[tuple[str, ...]]:
    """The records in an order of their own."""
    return sorted(tuple(map(str, row)) for row in zip(*table.values(), strict=True))


def _shown(title: str, table: Table) -> Tabulation:
    return Tabulation(
        title, list(table), [[str(cell) for cell in row] for row in zip(*table.values(), strict=True)]
    )
