"""Parts of a file that no record holds: they warn where they may be about people, and are never quoted."""

import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import divulge as dv
from divulge.assessment import audit

PEOPLE = [
    f"{first} {last}"
    for first in ("Anna", "David", "Elena", "Olga", "Peter")
    for last in ("Weber", "Koch", "Huber", "Lang", "Roth", "Beck", "Graf", "Otto")
]
FRAME = pd.DataFrame(
    {"age": [20 + 10 * (n % 4) for n in range(240)], "ill": ["flu", "cold", "gout"] * 80, "q": [1, 2] * 120}
)


def gap(path, **said):
    """What the check of gaps says of a file, and what it says that was not looked at."""
    data = dv.read(str(path), quasi_identifiers="age", sensitive="ill", **said)
    check = audit(data, search=False).checks[-1]
    assert check.measure_name == "measured"
    found = check.sentence.partition("no check looked at them: ")[2].partition(". They go out")[0]
    assert (check.outcome == "warn") is bool(found)
    assert not any(name in check.sentence + check.answer.note for name in ("Weber", "Anna", "example"))
    return found, check.answer.note


@pytest.fixture
def csv(tmp_path):
    """A CSV file with lines put before its header and among its records."""

    def write(above=(), among=()):
        header, *lines = FRAME.to_csv(index=False).splitlines()
        path = tmp_path / "a.csv"
        path.write_text("\n".join([*above, header, *among, *lines]) + "\n")
        return path

    return write


def test_lines_before_the_header_are_a_title_unless_they_are_many_or_name_someone(csv):
    found, note = gap(csv(above=["Health survey", "", "Source: Office, May 2020"]), skip=3)
    assert not found
    assert "what else is in the file (2 lines before the header)" in note
    assert gap(csv(above=["Anna Weber has asthma"]), skip=1)[0] == "1 line before the header"
    assert gap(csv(above=["write to a.b@example.org"]), skip=1)[0] == "1 line before the header"
    assert gap(csv(above=[f"row {n}" for n in range(11)]), skip=11)[0] == "11 lines before the header"
    found, note = gap(csv(above=["", ""]), skip=2)
    assert not found
    assert "what else" not in note


def test_comments_are_read_for_names(csv):
    assert gap(csv(among=["# Anna Weber, asthma"]), comment="#")[0] == "1 comment line"
    assert gap(csv(among=[f"# {n}" for n in range(50)]), comment="#")[0] == "50 comment lines"
    found, note = gap(csv(above=["# ages in years"]), comment="#")
    assert not found
    assert "1 comment line" in note


def test_a_file_without_anything_else_has_nothing_to_say(csv):
    assert gap(csv()) == ("", gap(csv())[1])
    assert "what else" not in gap(csv())[1]


def test_a_limit_of_memory_changes_nothing(csv):
    assert gap(csv(among=["# Anna Weber, asthma"]), comment="#", memory="1GB")[0] == "1 comment line"


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("age 1 2\nill 13 4\n", "1 strip of characters outside the columns of the layout"),
        ("age 1 2\nname 3 10\nill 13 4\n", ""),
        ("age 1 2\nname 3 10\n", "1 strip of characters outside the columns of the layout"),
        ("name 3 10\nill 13 4\n", "1 strip of characters outside the columns of the layout"),
    ],
)
def test_characters_outside_the_columns_of_a_layout(tmp_path, columns, found):
    ages, ills = FRAME["age"], FRAME["ill"]
    lines = [f"{a}{PEOPLE[n % 40]:10.10}{i:4}" for n, (a, i) in enumerate(zip(ages, ills, strict=True))]
    (tmp_path / "a.dat").write_text("\n".join(lines) + "\n")
    (tmp_path / "a.rda").write_text(columns)
    data = dv.read(str(tmp_path / "a.dat"), layout=str(tmp_path / "a.rda"))
    said = audit(data, search=False).checks[-1].sentence
    assert found in said
    assert ("no check looked" in said) is bool(found)


def test_what_is_the_same_on_all_lines_says_nothing_of_anybody(tmp_path):
    (tmp_path / "a.dat").write_text("".join(f"{a}|{i:4};\n" for a, i in FRAME[["age", "ill"]].to_numpy()))
    (tmp_path / "a.rda").write_text("age 1 2\nill 4 4\n")
    assert gap(tmp_path / "a.dat", layout=str(tmp_path / "a.rda"))[0] == ""


def test_files_of_a_folder_that_are_left_out(tmp_path):
    for name in ("part1.csv", "part2.csv"):
        FRAME.to_csv(tmp_path / name, index=False)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part1.csv.crc").write_bytes(b"crc\0\0\0\0\0")
    assert gap(tmp_path)[0] == ""
    (tmp_path / "_names.csv").write_text("\n".join(PEOPLE))
    (tmp_path / ".old").mkdir()
    (tmp_path / ".old" / "names.csv").write_text("\n".join(PEOPLE))
    assert gap(tmp_path)[0] == "2 files whose name, or whose folder's, begins with _ or a dot"
    assert gap(f"{tmp_path}/part*.csv")[0] == ""  # a pattern says which files are meant


def test_parts_of_several_files_add_up(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(f"# {PEOPLE[0]}\n{FRAME.to_csv(index=False)}")
    assert gap(tmp_path, comment="#")[0] == "2 comment lines"


@pytest.fixture
def book(tmp_path):
    """A workbook with the table in its first sheet, and whatever else is done to it."""

    def write(change=lambda book: None):
        held = openpyxl.Workbook()
        held.active.title = "Table"
        for row in [list(FRAME), *FRAME.to_numpy().tolist()]:
            held.active.append(row)
        change(held)
        held.save(tmp_path / "a.xlsx")
        return f"{tmp_path}/a.xlsx#Table"

    return write


def test_other_sheets_of_a_workbook(book):
    def names(held):
        sheet = held.create_sheet("more")
        sheet.sheet_state = "hidden"
        for name in PEOPLE:
            sheet.append([name])

    assert gap(book(names))[0] == "1 other sheet"
    assert gap(book(lambda held: held.create_sheet("Sheet2")))[0] == ""  # an empty one


def test_comments_and_properties_of_a_workbook(book):
    def remark(held):
        held.active["A2"].comment = openpyxl.comments.Comment("see Anna Weber", "x")
        held.properties.description = "without Anna Weber"

    assert gap(book(remark))[0] == "1 cell comment and 1 document property"
    found, note = gap(book())
    assert not found
    assert "1 name of who made the file" in note  # openpyxl

    def usual(held):
        held.properties.creator = "Anna Weber"
        held.properties.title = "Health survey 2020"

    found, note = gap(book(usual))
    assert not found
    assert "1 document property" in note


def test_labels_that_no_record_has_or_that_are_not_used(tmp_path):
    frame = FRAME.drop(columns="ill").assign(ill=1)
    codes = {1: "flu", 2: "cold", 8: "don't know", 9: "refused"}
    path, named = str(tmp_path / "a.dta"), dict(enumerate(PEOPLE, 1))
    for given in ({}, {"labels": "ignore"}):
        pyreadstat.write_dta(frame, path, variable_value_labels={"ill": codes})
        found, note = gap(path, **given)
        assert not found
        assert "what else is in the file" in note
    pyreadstat.write_dta(frame, path, variable_value_labels={"q": named})
    assert gap(path)[0] == "38 value labels"
    assert gap(path, labels="ignore")[0] == "40 value labels"
    pyreadstat.write_sav(
        frame, str(tmp_path / "a.sav"), variable_value_labels={"q": named}, note="Anna Weber, HIV"
    )
    assert gap(tmp_path / "a.sav")[0] == "38 value labels and 1 note"


def test_as_many_labels_as_people_may_be_one_of_each(tmp_path):
    labels = {n: f"place {n}" for n in range(3, 303)}
    pyreadstat.write_dta(FRAME.assign(q=1), str(tmp_path / "a.dta"), variable_value_labels={"q": labels})
    assert gap(tmp_path / "a.dta")[0] == "300 value labels"


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_categories_that_no_record_has(tmp_path, name):
    path = tmp_path / name
    write = pd.DataFrame.to_parquet if name == "a.parquet" else pd.DataFrame.to_feather

    def with_categories(more):
        frame = FRAME.assign(ill=FRAME["ill"].astype("category").cat.add_categories(more))
        write(frame, path)
        return path

    assert gap(with_categories(PEOPLE))[0] == "40 categories"
    found, note = gap(with_categories(["measles", "none"]))
    assert not found
    assert "2 categories" in note
    write(FRAME, path)
    assert "what else" not in gap(path)[1]


def test_metadata_of_a_parquet_file_beyond_what_writers_note(tmp_path):
    path, table = tmp_path / "a.parquet", pa.Table.from_pandas(FRAME)
    pq.write_table(table.replace_schema_metadata({b"note": b"Anna Weber", **table.schema.metadata}), path)
    assert gap(path)[0] == "1 entry of metadata"
    frame = FRAME.copy()
    frame.attrs = {"note": "Anna Weber"}
    frame.to_parquet(path)
    assert gap(path)[0] == "1 entry of metadata"


def test_comments_of_a_zip_archive(tmp_path, csv):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(csv(), "a.csv")
    assert gap(tmp_path / "a.zip")[0] == ""
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.comment = b"Anna Weber"
    assert gap(tmp_path / "a.zip")[0] == "1 comment of the zip archive"


def test_a_policy_that_ignores_gaps_says_so(csv):
    data = dv.read(str(csv(among=["# Anna Weber"])), quasi_identifiers="age", sensitive="ill", comment="#")
    policy = dv.Policy.of(
        {
            "attributes": {"age": "quasi-identifier"},
            "thresholds": {"measured": "ignore", "k_anonymity": {"min": 2}},
        }
    )
    check = audit(data, policy, search=False).checks[-1]
    assert check.outcome == "pass"
    assert "1 comment line" in check.sentence


def test_a_release_is_held_to_what_is_beside_its_records(csv, tmp_path):
    frame = FRAME.assign(ill=FRAME["ill"].astype("category").cat.add_categories(PEOPLE))
    frame.to_parquet(tmp_path / "b.parquet")
    policy = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": {"k_anonymity": {"min": 2}},
    }
    found = dv.compare(str(csv()), str(tmp_path / "b.parquet"), policy=policy)
    assert "40 categories" in str(found.to_dict())
