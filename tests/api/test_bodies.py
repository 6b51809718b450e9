"""Bodies that no address takes: each gets its problem, and the store stays as it was."""

import json
from typing import Any, cast

import pytest
from redis import Redis

from tests.api.conftest import Api, body_of

TAKES_NONE = {"POST /v1/players", "POST {game}/seats", "POST {game}/seats/1"}
"""Where a body may be left out."""

ADDRESSES = [
    *sorted(TAKES_NONE),
    "PATCH /v1/me",
    "POST /v1/games",
    "POST {game}/actions",
    "POST {game}/start",
    "POST {game}/abort",
    "POST {game}/rematch",
    "PUT {game}/seats/1/bot",
    "PUT {game}/seats/1/invite",
    "PUT {game}/seats/0/entropy",
]
NEEDS_ONE = [
    address
    for address in ADDRESSES
    if address not in TAKES_NONE and not address.endswith(("start", "abort", "rematch"))
]
JSON = "application/json"
NESTED = b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}"
UNREADABLE: list[tuple[bytes, str, int, str]] = [
    (b"{", JSON, 400, "malformed-json"),
    (b" ", JSON, 400, "malformed-json"),
    (b"{}{}", JSON, 400, "malformed-json"),
    (b"{'name': 'Ana'}", JSON, 400, "malformed-json"),
    (b'{"name": NaN}', JSON, 400, "malformed-json"),
    (b'{"name": Infinity}', JSON, 400, "malformed-json"),
    (b'{"name": "\xff"}', JSON, 400, "malformed-json"),
    (b'{"name": "\xed\xa0\x80"}', JSON, 400, "malformed-json"),
    (b'{"name": "\\ud800"}', JSON, 400, "malformed-json"),
    ('{"name": "Ana"}'.encode("utf-16"), JSON, 400, "malformed-json"),
    (b"\x1f\x8b\x08\x00\x00\x00", JSON, 400, "malformed-json"),
    (NESTED, JSON, 400, "malformed-json"),
    (b"[]", JSON, 422, "invalid-body"),
    (b'"name"', JSON, 422, "invalid-body"),
    (b"1e400", JSON, 400, "malformed-json"),
    (b"true", JSON, 422, "invalid-body"),
    (b'{"colour": "red"}', JSON, 422, "invalid-body"),
    (b'{"": 1}', JSON, 422, "invalid-body"),
    (b'{"__class__": {}}', JSON, 422, "invalid-body"),
    (b'{"name": "Ana"}', "text/plain", 415, "media-type-unsupported"),
    (b'{"name": "Ana"}', "", 415, "media-type-unsupported"),
    (b'{"name": "Ana"}', "application/xml", 415, "media-type-unsupported"),
    (b"name=Ana", "application/x-www-form-urlencoded", 415, "media-type-unsupported"),
    (b"--x--", "multipart/form-data; boundary=x", 415, "media-type-unsupported"),
    (b'{"name": "' + b"A" * 65_536 + b'"}', JSON, 413, "body-too-large"),
    (b" " * 10_000_000, JSON, 413, "body-too-large"),
]


@pytest.fixture
def table(api: Api) -> tuple[str, str]:
    """A game with an open seat: its path and its creator's token."""
    _player, token = api.new_player("Host")
    view = api.new_game(token, players=2, seats=[{"kind": "me"}, {"kind": "open"}])
    return f"/v1/games/{view['id']}", token


def kept(store: Redis) -> dict[bytes, bytes]:
    """Everything that the store holds."""
    return {key: cast(bytes, store.dump(key)) for key in cast(list[bytes], store.keys("*"))}


def sent(api: Api, address: str, table: tuple[str, str], data: bytes, kind: str) -> Any:
    method, path = address.split()
    headers = {"Content-Type": kind} if kind else {}
    return api.ask(method, path.format(game=table[0]), data=data, headers=headers, token=table[1])


@pytest.mark.parametrize("address", ADDRESSES)
def test_unreadable_bodies_change_nothing(
    api: Api, table: tuple[str, str], redis_client: Redis, address: str
) -> None:
    before = kept(redis_client)
    for data, kind, status, code in UNREADABLE:
        answer = sent(api, address, table, data, kind)
        found = (answer.status_code, answer.json["code"])
        assert found == (status, code), (data[:40], kind)
        assert answer.mimetype == "application/problem+json"
        assert len(answer.get_data()) < 2_000
    assert kept(redis_client) == before


@pytest.mark.parametrize("address", NEEDS_ONE)
def test_a_missing_body_is_said_to_be_missing(
    api: Api, table: tuple[str, str], redis_client: Redis, address: str
) -> None:
    before = kept(redis_client)
    for kind, status, code in ((JSON, 400, "malformed-json"), ("", 415, "media-type-unsupported")):
        answer = sent(api, address, table, b"", kind)
        assert (answer.status_code, answer.json["code"]) == (status, code)
    assert kept(redis_client) == before


WRONG: dict[str, list[tuple[str, list[Any]]]] = {
    "POST /v1/players": [
        ("name", [3, True, ["Ana"], {"a": 1}, "\x00", ""]),
        ("bot", [1, 0, "true", "yes", None, []]),
    ],
    "PATCH /v1/me": [("name", [None, 3, [], {}, ""])],
    "POST /v1/games": [
        ("players", ["4", 4.5, None, True, 1, 10**18, [4]]),
        ("seats", [{}, [], None, [{}] * 2, [None, None], ["me", "bot"], [{"kind": "me"}] * 1000]),
        ("seats", [[{"kind": "me"}, {"kind": "bot", "level": level}] for level in (3, "x", None)]),
        ("seats", [[{"kind": "me"}, {"kind": "player", "player": id_}] for id_ in ("p_\n", 3)]),
        ("rules", [[], None, {"version": 1}, {"pepper_alone": "false"}, {"auction": 1}]),
        ("rules", [{"target_score": score} for score in (True, "30", -1, 30.5, 10**15, None)]),
        ("visibility", ["secret", None]),
        ("start", [None, "now"]),
        ("hints", ["true", 1]),
        ("allow_bots", [0, None]),
        ("seed", ["00" * 32]),
        ("creator", ["p_somebody"]),
    ],
    "POST {game}/seats": [
        ("seat", ["1", 1.5, True, -1, 4, None, [1]]),
        ("player", ["p_somebody", None]),
    ],
    "POST {game}/seats/1": [("seat", [1]), ("entropy", [None, "", 3])],
    "PUT {game}/seats/1/bot": [("level", [None, 1, "", "expert", ["club"]])],
    "PUT {game}/seats/1/invite": [("player", [None, 3, "", "p_", "x", "p_a\n"])],
    "PUT {game}/seats/0/entropy": [
        ("entropy", [None, 3, "", "x" * 65, "\t", "é", "a\n", "\x7f", ["a"]])
    ],
    "POST {game}/start": [("seed", ["0"])],
    "POST {game}/abort": [("confirm", [True])],
    "POST {game}/rematch": [("players", [2])],
}


@pytest.mark.parametrize("address", WRONG)
def test_fields_of_a_wrong_kind_change_nothing(
    api: Api, table: tuple[str, str], redis_client: Redis, address: str
) -> None:
    before = kept(redis_client)
    whole = {"players": 2} if address == "POST /v1/games" else {}
    for field, values in WRONG[address]:
        for value in values:
            body = json.dumps({**whole, field: value}).encode()
            answer = sent(api, address, table, body, JSON)
            assert (answer.status_code, answer.json["code"]) == (422, "invalid-body"), body[:80]
            assert field in answer.json["errors"]
    assert kept(redis_client) == before


def test_a_whole_number_may_be_spelled_with_a_fraction(api: Api) -> None:
    _player, token = api.new_player()
    body = b'{"players": 2.0, "rules": {"target_score": 3e1}, "seats": [{"kind": "me"}, '
    body += b'{"kind": "open"}]}'
    made = api.post("/v1/games", data=body, content_type=JSON, token=token)
    view = body_of(made, 201)
    assert (view["players"], view["rules"]["target_score"]) == (2, 30)
    _other, theirs = api.new_player()
    path = f"/v1/games/{view['id']}"
    sat = api.post(f"{path}/seats", data=b'{"seat": 1.0}', content_type=JSON, token=theirs)
    assert body_of(sat)["you"]["seat"] == 1
    bid = api.post(
        f"{path}/actions",
        data=b'{"type": "bid", "bid": 1.0}',
        content_type=JSON,
        token=token if sat.json["turn"]["seats"] == [0] else theirs,
    )
    assert body_of(bid)["round"]["auction"][0]["call"] == "1"
