"""ACRO 1.0.2 flags the same cells: counts of Adult, and sums of the EIA table that have no negative value.

One negative value makes ACRO skip its checks of dominance for the whole table; ours are read on absolute
contributions, and so other cells of such a table keep their flags.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.tabulation.layout.building import TableSpec, built
from divulge.tabulation.risk.rules import CellRules, cell_risk
from peer_data import arx_folder

ACRO = json.loads((Path(__file__).parent / "peers" / "acro.json").read_text())
SAFE = ACRO["config"]
RULES = CellRules(
    SAFE["safe_threshold"],
    (SAFE["safe_nk_n"], 100 * SAFE["safe_nk_k"]),
    100 * SAFE["safe_pratio_p"],
    zeros="at risk",
)


@pytest.fixture(scope="module")
def energy():
    path = arx_folder().parent / "sdcmicro" / "EIA.csv"
    if not path.exists():
        pytest.skip("The table EIA.csv of sdcMicro is not in a folder shared/data/sdcmicro above the tests.")
    return dv.read(path)


def test_the_flags_of_a_table_of_counts_are_those_of_acro():
    data = dv.read(arx_folder() / "adult.csv")
    table = built(data, [TableSpec("t", ("education", "race"))])
    risk = cell_risk(table.facts, RULES, counts=True)
    inner = table.tables.layouts[0].inner.ravel().tolist()
    ours = {tuple(value for _, value in table.tables.labels[cell]) for cell in inner if risk.reasons[cell]}
    theirs = ACRO["tables"]["adult_education_by_race_counts"]
    assert ours == {(education, race) for education, race, _ in theirs["unsafe_cells"]}
    assert len(inner) == theirs["cells"]


def test_the_flags_of_a_table_of_sums_are_those_of_acro(energy):
    table = built(energy, [TableSpec("t", ("STATE", "YEAR"))], value="TOTREVENUE", statistic="sum")
    inner = table.tables.layouts[0].inner.ravel()
    rules = CellRules(RULES.minimum_frequency, RULES.dominance, RULES.p_percent)
    risky = cell_risk(table.facts, rules, counts=False).at_risk[inner]
    theirs = ACRO["tables"]["eia_state_by_year_totrevenue_sum"]
    assert (int((~risky).sum()), int(risky.sum())) == (theirs["flags"]["ok"], len(theirs["unsafe_cells"]))


def test_one_negative_value_leaves_the_flags_of_other_cells(energy):
    table = built(energy, [TableSpec("t", ("STATE", "MONTH"))], value="INDREVENUE", statistic="sum")
    assert table.facts.negative
    risk = cell_risk(
        table.facts, CellRules(dominance=RULES.dominance, p_percent=RULES.p_percent), counts=False
    )
    amount, state = energy.numbers("INDREVENUE"), energy.column("STATE")
    states_with = {state.value(code) for code in np.unique(state.codes[amount < 0]).tolist()}
    flagged = [dict(table.tables.labels[cell]).get("STATE") for cell in np.flatnonzero(risk.at_risk)]
    assert [one for one in flagged if one is not None and one not in states_with]
