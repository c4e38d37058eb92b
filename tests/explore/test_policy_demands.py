"""What a policy asks beside bounds on groups: no point and no threshold is met unless the release is."""

import io
import time
import zipfile
from collections import Counter

import numpy as np
import pytest

import divulge as dv
from command_line import run
from divulge.anonymization.release import passes, people_checks, release_checks
from divulge.explore.explorer import Explorer
from divulge.explore.exporting.exports import csv_bytes
from divulge.policy import Policy

ROLES = 'age = "quasi-identifier"\ntown = "quasi-identifier"\nill = "sensitive"\n'
SINGLED = "singled_out = { max = 0, k = 4 }"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("demands")
    rng = np.random.default_rng(4)
    rows = [f"{age},{town},{ill},{who}" for age, town, ill, who in zip(
        rng.integers(20, 40, 90), rng.choice(["A1", "A2", "B1", "B2"], 90, p=[0.6, 0.3, 0.05, 0.05]),
        rng.choice(["flu", "gout"], 90), np.arange(90) // 2, strict=True)]  # fmt: skip
    (place / "people.csv").write_text("\n".join(["age,town,ill,who", *rows]) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        yield place


def explorer_of(folder, thresholds, more="who = 'other'\n"):
    (folder / "p.toml").write_text(f"[attributes]\n{ROLES}{more}[thresholds]\n{thresholds}\n")
    policy = Policy.read("p.toml")
    return Explorer(policy.open("people.csv"), name="people.csv", policy=policy, seed=1)


def whole_map(explorer):
    found = explorer.transformations()
    while found["done"] < found["transformations"]:
        time.sleep(0.002)
        found = explorer.transformations()
    return found


def is_accepted(explorer, levels):
    """Whether the release of some levels passes the checks of the policy, as it is and by people."""
    scene = explorer.scenes.scene(explorer.choices)
    found = release_checks(scene.release(levels, 1).table, scene.policy)
    return passes([*found, *people_checks(scene.before, scene.recipe(levels), scene.policy)])


@pytest.mark.parametrize(
    ("thresholds", "open_"),
    [
        (SINGLED, False),
        ("k_anonymity = { min = 2 }\nsingled_out = [{ max = 0.2, k = 5 }, { max = 0.04, k = 3 }]", False),
        ('k_anonymity = [{ min = 2 }, { min = 8, keys = ["town"] }]', False),
        (
            'distinct_l_diversity = { min = 2, keys = ["age"] }\nsingled_out = { k = 3, keys = ["age"] }',
            False,
        ),
        (f"{SINGLED}\nlearned = {{ max = 0, certain = 0.6 }}", True),
        ("k_anonymity = { min = 5 }\nlearned = { max = 0, certain = 0.6 }", True),
    ],
)
def test_a_point_meets_the_policy_where_its_release_passes_the_checks_or_is_marked_as_open(
    folder, thresholds, open_
):
    explorer = explorer_of(folder, thresholds)
    explorer.change({"suppress": 0.3})
    found = whole_map(explorer)
    assert {one["meets"] for one in found["points"]} >= {False, None if open_ else True}
    assert bool(found["undecided"]) == any(one["meets"] is None for one in found["points"])
    assert any(one["possible" if open_ else "front"] for one in found["points"])
    assert not any(one["front"] and not one["meets"] for one in found["points"])
    for one in found["points"]:
        told = explorer.change({"levels": one["levels"]})["figures"]
        listed = [each["holds"] for each in told["thresholds"] if not each["warns"]]
        state = False if False in listed or not told["within_limit"] else None if None in listed else True
        assert state == one["meets"]
        if told["within_limit"] and state is not None:
            assert is_accepted(explorer, one["levels"]) == state


def test_the_untouched_release_is_held_to_what_the_first_policy_asks(folder):
    thresholds = "singled_out = { max = 0.001, k = 3 }\nlearned = { max = 0, certain = 0.9 }"
    told = explorer_of(folder, thresholds).change({"suppress": 0})["figures"]["thresholds"]
    assert [(one["name"], one["bound"], one["holds"]) for one in told] == [
        ("People who can be singled out", "at most 0.1% of people in groups smaller than 3", False),
        ("What is learned about ill", "nobody with 90% certainty beyond chance", None),
        ("Attributes that name people", "none", True),
        ("Gaps in what was measured", "none (warns)", False),  # fewer than 100 records
    ]


def test_that_no_value_is_likely_in_any_group_is_known_before_the_release(folder):
    explorer = explorer_of(folder, "k_anonymity = { min = 5 }\nlearned = { max = 0, certain = 0.9 }")
    explorer.change({"suppress": 0.3})
    points = whole_map(explorer)["points"]
    assert any(one["meets"] for one in points)
    for one in points:
        told = explorer.change({"levels": one["levels"]})["figures"]["thresholds"]
        [learned] = [each["holds"] for each in told if "learned" in each["name"]]
        assert learned is not False
        if learned and one["meets"]:
            assert is_accepted(explorer, one["levels"])


def test_a_population_may_only_help_and_is_left_to_the_release(folder):
    explorer = explorer_of(folder, SINGLED)
    explorer.change({"population": {"fraction": 0.1}})
    assert explorer.now()["figures"]["thresholds"][0]["holds"] is None
    assert {one["meets"] for one in whole_map(explorer)["points"]} == {None, True}


def test_the_map_counts_people_where_an_identifier_repeats(folder):
    explorer = explorer_of(folder, "k_anonymity = { min = 2 }", "who = 'identifier'\n")
    explorer.change({"suppress": 1.0, "levels": {"age": 3, "town": 1}})
    told = explorer.now()["figures"]
    found = whole_map(explorer)
    [here] = [one for one in found["points"] if one["levels"] == found["here"]]
    assert told["suppressed"] == 0
    assert here["risk"] == pytest.approx(told["risks"][2]["risk"])
    rows = dv.read("people.csv")
    assert here["risk"] > 1 / rows.records  # by records, everyone would be one of 90


@pytest.mark.parametrize(
    "thresholds",
    [
        "singled_out = [{ max = 0.001, k = 3 }, { max = 0, k = 5, severity = 'warn' }]",
        "singled_out = [{ max = 0.001, k = 3 }, { max = 0.5, k = 4 }]\nlearned = { max = 0, certain = 0.9 }",
        "k_anonymity = { min = 2 }\nsingled_out = { max = 0, k = 4 }",
    ],
)
@pytest.mark.parametrize("suppress", [0.0, 0.2])
def test_the_best_release_is_the_one_of_the_command_and_meets_the_policy(folder, thresholds, suppress):
    explorer = explorer_of(folder, thresholds)
    explorer.change({"suppress": suppress})
    told = searched(explorer)
    found = dv.anonymize("people.csv", "p.toml", suppress=suppress)
    assert told["choices"]["levels"] == dict(found.best.levels)
    figures = told["figures"]
    assert is_same_count(figures["suppressed"], found.suppressed_records)
    assert figures["loss"] == pytest.approx(found.loss, abs=1e-12)
    held = [one["holds"] for one in figures["thresholds"] if not one["warns"]]
    assert False not in held
    assert told["certificate"] == found.sentence
    assert is_accepted(explorer, told["choices"]["levels"])
    with zipfile.ZipFile(io.BytesIO(explorer.archive())) as archive:
        archive.extractall(folder)
    assert run("check", "publish/released.csv", "--policy", "keep/policy.toml")[0] == 0
    lines = (folder / "publish" / "released.csv").read_text().splitlines()
    kept = [line for line in lines[1:] if not (found.left_out and line.startswith("*,*,"))]
    assert sorted(kept) == sorted(csv_bytes(found.application.table).decode().splitlines()[1:])


def test_what_may_be_suppressed_says_whose_groups_are_suppressed_also_where_levels_are_chosen(folder):
    explorer = explorer_of(folder, "singled_out = { max = 0.001, k = 3 }")
    coarse = {"age": 1, "town": 0}
    kept = explorer.change({"levels": coarse, "suppress": 0.0})["figures"]
    assert (kept["suppressed"], kept["thresholds"][0]["holds"]) == (0, False)
    told = explorer.change({"suppress": 0.5})["figures"]
    rows = [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[1:]]
    groups = Counter((int(age) // 5, town) for age, town, *_ in rows)
    assert told["suppressed"] == sum(size for size in groups.values() if size < 3)
    assert told["thresholds"][0]["holds"] is True
    assert explorer.change({"population": {"fraction": 0.5}})["figures"]["suppressed"] == 0


def test_a_release_that_fails_a_check_which_no_level_changes_is_not_called_best(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + place % 10},A,{'flu' if place % 3 else 'gout'}" for place in range(200)]
    rows += [f",{town},flu" for town in "BCDEFGHIJ"]
    (tmp_path / "people.csv").write_text("\n".join(["age,town,ill", *rows]) + "\n")
    (tmp_path / "p.toml").write_text(
        f"data.missing = 'drop'\n[attributes]\n{ROLES}[thresholds]\nk_anonymity = {{ min = 3 }}\n"
    )
    policy = Policy.read("p.toml")
    told = searched(Explorer(policy.open("people.csv"), name="people.csv", policy=policy, seed=1))
    said = "Of least loss, but the release fails: Records left out for missing values."
    assert told["certificate"] == said
    assert dv.anonymize("people.csv", "p.toml", suppress=0.05).sentence.startswith("Proved best")


def searched(explorer):
    """What the page is told once the search is over."""
    told = explorer.best()
    while told["searching"]:
        time.sleep(0.01)
        told = explorer.searched()
    return told


def is_same_count(shown, count):
    """Whether a count is shown, or hidden for being small."""
    return 0 < count < 5 if isinstance(shown, str) else shown == count
