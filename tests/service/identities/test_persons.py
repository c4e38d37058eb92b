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


# Unicode's Default_Ignorable_Code_Point, and what else is drawn as nothing: a blank of Braille, of notes, of
# Khitan and of hieroglyphs, and what only changes the sign before it.
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    (0xE0000, 0xE0FFF),
)
BLANK = "\u2800\u2d7f\ufffc\U00013441\U00013442\U00016fe4\U0001bc9d\U0001d159\U0001da9b\U0001daaf"


def test_what_shows_nothing_is_refused_and_makes_no_second_person():
    ignorable = [chr(one) for first, last in IGNORABLE for one in range(first, last + 1)]
    for one in (*ignorable, *BLANK):
        assert same_person("dora", f"dora{one}"), hex(ord(one))
        assert same_person(f"d{one}ora", "Dora"), hex(ord(one))
        for given in (f"dora{one}", f"d{one}ora", f"{one}dora"):
            with pytest.raises(ParameterError, match="not shown"):
                person_named(given)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ស", "ស\u17b5"),  # a vowel that is not written
        ("မမ", "မမ\u1039"),  # what puts the next letter below, and there is none
        ("ⵣⵣ", "ⵣⵣ\u2d7f"),
        ("dora", "dora\u0e38"),  # a mark of another script
        ("dora", "do\u20ddra"),  # a circle around a letter
        ("ann", "ann \u0301"),  # on nothing
        ("kọ", "kọ\u0323"),  # a dot on a dot
        ("dora", "dora🌸"),
    ],
)
def test_a_mark_belongs_to_a_letter_of_its_script(one, other):
    assert person_named(one) == one
    assert same_person(one, other)
    with pytest.raises(ParameterError, match="not shown"):
        person_named(other)


def test_names_with_marks_are_kept_and_are_other_persons():
    marked = ("मी", "မြန်မာ", "ភាសាខ្មែរ", "ภูมิ", "m\u0303a", "שָׂרָה", "مُحَمَّد", "நித்யா", "བསོད་ནམས", "သန္တာ")
    for name in (*marked, "R+D <one>", "50° N", "C·3", "½"):
        assert person_named(name) == name
    assert not same_person("मी", "मि")
    assert not same_person("ภูมิ", "ภูมี")
    assert not same_person("🌸", "🌼")


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
