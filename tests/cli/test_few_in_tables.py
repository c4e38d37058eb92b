"""Tables so small that a rate, an order or a sum would say how few people a line is about."""

import json
from pathlib import Path

import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.safe_release.printable import printable
from in_process import run

KEYS = ("--quasi-identifiers", "zip", "--sensitive", "ill")
# Seven people, nine, three of whom one is the odd one out, and four alike.
TINY = (("a", 4, 3), ("b", 5, 4), ("c", 2, 1), ("d", 0, 4))


def write(name, counts):
    rows = [
        f"{place},{ill}"
        for place, *times in counts
        for ill, often in zip(("flu", "cold"), times, strict=True)
        for _ in range(often)
    ]
    Path(name).write_text("\n".join(["zip,ill", *rows]) + "\n")


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write("tiny.csv", TINY)
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


def document(ask, *arguments):
    return json.loads(ask(*arguments, "--json")[1])


# -- rates beside hidden counts --------------------------------------------------------------------


def test_of_few_people_only_certainty_is_said(ask):
    asked = ("measure", "tiny.csv", "--keys", "zip", "--target", "ill", "--by-value")
    found = {
        one["measure"]: one["by_value"] for one in document(ask, *asked)["readings"] if "by_value" in one
    }
    lines = {line["key"]["zip"]: line["value"] for line in found["worst_posterior"]}
    assert (lines["c"], lines["d"]) == (None, 1)  # two of three; four of four
    assert {line["key"]["zip"]: line["value"] for line in found["t_closeness"]}["d"] is None


def test_values_of_few_people_are_not_listed_beside_the_size_of_the_smallest(ask):
    for block in document(ask, "audit", "tiny.csv", *KEYS, "--show-values")["values"]:
        assert block["lines"]
        assert all(line["records"] != "<5" for line in block["lines"])


def test_the_share_of_one_value_in_a_class_is_not_a_count_of_few(ask):
    write("large.csv", (("a", 96, 4), ("b", 60, 40)))
    asked = ("measure", "large.csv", "--keys", "zip", "--target", "ill", "--measure", "worst_posterior")
    (one,) = document(ask, *asked, "--by-value")["readings"]
    assert {line["key"]["zip"]: line["value"] for line in one["by_value"]} == {"a": ">0.95", "b": 0.6}
    values = document(ask, "audit", "large.csv", *KEYS)["values"]
    assert {line["share_of_top"] for block in values for line in block["lines"]} == {None, 0.6}


def test_beside_a_rounded_count_rates_hold_for_one_person_more_or_less(ask):
    write("one.csv", (("a", 2, 1), ("b", 12, 8), ("c", 30, 20)))
    asked = ("measure", "one.csv", "--keys", "zip", "--target", "ill", "--by-value")
    found = {one["measure"]: one.get("by_value", ()) for one in document(ask, *asked)["readings"]}
    for name in ("discrimination_rate", "itpr", "worst_posterior"):
        (line,) = [line for line in found[name] if line["key"]["zip"] == "b"]
        assert line["records"] == "~20"
        assert line["value"] is None or line["value"] == round(line["value"], 1)


def test_rates_of_values_without_a_name_do_not_say_how_few_have_what(ask):
    # 14, 9 and 3 of 26 have one illness each: 1.39 bits, which no other 26 beginning with 14 have.
    rows = [("b", "x", 14), ("b", "y", 9), ("b", "z", 3), ("c", "x", 30), ("c", "y", 40), ("c", "z", 24)]
    lines = [f"{place},{ill}" for place, ill, often in rows for _ in range(often)]
    Path("three.csv").write_text("\n".join(["zip,ill", *lines]) + "\n")
    Path("need.toml").write_text('[one]\nkeys = "zip"\ntarget = "ill"\n')
    (block,) = [one for one in document(ask, "audit", "three.csv", *KEYS)["values"] if one["target"] == "ill"]
    (line,) = [one for one in block["lines"] if one["records"] == 26]
    assert (line["discrimination_rate"], line["share_of_top"]) == (0.81, 0.5)
    (need,) = document(ask, "compare", "three.csv", "--need", "need.toml")["tables"][0]["needs"]
    (line,) = [one for one in need["lines"] if one["records"] == 26]
    for name in ("utility", "chance", "adjusted"):
        assert line[name] == round(line[name], 2)
    exact = document(ask, "audit", "three.csv", *KEYS, "--exact-counts")["values"]
    assert 14 / 26 in {line["share_of_top"] for block in exact for line in block["lines"]}


def test_what_few_people_do_for_a_need_is_not_said_on_the_terminal_either(ask):
    write("one.csv", (("a", 2, 1), ("b", 12, 8), ("c", 30, 20)))
    Path("need.toml").write_text('[one]\nkeys = "zip"\ntarget = "ill"\n')
    printed = ask("compare", "one.csv", "--need", "need.toml", "--show-values")[1].splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in printed if line[:2] in ("a ", "b ", "c ")}
    assert rows["a"] == ["<5", "-", "-", "-"]
    assert rows["b"] == ["~20", "0.7", "-", "-"]


def test_lines_of_few_people_are_by_name_not_by_size(ask):
    write("order.csv", (("x", 1, 0), ("c", 2, 2), ("b", 30, 20), ("a", 1, 2)))
    lines = document(ask, "measure", "order.csv", "--keys", "zip", "--by-value")["readings"]
    named = [[line["key"]["zip"] for line in one["by_value"]] for one in lines if one.get("by_value")]
    assert {*map(tuple, named)} == {("a", "c", "x", "b")}
    classes = document(ask, "audit", "order.csv", *KEYS, "--show-values")["classes"]
    assert [one["key"]["zip"] for one in classes] == ["a", "c", "x", "b"]


# -- few records left out ----------------------------------------------------------------------------


def test_readings_do_not_say_how_few_records_were_left_out(ask):
    rows = [f"{'ab'[place % 2]},{('flu', 'cold', 'flu')[place % 3]}" for place in range(97)] + ["a,"] * 3
    Path("left.csv").write_text("\n".join(["zip,ill", *rows]) + "\n")
    asked = ("measure", "left.csv", "--keys", "zip", "--target", "ill", "--missing", "drop")
    found = document(ask, *asked, "--by-value")
    assert (found["data"]["counted"], found["data"]["dropped"]) == (">95", "<5")
    readings = {one["measure"]: one for one in found["readings"]}
    assert readings["average_class_size"]["undefined"].startswith(">47.5;")
    assert readings["entropy"]["value"] == 0.9  # of 65 and 32 of 97: 0.9149
    sizes = [line["records"] for line in readings["discrimination_rate"]["by_value"]]
    assert sorted(map(str, sizes)) == ["49", "~50"]  # 49 and 48 make 97
    for one in found["readings"]:
        for name in ("value", "chance", "adjusted", "chance_reach"):
            if isinstance(one.get(name), float):
                assert one[name] == round(one[name], 2)
    printed = ask(*asked)[1]
    assert ">47.5" in printed
    assert "48.5" not in printed
    exact = {one["measure"]: one["value"] for one in document(ask, *asked, "--exact-counts")["readings"]}
    assert exact["average_class_size"] == 48.5


# -- counts that contain each other ------------------------------------------------------------------


def nested(ask, classes, *, rest=40):
    """The audit of classes of so many, beside two large ones: as JSON, and all its texts together."""
    zips = (
        [f"z{place}" for place, size in enumerate(classes) for _ in range(size)] + ["y"] * rest + ["x"] * 50
    )
    rows = [f"{zip},{('flu', 'cold')[place % 2]}" for place, zip in enumerate(zips)]
    Path("nested.csv").write_text("\n".join(["zip,ill", *rows]) + "\n")
    found = document(ask, "audit", "nested.csv", *KEYS)
    texts = ask("audit", "nested.csv", *KEYS, "--report", "page.html", "--markdown", "note.md")[1]
    return found, texts + Path("page.html").read_text() + Path("note.md").read_text()


def test_who_is_unique_and_who_has_one_other_do_not_leave_one_pair(ask):
    found, texts = nested(ask, [1] * 6 + [2])
    assert "8 of 98 people (8.2%) are in groups smaller than 3" in found["verdict"]["sentences"][0]
    assert (found["numbers"][0]["value"], found["numbers"][0]["text"]) == (None, "at most 8.2%")
    assert found["class_sizes"][0]["records"] >= 8 + 5
    assert {one["before"]["uniqueness"] for one in found["helps"]} == {None}
    assert not [one for one in found["drivers"] if one["kind"] == "class"]
    share = 6 / 98
    assert not {share, round(share, 4), "6.1%"} & {*numbers_and_texts(found)}
    assert "6.1%" not in texts
    assert str(share) not in texts


def test_who_has_one_other_and_who_is_in_a_small_class_do_not_leave_one_class(ask):
    found, texts = nested(ask, [1] * 6 + [3])
    assert found["numbers"][0]["value"] == 6 / 99  # as many as the check says
    assert not [one for one in found["drivers"] if one["kind"] == "class"]
    assert " 9 records" not in texts
    assert "Leaving out about 10 records" in texts
    assert [one["records"] for one in found["class_sizes"]][:3] == [6, 0, 43]


def test_counts_that_leave_five_or_more_are_all_said(ask):
    found, _ = nested(ask, [1] * 6 + [2] * 3)
    assert found["numbers"][0]["value"] == 6 / 102
    assert [one["sentence"] for one in found["drivers"] if one["kind"] == "class"] == [
        "12 records (11.8%) are in groups smaller than 5."
    ]
    assert [one["records"] for one in found["class_sizes"]][:2] == [6, 6]


def numbers_and_texts(held):
    if isinstance(held, dict | list):
        for one in held.values() if isinstance(held, dict) else held:
            yield from numbers_and_texts(one)
    else:
        yield held


# -- between two tables ------------------------------------------------------------------------------


def test_distances_do_not_say_how_few_people_moved(ask):
    write("before.csv", (("a", 30, 30), ("b", 30, 30)))
    write("after.csv", (("a", 30, 30), ("b", 27, 30), ("c", 3, 0)))
    asked = ("compare", "before.csv", "after.csv", *KEYS)
    (release,) = document(ask, *asked)["releases"]
    (zips,) = [one for one in release["loss"]["distributions"] if one["attributes"] == ["zip"]]
    assert zips["total_variation"] == "<0.042"
    assert zips["hellinger"] == round(zips["hellinger"], 2)
    assert zips["jensen_shannon"] == round(zips["jensen_shannon"], 2)
    (exact,) = document(ask, *asked, "--exact-counts")["releases"]
    (zips,) = [one for one in exact["loss"]["distributions"] if one["attributes"] == ["zip"]]
    assert zips["total_variation"] == pytest.approx(3 / 120)
    assert zips["hellinger"] != round(zips["hellinger"], 2)


# -- after a change to few records -----------------------------------------------------------------


def test_what_a_change_leads_to_does_not_say_how_few_records_it_takes():
    def found(times):
        """Two people alone; who leaves them out takes the average risk from 4/23 to 2/21, if times is 3."""
        zips = ["a"] * 4 * times + ["b"] * 3 * times + ["c", "d"]
        table = {"zip": zips, "ill": [("flu", "cold")[place % 2] for place in range(len(zips))]}
        return audit(dv.read(table, quasi_identifiers="zip", sensitive="ill")).to_dict()["helps"][0]

    few, often = found(3), found(20)
    assert (few["action"], few["records_lost"], few["before"]["average_risk"]) == ("records", "<5", 4 / 23)
    assert few["after"]["average_risk"] == 0.1  # as 2/19, 2/20 and 2/22
    assert found(6)["after"]["average_risk"] is None  # 2/42, to one digit nothing
    assert (often["records_lost"], often["after"]["average_risk"]) == ("<5", 0.01)  # 2/140


# -- the attacker ------------------------------------------------------------------------------------


def test_observations_of_few_records_do_not_follow_from_their_sum(ask):
    asked = ("attacker", "read", "--file", "tiny.csv", "--keys", "zip", "--target", "ill", "--show-values")
    others, *lines = document(ask, *asked)["observations"]
    assert (others["probability"], others["privacy"]) == (None, None)  # three and four make seven
    found = {one["label"]: (one["probability"], one["privacy"]) for one in lines}
    assert found == {"a": (pytest.approx(10 / 23), 0.4), "b": (pytest.approx(9 / 23), "<0.556")}
    assert "<0.556" in ask(*asked)[1]
    exact = document(ask, *asked, "--exact-counts")["observations"]
    assert {one["label"]: one["privacy"] for one in exact}["b"] == pytest.approx(4 / 9)


def test_bins_and_the_observations_in_them_do_not_leave_few_records(ask):
    # In ten bins from 1/3 to 1/2 the last would have two records, those of a.
    write("bins.csv", (("a", 1, 1), ("b", 14, 12), ("c", 22, 19), ("d", 2, 1), ("e", 32, 16)))
    asked = ("attacker", "read", "--file", "bins.csv", "--keys", "zip", "--target", "ill")
    found = document(ask, *asked)
    assert found["observations"][0]["probability"] == pytest.approx(5 / 120)  # two and three, or one and four
    assert [one["probability"] for one in found["distribution"]] == pytest.approx([1])  # one bin says nothing
    exact = document(ask, *asked, "--exact-counts")["distribution"]
    assert exact[-1]["probability"] == pytest.approx(2 / 120)


# -- a simulation ------------------------------------------------------------------------------------


def simulated(*targets):
    """A document of targets with so many released, waiting and refused on average."""
    parts = ("released", "waiting", "refused")
    lines = [
        {"target": name, "records": int(sum(means)), "requested": sum(means), "share": means[0] / sum(means)}
        | {"deviation": 1.5, "fitting": 20.0, **dict(zip(parts, means, strict=True))}
        for name, means in zip("abc", targets, strict=False)
    ]
    names = [one["target"] for one in lines]
    released = {one["target"]: one["released"] for one in lines}
    return {"targets": names, "released_by_target": released, "by_target": lines, "evolution": []}


def said(*targets):
    lines = printable(simulated(*targets))["by_target"]
    return [(one["released"], one["waiting"], one["refused"], one["share"]) for one in lines]


def test_a_simulation_does_not_say_how_few_of_a_target_wait():
    # Four of ninety wait: what was released would leave them, and so would what waits of the others.
    assert said((86.0, 4.0, 0.0), (48.0, 12.0, 0.0)) == [("~90", "<5", 0.0, None), ("~50", "~10", 0.0, None)]
    assert said((86.0, 4.0, 0.0), (60.0, 0.0, 0.0)) == [("~90", "<5", 0.0, None), (60.0, 0.0, 0.0, 1.0)]
    assert said((80.0, 10.0, 0.0), (60.0, 0.0, 6.0)) == [
        (80.0, 10.0, 0.0, pytest.approx(8 / 9)),
        (60.0, 0.0, 6.0, pytest.approx(10 / 11)),
    ]


def test_what_was_released_is_said_alike_wherever_it_is():
    document = printable(simulated((86.0, 4.0, 0.0), (60.0, 0.0, 0.0)))
    assert document["released_by_target"] == {"target 1": "~90", "target 2": 60.0}
    assert [one["deviation"] for one in document["by_target"]] == [None, 1.5]
