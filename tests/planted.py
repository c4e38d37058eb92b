"""A table with a class of four, three of one disease, someone alone; and what would say so of a document.

All people, and those who are counted, are primes: no share that is not one of them looks like one.
"""

import re

PEOPLE_OF, COUNTED_OF = 271, 269
FEW = {1, 2, 3, 4, *range(PEOPLE_OF - 4, PEOPLE_OF)}

# What may be 1 to 4 though it is in a document: it counts no people.
OTHER = {
    *(
        "version",
        "seed",
        "epoch",
        "index",
        "policy",
        "count",
        "arrived",
        "entries",
        "checkpoints",
    ),  # of papers
    *(
        "runs",
        "degrees",
        "reach",
        "comparisons",
        "cross_safety",
        "rank",
        "min",
        "max",
        "searched",
        "possible",
        "parameters",
        "levels",
        "combinations",
    ),  # of work
    *(
        "attributes",
        "columns",
        "order",
        "size",
        "largest",
        "subsets",
        "failing",
        "folded",
        "map",
    ),  # of columns
    *(
        "values",
        "inputs",
        "outputs",
        "classes",
        "unrecognised_values",
        "ties",
        "guesses",
        "confidence",
        "merged",
    ),  # of values, classes
    *("low", "high"),  # the ends of bins, whose records are put together where they are few
    *(
        "k",
        "k_map",
        "k_anonymity",
        "distinct_l_diversity",
        "uniqueness",
        "found",
        "value",
    ),  # readings, said as they are
    *("original", "releases"),  # readings side by side
    *("outside", "waiting", "released", "decisions"),  # requests, whatever the values of records
    *("cells", "suppressed_cells", "secondary_cells", "cells_at_risk", "cells_by_rule"),  # of tables
    *("expected_targets", "stuck_targets"),  # of a dependency, however many people are in them
}
NOUNS = r"(?:records?|people|persons?|patients?|individuals?)\b"
COUNTED = re.compile(
    rf"(?<![\d.,/-])(?<!than )(?<!below )(?<!under )(?:[1-4]|26[7-9]|270) (?:of [\d,]+ )?{NOUNS}"
    r"|\bof (?:26[7-9]|270)\b"
)


def others(names):
    """The numbers that may stand at a place: all where no people are counted, and in a made-up run."""
    return FEW if OTHER & {*names[-2:]} or "evolution" in names else ()


def leaks(document, names=()):
    """Where a document says a number that could be so few people, or all but so few."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield from leaks(value, (*names, name))
    elif isinstance(document, list):
        for value in document:
            yield from leaks(value, names)
    elif isinstance(document, str):
        if COUNTED.search(document):
            yield ".".join(names), document
    elif isinstance(document, int) and not isinstance(document, bool) and document in FEW - {*others(names)}:
        yield ".".join(names), document


# Readings of the whole table, which are what they are of all counts: see docs/conventions.md.
READINGS = {
    "average_risk",  # classes over people
    *("t_closeness", "shifts", "risk"),  # the class furthest from the table, also as an attack
    *("additive", "reduction"),  # of the attacker's error
    "chance",  # one in all people, and what unrelated data give
}


def shares(document, names=()):
    """Where a document says a share that is so few of all people, or all but so few."""
    if isinstance(document, dict):
        measure = (document["measure"],) if isinstance(document.get("measure"), str) else ()
        for name, value in document.items():
            yield from shares(value, (*names, *measure, name))
    elif isinstance(document, list):
        for value in document:
            yield from shares(value, names)
    elif names == ("share",):
        return  # of all requests that a simulation releases, whatever their values
    elif isinstance(document, float) and not READINGS & {*names[-2:]} and is_share_of_few(document):
        yield ".".join(names), document


def is_share_of_few(number):
    """Whether a number is the share of one to four of all people, or of those who are counted."""
    return any(
        abs(number * of - round(number * of)) < 1e-6
        and min(round(number * of), of - round(number * of)) in FEW
        for of in (PEOPLE_OF, COUNTED_OF)
    )


# The same in per cent and to three digits, as texts and pages have them; the bounds instead have another.
IN_WORDS = {
    form.format(count / of)
    for few in (1, 2, 3, 4)
    for of in (PEOPLE_OF, COUNTED_OF)
    for count in (few, of - few)
    for form in ("{:.1%}", "{:.3f}", "{:.4f}")
}


def shares_in_words(text):
    """The shares of few people that a text says; in other words than a reading of the whole table."""
    found = re.findall(r"(?<![\d.<>])\d+\.\d+%?(?![\d.])", text)
    return sorted({*found} & IN_WORDS)


def planted():
    """261 people in classes of twelve and 21; four, three of one disease and one apart; two suppressed."""
    diseases = ("flu", "cold", "cough")
    rows = [(f"z{g}", "mf"[g % 2], diseases[(g + i) % 3]) for g in range(20) for i in range(12)]
    rows += [("z20", "f", diseases[i % 3]) for i in range(21)]
    rows += [("four", "m", disease) for disease in ("flu", "flu", "cold", "cold")]
    rows += [("three", "f", "gout")] * 3 + [("alone", "m", "flu")] + [("*", "*", "flu")] * 2
    return rows
