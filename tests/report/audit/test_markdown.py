"""The audit as a comment: what fails comes first, names stay names, and it stays short."""

from __future__ import annotations

import re

import pytest

from divulge.report.audit.markdown import markdown

KEYS = [{"name": name, "role": "quasi-identifier"} for name in ("age", "sex")]


def check(outcome="pass", **more):
    return {
        "measure": "k_anonymity",
        "title": "k-anonymity",
        "parameters": {},
        "keys": ["age", "sex"],
        "target": "@record",
        "severity": "fail",
        "outcome": outcome,
        "asked": "at least 5 records",
        "found_text": "1 record",
        "undefined": None,
        "min": 5,
        "sentence": "k-anonymity: 1 record.",
        "concerns": "812 records (20.3 %) are in a group smaller than 5",
        "why": "Whoever knows age and sex finds them.",
        "fix": "",
        **more,
    }


def document(*checks, **more):
    return {
        "source": {"name": "clinic.csv", "records": 4000, "suppressed": 0, "dropped": 10},
        "roles": {"proposed": False, "attributes": KEYS},
        "policy": None,
        "verdict": {
            "outcome": "fail",
            "headline": "1 of 2 checks fails",
            "sentences": ["Help 0.", "Not measured: much."],
            "thresholds": "usual",
        },
        "targets": [],
        "checks": list(checks),
        "numbers": [
            {"name": name, "title": f"Number {n}", "text": f"{n} %", "value": n, "meaning": f"meant {n}"}
            for n, name in enumerate(("uniqueness", "k_anonymity", "reidentification_risk"))
        ],
        "plan": None,
        "helps": [{"sentence": f"Help {n}."} for n in range(9)],
        **more,
    }


def rows(text):
    """The cells of every table row, escapes undone."""
    cells = (re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| "))
    return [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in cells]


def test_a_comment_has_verdict_four_numbers_checks_and_helps_and_says_nothing_twice():
    text = markdown(document(check(), check("fail", title="Uniqueness")))
    assert text.startswith(
        "### divulge: Do not release as it is: Uniqueness: 1 record (required: at least 5 records)\n\n"
    )
    assert "clinic.csv: 4,000 records, 10 dropped. Default checks." in text
    found = rows(text)
    assert found[1:5] == [
        ["Unique people", "0 %", "meant 0"],
        ["Smallest group", "1", "required: 5 or more"],
        ["Number 2", "2 %", "meant 2"],
        ["Predictable beyond chance", "–", "not measured: no sensitive attribute is given"],
    ]
    assert found[5] == ["result", "check", "found", "required", "concerned"]
    assert found[6] == [
        "**fail**",
        "Uniqueness",
        "1 record",
        "at least 5 records",
        "812 records (20.3 %) are in a group smaller than 5",
    ]
    assert found[7][:2] == ["pass", "k-anonymity"]
    assert "Not measured: much." in text
    assert "- Help 2.\n" in text
    assert "Help 3" not in text
    assert text.count("Help 0.") == 1


def test_where_thresholds_and_roles_come_from_is_said():
    text = markdown(document(policy={"name": "divulge.toml"}, roles={"proposed": True, "attributes": KEYS}))
    assert "Thresholds of divulge.toml. No roles given; using suggestions." in text


def test_a_check_without_a_value_says_why_and_one_that_got_worse_says_so():
    reason = "the target has one value only"
    text = markdown(
        document(
            check("not evaluated", undefined=reason, found_text="not evaluated", concerns=""),
            check("fail", title="Uniqueness", found_text="3 %", baseline={"found": 0.01, "worse": True}),
            check("fail", title="delta", found_text="infinite", undefined="infinite: a value is absent"),
        )
    )
    assert [row[2] for row in rows(text)[6:9]] == ["3 %, worse than the baseline", "infinite", reason]


def test_checks_are_told_apart_by_target_and_by_keys():
    of = [
        check(title="itpr", target="job"),
        check(title="itpr of ill", target="ill"),
        check(),
        check(keys=["zip"]),
    ]
    names = [row[1] for row in rows(markdown(document(*of)))[6:10]]
    assert names == ["itpr of job", "itpr of ill", "k-anonymity by age and sex", "k-anonymity by zip"]


def test_a_comment_stays_below_sixty_lines_and_counts_what_it_leaves_out():
    checks = [check(title=f"m{n}") for n in range(30)] + [check("warn", title=f"w{n}") for n in range(30)]
    text = markdown(document(*checks))
    assert len(text.splitlines()) < 60
    assert "Not shown: 12 warn, 30 pass." in text
    assert (
        len(markdown(document(*checks, verdict=document()["verdict"] | {"sentences": ["x" * 9000]}))) < 5000
    )


def test_nothing_was_checked_and_nothing_found():
    text = markdown(document(helps=[], numbers=[], verdict={**document()["verdict"], "sentences": []}))
    assert "result" not in text
    assert "What" not in text
    assert text.startswith("### divulge: 1 of 2 checks fails\n")
    assert "|" not in text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", r"a\|b"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a & b", "a &amp; b"),
        ("[click](http://x)", r"\[click\](http://x)"),
        ("**bold** `code` ~x~", r"\*\*bold\*\* \`code\` \~x\~"),
        ("_a_b_", r"\_a_b\_"),
        ("two\nlines\r\n| x |", r"two lines \| x \|"),
        ("# title", r"\# title"),
        ("back\\slash", r"back\\slash"),
        ("@someone", "@&#8203;someone"),
    ],
)
def test_a_name_stays_a_name_wherever_it_stands(name, shown):
    text = everywhere(name)
    assert text.count(shown) == 16
    assert len(text.splitlines()) == len(everywhere("plain").splitlines())


def everywhere(name):
    """A comment with a name in every place that a document can bring it to."""
    return markdown(
        document(
            check("fail", title=name, concerns=name, found_text=name, asked=name),
            verdict={
                "outcome": "fail",
                "headline": name,
                "sentences": [name, f"{name}."],
                "thresholds": "policy",
            },
            helps=[{"sentence": name}],
            source={"name": name, "records": 1, "suppressed": 0, "dropped": 0},
            policy={"name": name},
            numbers=[
                {"name": key, "title": name, "text": name, "value": 1, "meaning": name}
                for key in ("uniqueness", "k_anonymity", "reidentification_risk")
            ],
        )
    )
