"""Distances from files: rows found by name, hierarchies of every depth, and what is refused."""

import pytest

from divulge.errors import ParameterError
from divulge.estimation.channels.distance_files import distortion_of, hierarchy_distances
from divulge.estimation.channels.distortion import Among
from divulge.table.hierarchy import Hierarchy

ROWS = [("flu", "cold", "ill"), ("cough", "cold", "ill"), ("gout", "other", "ill")]


def test_hops_are_the_edges_up_to_where_values_meet_and_down_again():
    found = hierarchy_distances(Hierarchy.of(ROWS, attribute="ill"), ["gout", "flu", "cough"])
    assert found.array.tolist() == [[0, 4, 4], [4, 0, 2], [4, 2, 0]]


def test_in_an_ontology_values_that_meet_at_the_top_are_one_apart():
    found = hierarchy_distances(Hierarchy.of(ROWS, attribute="ill"), ["flu", "cough", "gout"], "ontology")
    assert found.array.tolist() == [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]


def test_estimates_that_are_no_secrets_keep_their_names(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("x,either,first\nb,1,2\na,1,0\n")
    found = distortion_of(str(file), ["a", "b"])
    assert found.candidates(["a", "b"]) == ("either", "first")
    assert found.matrix(["a", "b"], ["first"]).tolist() == [[0], [2]]


def test_places_are_named_by_coordinates(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("x,0;0,1;0\n0;0,0,5\n1;0,7,0\n")
    places = [(0.0, 0.0), (1.0, 0.0)]
    assert distortion_of(str(file), places).matrix(places, places).tolist() == [[0, 5], [7, 0]]


def test_an_estimate_can_be_bound_to_the_values():
    assert isinstance(distortion_of("squared", [1, 2], among_values=True), Among)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,a,b\na,0,1\n", "1 rows for 2 secrets"),
        ("x,a,b\na,0,1\na,0,1\n", "do not fit"),
        ("x,a,b\na,0,one\nb,1,0\n", "1 of its cells are not numbers"),
        ("x,a,b\na,0,-1\nb,1,0\n", "1 negative entries"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(text, said, tmp_path):
    file = tmp_path / "d.csv"
    file.write_text(text)
    with pytest.raises(ParameterError, match=said):
        distortion_of(str(file), ["a", "b"])
