"""What tables have in common without showing it: an attacker who subtracts one from the other."""

from itertools import product

import numpy as np
import pytest

import divulge as dv


def people(cells):
    """Records by their categories, each as often as the cell says."""
    rows = [row for row, number in cells.items() for _ in range(number)]
    return [list(column) for column in zip(*rows, strict=True)]


def tables(*by, **more):
    """Tables by attributes; a line of them without totals where the name ends with a dash."""
    named = [{"name": one, "by": one.rstrip("-").split("_"), **more} for one in by]
    return [{**one, "margins": False} if one["name"].endswith("-") else one for one in named]


def shown(found):
    """Each cell with what is published of it; None where it is suppressed."""
    return {
        (layout.name, frozenset(one.built.tables.labels[place])): (
            None if one.suppressed[place] else float(one.released[layout.name][place])
        )
        for one in found.protected
        for layout in one.built.tables.layouts
        for place in layout.cells.ravel().tolist()
    }


def given_away(found, sums):
    """The suppressed cells that published numbers and some sums between cells fix."""
    cells = shown(found)
    own = []
    [linked] = found.protected
    labels = linked.built.tables.labels
    for layout in linked.built.tables.layouts:
        for axis, dimension in enumerate(layout.dimensions):
            for group, below in dimension.children.items():
                taken = np.take(layout.cells, [group, *below], axis=axis)
                for row in np.moveaxis(taken, axis, -1).reshape(-1, len(below) + 1).tolist():
                    names = [frozenset(labels[cell]) for cell in row]
                    own.append((names[:1], names[1:]))
    place = {label: number for number, label in enumerate({label for _, label in cells})}
    known = {label for (_, label), value in cells.items() if value is not None}
    rows = []
    for above, below in [*own, *sums]:
        row = np.zeros(len(place))
        for part, sign in ((above, 1), (below, -1)):
            for label in part:
                row[place[label]] += sign * (label not in known)
        rows.append(row)
    _, sizes, axes = np.linalg.svd(np.array(rows))
    free = axes[(sizes > 1e-9).sum() :]
    return {
        label for label in place if label not in known and np.abs(free[:, place[label]]).max(initial=0) < 1e-9
    }


def cell(**categories):
    return frozenset(categories.items())


@pytest.mark.parametrize("by", [["town_hiv-", "town_sector"], ["age_hiv", "town_hiv-", "town_sector"]])
def test_a_table_without_totals_is_tied_to_those_of_one_that_shares_an_attribute(by):
    sizes = [(town, *at) for town in "abc" for at in product("st", ["no", "yes"], "xy")]
    lots = np.random.default_rng(4)
    cells = {row: int(lots.integers(5, 9)) if row[2] == "no" else int(row[1] == "s") for row in sizes}
    data = dict(zip(("town", "age", "hiv", "sector"), people(cells), strict=True))
    found = dv.tabulate(data, policy={"table": tables(*by), "rules": {"minimum_frequency": 5}})
    assert found.outcome != "fail"
    at = shown(found)
    for town in "abc":
        hidden = [
            at["town_hiv-", cell(town=town, hiv="no")],
            at["town_sector", cell(town=town)],
        ]
        assert None in hidden  # else one less the other is the number of people with HIV


def test_published_files_of_which_one_has_no_totals_are_subtracted(tmp_path):
    (tmp_path / "hiv.csv").write_text("town,hiv,count\na,no,13\na,yes,x\nb,no,20\nb,yes,9\n")
    (tmp_path / "sector.csv").write_text(
        "town,sector,count\na,x,8\na,y,7\na,Total,15\nb,x,9\nb,y,20\nb,Total,29\nTotal,x,17\nTotal,y,27\n"
        "Total,Total,44\n"
    )
    paths = [tmp_path / "hiv.csv", tmp_path / "sector.csv"]
    found = dv.tabulate(published=paths, by=["town", "hiv", "sector"])
    cells = {tuple(one["cell"].values()): one for one in found.document["linked"][0]["audit"]["cells"]}
    assert found.outcome == "fail"
    assert (cells["yes", "a"]["lower"], cells["yes", "a"]["upper"]) == (2, 2)
    # A file that lacks a category says only a part of the totals, so no sum ties it.
    (tmp_path / "sector.csv").write_text("town,sector,count\na,x,8\na,y,9\nb,x,9\nb,y,20\n")
    (tmp_path / "age.csv").write_text("age,sector,count\ns,x,8\ns,z,9\nt,x,9\nt,z,20\n")
    more = {"published": [*paths, tmp_path / "age.csv"], "by": ["town", "hiv", "sector", "age"]}
    sums = dv.tabulate(**more).document["linked"][0]["sums"]
    assert sums == 1  # the x of the last two


def counties(seed, *, wrong=()):
    """Three counties in each of four regions, by a third attribute that is rare."""
    lots = np.random.default_rng(seed)
    rows = [
        (f"R{county // 3}", f"c{county:02}", sex)
        for county in range(12)
        for sex in "mfd"
        for _ in range(int(lots.choice([1, 2, 3, 8, 15])) if sex == "d" else int(lots.integers(6, 60)))
    ]
    return [*rows, *wrong]


@pytest.mark.parametrize("wrong", [("R3", "c00", "f"), (None, "c00", "m")])
@pytest.mark.parametrize("value", [False, True])
def test_one_wrong_record_leaves_the_counties_of_other_regions_adding_up(wrong, value):
    open_ones, risky = set(), 0
    for seed in range(6):
        rows = counties(seed, wrong=[wrong])
        data = dict(zip(("region", "county", "sex"), map(list, zip(*rows, strict=True)), strict=True))
        data["income"] = np.random.default_rng(seed).lognormal(8, 0.3, len(rows)).round().tolist()
        asked = {
            "table": tables("region_sex", "county_sex", **({"value": "income"} if value else {})),
            "rules": {"minimum_frequency": 5},
            "protection": {"cost": "count"},
        }
        found = dv.tabulate(data, policy=asked)
        assert found.protected[0].outcome == "pass"
        sums = [
            (
                [cell(region=f"R{region}", **sex)],
                [cell(county=f"c{at:02}", **sex) for at in range(3 * region, 3 * region + 3)],
            )
            for region in (1, 2)
            for sex in [{"sex": "m"}, {"sex": "f"}, {"sex": "d"}, {}]
        ]
        risk = found.protected[0].risk.at_risk
        labels = found.protected[0].built.tables.labels
        small = {frozenset(labels[one]) for one in np.flatnonzero(risk)}
        risky += len(small)
        open_ones |= {(seed, one) for one in small & given_away(found, sums)}
    assert risky > 20
    assert open_ones == set()
    [note] = found.document["linked"][0]["notes"]
    assert note.startswith("Some categories of 'region' have the same records as some of 'county'")
    assert "c00" not in note


@pytest.mark.parametrize("value", [False, True])
@pytest.mark.parametrize("two", [False, True])
def test_people_who_have_two_names_are_the_same_cells(value, two):
    for seed in (5, 9, 24, 27):
        lots = np.random.default_rng(seed)
        rows = []
        for region in "NSW":
            outside = lots.integers(0, 2, (int(lots.integers(8, 30)), 2)) * two
            rows += [(region, ["no work", "student"][a], ["none", "school"][b]) for a, b in outside.tolist()]
            for status, most in (("employee", 60), ("own firm", 6)):
                sectors = lots.choice(["food", "metal"], int(lots.integers(1, most)))
                rows += [(region, status, one) for one in sectors.tolist()]
        data = dict(zip(("region", "status", "sector"), map(list, zip(*rows, strict=True)), strict=True))
        data["income"] = lots.lognormal(10, 0.4, len(rows)).round().tolist()
        more = {"value": "income"} if value else {}
        asked = {"table": tables("region_status", "region_sector", **more), "rules": {"minimum_frequency": 5}}
        found = dv.tabulate(data, policy=asked)
        assert found.outcome == "pass"
        sums = [
            (
                [cell(region=one, status=name) for name in ["no work", "student"][: 1 + two]],
                [cell(region=one, sector=name) for name in ["none", "school"][: 1 + two]],
            )
            for one in "NSW"
        ]
        labels = found.protected[0].built.tables.labels
        small = {frozenset(labels[one]) for one in np.flatnonzero(found.protected[0].risk.at_risk)}
        assert small
        assert small & given_away(found, sums) == set()


def test_two_attributes_may_each_be_tied_to_one_of_the_other_table():
    lots = np.random.default_rng(0)
    rows = [
        (f"R{at // 2}", f"c{at}", "none" if kind == 0 else f"s{kind}", "idle" if kind == 0 else f"w{work}")
        for at, kind, work in lots.integers(0, [4, 3, 2], (200, 3)).tolist()
    ]
    rows.append(("R0", "c3", "s1", "w0"))  # one that is wrong
    rows += [(f"R{at // 2}", f"c{at}", "s1", "w1") for at in (4, 5) for _ in range(9)]
    data = dict(zip(("region", "county", "sector", "work"), map(list, zip(*rows, strict=True)), strict=True))
    found = dv.tabulate(data, policy={"table": tables("region_sector-", "county_work-")})
    built = found.protected[0].built
    value, labels = built.facts.value, built.tables.labels
    assert np.abs(built.tables.sums.of(value)).max() == 0
    said = {
        (frozenset(labels[one] for one in above.tolist()), frozenset(labels[one] for one in below.tolist()))
        for above, below in built.tables.sums.sides
    }
    some = {(("region", f"R{at}"), ("sector", "none")) for at in range(2)}
    others = {(("county", f"c{at}"), ("work", "idle")) for at in range(4)}
    assert (frozenset(some), frozenset(others)) in said
    assert found.outcome in ("pass", "warn")


def test_rare_categories_that_meet_by_chance_are_not_the_same_people():
    lots = np.random.default_rng(1)
    data = {name: lots.zipf(1.6, 800).clip(max=5000).astype(str).tolist() for name in "ab"}
    data["s"] = lots.choice(list("xy"), 800).tolist()
    found = dv.tabulate(data, policy={"table": tables("a_s", "b_s"), "protection": {"method": "none"}})
    assert found.protected[0].built.related == ()
