"""The paper on the semantic discrimination rate, its tables and its partitions."""

from __future__ import annotations

from divulge.reproduction.experiment import Paper
from divulge.reproduction.printed_rates import rows

PAPER = Paper("sedr", "The semantic discrimination rate metric for privacy measurements", "sondeck2017")

TABLE_1 = rows("""
ZIP Code  ZIP Code*  Age  Age*  Age**
35567     355**      22   2*    ≤ 40
35502     355**      22   2*    ≤ 40
35560     355**      22   2*    ≤ 40
35817     3581*      45   ≥ 40  ≥ 40
35810     3581*      63   ≥ 40  ≥ 40
35812     3581*      40   ≥ 40  ≥ 40
35502     355**      35   3*    ≤ 40
35568     355**      35   3*    ≤ 40
35505     355**      32   3*    ≤ 40
""")
K_ANONYMOUS = rows("""
Age*  Disease
2*    lung cancer
2*    lung cancer
2*    lung cancer
≥ 40  stomach cancer
≥ 40  diabetes
≥ 40  flu
3*    aids
3*    aids
3*    diabetes
""")
L_DIVERSE = rows("""
ZIP Code*  Age*  Salary  Disease
355**      2*    4K      colon cancer
355**      2*    5K      stomach cancer
355**      2*    6K      lung cancer
3581*      ≥ 40  7K      stomach cancer
3581*      ≥ 40  12K     diabetes
3581*      ≥ 40  9K      aids
355**      3*    8K      aids
355**      3*    10K     flu
355**      3*    11K     lung cancer
""")
ORIGINAL = rows("""
ZIP Code  Age  Salary  Disease
35567     22   4K      colon cancer
35502     22   5K      stomach cancer
35560     22   6K      lung cancer
35817     45   7K      stomach cancer
35810     63   12K     diabetes
35812     40   9K      aids
35502     35   8K      aids
35568     35   10K     flu
35505     32   11K     lung cancer
""")
T_CLOSE = rows("""
ZIP Code*  Age**  Salary  Disease
3556*      ≤ 40   4K      colon cancer
3556*      ≤ 40   6K      lung cancer
3556*      ≤ 40   10K     flu
3581*      ≥ 40   7K      stomach cancer
3581*      ≥ 40   12K     diabetes
3581*      ≥ 40   9K      aids
3550*      ≤ 40   5K      stomach cancer
3550*      ≤ 40   8K      aids
3550*      ≤ 40   11K     lung cancer
""")
LOW_TO_HIGH = (("4K", "5K", "6K"), ("7K", "8K", "9K"), ("10K", "11K", "12K"))  # SP2
AS_RELEASED = (("4K", "6K", "10K"), ("7K", "12K", "9K"), ("5K", "8K", "11K"))  # SP3
CANCER_OR_NOT = (("diabetes", "flu", "aids"), ("colon cancer", "lung cancer", "stomach cancer"))  # SP4
