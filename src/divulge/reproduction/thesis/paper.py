"""The thesis and its small tables."""

from __future__ import annotations

from divulge.reproduction.experiment import Paper
from divulge.reproduction.printed_rates import rows

PAPER = Paper("thesis", "Privacy and utility assessment within statistical data bases", "sondeck2017thesis")

SUBJECTS = rows("""
Subjects   ZIP Code  Age  Salary  Disease
subject 1  35000     22   4K      cancer
subject 2  35000     35   5K      diabetes
subject 3  35000     63   3K      malaria
subject 4  35000     22   13K     cancer
subject 5  35000     22   8K      cancer
subject 6  35000     35   15K     malaria
subject 7  35000     45   9K      malaria
subject 8  35000     35   7K      diabetes
subject 9  35000     40   11K     diabetes
""")
GENERALIZED = rows("""
ZIP Code  ZIP Code*  Age  Age*
35510     355**      22   2*
35512     355**      22   2*
35517     355**      22   2*
35877     358**      35   3*
35830     358**      39   3*
35618     356**      35   3*
35620     356**      45   ≥ 40
35842     358**      40   ≥ 40
35655     356**      63   ≥ 40
""")
ANONYMOUS = rows("""
Age*  location 1         location 2
2*    diabetes-clinic    church
2*    cardiology-clinic  church
2*    cancer-clinic      church
3*    hiv-clinic         synagogue
3*    cancer-clinic      mosque
3*    cardiology-clinic  synagogue
≥ 40  diabetes-clinic    mosque
≥ 40  hiv-clinic         mosque
≥ 40  hiv-clinic         synagogue
""")
DIVERSE = rows("""
ZIP Code*  location 1         location 2
355**      cancer-clinic      church
355**      hiv-clinic         synagogue
355**      cardiology-clinic  mosque
358**      diabetes-clinic    church
358**      cancer-clinic      synagogue
358**      hiv-clinic         mosque
356**      diabetes-clinic    church
356**      cardiology-clinic  mosque
356**      hiv-clinic         synagogue
""")
DISEASES = rows("""
Age*  Disease
2*    cancer
2*    cancer
2*    cancer
≥ 40  malaria
≥ 40  diabetes
≥ 40  malaria
3*    malaria
3*    diabetes
3*    diabetes
""")
SALARIES = rows("""
ZIP Code  Age  Age by 35  Salary  Salary*  Salary**
35510     22   < 35       4K      4K       < 10K
35510     35   ≥ 35       5K      4K       < 10K
35510     63   ≥ 35       3K      4K       < 10K
35620     22   < 35       13K     13K      ≥ 10K
35620     22   < 35       8K      8K       < 10K
35620     35   ≥ 35       15K     13K      ≥ 10K
35740     45   ≥ 35       9K      8K       < 10K
35740     32   < 35       7K      8K       < 10K
35740     40   ≥ 35       11K     13K      ≥ 10K
""")
