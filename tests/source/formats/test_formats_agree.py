"""The same table in every format is the same table: its columns, and the audit of it."""

import json
from pathlib import Path

import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.engines.opening import open_source
from divulge.source.formats.recognition import FORMATS as KNOWN
from file_formats import FORMATS, TABLE, as_csv, put, spelled

ROLES = {"quasi_identifiers": ["zip", "age", "born", "income", "member"], "sensitive": ["illness"]}
QUICK = ("JSON",)


def columns(source):
    """The columns as CSV would spell them."""
    found = {}
    for name, column in source.encode(source.attributes).items():
        texts = ["", *map(spelled, column.values)]
        found[name] = [texts[code] for code in column.codes]
    return found


def audited(path, **said):
    found = audit(dv.read(path, **ROLES, **said), search=False).document
    document = json.loads(json.dumps(found))
    document["source"]["name"] = "table"
    del document["provenance"]  # the file, and its digest
    return settled(document)


def settled(value):
    """A document without what depends on the order of values: last digits, ties, and numbers for names."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: settled(one) for name, one in value.items() if name != "label"}
    if isinstance(value, list):
        return sorted(map(settled, value), key=json.dumps)
    return value


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return audited(as_csv(tmp_path_factory.mktemp("expected")))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_columns(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write, said = FORMATS[form]
    found = columns(open_source(write(tmp_path), **said))
    wanted = {name: [spelled(value) for value in column] for name, column in TABLE.items()}
    if "partitions" not in form:  # whose records stand in another order
        assert found == wanted
    assert sorted(zip(*(found[name] for name in wanted), strict=True)) == sorted(
        zip(*wanted.values(), strict=True)
    )


def same_audit(form, tmp_path, monkeypatch, expected):
    monkeypatch.chdir(tmp_path)
    write, said = FORMATS[form]
    assert audited(write(tmp_path), **said) == expected


@pytest.mark.parametrize("form", QUICK)
def test_the_audit_is_the_same(form, tmp_path, monkeypatch, expected):
    same_audit(form, tmp_path, monkeypatch, expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", sorted(FORMATS.keys() - set(QUICK)))
def test_every_format_has_the_same_audit(form, tmp_path, monkeypatch, expected):
    same_audit(form, tmp_path, monkeypatch, expected)


def test_no_format_is_left_out(tmp_path):
    endings = set()
    for place, (write, _) in enumerate(FORMATS.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        endings.add(write(folder).suffix)
    for form in KNOWN:
        assert endings & set(form.endings), form.called


@pytest.mark.parametrize("form", ["SPSS", "Stata", "SAS", "Excel", "ORC", "Parquet", "JSON", "Feather"])
def test_a_format_is_told_by_its_content_whatever_its_name(form, tmp_path):
    write, said = FORMATS[form]
    written = write(tmp_path)
    assert open_source(put(tmp_path / "table.csv", written.read_bytes()), **said).records == 24


def test_a_text_is_not_taken_for_something_else_by_its_first_letters(tmp_path):
    for name in ("ORCID", "ORCé", "PAR", "HEADER RECORD", "PK", "ARROW", "sex\u00e9", "BZ"):
        assert open_source(put(tmp_path / "t.csv", f"{name},b\nx,y\nz,w\n")).attributes == (name, "b")


@pytest.mark.parametrize("form", [one for one in KNOWN if one.needs])
def test_a_library_that_is_missing_is_named_with_the_format_and_the_extra(form, tmp_path, monkeypatch):
    monkeypatch.setattr("divulge.source.formats.opening.find_spec", lambda package: None)
    path = put(tmp_path / f"table{form.endings[0]}", b"name,age\nAnn,30\n")
    package, extra = form.needs
    said = rf"Reading {form.called} needs the package '{package.replace('_', '-')}'.*divulge\[{extra}\]"
    with pytest.raises(dv.DivulgeError, match=said):
        open_source(path)


def test_every_extra_is_one_of_the_project():
    import tomllib

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for package, extra in (form.needs for form in KNOWN if form.needs):
        assert any(one.startswith(package.replace("_", "-")) for one in extras[extra])
        assert extra in str(extras["all"])
