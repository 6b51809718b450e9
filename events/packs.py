"""A finished game's log as one value of about a kibibyte, and back (architecture decision 12).

A pack keeps every entry's time, cause and body to the byte, and which entries were one append. Of
the command ids it keeps the last: who knows an earlier entry of the log reads from the start.
A pack begins with the number of its format. A format never changes: a new one gets a new number,
and what reads the old ones stays.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
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

_RARE = 0
_CARDS = [b"%c%c" % (rank, suit) for suit in b"CDHS" for rank in b"9TJQKA"]
_BODIES = [
    b"g",
    b"a",
    *(b"P%d" % seat for seat in range(4)),
    *(b"B%d%d" % (seat, bid) for seat in range(4) for bid in range(9)),
    *(b"T%d%d" % (seat, trump) for seat in range(4) for trump in range(6)),
    *(b"C%d%s" % (seat, card) for seat in range(4) for card in _CARDS),
]
"""The bodies that are one byte in a pack, their place from 1 on; part of the format."""

_CODES = {body: code for code, body in enumerate(_BODIES, 1)}

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
    codes = bytes(_CODES.get(body, _RARE) for body in bodies)
    rare = (body for body, code in zip(bodies, codes, strict=True) if code == _RARE)
    columns = (
        bytes(_causes(values)),
        codes,
        _times(values),
        b"".join(_number(len(body)) + body for body in rare),
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


def _times(values: Sequence[bytes]) -> bytes:
    times = [int.from_bytes(value[COMMAND_ID_BYTES:_CAUSE_AT], "big") for value in values]
    if times != sorted(times):
        raise CorruptEntry("time goes back")
    passed = (now - before for before, now in pairwise(times))
    return times[0].to_bytes(TIME_BYTES, "big") + b"".join(map(_number, passed))


def _deflated(columns: Sequence[bytes]) -> bytes:
    """One stream with a checksum, in which each column is coded by itself."""
    deflate = zlib.compressobj(9, memLevel=9, zdict=_DICTIONARY)
    parts = [deflate.compress(column) + deflate.flush(zlib.Z_BLOCK) for column in columns]
    return b"".join(parts) + deflate.flush()


def _unpacked(packed: bytes) -> list[bytes]:
    count, last = head_of(packed)
    text = _inflated(packed[_HEAD_ENDS:])
    causes, codes = text[:count], text[count : 2 * count]
    passed, at = _numbers(text, 2 * count + TIME_BYTES, count - 1)
    first = int.from_bytes(text[2 * count : 2 * count + TIME_BYTES], "big")
    bodies = [b"", *_BODIES]
    values = []
    for command_id, now, cause, code in zip(
        _command_ids(causes, last), accumulate(passed, initial=first), causes, codes, strict=True
    ):
        body = bodies[code]
        if code == _RARE:
            (length,), at = _numbers(text, at, 1)
            body, at = text[at : at + length], at + length
        stamp = command_id + now.to_bytes(TIME_BYTES, "big")
        values.append(stamp + bytes((cause & ~_SAME_APPEND,)) + body)
    if at != len(text):
        raise ValueError("more or less than the entries")
    return values


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
