"""Names of people that no list has: with an initial or a date, or of scripts whose surnames are few."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from divulge.roles.patterns import year
from divulge.roles.personal_names import MOST, without_marks

SOME = 20  # different names below which it may be anything
_WORD = r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*"
_INITIALS = r"(?:[A-ZÀ-ÞА-Я]|(?:[A-ZÀ-ÞА-Я]\.[ -]?){1,3})"  # two without dots are a state: Austin TX
_BEFORE = re.compile(rf"(?:[A-ZÀ-ÞА-Я]\.[ -]?){{1,3}}(?P<name>{_WORD}(?: {_WORD})?)")
_AFTER = re.compile(rf"(?P<name>{_WORD}(?: {_WORD})?),? {_INITIALS}")
_JOINED = re.compile(r"(?P<name>[A-Z][a-z]{2,})[A-Z]|[A-Z](?P<other>[A-Z][a-z]{2,})")
_DATED = re.compile(
    rf"(?P<name>{_WORD}(?:,? {_WORD}\.?){{0,3}})[ ,;:_(-]{{1,2}}(?P<date>\d[\d./-]{{3,9}})\)?"
)

# The most common surnames of China, in both ways of writing them, and of Korea.
_CHINESE = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許邓鄧韩韓冯馮曹彭曾肖蕭萧田董潘袁蔡蒋蔣余于"
    "杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范汪廖石金贾賈韦韋夏付方邹鄒熊白孟秦邱侯江尹薛闫閻段雷龙龍黎史陶贺賀毛郝顾顧龚龔邵万萬覃"
    "武钱錢戴严嚴欧歐莫孔向常"
)
_KOREAN = (
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천"
    "방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모"
)
_HAN = re.compile(rf"(?P<name>[{_CHINESE}][\u4e00-\u9fff]{{1,2}})")
_HANGUL = re.compile(rf"(?P<name>[{_KOREAN}][\uac00-\ud7a3]{{1,2}})")
_TITLED: tuple[re.Pattern[str], ...] = (_BEFORE, _AFTER, _JOINED)


def spelled_as_people(texts: Sequence[str]) -> bool:
    """Whether most texts are many different names with an initial or a date, or Chinese or Korean names.

    >>> from string import ascii_uppercase as letters
    >>> people = [f"{letter}. {letter}mith" for letter in letters]
    >>> spelled_as_people(people), spelled_as_people([f"Hepatitis {letter}" for letter in letters])
    (True, False)
    """
    for way in _WAYS:
        names = [name for text in texts if (name := way(without_marks(text))) is not None]
        if len(names) >= MOST * len(texts) and len(set(names)) >= SOME:
            return True
    return False


def _with_initial(text: str) -> str | None:
    for way in _TITLED:
        if found := way.fullmatch(text):
            name = next(filter(None, found.groups()))
            return None if name[0].islower() else name
    return None


def _with_date(text: str) -> str | None:
    found = _DATED.fullmatch(text)
    if found is None:
        return None
    date = found["date"]
    of_birth = re.fullmatch(r"(?:19|20)\d\d", date) and len(found["name"].split()) > 1
    return found["name"] if of_birth or year(date) is not None else None


def _whole(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    def name(text: str) -> str | None:
        found = pattern.fullmatch(text)
        return found["name"] if found else None

    return name


_WAYS = (_with_initial, _with_date, _whole(_HAN), _whole(_HANGUL))
