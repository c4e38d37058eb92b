"""What an output hides does not follow from what stands beside it: rests, rates, lists, errors, baselines."""

import json
from pathlib import Path

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts, hidden_among
from divulge._support.toml_text import NotTOML, tables_of
from divulge.assessment import audit, read_baseline
from divulge.errors import SourceError
from in_process import run

KEYS = ("--quasi-identifiers", "zip,sex", "--sensitive", "disease")
AUDIT = (*KEYS, "--no-report")
DISEASES = ("flu", "cold", "cough", "gout")


def table(*apart, size=400):
    """People spread over three zips and two sexes; then rows apart, each so many times."""
    rows = [(f"z{i % 3}", "mf"[i // 3 % 2], DISEASES[i // 6 % 4]) for i in range(size)]
    for row, times in apart:
        rows += [row] * times
    return rows


def columns(rows):
    return dict(zip(("zip", "sex", "disease"), map(list, zip(*rows, strict=True)), strict=True))


def write(name, rows):
    Path(name).write_text("\n".join(["zip,sex,disease", *(",".join(row) for row in rows)]) + "\n")


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write("three.csv", table((("rare", "m", "lupus"), 3), size=397))
    write("starred.csv", table((("*", "*", "flu"), 3), size=397))
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


def held(document):
    """All numbers and texts of a document."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [found for value in document for found in held(value)]
    return [document]


# -- rests ---------------------------------------------------------------------------------------


def test_what_was_counted_does_not_say_how_few_were_suppressed(ask):
    out = " ".join(ask("audit", "starred.csv", *AUDIT)[1].split())
    assert "397" not in out
    found = held(json.loads(ask("audit", "starred.csv", *AUDIT, "--json")[1]))
    assert 397 not in found
    texts = [text for text in found if isinstance(text, str)]
    assert any("counted (more than 395)" in text for text in texts)
    assert not [text for text in texts if "397" in text]
    Path("need.toml").write_text('[n]\ntarget = "disease"\nkeys = ["zip", "sex"]\n')
    assert '"counted": ">395"' in ask("compare", "starred.csv", "--need", "need.toml", "--json")[1]


def test_the_page_of_a_table_with_few_suppressed_is_drawn(ask):
    assert ask("audit", "starred.csv", *KEYS, "--report", "a.html")[0] == 0
    assert "&gt;395" in Path("a.html").read_text("utf-8")


def test_a_list_does_not_leave_the_hidden_one():
    assert hidden_among([3, 321, 322, 354], 1000) == ["<5", "~320", 322, 354]
    assert hidden_among([1, 1, 321, 677], 1000) == ["<5", "<5", "~320", 677]
    assert hidden_among([1, 3, 321, 675], 1000) == ["<5", "<5", "~320", 675]
    assert hidden_among([2, 4, 321, 673], 1000) == ["<5", "<5", 321, 673]
    assert hidden_among([3, 321], 1000) == ["<5", 321]  # the others are not listed
    # What is said of the other is the same whatever the hidden one is.
    assert len({hidden_among([few, 324 - few, 676], 1000)[1] for few in (1, 2, 3, 4)}) == 1
    with exact_counts():
        assert hidden_among([3, 997], 1000) == [3, 997]


def test_values_and_classes_do_not_leave_the_hidden_one(ask):
    document = json.loads(ask("audit", "three.csv", *AUDIT, "--json")[1])
    # The value of few is not listed: the size of the smallest group by this attribute is its number.
    for lines, hidden in ((document["values"][0]["lines"], 0), (document["classes"], 1)):
        signs = [str(line["records"])[0] for line in lines]
        assert (signs.count("<"), signs.count("~")) == (hidden, 1)


# -- rates ---------------------------------------------------------------------------------------


def test_the_base_rate_does_not_say_how_few_are_concerned(ask):
    out = " ".join(ask("audit", "three.csv", *AUDIT)[1].split())
    assert "<1.2% of all people have this value." in out
    assert "disease of fewer than 5 people can be inferred" in out
    document = json.loads(ask("audit", "three.csv", *AUDIT, "--json")[1])
    learned = next(check for check in document["checks"] if check["measure"] == "learned")
    assert next(one["text"] for one in document["numbers"] if one["name"] == "learned") == "<1.2%"
    assert (learned["records"], learned["share"], learned["found_is_below"]) == ("<5", None, True)
    exact = " ".join(ask("audit", "three.csv", *AUDIT, "--exact-counts")[1].split())
    assert "0.8% of all people have this value." in exact


def test_observations_of_few_records_are_one_line(ask):
    write("apart.csv", table((("a", "m", "flu"), 1), (("b", "m", "flu"), 2), size=397))
    given = ("attacker", "read", "--file", "apart.csv", "--keys", "zip,sex", "--target", "disease")
    document = json.loads(ask(*given, "--json")[1])
    first, *others = document["observations"]
    assert first["label"] == "other observations (fewer than 5 records each)"
    assert (first["probability"], first["privacy"]) == (None, None)
    assert round(400 * (1 - sum(one["probability"] for one in others))) != 3
    assert all(400 * one["probability"] > 4 for one in document["distribution"] if one["probability"])
    assert "0.0025" not in ask(*given)[1]
    assert "0.0025" in ask(*given, "--exact-counts")[1]


def test_records_that_stand_alone_are_few_side_by_side(ask):
    write("original.csv", table((("rare", "m", "flu"), 1), size=399))
    out = ask("compare", "original.csv", "original.csv", *AUDIT)[1]
    assert [line.split()[3] for line in out.splitlines() if "Unique" in line and "out:" not in line] == [
        "<1.2%"
    ]
    assert "singling out: Unique people: <1.2%; Smallest group: 1;" in out


# -- other words ---------------------------------------------------------------------------------


def test_hints_do_not_count_lone_values_out(ask):
    write("lone.csv", table((("rare", "m", "flu"), 1), size=399))
    document = json.loads(ask("audit", "lone.csv", *AUDIT, "--json")[1])
    (hint,) = [one for one in document["hints"] if one["kind"] == "lone value"]
    assert (hint["values"], hint["records"]) == ("<5", "<5")


def test_a_check_in_python_does_not_show_how_few():
    data = dv.read(
        columns(table((("rare", "m", "lupus"), 3))), quasi_identifiers=("zip", "sex"), sensitive="disease"
    )
    for check in audit(data, search=False).checks:
        assert "concerned=" not in repr(check)
        assert "found=" not in repr(check)


def test_a_misspelt_word_for_an_option_is_understood(ask):
    assert "Did you mean --report?" in ask("audit", "three.csv", "--outpt", "x")[2]


def test_a_key_of_very_many_parts_is_refused_before_it_is_read():
    with pytest.raises(NotTOML, match="a key in line 2 has more than 100 parts"):
        tables_of("a = 1\n" + ".".join(["a"] * 101) + " = 1")
    with pytest.raises(NotTOML, match="more than 100 parts"):
        tables_of("[" + " . ".join(["'a'"] * 101) + "]")
    assert tables_of(".".join(["a"] * 100) + " = 1")
    assert tables_of(f"a = '{'.'.join(['a'] * 200)}'")


# -- baselines -----------------------------------------------------------------------------------

POLICY = {
    "attributes": {"zip": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"},
    "thresholds": {"singled_out": {"max": 0.02, "k": 3}},
}
COMPLETE = {"measure": "k_anonymity", "parameters": {}, "keys": [], "target": "@record", "adjusted": False}


def outcome(alone, before, *, now=False, then=False):
    """The check of a table with so many people alone, against one of another; counts told exactly or not."""

    def people(alone):
        return columns(table(*(((f"r{i}", "m", "flu"), 1) for i in range(alone)), size=400 - alone))

    with exact_counts(then):
        last = json.loads(json.dumps(audit(people(before), POLICY, search=False).to_dict()))
    with exact_counts(now):
        return audit(people(alone), POLICY, search=False, baseline=last).outcome


def test_nothing_is_worse_for_being_hidden():
    assert outcome(1, before=1, then=True) == "pass"
    assert outcome(4, before=1, then=True) == "pass"
    assert outcome(1, before=1, now=True) == "pass"
    assert outcome(4, before=6) == "pass"


def test_what_is_worse_for_sure_is_seen():
    assert outcome(6, before=1) == "fail"
    assert outcome(1, before=0) == "fail"
    assert outcome(4, before=1, now=True, then=True) == "fail"


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"measure": "k_anonymity", "found": "NaN"}, "without 'parameters'"),
        (3, "no table of values"),
        ({**COMPLETE, "found": float("nan")}, "'found' is no number"),
    ],
)
def test_a_baseline_with_an_incomplete_check_is_refused(tmp_path, check, said):
    path = tmp_path / "last.json"
    path.write_text(json.dumps({"document": "divulge audit", "version": 1, "checks": [check]}))
    with pytest.raises(SourceError, match=said):
        read_baseline(path)
