"""Values of records are planted in every form that is refused, and looked for in all that comes out."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import traceback
import zipfile
from pathlib import Path

import pytest

from divulge.engines.opening import open_source
from divulge.errors import SourceError, UnknownAttribute
from file_formats import FORMATS, MARKER, SEVERAL, compound, put
from file_formats import zipped as archive_of
from in_process import run

ROWS = [{"name": f"{MARKER}{place}", "age": 30 + place, "diagnosis": f"{MARKER} flu"} for place in range(9)]
LINES = "".join(f"{MARKER}{place:<12}19{place}40102M{MARKER} flu\n" for place in range(9))
WIDE = "".join(f"{MARKER}{place}      {30 + place}   {MARKER} flu\n" for place in range(9))
RECORDS = "".join(f"{MARKER}{place},{30 + place},{MARKER} flu\n" for place in range(9))
XML = f"<people><person name='{MARKER}'><diagnosis>{MARKER}</diagnosis></person></people>"


def zipped(name):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(name, RECORDS)
    return held.getvalue()


TABLES = {
    "JSON lines": "".join(json.dumps(row) + "\n" for row in ROWS),
    "JSON": json.dumps(ROWS),
    "JSON on many lines": json.dumps(ROWS, indent=2),
    "JSON of one object": json.dumps(ROWS[0]),
    "JSON with a mark": b"\xef\xbb\xbf" + json.dumps(ROWS).encode(),
    "JSON in UTF-16": json.dumps(ROWS).encode("utf-16"),
    "JSON, compressed": gzip.compress(json.dumps(ROWS).encode()),
}
FORMS = {
    "JSON, cut off": json.dumps(ROWS)[:-9],
    "JSON lines, cut off": TABLES["JSON lines"][:-9],
    "JSON of lists": json.dumps([list(row.values()) for row in ROWS]),
    "JSON of values": json.dumps([row["name"] for row in ROWS]),
    "JSON with a key twice": f'{{"name": "{MARKER}", "name": "{MARKER}2"}}\n' * 3,
    "JSON of nested values": json.dumps([{"a": row} for row in ROWS]),
    "JSON of columns": json.dumps({"name": [row["name"] for row in ROWS]}),
    "Python's own spelling": "".join(f"{row}\n" for row in ROWS),
    "fixed width": LINES,
    "fixed width with blanks": WIDE,
    "fixed width with names": f"name            age  diagnosis\n{WIDE}",
    "XML": f'<?xml version="1.0"?>\n{XML}',
    "XML without a first line": XML,
    "HTML": f"<!DOCTYPE html><html><table><tr><td>{MARKER}</td></tr></table></html>",
    "YAML": "".join(f"- name: {row['name']}\n  diagnosis: {row['diagnosis']}\n" for row in ROWS),
    "settings": f"[person]\nname = {MARKER}\ndiagnosis = {MARKER}\n",
    "SQL": f"INSERT INTO people VALUES ('{MARKER}', 34, '{MARKER}');\n" * 3,
    "HL7": f"MSH|^~\\&|LAB|{MARKER}|1\nPID|1||{MARKER}\nPID|2||{MARKER}\n",
    "vCard": f"BEGIN:VCARD\nFN:{MARKER}\nEND:VCARD\n",
    "a drawn table": f"{MARKER} | 34 | {MARKER}\n-----+----+-----\n{MARKER} | 35 | x\n",
    "running text": f"The patient {MARKER} had {MARKER} on the second day of May.\nIt was so.\n",
    "records without names": RECORDS,
    "records of words": f"{MARKER},flu\nB,{MARKER}\n{MARKER},cold\nC,flu\nB,flu\n",
    "one record": f"{MARKER},34,{MARKER}",
    "addresses without names": f"{MARKER}@example.org,x\nb@example.org,y\n",
    "days without names": f"1985-03-02,{MARKER}\n1986-04-05,{MARKER}b\n",
    "identities without names": f"{MARKER},123e4567-e89b-12d3-a456-426614174000\nb,c\n",
    "the same number twice": f"20,20,{MARKER}\n21,22,{MARKER}\n",
    "Excel": zipped("xl/worksheets/sheet1.xml"),
    "an archive of two files": archive_of(a_csv=RECORDS, b_csv=RECORDS),
    "an archive in an archive": archive_of(a_zip=archive_of(a_csv=RECORDS)),
    "an archive, cut off": archive_of(a_csv=RECORDS)[:-9],
    "old Excel": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + MARKER.encode() * 30,
    "Excel with a password": compound("EncryptedPackage", MARKER.encode() * 500),
    "Word": compound("WordDocument", MARKER.encode() * 500),
    "pickled": pickle.dumps(ROWS),
    "pickled as text": pickle.dumps(ROWS, protocol=0),
    "SPSS": b"$FL2@(#) SPSS DATA FILE" + MARKER.encode() * 30,
    "Stata": b"<stata_dta><header>" + MARKER.encode() * 30,
    "SAS": b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + MARKER.encode() * 30,
    "R": b"RDX3\nX\n\0\0\0\3" + MARKER.encode() * 30,
    "Arrow": b"ARROW1\0\0" + MARKER.encode() * 30,
    "Avro": b"Obj\x01\x04\x16" + MARKER.encode() * 30,
    "records in bzip2": bz2.compress(RECORDS.encode() * 9),
    "xz, cut off": lzma.compress(RECORDS.encode() * 9)[:-9],
    "gzip in gzip": gzip.compress(gzip.compress(RECORDS.encode())),
    "encrypted": f"-----BEGIN PGP MESSAGE-----\n{MARKER}\n",
    "a broken Parquet file": b"PAR1" + MARKER.encode() * 30,
    "a ragged file": f"a,b,c\n{MARKER},2\n1,2,3\n",
    "an open quote": f'a,b\n1,2\n"{MARKER},3\n4,5\n',
    "letters of another encoding": b"a,b\n\xff\xfe\0\xd8" + MARKER.encode(),
    "zeros among letters": f"a,b\n{MARKER}\0,1\n",
}
READ = {"a ragged file", "an open quote", "letters of another encoding", "zeros among letters"}
GOOD = "age,sex,diagnosis\n" + "".join(
    f"{30 + place % 4},{'mf'[place % 2]},{MARKER}{place % 3}\n" for place in range(40)
)
POLICY = """
[attributes]
age = "quasi-identifier"
diagnosis = "sensitive"
[thresholds]
k_anonymity = { min = 2 }
"""
NEED = '[care]\ntarget = "diagnosis"\nkeys = ["age"]\n'


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    Path("policy.toml").write_text(POLICY)
    Path("need.toml").write_text(NEED)
    return tmp_path


@pytest.fixture
def ask(place, monkeypatch, capsys):
    def asked(*arguments):
        before = set(place.rglob("*"))
        code, out, err = run(monkeypatch, capsys, *arguments)
        written = "".join(path.read_text() for path in set(place.rglob("*")) - before)
        return code, out + err + written

    return asked


COMMANDS = {
    "audit": ("audit", "FORM"),
    "audit, as JSON": ("audit", "FORM", "--json"),
    "audit by roles": ("audit", "FORM", "--quasi-identifiers", "age", "--sensitive", "diagnosis"),
    "audit within a budget": ("audit", "FORM", "--memory", "1GB"),
    "measure": ("measure", "FORM", "--keys", "age"),
    "measure, as JSON": ("measure", "FORM", "--keys", "nothing", "--json"),
    "check": ("check", "FORM", "--policy", "policy.toml"),
    "init": ("init", "FORM", "--out", "new.toml"),
    "compare": ("compare", "FORM", "good.csv"),
    "compare with": ("compare", "good.csv", "FORM", "--quasi-identifiers", "age", "--sensitive", "diagnosis"),
    "utility": ("compare", "FORM", "--need", "need.toml"),
    "attacker": ("attacker", "--file", "FORM", "--keys", "age", "--target", "diagnosis"),
    "simulate": ("release", "simulate", "FORM", "--x", "age", "--y", "diagnosis"),
}


def write(form):
    held = (FORMS | TABLES)[form]
    Path("form.dat").write_bytes(held if isinstance(held, bytes) else held.encode())


def read(path, **said):
    source = open_source(path, **said)
    return source.encode(source.attributes)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_repeats_what_stands_in_a_file_it_cannot_read(name, place, ask):
    for form in ("JSON lines, cut off", "fixed width", "records without names"):
        write(form)
        code, said = ask(*("form.dat" if word == "FORM" else word for word in COMMANDS[name]))
        assert code == 2, form
        assert said.startswith("divulge: "), form
        assert MARKER not in said, form


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"separator": ","}])
def test_no_form_is_repeated_by_its_refusal(form, options, place):
    write(form)
    with pytest.raises(SourceError) as caught:
        read(place / "form.dat", **options)
    assert MARKER not in "".join(traceback.format_exception(caught.value))
    assert "form.dat" in str(caught.value) or "nested" in form or "columns" in form  # an attribute is named
    assert caught.value.hint or form in READ


@pytest.mark.parametrize("form", TABLES)
def test_json_is_read_and_its_values_are_not_repeated(form, place, ask):
    write(form)
    assert open_source(place / "form.dat").attributes == ("name", "age", "diagnosis")
    code, said = ask("measure", "form.dat", "--keys", "nobody")
    assert code == 2
    assert MARKER not in said


FAMILIES = ["CSV in gz", "Excel", "Feather", "JSON", "Parquet", "SPSS"]  # one of each library


@pytest.mark.parametrize("form", FAMILIES)
def test_no_format_is_repeated_where_it_is_cut_off_or_damaged(form, place):
    not_repeated(form, place)


@pytest.mark.slow
@pytest.mark.parametrize("form", sorted(FORMATS.keys() - SEVERAL - set(FAMILIES)))
def test_no_other_format_is_repeated_where_it_is_cut_off_or_damaged(form, place):
    not_repeated(form, place)


def not_repeated(form, place):
    written, said = FORMATS[form][0](place), FORMATS[form][1]
    refusals = []
    whole, half = written.read_bytes(), len(written.read_bytes()) // 2
    for content in (whole[:half], whole[:-5], whole[:half] + b"\xa5" * 20 + whole[half + 20 :]):
        path = put(place / f"form{written.suffix}", content)
        try:
            read(path, **said)
        except SourceError as error:
            refusals.append(error)
    assert refusals
    for refusal in refusals:
        assert MARKER not in "".join(traceback.format_exception(refusal))
        assert "form" in str(refusal)


BESIDE = {
    "policy": ("check", "good.csv", "--policy", "form.dat"),
    "baseline": ("check", "good.csv", "--policy", "policy.toml", "--earlier", "form.dat"),
    "hierarchy": (
        "measure",
        "good.csv",
        "--keys",
        "age",
        "--target",
        "diagnosis",
        "--hierarchy",
        "diagnosis=form.dat",
        "--measure",
        "t_closeness",
        "--with",
        "ground=hierarchical",
    ),
    "partitions": ("measure", "good.csv", "--keys", "age", "--partitions", "form.dat"),
    "need": ("compare", "good.csv", "--need", "form.dat"),
    "channel": ("attacker", "form.dat"),
    "prior": ("attacker", "channel.csv", "--prior", "form.dat"),
}


@pytest.mark.parametrize("beside", BESIDE)
def test_no_file_beside_the_data_is_repeated(beside, place, ask):
    Path("channel.csv").write_text("x,a,b\ns,0.5,0.5\nt,0.1,0.9\n")
    for form in ("JSON lines, cut off", "fixed width", "records without names", "a ragged file", "pickled"):
        write(form)
        code, said = ask(*BESIDE[beside])
        assert code == 2 or beside == "hierarchy", form  # lines of commas are the form of a hierarchy
        assert MARKER not in said, form


WRONG = {
    "an attribute": ("measure", "good.csv", "--keys", "nobody"),
    "a target": ("measure", "good.csv", "--keys", "age", "--target", "nobody"),
    "a key of compare": ("compare", "good.csv", "good.csv", "--by", "nobody"),
    "an order": (
        "measure",
        "good.csv",
        "--keys",
        "age",
        "--target",
        "diagnosis",
        "--order",
        "diagnosis=a,b",
        "--measure",
        "t_closeness",
        "--with",
        "ground=ordered",
    ),
    "weights": ("measure", "good.csv", "--keys", "age", "--weights", "diagnosis"),
    "a list": ("measure", "good.csv", "--keys", "age", "--partitions", "bins.toml"),
    "two roles": ("audit", "good.csv", "--identifiers", "age", "--sensitive", "age"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_no_error_about_good_data_repeats_values(wrong, place, ask):
    Path("bins.toml").write_text("[diagnosis]\nbins = [1, 2]\n[age]\nyoung = [30]\n")
    code, said = ask(*WRONG[wrong])
    assert code in {2, 3}
    assert MARKER not in said


def test_attributes_that_may_be_values_are_counted_and_not_listed():
    assert "age, sex" in str(UnknownAttribute("zip", ["age", "sex"]))
    told = str(UnknownAttribute("34x", ["34", "Ann", "flu"]))
    assert "3 attributes" in told
    assert not any(value in told.replace("'34x'", "") for value in ("34", "Ann", "flu"))


UNCLEAR = {
    "records of words": [
        f"{MARKER},Oslo,hiv",
        *(f"p{i},town {i},{('flu', 'cold')[i % 2]}" for i in range(60)),
    ],
    "one column": [MARKER, *(f"p{i}" for i in range(60))],
    "one word recurs": [f"{MARKER},flu,age", *(f"p{i},flu,{i}" for i in range(60))],
}


@pytest.mark.parametrize("unclear", UNCLEAR)
def test_a_first_line_that_may_be_a_record_is_not_repeated(unclear, place, ask):
    Path("form.csv").write_text("\n".join(UNCLEAR[unclear]) + "\n")
    code, said = ask("measure", "form.csv", "--keys", f"{MARKER[:-1]}x")
    assert (code, "are not shown" in said, MARKER in said) == (2, True, False)
    Path("other.toml").write_text('[attributes]\nnobody = "quasi-identifier"\n')
    code, said = ask("check", "form.csv", "--policy", "other.toml")
    assert (code, MARKER in said) == (2, False)


@pytest.mark.parametrize("unclear", UNCLEAR)
def test_a_first_line_that_may_be_a_record_is_reported_once_a_role_says_that_it_has_names(
    unclear, place, ask
):
    Path("form.csv").write_text("\n".join(UNCLEAR[unclear]) + "\n")
    for command in (
        ["audit", "form.csv", "--json"],
        ["init", "form.csv", "--out", "draft.toml"],
        ["compare", "form.csv", "form.csv"],
    ):
        code, said = ask(*command)
        assert (code, "may be a record" in said, MARKER in said) == (2, True, False)
    assert not Path("draft.toml").exists()
    for name, more in ((MARKER, []), ("column 1", ["--no-header"])):
        code, said = ask("audit", "form.csv", "--quasi-identifiers", name, *more)
        assert (code, MARKER in said) == (0, name == MARKER)


def test_a_comparison_that_is_refused_does_not_list_columns_that_may_be_a_record(place, ask):
    Path("form.csv").write_text("\n".join(UNCLEAR["records of words"]) + "\n")
    _, said = ask("compare", "good.csv", "form.csv", "--quasi-identifiers", "age", "--json")
    assert "0 of its 3 attributes are in the original" in said
    assert MARKER not in said


def test_columns_for_years_have_names(tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("country,2019,2020,2021\nNorway,1,2,3\nItaly,4,5,6\n")
    assert open_source(path).attributes == ("country", "2019", "2020", "2021")


def test_a_column_that_is_named_for_its_answer_is_no_record(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,asthma,flu,age\n1,asthma,,30\n2,,flu,31\n3,asthma,flu,32\n")
    assert open_source(path).attributes == ("id", "asthma", "flu", "age")


def test_reports_name_files_without_their_folders(place, ask):
    folder = place / "ZQFOLDER"
    folder.mkdir()
    for name in ("good.csv", "policy.toml", "need.toml"):
        (folder / name).write_text((place / name).read_text())
    data, policy, need = folder / "good.csv", folder / "policy.toml", folder / "need.toml"
    for command in (
        ("audit", data),
        ("audit", data, "--json"),
        ("audit", data, "--policy", policy, "--markdown", "a.md", "--junit", "a.xml"),
        ("check", data, "--policy", policy, "--json"),
        ("compare", data, data, "--quasi-identifiers", "age", "--sensitive", "diagnosis", "--need", need),
        ("measure", data, "--keys", "age"),
        ("compare", data, "--need", need, "--json"),
        ("attacker", "--file", data, "--keys", "age", "--target", "diagnosis"),
    ):
        code, said = ask(*command)
        assert code in {0, 1}, command
        assert "good.csv" in said
        # A command on the terminal is to be copied there, so that it has the path as it was given.
        named = [line for line in said.splitlines() if "ZQFOLDER" in line]
        assert all(line.startswith(f"  divulge audit {data} --") for line in named), command
        assert len(named) == (command == ("audit", data))
        assert MARKER not in said, command
