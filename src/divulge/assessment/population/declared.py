"""What says that a table is a sample: a policy, a number, a share, weights, or a table of everyone."""

from __future__ import annotations

from typing import Any, Literal

from divulge.assessment.people.everyone import Everyone
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError
from divulge.policy import Policy, Population
from divulge.questions.data import Data, read
from divulge.table.schema import Role

Way = Literal["size", "fraction", "weights", "table"]


def sampled_from(
    data: Data, policy: Policy | None, population: object | None, fraction: float | None
) -> tuple[Population | None, Everyone | None]:
    """What the table is a sample of, and everyone there is if a table says it; what is given goes first."""
    if population is not None and fraction is not None:
        raise ParameterError(
            "The population is given by its size or a table, and by a fraction.",
            hint="Give one of them; the others follow.",
        )
    if fraction is not None:
        return Population(fraction=fraction), None
    if isinstance(population, int):
        return Population(size=population), None
    if population is not None:
        whole = population if isinstance(population, Data) else read(population)
    elif policy is None or (named := policy.everyone()) is None:
        return (None if policy is None else policy.population), None
    else:
        whole = named
    lacking = [key for key in data.schema.quasi_identifiers if key not in whole.schema.attributes]
    if lacking:
        raise ParameterError(
            f"The population table lacks {', '.join(lacking)}.",
            hint="It needs all quasi-identifiers, called as in the table.",
        )
    rules = {} if policy is None else policy.attributes
    called = [name for name, rule in rules.items() if rule.role is Role.IDENTIFIER]
    return Population(source=whole.source.name), Everyone.beside(whole, data, called)


def declared(scope: Scope) -> Way | None:
    """What says what the table is a sample of; None where nothing does."""
    asked = scope.population
    if asked is None:
        return None if scope.data.sample_weights is None else "weights"
    if asked.source is not None:
        return "table"
    return "weights" if asked.weight is not None else "size" if asked.size is not None else "fraction"


def population_entry(scope: Scope) -> dict[str, Any] | None:
    """The same as a document has it."""
    asked, way = scope.population, declared(scope)
    if way is None:
        return None
    weight = scope.data.sample_weights if asked is None else asked.weight
    size = scope.everyone.people if scope.everyone is not None else None if asked is None else asked.size
    return {
        "size": size,
        "weight": weight,
        "fraction": scope.sample.fraction,
        **({} if scope.everyone is None else {"source": scope.everyone.data.source.name}),
        **({} if scope.household is None else {"household": scope.household}),
    }
