"""One seed, one release: in memory, out of core and in databases."""

import csv
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pytest

import divulge as dv
from command_line import run
from databases import sqlite_file
from divulge.engines.database import release
from divulge.engines.external import workplace
from divulge.engines.out_of_core import opening

RNG = np.random.default_rng(5)
RECORDS = 300
PEOPLE = {
    "id": [f"p{n:03}" for n in range(RECORDS)],
    "city": [None if n % 41 == 0 else ("Oslo", "Rome", "Zürich", "o'Hara")[n % 4] for n in range(RECORDS)],
    "ill": [str(one) for one in RNG.choice(["flu", "cold", "gout"], RECORDS)],
    "age": [str(one) for one in RNG.integers(20, 60, RECORDS)],
    "paid": [None if n % 50 == 7 else f"{n * 37 % 1000 / 8:.3f}" for n in range(RECORDS)],
}
RECIPE = """
seed = 20170
row_key = "id"
[[step]]
mechanism = "rounding"
attributes = ["age"]
base = 5
[[step]]
mechanism = "pram"
attributes = ["ill", "city", "age"]
retention = 0.6
[[step]]
mechanism = "random_rounding"
attributes = ["age"]
base = 10
[[step]]
mechanism = "suppress_records"
attributes = ["city"]
k = 10
[[step]]
mechanism = "noise"
attributes = ["paid"]
alpha = 0.5
[[step]]
mechanism = "laplace_noise"
attributes = ["paid"]
sensitivity = 1
epsilon = 0.1
[[step]]
mechanism = "multiplicative_noise"
attributes = ["paid"]
alpha = 0.2
[[step]]
mechanism = "sample"
fraction = 0.5
strata = ["ill"]
[[step]]
mechanism = "remove"
attributes = ["id"]
"""
UNKEYED = RECIPE.replace('row_key = "id"\n', "")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = list(zip(*PEOPLE.values(), strict=True))
    with open("people.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [tuple(PEOPLE), *(["" if one is None else one for one in row] for row in rows)]
        )
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def in_memory(recipe="recipe.toml", **more):
    """The rows of the release that is made in memory."""
    released, manifest, _ = dv.transform(PEOPLE, recipe, **more)
    return list(zip(*released.values(), strict=True)), manifest


def transform(data, *more):
    return run("transform", data, "--recipe", "recipe.toml", *more)


def complaints(err):
    """What was said on the way, but for how long it takes on a busy machine."""
    return [line for line in err.splitlines() if " ... " not in line]


def as_rows(rows):
    return [tuple(None if one in ("", None) else str(one) for one in row) for row in rows]


def changes(manifest):
    return [(one.records_before, one.records_after, one.cells, one.removed) for one in manifest.changes]


def test_draws_go_by_the_key_and_not_by_the_order(place):
    rows, _ = in_memory()
    turned = {name: values[::-1] for name, values in PEOPLE.items()}
    released, *_ = dv.transform(turned, "recipe.toml")
    assert list(zip(*released.values(), strict=True)) == rows
    assert 100 < len(rows) < 200


@pytest.fixture
def budget(monkeypatch):
    """Files that are too large for any budget."""
    monkeypatch.setattr(opening, "_fits", lambda needed, budget: False)


@pytest.mark.parametrize(("recipe", "name"), [(RECIPE, "released.parquet"), (UNKEYED, "released.csv")])
def test_a_file_out_of_core_gives_the_same_release(place, budget, recipe, name):
    (place / "recipe.toml").write_text(recipe)
    code, out, err = transform("people.csv", "--out", name, "--memory", "600MB")
    assert (code, complaints(err)) == (0, [])
    rows, _ = in_memory()
    released = dv.read(name)
    found = zip(*(released.column(one).values_of() for one in released.schema.attributes), strict=True)
    assert released.schema.attributes == ("city", "ill", "age", "paid", "weight")
    assert as_rows(found) == as_rows(rows)
    assert f"{len(rows)} of 300 records" in out


def test_the_order_of_a_file_out_of_core_can_be_kept(place, budget):
    made = dv.transform("people.csv", "recipe.toml", out="released.csv", memory="600MB", keep_order=True)
    rows, manifest = in_memory(keep_order=True)
    assert (made.data, made.manifest.engine) == (None, "out of core")
    assert changes(made.manifest) == changes(manifest)
    with open("released.csv", encoding="utf-8") as file:
        assert as_rows(list(csv.reader(file))[1:]) == as_rows(rows)


def test_what_needs_all_records_says_so_out_of_core(place, budget):
    (place / "recipe.toml").write_text(
        '[[step]]\nmechanism = "rank_swapping"\nattributes = ["age"]\npercent = 5\n'
    )
    code, _, err = transform("people.csv", "--out", "r.csv", "--memory", "600MB")
    assert code == 2
    assert "rank_swapping needs all records together" in err
    assert not (place / "r.csv").exists()


def test_a_single_column_out_of_core_keeps_its_missing_values(place, budget):
    steps = [{"mechanism": "remove", "attributes": [name for name in PEOPLE if name != "city"]}]
    dv.transform("people.csv", steps, out="released.csv", memory="600MB", keep_order=True)
    assert dv.read("released.csv").column("city").values_of() == PEOPLE["city"]


def test_a_key_is_refused_before_anything_is_written(place, budget):
    asked = ("people.csv", "--out", "r.csv", "--write-key", "key.csv")
    code, _, err = transform(*asked, "--memory", "600MB")
    assert code == 2
    assert "There is no key: the release is made where its data are." in err
    assert not (place / "r.csv").exists()


# -- databases ----------------------------------------------------------------------------------------


def filled(engine):
    import sqlalchemy as sa

    columns = [sa.Column(name, sa.Text) for name in PEOPLE]
    table = sa.Table("people", sa.MetaData(), *columns)
    with engine.begin() as connection:
        table.create(connection)
        connection.execute(
            sa.insert(table),
            [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)],
        )
    return str(engine.url.render_as_string(hide_password=False))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_gives_the_same_release_in_a_table_of_its_own(kind, place, empty_database):
    import sqlalchemy as sa

    engine = empty_database(kind)
    url = filled(engine)
    asked = (f"{url}#people", "--out", f"{url}#released")
    code, out, err = transform(*asked, "--manifest", "what.json")
    assert (code, complaints(err)) == (0, [])
    rows, manifest = in_memory()
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT city, ill, age, paid, weight FROM released")).all()
        assert connection.execute(sa.text("SELECT count(*) FROM people")).scalar() == RECORDS
    assert [one[:4] for one in as_rows(found)] == [one[:4] for one in as_rows(rows)]
    assert [one[4] for one in found] == [one[4] for one in rows]
    assert f"{len(rows)} of 300 records" in out
    code, _, err = transform(*asked)
    assert code == 2
    assert "There is a table 'released' already." in err
    made = dv.transform(engine, "recipe.toml", table="people", out="#released", overwrite=True)
    assert changes(made.manifest) == changes(manifest)


def test_a_release_goes_to_another_schema(place, empty_database):
    import sqlalchemy as sa

    engine = empty_database("postgresql")
    filled(engine)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA outside"))
    steps = [{"mechanism": "remove", "attributes": ["id"]}]
    dv.transform(engine, steps, table="people", out="#outside.people")
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM outside.people")).scalar() == RECORDS


@pytest.fixture
def database(place):
    rows = list(zip(*PEOPLE.values(), strict=True))
    return sqlite_file(
        place / "people.db", {"people": ("id TEXT, city TEXT, ill TEXT, age INTEGER, paid TEXT", rows)}
    )


def tables(place):
    with closing(sqlite3.connect(place / "people.db")) as connection:
        return sorted(
            one for (one,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        )


def test_a_step_that_fails_leaves_no_table(place, database):
    (place / "recipe.toml").write_text(RECIPE.replace("k = 10", "k = 1000"))
    code, _, err = transform(f"{database}#people", "--out", "#released")
    assert code == 2
    assert "no record would be left" in err
    assert tables(place) == ["people"]


def test_the_table_that_is_read_is_never_replaced(place, database):
    asked = (f"{database}#people", "--overwrite")
    code, _, err = transform(*asked, "--out", "#people")
    assert code == 2
    assert "The release would replace the data." in err
    code, _, err = transform(*asked, "--out", "sqlite:///other.db#released")
    assert code == 2
    assert "this is another" in err


def test_a_random_recipe_of_a_table_needs_a_key(place, database):
    (place / "recipe.toml").write_text(UNKEYED)
    for out in ("#released", "released.csv"):
        code, _, err = transform(f"{database}#people", "--out", out)
        assert code == 2
        assert "have no order by which they could draw" in err


def test_a_key_that_repeats_is_refused_where_the_records_are(place, database):
    (place / "recipe.toml").write_text(RECIPE.replace('row_key = "id"', 'row_key = "city"'))
    code, _, err = transform(f"{database}#people", "--out", "#released")
    assert code == 2
    assert "'city' does not give each record a value of its own" in err


def test_a_deterministic_recipe_needs_no_key_and_numbers_stay_numbers(place, database):
    (place / "recipe.toml").write_text('[[step]]\nmechanism = "rounding"\nattributes = ["age"]\nbase = 10\n')
    assert transform(f"{database}#people", "--out", "#released")[0] == 0
    with closing(sqlite3.connect(place / "people.db")) as connection:
        found = connection.execute("SELECT age, typeof(age), count(*) FROM released GROUP BY age").fetchall()
        ids = [one for (one,) in connection.execute("SELECT id FROM released")]
    expected = np.floor(np.array(PEOPLE["age"], float) / 10 + 0.5) * 10
    values, counts = np.unique(expected.astype(int), return_counts=True)
    assert found == [
        (value, "integer", count) for value, count in zip(values.tolist(), counts.tolist(), strict=True)
    ]
    assert ids != PEOPLE["id"]
    assert sorted(ids) == PEOPLE["id"]


def test_a_record_draws_once_for_each_attribute_that_is_counted_and_written(place, database, monkeypatch):
    taken, digits = [], release.SQLITE_FUNCTIONS["divulge_digits"][1]
    counted = (2, lambda *given: taken.append(given) or digits(*given))
    monkeypatch.setitem(release.SQLITE_FUNCTIONS, "divulge_digits", counted)
    steps = [{"mechanism": "pram", "attributes": ["ill", "city"], "retention": 0.6}]
    recipe = dv.Recipe.of({"seed": 1, "row_key": "id", "step": steps})
    dv.transform(f"{database}#people", recipe, out="#released")
    assert len(taken) == RECORDS * (2 * 2 + 1)  # two attributes twice, and the order of rows


def test_a_recipe_of_many_steps_fits_into_the_query_of_a_database(tmp_path):
    names = [f"a{number}" for number in range(35)]
    rows = [tuple(range(17, 52)), tuple(range(23, 58))]
    url = sqlite_file(tmp_path / "wide.db", {"wide": (", ".join(f"{name} INTEGER" for name in names), rows)})
    steps = [{"mechanism": "rounding", "attributes": names[half::2], "base": 10} for half in (0, 1)]
    dv.transform(f"{url}#wide", [*steps, *steps], out="#released")
    with closing(sqlite3.connect(tmp_path / "wide.db")) as connection:
        found = connection.execute("SELECT * FROM released ORDER BY a5").fetchall()
    assert found == [tuple((value + 5) // 10 * 10 for value in row) for row in rows]


def test_a_table_goes_to_a_file_up_to_so_many_cells(place, database, monkeypatch):
    asked = (f"{database}#people", "--out", "released.csv")
    assert transform(*asked)[0] == 0
    rows, _ = in_memory()
    with open("released.csv", encoding="utf-8") as file:
        assert as_rows(list(csv.reader(file))[1:]) == as_rows(rows)
    assert workplace.MOST_CELLS > 10**6
    monkeypatch.setattr(sys.modules["divulge.recipes.transform"], "MOST_CELLS", 1499)
    code, _, err = transform(*asked, "--overwrite")
    assert code == 2
    assert "has 1,500 cells; up to 1,499 are brought over" in err


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_noise_keeps_the_type_of_a_number(kind, empty_database):
    import sqlalchemy as sa

    engine = empty_database(kind)
    numbers = [(n, n * 3, n / 4) for n in range(20)]
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE people (id INTEGER, age BIGINT, paid DOUBLE PRECISION)")
        connection.exec_driver_sql(f"INSERT INTO people VALUES {', '.join(map(str, numbers))}")
    steps = [{"mechanism": "noise", "attributes": ["age"], "alpha": 0.3}]
    steps += [
        {"mechanism": "laplace_noise", "attributes": ["paid"], "sensitivity": 1, "epsilon": 1, "decimals": 1}
    ]
    recipe = {"seed": 1, "row_key": "id", "step": steps}
    dv.transform(engine, recipe, table="people", out="#released")
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT id, age, paid FROM released")).all()
    columns = {name: [row[place] for row in numbers] for place, name in enumerate(("id", "age", "paid"))}
    here = dv.transform(columns, recipe).data
    assert list(map(tuple, found)) == list(zip(*here.values(), strict=True))
    assert {type(age) for _, age, _ in found} == {int}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_needs_all_records_is_brought_over_up_to_so_many_cells(kind, empty_database, monkeypatch):
    import sqlalchemy as sa

    engine = empty_database(kind)
    filled(engine)
    recipe = {
        "seed": 1,
        "row_key": "id",
        "step": [
            {"mechanism": "random_swapping", "attributes": ["ill"], "share": 0.5},
        ],
    }
    dv.transform(engine, recipe, table="people", out="#released")
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT * FROM released")).all()
    here = dv.transform(PEOPLE, recipe).data
    assert sorted(map(str, found)) == sorted(map(str, zip(*here.values(), strict=True)))
    monkeypatch.setattr("divulge.engines.opening.MOST_CELLS", 1499)
    with pytest.raises(dv.DivulgeError, match="random_swapping needs all records together"):
        dv.transform(engine, recipe, table="people", out="#other")


def test_noise_on_texts_is_refused_where_the_records_are(place, database):
    (place / "recipe.toml").write_text(
        'row_key = "id"\n[[step]]\nmechanism = "noise"\nattributes = ["city"]\nalpha = 0.1\n'
    )
    code, _, err = transform(f"{database}#people", "--out", "#released")
    assert code == 2
    assert "'city' has 292 values that are not numbers, and noise needs numbers" in err
