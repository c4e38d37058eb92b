"""Names of people that no list has, and what is spelled nearly so and names nobody."""

from itertools import product

import pytest

from divulge.roles.patterns import is_internet_address
from divulge.roles.personal_names import full_names
from divulge.roles.spelled_as_people import spelled_as_people

LAST = [
    *("Smith", "Kowalski", "Garcia", "Ivanov", "Yamada", "Haddad", "Andersen", "Rossi", "Müller", "Dubois"),
    *("Okafor", "Nguyen", "Patel", "Silva", "Novak", "Jansen", "Larsen", "Costa", "Moreau", "Fischer"),
    *("Weber", "Kaya", "Singh", "Chen"),
]
CITIES = [
    *(
        "Austin",
        "Dallas",
        "Houston",
        "Denver",
        "Omaha",
        "Tulsa",
        "Tampa",
        "Boston",
        "Detroit",
        "Fresno",
        "Mesa",
    ),
    *("Miami", "Tucson", "Oakland", "Seattle", "Chicago", "Phoenix", "Memphis", "Raleigh", "Atlanta", "Reno"),
]
ILLNESSES = [
    *("糖尿病", "高血压", "肺炎", "哮喘", "流感", "胃炎", "肝炎", "肾炎", "骨折", "贫血", "中风"),
    *("痛风", "湿疹", "癫痫", "麻疹", "腹泻", "便秘", "失眠", "头痛", "心悸"),
]


@pytest.mark.parametrize(
    "way",
    [
        "A. {}",
        "J.-P. {}",
        "{} B",
        "{}, B.",
        "{} B. C.",
        "{}A",
        "B{}",
        "{} 16.09.1997",
        "{}, Ana 1961",
        "{}_1961-03-02",
    ],
)
def test_a_name_with_an_initial_or_a_date_is_of_a_person(way):
    if way in ("{}A", "B{}"):
        names = [way.format(last) for last in LAST if last.isascii()]
    else:
        names = [way.format(last) for last in LAST]
    assert spelled_as_people(names)
    assert spelled_as_people([name.upper() for name in names]) or way in ("{}A", "B{}")
    assert not spelled_as_people([*names[:5] * 5])  # a few may be anything


def test_chinese_and_korean_names_begin_with_one_of_few_surnames():
    chinese = ["".join(one) for one in product("王李张刘陈", "伟芳娜敏静", ["", "丽"])]
    korean = ["".join(one) for one in product("김이박최정", "민준서연지", ["우", "훈"])]
    assert spelled_as_people(chinese)
    assert spelled_as_people(korean)
    assert not spelled_as_people(ILLNESSES)


@pytest.mark.parametrize(
    "way",
    ["{} TX", "{}, TX", "{}", "{} Hospital", "Hepatitis A {}", "{} 12", "ward {}", "{} b", "{} 4.5", "{} II"],
)
def test_places_wards_and_stages_are_not(way):
    assert not spelled_as_people([way.format(city) for city in CITIES])


def test_full_names_of_other_scripts_and_addresses_are_full_names():
    assert full_names(["أحمد الحربي", "فاطمة حداد", "علي نجار"])
    assert full_names(["प्रिया शर्मा", "राहुल वर्मा", "सुनीता पटेल"])
    assert full_names(["anna.smith", "boris_kaya", "Weber/Clara"])
    assert full_names(["Jose\N{COMBINING ACUTE ACCENT} Garcia", "Ana Costa"])


@pytest.mark.parametrize(
    "texts",
    [
        ["James Paget Hospital", "Alexandra Hospital", "St Mary's Hospital", "William Harvey Hospital"],
        ["George Washington University", "Clark University", "William Paterson University"],
        ["Rosa canina", "Viola odorata", "Angelica sylvestris", "Veronica persica"],
        ["St Mary", "St James", "St Andrew", "Saint Thomas"],
        ["Anna Ward", "Clara Ward", "Emma Ward"],
        ["file.txt", "notes.doc"],
    ],
)
def test_places_and_species_that_are_named_for_people_are_no_people(texts):
    assert not full_names(texts)


def test_versions_of_a_program_are_no_network_addresses():
    assert not any(map(is_internet_address, ["1.2.3.4", "8.19.0.12", "2.0.0.0"]))
    assert all(map(is_internet_address, ["10.2.3.4", "192.168.0.1", "84.12.3.190", "2001:db8::1", "1::8"]))
