"""Categories drawn anew by a matrix of probabilities: PRAM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import DivulgeError
from divulge.mechanisms.algorithms.post_randomisation import invariant, retention_matrix
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_value
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition

Floats = npt.NDArray[np.float64]
MOST_VALUES = 2_000  # of an attribute: the matrix has their square
MOST_OPTIMAL = 60  # the same where the matrix is the solution of a program


@by_value(
    name="pram",
    title="Post-randomisation (PRAM)",
    random=True,
    takes="few values",
    parameters=(
        Parameter(
            "method",
            "choice",
            "Where the matrix comes from: a probability to keep a value, a matrix that is given, one that "
            "keeps frequencies on average, or the one that leaves an attacker most wrong.",
            "retention",
            choices=("retention", "matrix", "invariant", "optimal"),
        ),
        Parameter(
            "retention",
            "number",
            "Probability to keep a value; invariant starts from it.",
            0.8,
            least=0,
            most=1,
            secret=True,
        ),
        Parameter("matrix", "matrix", "With matrix: a row for each of the categories.", None, secret=True),
        Parameter(
            "categories",
            "texts",
            "With matrix: the values its rows and columns stand for.",
            None,
            secret=True,
        ),
        Parameter(
            "distortion",
            "number",
            "With optimal: the share of records whose value may change, on average.",
            0.2,
            least=0,
            most=1,
            secret=True,
        ),
    ),
    laws=frozenset({MechanismLaw.RECORDS}),
    example="with retention 0.8, one of three values is kept with probability 0.8; each other has 0.1",
    reference="kooiman1997",
)
def pram(values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step) -> Transition:
    """Draw every value at random by a matrix p(released | true).

    The invariant matrix keeps how often each value occurs, on average. The optimal one is the matrix under
    which an attacker who knows it, and how often values occur, guesses wrong most often, among those that
    change at most a share ``distortion`` of the records on average. Missing stays missing.
    """
    used = np.flatnonzero(counts[1:])
    most = MOST_OPTIMAL if step["method"] == "optimal" else MOST_VALUES
    if len(used) > most:
        raise step.error(
            "attributes",
            f"'{attribute}' has {len(used):,} values, and the limit is {most:,}.",
            "Recode it into fewer values first.",
        )
    present = [values[place] for place in used.tolist()]
    frequencies = counts[1:][used].astype(np.float64)
    order = list(range(len(used)))
    if step["method"] == "matrix":
        matrix, present, order = _given(present, attribute, step)
    else:
        matrix = _made(frequencies, step)
    rows: list[dict[int, float]] = [{0: 1.0} for _ in range(len(values) + 1)]
    for place, row in zip(used.tolist(), order, strict=True):
        rows[place + 1] = {code: chance for code, chance in enumerate(matrix[row].tolist(), 1) if chance > 0}
    return Transition.of_rows(present, rows)


def _made(frequencies: Floats, step: Step) -> Floats:
    """The matrix by the method that is asked for, with a row for each value that occurs."""
    if step["method"] == "optimal" and len(frequencies) > 1:
        from divulge.estimation.mechanisms.optimal import optimal_mechanism

        try:
            best = optimal_mechanism(
                frequencies / frequencies.sum(), loss="hamming", budget=float(step["distortion"])
            )
        except DivulgeError as error:
            raise step.error("distortion", error.message, error.hint or "") from None
        return np.asarray(best.channel.matrix, np.float64)
    kept = retention_matrix(len(frequencies), step["retention"])
    return invariant(kept, frequencies) if step["method"] == "invariant" else kept


def _given(present: Sequence[object], attribute: str, step: Step) -> tuple[Floats, list[object], list[int]]:
    """The matrix as given, what its columns stand for, and the row of each value that occurs."""
    if step["matrix"] is None or step["categories"] is None:
        raise step.error("method", "the method matrix needs matrix and categories.", "Write both.")
    names = list(step["categories"])
    if len(names) != len(step["matrix"]):
        raise step.error(
            "categories",
            f"there are {len(names)} categories and {len(step['matrix'])} rows.",
            "Name each row.",
        )
    missing = [value for value in present if str(value) not in names]
    if missing:
        raise step.error(
            "categories", f"they lack values that '{attribute}' has.", "List every value that occurs."
        )
    spelled = {str(value): value for value in present}
    return (
        np.asarray(step["matrix"], np.float64),
        [spelled.get(name, name) for name in names],
        [names.index(str(value)) for value in present],
    )
