"""What is to be learned from records, and ways of learning it, as scikit-learn has them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import MissingLibrary, Undefined
from divulge.utility.encoding import Matrix, counterparts, same_values
from divulge.utility.numbering import Integers
from divulge.utility.values import Paired

TASKS = ("decision tree", "nearest neighbours", "regression")
FEWEST_RECORDS = 20
MOST_CLASSES = 100  # target values beyond which most are too rare to be learned
NUMERIC = 20  # different numbers beyond which a target is predicted as a number
LARGEST_NUMBER = 1e100
NEIGHBOURS = 5
SMALLEST_LEAF = 5
CLUSTERS = 5


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted: the true values, those that the release teaches, and records with both."""

    true: npt.NDArray[Any]
    taught: npt.NDArray[Any]
    rows: Integers
    numeric: bool

    @property
    def score(self) -> str:
        return "r squared" if self.numeric else "accuracy"

    @property
    def guessing(self) -> float:
        """The score of always guessing the most frequent value, or the mean."""
        if self.numeric:
            return 0.0
        return float(np.unique(self.true[self.rows], return_counts=True)[1].max() / len(self.rows))

    def scored(self, predicted: npt.NDArray[Any], rows: Integers) -> float:
        """The share of predictions that are right, or of the variance that they explain."""
        true = self.true[rows]
        if not self.numeric:
            return float((predicted == true).mean())
        spread = ((true - true.mean()) ** 2).sum()
        return float(1 - ((predicted - true) ** 2).sum() / spread) if spread else 0.0


def target_of(column: Paired) -> Target:
    """An attribute as something to be predicted.

    Numbers are predicted as numbers where both tables have them and many of them. Where the release has
    values of its own, such as groups, these are what is predicted, from either table.
    """
    rows = np.arange(len(column.original.codes))
    taught: npt.NDArray[Any] = column.released.codes
    true: npt.NDArray[Any] = column.original.codes
    numeric = column.numbers is not None and len(column.numbers) - 2 > NUMERIC
    if numeric and column.numbers is not None:
        rows = np.flatnonzero(~(column.gap(column.original) | column.gap(column.released)))
        taught, true = column.numbers[taught], column.numbers[true]
        if np.nanmax(np.abs(column.numbers)) > LARGEST_NUMBER:
            raise Undefined(f"{column.attribute} has numbers too large to be squared")
    elif not same_values(column):
        true = counterparts(column, rows)[true]
    check_enough(len(rows))
    for table, values in (("release", taught), ("original", true)):
        different = len(np.unique(values[rows]))
        if different < 2:
            raise Undefined(f"{column.attribute} has one value only in the {table}: nothing is to be learned")
        if different > MOST_CLASSES and not numeric:
            raise Undefined(f"{column.attribute} has {different} values, of which most are too rare to learn")
    return Target(true, taught, rows, numeric)


def check_enough(records: int) -> None:
    if records < FEWEST_RECORDS:
        raise Undefined(
            f"there are {records} records to learn from, and less than {FEWEST_RECORDS} teach little"
        )


def predicted(
    task: str, train: Matrix, taught: npt.NDArray[Any], test: Matrix, *, numeric: bool, seed: int
) -> npt.NDArray[Any]:
    """What a learner says of the tested records, having seen the training ones."""
    if len(np.unique(taught)) == 1 or not train.shape[1]:
        return np.full(len(test), taught.mean() if numeric else _most_frequent(taught))
    ending = "Regressor" if numeric else "Classifier"
    if task == "decision tree":
        learner = getattr(_library("tree"), f"DecisionTree{ending}")(
            min_samples_leaf=SMALLEST_LEAF, random_state=seed
        )
    elif task == "nearest neighbours":
        learner = getattr(_library("neighbors"), f"KNeighbors{ending}")(min(NEIGHBOURS, len(train)))
    else:
        linear = _library("linear_model")
        learner = linear.Ridge() if numeric else linear.LogisticRegression()
    return _quietly(lambda: learner.fit(train, taught).predict(test))


def clusters(train: Matrix, test: Matrix, *, seed: int) -> Integers:
    """To which of the clusters found by k-means in the training records each tested one belongs."""
    if not train.shape[1]:
        return np.zeros(len(test), np.int64)
    learner = _library("cluster").KMeans(CLUSTERS, n_init=4, random_state=seed)
    return _quietly(lambda: learner.fit(train).predict(test))


def agreement(one: Integers, other: Integers) -> float:
    """The adjusted Rand index: 1 where the same records lie together, about 0 where by chance."""
    return float(_library("metrics").adjusted_rand_score(one, other))


def _most_frequent(values: npt.NDArray[Any]) -> Any:
    found, often = np.unique(values, return_counts=True)
    return found[often.argmax()]


def _quietly(work: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a solver that stopped early, fewer different records than clusters
        return work()


def _library(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError:
        raise MissingLibrary("what data mining keeps", "scikit-learn", "mining") from None
