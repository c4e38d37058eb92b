"""Models of how many people of a population are unique on some attributes, from a sample of them.

Each comes with when it applies and its parameters. They often disagree by a factor of several, so that they
are shown beside each other, and none of them alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge.errors import Undefined
from divulge.measures.population_figures import MODEL_TITLES
from divulge.uniques.pitman import pitman_fit
from divulge.uniques.pitman_yor import pitman_yor_posterior
from divulge.uniques.roots import crossing
from divulge.uniques.size_counts import Floats, SizeCounts

SMALL_FRACTION = 0.1  # up to which Dankar and others take Pitman's model


@dataclass(frozen=True)
class ModelEstimate:
    """How many people are unique by a model, or why it does not say; and what it was fitted to."""

    model: str
    uniques: float | None = None
    undefined: str | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """An estimate; no interval of these models holds what it promises, and so none is given."""
        return {
            "uniques": self.uniques,
            "undefined": self.undefined,
            "interval": None,
            "parameters": self.parameters,
            "note": self.note,
        }


@dataclass(frozen=True)
class PopulationModel:
    """A model by name, with what it assumes and when it applies."""

    name: str
    applies: str
    reference: str
    estimate: Callable[[SizeCounts], ModelEstimate]

    @property
    def title(self) -> str:
        return MODEL_TITLES[self.name]


def of_everyone(model: str, unique: int) -> ModelEstimate:
    """What there is to say where the table has everyone: who is unique in it is unique."""
    return ModelEstimate(model, float(unique), note="The table is the whole population.")


def estimates(counts: SizeCounts) -> list[ModelEstimate]:
    """What every model says; undefined with the reason where one has no solution."""
    return [_tried(model, counts) for model in MODELS.values()]


def _tried(model: PopulationModel, counts: SizeCounts) -> ModelEstimate:
    if counts.fraction >= 1:
        return of_everyone(model.name, counts.of_size(1))
    try:
        found = model.estimate(counts)
    except Undefined as reason:
        return ModelEstimate(model.name, undefined=str(reason))
    if found.uniques is None or not 0 <= found.uniques <= counts.population:
        return ModelEstimate(
            model.name, undefined="the estimate is not a number of people", parameters=found.parameters
        )
    return found


def pitman(counts: SizeCounts) -> ModelEstimate:
    fit = pitman_fit(counts)
    note = None if fit.alpha else "The likelihood is highest at alpha = 0, the end of its range."
    return ModelEstimate(
        "pitman",
        fit.uniques(counts.population),
        parameters={"theta": fit.theta, "alpha": fit.alpha},
        note=note,
    )


def pitman_yor(counts: SizeCounts) -> ModelEstimate:
    """The mean by the posterior of the Pitman-Yor process, with its diagnostics.

    Its credible intervals are parameters of the model, and no note repeats them: in a census they hold the
    truth in fewer than 90 of 100 samples.
    """
    found = pitman_yor_posterior(counts)
    uniques, both = found.uniques, found.unique_in_both
    low, high = found.credible(uniques, 0.0, counts.population)
    both_low, both_high = found.credible(both, 0.0, counts.of_size(1))
    parameters = {
        "discount": found.mean(found.discount),
        "strength": found.mean(found.strength),
        "credible_low": low,
        "credible_high": high,
        "unique_in_both": found.mean(both[0]),
        "unique_in_both_low": both_low,
        "unique_in_both_high": both_high,
        "expected_groups_of_one": found.expected_small[1],
        "expected_groups_of_two": found.expected_small[2],
    }
    note = (
        None if found.fits else "The model does not fit: it expects other numbers of groups of one and two."
    )
    return ModelEstimate("pitman_yor", found.mean(uniques[0]), parameters=parameters, note=note)


def zayatz(counts: SizeCounts) -> ModelEstimate:
    """The sizes of the population's classes are taken to be spread as those of the sample."""
    lone = counts.of_size(1)
    if not lone:
        raise Undefined("no record is unique in the table")
    once = counts.classes * drawn_once(counts)
    chance = float(once[counts.sizes == 1].sum() / once.sum())
    parameters = {"chance that a unique record is unique in the population": chance}
    return ModelEstimate("zayatz", lone * chance / counts.fraction, parameters=parameters)


def drawn_once(counts: SizeCounts) -> Floats:
    """The chance that one record of a class of each size is drawn, to that of a class of one."""
    before = np.arange(1, int(counts.sizes.max()))  # people of the class who are not drawn
    with np.errstate(divide="ignore"):
        missed = np.log1p(np.maximum(-(counts.records - 1) / (counts.population - before), -1.0))
    together = np.concatenate([[0.0, 0.0], np.cumsum(missed)])
    return np.asarray(counts.sizes * np.exp(together[counts.sizes]), np.float64)


def shifted_negative_binomial(counts: SizeCounts) -> ModelEstimate:
    """Class sizes less one are negative-binomial; how many classes there are, by Shlosser's estimator."""
    lone, pairs, share = counts.of_size(1), counts.of_size(2), counts.fraction
    if not lone or not pairs:
        raise Undefined("there are no classes of one record, or none of two")
    classes = shlosser(counts)
    ratio = 2 * pairs / (lone * share)  # of E F(F-1) q^(F-2) to E F q^(F-1)
    level = lone / (classes * share)

    def alpha_for(beta: float) -> float:
        """The alpha with which classes of one and of two are as many, to each other, as they are."""
        at = (1 - beta) / (1 - (1 - share) * (1 - beta))
        # 2 a at + q a (a + 1) at^2 = ratio (1 + a q at), a quadratic in a
        q = 1 - share
        square, linear = q * at * at, 2 * at + q * at * at - ratio * q * at
        return (-linear + float(np.sqrt(linear * linear + 4 * square * ratio))) / (2 * square)

    def excess(logit: float) -> float:
        beta = 1 / (1 + float(np.exp(-logit)))
        alpha, kept = alpha_for(beta), 1 - (1 - share) * (1 - beta)
        once = (beta / kept) ** alpha * (1 + alpha * (1 - share) * (1 - beta) / kept)
        return once - level

    grid = np.linspace(-30, 15, 181)
    values = [excess(float(one)) for one in grid]
    signs = [place for place in range(len(grid) - 1) if (values[place] > 0) != (values[place + 1] > 0)]
    if not signs:
        raise Undefined("the equations of the model have no solution")
    place = signs[0]
    beta = 1 / (1 + float(np.exp(-crossing(excess, float(grid[place]), float(grid[place + 1])))))
    alpha = alpha_for(beta)
    parameters = {"classes": classes, "alpha": alpha, "beta": beta}
    note = (
        None
        if len(signs) == 1
        else "The equations have several solutions; this is the one of the widest spread."
    )
    return ModelEstimate("snb", classes * beta**alpha, parameters=parameters, note=note)


def shlosser(counts: SizeCounts) -> float:
    """How many classes the population has: Shlosser's estimator as Haas and Stokes (1998) correct it."""
    q, sizes, classes = counts.fraction, counts.sizes.astype(np.float64), counts.classes.astype(np.float64)
    left = 1 - q
    above = (sizes * q * q * (1 - q * q) ** (sizes - 1) * classes).sum()
    below = (((1 - q * q) ** sizes - left**sizes) * classes).sum()
    unseen = (left**sizes * classes).sum() / (sizes * q * left ** (sizes - 1) * classes).sum()
    return float(counts.occupied + counts.of_size(1) * above / below * unseen**2)


def dankar(counts: SizeCounts) -> ModelEstimate:
    """Pitman's model for small samples, the smaller of the two others otherwise (Dankar and others 2012)."""
    if counts.fraction <= SMALL_FRACTION:
        chosen = pitman(counts)
    else:
        tried = [_tried(MODELS[name], counts) for name in ("zayatz", "snb")]
        usable = [one for one in tried if one.uniques is not None]
        if not usable:
            raise Undefined("neither of the models that the rule chooses from has a solution")
        chosen = min(usable, key=lambda one: one.uniques or 0.0)
    return ModelEstimate("dankar", chosen.uniques, note=f"The rule takes {MODELS[chosen.model].title}.")


MODELS = {
    model.name: model
    for model in (
        PopulationModel(
            "pitman",
            "small samples, up to a tenth of the population",
            "hoshino2001",
            pitman,
        ),
        PopulationModel(
            "pitman_yor",
            "all samples; its credible interval only where the model is right",
            "favaro2009",
            pitman_yor,
        ),
        PopulationModel("zayatz", "large samples", "zayatz1991", zayatz),
        PopulationModel(
            "snb",
            "samples above a tenth of the population",
            "chen1998",
            shifted_negative_binomial,
        ),
        PopulationModel("dankar", "where one of the others has to be chosen", "dankar2012", dankar),
    )
}
