"""A prior and a channel: what they hold, what is refused, and every way to make one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from divulge.api import ask
from divulge.counting.counts import JointCounts
from divulge.errors import EmptySource, MissingSource, ParameterError, SourceError, TooMuch
from divulge.estimation.channels.channel import Channel
from divulge.limits import sizes
from divulge.questions.data import read
from estimation.channels import channels

TABLE = {"age": ["20s", "20s", "30s", "30s"], "disease": ["flu", "cold", "flu", "flu"]}


def test_joint_marginal_and_posterior_follow_from_prior_and_channel():
    channel = Channel([0.25, 0.75], [[1, 0, 0], [0.5, 0.5, 0]])
    assert channel.joint.tolist() == [[0.25, 0, 0], [0.375, 0.375, 0]]
    assert channel.marginal.tolist() == [0.625, 0.375, 0]
    assert channel.posterior[:2].tolist() == [[0.4, 0.6], [0, 1]]
    assert np.isnan(channel.posterior[2]).all()
    assert channel.possible.tolist() == [True, True, False]
    assert (channel.inputs, channel.outputs) == ((0, 1), (0, 1, 2))
    assert repr(channel) == "Channel(2 inputs, 3 outputs)"


def test_what_was_handed_in_may_change_without_changing_the_channel():
    prior = np.array([0.5, 0.5])
    channel = Channel(prior, np.eye(2))
    prior[0] = 9
    assert channel.prior.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        channel.prior[0] = 9


@pytest.mark.parametrize(
    ("prior", "matrix", "sentence"),
    [
        ([0.5, 0.6], [[1], [1]], "The prior adds up to 1.1 instead of 1."),
        ([1.5, -0.5], [[1], [1]], "The prior has 1 negative entries."),
        ([0.5, float("nan")], [[1], [1]], "The prior has 1 entries that are not finite numbers."),
        ([], [[1]], "The prior is empty."),
        ([[0.5, 0.5]], [[1], [1]], "The prior has 2 dimensions where 1 are needed."),
        (["a", "b"], [[1], [1]], "The prior is not a list of numbers."),
        ([1], [[0.5, 0.5 + 2e-9]], r"The channel: row 0 \(of 1 that do not add up to one\) adds up to"),
        ([1], [[1.5, -0.5]], "The channel has 1 negative entries."),
        ([0.5, 0.5], [[1], [0.5, 0.5]], "The channel is not a matrix of numbers."),
        ([0.5, 0.5], [[1]], "The prior has 2 probabilities and the channel 1 rows."),
        ([1], [[]], "The channel is empty."),
    ],
)
def test_improper_probabilities_are_refused_with_a_sentence(prior, matrix, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Channel(prior, matrix)


def test_sums_that_are_off_by_rounding_are_taken_as_they_are():
    assert Channel([0.1] * 10, np.ones((10, 1))).prior.tolist() == [0.1] * 10


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a"], "There are 1 names for 2 inputs."),
        (["a", "a"], "The names of the inputs must differ; 1 are repeated."),
    ],
)
def test_names_must_fit_and_differ(names, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Channel([0.5, 0.5], np.eye(2), inputs=names)


def test_rows_of_an_array_become_points():
    assert Channel([0.5, 0.5], np.eye(2), inputs=np.array([[0, 1], [2, 3]])).inputs == ((0, 1), (2, 3))


# -- cascades -----------------------------------------------------------------------------------


def test_two_flips_in_a_row_flip_when_exactly_one_of_them_does():
    flip = Channel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    assert flip.then(flip).matrix == pytest.approx(np.array([[0.82, 0.18], [0.18, 0.82]]))
    assert flip.then([[1], [1]]).outputs == (0,)


def test_a_cascade_of_channels_that_do_not_meet_is_refused():
    channel = Channel([0.5, 0.5], np.eye(2), outputs=["a", "b"])
    with pytest.raises(ParameterError, match="are not the outputs of this one"):
        channel.then(Channel([0.5, 0.5], np.eye(2), inputs=["b", "a"]))
    with pytest.raises(ParameterError, match="This channel has 2 outputs and the following one 3 inputs"):
        channel.then(np.eye(3))


# -- ways to make one ---------------------------------------------------------------------------


@given(channels())
def test_a_channel_comes_back_from_its_joint_distribution(channel):
    again = Channel.of_joint(channel.joint, channel.inputs, channel.outputs)
    assert again.prior == pytest.approx(channel.prior)
    assert again.joint == pytest.approx(channel.joint)


def test_an_input_that_never_occurs_shows_as_anything_does():
    channel = Channel.of_joint([[0.25, 0.5], [0, 0], [0.25, 0]])
    assert channel.prior.tolist() == [0.75, 0, 0.25]
    assert channel.matrix[1].tolist() == [0.5, 0.5]


def test_a_joint_distribution_must_add_up_to_one_and_a_contingency_table_need_not():
    with pytest.raises(ParameterError, match="The joint distribution adds up to 8 instead of 1"):
        Channel.of_joint([[3, 1], [0, 4]])
    assert Channel.of_table([[3, 1], [0, 4]]).matrix.tolist() == [[0.75, 0.25], [0, 1]]
    with pytest.raises(ParameterError, match="The contingency table counts nothing"):
        Channel.of_table([[0, 0]])


def test_a_cross_table_of_a_frame_brings_its_names():
    table = pd.crosstab(*(pd.Series(TABLE[name], name=name) for name in ("disease", "age")))
    channel = Channel.of_table(table)
    assert (channel.inputs, channel.outputs) == (("cold", "flu"), ("20s", "30s"))
    assert channel.joint.tolist() == [[0.25, 0], [0.25, 0.5]]


def test_two_columns_of_a_table_or_a_frame_or_its_counts_give_the_same_channel():
    counts = JointCounts.of(list(zip(TABLE["age"], TABLE["disease"], strict=True)))
    for channel in (
        Channel.of_columns(TABLE, "age", "disease"),
        Channel.of_columns(pd.DataFrame(TABLE), "age", "disease"),
        Channel.of_counts(counts),
    ):
        assert channel.inputs == ("flu", "cold")
        assert channel.joint.tolist() == [[0.25, 0.5], [0.25, 0]]
    assert Channel.of_columns(TABLE, "age", "disease").outputs == ("20s", "30s")


def test_several_keys_are_observed_together():
    channel = Channel.of_columns({**TABLE, "sex": list("fmfm")}, ["age", "sex"], "disease")
    assert set(channel.outputs) == {("20s", "f"), ("20s", "m"), ("30s", "f"), ("30s", "m")}


def test_without_a_target_the_unknown_is_which_record_it_is():
    channel = Channel.of_columns({"age": ["20s", "20s", "20s", "30s"]}, "age")
    assert channel.inputs == (0, 1, 2, 3)
    assert channel.privacy().conditional.tolist() == [pytest.approx(2 / 3), 0]


def test_weights_are_what_probabilities_are_made_of():
    data = read({"age": [1, 2], "disease": ["flu", "cold"], "w": [3, 1]}, weights="w")
    assert Channel.of_columns(data, "age", "disease").prior.tolist() == [0.75, 0.25]


def test_classes_held_once_are_one_output_with_the_same_privacy():
    table = {"key": list(range(40)), "x": ["a", "b", "b", "b"] * 10}
    held, apart = (
        Channel.of_counts(ask(table, keys="key", target="x").counts),
        Channel.of_columns(table, "key", "x"),
    )
    assert held.prior.tolist() == apart.prior.tolist()
    assert held.privacy().average == apart.privacy().average == 0


def test_overlapping_classes_and_very_large_tables_are_refused(monkeypatch):
    data = read({"age": ["20s", None], "disease": ["flu", "cold"]}, missing="wildcard")
    with pytest.raises(ParameterError, match="Groups overlap"):
        Channel.of_columns(data, "age", "disease")
    monkeypatch.setattr(sizes, "MOST_MEMORY", 100)
    with pytest.raises(TooMuch, match="from 2 secrets to 2 observations would need about 128 bytes"):
        Channel.of_columns(TABLE, "age", "disease")


# -- files --------------------------------------------------------------------------------------


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


def test_a_file_names_outputs_in_its_header_and_inputs_in_its_first_column(write):
    path = write("c.csv", "x,low,high\n10,0.75,0.25\n20, 0.25, 0.75\n\n")
    channel = Channel.read(path)
    assert (channel.inputs, channel.outputs) == (("10", "20"), ("low", "high"))
    assert channel.prior.tolist() == [0.5, 0.5]
    assert channel.privacy("absolute").average == 2.5


def test_the_prior_is_a_file_of_its_own_or_a_column(write):
    path = write("c.csv", "x,low,high\na,0.75,0.25\nb,0.25,0.75\n")
    for text in ("b,0.8\na,0.2\n", "x,p\na,0.2\nb,0.8\n"):
        assert Channel.read(path, prior=write("p.csv", text)).prior.tolist() == [0.2, 0.8]
    own = write("own.csv", "x,prior,low,high\na,0.2,0.75,0.25\nb,0.8,0.25,0.75\n")
    assert Channel.read(own).prior.tolist() == [0.2, 0.8]
    assert Channel.read(own).outputs == ("low", "high")
    with pytest.raises(ParameterError, match=r"'own.csv' has a prior of its own"):
        Channel.read(own, prior=write("p.csv", "a,0.2\nb,0.8\n"))


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("", EmptySource, "is empty"),
        ("x,low\n", ParameterError, "'c.csv' contains no channel"),
        ("x,low,high\na,1\n", ParameterError, "'c.csv', row 2: 2 cells where the header has 3"),
        (
            "x,low,high\na,1,zero\n",
            ParameterError,
            ("'c.csv' is not a channel: 1 of its cells are not numbers"),
        ),
        ("x,low,high\na,0.5,0.4\n", ParameterError, "adds up to 0.9 instead of 1"),
    ],
)
def test_a_file_that_holds_no_channel_is_refused(write, text, error, sentence):
    with pytest.raises(error, match=sentence):
        Channel.read(write("c.csv", text))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,0.2\nc,0.8\n", "1 inputs have none, 1 names are not inputs, 0 are repeated"),
        ("a,0.2\na,0.2\nb,0.6\n", "0 inputs have none, 0 names are not inputs, 1 are repeated"),
        ("a,0.2,1\n", "needs two cells in each row"),
    ],
)
def test_a_prior_that_does_not_fit_is_refused(write, text, sentence):
    path = write("c.csv", "x,low\na,1\nb,1\n")
    with pytest.raises(ParameterError, match=sentence):
        Channel.read(path, prior=write("p.csv", text))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(MissingSource, match="No file"):
        Channel.read(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="cannot be read as a CSV file"):
        Channel.read(tmp_path / "bytes.csv")


def test_arrays_in_any_order_and_precision_are_the_channel_that_lists_give():
    prior, matrix = np.array([0.25, 0.75]), np.array([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]])
    listed = Channel(prior.tolist(), matrix.tolist())
    apart = np.zeros((2, 4))
    apart[:, 1] = prior
    for own, rows in (
        (prior, matrix),
        (prior[::-1].copy()[::-1], np.asfortranarray(matrix)),
        (apart[:, 1], matrix[::-1, ::-1].copy()[::-1, ::-1]),
        (prior.astype(np.float32), matrix.astype(np.float32)),
    ):
        found = Channel(own, rows)
        assert (found.prior == listed.prior).all()
        assert (found.matrix == listed.matrix).all()
        assert not found.prior.flags.writeable
        assert not found.matrix.flags.writeable
        assert not np.shares_memory(found.matrix, rows)
        assert found.privacy("hamming").average == listed.privacy("hamming").average
