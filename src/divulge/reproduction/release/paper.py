"""The paper on safe release and its 10,000 soldiers, by age and location."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.reproduction.experiment import Curve, Figure, Paper
from divulge.reproduction.printed_rates import rows
from divulge.safe_release import Guard, HolderTable, table_of

PAPER = Paper("release", "Modeling and preventing inferences from sensitive value distributions", "bezzi2012")
LOCATIONS = ("L1", "L2", "L3", "L4", "L5")
Counts = npt.NDArray[np.int64]

#: Soldiers by age and location: the whole table, then what was released under each of the four tests.
_PRINTED = {
    "figure 2": """
Age    L1   L2   L3   L4   L5
<18    72   26   38   47   73
18-19  151  53   82   140  223
20-24  539  147  449  505  736
25-29  452  114  370  418  613
30-34  335  213  234  318  501
35-39  321  238  277  332  538
40-44  128  219  122  162  220
45-49  20   205  50   49   76
50-54  9    71   28   34   31
>=55   2    13   2    2    2
""",
    "figure 6": """
Age    L1  L2  L3  L4  L5
<18    9   5   7   8   11
18-19  23  11  12  19  29
20-24  80  30  68  70  109
25-29  71  18  55  58  88
30-34  51  30  43  47  74
35-39  55  28  46  50  76
40-44  25  24  23  25  38
45-49  2   10  11  11  13
50-54  2   8   4   5   6
>=55   1   1   0   0   0
""",
    "figure 8": """
Age    L1  L2  L3  L4  L5
<18    12  4   6   5   16
18-19  25  11  18  18  43
20-24  86  29  90  72  141
25-29  66  19  65  67  112
30-34  56  31  37  49  94
35-39  57  29  55  51  115
40-44  19  18  19  27  47
45-49  9   8   8   4   13
50-54  2   4   6   2   7
>=55   0   1   1   1   0
""",
    "figure 9": """
Age    L1  L2  L3  L4   L5
<18    13  0   8   6    4
18-19  25  1   13  35   35
20-24  92  0   80  100  135
25-29  74  0   76  94   117
30-34  65  3   55  63   98
35-39  64  38  48  71   94
40-44  32  7   21  29   41
45-49  3   3   11  13   18
50-54  0   0   3   8    4
>=55   0   0   0   0    0
""",
    "figure 11": """
Age    L1   L2  L3  L4  L5
<18    14   3   5   8   15
18-19  36   10  10  34  43
20-24  104  30  77  84  176
25-29  96   18  73  76  134
30-34  69   50  48  77  109
35-39  64   32  49  64  120
40-44  0    36  18  30  42
45-49  0    34  17  10  18
50-54  3    14  5   6   4
>=55   1    3   0   1   0
""",
}
AGES = tuple(rows(_PRINTED["figure 2"])["Age"])
WHOLE = "figure 2"


def counts(figure: str) -> Counts:
    """Soldiers of a figure by age (rows) and location (columns)."""
    columns = rows(_PRINTED[figure])
    return np.array([[int(cell) for cell in columns[place]] for place in LOCATIONS]).T


def soldiers() -> HolderTable:
    """All of them."""
    return table_of(counts(WHOLE), values=AGES, targets=LOCATIONS)


def as_printed(test: str, alpha: float) -> Guard:
    """A test of the whole table, with critical values as the paper has them."""
    return Guard.of(soldiers(), test, alpha, limits="chi-square")


def histogram(title: str, figure: str) -> Figure:
    """The ages of each location, as shares."""
    found = counts(figure)
    shares = found / found.sum(axis=0)
    overall = counts(WHOLE).sum(axis=1) / counts(WHOLE).sum()
    return Figure(
        title,
        "age",
        "share of the location",
        [
            *(
                Curve(name, [(age, float(share)) for age, share in enumerate(shares[:, place])])
                for place, name in enumerate(LOCATIONS)
            ),
            Curve("all", [(age, float(share)) for age, share in enumerate(overall)]),
        ],
        categories=AGES,
    )
