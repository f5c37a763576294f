"""Words of a text: all of them, or those that carry meaning."""

import re
from functools import lru_cache

_WORD = re.compile(r'[^\W_]+')
_PUNCTUATION = re.compile(r'[^\w\s]|_')
_POSSESSIVE = re.compile(r"['’]s\b")
#: Words of a goal that do not name its target.
STOP_WORDS = frozenset("""
    a an the this that these those some any my your our their its his her it i me you we us
    there here what where who which is are be was were am do does did can could would will
    should may might have has had
    of in on at to from by for with without near next beside under over behind between into
    onto and or not no please
    find go get bring show take look search locate fetch navigate drive move head come walk
    want need like something someone somewhere anything place thing
""".split())


def tokens(text: str) -> list[str]:
    """Words of a text in order: lower case, punctuation stripped, nothing folded.

    Parts joined by punctuation stay one word: `bed-side` is `bedside`.
    """
    return _PUNCTUATION.sub('', text.lower()).split()


def words(text: str) -> list[str]:
    """Words of a text in order, lower case, plurals folded."""
    return list(_words(text))


def content_words(text: str) -> list[str]:
    """Words of a text that carry meaning, each once, in order of first use."""
    return list(dict.fromkeys(_singular(word) for word in _split(text)
                              if word not in STOP_WORDS))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """Words of a text, cached because those of a place are compared with each goal."""
    return tuple(_singular(word) for word in _split(text))


def _split(text: str) -> list[str]:
    return _WORD.findall(_POSSESSIVE.sub('', text.lower()))


def _singular(word: str) -> str:
    """Fold a simple English plural; a wrong stem does no harm, as both texts get it."""
    if len(word) <= 3 or not word.endswith('s') or word.endswith(('ss', 'us', 'is')):
        return word
    if word.endswith('ies') and len(word) > 4:
        return word[:-3] + 'y'
    if word.endswith(('ches', 'shes', 'sses', 'xes')):
        return word[:-2]
    return word[:-1]
