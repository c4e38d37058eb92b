"""Releases that tell everything in another unit, under other names or nearly: no greener than an audit."""

import hashlib

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.attacks.linked_records import linked_distance
from divulge.attacks.record_linkage.account import link

RANDOM = np.random.default_rng(5)
N = 1000
INCOME = RANDOM.permutation(np.arange(20_000, 20_000 + 37 * N, 37))
SPOKEN = RANDOM.choice(["fr", "de", "it", "en", "es"], N)
AGE = RANDOM.integers(18, 70, N)
ILL = RANDOM.choice(["flu", "cold", "gout", "asthma"], N).tolist()
GROUP = np.repeat(np.arange(60), 50)
# Ten groups of sixty earn nearly the same; for the others a group says nothing.
SALARY = np.where(GROUP < 10, 50_000 + RANDOM.integers(0, 1000, 3000), RANDOM.integers(20_000, 30_000, 3000))


def table(**columns):
    return {
        "id": [f"p{i}" for i in range(N)],
        **{name: list(one) for name, one in columns.items()},
        "ill": ILL,
    }


def release(original, released, keys, sensitive, **given):
    data = dv.read(original, quasi_identifiers=keys, sensitive=sensitive)
    found = dv.compare(data, released, **given).to_dict()
    [entry] = found["releases"]
    return entry, found


def check(entry, measure):
    [found] = [one for one in entry["checks"] if one["measure"] == measure]
    return found


def hashed(values):
    return [hashlib.sha1(str(value).encode()).hexdigest()[:12] for value in values]


def renumbered(values, seed=1):
    known = np.unique(values)
    other = dict(zip(known.tolist(), np.random.default_rng(seed).permutation(known).tolist(), strict=True))
    return [other[value] for value in np.asarray(values).tolist()]


# -- quasi-identifiers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        lambda x: (x * 100).tolist(),
        lambda x: (x + 1_000_000).tolist(),
        lambda x: (-x).tolist(),
        lambda x: (x * 1.09).tolist(),
        lambda x: np.log(x).tolist(),
        lambda x: ((x - x.mean()) / x.std()).tolist(),
        hashed,
    ],
    ids=["cents", "shifted", "negated", "dearer", "log", "z", "hashed"],
)
@pytest.mark.parametrize("by", ["id", ()])
def test_unique_numbers_in_another_unit_are_found_as_the_original_is(changed, by):
    original, released = table(income=INCOME.tolist()), table(income=changed(INCOME))
    if not by:
        original, released = ({k: v for k, v in one.items() if k != "id"} for one in (original, released))
    entry, found = release(original, released, ["income"], "ill", by=by)
    assert check(entry, "singled_out")["outcome"] == "fail"
    assert entry["readings"]["average_risk"] == 1.0
    assert found["recommendation"]["release"] is None
    assert "income is the original under other names" in " ".join(entry["alignment"]["notes"])


@pytest.mark.parametrize("changed", [renumbered, hashed], ids=["within the domain", "hashed"])
def test_categories_that_change_names_are_read_as_the_original(changed):
    original = table(age=AGE.tolist(), spoken=SPOKEN.tolist())
    released = table(age=renumbered(AGE), spoken=changed(SPOKEN))
    entry, _ = release(original, released, ["age", "spoken"], "ill", by="id")
    same, _ = release(original, original, ["age", "spoken"], "ill", by="id")
    assert entry["readings"] == same["readings"]
    assert [one["outcome"] for one in entry["checks"]] == [one["outcome"] for one in same["checks"]]


@pytest.mark.parametrize("changed", [lambda x: (x * 100).tolist(), renumbered], ids=["cents", "permuted"])
def test_a_shuffled_original_under_other_names_is_not_recommended(changed):
    order = np.random.default_rng(3).permutation(N)
    original = {"age": AGE.tolist(), "income": INCOME.tolist(), "ill": ILL}
    moved = [np.asarray(column)[order] for column in (AGE, INCOME, ILL)]
    released = {"age": renumbered(moved[0]), "income": changed(moved[1]), "ill": moved[2].tolist()}
    entry, found = release(original, released, ["age", "income"], "ill")
    assert entry["alignment"]["aligned"] is None
    assert found["recommendation"]["release"] is None


@pytest.mark.parametrize("changed", [renumbered, hashed], ids=["within the domain", "hashed"])
def test_a_tenth_of_wrong_values_does_not_hide_the_code_of_the_others(changed):
    wrong = np.random.default_rng(9).random(N) < 0.1
    mixed = np.where(wrong, np.random.default_rng(10).permutation(AGE), AGE)
    others = {"spoken": SPOKEN.tolist(), "income": (INCOME // 3000).tolist()}
    original = table(age=AGE.tolist(), **others)
    keys = ["age", "spoken", "income"]
    coded, _ = release(original, table(age=changed(mixed), **others), keys, "ill", by="id")
    plain, _ = release(original, table(age=mixed.tolist(), **others), keys, "ill", by="id")
    assert coded["readings"]["average_risk"] == pytest.approx(plain["readings"]["average_risk"])
    assert check(coded, "singled_out")["outcome"] == check(plain, "singled_out")["outcome"] == "fail"


def test_values_that_were_exchanged_are_not_the_original_under_other_names():
    order = np.random.default_rng(4).permutation(N)
    original = table(income=INCOME.tolist(), age=AGE.tolist())
    released = table(income=INCOME[order].tolist(), age=AGE[order].tolist())
    entry, _ = release(original, released, ["income", "age"], "ill", by="id")
    assert "under other names" not in " ".join(entry["alignment"]["notes"])
    assert entry["readings"]["average_risk"] < 0.01


# -- sensitive values ------------------------------------------------------------------------------

NOISE = RANDOM.integers(-20, 21, 3000)


@pytest.mark.parametrize(
    "changed",
    [
        SALARY + 1,
        -SALARY,
        np.round(SALARY / 1000, 1),
        np.round(SALARY, -2),
        SALARY + NOISE,
        (SALARY + NOISE) * 3,
    ],
    ids=["plus one", "negated", "thousands", "rounded", "noise", "noise in another unit"],
)
def test_sensitive_numbers_that_keep_their_order_are_learned_as_an_audit_says(changed):
    people = [str(i) for i in range(3000)]
    original = {"id": people, "group": GROUP.tolist(), "salary": SALARY.tolist()}
    released = {**original, "salary": changed.tolist()}
    entry, found = release(original, released, ["group"], "salary", by="id")
    [audited] = [
        one
        for one in dv.audit(dv.read(released, quasi_identifiers=["group"], sensitive="salary")).to_dict()[
            "checks"
        ]
        if one["measure"] == "learned"
    ]
    learned = check(entry, "learned")
    assert audited["outcome"] == learned["outcome"] == "fail"
    assert learned["found"] == pytest.approx(audited["found"], rel=0.1)
    assert found["recommendation"]["release"] is None


def test_sensitive_numbers_that_are_wrong_about_people_are_not_learned():
    # Each group has one salary, nearly, and it is that of another group.
    groups = np.random.default_rng(8).permutation(60)
    own, other = 1000 * GROUP + np.arange(3000) % 50, 1000 * groups[GROUP] + np.arange(3000) % 50
    original = {"id": list(map(str, range(3000))), "group": GROUP.tolist(), "salary": own.tolist()}
    entry, _ = release(original, {**original, "salary": other.tolist()}, ["group"], "salary", by="id")
    assert check(entry, "learned")["outcome"] == "pass"


# -- linkage by ranks ------------------------------------------------------------------------------

LITTLE = np.random.default_rng(6).integers(-40, 41, N)


@pytest.mark.parametrize(
    "changed",
    [(INCOME + LITTLE) * 100, -(INCOME + LITTLE), INCOME + LITTLE + 10**6, np.round(INCOME / 1000, 1)],
    ids=["cents", "negated", "shifted", "thousands"],
)
def test_changed_numbers_in_another_unit_are_linked_by_their_ranks(changed):
    original = table(income=INCOME.tolist())
    entry, found = release(original, table(income=changed.tolist()), ["income"], "ill", by="id")
    assert "under other names" not in " ".join(entry["alignment"]["notes"])
    assert entry["readings"]["average_risk"] > 0.2
    assert check(entry, "singled_out")["outcome"] == "fail"
    assert found["recommendation"]["release"] is None


def test_changed_numbers_in_another_unit_are_linked_to_originals_by_their_ranks_too():
    data = dv.read(table(income=INCOME.tolist()), quasi_identifiers="income", sensitive="ill")
    released = dv.read(table(income=((INCOME + LITTLE) * 100).tolist()))
    found = linked_distance(align(data, released, by="id"))
    assert found.risk > 0.2 > linked_distance(align(data, released, by="id"), scale="standard").risk
    assert "by the nearest ranks, each in its own table, of income" in found.sentence


def test_link_by_rank_takes_ranks_in_each_table():
    original, released = table(income=INCOME.tolist()), table(income=(INCOME * 100).tolist())
    found = link(dv.read(original), dv.read(released), by="id", keys=["income"], scale="rank")
    assert found.distance.linked == N


# -- what cannot be told ---------------------------------------------------------------------------


def test_numbers_by_a_secret_key_are_not_evaluated():
    coded = np.random.default_rng(12).permutation(10**6)[:N] + 10**7
    entry, found = release(
        table(income=INCOME.tolist()), table(income=coded.tolist()), ["income"], "ill", by="id"
    )
    singled_out = check(entry, "singled_out")
    assert singled_out["outcome"] == "not evaluated"
    assert "what they mean is not known here" in singled_out["sentence"]
    assert found["recommendation"]["release"] is None


def test_codes_that_are_no_function_of_the_original_are_not_evaluated():
    codes = [f"{age}-{i % 2}x" for i, age in enumerate(hashed(AGE))]
    changed = table(age=codes, income=(INCOME + 700 * LITTLE).tolist())
    original = table(age=AGE.tolist(), income=INCOME.tolist())
    entry, _ = release(original, changed, ["age", "income"], "ill", by="id")
    assert check(entry, "singled_out")["outcome"] in ("not evaluated", "fail")
