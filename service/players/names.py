"""What a player may be called: any script and emoji, nothing invisible or misleading."""

import unicodedata

import regex

MOST_GRAPHEMES = 24
MOST_BYTES = 400
_GRAPHEMES = regex.compile(r"\X")
_JOINERS = frozenset("\u200c\u200d")
_TAGS = range(0xE0020, 0xE0080)
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNWANTED = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def clean_name(text: str) -> str:
    """The name as it is kept: NFC, trimmed; raises ValueError that says what is wrong."""
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise ValueError("half of a surrogate pair is no character")
    name = unicodedata.normalize("NFC", text).strip()
    if len(name.encode()) > MOST_BYTES:
        raise ValueError(f"at most {MOST_BYTES} bytes")
    if any(_is_unwanted(character) for character in name):
        raise ValueError("no control, bidirectional or unassigned characters")
    if not any(_is_visible(character) for character in name):
        raise ValueError("at least one visible character")
    if len(_GRAPHEMES.findall(name)) > MOST_GRAPHEMES:
        raise ValueError(f"at most {MOST_GRAPHEMES} characters as people count them")
    return name


def _is_unwanted(character: str) -> bool:
    if character in _JOINERS or ord(character) in _TAGS:
        return False
    return unicodedata.category(character) in _UNWANTED


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANK_LETTERS
