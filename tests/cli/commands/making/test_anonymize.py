"""The anonymize command: what it prints and writes, and that its release passes the policy."""

import json

import pytest

from command_line import run

ROWS = [(20 + n % 7, "fm"[n % 2], ["flu", "cold", "gout"][n % 3]) for n in range(60)] + [(95, "f", "flu")]
POLICY = """
[attributes]
age = "quasi-identifier"
sex = { role = "quasi-identifier", hierarchy = "sex.csv" }
ill = "sensitive"

[thresholds]
k_anonymity = { min = 5 }
distinct_l_diversity = { min = 2 }
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["age,sex,ill", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    return tmp_path


def anonymize(*more):
    return run("anonymize", "people.csv", *more)


def test_the_release_passes_the_policy_and_the_recipe_makes_it_again(place):
    written = ("--out", "released.csv", "--recipe-out", "recipe.toml", "--keep-order")
    code, out, err = anonymize("--policy", "policy.toml", "--suppress", "5%", *written)
    assert (code, err) == (0, "")
    assert "Proved best: " in out
    assert "Fewer than 5 of 61 records suppressed" in out
    assert run("check", "released.csv", "--policy", "policy.toml")[0] == 0
    code, _, err = run(
        "transform", "people.csv", "--recipe", "recipe.toml", "--out", "again.csv", "--keep-order"
    )
    assert (code, err) == (0, "")
    assert (place / "again.csv").read_bytes() == (place / "released.csv").read_bytes()


def test_roles_and_thresholds_may_come_from_options(place):
    roles = ("--quasi-identifiers", "age,sex", "--sensitive", "ill")
    asked = ("--k", "5", "--threshold", "t_closeness=0.9", "--suppress", "0.05", "--hierarchy", "sex=sex.csv")
    code, out, err = anonymize(*roles, *asked, "--json", "--recipe-out", "recipe.toml", "--out", "made.csv")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["best"]["suppressed"] == "<5"
    assert document["best"]["levels"].keys() == {"age", "sex"}
    assert document["front"][0]["loss"] == document["best"]["loss"]
    assert document["hierarchies"]["age"]["made"]
    certificate = document["certificate"]
    assert certificate["evaluated"] + sum(certificate["excluded"].values()) == certificate["transformations"]
    assert run("check", "made.csv", "--policy", "recipe-policy.toml")[0] == 0
    code, _, err = run("transform", "people.csv", "--recipe", "recipe.toml", "--out", "again.csv")
    assert (code, err) == (0, "")
    assert sorted((place / "again.csv").read_text()) == sorted((place / "made.csv").read_text())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--mondrian",), "Local recoding, numbers split where they lie: loss 0."),
        (("--suppress-cells",), "Single cells suppressed: loss 0."),
        (("--local",), "Local recoding: loss 0."),
    ],
)
def test_groups_recoded_by_themselves_pass_and_come_again_byte_for_byte(place, more, said):
    with (place / "people.csv").open("a") as file:
        file.writelines(
            f"{age},f,{ill}\n" for age, ill in ((91, "flu"), (92, "cold"), (93, "flu"), (94, "flu"))
        )
    written = ("--out", "released.csv", "--recipe-out", "recipe.toml", "--keep-order")
    code, out, err = anonymize("--policy", "policy.toml", "--suppress", "5%", *more, *written)
    assert (code, err) == (0, "")
    assert said in out
    assert run("check", "released.csv", "--policy", "policy.toml")[0] == 0
    again = ("--recipe", "recipe.toml", "--out", "again.csv", "--keep-order")
    assert run("transform", "people.csv", *again)[0] == 0
    assert (place / "again.csv").read_bytes() == (place / "released.csv").read_bytes()


def test_cells_that_save_nothing_stay(place):
    code, out, _ = anonymize("--policy", "policy.toml", "--suppress", "5%", "--suppress-cells")
    assert code == 0
    assert "Single cells suppressed: no less would be lost, so the best above is released." in out


def test_losses_for_a_need_and_of_a_model(place):
    (place / "need.toml").write_text('[care]\ntarget = "ill"\nkeys = ["age"]\n')
    for asked in (("need", "--need", "need.toml"), ("classification", "--predict", "ill")):
        code, out, err = anonymize("--policy", "policy.toml", "--loss", *asked, "--json", "--suppress", "5%")
        assert (code, err) == (0, "")
        document = json.loads(out)
        assert document["loss"] == asked[0]
        assert 0 < document["best"]["loss"] < 1


def test_hierarchies_are_shown():
    code, out, _ = anonymize("--quasi-identifiers", "age,sex", "--show-hierarchies")
    assert code == 0
    assert "age (made from the values): 8 values;" in out
    assert "  20;20-24;" in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--policy", "policy.toml", "--k", "3"), "--k cannot be given together with --policy"),
        (("--policy", "policy.toml", "--sensitive", "ill"), "--sensitive cannot be given together"),
        (("--quasi-identifiers", "age"), "Nothing is asked of the release"),
        (("--quasi-identifiers", "age", "--k", "5", "--suppress", "101%"), "no share from 0 to 100%"),
        (("--quasi-identifiers", "age", "--threshold", "t_closeness"), "no bound that is a number"),
        (("--quasi-identifiers", "age", "--threshold", "t_closenes=1"), "Unknown measure"),
        (("--quasi-identifiers", "age", "--k", "62"), "k_anonymity of at least 62 does not hold"),
        (("--policy", "policy.toml", "--out", "people.csv", "--overwrite"), "is already the data"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(more, said):
    code, _, err = anonymize(*more)
    assert code == 2
    assert said in " ".join(err.split())
