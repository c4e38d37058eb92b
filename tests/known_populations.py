"""Made populations in which everything is known, and samples drawn from them: alike, by weight, by person."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Drawn(NamedTuple):
    """Records of a sample: whose each is, its class, its target value, its weight."""

    person: np.ndarray
    owner: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def census(people, rng):
    """A population like that of a census: attributes of two to seventy values that depend on each other."""
    age = np.clip(rng.gamma(6, 6.5, people) + 15, 17, 90).astype(int)
    sex = (rng.random(people) < 0.67).astype(int)
    race = rng.choice(5, people, p=[0.86, 0.09, 0.03, 0.01, 0.01])
    married = np.where(rng.random(people) < np.clip((age - 20) / 40, 0.05, 0.7), 1, rng.choice(7, people))
    school = np.minimum(rng.poisson(7 + sex + (race == 2), people), 15)
    country = np.where(rng.random(people) < 0.9, 0, np.minimum(rng.zipf(1.5, people), 40))
    logit = 0.35 * (school - 8) + 1.3 * (married == 1) + 0.02 * (age - 45) + 0.4 * sex - 1.6
    salary = (rng.random(people) < 1 / (1 + np.exp(-logit))).astype(int)
    return {
        "age": age,
        "sex": sex,
        "race": race,
        "married": married,
        "school": school,
        "country": country,
        "salary": salary,
    }


def classes(table, keys):
    """The class of each person on some attributes."""
    return np.unique(np.stack([table[key] for key in keys], axis=1), axis=0, return_inverse=True)[1].ravel()


def by_share(owner, target, share, rng):
    """Everybody drawn with the same chance."""
    rows = np.flatnonzero(rng.random(len(owner)) < share)
    return Drawn(rows, owner[rows], target[rows], np.ones(len(rows)))


def by_weight(owner, target, share, rng, spread=0.6):
    """Everybody drawn with a chance that depends on class and value too; weights are its inverse."""
    lean = np.exp(rng.normal(0, spread / 2, int(owner.max()) + 1))[owner]
    lean *= np.exp(rng.normal(0, spread / 2, int(target.max()) + 1))[target]
    lean *= np.exp(rng.normal(0, spread, len(owner)))
    chance = np.clip(share * lean / lean.mean(), 1e-4, 1)
    rows = np.flatnonzero(rng.random(len(owner)) < chance)
    return Drawn(rows, owner[rows], target[rows], 1 / chance[rows])


def visits(owner, target, rng, mean=3.0, same=0.6):
    """Every person with several records: their own class and value, or now and then those of another."""
    person = np.repeat(np.arange(len(owner)), rng.geometric(1 / mean, len(owner)))
    who = np.where(rng.random(len(person)) < same, person, rng.integers(0, len(owner), len(person)))
    return person, owner[who], target[who]


def by_person(person, owner, target, share, rng):
    """People drawn with the same chance, each with all their records."""
    rows = np.flatnonzero((rng.random(int(person.max()) + 1) < share)[person])
    return Drawn(person[rows], owner[rows], target[rows], np.ones(len(rows)))


def urn(people, discount, strength, rng, sizes=(1,)):
    """The class of each person of a Pitman-Yor process, in the order in which they come, some being there."""
    owner = [place for place, size in enumerate(sizes) for _ in range(size)]
    size = list(sizes)
    draws = rng.random((people, 2))
    for here in range(len(owner), people):
        first, second = draws[here]
        place = first * (strength + here)
        beside = owner[int(place)] if place < here else None
        if beside is None or second < discount / size[beside]:
            owner.append(len(size))
            size.append(1)
        else:
            owner.append(beside)
            size[beside] += 1
    return np.array(owner)
