"""Channels for laws: small whole weights, so that ties and impossible observations occur."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from divulge.estimation.channels.channel import Channel


def rows(draw, count, length):
    """Rows of small whole numbers, none without any."""
    row = st.lists(st.integers(0, 6), min_size=length, max_size=length).filter(any)
    return draw(st.lists(row, min_size=count, max_size=count))


@st.composite
def weights(draw, most_inputs=4, most_outputs=4):
    """The weights of a prior and of each row of a channel."""
    inputs, outputs = draw(st.integers(1, most_inputs)), draw(st.integers(1, most_outputs))
    return rows(draw, 1, inputs)[0], rows(draw, inputs, outputs)


def stochastic(given):
    matrix = np.array(given, dtype=float)
    return matrix / matrix.sum(axis=-1, keepdims=True)


@st.composite
def channels(draw, most_inputs=4, most_outputs=4):
    prior, matrix = draw(weights(most_inputs, most_outputs))
    return Channel(stochastic(prior), stochastic(matrix))


@st.composite
def cascades(draw):
    """A channel, and a matrix that takes its outputs."""
    channel = draw(channels())
    return channel, stochastic(rows(draw, len(channel.outputs), draw(st.integers(1, 4))))


def epsilon_of(rule, distance):
    """The least epsilon for which the rule keeps letters indistinguishable at these distances."""
    most = 0.0
    for x, row in enumerate(rule):
        others = np.arange(len(rule)) != x
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(row > 0, np.log(row / rule[others]), 0.0).max(axis=1)
            each = np.where(ratios > 0, ratios / distance[x, others], 0.0)
        most = max(most, float(each.max(initial=0.0)))
    return most
