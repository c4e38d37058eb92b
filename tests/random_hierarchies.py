"""Random small tables with random hierarchies and policies, for the search and its twin."""

from unittest.mock import patch

import numpy as np

from divulge.anonymization.inputs import need_losses
from divulge.anonymization.local import local_recoding
from divulge.anonymization.local.number_ranges import number_ranges
from divulge.anonymization.local.specializing import specialize
from divulge.generalization import encoding
from divulge.generalization.criteria import criteria_of
from divulge.generalization.encoding import encoded
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import LOSSES, LossTables
from divulge.policy import Policy
from divulge.table.hierarchy import Hierarchy
from divulge.utility import Need

#: What releases of random cases are used for: one quasi-identifier alone, and beside a key that stays.
NEEDS = (Need("alone", ("q0",), "s"), Need("beside", ("other", "q0"), "s"))
OF_GROUPS = [name for name, one in LOSSES.items() if not one.of_records]  # losses that groups decide
#: A threshold of every kind that the search decides by counting, each with bounds that bind on small tables.
THRESHOLDS = {
    "k_anonymity": ({"min": 2}, {"min": 3}, {"min": 5}),
    "reidentification_risk": ({"max": 0.4}, {"max": 0.3, "kind": "average"}),
    "uniqueness": ({"max": 0.1},),
    "average_class_size": ({"min": 3},),
    "class_count": ({"max": 4},),
    "distinct_l_diversity": ({"min": 2}, {"min": 3}),
    "entropy_l_diversity": ({"min": 1.5},),
    "entropy_l_diversity_risk": ({"max": 0.7},),
    "recursive_cl_diversity": ({"max": 2}, {"max": 3, "l": 3}),
    "alpha_k_anonymity": ({"max": 0.7},),
    "worst_posterior": ({"max": 0.6}, {"max": 0.4, "target": "@record"}),
    "attacker_error": ({"min": 0.3, "kind": "worst"}, {"min": 0.4}, {"min": 0.5, "target": "@record"}),
    "t_closeness": ({"max": 0.3}, {"max": 0.2, "ground": "ordered"}, {"max": 0.3, "ground": "hierarchical"}),
    "delta_disclosure": ({"max": 1.5},),
    "beta_likeness": ({"max": 0.8}, {"max": 0.8, "enhanced": True}),
    "kl_closeness": ({"max": 0.3},),
    "discrimination_rate": ({"max": 0.4}, {"max": 0.6, "target": "@record"}),
    "normalized_conditional_entropy": ({"min": 0.6},),
    "conditional_entropy": ({"min": 0.8},),
    "mutual_information": ({"max": 0.4},),
    "conditional_privacy": ({"max": 0.3},),
    "itpr": ({"max": 0.7},),
}


def random_hierarchy(rng, name, values):
    """A tree over the values: groups merged at random from level to level, the top one group as a rule."""
    rows, groups = [list(map(str, values))], list(range(len(values)))
    for level in range(1, int(rng.integers(2, 4))):
        merged = rng.integers(0, max(1, len(set(groups)) - 1), len(values))
        groups = [int(merged[one]) for one in groups]
        rows.append([f"{name}{level}.{one}" for one in groups])
    if rng.random() < 0.8:
        rows.append(["*"] * len(values))
    return Hierarchy.of(list(zip(*rows, strict=True)), attribute=name)


def random_case(rng, asked=None):
    """A table as columns, hierarchies of its keys, and a policy; ``asked`` are thresholds."""
    records, keys = int(rng.integers(6, 30)), [f"q{place}" for place in range(int(rng.integers(1, 4)))]
    table, trees = {}, {}
    for key in keys:
        values = [f"{key}v{one}" for one in range(int(rng.integers(2, 6)))]
        trees[key] = random_hierarchy(rng, key, values)
        table[key] = rng.choice(values, records).tolist()
    table["s"] = rng.choice([1, 2, 3, 4], records, p=[0.4, 0.3, 0.2, 0.1]).tolist()
    tree = Hierarchy.of(
        [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")], attribute="s"
    )
    attributes = {key: {"role": "quasi-identifier", "hierarchy": trees[key]} for key in keys}
    attributes["s"] = {"role": "sensitive", "hierarchy": tree}
    if asked is None:
        names = rng.choice(list(THRESHOLDS), int(rng.integers(1, 4)), replace=False).tolist()
        asked = {name: THRESHOLDS[name][int(rng.integers(len(THRESHOLDS[name])))] for name in names}
    table["other"] = rng.choice(["x", "y"], records).tolist()
    return table, trees, Policy.of({"attributes": attributes, "thresholds": asked})


def lattice_of(table, trees, policy, share, loss="granularity", weights=None):
    """The lattice of a case."""
    data = policy.open(table)
    criteria, place = criteria_of(policy.thresholds, list(trees), data.schema.sensitive), -1
    if loss == "classification":
        criteria, place = criteria.also_counting(("s",))
    coded = encoded(data, trees, criteria.targets, policy.partitions)
    needs = need_losses(NEEDS, data, coded) if loss == "need" else None
    costs = LossTables(LOSSES[loss], coded, weights or {}, place, needs)
    return GeneralizationLattice(coded, criteria, costs, int(share * coded.records + 1e-9))


def generalization_nodes(rng):
    """What is found of every node of a random case, as far as it is defined."""
    table, trees, policy = random_case(rng)
    with patch.object(encoding, "WORD", int(rng.choice([64, 4]))):  # keys of one word, or of several
        lattice = lattice_of(
            table, trees, policy, float(rng.choice([0, 0.1, 0.5, 1])), str(rng.choice(OF_GROUPS))
        )
        assert lattice.table.fields is not None  # made while words are short
    found = lattice.room()
    for _ in lattice.whole(found):
        pass
    assert found.suppressed.max() <= lattice.table.records
    capped = found._replace(suppressed=np.minimum(found.suppressed, lattice.limit + 1))
    return [np.where(np.isinf(one), -1.0, one) for one in capped]


def local_groups(rng):
    """What a random case is recoded to locally: its loss, what is suppressed, and the level of each class."""
    table, trees, policy = random_case(rng)
    loss = str(rng.choice(["granularity", "precision", "bits"]))
    lattice = lattice_of(table, trees, policy, 1.0, loss)
    top = tuple(levels - 1 for levels in lattice.table.shape)
    found = local_recoding(lattice, top)
    return [np.asarray([found.loss, found.groups]), found.suppressed, found.levels]


def random_number_case(rng):
    """A table of two numbers and a word, hierarchies of bands, and a policy of groups."""
    records = int(rng.integers(6, 24))
    table = {
        "age": [None if one == 20 else int(one) for one in rng.integers(20, 45, records)],
        "pay": rng.choice([0.5, -1.5, 2.0, 3.25, 7.0, 8.0], records).tolist(),
        "town": rng.choice(["a", "b", "c"], records).tolist(),
        "s": rng.choice([1, 2, 3, 4], records).tolist(),
    }
    rows = {
        "age": [(str(one), f"{one // 10 * 10}s", "*") for one in range(20, 46)],
        "pay": [(str(one), "*") for one in (0.5, -1.5, 2.0, 3.25, 7.0, 8.0)],
        "town": [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")],
    }
    trees = {name: Hierarchy.of(one, attribute=name) for name, one in rows.items()}
    attributes = {name: {"role": "quasi-identifier", "hierarchy": tree} for name, tree in trees.items()}
    chosen = rng.choice(["k_anonymity", "distinct_l_diversity", "t_closeness"], 2, replace=False).tolist()
    asked = {name: THRESHOLDS[name][0] for name in chosen}
    return table, trees, Policy.of({"attributes": {**attributes, "s": "sensitive"}, "thresholds": asked})


def number_groups(rng):
    """What all records of a random case are split into, as parts of classes, and the level of each class."""
    lattice = lattice_of(*random_number_case(rng), 1.0, str(rng.choice(["granularity", "bits"])))
    top = np.asarray([[levels - 1 for levels in lattice.table.shape]])
    place = [one.name for one in lattice.table.attributes].index("age")
    missing = np.asarray([name is None for name in lattice.table.attributes[place].names[0]])
    gap = missing[lattice.table.values(place)]
    groups = [one for one in (np.flatnonzero(gap), np.flatnonzero(~gap)) if len(one)]
    found = specialize(lattice, groups, np.repeat(top, len(groups), axis=0), number_ranges(lattice))
    first = np.unique(found.part_of, return_index=True)[1]
    return [found.levels, np.argsort(np.argsort(first))[found.part_of]]
