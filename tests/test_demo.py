"""The made-up clinic: what is planted is there, and nothing else looks like it."""

import hashlib
from collections import Counter

import pytest

import divulge as dv
from divulge.demo import FEWEST, PLANTED, clinic, write
from divulge.measures import IdentifierClass
from divulge.policy import Policy
from divulge.roles.proposal import propose
from divulge.table.schema import Role

RECORDS = 4000


@pytest.fixture(scope="module")
def columns():
    return clinic()


@pytest.fixture(scope="module")
def data(columns):
    return dv.read(columns)


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write(tmp_path_factory.mktemp("demo"))


def rate(data, key, target="diagnosis"):
    return dv.measure(data, "discrimination_rate", keys=key, target=target)


def test_the_identifier_left_in_identifies_under_a_dull_name(columns, data):
    left_in = PLANTED["identifier left in"]
    assert dv.identifier_class(data, keys=left_in) is IdentifierClass.IDENTIFIER
    assert all(address.endswith("@example.org") for address in columns[left_in])
    reasons = {one.attribute: one.reasons for one in propose(data) if one.role is Role.IDENTIFIER}
    assert "all of its values look like e-mail addresses" in reasons[left_in]
    assert not any("name" in reason for reason in reasons[left_in])


def test_the_constant_attribute_has_one_value(columns):
    assert [name for name, values in columns.items() if len(set(values)) == 1] == [PLANTED["constant"]]


def test_the_duplicate_says_the_same_in_other_words(data):
    one, other = PLANTED["duplicate"]
    assert dv.identifier_class(data, keys=one, target=other) is IdentifierClass.IDENTIFIER
    assert dv.identifier_class(data, keys=other, target=one) is IdentifierClass.IDENTIFIER


def test_two_attributes_identify_only_together(data):
    pair = PLANTED["identifying together"]
    for alone in pair:
        assert dv.measure(data, "k_anonymity", keys=alone).value >= 12
        assert dv.measure(data, "uniqueness", keys=alone).value == 0
    assert dv.measure(data, "uniqueness", keys=pair).value > 0.6


def test_the_proxy_nearly_gives_the_diagnosis_away_and_nothing_else_does(columns, data):
    proxy, target = PLANTED["proxy"]
    assert 0.85 < rate(data, proxy, target).adjusted < 1
    others = set(columns) - {proxy, target, "patient", "contact", PLANTED["constant"]}
    assert all(rate(data, other, target).adjusted < 0.25 for other in others)


@pytest.mark.parametrize("attribute", PLANTED["lone values"])
def test_a_lone_value_stands_on_one_record(columns, data, attribute):
    times = Counter(columns[attribute])
    assert times[PLANTED["lone values"][attribute]] == 1
    assert len(times) * 20 < RECORDS
    assert dv.identifier_class(data, keys=attribute) is IdentifierClass.PARTIAL


def test_the_lone_age_is_impossible_and_the_others_are_not(columns):
    ages = sorted(columns["age"])
    assert ages[-1] == PLANTED["lone values"]["age"] > 122
    assert ages[0] >= 0
    assert ages[-2] < 96
    low, high = ages[RECORDS // 4], ages[3 * RECORDS // 4]
    assert ages[-1] > high + 3 * (high - low)  # far out by Tukey's outer fence


@pytest.mark.parametrize("attribute", PLANTED["misspelt"])
def test_a_misspelt_value_stands_beside_a_frequent_one(columns, attribute):
    wrong, right = PLANTED["misspelt"][attribute]
    times = Counter(columns[attribute])
    assert times[wrong] == 1
    assert times[right] > 100


def test_diagnoses_depend_on_age_and_sex(columns, data):
    people = list(zip(columns["diagnosis"], columns["sex"], columns["age"], strict=True))
    assert len(set(columns["diagnosis"])) == 12
    assert {sex for diagnosis, sex, _ in people if diagnosis == "childbirth"} == {"female"}
    assert {sex for diagnosis, sex, _ in people if diagnosis == "prostate cancer"} == {"male"}
    assert min(age for diagnosis, _, age in people if diagnosis == "heart failure") >= 60
    assert rate(data, "age").adjusted > 0.1
    assert abs(rate(data, "postcode").adjusted) < 0.02


def test_people_do_what_people_of_their_age_do(columns):
    grown = [
        (job, status)
        for age, job, status in zip(
            *(columns[n] for n in ("age", "occupation", "marital_status")), strict=True
        )
        if age < 18
    ]
    assert {status for _, status in grown} == {"single"}
    assert {job for job, _ in grown} == {"infant", "pupil", None}


def test_the_same_seed_writes_the_same_bytes(paths, tmp_path):
    again = write(tmp_path)
    assert list(again) == ["data", "policy", "age", "postcode"]
    assert all(again[what].read_bytes() == path.read_bytes() for what, path in paths.items())
    assert clinic(seed=8) != clinic(seed=7)


def test_the_clinic_is_the_same_everywhere(paths):
    digest = hashlib.sha256(paths["data"].read_bytes()).hexdigest()
    assert digest == "3a8d9ac95c44e411e6b96d0d0a1b46780758d3efee3d236805235e935ce44d98"


def test_the_file_reads_as_the_columns_it_was_written_from(paths, columns):
    data = dv.read(paths["data"])
    assert data.schema.attributes == tuple(columns)
    assert data.records == RECORDS
    postcodes = data.column("postcode")
    assert [postcodes.values[code - 1] for code in postcodes.codes.tolist()] == columns["postcode"]


@pytest.mark.parametrize("attribute", ["age", "postcode"])
def test_hierarchies_cover_the_data_and_get_coarser(paths, attribute):
    hierarchy = dv.Hierarchy.read(paths[attribute], attribute=attribute)
    codes = dv.read(paths["data"]).column(attribute)
    sizes = [len(set(hierarchy.level(n).apply(codes, attribute=attribute).codes.tolist())) for n in (0, 1, 2)]
    assert sizes[0] > sizes[1] > sizes[2] >= 1


def test_the_policy_is_read_and_some_of_it_is_not_kept(paths):
    policy = Policy.read(paths["policy"])
    data = policy.open(None)
    assert set(policy.attributes) == set(data.schema.attributes)
    kept = Counter()
    for threshold in policy.thresholds:
        keys = threshold.keys or data.schema.quasi_identifiers
        target = "diagnosis" if threshold.measure.reads_target else "@record"
        reading = dv.measure(data, threshold.measure.name, keys=keys, target=target, **threshold.parameters)
        found = reading.adjusted if threshold.adjusted else reading.value
        kept[found >= threshold.min if threshold.max is None else found <= threshold.max] += 1
    assert kept[True] >= 3
    assert kept[False] >= 3


@pytest.mark.parametrize("records", [FEWEST, 1000])
def test_smaller_clinics_have_the_same_problems(records):
    columns = clinic(records)
    assert {len(values) for values in columns.values()} == {records}
    for attribute, value in PLANTED["lone values"].items():
        assert columns[attribute].count(value) == 1
    for attribute, (wrong, right) in PLANTED["misspelt"].items():
        assert columns[attribute].count(wrong) == 1
        assert columns[attribute].count(right) > 0


def test_a_tiny_clinic_is_refused():
    with pytest.raises(dv.DivulgeError, match=r"A clinic of 9 records is too small\. Ask for 100 or more\."):
        clinic(9)
