"""How names of people are spelled, and given names that are common in many countries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MOST = 0.8  # share of the values that have to be spelled like names
KNOWN = 0.2  # share of them with a common given name, from which on they are names of people
_ANY = re.compile(r"[^\W\d_]+(?:[ .,'’-]{1,2}[^\W\d_]+){0,3}\.?")
_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_FULL = re.compile(rf"{_WORD}\.?,?(?: {_WORD}\.?){{1,2}}")
_SINGLE = re.compile(_WORD)
_NUMBERED = re.compile(r"^[(#]?\d[\d./-]*[).,;:_\s-]+|[\s#(,;:_-]*\d[\d./-]*\)?$")
_ADDRESS = re.compile(r"[^\W\d_]{2,}[._/][^\W\d_]{2,}\d{0,4}")
DIFFERENT = 5  # given names below which single words may be anything: Max Dose, Max Speed
SEVERAL = 0.5  # share of the texts with a word of places, from which on they are no people


def looks_like_names(texts: Sequence[str]) -> bool:
    """Whether most texts are one to four words without digits, as names of people are.

    >>> looks_like_names(["Ada Lovelace", "Alan Turing"]), looks_like_names(["A-17", "B-18"])
    (True, False)
    """
    return _spelled(texts, _ANY)


def may_be_names(texts: Sequence[str]) -> bool:
    """Whether most texts can be names of people, as neither answers nor what stands for a hidden name can.

    >>> may_be_names(["Weber", "von der Leyen"]), may_be_names(["yes", "no"]), may_be_names(["A", "B"])
    (True, False, False)
    """
    told = [text for text in texts if text.casefold() not in _NO_NAMES]
    return bool(told) and looks_like_names(told) and sum(len(text) > 1 for text in told) >= MOST * len(told)


def full_names(texts: Sequence[str]) -> bool:
    """Whether most texts are two or three words, and many of these common given names.

    >>> full_names(["Anna Meier", "Novak, David", "Maria del Mar"]), full_names(["New York", "Red Widget"])
    (True, False)
    """
    texts = [_in_words(text) for text in texts]
    if _binomial(texts) or organisations(texts):
        return False
    return _spelled(texts, _FULL) and _known(texts) >= KNOWN


def organisations(texts: Sequence[str]) -> bool:
    """Whether most texts have a word that names of places and organisations have, and those of people do not.

    >>> organisations(["James Paget Hospital", "St Mary's"]), organisations(["James Paget", "Mary Hall"])
    (True, False)
    """
    found = sum(not _OF_PLACES.isdisjoint(re.findall(r"[^\W\d_]+", text.casefold())) for text in texts)
    return bool(texts) and found > SEVERAL * len(texts)


def _binomial(texts: Sequence[str]) -> bool:
    """Whether most texts begin with a capital and end in a word without, as species do: Rosa canina."""
    words = [text.split() for text in texts]
    found = sum(len(one) > 1 and one[0][:1].isupper() and one[-1][:1].islower() for one in words)
    return found >= MOST * len(texts)


def how_many_full_names(texts: Sequence[str]) -> int:
    """How many texts are full names that begin or end in a common given name; none where these are few.

    >>> how_many_full_names([f"{name} Weber 17" for name in ("Anna", "Bernd", "Clara", "Paul", "Eva")])
    5
    >>> how_many_full_names(["Max Dose", "Max Speed", "San Jose", "Paul's Hospital", "rosa canina"])
    0
    """
    found = [name for text in texts if (name := given_name(text)) is not None]
    return len(found) if len(set(found)) >= DIFFERENT else 0


def given_name(text: str) -> str | None:
    """The given name that a full name begins or ends in; None where a text is no full name.

    >>> given_name("Anna Weber 17"), given_name("WEBER, Anna"), given_name("San Jose"), given_name("Anna")
    ('anna', 'anna', None, None)
    """
    plain = without_marks(_in_words(text))
    if not _FULL.fullmatch(plain) or organisations([plain]):
        return None
    words = re.findall(r"[^\W\d_]+", plain)
    if words[0][0].islower() != words[-1][0].islower() or words[0].casefold() in _BEFORE_PLACES:
        return None
    return next((name for word in (words[0], words[-1]) if (name := word.casefold()) in GIVEN), None)


def _in_words(text: str) -> str:
    """A name without a number beside it, in words where it is joined: anna.smith or Smith_Anna, 17."""
    text = _NUMBERED.sub("", text)
    return re.sub(r"[._/]", " ", text) if _ADDRESS.fullmatch(text) else text


def without_marks(text: str) -> str:
    """A text without the signs that stand above, below or beside a letter, as vowels of Hindi do."""
    if text.isascii():
        return text
    return "".join(sign for sign in text if not unicodedata.category(sign).startswith("M"))


def like_names(texts: Sequence[str]) -> bool:
    """Whether most texts are one to three words that begin with a capital, as names of anything do.

    >>> like_names(["Hugo", "Noah"]), like_names(["New York", "Rome"]), like_names(["flu", "cold"])
    (True, True, False)
    """
    titled = [text for text in texts if not any(word[0].islower() for word in text.split())]
    return len(titled) >= MOST * len(texts) and _spelled(titled, _FULL, _SINGLE)


def given_names(texts: Sequence[str]) -> bool:
    """Whether most texts are single words, and many of these common given names."""
    return _spelled(texts, _SINGLE) and _known(texts) >= KNOWN


def _spelled(texts: Sequence[str], *ways: re.Pattern[str]) -> bool:
    alike = sum(any(way.fullmatch(without_marks(text)) for way in ways) for text in texts)
    return bool(texts) and alike >= MOST * len(texts)


def _known(texts: Sequence[str]) -> float:
    """The share of the texts that have a common given name among their words."""
    words = (re.findall(r"[^\W\d_]+", without_marks(text).casefold()) for text in texts)
    found = sum(any(word in GIVEN for word in each) for each in words)
    return found / len(texts)


_ANSWERS = """
    yes no ja nein oui non si sí sì true false wahr falsch vrai faux known unknown bekannt unbekannt present
    absent redacted removed hidden masked anonymous anonymised anonymized suppressed deleted anonym
    anonymisiert geschwärzt entfernt gelöscht anonyme masqué anonimo anónimo name
"""
_NO_NAMES = frozenset(_ANSWERS.split())

# In small letters; those that are as often places, things or days are left out.
_NAMES = """
    aaron abdul abdullah abigail ada adam adele adrian adriana agnes ahmad ahmed aisha alain alan albert
    alberto alejandra alejandro aleksandra alessandra alessandro alexander alexandra alexandre alexey
    alexis alfred ali alice alicia alina alison amanda amelia amina amir amit amy ana anastasia anders
    andrea andreas andreea andrei andres andrew andrzej angela angelika anita anja anjali ann anna anne
    annette annika anthony antoine anton antonia antonio anya arjun arthur arun ashley astrid audrey
    ayesha barbara beatrice beatriz bela ben benjamin bernard bernd bernhard beth betty bianca birgit
    bjorn bogdan boris brandon brenda brian bruno camila camille carl carla carlo carlos carmen carol
    carolina caroline caterina catherine cecilia celine charles charlotte chen chloe christian christiane
    christina christine christoph christophe christopher cindy claire clara claude claudia claudio
    clemens colin cristian cristina cynthia daniel daniela danielle danuta david deborah denis dennis
    diana diego dieter dimitri dirk dmitri dmitry dolores dominik dominique donald donna dora doris
    dorothea dorothy douglas edith eduardo edward elena eleonora eli elias elif elisa elisabeth elise
    elizabeth ella ellen elsa emanuel emil emilia emilie emilio emily emma emmanuel emmy enrique eric
    erica erik erika ernst esther eugene eva evelyn fabian fabio fatima federico felipe felix fernanda
    fernando filip florian frances francesca francesco francisco franck francois frank franz frederic
    frederik friedrich fritz gabriel gabriela gabriele gareth gary george georges gerald gerard gerhard
    gertrud giovanni giulia giulio giuseppe gloria gordon grace greg gregor gregory greta grzegorz guido
    guillaume gunter gustav hanna hannah hannelore hans harald harold harry hasan hassan heather heidi
    heike heinrich heinz helen helena helene helga helmut henri henrik henry herbert hermann hilda
    hiroshi horst hugo hussein ian ibrahim ida ignacio igor ilse ines inga ingrid irena irene irina iris
    isabel isabella isabelle ismail ivan jack jacob jacqueline jacques jakob jakub james jan jana jane
    janet janina jasmin jason javier jean jeffrey jennifer jens jeremy jerome jerzy jessica jesus jill
    jim joachim joan joanna joao jochen johan johann johanna johannes john jolanta jonas jonathan jorg
    jorge jose josef joseph joshua juan judith julia julian juliana julie julien juliette jurgen justin
    kamil karen karin karl karla karolina katarina katarzyna kate katharina katherine kathleen kathrin
    katja katrin kazuo keith kelly ken kenji kenneth kevin khalid kim klaus konrad kristin kristina
    krystyna krzysztof kumar kurt lara larry lars laura laure lea leila lena leo leon leonard leonardo
    leonie lidia lina linda lisa lise lorenzo louis louise luca lucas lucia lucie luigi luis luisa luiza
    lukas luke lynn maciej magdalena malgorzata manfred manuel manuela marc marcel marcello marcin marco
    marcos marcus margaret margarethe margarita maria mariam marian mariana marianne marie marina mario
    marion mark marko markus marta martha martin martina mary maryam mateo mateusz mathieu mathilde
    matteo matthew matthias maurice mauro max maxim maximilian megan mehmet melanie melissa mia michael
    michal michel michele michelle miguel mikael mike mikhail mila milan miriam mohamed mohammad mohammed
    monica monika monique muhammad mustafa nadia nadine nancy natalia natalie natasha nathalie nathan
    neha nicholas nicola nicolai nicolas nicole niels nikola nikolaus nils nina noah nora norbert norma
    oleg olena olga oliver olivia olivier omar oscar oskar osman otto owen pablo pamela paola paolo
    pascal patricia patrick patrik paul paula pauline pavel pawel pedro peter petra philip philipp
    philippe pia pierre piotr priya rachel rafael rahul rainer raj rajesh ralf ralph ramona raphael
    raquel rebecca regina reinhard renate rene ricardo richard rita robert roberta roberto robin roger
    roland rolf roman ronald rosa rosemary ruben rudolf ruth ryan sabine sabrina said salma sam samantha
    samir samuel sandra sanjay sara sarah sascha scott sean sebastian sergei sergey sergio sharon shirley
    silke silvia simon simone sofia sonia sonja sophia sophie stefan stefania stefanie stefano stella
    stephan stephanie stephen steve steven sunita susan susana susanne suzanne sven svetlana sylvia
    sylvie takashi tamara tanja tatiana teresa theo theodor theresa thomas tiago tim timo timothy tina
    tobias tom tomas tomasz tommy toni tony udo ulrich ulrike umar ursula ute uwe valentin valentina
    valerie vanessa vera veronica veronika victor victoria viktor vincent vladimir walter waltraud wang
    wei wendy werner wilhelm willi william wojciech wolfgang xavier xenia yan yann yasmin yolanda yuki
    yuri yusuf yves yvonne zbigniew zeynep zoe zofia александр алексей анастасия андрей анна борис виктор
    владимир дмитрий екатерина елена иван ирина мария михаил наталья николай ольга павел петр пётр сергей
    татьяна юлия
"""
_ARABIC = """
    أحمد محمد محمود فاطمة علي حسن حسين خالد سارة مريم عمر يوسف إبراهيم ليلى هدى عائشة خديجة زينب عبد
    عبدالله مصطفى سعيد سلمى آمنة كريم طارق ياسر ماجد سامي رانيا دينا منى سمير جمال صلاح
    حمزة بلال إسماعيل موسى عيسى آدم رضا
"""
_HINDI = """
    आरव विवान अदिति अनन्या प्रिया राहुल रोहन संजय सुनीता कविता राजेश सुरेश रमेश महेश दीपक अनिल सुनील विजय अजय अमित
    सीता गीता राधा पूजा नेहा अंजलि मोहन सोहन राम श्याम कृष्ण अर्जुन लक्ष्मी सरस्वती मीना रेखा आशा उषा मनोज विकास
"""
GIVEN = frozenset(without_marks(name) for name in f"{_NAMES} {_ARABIC} {_HINDI}".split())

# Park, Hall and Lee are surnames too, so most texts have to have a word of these.
_PLACES = """
    academy airport avenue bank banking bay beach borough campus capital cathedral center centre centro chapel
    church city clinic clinica clinique college company corp corporation county department district
    farm financial foundation general gmbh group hauptstraße health hospital hospice hôpital inc infirmary
    institut institute institution kirche klinik klinikum kommune krankenhaus lane library limited llc ltd
    medical ministry municipality museum office parish partners pharmacy platz plc practice praxis
    province rathaus regional road saint sainte sankt school schule services st station stadt straße
    street surgery town township trust union universidad università universitario université universität
    university village ward wards
"""
_OF_PLACES = frozenset(_PLACES.split())
_BEFORE = """
    cape del el fort isla isle la lago lake las le los mount mt new north point port puerto rio san santa
    santo sao são south east west villa
"""
_BEFORE_PLACES = frozenset(_BEFORE.split())
