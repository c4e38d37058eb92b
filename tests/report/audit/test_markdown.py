"""The audit as a comment: what fails comes first, names stay names, and it stays short."""

from __future__ import annotations

import re

import pytest

from divulge.report.audit.markdown import markdown


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
        "concerns": "812 records (20.3 %) are in a class below 5",
        "why": "Whoever knows age and sex finds them.",
        "fix": "",
        **more,
    }


def document(*checks, **more):
    return {
        "source": {"name": "clinic.csv", "records": 4000, "suppressed": 0, "dropped": 10},
        "roles": {"proposed": False},
        "policy": None,
        "verdict": {"outcome": "fail", "headline": "1 of 2 checks fails", "sentences": ["One.", "Two."]},
        "checks": list(checks),
        "numbers": [{"title": f"Number {n}", "text": f"{n} %"} for n in range(5)],
        "drivers": [{"sentence": f"Driver {n}."} for n in range(9)],
        "plan": None,
        "helps": [{"sentence": f"Help {n}."} for n in range(9)],
        **more,
    }


def rows(text):
    """The cells of every table row, escapes undone."""
    cells = (re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| "))
    return [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in cells]


def test_a_comment_has_headline_checks_numbers_drivers_and_helps():
    text = markdown(document(check(), check("fail", title="Uniqueness")))
    assert text.startswith("### divulge: 1 of 2 checks fails\n\nOne. Two.\n")
    assert "clinic.csv: 4,000 records, 10 dropped, held against the default checks." in text
    found = rows(text)
    assert found[0] == ["outcome", "check", "asked", "found", "concerned"]
    assert found[1] == [
        "**fail**",
        "Uniqueness",
        "at least 5 records",
        "1 record",
        "812 records (20.3 %) are in a class below 5",
    ]
    assert found[2][:2] == ["pass", "k-anonymity"]
    assert found[4:] == [[f"Number {n}", f"{n} %"] for n in range(5)]
    assert "- Driver 4.\n" in text
    assert "Driver 5" not in text
    assert "- Shown: 5 of 9.\n" in text
    assert "- Help 2.\n" in text
    assert "Help 3" not in text


def test_where_thresholds_and_roles_come_from_is_said():
    text = markdown(document(policy={"name": "divulge.toml"}, roles={"proposed": True}))
    assert "held against the thresholds of divulge.toml. No roles given; using suggestions." in text


def test_a_check_without_a_value_says_why_and_one_that_got_worse_says_so():
    reason = "the target has one value only"
    text = markdown(
        document(
            check("not evaluated", undefined=reason, found_text="not evaluated", concerns=""),
            check("fail", title="Uniqueness", found_text="3 %", baseline={"found": 0.01, "worse": True}),
            check("fail", title="delta", found_text="infinite", undefined="infinite: a value is absent"),
        )
    )
    assert [row[3] for row in rows(text)[1:4]] == ["3 %, worse than the baseline", "infinite", reason]


def test_checks_are_told_apart_by_target_and_by_keys():
    of = [
        check(title="itpr", target="job"),
        check(title="itpr of ill", target="ill"),
        check(),
        check(keys=["zip"]),
    ]
    names = [row[1] for row in rows(markdown(document(*of)))[1:5]]
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
    text = markdown(document(drivers=[], helps=[]))
    assert "outcome" not in text
    assert "What" not in text
    assert text.endswith("|\n")


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
    assert text.count(shown) == 12
    assert len(text.splitlines()) == len(everywhere("plain").splitlines())


def everywhere(name):
    """A comment with a name in every place that a document can bring it to."""
    return markdown(
        document(
            check("fail", title=name, concerns=name, found_text=name, asked=name),
            verdict={"headline": name, "sentences": [name]},
            drivers=[{"sentence": name}],
            helps=[{"sentence": name}],
            source={"name": name, "records": 1, "suppressed": 0, "dropped": 0},
            policy={"name": name},
            numbers=[{"title": name, "text": name}],
        )
    )
