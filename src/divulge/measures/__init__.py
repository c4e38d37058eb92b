"""The measures, each a plain function on joint counts; the registry lists them."""

from divulge.measures.class_size import (
    average_class_size,
    class_count,
    k_anonymity,
    reidentification_risk,
    uniqueness,
)
from divulge.measures.closeness import beta_likeness, delta_disclosure, t_closeness
from divulge.measures.diversity import (
    alpha_k_anonymity,
    distinct_l_diversity,
    entropy_l_diversity,
    recursive_cl_diversity,
)
from divulge.measures.identifier import IdentifierClass, identifier_class
from divulge.measures.information import (
    attacker_error,
    best_attacker_error,
    conditional_entropy,
    conditional_privacy,
    discrimination_rate,
    entropy,
    entropy_l_diversity_risk,
    itpr,
    kl_closeness,
    maximum_information_leakage,
    mutual_information,
    normalized_conditional_entropy,
    worst_posterior,
)
from divulge.measures.registry import MEASURES, Law, Measure, get, measure

# The catalogue's order: what keys tell, how many share a class, how varied and how typical their targets are.
_ORDER = ("information", "class_size", "diversity", "closeness")
MEASURES.update(
    {m.name: MEASURES.pop(m.name) for family in _ORDER for m in list(MEASURES.values()) if m.family == family}
)

__all__ = [
    "MEASURES",
    "IdentifierClass",
    "Law",
    "Measure",
    "alpha_k_anonymity",
    "attacker_error",
    "average_class_size",
    "best_attacker_error",
    "beta_likeness",
    "class_count",
    "conditional_entropy",
    "conditional_privacy",
    "delta_disclosure",
    "discrimination_rate",
    "distinct_l_diversity",
    "entropy",
    "entropy_l_diversity",
    "entropy_l_diversity_risk",
    "get",
    "identifier_class",
    "itpr",
    "k_anonymity",
    "kl_closeness",
    "maximum_information_leakage",
    "measure",
    "mutual_information",
    "normalized_conditional_entropy",
    "recursive_cl_diversity",
    "reidentification_risk",
    "t_closeness",
    "uniqueness",
    "worst_posterior",
]
