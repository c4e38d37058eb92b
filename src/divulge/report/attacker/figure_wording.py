"""What epsilon, typical sequences, degrees of anonymity and the best mechanisms come to, in sentences."""

from __future__ import annotations

from divulge._support.wording import many, number, percent
from divulge.report.attacker.wording import short
from divulge.report.shared.tables import Document

DIGITS = 15  # of a number of sequences that is written out
#: What a mechanism is chosen for, by its goal.
VALUES = {
    "average": "error on average",
    "worst": "error in the worst case",
    "information": "information, bits",
    "epsilon": "expected loss",
}
REACHED = {
    "average": "the attacker's error on average",
    "worst": "the attacker's error in the worst case",
    "information": "the information in bits that leaks",
    "epsilon": "the expected loss",
}


def epsilon_verdict(document: Document) -> str:
    """How often a guess is wrong under an epsilon, after any observation."""
    return (
        f"With epsilon = {number(document['epsilon'])} a guess is wrong at least "
        f"{number(document['error'])} of the time, after any observation."
    )


def typical_verdict(document: Document) -> str:
    """How many sequences are typical, and how likely one of them is the true one.

    >>> typical_verdict({"size": "4", "length": 2, "log2_size": [2.0, 2.0], "probability": [0.5, 0.5]})
    '4 sequences are typical of length 2. Their probability together: 0.5.'
    """
    low, high = (("0" if one is None else f"2^{number(one)}") for one in document["log2_size"])
    size, (least, most) = document["size"], document["probability"]
    if size is None:
        sequences = f"Between {low} and {high} sequences are"
    elif len(size) > DIGITS:
        sequences = f"About {high} sequences are"
    else:
        sequences = f"{int(size):,} {'sequence is' if size == '1' else 'sequences are'}"
    share = number(least)
    if least < most:
        share = "nearly 1" if share == "1" else f"{share} or more"
    return f"{sequences} typical of length {document['length']:,}. Their probability together: {share}."


def degrees_verdict(document: Document) -> str:
    """How suspect the most likely user is, and among how many users a sender is hidden."""
    hidden = document["anonymity"]
    if hidden is None:
        return f"The degree of anonymity of all correspondences is {short(document['edman'])} of at most 1."
    suspect = percent(hidden["source_hiding"])
    hiding = short(2 ** hidden["serjantov_danezis"])
    return (
        f"The most likely user is the sender with a probability of {suspect}. The sender is hidden as well "
        f"as among {hiding} users who are equally likely, of {many(hidden['users'])}."
    )


def mechanism_verdict(document: Document) -> str:
    """What the best mechanism reaches within its budget; without one, from where to where the curve goes."""
    reached, points = REACHED[document["goal"]], document["curve"]
    spent = "epsilon" if document["goal"] == "epsilon" else "expected loss"
    if document["budget"] is not None:
        return (
            f"Within an {spent} of {short(document['budget'])}, the best mechanism brings {reached} to "
            f"{short(document['value'])}."
        )
    first, last = points[0], points[-1]
    return (
        f"From an {spent} of {short(first['loss'])} to one of {short(last['loss'])}, the best mechanisms "
        f"bring {reached} from {short(first['value'])} to {short(last['value'])}."
    )
