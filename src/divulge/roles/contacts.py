"""Ways to reach a person that stand inside of texts: e-mail addresses, telephone and account numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from divulge.roles.patterns import is_iban, year

ENOUGH = 5  # texts with a contact from which on an attribute has them
SHARE = 0.01  # of the texts, where they are few
LEAST = 2
_DIGITS = re.compile(r"\d(?:[ ().\-/]{0,2}\d){6}|[A-Z]{2}\d\d")


def contacts_in(texts: Sequence[str]) -> str | None:
    """What kind of contacts several texts contain, if any do; the most frequent.

    >>> contacts_in(["ok", "seen", "write to a.b@example.org", "or c@example.org"])
    'e-mail addresses'
    >>> contacts_in(["ok", "seen", "at 12:30 on 2020-01-02", "dose 1.5-2.0"]) is None
    True
    """
    found = {kind: sum(map(has, texts)) for kind, has in CONTACTS.items()}
    kind, often = max(found.items(), key=lambda one: one[1])
    few = max(LEAST, SHARE * len(texts))
    return kind if often >= min(ENOUGH, few) else None


def _searching(pattern: str, fits: Callable[[str], bool] | None = None) -> Callable[[str], bool]:
    compiled = re.compile(rf"(?<![\w.+-]){pattern}(?![\w-])")

    def has(text: str) -> bool:
        if not _DIGITS.search(text):
            return False
        return any(fits is None or fits(one[0]) for one in compiled.finditer(text))

    return has


_MAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[a-zA-Z]{2,}")

#: Whether a text contains a contact, by what such contacts are called.
CONTACTS: dict[str, Callable[[str], bool]] = {
    "e-mail addresses": lambda text: "@" in text and _MAIL.search(text) is not None,
    "bank account numbers (IBAN)": _searching(
        r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?", is_iban
    ),
    "social security numbers": _searching(r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}"),
    "telephone numbers": _searching(
        r"(?:\+\d[\d ().\-/]{6,18}\d|\(0?\d{2,5}\) ?\d[\d .\-/]{3,12}\d|\d{3}[-. ]\d{3}[-. ]\d{4}"
        r"|0[1-9]\d{1,3}[ \-/]\d[\d \-/]{4,10}\d|0[1-9](?:[ .]\d\d){4})",
        lambda text: 9 <= sum(sign.isdigit() for sign in text) <= 15 and year(text) is None,
    ),
}
