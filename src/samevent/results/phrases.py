"""Words of a text made fit for a label: cleaned, trimmed, compared."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

DETERMINERS = frozenset(
    "a an the this that these those some any each every his her its their our my your".split()
)
PREPOSITIONS = frozenset(
    "about after against among around as at before between by during for from in into near of off on onto out "
    "outside over past through to toward towards under until upon with within".split()
)
SUBJECTS = frozenset("i we you he she it they who".split())
PRONOUNS = SUBJECTS | frozenset(
    "me my mine us our ours your yours him his her hers its them their theirs himself herself itself themselves "
    "whom whose which that this these those what one ones another other others someone somebody something "
    "anyone anybody anything everyone everybody everything nobody nothing none all both many some few most "
    "there here where when then now so how".split()
)

_remembered = lru_cache(maxsize=1 << 14)
"""The same few phrases come again and again."""

_LONGEST_PARTICIPANT = 50
_LONGEST_PLACE = 40
_LONGEST_TIME = 30
"""How many characters they may have in a label."""
_VAGUE = frozenset("scene site place area spot location home everywhere".split())
_LINKS = frozenset("about as at by during for from in into of on since to until".split())
_DANGLING = PREPOSITIONS | DETERMINERS | frozenset(("and", "or", "but"))
_CALENDAR = re.compile(
    r"""\b(?: (?:mon|tues|wednes|thurs|fri|satur|sun)days? | (?:19|20)\d\d(?:s\b|\b)
      | (?: jan(?:uary)? | feb(?:ruary)? | mar(?:ch)? | apr(?:il)? | may | june? | july? | aug(?:ust)?
          | sept?(?:ember)? | oct(?:ober)? | nov(?:ember)? | dec(?:ember)? | christmas | easter )\b )""",
    re.VERBOSE | re.IGNORECASE,
)
_QUANTITY = re.compile(r"(?:\d[\d.,:/]*+(?:st|nd|rd|th|am|pm|ft|k?m|kg|mph|lbs?)?|\W)++", re.IGNORECASE)
_UNITS = frozenset(
    "feet metres meters miles hours minutes days nights weeks months years percent time times".split()
)
_BEFORE_MARK = re.compile(r"\s+([,.;:!?%)\]]|['’]s\b|n['’]t\b)")
_AFTER_MARK = re.compile(r"([(\[])\s+")
_SPACED_MARK = re.compile(r"(?<=\w) (-) (?=\w)|(?<=\d) ([:/.]|,(?= \d{3}\b)) (?=\d)")
_SPACED_INITIALS = re.compile(r"(?<=\b[A-Z]\.) (?=[A-Z]\.)")
_EDGES = " \t\r\n\"'`“”‘’«».,;:!?#*|()[]{}<>®™©_-–—/\\"
_INFLECTION = re.compile(r"(?:ing|ed|es|s|e)$")


@_remembered
def cleaned(text: str) -> str:
    """Return text on one line, without marks at its edges, and without the spaces that tokens leave.

    >>> cleaned("Kirby , Wash ."), cleaned('"Sudan\\n bombs'), cleaned("the U.S."), cleaned("U . S . Army")
    ('Kirby, Wash', 'Sudan bombs', 'the U.S.', 'U.S. Army')
    >>> cleaned("a 60 - year - old"), cleaned("20 , 000 people"), cleaned("Tuesday ( 6 January )")
    ('a 60-year-old', '20,000 people', 'Tuesday')
    """
    text = _SPACED_MARK.sub(lambda match: match[1] or match[2], " ".join(text.split()))
    text = _SPACED_INITIALS.sub("", _AFTER_MARK.sub(r"\1", _BEFORE_MARK.sub(r"\1", text)))
    bare = text.strip(_EDGES)
    if bare.count("(") > bare.count(")"):
        bare = bare.partition("(")[0].rstrip(_EDGES)
    last = bare.rpartition(" ")[2]
    return bare + "." if "." in last and text.endswith(f"{last}.") else bare


def trimmed(text: str, unwanted: Collection[str] = DETERMINERS | _LINKS) -> str:
    """Take away words in front, and those that join on to nothing at the end; the last word left always stays.

    >>> trimmed("in the South Sudan"), trimmed("Hollywood and"), trimmed("the")
    ('South Sudan', 'Hollywood', 'the')
    """
    words = text.split()
    while len(words) > 1 and (words[0].casefold() in unwanted or not any(map(str.isalnum, words[0]))):
        del words[0]
    while len(words) > 1 and words[-1].casefold() in _DANGLING:
        del words[-1]
    return " ".join(words)


@_remembered
def participant(text: str) -> str:
    """Return a participant fit for a label, or nothing if it is a pronoun, a date or a quantity.

    >>> participant("the Sudanese army 's"), participant("her lawyer"), participant("Philadelphia 76ers")
    ('Sudanese army', 'lawyer', 'Philadelphia 76ers')
    >>> participant("He"), participant("Monday"), participant("about 200ft"), participant("$ 1,000")
    ('', '', '', '')
    """
    text = trimmed(_unpossessed(text))
    words = words_of(text)
    if not words or _is_pronoun(words[0]) or words[-1] in _UNITS:
        return ""
    named = not _CALENDAR.fullmatch(text) and not _QUANTITY.fullmatch(text)
    return text if named and len(text) <= _LONGEST_PARTICIPANT else ""


@_remembered
def time(text: str) -> str:
    """Return a time fit for a label, or nothing if it names no day, month or year.

    >>> time("on Thursday , Nov 10th , 2011"), time("in 2007"), time("May 3, the day"), time("just now")
    ('Thursday, Nov 10th, 2011', '2007', 'May 3', '')
    """
    text = trimmed(trimmed(_unpossessed(text)).partition(" the ")[0].rstrip(_EDGES))
    return text if _CALENDAR.search(text) and len(text) <= _LONGEST_TIME else ""


@_remembered
def place(text: str) -> str:
    """Return a place fit for a label, or nothing if there is no name in it.

    >>> place("the scene in Queens"), place("outside a Sam 's Club store"), place("the scene"), place("at home")
    ('Queens', "outside a Sam's Club store", '', '')
    """
    text = trimmed(_unpossessed(text), DETERMINERS | _LINKS | _VAGUE)
    named = any(word[0].isupper() and not _is_pronoun(word) for word in text.split())
    return text if named and len(text) <= _LONGEST_PLACE else ""


@_remembered
def words_of(text: str) -> tuple[str, ...]:
    """Return what two ways to write the same phrase have in common."""
    return tuple(text.casefold().replace(",", "").split())


@_remembered
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of all words of a phrase."""
    return frozenset(stem(word) for word in words_of(text))


@_remembered
def stem(word: str) -> str:
    """Return a word without its inflection: crude, but the same for the forms of most words.

    >>> {stem(word) for word in ("bomb", "bombs", "bombed", "bombing")}, stem("acquires") == stem("acquired")
    ({'bomb'}, True)
    """
    word = word.casefold()
    bare = _INFLECTION.sub("", word)
    if len(bare) < 3:
        return word
    doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "ls"
    return bare[:-1] if doubled else bare


def has_word(text: str, word: str) -> bool:
    """Return whether a word, or several, stand in a text as they are written.

    >>> has_word("The market fell.", "mark"), has_word("The market fell.", "market")
    (False, True)
    """
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[max(at - 1, 0) : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, end)
    return False


def _is_pronoun(word: str) -> bool:
    """Return whether a word is a pronoun, perhaps with a verb on it: *he*, *he'd*."""
    return re.split("['’]", word.casefold(), maxsplit=1)[0] in PRONOUNS


def _unpossessed(text: str) -> str:
    return cleaned(text).removesuffix("'s").removesuffix("’s")
