"""The gate: thirteen situations, each with its exit code and its words."""

import json

import pytest

from command_line import run

DATA = """zip,age,ill
1,20,flu
1,20,cold
1,30,flu
1,30,flu
2,20,cold
2,20,flu
2,30,cold
2,30,flu
"""
ATTRIBUTES = """[data]
source = "people.csv"
[attributes]
zip = "quasi-identifier"
age = "quasi-identifier"
ill = "sensitive"
[thresholds]
"""
IGNORE = 'measured = "ignore"\n'
CONSTANT = "zip,age,ill\n1,20,flu\n1,20,flu\n"
UNREADABLE = b"\xff\xfe\x00broken\x00\x01"


def gate(folder, thresholds, *more, data=DATA, policy=None):
    if data is not None:
        (folder / "people.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
    (folder / "divulge.toml").write_text(ATTRIBUTES + thresholds if policy is None else policy)
    return run("check", "--policy", folder / "divulge.toml", *more)


SITUATIONS = {
    "pass": (
        0,
        f"{IGNORE}k_anonymity = {{ min = 2 }}",
        {},
        [],
        "PASS: All 3 checks pass; the policy sets 1 of them\n",
    ),
    "fail": (
        1,
        "k_anonymity = { min = 3 }",
        {},
        [],
        "FAIL: Do not release as it is: k-anonymity: 2 (required",
    ),
    "warn": (0, 'k_anonymity = { min = 3, severity = "warn" }', {}, [], "WARN: k-anonymity: 2 (required"),
    "strict warn": (
        1,
        'k_anonymity = { min = 3, severity = "warn" }',
        {},
        ["--strict"],
        "WARN: k-anonymity: 2 (required",
    ),
    "few records": (0, "k_anonymity = { min = 2 }", {}, [], "WARN: There are fewer than 100 records"),
    "missing file": (2, "k_anonymity = { min = 2 }", {"data": None}, [], "people.csv"),
    "unreadable file": (2, "k_anonymity = { min = 2 }", {"data": UNREADABLE}, [], "people.csv"),
    "empty data": (2, "k_anonymity = { min = 2 }", {"data": "zip,age,ill\n"}, [], "no records"),
    "zero thresholds": (2, "", {}, [], "would always pass"),
    "unknown attribute": (
        2,
        'k_anonymity = { min = 2, keys = ["zipp"] }',
        {},
        [],
        "Did you mean 'zip'?",
    ),
    "unknown measure": (2, "k_anonimity = { min = 2 }", {}, [], "Did you mean 'k_anonymity'?"),
    "undefined reading": (
        3,
        "discrimination_rate = { max = 0.5 }",
        {"data": CONSTANT},
        [],
        "could not be evaluated",
    ),
    "broken TOML": (2, "k_anonymity = { min = 2", {}, [], "divulge.toml"),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_each_situation_has_its_exit_code_and_words(tmp_path, situation):
    code, thresholds, given, more, said = SITUATIONS[situation]
    found, out, err = gate(tmp_path, thresholds, *more, **given)
    assert found == code, out + err
    assert said in (out if code != 2 else err)
    assert "Traceback" not in err
    if code == 2:
        assert out == ""


def test_a_reading_worse_than_in_the_baseline_fails(tmp_path):
    code, out, _ = gate(tmp_path, "uniqueness = { max = 0.9 }", "--json")
    assert code == 0
    (tmp_path / "last.json").write_text(out)
    assert gate(tmp_path, "uniqueness = { max = 0.9 }", "--earlier", tmp_path / "last.json")[0] == 0
    worse = DATA.replace("1,20,cold", "1,25,cold")
    code, out, _ = gate(
        tmp_path, "uniqueness = { max = 0.9 }", "--earlier", tmp_path / "last.json", data=worse
    )
    assert code == 1
    assert "worse than in the baseline" in " ".join(out.split())


def test_a_baseline_that_cannot_be_read_is_an_error(tmp_path):
    code, out, err = gate(tmp_path, "k_anonymity = { min = 2 }", "--earlier", tmp_path / "none.json")
    assert (code, out) == (2, "")
    assert "baseline" in err


def test_what_was_read_is_printed_even_on_a_pass(tmp_path):
    _, out, _ = gate(tmp_path, "k_anonymity = { min = 2 }")
    assert "k-anonymity: 2 (required: at least 2 records)." in " ".join(out.split())


def test_another_file_may_be_held_to_the_policy(tmp_path):
    (tmp_path / "other.csv").write_text(DATA + DATA.partition("\n")[2])
    code, out, _ = gate(tmp_path, "k_anonymity = { min = 4 }", tmp_path / "other.csv", "--json")
    assert code == 0
    assert json.loads(out)["source"]["records"] == 16


def test_the_exit_code_says_fail_when_one_check_fails_and_another_has_no_value(tmp_path):
    thresholds = "k_anonymity = { min = 5 }\ndiscrimination_rate = { max = 0.5 }"
    assert gate(tmp_path, thresholds, data=CONSTANT)[0] == 1


PEOPLE = "name,email,sex,diagnosis\n" + "".join(
    f"{first} {last},{first}.{last}@example.org,{'mf'[place % 2]},{('flu', 'cold', 'gout')[place % 3]}\n"
    for place, (first, last) in enumerate(
        (first, last)
        for first in ("Ada", "Alan", "Emmy", "Kurt", "Lise", "Max", "Rosa", "Paul", "Carl", "Grace")
        for last in (
            "Berg",
            "Fox",
            "Haas",
            "Klein",
            "Novak",
            "Ray",
            "Rossi",
            "Silva",
            "Stone",
            "Weber",
            "Zink",
            "Orr",
        )
    )
)


def test_names_and_contacts_fail_the_policy_that_init_writes(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    policy = tmp_path / "divulge.toml"
    assert run("init", tmp_path / "people.csv", "--out", policy)[0] == 0
    markdown, junit = tmp_path / "out.md", tmp_path / "out.xml"
    code, out, _ = run("check", "--policy", policy, "--junit", junit, "--markdown", markdown)
    assert code == 1
    assert "FAIL: Do not release: direct identifiers found ('name' and 'email')" in out
    assert (
        "Do not release: direct identifiers found ('name' and 'email')"
        in markdown.read_text().splitlines()[0]
    )
    assert '<testcase classname="divulge" name="identifiers"' in junit.read_text()
    allowed = policy.read_text().replace(
        '#[allow]\n#identifiers = ["pseudonym"]', '[allow]\nidentifiers = ["name", "email"]'
    )
    policy.write_text(allowed)
    code, out, _ = run("check", "--policy", policy)
    assert code == 0
    assert "The policy allows 'name' and 'email'." in out


def test_a_declared_population_lowers_the_risk_of_a_sample(tmp_path):
    rows = "".join(f"{place // 4},{'abc'[place % 3]}\n" for place in range(400))
    (tmp_path / "sample.csv").write_text("age,disease\n" + rows)
    roles = ("--quasi-identifiers", "age", "--sensitive", "disease", "--no-report")
    _, out, _ = run("audit", tmp_path / "sample.csv", *roles)
    assert "WARN 400 of 400 people (100%)" in " ".join(out.split())
    _, out, _ = run("audit", tmp_path / "sample.csv", *roles, "--population", "200000")
    assert "PASS: All 4 checks pass" in out
    policy = tmp_path / "divulge.toml"
    assert run("init", tmp_path / "sample.csv", "--out", policy)[0] == 0
    assert run("check", "--strict", "--policy", policy)[0] == 1
    assert run("check", "--strict", "--policy", policy, "--population", "200000")[0] == 0
    policy.write_text(
        policy.read_text().replace("#[population]\n#size = 80000", "[population]\nsize = 200000")
    )
    assert run("check", "--strict", "--policy", policy)[0] == 0
    code, _, err = run("check", "--policy", policy, "--population", "100")
    assert code == 2
    assert "The population is 100 people, and the table has 400." in err


def test_a_sample_of_small_groups_is_not_evaluated(tmp_path):
    rows = "".join(f"{place // 2},{'abc'[place % 3]}\n" for place in range(400))
    (tmp_path / "sample.csv").write_text("age,disease\n" + rows)
    policy = tmp_path / "divulge.toml"
    assert run("init", tmp_path / "sample.csv", "--out", policy)[0] == 0
    assert run("check", "--policy", policy)[0] == 1
    code, out, _ = run("check", "--policy", policy, "--population", "200000")
    assert code == 3
    assert (
        "NOT EVALUATED Up to 400 of 400 people may be in groups smaller than 3 of the population on age"
        in (" ".join(out.split()))
    )
