"""What is to be learned from records, and ways of learning it, as scikit-learn has them."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import MissingLibrary, Undefined
from divulge.utility.encoding import Matrix, Split, as_numbers, same_values
from divulge.utility.numbering import Integers, Mask, used
from divulge.utility.values import Paired

TASKS = ("decision tree", "nearest neighbours", "regression")
FEWEST_RECORDS = 20
MOST_CLASSES = 100  # target values beyond which most are too rare to be learned
NUMERIC = 20  # different numbers beyond which a target is predicted as a number
LARGEST_NUMBER = 1e100
NEIGHBOURS = 5
SMALLEST_LEAF = 5
CLUSTERS = 5
STARTS = 8  # of k-means


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted: the original's values, what the release teaches of them, and which records.

    ``rows`` are the records that have a value in the original, ``teaching`` says where the release has one.
    """

    true: npt.NDArray[Any]
    taught: npt.NDArray[Any]
    rows: Integers
    teaching: Mask
    numeric: bool

    @property
    def score(self) -> str:
        return "r squared" if self.numeric else "accuracy"

    def scored(self, predicted: npt.NDArray[Any], rows: Integers) -> float:
        """The share of predictions that are right, or of the variance that they explain."""
        true = self.true[rows]
        if not self.numeric:
            return float((predicted == true).mean())
        spread = ((true - true.mean()) ** 2).sum()
        return float(1 - ((predicted - true) ** 2).sum() / spread) if spread else 0.0

    def guessed(self, split: Split) -> float:
        """The score of always guessing the most frequent value of the training records, or the mean: 0."""
        if self.numeric:
            return 0.0
        return float((self.true[split.test] == _most_frequent(self.true[split.train])).mean())


def target_of(column: Paired) -> Target:
    """An attribute as something to be predicted: always the original's values, whatever was released.

    Numbers are predicted as numbers where the original has many of them. A released group teaches the number
    halfway, or the most frequent original value in it; a gap, or what cannot be read, teaches nothing.
    """
    numbers = as_numbers(column)
    codes = np.flatnonzero(used(column.original)[1:-1])
    numeric = numbers is not None and len(codes) > NUMERIC
    if numeric and numbers is not None:
        rows = np.flatnonzero(~column.gap(column.original))
        true, taught = numbers[column.original.codes], numbers[column.released.codes]
        teaching = ~np.isnan(taught)
        if np.nanmax(np.abs(numbers)) > LARGEST_NUMBER:
            raise Undefined(f"{column.attribute} has numbers too large to be squared")
    else:
        rows = np.arange(len(column.original.codes))
        true, taught = column.original.codes.astype(np.int64), _decoded(column)[column.released.codes]
        teaching = taught >= 0
    check_enough(len(rows))
    released = column.released.codes[rows]
    for table, values in (("release", released), ("original", true[rows])):
        different = len(np.unique(values))
        if different > MOST_CLASSES and not numeric:
            raise Undefined(f"{column.attribute} has {different} values, of which most are too rare to learn")
        if different < 2:
            raise Undefined(
                f"{column.attribute} has one value only in the {table}, so there is nothing to learn"
            )
    if not teaching[rows].any():
        raise Undefined(f"the released values of {column.attribute} match none of the original values")
    check_enough(int(teaching[rows].sum()))
    return Target(true, taught, rows, teaching, numeric)


def _decoded(column: Paired) -> Integers:
    """For each code the original's value that it teaches; -1 where it teaches none."""
    often = np.bincount(column.original.codes, minlength=column.cardinality)
    found = np.where(often > 0, np.arange(column.cardinality), -1)
    if not same_values(column):
        for code, group in column.meanings.groups.items():
            found[code] = group[often[group].argmax()]
    return found


def check_enough(records: int) -> None:
    if records < FEWEST_RECORDS:
        raise Undefined(f"there are {records} records to learn from, fewer than the {FEWEST_RECORDS} needed")


def predicted(
    task: str, train: Matrix, taught: npt.NDArray[Any], test: Matrix, *, numeric: bool, seed: int
) -> npt.NDArray[Any]:
    """What a learner says of the tested records, having seen the training ones."""
    if len(np.unique(taught)) == 1 or not train.shape[1]:
        return np.full(len(test), taught.mean() if numeric else _most_frequent(taught))
    ending = "Regressor" if numeric else "Classifier"
    if task == "decision tree":
        tree = getattr(_library("tree"), f"DecisionTree{ending}")
        learner = tree(min_samples_leaf=SMALLEST_LEAF, random_state=seed)
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
    learner = _library("cluster").KMeans(CLUSTERS, n_init=STARTS, random_state=seed)
    return _quietly(lambda: learner.fit(train).predict(test))


def agreement(one: Integers, other: Integers) -> float:
    """The adjusted Rand index: 1 where the same records lie together, about 0 where by chance."""
    return float(_library("metrics").adjusted_rand_score(one, other))


def on_one_thread() -> AbstractContextManager[Any]:
    """Learning on one thread: on tables of this size, threads that wait for each other take far longer."""
    try:
        for module in ("tree", "neighbors", "linear_model", "cluster"):
            import_module(f"sklearn.{module}")  # the limit holds for what is loaded
        return import_module("threadpoolctl").threadpool_limits(1)
    except ModuleNotFoundError:
        return nullcontext()  # said when something is to be learned


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
