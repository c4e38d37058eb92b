"""What a search found in a made-up clinic, as its document: plain, local, stopped, and with hostile names."""

import copy
from functools import cache

import divulge as dv
from divulge.anonymization.result.methods import methods_of_search

COMMAND = "divulge anonymize clinic.csv --policy clinic.toml --suppress 5% --report clinic.html"
TABLE = {
    "age": [20 + 7 * n % 61 for n in range(240)],
    "postcode": [f"13{n * n % 7}{n % 3}" for n in range(240)],
    "sex": ["fm"[n % 2] for n in range(240)],
    "diagnosis": [["flu", "cold", "gout", "asthma"][n * 3 % 7 % 4] for n in range(240)],
}
POLICY = {
    "attributes": {
        "age": "quasi-identifier",
        "postcode": "quasi-identifier",
        "sex": "quasi-identifier",
        "diagnosis": "sensitive",
    },
    "thresholds": {"k_anonymity": {"min": 5}, "distinct_l_diversity": {"min": 2}},
}


@cache
def found(local=False):
    """The search itself."""
    return dv.anonymize(TABLE, POLICY, suppress="5%", local=local, seed=1)


@cache
def _document(local):
    return found(local).to_dict()


def document(local=False):
    """A document of a search that was asked for on the command line."""
    made = copy.deepcopy(_document(local))
    made["name"] = made["provenance"]["files"][0]["name"] = "clinic.csv"
    made["provenance"] |= {"date": "2026-01-02T03:04:05Z", "command": COMMAND}
    made["policy"] = {"name": "clinic.toml", "digest": "0" * 64}
    return made


def stopped(why="interrupt"):
    """One of a search that did not come to its end."""
    made = document()
    made["certificate"] |= {"evaluated": 7, "excluded": {}, "proved": False, "bound": 0.125, "stopped": why}
    made["sentence"] = "Best so far (stopped by Ctrl-C): 7 of 30 transformations were evaluated."
    return made | {"methods": methods_of_search(made)}
