"""A finished game's log as one value of about a kibibyte, and back (architecture decision 12).

A pack keeps every entry's time, cause and body to the byte, and which entries were one append. Of
the command ids it keeps the last: who knows an earlier entry of the log reads from the start.
A pack begins with the number of its format. A format never changes: a new one gets a new number,
and what reads the old ones stays.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from events.codec import CorruptEntry
from events.store import COMMAND_ID_BYTES, Head

TIME_BYTES = 6
_CAUSE_AT = COMMAND_ID_BYTES + TIME_BYTES
_FORMAT = b"\x01"
_VERSION_BYTES = 4
_COMMAND_AT = 1 + _VERSION_BYTES
_HEAD_ENDS = _COMMAND_AT + COMMAND_ID_BYTES
_SAME_APPEND = 128
"""Added to the cause of an entry that came with the one before it."""

_RARE, _FIRST = 0, 1
"""What stands for a body that is kept as it is, and for the first of those that are not."""

_CARDS = [b"%c%c" % (rank, suit) for suit in b"CDHS" for rank in b"9TJQKA"]
_ACTIONS = [
    (b"P", b""),
    *((b"B", b"%d" % bid) for bid in range(9)),
    *((b"T", b"%d" % trump) for trump in range(6)),
    *((b"C", card) for card in _CARDS),
]
_SEATS = 4
_BODIES = [
    *(kind + b"%d" % seat + value for kind, value in _ACTIONS for seat in range(_SEATS)),
    b"g",
    b"a",
]
"""The bodies that are one byte in a pack, those of actions by seat; part of the format."""

_ACTIONS_END = _FIRST + len(_ACTIONS) * _SEATS
_CODES = {body: code for code, body in enumerate(_BODIES, _FIRST)}

_DICTIONARY = (
    b'e{"seat":0,"entropy":"k{"seat":0}l{"seat":0}x{"seat":0,"milliseconds":'
    b'h{"seat":0,"level":"novice","engine":"1","left":true}left":false}'
    b'"all_pass":"redeal","auction":"reopen","auction":"single_round","no_trump":"high_low",'
    b'"no_trump":"off","set_penalty":"bid","pepper_alone":true,"first_lead":"left_of_dealer",'
    b'"tie":"play_on"},"visibility":"public","start":"manual","hints":true,"allow_bots":false,'
    b'"rematch_of":"g_","clock":{"turn_seconds":60,"on_timeout":"bot_takes_over"},bot_plays"},'
    b'i{"seat":1,"player":"p_","until":17b{"seat":0,"level":"novice","engine":"1"}'
    b's{"seat":0,"player":"p_s{"seat":1,"player":"p_s{"seat":2,"player":"p_s{"seat":3,"player":"p_'
    b'b{"seat":1,"level":"club","engine":"1"}b{"seat":2,"level":"club","engine":"1"}'
    b'b{"seat":3,"level":"club","engine":"1"}'
    b'n{"players":4,"rules":{"target_score":30,"all_pass":"stick_dealer","auction":"pass_out",'
    b'"no_trump":"high","set_penalty":"flat","pepper_alone":false,"first_lead":"declarer",'
    b'"tie":"all_win"},"rules_version":1,"creator":"p_","visibility":"unlisted","start":"auto",'
    b'"hints":false,"allow_bots":true,"seed":"","rematch_of":null,"clock":null,'
    b'"expires_in":2592000}'
)
"""What bodies look like, so that their first occurrence is short too; part of the format."""


def pack(values: Sequence[bytes]) -> bytes:
    """The pack of a log's stored values, one at least; raises CorruptEntry if time goes back."""
    bodies = [value[_CAUSE_AT + 1 :] for value in values]
    codes = [_CODES.get(body, _RARE) for body in bodies]
    first, passed = _times(values)
    columns = (
        bytes(_causes(values)),
        bytes(_by_turns(codes)),
        first.to_bytes(TIME_BYTES, "big") + bytes(milliseconds & 255 for milliseconds in passed),
        b"".join(_number(milliseconds >> 8) for milliseconds in passed),
        b"".join(
            _number(len(body)) + body
            for body, code in zip(bodies, codes, strict=True)
            if code == _RARE
        ),
    )
    last = values[-1][:COMMAND_ID_BYTES]
    return _FORMAT + len(values).to_bytes(_VERSION_BYTES, "big") + last + _deflated(columns)


def unpack(packed: bytes) -> list[bytes]:
    """The stored values of a packed log; raises CorruptEntry if it is damaged or of no format."""
    try:
        return _UNPACKERS[packed[:1]](packed)
    except (KeyError, IndexError, ValueError, OverflowError, zlib.error):
        raise CorruptEntry(f"pack of format {packed[:1]!r}, {len(packed)} bytes") from None


def head_of(packed: bytes) -> Head:
    """The last entry of a packed log, which every format says in the same place."""
    version = int.from_bytes(packed[1:_COMMAND_AT], "big")
    return Head(version, packed[_COMMAND_AT:_HEAD_ENDS])


def _causes(values: Sequence[bytes]) -> Iterator[int]:
    before = b""
    for value in values:
        command_id = value[:COMMAND_ID_BYTES]
        yield value[_CAUSE_AT] | (_SAME_APPEND if command_id == before else 0)
        before = command_id


def _by_turns(codes: Iterable[int], *, back: bool = False) -> Iterator[int]:
    """Codes with the seats counted from the one after who acted last; `back` to plain ones.

    Mostly it is that seat which acts, so that a card has mostly one code and not four.
    """
    turn = 0
    for code in codes:
        if not _FIRST <= code < _ACTIONS_END:
            yield code
            continue
        action, seat = divmod(code - _FIRST, _SEATS)
        other = (seat + turn if back else seat - turn) % _SEATS
        yield _FIRST + action * _SEATS + other
        turn = (other if back else seat) + 1


def _times(values: Sequence[bytes]) -> tuple[int, list[int]]:
    """The time of the first entry, and the milliseconds from each to the next."""
    times = [int.from_bytes(value[COMMAND_ID_BYTES:_CAUSE_AT], "big") for value in values]
    if times != sorted(times):
        raise CorruptEntry("time goes back")
    return times[0], [now - before for before, now in pairwise(times)]


def _deflated(columns: Sequence[bytes]) -> bytes:
    """One stream with a checksum, in which each column is coded by itself."""
    deflate = zlib.compressobj(9, memLevel=9, zdict=_DICTIONARY)
    parts = [deflate.compress(column) + deflate.flush(zlib.Z_BLOCK) for column in columns]
    return b"".join(parts) + deflate.flush()


def _unpacked(packed: bytes) -> list[bytes]:
    count, last = head_of(packed)
    text = _inflated(packed[_HEAD_ENDS:])
    causes, codes = text[:count], [*_by_turns(text[count : 2 * count], back=True)]
    at = 2 * count + TIME_BYTES
    first, rests = int.from_bytes(text[at - TIME_BYTES : at], "big"), text[at : at + count - 1]
    passed, at = _numbers(text, at + count - 1, count - 1)
    rare, at = _texts(text, at, codes.count(_RARE))
    if at != len(text):
        raise ValueError("more or less than the entries")
    later = (high << 8 | rest for high, rest in zip(passed, rests, strict=True))
    times = accumulate(later, initial=first)
    kept = iter(rare)
    bodies = (next(kept) if code == _RARE else _BODIES[code - _FIRST] for code in codes)
    return [
        command_id + now.to_bytes(TIME_BYTES, "big") + bytes((cause & ~_SAME_APPEND,)) + body
        for command_id, now, cause, body in zip(
            _command_ids(causes, last), times, causes, bodies, strict=True
        )
    ]


def _inflated(deflated: bytes) -> bytes:
    inflate = zlib.decompressobj(zdict=_DICTIONARY)
    text = inflate.decompress(deflated)
    if not inflate.eof:
        raise ValueError("the end is missing")
    return text


def _command_ids(causes: bytes, last: bytes) -> list[bytes]:
    """One an append: the number of its first entry, and for the last append its own."""
    made, first = [], 0
    for place, cause in enumerate(causes):
        if not cause & _SAME_APPEND:
            first = place
        made.append((first + 1).to_bytes(COMMAND_ID_BYTES, "big"))
    return made[:first] + [last] * (len(causes) - first)


_UNPACKERS: dict[bytes, Callable[[bytes], list[bytes]]] = {_FORMAT: _unpacked}


def _number(number: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last are marked."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)


def _numbers(text: bytes, at: int, count: int) -> tuple[list[int], int]:
    """So many numbers that begin at a place, and where they end."""
    read = []
    for _number_read in range(count):
        number = shift = 0
        while text[at] & 128:
            number |= (text[at] & 127) << shift
            shift, at = shift + 7, at + 1
        read.append(number | text[at] << shift)
        at += 1
    return read, at


def _texts(text: bytes, at: int, count: int) -> tuple[list[bytes], int]:
    """So many texts that begin at a place, each after its length, and where they end."""
    read = []
    for _text_read in range(count):
        (length,), at = _numbers(text, at, 1)
        read.append(text[at : at + length])
        at += length
    return read, at
