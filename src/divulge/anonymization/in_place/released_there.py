"""A release too large to be checked here, made where the records are as a table to be counted there."""

from __future__ import annotations

from typing import Any

from divulge.engines.opening import counting_place
from divulge.questions.data import Data
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application, manifest_of, seed_for, steps_in_place


def released_there(data: Data, recipe: Recipe, seed: int | None) -> Application:
    """What a recipe makes of the attributes that data name, where the records are; nothing is written."""
    recipe.check(data.source.attributes)
    place, seed = counting_place(data.source), seed_for(recipe, seed)
    state, changes = steps_in_place(place, data, recipe, seed)
    columns = {name: state.columns[name] for name in data.schema.attributes if name in state.columns}
    manifest = manifest_of(
        recipe, seed, changes, list(columns), place.records, state.records, keep_order=False
    )
    table: Any = place.released(state.query, columns)  # opened by a policy as one at hand is
    return Application(table, manifest)
