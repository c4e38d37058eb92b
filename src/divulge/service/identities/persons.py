"""Names of persons, and whether two of them look like the same person."""

from __future__ import annotations

import re
import unicodedata

from divulge.errors import ParameterError

LONGEST = 100  # characters
RESERVED = ("operator", "restored")  # who the log names where nobody's key was used
# Letters, marks and signs that show nothing, as far as their kind alone does not say so: those that Unicode
# lets be ignored, blanks of notations, and what only changes the sign before it.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00013441\U00013442"
    "\U00016fe4\U0001bc9d\U0001d159\U000e0100-\U000e01ef]"
)
# Marks that put the next letter below or beside the last one, and without a next one show nothing.
JOINING = frozenset(
    "\u1039\u17d2\u1a60\u2d7f\uaaf6\U00010a3f\U0001107f\U00011133\U000113d0\U0001193e\U00011a47"
    "\U00011a99\U00011d45\U00011d97\U00011f42"
)
# Letters of other scripts, and digits, that are drawn like a Latin letter in one of its cases.
ALIKE = str.maketrans(
    "авсеһніјкӏморѕтухүαβεηικμνορτυχζ0iı1|\u0307",
    "abcehhljklmopstyxyabehlkmnoptyxzollll\u0307",
)

# Characters as they are written, in either case, that are drawn like another: Greek, Cyrillic, Armenian,
# Cherokee, phonetic letters, dashes and apostrophes. The table above stays as it is: digests depend on it.
DRAWN_LIKE = str.maketrans(
    {
        **dict(zip("ԁԛԝԜѵѴԌօՕհոՈսՍցզլԼյՏɡɑᴏᴄᴠᴡᴢƿƅĸǀ", "dqwWvVGoOhnnuUgqlLjSgaocvwzpbkl", strict=True)),
        **dict(zip("νυγωσϲϳ", "vuywocj", strict=True)),
        **dict(zip("ᎠᎡᎢᎪᎫᎬᎳᎷᎻᎽᏀᏃᏙᏚᏞᏟᏢᏦᏴ", "DRTAJEWMHYGZVSLCPKB", strict=True)),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\ufe58", "-"),
        **dict.fromkeys("\u2018\u2019\u201b\u2032\u00b4`\u02b9\u02bb\u02bc\u02bd", "'"),
    }
)
EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"}
LATIN_WITHOUT_ACCENT = frozenset("ƏəƁɓƊɗƘƙƳƴƆɔƐɛ")  # beyond U+017F, of alphabets in use


def person_named(given: str) -> str:
    """A person's name as it is kept; one that could be shown as another is refused.

    >>> person_named("  Ann   Lee ")
    'Ann Lee'
    """
    name = re.sub(" +", " ", unicodedata.normalize("NFC", given)).strip(" ")
    if not name or len(name) > LONGEST:
        raise ParameterError(f"The name of a person has 1 to {LONGEST} characters.")
    if _shown(name) != name:
        raise ParameterError(
            "The name of a person has a character that is not shown or not used in names, or that turns the "
            "direction of writing.",
            hint="Use letters, digits, spaces and punctuation.",
        )
    if len(_scripts(name)) > 1 or any(map(_phonetic, name)):
        raise ParameterError(
            "The name of a person mixes letters of several scripts, or has a letter of phonetic writing.",
            hint="Write the whole name in one script; Chinese, Japanese and Korean may stand beside Latin.",
        )
    if any(same_person(name, one) for one in RESERVED):
        raise ParameterError(f"No person can be called {' or '.join(RESERVED)}: the log uses these words.")
    return name


def require_storable(what: str, *texts: str) -> None:
    """Refuse texts that are empty or that no database keeps: with a NUL or half a character."""
    if not all(texts) or any(re.search("[\0\ud800-\udfff]", one) for one in texts):
        raise ParameterError(f"{what} is empty, or has a NUL or half a character.")


def same_person(one: str, other: str) -> bool:
    """Whether two names have to be taken for one person's.

    Case, width, ligatures, spaces, dashes and what no new name may have make no difference, and neither do
    kinds of apostrophes, and letters of other scripts that look like Latin ones in one of their cases. Two
    people who are called alike are one person here: neither can approve for the other.

    >>> same_person("Ann Lee", "ANN-LEE"), same_person("Ann", "Аnn"), same_person("Ann", "Anna")
    (True, True, False)
    """
    return folded(one) == folded(other) or bool(_shapes(one) & _shapes(other))


def _shapes(name: str) -> set[str]:
    """How a name may look: with all that is in it, or with what is surely seen of it."""
    return _looks(name) | _looks(_shown(name) or name)


def _looks(name: str) -> set[str]:
    """A name as it is written, and by the capitals of its letters; without spaces and dashes."""
    plain = unicodedata.normalize("NFKC", name)
    written = (folded(plain.translate(DRAWN_LIKE)), folded(plain.casefold()), folded(plain.upper()))
    looks = (*written, folded(plain.upper().translate(DRAWN_LIKE)))
    return {re.sub("[ -]", "", one) or one for one in looks}


def _scripts(name: str) -> set[str]:
    """The scripts of a name's letters; those written beside Latin, unlike any of it, are as one with it."""
    letters = (one for one in name if unicodedata.category(one) in ("Lu", "Ll", "Lt", "Lo"))
    found = {unicodedata.name(one, "?").split()[0] for one in letters} - {"FEMININE", "MASCULINE", "MICRO"}
    return {"LATIN" if one in EAST_ASIAN | {"FULLWIDTH", "HALFWIDTH"} else one for one in found}


def _phonetic(character: str) -> bool:
    """Whether it is a Latin letter of no alphabet in use: many of these look like another."""
    if character <= "\u017f" or character in LATIN_WITHOUT_ACCENT:
        return character == "ĸ"
    latin = unicodedata.name(character, "?").startswith("LATIN ")
    return latin and len(unicodedata.normalize("NFKD", character)) == 1


def _shown(name: str) -> str:
    """A name with nothing but letters, marks of their script, digits, spaces, punctuation, common signs."""
    kept, script = [], ""  # of the letter that marks belong to
    for one, before, after in zip(name, f" {name}", f"{name[1:]} ", strict=False):
        kind, own = unicodedata.category(one), unicodedata.name(one, "?").split()[0]
        if kind in ("Mn", "Mc"):
            twice = one in unicodedata.normalize("NFD", before)
            fits = bool(script) and own in ("COMBINING", script) and not twice
        else:
            script = own if kind[0] == "L" else ""
            fits = kind[0] in "LNP" or " " <= one <= "~" or "\xa1" <= one <= "\xff" or ord(one) in DRAWN_LIKE
        joined = one not in JOINING or unicodedata.category(after)[0] == "L"
        if fits and joined and kind != "Cf" and not UNSEEN.match(one):
            kept.append(one)
    return "".join(kept)


def folded(name: str) -> str:
    """What names of the same person have in common."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(plain.translate(ALIKE).split())
