"""Ways to reach a person that stand inside of texts: e-mail addresses, telephone and account numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from divulge.roles.patterns import is_iban, year

MAIL = "e-mail addresses"  # nothing else is spelled like one, so one is enough
ENOUGH = 5  # texts with another contact from which on an attribute has them
SHARE = 0.01  # of the texts, where they are few
LEAST = 2
_DIGITS = re.compile(r"\d(?:[ ().\-/]{0,2}\d){6}|[A-Z]{2}\d\d")


def contacts_in(texts: Sequence[str]) -> str | None:
    """What kind of contacts texts contain: an e-mail address, or several of another kind; the most frequent.

    >>> contacts_in(["ok", "seen", "write to a.b@example.org"])
    'e-mail addresses'
    >>> contacts_in(["ok", "seen", "at 12:30 on 2020-01-02", "dose 1.5-2.0"]) is None
    True
    """
    found = {kind: sum(map(has, texts)) for kind, has in CONTACTS.items()}
    enough = min(ENOUGH, max(LEAST, SHARE * len(texts)))
    there = [kind for kind, often in found.items() if often >= (1 if kind == MAIL else enough)]
    return max(there, key=lambda kind: found[kind], default=None)


def has_mail(value: object) -> bool:
    """Whether a value contains an e-mail address; quick where it has no @.

    >>> has_mail("write to a.b@example.org"), has_mail("2 @ 5"), has_mail(7)
    (True, False, False)
    """
    return isinstance(value, str) and "@" in value and _MAIL.search(value) is not None


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
    MAIL: has_mail,
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
