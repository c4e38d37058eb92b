"""Made tables with the verdicts an expert would accept, each drawn from a seed."""

from __future__ import annotations

import numpy as np

import divulge as dv

FIRST = ["Ada", "Alan", "Grace", "Kurt", "Emmy", "Paul", "Rosa", "Carl", "Lise", "Max"]
LAST = ["Stone", "Miller", "Weber", "Rossi", "Klein", "Novak", "Silva", "Laurent", "Berg", "Haas"]


def sets(rng, groups, low, high):
    """Two keys whose combinations have between so many people each."""
    size = rng.integers(low, high + 1, groups)
    group = np.repeat(np.arange(groups), size)
    return {"age": (group // 10).tolist(), "town": [f"t{g % 10}" for g in group]}, len(group)


def roles(table, sensitive="disease", keys=("age", "town"), **more):
    return dv.read(table, quasi_identifiers=list(keys), sensitive=sensitive, **more)


def unrelated(rng):
    table, n = sets(rng, 200, 5, 9)
    return roles(table | {"disease": rng.choice(list("abcde"), n).tolist()}), {}


def large_sets(rng):
    table, n = sets(rng, 60, 40, 80)
    return roles(table | {"disease": rng.choice(list("abcde"), n).tolist()}), {}


def cancer_ward(rng):
    n = 3000
    region = rng.choice(["north", "south", "east", "ward"], n, p=[0.35, 0.3, 0.28, 0.07])
    ill = rng.choice(["flu", "ulcer", "asthma", "cancer"], n, p=[0.4, 0.3, 0.28, 0.02])
    ill = np.where(region == "ward", "cancer", ill)
    return roles(
        {"sex": rng.choice(["m", "f"], n).tolist(), "region": region.tolist(), "disease": ill.tolist()},
        keys=("sex", "region"),
    ), {}


def nearly_constant(rng):
    table, n = sets(rng, 100, 6, 12)
    ill = np.full(n, "no")
    ill[rng.choice(n, 2, replace=False)] = "yes"
    return roles(table | {"disease": ill.tolist()}), {}


def three_alike_with_a_rare_disease(rng):
    table, n = sets(rng, 150, 8, 14)
    ill = rng.choice(["flu", "cold", "ulcer"], n).astype(object)
    rows = {"age": [*table["age"], 99, 99, 99], "town": [*table["town"], "t0", "t0", "t0"]}
    return roles(rows | {"disease": [*ill.tolist(), "rare", "rare", "rare"]}), {}


def incomes_alike(rng):
    table, n = sets(rng, 200, 8, 12)
    income = rng.lognormal(10, 0.6, n).round(2)
    group = np.asarray(table["age"]) * 10 + np.asarray([int(t[1:]) for t in table["town"]])
    for g in (3, 50, 99, 150):
        here = np.flatnonzero(group == g)
        income[here] = 30000 * (1 + rng.uniform(-0.005, 0.005, len(here)))
    return roles(table | {"income": income.tolist()}, sensitive="income"), {}


def names_and_mail(rng):
    table, n = sets(rng, 60, 40, 80)
    who = [f"{FIRST[i % 10]} {LAST[i // 10 % 10]} {FIRST[i // 100 % 10]} {LAST[i // 1000]}" for i in range(n)]
    mail = [f"p{i}@example.org" for i in range(n)]
    return dv.read(
        {"name": who, "email": mail, **table, "disease": rng.choice(list("abcde"), n).tolist()}
    ), {}


def seven_in_small_sets(rng):
    group = np.concatenate([np.repeat(np.arange(400), 25), [400] * 3, [401] * 4])
    n = len(group)
    return roles(
        {
            "age": (group // 20).tolist(),
            "town": [f"t{g % 20}" for g in group],
            "disease": rng.choice(["a", "b", "c"], n).tolist(),
        }
    ), {}


def drawn_from(rng, population, ages, towns, every):
    """One person in so many of a population with ages and towns."""
    keys = {"age": rng.integers(*ages, population), "town": rng.integers(0, towns, population)}
    drawn = rng.choice(population, population // every, replace=False)
    table = {name: column[drawn].tolist() for name, column in keys.items()}
    return roles(table | {"disease": rng.choice(list("abcde"), len(drawn)).tolist()}), {
        "population": population
    }


def one_in_five_hundred(rng):
    return drawn_from(rng, 250_000, (20, 70), 20, 500)


def one_in_ten(rng):
    """Groups of some forty people, hundreds of whom are alike in the population."""
    return drawn_from(rng, 40_000, (0, 10), 10, 10)


def undeclared_sample(rng):
    return one_in_five_hundred(rng)[0], {}


def proxy(rng):
    table, n = sets(rng, 60, 40, 80)
    ill = rng.choice(list("abcd"), n)
    drug = np.asarray(["drug " + one for one in ill])
    return roles(table | {"drug": drug.tolist(), "disease": ill.tolist()}, keys=("age", "town", "drug")), {}


def constant(rng):
    table, n = sets(rng, 60, 20, 30)
    return roles(table | {"disease": ["hiv"] * n}), {}


def record_numbers(rng):
    table, n = sets(rng, 60, 20, 30)
    return roles(
        {"record_id": list(range(1, n + 1)), **table, "disease": rng.choice(list("abc"), n).tolist()}
    ), {}


def hashes(rng):
    table, n = sets(rng, 60, 20, 30)
    keys = [f"{rng.integers(1 << 62):016x}{rng.integers(1 << 62):016x}" for _ in range(n)]
    return roles({"token": keys, **table, "disease": rng.choice(list("abc"), n).tolist()}), {}


def several_records_each(rng):
    """Every person has six records, so that sets of six records are one person each."""
    person = np.repeat(np.arange(200), 6)
    return dv.read(
        {
            "person_id": person.tolist(),
            "age": (person // 10).tolist(),
            "town": [f"t{p % 10}" for p in person],
            "disease": rng.choice(list("abcdef"), len(person)).tolist(),
        },
        identifiers="person_id",
        quasi_identifiers=["age", "town"],
        sensitive="disease",
    ), {}


def visits_of_many(rng):
    """Several records each, and thirty people in every set: nothing is told."""
    person = np.repeat(np.arange(1800), 2)
    ill = rng.choice(list("abcdef"), 1800)[person]
    return dv.read(
        {
            "person_id": person.tolist(),
            "age": (person % 60 // 10).tolist(),
            "town": [f"t{p % 10}" for p in person],
            "disease": ill.tolist(),
        },
        identifiers="person_id",
        quasi_identifiers=["age", "town"],
        sensitive="disease",
    ), {}


def not_asked(rng):
    """In one region nobody was asked: that they were not is no news."""
    table, n = sets(rng, 60, 40, 60)
    region = np.where(np.asarray(table["age"]) == 3, "island", "main")
    ill = np.where(region == "island", "not asked", rng.choice(list("abcd"), n))
    return roles(table | {"disease": ill.tolist()}), {}


def copied(rng):
    """Sets of two, each record three times over: copies make them look like sets of six."""
    group = np.repeat(np.arange(300), 2)
    value = rng.normal(size=600).round(6)
    ill = rng.choice(list("abc"), 600)
    again = np.tile(np.arange(600), 3)
    return roles(
        {
            "age": (group // 20)[again].tolist(),
            "town": [f"t{g % 20}" for g in group[again]],
            "lab": value[again].tolist(),
            "disease": ill[again].tolist(),
        }
    ), {}


def few_records(rng):
    table, n = sets(rng, 4, 20, 22)
    return roles(table | {"disease": rng.choice(list("ab"), n).tolist()}), {}


def nothing_sensitive(rng):
    return roles(sets(rng, 60, 20, 30)[0], sensitive=None), {}


def one_key_leaks_among_many(rng):
    """Six keys that single everyone out, of which one tells the disease."""
    n = 3000
    keys = {f"k{i}": rng.integers(0, 12, n).tolist() for i in range(5)}
    ill = rng.choice(["a", "b", "c", "d"], n)
    leak = np.asarray([{"a": 1, "b": 2, "c": 3, "d": 3}[one] for one in ill])
    return roles({**keys, "leak": leak.tolist(), "disease": ill.tolist()}, keys=(*keys, "leak")), {}


def likely(rng):
    """A disease that one in fifty has, and six in ten of one town."""
    table, n = sets(rng, 100, 20, 40)
    town = np.asarray(table["town"])
    p = np.where((town == "t1") & (np.asarray(table["age"]) == 2), 0.7, 0.015)
    ill = np.where(rng.random(n) < p, "rare", rng.choice(list("abcd"), n))
    return roles(table | {"disease": ill.tolist()}), {}


def alone(rng):
    n = 2000
    return roles(
        {
            "age": rng.integers(0, 90, n).tolist(),
            "town": rng.integers(0, 500, n).tolist(),
            "disease": rng.choice(list("abcde"), n).tolist(),
        }
    ), {}


def weighted_sample(rng):
    data, _ = one_in_five_hundred(rng)
    columns = {
        name: [data.column(name).values[c - 1] for c in data.column(name).codes]
        for name in data.schema.attributes
    }
    columns["w"] = [500.0] * data.records
    return roles(columns, weights="w"), {}


def common_in_a_set(rng):
    """Two thirds and more have a value: that a set has it nearly always is no news."""
    table, n = sets(rng, 60, 10, 20)
    return roles(table | {"disease": rng.choice(["no", "a", "b"], n, p=[0.8, 0.1, 0.1]).tolist()}), {}


def diagnoses_of_one_chapter(rng):
    """All codes differ, and in one region all are of the letter C."""
    table, n = sets(rng, 60, 20, 30)
    letters = rng.choice(list("AEIJKMR"), n)
    region = np.where(np.asarray(table["age"]) == 3, "clinic", "main")
    letters = np.where(region == "clinic", "C", letters)
    codes = [f"{a}{rng.integers(10, 99)}.{rng.integers(0, 9)}" for a in letters]
    return roles(
        {"region": region.tolist(), "sex": rng.choice(["m", "f"], n).tolist(), "disease": codes},
        keys=("region", "sex"),
    ), {}


#: Each scene with the accepted verdicts, and the checks that may not pass.
SCENES = {
    unrelated: ("pass warn", "learned"),
    large_sets: ("pass", ""),
    cancer_ward: ("fail", "learned"),
    nearly_constant: ("pass", ""),
    three_alike_with_a_rare_disease: ("fail", "learned singled_out"),
    incomes_alike: ("fail", "learned"),
    names_and_mail: ("fail", "identifiers"),
    seven_in_small_sets: ("warn", "singled_out learned"),
    one_in_five_hundred: ("not_evaluated", "singled_out learned"),  # nine of ten are in groups below three
    one_in_ten: ("pass", ""),
    undeclared_sample: ("fail", "singled_out learned"),
    proxy: ("fail", "learned singled_out"),
    constant: ("warn", "learned"),
    record_numbers: ("warn", "identifiers"),
    hashes: ("warn", "identifiers"),
    several_records_each: ("fail", "singled_out identifiers learned"),
    visits_of_many: ("warn", "identifiers measured"),
    not_asked: ("pass", ""),
    copied: ("fail", "singled_out measured learned"),
    few_records: ("warn", "measured"),
    nothing_sensitive: ("warn", "measured"),
    one_key_leaks_among_many: ("fail", "singled_out learned"),
    likely: ("warn", "learned"),
    alone: ("fail", "singled_out learned"),
    weighted_sample: ("not_evaluated", "singled_out learned"),
    common_in_a_set: ("pass", ""),
    diagnoses_of_one_chapter: ("fail", "learned"),
}
