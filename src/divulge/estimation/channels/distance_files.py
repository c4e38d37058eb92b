"""Distances from files: a matrix that is written out, or steps in a hierarchy of the values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from divulge.errors import ParameterError, not_among
from divulge.estimation.channels.channel_files import read_matrix
from divulge.estimation.channels.distortion import NAMED, Among, Distortion, Matrix, as_distortion
from divulge.estimation.channels.written_names import written
from divulge.table.hierarchy import Hierarchy

HOPS, ONTOLOGY = "hops", "ontology"


def distortion_of(
    given: str,
    inputs: Sequence[object],
    *,
    hierarchy: str | os.PathLike[str] | None = None,
    among_values: bool = False,
) -> Distortion:
    """The distortion of a name or of a CSV file, for secrets of these names.

    ``hops`` and ``ontology`` are distances in a hierarchy file. With ``among_values`` the estimate is one of
    the values, also where another number would cost less.
    """
    if given in (HOPS, ONTOLOGY):
        if hierarchy is None:
            raise ParameterError(
                f"The distortion {given} needs the hierarchy of the values.", hint="Give --hierarchy FILE."
            )
        return hierarchy_distances(Hierarchy.read(hierarchy, attribute="the secret"), inputs, given)
    if hierarchy is not None:
        raise ParameterError(
            f"A hierarchy is not used by the distortion {given}.",
            hint=f"Choose {HOPS} or {ONTOLOGY}, or leave out --hierarchy.",
        )
    if given not in NAMED and (Path(given).suffix or Path(given).exists()):
        return read_distances(given, inputs)
    if given not in NAMED:
        message, hint = not_among(given, [*NAMED, HOPS, ONTOLOGY], "distortion")
        raise ParameterError(message, hint=f"{hint} A matrix of distances is a CSV file.")
    found = as_distortion(given)
    return Among(found) if among_values else found


def read_distances(path: str | os.PathLike[str], inputs: Sequence[object]) -> Matrix:
    """Distances from a CSV file: a header of estimates, then a row for each secret with its name first."""
    rows, columns, numbers = read_matrix(path, "matrix of distances")
    own = [_key(written(name)) for name in inputs]
    places = {_key(name): place for place, name in enumerate(rows)}
    lacking = sum(name not in places for name in own)
    if lacking or len(rows) != len(own) or len(places) < len(rows):
        raise ParameterError(
            f"The distances in '{Path(path).name}' do not fit the secrets: {len(rows)} rows for {len(own)} "
            f"secrets, {lacking} of which have none.",
            hint="Give each secret one row, with its name first.",
        )
    array = np.array(numbers)[[places[name] for name in own]]
    estimates = [_key(name) for name in columns]
    if set(estimates) == set(own) and len(estimates) == len(own):
        return Matrix(array[:, [estimates.index(name) for name in own]])
    return Matrix(array, columns)


def hierarchy_distances(hierarchy: Hierarchy, inputs: Sequence[object], by: str = HOPS) -> Matrix:
    """How far values are apart in their hierarchy: by edges between them, or by the level they meet at.

    ``hops`` counts edges up to the nearest group that both are in and down again; ``ontology`` divides by
    the most there can be, so that it ends at 1, as hierarchical t-closeness has it. Values that no group
    holds together meet one level above the last.

    >>> ill = Hierarchy.of([("flu", "cold"), ("cough", "cold"), ("gout", "other")], attribute="ill")
    >>> hierarchy_distances(ill, ["flu", "cough", "gout"]).array.tolist()
    [[0.0, 2.0, 4.0], [2.0, 0.0, 4.0], [4.0, 4.0, 0.0]]
    """
    places = {value: place for place, value in enumerate(hierarchy.values)}
    names = ["" if name is None else written(name) for name in inputs]
    lacking = sum(name not in places for name in names)
    if lacking:
        raise ParameterError(
            f"{lacking} of the {len(names)} secrets are not in the hierarchy.",
            hint="Give the hierarchy a row for each value, with the value first.",
        )
    found = [places[name] for name in names]
    own = np.array([*hierarchy.values], dtype=object)[found]
    apart = (own[:, None] != own).astype(np.float64)
    for level in hierarchy.groups:
        groups = np.array([*level], dtype=object)[found]
        apart += groups[:, None] != groups
    top = len(set(hierarchy.groups[-1])) > 1
    height = hierarchy.levels + top
    return Matrix(2 * apart if by == HOPS else apart / height, name=by)


def _key(name: str) -> str:
    """The name of a point as it is written here: in a file coordinates may have a semicolon between."""
    return ", ".join(part.strip() for part in name.split(";"))
