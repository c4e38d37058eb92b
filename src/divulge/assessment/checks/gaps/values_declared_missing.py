"""Values that are declared missing: they stay in the file, and no count looks at them."""

from __future__ import annotations

from collections.abc import Collection

from divulge._support.small_counts import hidden
from divulge._support.wording import enumerated, in_words
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.scope import Scope
from divulge.roles.declared_missing import declared_missing

NAME = "declared_missing"
TITLE = "Values declared missing"
WHY = (
    "A text that is declared missing is still in the file. People who differ in such values count as alike, "
    "and what the values reveal is not counted."
)
FIX = (
    "Declare only texts that say that a value is missing. What nobody should see has to be made empty in the "
    "file itself."
)


def values_declared_missing(scope: Scope, known: Collection[str]) -> list[TableCheck]:
    """The check of what is declared missing, where that may be values; ``known`` may be known to others.

    Where quasi-identifiers have such values, how many people are alike is not known.
    """
    found = declared_missing(scope.data)
    if not found:
        return []

    def ask(changed: Scope) -> CheckAnswer:
        left = [one for one in found if one.attribute not in changed.given_up]
        everyone = scope.data.records
        if not left:
            return CheckAnswer("pass", 0.0, 0, everyone, "No value is declared missing.", text="none")
        said = enumerated(
            [
                f"{in_words(hidden(one.texts))} in '{called_in_words(scope.data, one.attribute)}'"
                for one in left
            ],
            most=12,
        )
        sentence = f"Different texts that are declared missing, and may be values: {said}."
        if {one.attribute for one in left} & {*known}:
            why = "people who differ in values that are declared missing were counted as alike"
            return CheckAnswer("not evaluated", None, None, everyone, sentence, hint=FIX, undefined=why)
        text = enumerated([f"'{called_in_words(scope.data, one.attribute)}'" for one in left], most=3)
        brief = f"values of {text} are declared missing"
        return CheckAnswer("warn", None, None, everyone, sentence, hint=FIX, text=text, brief=brief)

    return [TableCheck(NAME, TITLE, (), (), "none", 0.0, WHY, ask, ask(scope))]
