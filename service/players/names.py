"""What a player may be called: any script and emoji, nothing invisible or misleading."""

import unicodedata

import regex

MOST_GRAPHEMES = 24
MOST_BYTES = 400
_GRAPHEMES = regex.compile(r"\X")
# The categories come from regex: Python's own Unicode lacks the emoji of recent years.
_UNWANTED = regex.compile(
    r"[[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d]]", regex.VERSION1
)
# Flags of regions (Scotland's) spell the region in invisible tags, which elsewhere hide text.
_REGION_FLAG = regex.compile(
    r"\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]{1,6}\U000E007F"
)
_VISIBLE = regex.compile(
    r"[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800\U0001D159]]",
    regex.VERSION1,
)


def clean_name(text: str) -> str:
    """The name as it is kept: NFC, trimmed; raises ValueError that says what is wrong."""
    name = unicodedata.normalize("NFC", text).strip()
    if _UNWANTED.search(_REGION_FLAG.sub("", name)):
        raise ValueError("no control, bidirectional or unassigned characters")
    if len(name.encode()) > MOST_BYTES:
        raise ValueError(f"at most {MOST_BYTES} bytes")
    if not _VISIBLE.search(name):
        raise ValueError("at least one visible character")
    if len(_GRAPHEMES.findall(name)) > MOST_GRAPHEMES:
        raise ValueError(f"at most {MOST_GRAPHEMES} characters as people count them")
    return name
