"""People beyond the table: what is known of the population, as lines, charts and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from divulge._support.small_counts import FEW
from divulge._support.wording import capitalized, chance_in_percent, in_words, many, percent, said_in_percent
from divulge.measures.population_figures import MODEL_TITLES
from divulge.report.audit.key_charts import SHADES, heat_map
from divulge.report.charts.theme import Spec, chart, labels, names_at, shares_up_to
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn
from divulge.report.uniqueness_text import ends_text, expected_text, presence_text

TITLE = "People beyond this table"
NOT_KNOWN = "not known"
UNDECLARED = (
    "Not known: whether people who are unique here are unique in the population too, and how often a match "
    "with a unique record is right. To have it estimated, say what the table is a sample of: --population "
    "with a number of people or a table of all of them, --fraction, --weights, or [population] in a policy."
)
MOST_ATTRIBUTES, MOST_SIZES = 20, 10  # of the chart of special uniques
MOST_NAMED = 3
FEW_ALIKE = 5  # people of the population who share someone's values
NARROW = 64  # of a column that has a number for its title


class BeyondFact(NamedTuple):
    """Something that is known, or why it is not: a title, the number, and what it means."""

    title: str
    text: str
    meaning: str


def entry(document: Document) -> Document:
    """What a document says of people beyond the table; nothing where it is older than that."""
    found: Document = document.get("people_beyond_table") or {}
    return found


def sentences(document: Document) -> list[str]:
    """The same in a few sentences."""
    found = entry(document)
    if not found:
        return []
    if "sample" not in found:
        return [f"Not known: {found['undefined']}."]
    said = [_sentence(one) for one in facts(document)]
    return [*(said if found["declared"] else [UNDECLARED]), *_special(found)]


def _sentence(fact: BeyondFact) -> str:
    goes_on = fact.meaning.startswith(("people", "of "))
    return f"{fact.title}: {fact.text} {fact.meaning if goes_on else f'({fact.meaning})'}."


def _special(found: Document) -> Iterator[str]:
    special = found["special"]
    if special is None:
        yield f"Special uniques were not searched: {found['undefined']}."
        return
    if special["records"] != 0:
        ranked = sorted(special["by_attribute"].items(), key=lambda one: -(one[1] or 0.0))
        named = [f"{name} ({percent(share)})" for name, share in ranked[:MOST_NAMED] if share]
        by = f"; attributes with most of the score: {', '.join(named)}" if named else ""
        yield f"Special uniques, unique by sets of few attributes: {_records(special['records'])}{by}."
    if special.get("unscored"):
        yield f"Unique records without a score: {in_words(special['unscored'])}."
    if special.get("undefined"):
        yield f"{capitalized(special['undefined'])}."


def _records(said: int | str) -> str:
    return f"{in_words(said)} record{'' if said == 1 else 's'}"


def facts(document: Document) -> list[BeyondFact]:
    """What is known of a population that was declared; nothing otherwise."""
    found = entry(document)
    if "sample" not in found or found["declared"] is None or found["population_size"] is None:
        return []
    size, sample = many(round(found["population_size"])), found["sample"]
    return [
        BeyondFact(
            "Population", size, f"people, of whom {chance_in_percent(found['fraction'])} are in this table"
        ),
        BeyondFact(
            "Unique in this table",
            said_in_percent(sample["share"]),
            f"{_people(sample['unique'])} whom nobody here shares all quasi-identifiers with",
        ),
        *_unique_there(found),
        *_alike(found.get("estimated")),
        _match(found),
        *_expected(found),
    ]


def _people(said: int | str) -> str:
    return f"{in_words(said)} {'person' if said == 1 else 'people'}"


def _unique_there(found: Document) -> Iterator[BeyondFact]:
    title, known, spread = "Unique in the population", found["known"], found["spread"]
    if known is not None:
        least, largest = (percent(known["delta_presence"][end]) for end in ("least", "largest"))
        here, everywhere = in_words(known["unique"]), known.get("unique_in_population")
        meaning = "people of this table" if everywhere is None else f"people, {here} of them in this table"
        said = here if everywhere is None else in_words(everywhere)
        yield BeyondFact(title, said, f"{meaning}, by a table of everyone")
        yield BeyondFact("k-map", many(known["k_map"]), "fewest people there who are like someone here")
        yield BeyondFact("delta-presence", f"{least} to {largest}", "of a group's people are in this table")
    elif spread is None:
        why = next((one["undefined"] for one in found["population"].values() if one["undefined"]), "")
        yield BeyondFact(title, NOT_KNOWN, why or "no model has a solution")
    else:
        least, largest = (many(round(spread[end])) for end in ("least", "largest"))
        models = sum(one["uniques"] is not None for one in found["population"].values())
        said = f"{least} to {largest}" if least != largest else f"about {largest}"
        by = f"by {models} models; none" if models > 1 else "by the only model with a solution; it"
        yield BeyondFact(title, said, f"people, {by} is {'' if models > 1 else 'not '}reliable alone")


def _alike(estimated: Document | None) -> Iterator[BeyondFact]:
    """How many people there share the values of someone here, where a sample has to tell."""
    if estimated is None:
        return
    how = "estimated with 95% confidence"
    fewest = f"fewest people there who are like someone here, {how}"
    yield BeyondFact("k-map", ends_text(estimated["k_map"]), fewest)
    share = presence_text(estimated["delta_presence"])
    yield BeyondFact(
        "delta-presence", share, f"largest share of a group's people who are in this table, {how}"
    )
    below = next(one for one in estimated["people_below"] if one["k"] == FEW_ALIKE)
    title, ends = f"Fewer than {FEW_ALIKE} people alike", f"{ends_text(below)} without a model"
    if below["interval"][1] == 0:
        yield BeyondFact(title, "0", "people of this table, with 95% confidence")
    elif below["value"] is None:
        why = f"; no estimate: {below['undefined']}" if below["undefined"] else ", which has all of them"
        yield BeyondFact(title, ends_text(below), f"people of this table{why}")
    else:
        yield BeyondFact(title, many(round(below["value"])), f"people of this table by a model; {ends}")


def _match(found: Document) -> BeyondFact:
    title, match = "A match with a unique record is right", found["match"]
    if match is None:
        reasons = [one["undefined"] for one in found["population"].values() if one["undefined"]]
        nobody = found["sample"]["unique"] == 0
        return BeyondFact(title, NOT_KNOWN, "nobody is unique here" if nobody else (*reasons, "too few")[0])
    low, high = match["interval"]
    between = " to ".join(map(chance_in_percent, (low, high)))
    ends = "known" if low == high else f"{between} with 95% confidence"
    return BeyondFact(title, chance_in_percent(match["value"]), ends)


def _expected(found: Document) -> Iterator[BeyondFact]:
    risk, of = found["risk"], in_words(found["counted"])
    model = risk.get("model", risk)
    how = risk["method"]
    if "model" in risk:
        how += f"; by a model alone {expected_text(model)} ({model['method']})"
    yield BeyondFact("Expected re-identifications", expected_text(risk), f"of {of} records; {how}")
    if "expected_by_household" in model:
        through = expected_text({"expected": model["expected_by_household"]})
        by = "by a model alone, " if "model" in risk else ""
        enough = f"of {of} records, {by}if anyone of a household is enough"
        yield BeyondFact("Through households", through, enough)


# -- models -----------------------------------------------------------------------------------------


def models(document: Document) -> Spec | None:
    """A bar for each model that has a solution; none where the population is known."""
    found = entry(document)
    rows = [row for row in models_table(document).rows if row[2] is not None]
    if not rows or found.get("known") is not None:
        return None
    names = labels((row[0] for row in rows), longest=44)
    points = [
        {"model": names[row[0]], "share": row[2], "said": f"{many(row[1])} ({percent(row[2])})"}
        for row in rows
    ]
    room = min(1.0, 1.4 * max(row[2] for row in rows)) or 1.0  # for the words beside the longest bar
    share = {
        "field": "share",
        "type": "quantitative",
        **shares_up_to(room, "unique people, as a share of the population"),
    }
    return chart(
        data={"values": points},
        width=380,
        height={"step": 25},
        encoding={"y": names_at("model", list(names.values())), "x": share},
        layer=[
            {"mark": {"type": "bar", "size": 15}},
            {"mark": {"type": "text", "align": "left", "dx": 6}, "encoding": {"text": {"field": "said"}}},
        ],
    )


def models_table(document: Document) -> ReportTable:
    """What each model says, and what is to be known of it."""
    found = entry(document)
    head = (
        TableColumn("model"),
        TableColumn("people unique in the population", "count"),
        TableColumn("share of the population", "share"),
        TableColumn("note"),
    )
    rows: list[list[Any]] = []
    for name, one in (found.get("population") or {}).items():
        people = one["uniques"]
        share = None if people is None else people / found["population_size"]
        note = f"undefined: {one['undefined']}" if people is None else one["note"]
        title = capitalized(MODEL_TITLES.get(name, name).removeprefix("the ").removeprefix("a "))
        rows.append([title, None if people is None else round(people), share, note])
    return ReportTable(head, rows)


# -- special uniques --------------------------------------------------------------------------------


def special(document: Document) -> Spec | None:
    """How many records a minimal set of each size makes unique, by attribute."""
    found = entry(document).get("special")
    if not found or not isinstance(found["records"], int) or not found["records"]:
        return None
    rows = [row for row in special_table(document).rows if any(count for count in row[2:])]
    sizes = [column.title for column in special_table(document).head[2:]][:MOST_SIZES]
    names = labels(row[0] for row in rows[:MOST_ATTRIBUTES])
    cells = [
        {
            "attribute": names[row[0]],
            "target": size,
            "said": many(count) if count else "",
            "shade": _shade(count, found["records"]),
        }
        for row in rows[:MOST_ATTRIBUTES]
        for size, count in zip(sizes, row[2:], strict=False)
    ]
    return heat_map(cells, list(names.values()), sizes, narrowest=NARROW) if cells else None


def _shade(count: int | str | None, of: int) -> int | None:
    if not count:
        return None
    records = 0 if count == FEW else int(str(count).lstrip("<>~"))
    return sum(records / of >= bound for bound in SHADES)


def special_table(document: Document) -> ReportTable:
    """What each attribute contributes to the scores, and records by the size of a minimal set with it."""
    found = entry(document).get("special")
    if not found:
        return ReportTable((), [])
    by_size, shares = found["by_size"], found["by_attribute"]
    used = max((place for row in by_size.values() for place, one in enumerate(row, 1) if one), default=0)
    head = (
        TableColumn("attribute"),
        TableColumn("share of all scores", "share"),
        *(TableColumn(f"set of {size}", "count") for size in range(1, used + 1)),
    )
    ranked = sorted(shares, key=lambda name: -(shares[name] or 0.0))
    return ReportTable(head, [[name, shares[name], *by_size[name][:used]] for name in ranked] if used else [])


def special_values(document: Document) -> ReportTable:
    """The values that contribute most; none where the document shows no values."""
    found = entry(document).get("special")
    head = (
        TableColumn("attribute"),
        TableColumn("value"),
        TableColumn("share of all scores", "share"),
        TableColumn("records", "count"),
    )
    listed = found["by_value"] if found and document["shows_values"] else []
    fields = ("attribute", "value", "share", "records")
    return ReportTable(head, [[one[field] for field in fields] for one in listed])


BEYOND_CHARTS = (
    Chart(
        "population_models",
        "People unique in the population, by model",
        "Each bar is one model's estimate. On samples of populations that are known, models were off by 0.7 "
        "to 12 times, so read the spread, and rely on no bar alone.",
        models,
        models_table,
    ),
    Chart(
        "special_uniques",
        "Special uniques by attribute and size of the set",
        "How many records are unique by a minimal set of 1, 2, 3 or more attributes (columns) that has the "
        "attribute (rows). A set is minimal where no part of it makes the record unique. Records further "
        "left are unique by fewer attributes, and more likely to be unique in the population. Darker is "
        "more records in print and on light screens, brighter on dark ones.",
        special,
        special_table,
    ),
)
