"""A table with a class of four, three of one disease, someone alone; and what would say so of a document."""

import re

PEOPLE_OF = 250
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
        "reach",
        "comparisons",
        "cross_safety",
        "rank",
        "min",
        "max",
        "searched",
        "possible",
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
    ),  # of values, classes
    *("low", "high"),  # the ends of bins, whose records are put together where they are few
    *(
        "k",
        "k_anonymity",
        "distinct_l_diversity",
        "uniqueness",
        "found",
        "value",
    ),  # readings, said as they are
    *("original", "releases"),  # readings side by side
    *("outside", "waiting", "released", "decisions"),  # requests, whatever the values of records
}
NOUNS = r"(?:records?|people|persons?|patients?|individuals?)\b"
COUNTED = re.compile(
    rf"(?<![\d.,/-])(?<!than )(?<!below )(?<!under )(?:[1-4]|24[6-9]) (?:of [\d,]+ )?{NOUNS}|\bof 24[6-9]\b"
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


def planted():
    """240 people in classes of twelve; four, three of one disease and one apart; two suppressed."""
    diseases = ("flu", "cold", "cough")
    rows = [(f"z{g}", "mf"[g % 2], diseases[(g + i) % 3]) for g in range(20) for i in range(12)]
    rows += [("four", "m", disease) for disease in ("flu", "flu", "cold", "cold")]
    rows += [("three", "f", "gout")] * 3 + [("alone", "m", "flu")] + [("*", "*", "flu")] * 2
    return rows
