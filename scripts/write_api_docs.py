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
>>> data = dv.read("examples/patients.csv", quasi_identifiers=["Age"], sensitive=["Disease"])
>>> reading = dv.measure(data, "discrimination_rate", keys="Age", target="Disease")   # one name: a Reading
>>> readings = dv.measure(data, ["k_anonymity", "itpr"], keys="Age", target="Disease")  # several: Readings
>>> readings["k_anonymity"].value
1
>>> audit = dv.audit(data, search=False)
>>> audit.to_frame("attributes")["role"].tolist()
['other', 'other', 'quasi-identifier', 'other', 'sensitive']
>>> audit.to_frame("records", exact_counts=True)["people_alike"].tolist()
[3, 3, 3, 1, 1, 1, 2, 2, 1]
>>> audit.plot("class_sizes")
Plot(class_sizes: Sizes of classes)
>>> audit.plot("pie")
Traceback (most recent call last):
divulge.errors.ParameterError: There is no chart 'pie'. There are attributes, targets, values, ...

```

The package is typed (`py.typed`): a type checker knows that a name gives a `Reading` and no name
`Readings`, and which keys a [document](document.md) has. Types of documents are in `divulge.documents`, for
example `from divulge.documents.audit import AuditDocument`.

## Frames

`readings.to_frame()` and `audit.to_frame("checks")`, also `"attributes"`, `"combinations"`,
`"records"` and `"plan"`, are frames of the library that the data came in: pandas or Polars. Data from
a file, a database or a dictionary give pandas, or Polars where pandas is not installed;
`kind="polars"` or `kind="pandas"` chooses.
`"records"` has a line for each record: how many people share all quasi-identifiers, and the risk of a
guess among them. A count of fewer than five people is missing, with `"<5"` in the column after it;
`exact_counts=True` gives it.

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
