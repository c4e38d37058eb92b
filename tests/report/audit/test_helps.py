"""What would help as a table: before, the best change, and what each loses."""

from divulge.report.audit.helps import helps
from report.example_document import document


def planned():
    """The example with a plan of three changes, after which two of eight quasi-identifiers are left."""
    found = document()
    out = [one for one in found["roles"]["attributes"] if one["role"] == "quasi-identifier"][2:]
    last = {
        **found["helps"][0],
        "action": "records",
        "attribute": None,
        "change": "leaving out 20 records (0.5%)",
        "bits_lost": 9.5,
        "after": {**found["helps"][0]["after"], "k": 5, "uniqueness": None},
    }
    steps = [
        {**found["helps"][0], "attribute": one["name"], "change": f"leaving out {one['name']}"} for one in out
    ]
    searched = {"combinations": 8, "proved": True}
    found["plan"] = {"sentence": "Both.", "failing": 1, "loss": 0.6, **searched, "steps": [*steps, last]}
    return found, [one["name"] for one in out]


def test_the_first_row_is_the_table_as_it_is_and_the_best_change_is_marked():
    first, best, *others = helps(document())
    assert (first.change, first.failing, first.loss) == ("No change", 4, 0.0)
    assert first.readings == ["1", "40.1%", "58.0%"]
    assert (best.change, best.failing, best.badge) == ("Suppressing occupation", 2, "helps most")
    assert best.readings == ["1", "18.2%", "33.1%"]
    assert best.bits > 0
    assert not any(row.badge for row in others)
    found = document()
    found["helps"][0]["failing"] = 0
    assert helps(found)[1].badge == "recommended"


def test_a_plan_is_one_row_and_the_only_one_marked():
    found, out = planned()
    first, plan, *others = helps(found)
    assert plan.change == f"Leaving out {', '.join(out[:-1])} and {out[-1]}; leaving out 20 records (0.5%)"
    assert plan.readings[:2] == ["5", "–"]
    assert (plan.failing, plan.loss, plan.bits) == (1, 0.6, 9.5)
    kept, proof, steps = plan.note.split(". ")
    assert kept.endswith("would be left of 8 quasi-identifiers")
    assert proof == (
        "Proved best: with at most 5% of the records left out, "
        "none of the 8 combinations of levels loses less"
    )
    assert steps == "Recipe step: remove."
    assert all(one.note.startswith("Recipe step: ") for one in others)
    found["plan"]["proved"] = False
    assert "would be left of 8 quasi-identifiers. Recipe step" in helps(found)[1].note
    assert [row.badge for row in (first, plan, *others)] == ["", "helps most", *[""] * len(others)]


def test_nothing_is_offered_where_all_pass_or_nothing_helps():
    found = document()
    for help in found["helps"]:
        help["matters"] = False
    assert helps(found) == []
    found = document()
    found["verdict"]["outcome"] = "pass"
    assert helps(found) == []
