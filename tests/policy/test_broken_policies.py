"""Policies with a mistake: each is refused in a sentence that leads to the line and names a way out."""

from __future__ import annotations

import math

import pytest

from divulge.errors import PolicyError
from divulge.policy import Policy

PATIENTS = """name,age,zip,sex,weight,disease
Ann,34,1069,f,1.5,flu
Bob,36,1067,m,0.5,flu
Cem,51,1069,m,1.0,cold
"""
ATTRIBUTES = """
[attributes]
name = "identifier"
age = "quasi-identifier"
zip = "quasi-identifier"
disease = "sensitive"
"""
ASKED = """
[thresholds]
k_anonymity = { min = 2 }
"""
SOURCE = """
[data]
source = "patients.csv"
"""


def data(line: str) -> str:
    return SOURCE + line + " #<\n" + ATTRIBUTES + ASKED


def source(line: str) -> str:
    return f"[data]\n{line} #<\n" + ATTRIBUTES + ASKED


def attribute(line: str) -> str:
    return SOURCE + '[attributes]\nage = "quasi-identifier"\n' + line + " #<\n" + ASKED


def threshold(line: str) -> str:
    return SOURCE + ATTRIBUTES + "[thresholds]\n" + line + " #<\n"


# The line that the message should lead to ends in #<.
BROKEN = [
    # -- record linkage
    (threshold("linked_distence = { max = 0.1 }"), ["thresholds.linked_distence", "'linked_distance'?"]),
    (
        threshold("linked_distance = { min = 0.1 }"),
        ["linked_distance.min: there is no key", "max and severity"],
    ),
    (threshold("linked_interval = {}"), ["thresholds.linked_interval: there is no bound", "max = 0.05"]),
    (threshold("linked_probability = { max = 1 }"), ["linked_probability.max", "a share from 0 on, below 1"]),
    (threshold("linked_distance = { max = nan }"), ["linked_distance.max", "a share from 0 on, below 1"]),
    (threshold("linked_distance = 0.1"), ["linked_distance: this must be a table", "in a list"]),
    (threshold("linked_distance = []"), ["linked_distance: the list is empty"]),
    (threshold('linked_interval = { max = "a" }'), ["linked_interval.max: this must be a number"]),
    # -- the text
    (
        threshold("singled_out = { max = 0,001, k = 3 } #<"),
        ["this is not TOML", "Write 0.001, with a point."],
    ),
    ("[data\n", ["line 1: this is not TOML", "quotation marks"]),
    ("[data]\nsource = patients.csv #<\n", ["data.source: this is not TOML", "quotation marks"]),
    ('[attributes]\nzip = { role = "sensitive" #<\n', ["attributes.zip: this is not TOML"]),
    (ATTRIBUTES + 'age = "sensitive" #<\n', ["attributes.age: this is not TOML", "A key may occur once"]),
    (ATTRIBUTES + ASKED + "k_anonymity = { min = 3 } #<\n", ["thresholds.k_anonymity", "in a list"]),
    (SOURCE + "\n[data] #<\n", ["data: this is not TOML", "twice", "A key may occur once"]),
    (threshold("itpr = { max = 0.5, max = 0.4 }"), ["thresholds.itpr", "A key may occur once"]),
    ("# nothing yet\n", ["thresholds: a policy without thresholds would always pass", "k_anonymity = {"]),
    # -- its tables
    ("[atributes] #<\n", ["atributes: there is no key 'atributes'", "Did you mean 'attributes'?"]),
    ("k_anonymity = { min = 5 } #<\n", ["k_anonymity: there is no key", "the tables [data], [attributes]"]),
    ('data = "patients.csv" #<\n', ["data: this must be a table, not a text", "Write [data]"]),
    ('attributes = ["age"] #<\n', ["attributes: this must be a table, not a list", "Write [attributes]"]),
    (SOURCE + ATTRIBUTES, ["thresholds: a policy without thresholds would always pass"]),
    (SOURCE + ATTRIBUTES + "[thresholds] #<\n", ["thresholds: a policy without thresholds"]),
    (SOURCE + ATTRIBUTES.replace("\n", "\nthresholds = 5 #<\n", 1), ["data.thresholds: there is no key"]),
    # -- data
    (source('sorce = "patients.csv"'), ["data.sorce: there is no key", "Did you mean 'source'?"]),
    (source("colour = 3"), ["data.colour: there is no key", "Possible keys: source, table, separator"]),
    (source("source = 3"), ["data.source: this must be a text, not a number", 'Write source = "..."']),
    (source('source = ""'), ["data.source: this must be a text, not an empty text", 'source = "..."']),
    (source('source = "patient.csv"'), ["data.source: no file", "Did you mean 'patients.csv'?"]),
    (source('source = "zzz"'), ["data.source: no file", "starts from the folder of the policy"]),
    (source('source = "binary.csv"'), ["data.source: binary.csv looks like a binary file", "CSV or Parquet"]),
    (source('source = "empty.csv"'), ["data.source: empty.csv is empty", "Check"]),
    (source('source = "trees"'), ["data.source", "trees has no table files", "CSV or Parquet files"]),
    (ATTRIBUTES + ASKED, ["data.source: no source is given", 'Write source = "patients.csv"']),
    (
        '[data] #<\nmissing = "drop"\n' + ATTRIBUTES + ASKED,
        ["data.source: no source is given", "under [data]"],
    ),
    (data('missing = "keep"'), ["data.missing: unknown way to treat", "'keep'", "value, drop or wildcard"]),
    (data('missing = "Drop"'), ["data.missing", "Did you mean 'drop'?"]),
    (data("missing_values = [99]"), ["data.missing_values: this must be a text or a list of texts", '"99"']),
    (data('missing_values = ["NA", "NA"]'), ["data.missing_values: the list has the same text twice"]),
    (data('weights = "wieght"'), ["data.weights: the data have no attribute", "Did you mean 'weight'?"]),
    (data('weights = "age"'), ["data.weights: 'age' cannot hold weights and be quasi-identifier too"]),
    (data("weights = true"), ["data.weights: this must be a text, not true or false"]),
    # -- attributes
    (attribute('zipp = "sensitive"'), ["attributes.zipp: the data have no attribute", "Did you mean 'zip'?"]),
    (attribute('"@q" = "sensitive"'), ['attributes."@q": the data have no', "They have name, age, zip"]),
    (
        attribute('zip = "quasi identifier"'),
        ["attributes.zip: unknown role", ("Did you mean 'quasi-identifier'?")],
    ),
    (attribute('zip = "key"'), ["attributes.zip: unknown role: 'key'", "Choose identifier, quasi-id"]),
    (attribute('zip = "insensitive"'), ["attributes.zip: unknown role", "sensitive or other."]),
    (attribute("zip = 1"), ["attributes.zip: this must be a table, not a number", "Write a role"]),
    (attribute("zip = { role = 1 }"), ["attributes.zip.role: this must be a text, not a number", "Choose"]),
    (attribute("zip = { bins = [1, 2] }"), ["attributes.zip: it has no role", "quasi-identifier"]),
    (attribute('zip = { role = "other", bin = [1] }'), ["attributes.zip.bin", "Did you mean 'bins'?"]),
    (attribute('zip = { role = "other", x = 1 }'), ["attributes.zip.x", "Possible keys: role, bins"]),
    (attribute('zip.code = "sensitive"'), ["attributes.zip.code", '"zip.code", quote the whole name']),
    (
        attribute('name = { role = "identifier", bins = [1] }'),
        ["attributes.name: the values of an identifier", "Keep only the role"],
    ),
    (
        attribute('zip = { role = "other", bins = 5 }'),
        ["attributes.zip.bins: this cannot be a number", "[18"],
    ),
    (
        attribute('zip = { role = "other", bins = [] }'),
        ["attributes.zip.bins: the bins of 'zip' need a list"],
    ),
    (attribute('zip = { role = "other", bins = [2, 1] }'), ["attributes.zip.bins", "increase", "Sort them"]),
    (
        attribute('disease = { role = "sensitive", partition = { a = ["flu"], b = ["flu"] } }'),
        ["attributes.disease.partition: the partition of 'disease' lists 1 value", "belongs to one domain"],
    ),
    (
        attribute('disease = { role = "sensitive", partition = { a = "flu" } }'),
        ["attributes.disease.partition: the domain 'a' of 'disease' is not a list", "Write a list"],
    ),
    (attribute('zip = { role = "other", partition = ["x"] }'), ["attributes.zip.partition", "be a list"]),
    (
        attribute('zip = { role = "other", bins = [1], partition = { a = ["1"] } }'),
        ["attributes.zip: it has bins and partition", "Keep one"],
    ),
    (
        attribute('zip = { role = "other", bins = [1], hierarchy = "zip.csv" }'),
        ["attributes.zip: it has bins and hierarchy", "Keep one"],
    ),
    (
        attribute('zip = { role = "other", hierarchy = "zips.csv" }'),
        ["attributes.zip.hierarchy: there is no file", "zips.csv", "that file's folder"],
    ),
    (
        attribute('zip = { role = "other", hierarchy = "trees" }'),
        ["attributes.zip.hierarchy", "is a folder", "Each row of the file"],
    ),
    (
        attribute('zip = { role = "other", hierarchy = "torn.csv" }'),
        [
            "attributes.zip.hierarchy: the hierarchy of 'zip' does not get coarser at each level",
            ("stay together"),
        ],
    ),
    (attribute('zip = { role = "other", hierarchy = 1 }'), ["attributes.zip.hierarchy: this must be a text"]),
    (
        attribute('zip = { role = "other", hierarchy = "zip.csv", level = 3 }'),
        [
            "attributes.zip.level: the hierarchy of 'zip' has no level 3",
            "from 0 (the values themselves) to 2",
        ],
    ),
    (
        attribute('zip = { role = "other", hierarchy = "zip.csv", level = "1" }'),
        ["attributes.zip.level: the hierarchy of 'zip' has no level '1'", "whole numbers"],
    ),
    (attribute('zip = { role = "other", level = 1 }'), ["attributes.zip.level: a level needs a hier"]),
    (attribute('zip = { role = "other", order = "up" }'), ["attributes.zip.order: an order is a list"]),
    (
        attribute('zip = { role = "other", order = [["a"]] }'),
        [("attributes.zip.order: an order cannot contain lists")],
    ),
    (attribute('zip = { role = "other", order = [1, "1"] }'), ["attributes.zip.order", "same value twice"]),
    (
        attribute('zip = { role = "other", order = [1, 2], bins = [1] }'),
        ["attributes.zip.order: an order applies to single values", "Leave order out"],
    ),
    # -- thresholds: what is measured
    (threshold("k_anonimity = { min = 5 }"), ["unknown measure", "Did you mean 'k_anonymity'?"]),
    (threshold("secrecy = { min = 5 }"), ["thresholds.secrecy: unknown measure", "divulge guide measures"]),
    (threshold("k_anonymity = 5"), ["thresholds.k_anonymity: this must be a table", "{ min = ... }"]),
    (threshold("k_anonymity = []"), ["thresholds.k_anonymity: the list is empty", "{ min = ... }"]),
    (threshold("itpr = [0.5]"), ["thresholds.itpr #1: this must be a table", "{ max = ... }"]),
    (threshold("k_anonymity = { mim = 5 }"), ["thresholds.k_anonymity.mim", "Did you mean 'min'?"]),
    (threshold("k_anonymity = { min = 5, l = 3 }"), ["thresholds.k_anonymity.l", "Possible keys: min, max"]),
    (
        threshold('t_closeness = { max = 0.2, grund = "ordered" }'),
        ["thresholds.t_closeness.grund", "Did you mean 'ground'?"],
    ),
    (
        threshold('t_closeness = { max = 0.2, ground = "order" }'),
        ["thresholds.t_closeness.ground: 'order' is not a ground", "equal, ordered or hierarchical"],
    ),
    (
        threshold('reidentification_risk = { max = 0.2, kind = "mean" }'),
        ["thresholds.reidentification_risk.kind", "highest or average"],
    ),
    (
        threshold("recursive_cl_diversity = { max = 3, l = 0 }"),
        ["thresholds.recursive_cl_diversity.l", "at least 1", "Left out, it is 2"],
    ),
    (
        threshold("recursive_cl_diversity = { max = 3, l = 2.5 }"),
        ["thresholds.recursive_cl_diversity.l: this must be a whole number", "Left out, it is 2"],
    ),
    (
        threshold('beta_likeness = { max = 3, enhanced = "no" }'),
        ["thresholds.beta_likeness.enhanced: this must be true or false.", "it is false"],
    ),
    # -- thresholds: the bound
    (threshold("k_anonymity = {}"), ["thresholds.k_anonymity: there is no bound", "Set min above 1."]),
    (
        threshold('itpr = { severity = "warn" }'),
        ["thresholds.itpr: there is no bound", "0 or more and below"],
    ),
    (
        threshold('k_anonymity = { min = "5" }'),
        ["thresholds.k_anonymity.min: this must be a number, not a te"],
    ),
    (threshold("k_anonymity = { min = true }"), ["thresholds.k_anonymity.min: this must be a number"]),
    (
        threshold("itpr = { max = nan }"),
        ["thresholds.itpr.max: this must be a finite number", "Neither inf nor nan"],
    ),
    (threshold("k_anonymity = { min = inf }"), ["thresholds.k_anonymity.min: this must be a finite number"]),
    (
        threshold("k_anonymity = { max = 5 }"),
        ["k_anonymity.max: k_anonymity is riskier the l", "min = 5 ins"],
    ),
    (threshold("itpr = { min = 0.5 }"), ["itpr.min: itpr is riskier the higher", "Write max = 0.5 instead."]),
    (
        threshold("itpr = { min = 0.1, max = 0.5 }"),
        ["thresholds.itpr.min: itpr is riskier", "Leave min out."],
    ),
    (
        threshold("itpr = { min = 0.5, max = 0.1 }"),
        ["thresholds.itpr.min: min is above max", "Leave min out"],
    ),
    (
        threshold("k_anonymity = { min = 1 }"),
        ["k_anonymity.min: this can never fail", "Set min above 1"],
    ),
    (threshold("itpr = { max = 1 }"), ["thresholds.itpr.max: this can never fail: itpr runs from 0 to 1"]),
    (
        threshold("discrimination_rate = { max = 20 }"),
        ["discrimination_rate.max: this can never fail", "below"],
    ),
    (
        threshold("itpr = { max = -0.1 }"),
        ["thresholds.itpr.max: this can never pass", "0 or more and below 1"],
    ),
    (
        threshold("normalized_conditional_entropy = { min = 1.5 }"),
        ["thresholds.normalized_conditional_entropy.min: this can never pass", "above 0 and at most 1"],
    ),
    (
        threshold('k_anonymity = { min = 5, severity = "wran" }'),
        ["k_anonymity.severity", "Did you mean 'warn'?"],
    ),
    (
        threshold("k_anonymity = { min = 5, severity = 1 }"),
        ["k_anonymity.severity: this must be a text", "fail"],
    ),
    # -- thresholds: the target
    (
        threshold('itpr = { max = 0.5, target = "@records" }'),
        ["itpr.target: '@records'", 'Write "@record" al'],
    ),
    (
        threshold('itpr = { max = 0.5, target = ["@record", "zip"] }'),
        ["thresholds.itpr.target: '@record' can"],
    ),
    (
        threshold('itpr = { max = 0.5, target = "desease" }'),
        ["itpr.target: the data", "Did you mean 'disease'?"],
    ),
    (
        threshold("itpr = { max = 0.5, target = 3 }"),
        ["thresholds.itpr.target: this must be a text", '["age"'],
    ),
    (
        threshold("itpr = { max = 0.5, target = [] }"),
        ["thresholds.itpr.target: the list is empty", "Write names"],
    ),
    (
        threshold('t_closeness = { max = 0.5, target = "@record" }'),
        ["thresholds.t_closeness.target: t_closeness compares target values", "leave target out"],
    ),
    (
        threshold('itpr = { max = 0.5, target = "age" }'),
        ["age is both a key and a target", "Name keys without it."],
    ),
    (
        threshold('itpr = { max = 0.5, target = "age", keys = ["age"] }'),
        ["thresholds.itpr: age is both a key and a target", "Leave it out of one of them."],
    ),
    (
        threshold('itpr = { max = 0.5, keys = ["age", "disease"] }'),
        ["thresholds.itpr: disease is both a key and a target", "Name target without it."],
    ),
    (
        SOURCE + '[attributes]\nage = "quasi-identifier"\n[thresholds]\nitpr = { max = 0.5 } #<\n',
        ["thresholds.itpr: itpr is about sensitive attributes, and there is none", 'may be "@record"'],
    ),
    (
        SOURCE + '[attributes]\nage = "quasi-identifier"\n[thresholds]\nt_closeness = { max = 0.5 } #<\n',
        ["thresholds.t_closeness: t_closeness is about sensitive", 'the role "sensitive", or name a target.'],
    ),
    # -- thresholds: the keys
    (
        threshold("k_anonymity = { min = 5, keys = [] }"),
        ["k_anonymity.keys: the list is empty", "Write names"],
    ),
    (threshold('k_anonymity = { min = 5, keys = ["agee"] }'), ["k_anonymity.keys: the data", "mean 'age'?"]),
    (threshold('k_anonymity = { min = 5, keys = ["age", "age"] }'), ["k_anonymity.keys", "List each once."]),
    (threshold('k_anonymity = { min = 5, keys = ["name"] }'), ["k_anonymity.keys: 'name' is an identifier"]),
    (threshold('k_anonymity = { min = 5, keys = ["@record"] }'), ["k_anonymity.keys: @record is a target"]),
    (
        SOURCE + '[attributes]\nage = "sensitive"\n[thresholds]\nk_anonymity = { min = 5 } #<\n',
        ["thresholds.k_anonymity: no attribute is a quasi-identifier", "keys = [...]"],
    ),
    (
        SOURCE
        + 'weights = "weight"\n'
        + ATTRIBUTES
        + '[thresholds]\nk_anonymity = { min = 5, keys = "weight" } #<\n',
        ["thresholds.k_anonymity.keys: 'weight' holds the weights", "Leave it out"],
    ),
    # -- thresholds: above chance
    (
        threshold("k_anonymity = { min = 5, adjusted = true }"),
        ["adjusted: k_anonymity has no adj", "Leave adj"],
    ),
    (
        threshold("kl_closeness = { max = 1, adjusted = true }"),
        ["adjusted: kl_closeness has no adjusted read"],
    ),
    (
        threshold('itpr = { max = 0.5, adjusted = true, target = "@record" }'),
        ["thresholds.itpr.adjusted: with the target @record there is no chance level", "Leave adjusted out"],
    ),
    (threshold('itpr = { max = 0.5, adjusted = "yes" }'), ["itpr.adjusted: this must be true or false"]),
    (
        threshold("itpr = { max = 1, adjusted = true }"),
        ["itpr.max: this can never fail: adjusted, chance is 0"],
    ),
    (
        threshold("conditional_entropy = { min = 0.5, adjusted = true }"),
        ["conditional_entropy.min: adjusted conditional_entropy is riskier the higher", "max = 0.5"],
    ),
    (
        SOURCE
        + 'weights = "weight"\n'
        + ATTRIBUTES
        + "[thresholds]\nitpr = { max = 0.5, adjusted = true } #<\n",
        ["thresholds.itpr.adjusted: under weights there is no chance level", "Leave adjusted out"],
    ),
    # -- other ways to write the same
    (
        threshold("itpr = [\n  { max = 0.5 },\n  { max = 0.4,\n    severity = 1 }]".replace(",\n    ", ", ")),
        ["thresholds.itpr #2.severity: this must be a text", "Choose fail or warn"],
    ),
    (
        threshold("[[thresholds.itpr]]\nmax = 0.5\n[[thresholds.itpr]]\nmax = 5").replace(
            "[thresholds]\n", ""
        ),
        ["thresholds.itpr #2.max: this can never fail", "below 1"],
    ),
    (threshold("[thresholds.itpr]\nmaximum = 0.5"), ["thresholds.itpr.maximum", "Did you mean 'max'?"]),
    (threshold("itpr.max = 7"), ["thresholds.itpr.max: this can never fail", "below 1"]),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "zip.csv").write_text("1069;106*;*\n1067;106*;*\n")
    (tmp_path / "torn.csv").write_text("1069;106*;east\n1067;106*;west\n")
    (tmp_path / "binary.csv").write_bytes(b"\0\1\2" * 50)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "trees").mkdir()
    return tmp_path


@pytest.mark.parametrize(("text", "words"), BROKEN, ids=[words[0] for _, words in BROKEN])
def test_a_broken_policy_is_refused_with_its_place_and_a_way_out(folder, text, words):
    path = folder / "divulge.toml"
    path.write_text(text)
    with pytest.raises(PolicyError) as caught:
        Policy.read(path).open()
    error, message = caught.value, str(caught.value)
    assert message.startswith(str(path))
    for said in words:
        assert said in message
    assert error.hint
    assert message.endswith(error.hint)
    assert error.path == str(path)
    marked = [number for number, line in enumerate(text.split("\n"), 1) if line.endswith("#<")]
    if marked:
        assert error.line == marked[0]
        assert error.key
        assert f", line {error.line}, {error.key}: " in message


def test_a_message_is_one_sentence_that_can_be_acted_on(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "divulge.toml").write_text(threshold("k_anonimity = { min = 5 }"))
    with pytest.raises(PolicyError) as caught:
        Policy.read("divulge.toml")
    assert str(caught.value) == (
        "divulge.toml, line 11, thresholds.k_anonimity: unknown measure: 'k_anonimity'. "
        "Did you mean 'k_anonymity'?"
    )
    assert (caught.value.path, caught.value.key, caught.value.line) == (
        "divulge.toml",
        "thresholds.k_anonimity",
        11,
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the policy is empty. A policy has the tables"),
        (b" \n\t\n", "the policy is empty. A policy has the tables"),
        ("[data]\n# caf\xe9\n".encode("latin-1"), "line 2: this is not UTF-8 text. Save it as UTF-8."),
    ],
)
def test_a_file_without_a_readable_text_is_refused(tmp_path, content, words):
    path = tmp_path / "divulge.toml"
    path.write_bytes(content)
    with pytest.raises(PolicyError, match=r"divulge\.toml") as caught:
        Policy.read(path)
    assert words in str(caught.value)


def test_a_policy_that_is_not_there_is_refused_with_one_that_is(folder):
    (folder / "divulge.toml").write_text(ASKED)
    for path, words in [
        (folder / "divulg.toml", "the policy file does not exist. Did you mean 'divulge.toml'?"),
        (folder / "nowhere" / "divulge.toml", "the policy file does not exist. Check the path."),
        (folder / "trees", "this cannot be read: is a directory. Name a TOML file."),
    ]:
        with pytest.raises(PolicyError) as caught:
            Policy.read(path)
        assert str(caught.value) == f"{path}: {words}"


def test_a_policy_from_a_mapping_is_refused_by_its_name_and_without_a_line():
    with pytest.raises(
        PolicyError, match=r"^the policy, thresholds\.itpr\.max: this must be a finite number"
    ) as caught:
        Policy.of({"thresholds": {"itpr": {"max": math.nan}}})
    assert caught.value.line is None
    with pytest.raises(PolicyError, match=r"^mine: this must be a table, not a list"):
        Policy.of(["k_anonymity"], name="mine")  # type: ignore[arg-type]


def test_what_looks_like_a_key_inside_a_text_is_not_taken_for_one(tmp_path):
    path = tmp_path / "divulge.toml"
    path.write_text('[thresholds]\nk_anonymity = { target = """\nitpr = 1\n""" }\nitpr = { max = 2 }\n')
    with pytest.raises(PolicyError, match=r"k_anonymity: there is no bound") as caught:
        Policy.read(path)
    assert caught.value.line == 2
    path.write_text(
        '[thresholds]\nk_anonymity = { min = 2, keys = ["""\nitpr = 1\n"""] }\nitpr = { max = 2 }\n'
    )
    with pytest.raises(PolicyError, match=r"toml, thresholds\.itpr\.max: this can never fail") as caught:
        Policy.read(path)
    assert caught.value.line is None


def test_no_message_shows_a_value_that_a_policy_lists(folder):
    secret = "XYZZY"
    for line in (
        f'disease = {{ role = "sensitive", partition = {{ a = ["{secret}"], b = ["{secret}"] }} }}',
        f'disease = {{ role = "sensitive", order = ["{secret}", "{secret}"] }}',
        f'disease = {{ role = "sensitive", bins = ["{secret}"] }}',
    ):
        (folder / "divulge.toml").write_text(attribute(line))
        with pytest.raises(PolicyError) as caught:
            Policy.read(folder / "divulge.toml").open()
        assert secret not in str(caught.value)
    (folder / "divulge.toml").write_text(data(f'missing_values = ["{secret}", "{secret}"]'))
    with pytest.raises(PolicyError) as caught:
        Policy.read(folder / "divulge.toml")
    assert secret not in str(caught.value)
