"""Bounds on figures of the population, and what [population] may say: read strictly."""

import pytest

from divulge.errors import PolicyError
from divulge.measures.population_figures import FIGURES
from divulge.policy import Policy, Population

ATTRIBUTES = '[attributes]\nage = "quasi-identifier"\nname = "identifier"\n'


def read(tmp_path, text):
    path = tmp_path / "divulge.toml"
    path.write_text(text)
    return Policy.read(path)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_takes_a_bound_on_its_risky_side(name, tmp_path):
    side, other = ("min", "max") if FIGURES[name].riskier == "lower" else ("max", "min")
    text = f"{ATTRIBUTES}[thresholds]\n{name} = {{ {side} = 0.5, keys = ['age'], severity = 'warn' }}\n"
    [found] = read(tmp_path, text.replace("0.5", "2.0" if side == "min" else "0.5")).figures
    assert (found.measure.name, found.keys, found.severity) == (name, ("age",), "warn")
    with pytest.raises(PolicyError, match=f"line 5, thresholds.{name}.{other}: .*Write {side} = "):
        read(tmp_path, text.replace(f"{side} =", f"{other} ="))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("population_uniqe = { max = 0.1 }", "thresholds.population_uniqe: .*mean 'population_unique'"),
        ("population_unique = 0.1", "population_unique: this must be a table, not a number"),
        ("population_unique = { max = '1' }", "population_unique.max: this must be a number"),
        ("population_unique = { max = 1 }", "max: this can never fail: population_unique runs from 0 to 1"),
        ("population_unique = { max = -0.1 }", "max: this can never pass"),
        ("population_unique = { max = 0.1, target = 'age' }", "there is no key 'target' here"),
        ("population_unique = { maxx = 0.1 }", "there is no key 'maxx' here. Did you mean 'max'"),
        ("population_unique = { severity = 'warn' }", "there is no bound"),
        ("population_unique = []", "the list is empty"),
        ("k_map = { min = 1 }", "min: this can never fail: k_map runs from 1 upwards"),
        ("dis_suda = { max = 0.1, keys = ['name'] }", "keys: 'name' is an identifier"),
        ("dis_suda = { max = 0.1, severity = 'bad' }", "severity: unknown severity: 'bad'"),
    ],
)
def test_a_bound_that_makes_no_sense_is_refused_with_its_place(line, said, tmp_path):
    with pytest.raises(PolicyError, match=f"line 5, .*{said}"):
        read(tmp_path, f"{ATTRIBUTES}[thresholds]\n{line}\n")


def test_a_figure_alone_is_a_policy_and_several_bounds_are_a_list(tmp_path):
    line = "match_chance = [{ max = 0.2 }, { max = 0.1, severity = 'warn' }]"
    found = read(tmp_path, f"{ATTRIBUTES}[thresholds]\n{line}\n")
    assert [one.max for one in found.figures] == [0.2, 0.1]
    assert found.thresholds == ()


def test_names_of_attributes_are_checked_against_the_data(tmp_path):
    found = read(
        tmp_path,
        f"{ATTRIBUTES}[thresholds]\nk_map = {{ min = 2, keys = ['agee'] }}\n"
        "[population]\nsize = 10\nhousehold = 'hous'\n",
    )
    with pytest.raises(PolicyError, match=r"k_map.keys: the data have no attribute 'agee'"):
        found.open({"age": [1], "name": ["x"], "hous": [1]})
    with pytest.raises(PolicyError, match=r"population.household: the data have no attribute 'hous'"):
        found.open({"age": [1], "name": ["x"], "agee": [1]})


def test_a_table_of_the_population_is_read_like_the_data_from_the_policys_folder(tmp_path):
    (tmp_path / "everyone.csv").write_text("age;sex\n22;f\nNA;m\n")
    text = '[data]\nseparator = ";"\nmissing_values = ["NA"]\n[population]\nsource = "everyone.csv"\n'
    found = read(tmp_path, f"{text}{ATTRIBUTES}[thresholds]\nk_map = {{ min = 2 }}\n")
    assert found.population == Population(source=str(tmp_path / "everyone.csv"))
    everyone = found.everyone()
    assert (everyone.records, everyone.column("age").codes.tolist()) == (2, [1, 0])
    assert found.sampled_from == Population(size=2)


def test_a_table_of_the_population_that_is_not_there_is_named_with_its_line(tmp_path):
    text = f'[population]\nsource = "nobody.csv"\n{ATTRIBUTES}[thresholds]\nk_map = {{ min = 2 }}\n'
    with pytest.raises(PolicyError, match=r"line 2, population.source: no file .*nobody.csv"):
        read(tmp_path, text).everyone()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"household": "house"}, "one of size, fraction, weight and source"),
        ({"size": 10, "source": "everyone.csv"}, "one of size, fraction, weight and source"),
        ({"source": 3}, "this must be a text"),
        ({"size": 10, "household": 3}, "this must be a text"),
    ],
)
def test_a_population_that_is_said_twice_or_not_at_all_is_refused(said, why):
    policy = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_map": {"min": 2}}}
    with pytest.raises(PolicyError, match=why):
        Policy.of({**policy, "population": said})
