"""A room that is called says what to call instead."""

import pytest

import divulge as dv
import divulge.measures
import divulge.table


def test_rooms_named_like_functions_say_what_to_call():
    with pytest.raises(TypeError, match=r"dv\.tabulate makes a table of counts, and dv\.read opens"):
        dv.table({"age": [1]})
    with pytest.raises(TypeError, match=r"dv\.measure reads measures of a table"):
        dv.measures()
