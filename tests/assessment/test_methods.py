"""The paragraph on methods is made from what was done, and cites what it names."""

import divulge as dv
from divulge._support.references import REFERENCES

PEOPLE = {"zip": ["1", "1", "2", "2"] * 30, "ill": ["a", "b", "c", "a"] * 30, "id": [*map(str, range(120))]}


def methods(**asked):
    policy = {
        "attributes": {"zip": "quasi-identifier", "ill": "sensitive", "id": "identifier"},
        "thresholds": {"k_anonymity": {"min": 5}, "t_closeness": {"max": 0.5}},
    }
    return dv.audit(PEOPLE, policy, **asked).to_dict()["methods"]


def test_the_paragraph_says_data_roles_thresholds_chance_and_version():
    text = methods(seed=7)["text"]
    assert f"with divulge {dv.__version__} on a table of 120 records and 3 attributes." in text
    assert "An attacker was assumed to know zip (quasi-identifiers); sensitive attributes: ill; " in text
    assert "direct identifiers: id. These roles were given." in text
    assert "Readings were compared with the policy: attributes that name people (none); " in text
    assert "k-anonymity (" in text
    assert "t-closeness of ill (" in text
    assert "(seed 7)." in text
    assert "1 of 1 combinations of quasi-identifiers were searched." in text


def test_a_sample_and_suggested_roles_are_said():
    text = dv.audit({"age": [30, 31, 30, 31] * 30, "sex": ["f", "m"] * 60}, population=5000).to_dict()[
        "methods"
    ]
    assert "a sample of 5,000 people" in text["text"]
    assert "These roles were suggested by the software from names and values." in text["text"]


def test_what_is_asked_is_cited():
    cited = methods()["references"]
    for key in ("sweeney2002", "li2007", "article29wp2014"):
        assert REFERENCES[key] in cited
    assert REFERENCES["dixon1951"] not in cited


def test_a_comparison_names_its_releases_and_attacks():
    read = dv.read(PEOPLE, quasi_identifiers="zip", sensitive="ill")
    document = dv.compare(read, {"zip": ["1", "1", "9", "9"] * 30, "ill": PEOPLE["ill"]}, seed=3).to_dict()
    text = document["methods"]["text"]
    assert "compared with a dictionary of columns, the original of 120 records and 3 attributes" in text
    assert "used the seed 3" in text
    assert document["releases"][0]["attacks"][0]["title"] in text


def test_an_attack_that_was_measured_on_no_release_was_not_tried():
    read = dv.read(PEOPLE, quasi_identifiers="zip", sensitive="ill", identifiers="id")
    document = dv.compare(read, PEOPLE).to_dict()
    attacks = document["releases"][0]["attacks"]
    before, _, after = document["methods"]["text"].partition("These attacks could not be measured: ")
    tried = before.partition("These attacks were tried: ")[2]
    assert {one["title"] for one in attacks if one["title"] in tried} == {
        one["title"] for one in attacks if one["risk"] is not None
    }
    assert after.startswith("Similarity attack")
