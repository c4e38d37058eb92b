"""The attacker commands on systems, sequences, senders, distances and mechanisms, as a user meets them."""

import json
import math

import pytest

from command_line import run

FILES = {
    "flip.csv": "x,a,b\n0,0.75,0.25\n1,0.25,0.75\n",
    "moves.csv": "x,0,1\n1,0.1,0.9\n0,0.9,0.1\n",
    "believed.csv": "1,0.1\n0,0.9\n",
    "joint.csv": "x,s,t\nann,0.4,0.1\nbob,0.1,0.4\n",
    "rule.csv": "x',s,t\nt,0,1\ns,1,0\n",
    "seen.csv": "y',loud,quiet\ns,0.5,0.5\nt,0,1\n",
    "background.csv": "x,tall,short\nann,1,0\nbob,0,1\n",
    "three.csv": "x,y,z\nlow,0.5,0.5\nmid,0.3,0.7\nhigh,0,1\n",
    "prior.csv": "low,0.5\nmid,0.3\nhigh,0.2\n",
    "far.csv": "x,high,mid,low\nmid,1,0,1\nlow,2,1,0\nhigh,0,1,2\n",
    "tree.csv": "low;little;*\nmid;little;*\nhigh;much;*\n",
    "users.csv": "Ann,0.6\nBob,0.3\nCy,0.1\n",
    "half.csv": "a,0.5\nb,0.25\nc,0.25\n",
    "links.csv": "in,1,2\na,0.5,0.5\nb,0.5,0.5\n",
    "certain.csv": "in,1,2\na,1,0\nb,0,1\n",
    "twice.csv": "a,0.5\na,0.5\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    rows = ["north,22,flu"] * 12 + ["north,35,gout"] * 6 + ["south,22,SECRET"] * 2 + ["south,35,RARE"] * 1
    (tmp_path / "people.csv").write_text("\n".join(["zip,age,ill", *rows]) + "\n")


def ask(*arguments):
    code, out, err = run("attacker", *arguments)
    assert code == 0, err
    return out


def document(*arguments):
    return json.loads(ask(*arguments, "--json"))


# -- how the error is counted ------------------------------------------------------------------------


def test_distances_come_from_a_matrix_whose_rows_and_columns_have_any_order():
    found = document("three.csv", "--prior", "prior.csv", "--distortion", "far.csv")
    # Prior: mid is 0.5 * 1 + 0.2 * 1 off.
    assert found["privacy"]["prior"] == pytest.approx(0.7)
    assert found["distortion"] == "matrix"
    assert {one["estimate"] for one in found["observations"]} <= {"low", "mid", "high"}


@pytest.mark.parametrize(("by", "unit"), [("hops", 1), ("ontology", 1 / 4)])
def test_distances_come_from_a_hierarchy(by, unit):
    found = document(
        "three.csv", "--prior", "prior.csv", "--distortion", by, "--secret-hierarchy", "tree.csv"
    )
    # Guessing low: mid is two edges away, high four.
    assert found["privacy"]["prior"] == pytest.approx((0.3 * 2 + 0.2 * 4) * unit)


def test_an_attacker_with_another_prior_is_held_beside_the_right_one():
    found = document("flip.csv", "--believed-prior", "believed.csv")["believed"]
    assert (found["error"]["average"], found["right"]) == (0.5, 0.25)
    assert found["price"] == 0.25
    assert "has an error of 0.5 instead of 0.25" in " ".join(
        ask("flip.csv", "--believed-prior", "believed.csv").split()
    )


def test_any_order_of_an_entropy_and_any_confidence_can_be_asked_for():
    found = document("flip.csv", "--renyi", "3,inf", "--confidence", "0.7")
    entropies = {one["name"]: one["posterior"] for one in found["entropies"]}
    # Of order 3 after Arimoto: -3/2 log2 (0.75^3 + 0.25^3)^(1/3).
    assert entropies["order 3"] == pytest.approx(-1.5 * math.log2((0.75**3 + 0.25**3) ** (1 / 3)))
    assert entropies["order inf"] == pytest.approx(entropies["min"])
    assert (found["confidence"]["prior"], found["confidence"]["most"]) == (2, 1)
    assert "Values with 70% of the probability: 2 before; after 1" in ask("flip.csv", "--confidence", "0.7")


def test_bounds_are_listed_by_observation():
    [_, one] = document("flip.csv")["observations"]
    assert (one["total_variation"], one["gained"], one["gained_at_most"]) == (0.25, 0.5, 0.5)
    assert "total variation" in ask("flip.csv")


def test_many_observations_have_a_sentence_and_a_picture(tmp_path):
    said = ask("flip.csv", "--observations", "3", "--report", "r.html")
    assert "After 3 observations of the same secret it is right 84.4% of the time." in said
    assert 'id="chart-repeated"' in (tmp_path / "r.html").read_text("utf-8")


# -- tables ------------------------------------------------------------------------------------------

TABLE = ("--file", "people.csv", "--keys", "age,zip", "--target", "ill")


def test_observations_of_several_keys_are_written_as_people_write_them():
    said = ask(*TABLE, "--show-values", "--exact-counts")
    assert "\n22, north " in said
    assert "('22'" not in said


def test_a_table_does_not_say_how_far_few_records_move_beliefs():
    plain = document(*TABLE)["observations"]
    assert {one["total_variation"] for one in plain} == {one["candidates"] for one in plain} == {None}
    assert None not in {one["divergence"] for one in document(*TABLE, "--exact-counts")["observations"]}


def test_a_mechanism_for_an_attribute_does_not_name_values_nor_rely_on_few_records():
    asked = ("optimize", "--file", "people.csv", "--attribute", "ill", "--budget", "0.2")
    plain = ask(*asked, "--json")
    found = json.loads(plain)
    assert "SECRET" not in plain
    # Two and one are together fewer than five, so the six join them.
    assert (found["inputs"], found["merged"]) == (["value 1", "value 2"], 3)
    assert "Values of fewer than 5 records are taken together" in ask(*asked)
    exact = document(*asked, "--show-values", "--exact-counts")
    assert exact["inputs"] == ["flu", "gout", "SECRET", "RARE"]
    assert (found["shows_values"], exact["shows_values"]) == (False, True)
    assert exact["value"] == pytest.approx(0.2)


# -- a system ----------------------------------------------------------------------------------------


def test_a_system_has_an_input_of_its_own():
    found = document("system", "joint.csv", "rule.csv")
    assert found["privacy"]["average"] == pytest.approx(0.2)  # 0.1 + 0.1 are of the other person
    assert found["operating_point"] == {"loss": 0.0, "value": pytest.approx(0.2)}


def test_what_is_seen_of_a_decision_and_background_make_the_observation():
    blurred = document("system", "joint.csv", "rule.csv", "--seen", "seen.csv")
    # Loud: only s, 0.2 ann and 0.05 bob; quiet: 0.3 and 0.45.
    assert blurred["privacy"]["average"] == pytest.approx(0.05 + 0.3)
    known = document("system", "joint.csv", "rule.csv", "--background", "background.csv")
    assert known["privacy"]["average"] == 0
    assert {one["label"] for one in known["observations"]} == {"s, tall", "s, short", "t, tall", "t, short"}


# -- sequences ---------------------------------------------------------------------------------------

TRACE = ("trace", "flip.csv", "--moves", "moves.csv", "--observed")


def test_a_trace_is_followed_in_hindsight_and_as_it_happened(tmp_path):
    found = document(*TRACE, "a,b,a")
    assert [one["path"] for one in found["steps"]] == ["0", "0", "0"]
    # First alone: 0.25; p(0 0 0 | a b a) = 0.5 * 0.75 * 0.9 * 0.25 * 0.9 * 0.75 over the sum of all eight.
    assert found["steps"][0]["error_then"] == pytest.approx(0.25)
    stays = {"000": 0.81 * 9, "111": 0.81 * 3, "010": 0.01 * 27, "101": 0.01 * 1}
    stays |= {"001": 0.09 * 3, "100": 0.09 * 3, "011": 0.09 * 9, "110": 0.09 * 9}
    assert found["path_error"] == pytest.approx(1 - stays["000"] / sum(stays.values()))
    (tmp_path / "seen.txt").write_text("a\nb\na\n")
    assert ask(*TRACE, "a,b,a") == ask(*TRACE, "seen.txt")


def test_a_trace_has_a_page_and_its_document_is_drawn_as_the_same(tmp_path):
    assert "Report: t.html" in ask(*TRACE, "a,b,a", "--report", "t.html")
    page = (tmp_path / "t.html").read_text("utf-8")
    assert page.count("<svg") == 2
    (tmp_path / "saved.json").write_text(ask(*TRACE, "a,b,a", "--json"), "utf-8")
    assert run("report", "saved.json")[0] == 0
    assert (tmp_path / "saved.html").read_text("utf-8") == page


def test_typical_sequences_are_counted():
    # The surprise of a is 1 and that of b and c is 2, the entropy 1.5: one of each makes a typical pair.
    found = document("typical", "half.csv", "--length", "2", "--within", "0.25")
    assert (found["size"], found["entropy"], found["probability"]) == ("4", 1.5, [0.5, 0.5])
    assert "4 sequences are typical of length 2" in ask(
        "typical", "half.csv", "--length", "2", "--within", "0.25"
    )
    long = document("typical", "half.csv", "--length", "100000")
    assert (long["size"], long["probability"][1]) == (None, 1.0)


def test_typical_sequences_given_observations():
    found = document("typical", "--channel", "flip.csv", "--observed", "a,b", "--within", "0.4")
    # At most one of two observations misleads: 0.75 * 0.75 + 2 * 0.75 * 0.25.
    assert (found["size"], found["probability"][0]) == ("3", pytest.approx(0.9375))


# -- senders -----------------------------------------------------------------------------------------


def test_a_corrupted_crowd_has_its_posterior_forwards_and_degree():
    found = document("crowds", "--users", "6", "--corrupted", "1", "--submit", "0.25")["crowd"]
    # 1 - f (n - c - 1)/n = 1 - 0.75 * 4/6.
    assert (found["posterior"], found["posterior_others"]) == pytest.approx((0.5, 0.125))
    assert (found["forwards"], found["users_needed"], found["probable_innocence"]) == (4.0, 6, True)
    # H = 0.5 * 1 + 4 * 0.125 * 3 = 2 bits of log2 5.
    assert found["anonymity"]["diaz"] == pytest.approx(2 / math.log2(5))
    plain = document("crowds", "--users", "10", "--submit", "0.5")["crowd"]
    assert (plain["forwards"], plain["users_needed"]) == (1.0, None)
    assert "degree of anonymity (Diaz)" in ask("crowds", "--users", "10", "--submit", "0.5")


def test_a_mix_that_sends_at_times(tmp_path):
    found = document("mix", "--times", "0.2,0.7,1.5", "--period", "1", "--report", "m.html")
    assert (found["messages"], found["rounds"], found["entropy"]) == (3, 2, pytest.approx(1))
    page = (tmp_path / "m.html").read_text("utf-8")
    assert "2.1 is the first message of round 2" in page
    assert "all guessed at once, probability of a mistake" in page
    pool = document("mix", "--messages", "4", "--batch", "2", "--pool", "2")
    assert pool["long_run_entropy"] == 3.0  # (1 + 1) log 4 - 1 log 2


def test_degrees_of_anonymity_of_several_authors():
    found = document("degrees", "users.csv", "--renyi", "2", "--links", "links.csv")
    hidden = found["anonymity"]
    shannon = -sum(p * math.log2(p) for p in (0.6, 0.3, 0.1))
    assert hidden["serjantov_danezis"] == pytest.approx(shannon)
    assert hidden["diaz"] == pytest.approx(shannon / math.log2(3))
    assert hidden["renyi"][0]["entropy"] == pytest.approx(-math.log2(0.46))
    assert [one["innocence"] for one in found["users"]] == [
        "possible innocence",
        "probable innocence",
        "beyond suspicion",
    ]
    assert found["edman"] == pytest.approx(1)
    assert document("degrees", "--links", "certain.csv")["edman"] == 0
    assert "Diaz et al." in ask("degrees", "users.csv")


def test_places_have_a_prior_by_their_coordinates(tmp_path):
    (tmp_path / "places.csv").write_text("0;0,1\n1;0,0\n")
    asked = ("location", "--columns", "2", "--rows", "1", "--prior", "places.csv")
    assert document(*asked)["privacy"]["prior"] == 0


# -- the best mechanism ------------------------------------------------------------------------------


def test_the_whole_trade_off_is_printed_and_drawn(tmp_path):
    found = document("optimize", "prior.csv", "--curve")
    assert [found["curve"][0]["value"], found["curve"][-1]["value"]] == pytest.approx([0, 0.5])
    assert (found["budget"], found["matrix"]) == (None, [])
    for goal in ("worst", "epsilon"):
        ask("optimize", "believed.csv", "--budget", "0.05", "--goal", goal, "--curve", "--report", "o.html")
        assert 'id="chart-curve"' in (tmp_path / "o.html").read_text("utf-8")


def test_a_mechanism_that_does_not_see_the_secret_leaves_more_error(tmp_path):
    asked = ("optimize", "--joint", "joint.csv", "--budget", "0.1", "--report", "o.html")
    # Without telling anything less than s and t, 0.2 is wrong; a unit of loss buys 0.6.
    assert document(*asked)["value"] == pytest.approx(0.2 + 0.6 * 0.1)
    assert "the best guess of the secret is right 74% of the time" in (tmp_path / "o.html").read_text("utf-8")


def test_a_mechanism_of_many_values_is_printed_by_its_likeliest_outputs(tmp_path):
    (tmp_path / "ten.csv").write_text("".join(f"v{one},0.1\n" for one in range(10)))
    said = ask("optimize", "ten.csv", "--budget", "0")
    assert "\nv3     v3 1\n" in said
    assert max(map(len, said.splitlines())) <= 80


# -- figures with a page of their own ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said", "charts"),
    [
        (["epsilon", "--epsilon", "1"], "wrong at least 0.2689 of the time", 1),
        (["typical", "half.csv", "--length", "4", "--within", "0.25"], "sequences are typical", 2),
        (
            ["degrees", "users.csv", "--links", "links.csv"],
            "among 2.45 users who are equally likely, of 3",
            1,
        ),
        (["degrees", "--links", "links.csv"], "of all correspondences is 1 of at most 1", 0),
        (["optimize", "prior.csv", "--curve"], "error on average from 0 to 0.5", 1),
    ],
)
def test_figures_have_a_page_and_their_document_is_drawn_as_the_same(tmp_path, arguments, said, charts):
    assert "Report: f.html" in ask(*arguments, "--report", "f.html")
    page = (tmp_path / "f.html").read_text("utf-8")
    assert said in page
    assert page.count("<svg") == charts
    (tmp_path / "saved.json").write_text(ask(*arguments, "--json"), "utf-8")
    assert run("report", "saved.json")[0] == 0
    assert (tmp_path / "saved.html").read_text("utf-8") == page


def test_a_mechanism_that_was_saved_is_drawn_with_its_matrix(tmp_path):
    (tmp_path / "saved.json").write_text(ask("optimize", "prior.csv", "--budget", "0.2", "--json"), "utf-8")
    assert run("report", "saved.json")[0] == 0
    page = (tmp_path / "saved.html").read_text("utf-8")
    assert "Within an expected loss of 0.2, the best mechanism brings" in page
    assert "The best mechanism, p(y|x)" in page


def test_shorter_sequences_and_other_epsilons_stand_beside_what_was_asked():
    found = document("typical", "half.csv", "--length", "2", "--within", "0.25")
    # Alone, a has a surprise of 1 and the others of 2: none is within 0.25 of the entropy, 1.5.
    assert found["lengths"][0] == {"length": 1, "log2_size": [None, None], "probability": [0.0, 0.0]}
    assert found["lengths"][1]["log2_size"] == [2.0, 2.0]
    curve = document("epsilon", "--epsilon", "4")["curve"]
    assert (curve[0]["error"], curve[-1]["epsilon"]) == (0.5, 8.0)
    assert curve[10] == {"epsilon": 4.0, "error": pytest.approx(1 / (1 + math.exp(4)))}


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["flip.csv", "--distortion", "hops"], "needs the hierarchy"),
        (["flip.csv", "--secret-hierarchy", "tree.csv"], "not used by the distortion hamming"),
        (
            ["flip.csv", "--distortion", "hops", "--secret-hierarchy", "tree.csv"],
            "2 of the 2 secrets are not in",
        ),
        (["flip.csv", "--distortion", "far.csv"], "do not fit the secrets"),
        (["flip.csv", "--distortion", "missing.csv"], "No file"),
        (["flip.csv", "--believed-prior", "prior.csv"], "does not fit the channel"),
        (["flip.csv", "--renyi", "two"], "'two' is not an order"),
        (["flip.csv", "--renyi", "-1"], "must be at least 0"),
        (["flip.csv", "--confidence", "2"], "at most 1"),
        (["flip.csv", "--observations", "3", "--guesses", "2"], "for one guess"),
        ([*TABLE, "--observations", "2"], "learns nothing new"),
        (["system", "joint.csv", "flip.csv"], "do not fit"),
        (["trace", "flip.csv", "--moves", "joint.csv", "--observed", "a"], "do not fit"),
        ([*TRACE, "a,c"], "1 of the 2 observations are not among"),
        (["typical", "prior.csv"], "--length"),
        (["typical", "--channel", "flip.csv"], "--observed"),
        (["mix", "--messages", "4"], "--batch"),
        (["mix", "--times", "1,x", "--period", "1"], "finite numbers"),
        (["mix", "--times", "nowhere.txt", "--period", "1"], "No file 'nowhere.txt'"),
        (["degrees"], "POSTERIOR.csv"),
        (["degrees", "twice.csv"], "2 rows for 1 name."),
        (["flip.csv", "--distortion", "hop"], "Did you mean 'hops'?"),
        (["crowds", "--users", "3", "--corrupted", "3", "--submit", "0.5"], "at least one must be honest"),
        (["optimize", "prior.csv"], "--budget"),
        (["optimize", "--curve"], "one of PRIOR.csv"),
        (["optimize", "prior.csv", "--attribute", "ill", "--budget", "1"], "without --file"),
        (["optimize", "--file", "people.csv", "--budget", "1"], "--attribute"),
        (
            [
                "optimize",
                "--file",
                "people.csv",
                "--attribute",
                "ill",
                "--budget",
                "1",
                "--user-loss",
                "squared",
            ],
            "have no distance",
        ),
    ],
)
def test_bad_input_ends_in_a_sentence(arguments, said):
    code, out, err = run("attacker", *arguments)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "unexpected" not in err
