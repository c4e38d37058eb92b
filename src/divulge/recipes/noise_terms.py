"""Noise as an expression of SQL: what a number becomes where the records are."""

from __future__ import annotations

import math
from decimal import Decimal

from divulge.engines.external.workplace import ReleaseDialect, Workplace
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.numbers import MOST_DECIMALS, no_numbers


def noise_term(place: Workplace, query: str, column: str, attribute: str, step: Step, draws: Draws) -> str:
    """A column with noise, rounded and written as its values are."""
    dialect = place.dialect
    number = dialect.parsed.format(column)
    wrong = place.number(
        f"SELECT count(*) FROM ({query}) AS t WHERE {column} IS NOT NULL AND ({number}) IS NULL"
    )
    if wrong:
        raise no_numbers(step, attribute, wrong)
    noisy = _noisy(place, query, f"({number})", draws.key(attribute), step)
    places = step["decimals"]
    places = _places(place, query, column) if places is None else places
    rounded = dialect.rounded(noisy, places)
    first = place.rows(f"SELECT {column} FROM ({query}) AS t WHERE {column} IS NOT NULL LIMIT 1")
    return f"CASE WHEN {column} IS NOT NULL THEN {_written(dialect, rounded, places, first)} END"


def _noisy(place: Workplace, query: str, number: str, key: str, step: Step) -> str:
    """The number of a record with what it draws, as the mechanism defines it."""
    dialect, given = place.dialect, place.dialect.float_number
    if step.mechanism.name == "laplace_noise":
        drawn = dialect.uniform(key)
        middle = f"({drawn} - {given(0.5)})"
        least = f"CASE WHEN {drawn} = 0 THEN {given(2.0**-54 - 0.5)} ELSE {middle} END"
        scale = given(step["sensitivity"] / step["epsilon"])
        return f"({number} - {scale} * sign({middle}) * ln({given(1.0)} - {given(2.0)} * abs({least})))"
    if step.mechanism.name == "multiplicative_noise":
        square = math.log1p(step["alpha"] ** 2)
        return f"({number} * exp({given(math.sqrt(square))} * {dialect.normal(key)} - {given(square / 2)}))"
    spread = given(step["alpha"] * _spread(place, query, number))
    return f"({number} + {spread} * {dialect.normal(key)})"


def _spread(place: Workplace, query: str, number: str) -> float:
    """The standard deviation of a sample, by two passes."""
    [(mean, count)] = place.rows(f"SELECT avg({number}), count({number}) FROM ({query}) AS t")
    if count < 2:
        return 0.0
    off = f"({number} - {place.dialect.float_number(float(mean))})"
    [[squares]] = place.rows(f"SELECT sum({off} * {off}) FROM ({query}) AS t")
    return math.sqrt(float(squares) / (count - 1))


def _places(place: Workplace, query: str, column: str) -> int:
    """The most decimals that a value is written with."""
    text = place.dialect.as_text(column)
    point = place.dialect.point.format(text)
    digits = f"CASE WHEN {point} > 0 THEN length({text}) - {point} ELSE 0 END"
    [[found]] = place.rows(f"SELECT max({digits}) FROM ({query}) AS t")
    return min(int(found or 0), MOST_DECIMALS)


def _written(dialect: ReleaseDialect, number: str, places: int, first: list[tuple[object]]) -> str:
    """A number as values of the column are: as text, a whole number, a decimal or a float."""
    value = first[0][0] if first else None
    if isinstance(value, str):
        return dialect.spelled.format(number, places)
    if isinstance(value, Decimal):
        return f"CAST({dialect.spelled.format(number, places)} AS {dialect.decimal.format(places)})"
    return f"CAST({number} AS {dialect.whole})" if isinstance(value, int) and places == 0 else number
