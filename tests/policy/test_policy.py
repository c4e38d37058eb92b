"""Policies: what a divulge.toml comes to mean."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path

import pytest

import divulge as dv
from databases import sqlite_file
from divulge.errors import MissingSource, ParameterError, PartitionError, PolicyError, SourceError
from divulge.measures import MEASURES
from divulge.policy import USUAL, AttributeRule, DataRule, Policy, Population, Threshold
from divulge.policy.demands import Learning, SinglingOut
from divulge.policy.lines import line_of
from divulge.table.schema import Role

PAGE = Path(__file__).parents[2] / "docs" / "policy.md"
EXAMPLE = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
PATIENTS = """name,zip,age,sex,stage,disease
Ann,01069,34,f,I,flu
Bob,01067,36,m,II,lung cancer
Cem,02828,51,m,NA,aids
"""
AGE = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 5}}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "zip.csv").write_text("01069;010*;*\n01067;010*;*\n02828;028*;*\n")
    (tmp_path / "divulge.toml").write_text(EXAMPLE)
    return tmp_path


def asking(*, attributes=None, data=None, **thresholds):
    attributes = attributes or {"age": "quasi-identifier", "disease": "sensitive"}
    return Policy.of({"data": data or {}, "attributes": attributes, "thresholds": thresholds})


def test_the_example_of_the_documentation_is_read_as_it_says(folder):
    policy = Policy.read(folder / "divulge.toml")
    assert policy.name == str(folder / "divulge.toml")
    assert policy.digest == f"sha256:{hashlib.sha256(EXAMPLE.encode()).hexdigest()}"
    assert policy.data == DataRule(
        source=str(folder / "patients.csv"), missing="value", missing_values=("NA", "unknown")
    )
    assert [rule.role.value for rule in policy.attributes.values()] == [
        "identifier",
        *["quasi-identifier"] * 3,
        *["sensitive"] * 2,
    ]
    assert list(policy.partitions) == ["age", "disease"]
    assert policy.attributes["zip"].hierarchy.levels == 2
    assert policy.attributes["stage"].order == ("I", "II", "III", "IV")
    assert [threshold.place for threshold in policy.thresholds] == [
        "thresholds.k_anonymity",
        "thresholds.uniqueness",
        "thresholds.distinct_l_diversity",
        "thresholds.t_closeness",
        "thresholds.itpr",
        "thresholds.discrimination_rate #1",
        "thresholds.discrimination_rate #2",
    ]


def test_the_data_come_with_roles_and_conventions(folder, monkeypatch):
    monkeypatch.chdir("/")  # paths start from the policy's folder, not from here
    data = Policy.read(folder / "divulge.toml").open()
    assert data.schema.identifiers == ("name",)
    assert data.schema.quasi_identifiers == ("zip", "age", "sex")
    assert data.schema.sensitive == ("stage", "disease")
    assert data.column("stage").codes.tolist() == [1, 2, 0]
    assert list(data.hierarchies) == ["zip"]
    assert data.orders == {"stage": ("I", "II", "III", "IV")}
    assert (data.missing, data.suppressed, data.weights) == ("value", "*", None)


def test_what_a_policy_groups_is_counted_in_groups(folder):
    policy = Policy.read(folder / "divulge.toml")
    partitions = {"age": policy.partitions["age"]}
    assert dv.measure(policy.open(), "class_count", keys="age", partitions=partitions).value == 2


def test_a_threshold_says_what_is_read_and_what_it_is_held_against():
    [threshold] = asking(
        t_closeness={
            "max": 0.3,
            "ground": "ordered",
            "target": "disease",
            "keys": ["age"],
            "severity": "warn",
        }
    ).thresholds
    assert threshold == Threshold(
        measure=MEASURES["t_closeness"],
        parameters={"ground": "ordered"},
        target=("disease",),
        keys=("age",),
        min=None,
        max=0.3,
        adjusted=False,
        severity="warn",
        place="thresholds.t_closeness",
    )


def test_what_a_threshold_leaves_out_stays_open_until_the_data_are_there():
    [threshold] = asking(discrimination_rate={"max": 0.2, "adjusted": True}).thresholds
    assert (threshold.target, threshold.keys) == (None, None)
    assert (threshold.severity, threshold.adjusted, threshold.parameters) == ("fail", True, {})


def test_a_list_gives_one_measure_several_thresholds():
    tables = [{"min": 5}, {"min": 10, "severity": "warn"}]
    found = asking(k_anonymity=tables).thresholds
    assert [(t.min, t.severity, t.place) for t in found] == [
        (5, "fail", "thresholds.k_anonymity #1"),
        (10, "warn", "thresholds.k_anonymity #2"),
    ]


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_can_be_bounded_on_its_risky_side_and_on_no_other(name):
    measure = MEASURES[name]
    low, high = measure.bounds
    bound = min(low + 0.5, high)
    right, wrong = ("max", "min") if measure.riskier == "higher" else ("min", "max")
    [threshold] = asking(**{name: {right: bound}}).thresholds
    assert getattr(threshold, right) == bound
    with pytest.raises(PolicyError, match=f"Write {right} = "):
        asking(**{name: {wrong: bound}})


def test_bounds_at_the_ends_of_a_measure_are_refused_only_where_they_cannot_fail():
    assert asking(uniqueness={"max": 0}).thresholds[0].max == 0
    assert asking(normalized_conditional_entropy={"min": 1}).thresholds[0].min == 1
    for never in ({"uniqueness": {"max": 1}}, {"normalized_conditional_entropy": {"min": 0}}):
        with pytest.raises(PolicyError, match="can never fail"):
            asking(**never)


def test_adjusted_readings_are_bounded_from_above_whichever_way_is_riskier():
    asked = {"max": 0.1, "adjusted": True}
    [threshold] = asking(conditional_entropy=asked).thresholds
    assert (threshold.min, threshold.max) == (None, 0.1)


def test_a_hierarchy_groups_values_only_with_a_level(folder):
    (folder / "divulge.toml").write_text(
        """
        [attributes]
        zip = { role = "quasi-identifier", hierarchy = "zip.csv", level = 1 }
        [thresholds]
        k_anonymity.min = 2
        """
    )
    policy = Policy.read(folder / "divulge.toml")
    assert list(policy.partitions["zip"].domains) == ["010*", "028*"]
    assert policy.attributes["zip"].hierarchy.levels == 2
    assert list(policy.open(folder / "patients.csv").hierarchies) == ["zip"]


def test_a_mapping_may_hold_objects_and_paths(folder):
    zips = dv.Hierarchy.read(folder / "zip.csv", attribute="zip")
    for given in (zips, folder / "zip.csv", "zip.csv"):
        rule = {"role": "quasi-identifier", "hierarchy": given}
        policy = Policy.of({**AGE, "attributes": {"zip": rule}}, folder=folder)
        assert policy.attributes == {"zip": AttributeRule(Role.QUASI_IDENTIFIER, zips)}
    policy = Policy.of({**AGE, "data": {"source": folder / "patients.csv"}})
    assert policy.open().records == 3


def test_a_digest_follows_what_is_asked():
    same, other = Policy.of(AGE), Policy.of({**AGE, "thresholds": {"k_anonymity": {"min": 6}}})
    assert same.digest == Policy.of(AGE).digest
    assert same.digest != other.digest


def test_other_data_are_taken_under_the_same_demands(folder):
    policy = Policy.read(folder / "divulge.toml")
    columns = {name: ["x", "y"] for name in policy.attributes}
    assert policy.open(columns).schema.sensitive == ("stage", "disease")
    with pytest.raises(PolicyError, match=r"line 8, attributes\.zip: the data have no attribute 'zip'"):
        policy.open({"age": [1, 2]})
    with pytest.raises(MissingSource):  # no mistake of the policy
        policy.open(folder / "other.csv")


def test_how_a_file_is_written_can_be_said_in_the_policy_and_overridden(tmp_path):
    (tmp_path / "bars.csv").write_text("age|note\n1|a;b\n2|c\n")
    (tmp_path / "tabs.csv").write_text("age\tnote\n1\ta\n2\tb,c\n")
    policy = asking(
        data={"source": str(tmp_path / "bars.csv"), "separator": "|"},
        attributes={"age": "quasi-identifier"},
        k_anonymity={"min": 2},
    )
    assert policy.open().records == 2
    assert policy.open(tmp_path / "tabs.csv", separator="\t").schema.attributes == ("age", "note")
    assert policy.open({"age": [1, 2]}).records == 2
    assert policy.open(separator=None).records == 2
    with pytest.raises(PolicyError, match=r"data\.source: unknown text encoding: 'utf-9'"):
        policy.open(encoding="utf-9")
    with pytest.raises(SourceError, match="for a database only"):
        policy.open({"age": [1, 2]}, table="people")


def test_a_separator_may_be_called_tab_and_marks_may_be_none():
    data = {"separator": "tab", "suppressed": "", "quote": ""}
    assert asking(data=data, k_anonymity={"min": 2}).data == DataRule(
        separator="\t", suppressed=None, quote=""
    )


def test_a_table_goes_with_a_database(tmp_path):
    pytest.importorskip("sqlalchemy")
    url = sqlite_file(tmp_path / "clinic.db", {"people": ("age INTEGER", [(1,), (2,)])})
    own = asking(
        data={"source": url, "table": "people"},
        attributes={"age": "quasi-identifier"},
        k_anonymity={"min": 2},
    )
    assert own.data.source == url
    assert own.open().records == 2
    assert own.open(url).records == 2
    with pytest.raises(PolicyError, match=r"data\.source: .*'person'.*people"):
        own.open(table="person")


def test_a_partition_that_does_not_cover_the_data_is_found_when_they_are_counted(folder):
    rule = {"role": "sensitive", "partition": {"cancer": ["lung cancer"]}}
    policy = Policy.of({**AGE, "attributes": {"age": "quasi-identifier", "disease": rule}})
    data = policy.open(folder / "patients.csv")
    with pytest.raises(PartitionError, match="leaves out fewer than 5 values"):
        dv.measure(data, "itpr", keys="age", target="disease", partitions=policy.partitions).value  # noqa: B018


def test_a_file_may_begin_with_a_mark_and_end_its_lines_as_windows_does(tmp_path):
    path = tmp_path / "divulge.toml"
    text = '[attributes]\r\nage = "quasi-identifier"\r\n[thresholds]\r\nk_anonymity = { min = 0 }\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    with pytest.raises(PolicyError, match=r"line 4, thresholds\.k_anonymity\.min: this can never fail"):
        Policy.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("= 0", "= 5").encode())
    assert Policy.read(path).thresholds[0].min == 5


def test_the_default_checks_can_be_written_as_a_policy():
    usually = {
        "singled_out": [{"max": 0.001, "k": 3}, {"max": 0, "k": 5, "severity": "warn"}],
        "learned": [{"max": 0, "certain": 0.9}, {"max": 0, "certain": 0.5, "severity": "warn"}],
    }
    assert asking(**usually).demands == USUAL
    assert asking(**usually).thresholds == ()


def test_a_question_of_which_nothing_is_said_asks_for_what_the_pages_name():
    found = asking(singled_out={}, learned={}).demands
    assert found.singled_out == (SinglingOut(max=0, k=5),)
    assert found.learned == (Learning(max=0, certain=0.9, gain=1 / 3),)


def test_what_is_learned_needs_a_sensitive_attribute_or_a_target():
    roles = {"age": "quasi-identifier", "disease": "other"}
    with pytest.raises(PolicyError, match="about sensitive attributes, and there is none"):
        asking(attributes=roles, learned={"max": 0})
    (found,) = asking(attributes=roles, learned={"max": 0, "target": "disease"}).demands.learned
    assert found.target == ("disease",)


def test_pairs_and_all_but_one_in_a_million_are_bounds():
    found = asking(singled_out={"max": 1 - 1e-6, "k": 2}).demands.singled_out
    assert found == (SinglingOut(max=1 - 1e-6, k=2),)


def test_a_source_without_an_address_is_a_file_beside_the_policy_unless_spark_knows_a_table(folder):
    def source(**data):
        text = "".join(f'{name} = "{value}"\n' for name, value in data.items())
        rest = '[attributes]\nage = "quasi-identifier"\n[thresholds]\nk_anonymity = { min = 5 }\n'
        (folder / "divulge.toml").write_text(f"[data]\n{text}{rest}")
        return Policy.read(folder / "divulge.toml").data.source

    assert source(source="clinic") == str(folder / "clinic")
    assert source(source="clinic", engine="spark") == "clinic"
    assert source(source="patients.csv", engine="spark") == str(folder / "patients.csv")
    assert source(source="clinic.parquet", engine="spark") == str(folder / "clinic.parquet")


def test_an_order_has_plain_values_only():
    for order in (["I", ["II", "III"]], [{"I": 1}, "II"]):
        roles = {"age": "quasi-identifier", "stage": {"role": "sensitive", "order": order}}
        with pytest.raises(PolicyError, match="cannot contain lists or tables"):
            asking(attributes=roles, k_anonymity={"min": 2})


def test_an_identifier_may_have_another_name_in_releases():
    for more in ({}, {"released": "patient"}):
        roles = {"name": {"role": "identifier", **more}, "age": "quasi-identifier"}
        assert asking(attributes=roles, k_anonymity={"min": 2}).attributes["name"].role is Role.IDENTIFIER
    with pytest.raises(PolicyError, match="values of an identifier are not grouped"):
        asking(attributes={"name": {"role": "identifier", "bins": [3]}}, k_anonymity={"min": 2})


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("attributes",), 2),
        (("attributes", "zip code"), 3),
        (("attributes", "zip code", "bins"), 3),
        (("attributes", "a", "b"), 4),
        (("attributes", "it's"), 5),
        (("thresholds", "itpr"), 7),
        (("thresholds", "itpr", 0, "max"), 8),
        (("thresholds", "itpr", 1), 9),
        (("thresholds", "itpr", 1, "keys"), 9),
        (("thresholds", "itpr", 7), 7),
        (("thresholds", "uniqueness", 0), 11),
        (("thresholds", "uniqueness", 1, "max"), 14),
        (("thresholds", "k_anonymity", "min"), 16),
        (("data", "source"), None),
        ((), None),
    ],
)
def test_the_line_of_a_key_is_found_however_it_is_written(path, line):
    text = """# what is asked
[ attributes ]
"zip code" = { role = "other", bins = [1] }
a . 'b' = "other"
"it's" = "other"
[thresholds] # the bounds
itpr = [
  { max = 0.1 },
  { max = 0.2, keys = ["max"] },
]
[[thresholds.uniqueness]]
max = 0.1
[[thresholds.uniqueness]]
max = 0.2
[thresholds.k_anonymity]
min = 5
"""
    assert line_of(text, path) == line


def test_keys_and_targets_may_be_attributes_without_a_role():
    policy = asking(itpr={"max": 0.5, "target": "note", "keys": ["city", "disease"]})
    data = policy.open({"age": [1], "disease": ["flu"], "city": ["Rome"], "note": ["x"]})
    assert data.schema.role("note") is Role.OTHER


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [
        ({"singled_out": {"max": 1, "k": 5}}, "share from 0 on, below 1"),
        ({"singled_out": {"max": 0, "k": 1}}, "whole number from 2 on"),
        ({"singled_out": {"maximum": 0}}, "no key 'maximum'"),
        ({"singled_out": []}, "list is empty"),
        ({"singled_out": {"max": True}}, "must be a number, not"),
        ({"singled_out": {"max": "none"}}, "must be a number, not"),
        ({"k_anonymity": {"min": 5, "max": 5}}, "riskier the lower it is"),
        ({"learned": {"max": 0, "certain": 1.5}}, "share from 0 on, at most 1"),
        ({"learned": {"max": 0, "gain": 1}}, "share from 0 on, below 1"),
        ({"learned": {"max": 0, "gain": 10**400}}, "share from 0 on, below 1"),
        ({"k_anonymity": {"min": 10**400}}, "finite number"),
        ({"learned": {"max": 0, "chance": "no"}}, "true or false"),
        ({"learned": {"max": 0, "severity": "alarm"}}, "unknown severity: 'alarm'"),
        ({"identifiers": "allowed", "k_anonymity": {"min": 2}}, "answer to identifiers"),
        ({"measured": "no", "k_anonymity": {"min": 2}}, "answer to measured"),
        ({"identifiers": "allow"}, "would always pass"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(thresholds, said):
    with pytest.raises(PolicyError, match=said):
        asking(**thresholds)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": 0}, "whole number from 1 to"),
        ({"size": 10**11}, "whole number from 1 to 10,000,000,000"),
        ({"size": 10**400}, "whole number from 1 to"),
        ({"size": math.inf}, "whole number from 1 to"),
        ({"fraction": 10**400}, "above 0 and at most 1"),
        ({"fraction": 1e-300}, "more than 10,000,000,000 people"),
        (10**26, "whole number from 1 to"),
        ({"fraction": 1.5}, "above 0 and at most 1"),
        ({"fraction": 0}, "above 0 and at most 1"),
        ({"size": 10, "fraction": 0.1}, "one of size, fraction, weight and source"),
        ({"sise": 10}, "no key 'sise'"),
        ({"size": "many"}, "must be a number"),
    ],
)
def test_a_population_that_makes_no_sense_is_refused(given, said):
    policy = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    with pytest.raises(PolicyError, match=said):
        Policy.of(policy | {"population": given})


def test_a_population_is_a_size_a_fraction_or_weights():
    policy = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    ends = {"size": 1}, {"size": 10**10}, {"fraction": 1}, {"fraction": 1.5e-10}, {"fraction": 1e-10}
    for given in ({"size": 900}, {"fraction": 0.1}, {"weight": "w"}, *ends):
        (name,) = given
        assert getattr(Policy.of(policy | {"population": given}).population, name) == given[name]
    assert Policy.of(policy | {"population": 900}).population.size == 900


def test_the_share_of_a_population_that_is_in_the_table():
    assert Population(size=900).share(90) == 0.1
    assert Population(size=90).share(90) == 1
    assert Population(weight="w").share(90) is None
    with pytest.raises(ParameterError, match="The population is 89 people, and the table has 90"):
        Population(size=89).share(90)


def test_no_population_is_larger_than_mankind():
    for population, said in (({"size": 10**10 + 1}, "The population is"), ({"fraction": 1e-8}, "make it")):
        with pytest.raises(
            ParameterError, match=f"{said} more than 10,000,000,000 people, which is impossible"
        ):
            Population(**population).share(1000)
    assert Population(fraction=1e-4).share(1000) == 1e-4
    assert Population(size=10**10).share(10**9) == 0.1
    assert Population(fraction=2.0**-10).share(10**10 // 2**10) == 2.0**-10  # exactly so many


def test_a_certainty_that_a_sample_never_reaches_is_refused():
    roles = {"age": "quasi-identifier", "ill": "sensitive"}
    policy = {"attributes": roles, "thresholds": {"learned": {"max": 0, "certain": 1}}}
    assert Policy.of(policy | {"population": {"fraction": 1}}).demands.learned[0].certain == 1
    with pytest.raises(PolicyError, match="can never fail"):
        Policy.of(policy | {"population": {"size": 900}})


def test_identifiers_may_have_been_left_out_of_the_data_unless_they_are_misspelled():
    policy = asking(attributes={"age": "quasi-identifier", "name": "identifier"}, k_anonymity={"min": 2})
    assert policy.open({"age": [1, 2]}).schema.identifiers == ()
    with pytest.raises(PolicyError, match=r"the data have no attribute 'name'\. Did you mean 'names'"):
        policy.open({"age": [1, 2], "names": ["Ann", "Bo"]})


@pytest.mark.parametrize(
    ("identifier", "beside"),
    [("patient_id", "patient_age"), ("customer_id", "customer_age"), ("Straße", "Größe"), ("pid", "hid")],
)
def test_an_identifier_left_out_may_resemble_an_attribute_that_the_policy_names(identifier, beside):
    roles = {identifier: "identifier", beside: "quasi-identifier"}
    policy = asking(attributes=roles, k_anonymity={"min": 2})
    assert policy.open({beside: [1, 2]}).schema.quasi_identifiers == (beside,)


def test_an_identifier_left_out_may_resemble_another_attribute_of_the_original():
    policy = asking(attributes={"sex": "quasi-identifier", "pid": "identifier"}, k_anonymity={"min": 2})
    released = {"sex": ["f", "m"], "hid": [1, 1]}
    with pytest.raises(PolicyError, match=r"Did you mean 'hid'\? If it was left out, give"):
        policy.open(released)
    assert policy.knowing(("sex", "pid", "hid")).open(released).schema.identifiers == ()
    told = asking(
        attributes={"sex": "quasi-identifier", "pid": "identifier", "hid": "other"}, k_anonymity={"min": 2}
    )
    assert told.open(released).schema.identifiers == ()
