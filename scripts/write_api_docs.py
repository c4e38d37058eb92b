"""Write docs/api.md: what the package offers in Python, each name with the first line of its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import divulge

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# In Python

```python
>>> import divulge as dv
>>> audit = dv.audit("examples/patients.csv", quasi_identifiers=["Age"], sensitive=["Disease"])
>>> audit.to_frame("attributes")["role"].tolist()
['other', 'other', 'quasi-identifier', 'other', 'sensitive']
>>> audit.records()["group_size"].tolist()
[3, 3, 3, 1, 1, 1, 2, 2, 1]
>>> data = dv.read("examples/patients.csv", quasi_identifiers=["Age"], sensitive=["Disease"])
>>> reading = dv.measure(data, "discrimination_rate")      # one name: a Reading, here of Disease by Age
>>> readings = dv.measure(data, ["k_anonymity", "itpr"])   # several: Readings
>>> readings["k_anonymity"].value
1
>>> dv.measure(data, "discrimination_rate", quasi_identifiers="ZIP Code").question.keys
('ZIP Code',)
>>> releases = {"diverse": "examples/diverse.csv", "close": "examples/close.csv"}
>>> comparison = dv.compare(data, releases, by="record")
>>> comparison.to_frame()["release"].tolist()
['diverse', 'close']
>>> audit.plot("class_sizes")
Plot(class_sizes: Records by group size)
>>> audit.plot("pie")
Traceback (most recent call last):
divulge.errors.ParameterError: There is no chart 'pie'. There are record_risk, attributes, values, ...

```

## Data and roles

`dv.audit`, `dv.measure` and `dv.compare` take a path, a frame, a database table or a dictionary of columns,
and all keywords of `dv.read` beside it: roles (`identifiers`, `quasi_identifiers`, `sensitive`), what
values mean (`weights`, `missing`, `missing_values`, `suppressed`, `hierarchies`, `orders`), and how to open
a file or table (`separator`, `table`, `memory` and [the others](sources.md)).

- Data from `dv.read` are opened once and asked often. A keyword beside them **replaces** what was said of
  the same thing, for this call: `dv.audit(data, sensitive="salary")` keeps the quasi-identifiers of `data`.
  How to open them can no longer be said, and is refused.
- A **policy** says roles and what values mean. Such keywords beside it are refused;
  `dv.audit(policy="divulge.toml")` reads the table that the policy names.
- `dv.measure` takes the quasi-identifiers where no `keys` are named. Where no `target` is named, it takes
  the sensitive attribute if there is exactly one, and `@record` (re-identification) otherwise.
- `dv.compare(original, {"k5": k5, "noise": noise})` names the releases; `dv.compare(original, k5, noise)`
  calls them as their sources are called. Roles are those of the original. Keywords about how a file is
  written hold for every file.

The package is typed (`py.typed`): a type checker knows these keywords, that one name gives a `Reading` and
no name `Readings`, and which keys a [document](document.md) has. Types of documents are in
`divulge.documents`, for example `from divulge.documents.audit import AuditDocument`.

## Frames

Results are frames of the library that the data came in, pandas or Polars. Data from a file, a database or a
dictionary give pandas, or Polars where pandas is not installed; `kind="polars"` or `kind="pandas"` chooses.

| call | a line for each |
|---|---|
| `readings.to_frame()` | reading |
| `audit.to_frame("checks")` | check |
| `audit.to_frame("attributes")` | attribute |
| `audit.to_frame("plan")` | change that the plan makes to a record |
| `audit.to_frame("combinations")` | combination of quasi-identifiers, the ten riskiest of each size |
| `audit.records()` | record |
| `comparison.to_frame("releases")` | release |
| `comparison.to_frame("readings")`, `"checks"`, `"attacks"` | reading, check or attack of a release |

A count of fewer than five people is missing, with `"<5"` in the column after it; `audit.to_frame(...,
exact_counts=True)` gives it. On the command line `--csv-folder` writes the [same tables](audit.md#tables).

`audit.records()` has exact numbers about single people, so keep it with the data: for each record its
number from 1 on (or, with `key="id"`, its value of an attribute), whether it is `counted`, the people alike
on all quasi-identifiers (`group_size`), the `risk` of being found among them, whether it is `unique`, and
for each sensitive attribute X whether its value is revealed (`X_revealed`). [The audit](audit.md#records)
says how these are worked out. `to_frame("records")` is the same with small groups hidden.

## Charts

`readings.plot()`, `audit.plot("class_sizes")` and `comparison.plot("attack_risk")` are the charts of the
reports. They show themselves in a notebook. `to_dict()` is the Vega-Lite specification, `svg` the drawing,
and `to_altair()` a chart of Altair where that is installed. An unknown name lists the known ones.

## Names

| name | what it is |
|---|---|
| `MEASURES` | Every measure by its name ([measures](measures.md)). |
"""
MODULE = """
### dv.{name}

{line}

| name | what it is |
|---|---|
"""


def page() -> str:
    """The page, from the docstrings."""
    names = {name: getattr(divulge, name) for name in divulge.__all__}
    modules = {name: value for name, value in names.items() if isinstance(value, ModuleType)}
    parts = [HEAD, *_lines((name, value) for name, value in names.items() if name not in modules)]
    for name, module in modules.items():
        parts.append(MODULE.format(name=name, line=_first_line(module)))
        parts += _lines((inside, getattr(module, inside)) for inside in module.__all__)
    return "".join(parts)


def _lines(names: Any) -> Iterator[str]:
    for name, value in names:
        if inspect.isclass(value) or inspect.isfunction(value):
            yield f"| `{name}` | {_first_line(value)} |\n"


def _first_line(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
