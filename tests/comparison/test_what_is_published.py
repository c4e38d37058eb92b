"""What a recommendation may not leave unsaid: names that match records, warnings, and the population."""

import divulge as dv
from divulge.comparison.recommendation import Candidate, recommend
from divulge.report.comparison.markdown import markdown
from divulge.report.comparison.text import text

FIRST = ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus", "Hanna", "Ida", "Jon")
LAST = ("Smith", "Jones", "Meyer", "Braun", "Klein", "Rossi", "Costa", "Silva", "Novak", "Stone")
PEOPLE = [(one, other) for one in FIRST for other in LAST]
TABLE = {
    "id": [str(place + 1) for place in range(100)],
    "name": [f"{one} {other}" for one, other in PEOPLE],
    "email": [f"{one}.{other}@x.org".lower() for one, other in PEOPLE],
    "sex": ["m", "f"] * 50,
    "diagnosis": ["flu", "flu", "cold", "cold"] * 25,
}


def compared(names, by, **given):
    table = {name: TABLE[name] for name in names}
    data = dv.read(table, quasi_identifiers="sex", sensitive="diagnosis")
    return dv.compare(data, table, by=by, **given)


def naming(document):
    (release,) = document["releases"]
    return next(one for one in release["checks"] if one["measure"] == "identifiers")


def test_names_that_match_records_are_still_names():
    document = compared(["name", "email", "sex", "diagnosis"], ["email", "name"]).to_dict()
    assert document["recommendation"]["release"] is None
    assert naming(document)["outcome"] == "fail"
    (notice,) = document["notices"]
    assert notice["kind"] == "matching"
    assert "email and name are still in the release, used to match records (--by)" in notice["text"]
    for shown in (text(document, width=400), markdown(document)):
        assert shown.index("still in the release") < shown.index("No release passes all checks")


def test_names_that_a_policy_allows_are_said_before_the_recommendation():
    policy = {
        "attributes": {"name": "identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
        "thresholds": {"k_anonymity": {"min": 2}},
        "allow": {"identifiers": ["name"]},
    }
    document = compared(["name", "sex", "diagnosis"], "name", policy=policy).to_dict()
    assert document["recommendation"]["release"] is not None
    assert "name names people. Leave it out of what is published." in document["notices"][0]["text"]
    assert "Before it is published, leave out name." in document["recommendation"]["sentences"]


def test_a_key_that_matches_records_is_a_warning_to_leave_it_out():
    document = compared(["id", "sex", "diagnosis"], "id").to_dict()
    assert naming(document)["outcome"] == "warn"
    assert document["recommendation"]["release"] is not None
    assert (
        document["recommendation"]["sentences"][0]
        .split(": ")[1]
        .startswith("of its 3 checks none fails, 1 warns.")
    )
    assert "Before it is published, leave out id." in document["recommendation"]["sentences"]


def test_an_attribute_that_is_not_in_the_release_needs_no_word():
    table = {name: TABLE[name] for name in ("id", "sex", "diagnosis")}
    data = dv.read(table, quasi_identifiers="sex", sensitive="diagnosis")
    released = {name: TABLE[name] for name in ("sex", "diagnosis")}
    assert "matching" not in [one["kind"] for one in dv.compare(data, released).to_dict()["notices"]]


def test_warnings_are_not_called_checks_that_pass():
    assert "its 2 checks pass" in recommend([Candidate("a", 0.1, 0.5, 0, 2)]).sentences[0]
    assert "its 3 checks" in recommend([Candidate("a", 0.1, 0.5, 0, 3, None, 2)]).sentences[0]
    assert "none fails, 2 warn." in recommend([Candidate("a", 0.1, 0.5, 0, 3, None, 2)]).sentences[0]


# -- the population --------------------------------------------------------------------------------

ROWS = {"age": [str(20 + place // 4) for place in range(80)], "ill": ["flu", "cold"] * 40}
ROLES = {"age": "quasi-identifier", "ill": "sensitive"}


def asked(**more):
    bound = {"singled_out": {"max": 0, "k": 5}}
    policy = {"attributes": ROLES, "thresholds": bound, **more}
    document = dv.compare(ROWS, ROWS, policy=policy).to_dict()
    check = next(one for one in document["releases"][0]["checks"] if one["measure"] == "singled_out")
    audited = next(one for one in dv.audit(ROWS, policy).checks if one.measure_name == "singled_out")
    assert check["outcome"] == audited.outcome
    return check, document


def test_the_population_of_the_policy_counts_for_releases_as_for_an_audit():
    check, document = asked()
    assert check["outcome"] == "fail"  # four of each age
    assert document["original"]["population"] is None
    check, document = asked(population={"size": 80_000})
    assert check["outcome"] == "pass"  # four of a thousand times as many
    (notice,) = document["notices"]
    assert notice["kind"] == "population"
    assert "a sample of 80,000 people" in notice["text"]


def test_weights_that_are_not_released_leave_everyone_counted_and_are_said():
    rows = ROWS | {"weight": [1000] * 80}
    policy = {
        "attributes": ROLES,
        "thresholds": {"singled_out": {"max": 0, "k": 5}},
        "population": {"weight": "weight"},
    }
    weighted, bare = (dv.compare(rows, one, policy=policy).to_dict() for one in (rows, ROWS))
    outcomes = [
        next(one for one in document["releases"][0]["checks"] if one["measure"] == "singled_out")["outcome"]
        for document in (weighted, bare)
    ]
    assert outcomes == ["pass", "fail"]
    notes = bare["releases"][0]["alignment"]["notes"]
    assert any("The weights weight are not in the release" in note for note in notes)
