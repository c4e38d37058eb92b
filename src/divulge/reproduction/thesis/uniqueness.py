"""Section 3.4.1: records that are unique, and those that are unique by few attributes already."""

from __future__ import annotations

from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber, Tabulation
from divulge.reproduction.printed_rates import rows
from divulge.reproduction.thesis.paper import PAPER
from divulge.uniques.account import uniqueness

PATIENTS = rows("""
ZIP Code  Age  Disease
75002     22   lung cancer
75005     23   lung cancer
75002     22   lung cancer
75012     45   flu
75002     63   diabetes
75002     40   flu
75012     35   aids
75012     35   aids
75002     25   diabetes
""")
KEYS = list(PATIENTS)


@PAPER.add("table-3.5", "Unique records, and special uniques", "Table 3.5, section 3.4.1")
def table_3_5(conditions: Conditions) -> Findings:
    """Five of nine people are unique, and each of them by a single attribute already."""
    found = uniqueness({name: list(values) for name, values in PATIENTS.items()}, keys=KEYS, special=True)
    alike = [int(size) for size in found.sample.sizes]
    pairs = [place for place, size in enumerate(alike, 1) if size == 2]
    sets = [found.sets_of(place) for place in range(len(alike))]
    return Findings(
        numbers=[
            PublishedNumber("records like record 2", 1, alike[1], 1),
            PublishedNumber("records like record 7", 2, alike[6], 1),
            PublishedNumber("records like record 8", 2, alike[7], 1),
        ],
        claims=[
            Claim(
                "Records 7 and 8 are the only ones with the same pattern.",
                pairs == [7, 8],
                f"Records {', '.join(map(str, pairs))} have the pattern of another one.",
            ),
            Claim(
                "Record 2 is a special unique: unique by ZIP code and age already.",
                any({*one} <= {"ZIP Code", "Age"} for one in sets[1]),
                "ZIP code alone is enough, and so is age.",
            ),
        ],
        tables=[
            Tabulation(
                "Records, and the smallest sets of attributes by which each is unique",
                ["record", "records alike", "unique by"],
                [
                    [place, size, "; ".join(" and ".join(one) for one in some) or "nothing"]
                    for place, (size, some) in enumerate(zip(alike, sets, strict=True), 1)
                ],
            )
        ],
    )
