"""Names of persons, and who has to be taken for whom."""

import pytest

from divulge.errors import ParameterError
from divulge.service.identities.persons import person_named, same_person


@pytest.mark.parametrize(
    "other",
    [
        "ANN LEE",
        "ann  lee",
        "Ａｎｎ Ｌｅｅ",  # as wide as a Chinese character
        "𝐀nn Lee",  # a letter of mathematics
        "Аnn Lee",  # Cyrillic A
        "Αnn Lее",  # Greek A, Cyrillic e
        "Ann\u00a0Lee",
    ],
)
def test_names_that_look_alike_are_one_person(other):
    assert same_person("Ann Lee", other)


@pytest.mark.parametrize(
    ("one", "other"), [("straße", "STRASSE"), ("ﬁn", "Fin"), ("Ian", "lan"), ("b0b", "bob")]
)
def test_ligatures_digits_and_capitals_do_not_make_a_second_person(one, other):
    assert same_person(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dora", "ԁora"),  # Cyrillic
        ("Eva", "Eνa"),  # Greek, in its small letter
        ("uma", "υma"),
        ("oho", "օհօ"),  # Armenian
        ("DAD", "ᎠᎪᎠ"),  # Cherokee
        ("qwv", "ԛԝѵ"),
        ("gab", "ɡɑb"),  # phonetic
        ("Olo", "ᴏlo"),
        ("Ann Lee", "AnnLee"),
        ("Ann-Lee", "Ann\u2010Lee"),
        ("O'Neil", "O’Neil"),
    ],
)
def test_letters_dashes_and_spaces_that_are_hard_to_tell_apart_do_not_make_a_second_person(one, other):
    assert same_person(one, other)
    assert same_person(other, one)


@pytest.mark.parametrize("given", ["Eνa", "ԁora", "Ꭰan", "Ոon", "ɡab", "ᴏlo", "Олga", "ǀan", "ĸarl"])
def test_a_name_in_several_scripts_or_phonetic_letters_is_refused(given):
    with pytest.raises(ParameterError, match="several scripts"):
        person_named(given)


def test_other_names_are_other_persons():
    assert not any(same_person("Ann Lee", other) for other in ("Ann", "Anne Lee", "Lee Ann", "Änn Lee"))


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "x" * 101,
        "ann\n",
        "a\x00nn",
        "\x1b[31mann",
        "ann\u202eeve",  # what follows is shown from the right
        "an\u200bn",  # no width
        "ann\ufe0f",
        "ann\u3164",  # a letter that shows nothing
        "an\ud800n",
        "ann\ue000",
        "ann\u2028eve",
        "an\u00a0n",
        "Operator",
        "оperator",  # Cyrillic o
        "restored",
    ],
)
def test_a_name_that_could_be_shown_as_another_is_refused(given):
    with pytest.raises(ParameterError):
        person_named(given)


def test_names_in_any_script_are_kept_as_they_are_written():
    names = (
        "Zoë",
        "Ольга",
        "李四",
        "D'Arcy O’Neil-3",
        "ann@example.org",
        "Nguyễn Văn Đức",
        "Ionuț",
        "Əli",
        "Li 李",
    )
    for name in (*names, "Αλέξανδρος", "مریم", "राम", "יוסף", "Keʻala", "Łukasz", "Ɓala"):
        assert person_named(f" {name} ") == name
