"""Values that probably mean missing are said with the option that declares them."""

from divulge.assessment.assessment import _profiles
from divulge.assessment.missing_hints import missing_hints
from scenes import scope


def table(job):
    return {
        "age": [str(20 + i % 10) for i in range(200)],
        "job": job,
        "ill": [("flu", "cold")[i // 10 % 2] for i in range(200)],
    }


def test_codes_for_missing_are_named_with_the_option_that_declares_them():
    job = ["cook", "?", "nurse", "cook"] * 50
    asked = scope(table(job), keys=("age", "job"))
    (hint,) = missing_hints(asked.data, _profiles(asked, None))
    assert (hint.kind, hint.attribute, hint.values, hint.records) == ("missing code", "job", 1, 50)
    assert hint.sentence.startswith('job: 50 records (25%) have "?", which usually means missing.')
    assert "--missing-value '?'" in hint.sentence
    assert 'missing_values = ["?"]' in hint.sentence
    declared = scope(table(job), keys=("age", "job"), missing_values="?")
    assert missing_hints(declared.data, _profiles(declared, None)) == []


def test_fewer_than_five_records_with_a_code_are_not_counted_out():
    job = ["cook", "nurse"] * 99 + ["?", "?"]
    asked = scope(table(job), keys=("age", "job"))
    (hint,) = missing_hints(asked.data, _profiles(asked, None))
    assert hint.sentence.startswith('job: fewer than 5 records (<2.5%) have "?"')


def test_a_number_that_is_ordinary_elsewhere_is_not_to_be_declared():
    far = [99 if i % 20 == 0 else 10 + i % 20 for i in range(200)]
    near = {**table(far), "age": [60 + i % 40 for i in range(200)]}
    asked = scope(near, keys=("age", "job"))
    (hint,) = missing_hints(asked.data, _profiles(asked, None))
    assert hint.sentence == (
        'job: 10 records (5%) have "99", far from all other numbers, as codes for missing are. '
        "If so, make these cells empty: --missing-value would count it as missing in age too."
    )


def test_a_number_that_may_mean_missing_is_said_to_count_until_it_is_declared():
    columns = {**table(["cook"] * 200), "ill": [999 if i % 10 == 0 else 20 + i % 20 for i in range(200)]}
    asked = scope(columns, keys=("age", "job"))
    (hint,) = missing_hints(asked.data, _profiles(asked, None))
    assert (
        "as codes for missing are. A number counts as a value that can be learned until it is declared "
        "missing. To count" in hint.sentence
    )
