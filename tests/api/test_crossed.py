"""Tokens, scopes, games, seats and operations, crossed: nothing but what the table allows."""

from collections.abc import Iterator
from time import sleep
from typing import Any, NamedTuple, cast

import pytest
from redis import Redis

from service.players.accounts import SCOPES
from service.wiring import Services
from tests.api.conftest import Api, body_of
from tests.api.permissions import ANOTHERS, OK, PERMISSIONS, ROLES, SEATED, Permission
from tests.api.spec import METHODS, spec
from tests.api.test_bodies import kept
from tests.api.test_games import finished_game

Json = dict[str, Any]
BAD_TOKENS = ("garbage", "revoked", "expired")
TOKENS = ("none", *BAD_TOKENS, *SCOPES, "all")
OWN_SEAT = {"creator": 0, "guest": 1, "watcher": 1, "stranger": 1}
"""The caller's seat, or for who has none a seat that is another's."""


class World(NamedTuple):
    """Ana, her tokens, and games in which she stands differently; and all that the store holds."""

    tokens: dict[str, str | None]
    games: dict[tuple[str, str], str]
    things: dict[str, dict[str, str]]
    store: dict[bytes, tuple[bytes, int]]


def made_token(api: Api, token: str, name: str, *scopes: str, **more: int) -> Json:
    body = {"name": name, "scopes": scopes, **more}
    return cast(Json, api.post("/v1/tokens", json=body, token=token).json)


def tokens_of(api: Api, whole: str) -> dict[str, str | None]:
    """One of each kind, of the player who has this one."""
    revoked = made_token(api, whole, "revoked", *SCOPES)
    api.delete(f"/v1/tokens/{revoked['token_info']['id']}", token=whole)
    expired = made_token(api, whole, "expired", *SCOPES, expires_in=1)["token"]
    sleep(1.1)
    narrow = {scope: made_token(api, whole, scope, scope)["token"] for scope in SCOPES}
    bad = {"garbage": "pepper_garbage", "revoked": revoked["token"], "expired": expired}
    return {"none": None, "all": whole, **bad, **narrow}


def game_of(api: Api, role: str, state: str, ana: str, ben: str, cy: str) -> str:
    """A game in this state and Ana in this role; if it runs, a call was made and she is on turn."""
    first = ana if role == "creator" else ben
    second = {"creator": ben, "guest": ana}.get(role, cy)
    if state == "finished":
        return finished_game(api, [first, second])
    seats = [{"kind": "me"}, *({"kind": "open"} for _ in range(2 if state == "open" else 1))]
    visibility = "public" if is_public(role, state) else "unlisted"
    start = "manual" if state == "open" else "auto"
    made = api.new_game(first, players=len(seats), seats=seats, visibility=visibility, start=start)
    path = f"/v1/games/{made['id']}"
    view = api.post(f"{path}/seats/1", token=second).json
    for bid in ("1", "2") if state == "running" else ():
        if not view["round"]["auction"] or view["turn"]["seats"] != [OWN_SEAT[role]]:
            on_turn = (first, second)[view["turn"]["seats"][0]]
            call = {"type": "bid", "bid": bid}
            view = api.post(f"{path}/actions", json=call, token=on_turn).json
    return str(made["id"])


def is_public(role: str, state: str) -> bool:
    return role != "stranger" and state != "finished"


def new_world(api: Api, store: Redis) -> World:
    players = {name: api.new_player(name) for name in ("Ana", "Ben", "Cy")}
    (ana, whole), (ben, his), (cy, theirs) = players.values()
    games = {
        (role, state): game_of(api, role, state, whole, his, theirs)
        for role in ROLES
        for state in ("open", "running", "finished")
    }
    api.lobby_notices(*games.values())
    hook = {"url": "https://example.org/hook", "events": ["turn"]}
    things = {
        "player_id": {"own": ana, ANOTHERS: ben},
        "me": {"own": ana},
        "other": {"own": cy},
        "code": {"own": "game-over"},
        "token_id": {},
        "webhook_id": {},
    }
    for whose, token in (("own", whole), (ANOTHERS, his)):
        listed = made_token(api, token, "spare", "read")["token_info"]
        things["token_id"][whose] = listed["id"]
        made = api.post("/v1/webhooks", json=hook, token=token).json
        things["webhook_id"][whose] = made["id"]
    return World(tokens_of(api, whole), games, things, saved(store))


def saved(store: Redis) -> dict[bytes, tuple[bytes, int]]:
    """All that a store holds, and for how many more milliseconds (0: for ever)."""
    return {key: (dump, max(store.pttl(key), 0)) for key, dump in kept(store).items()}


def restore(store: Redis, held: dict[bytes, tuple[bytes, int]]) -> None:
    with store.pipeline(transaction=True) as pipeline:
        pipeline.flushall()
        for key, (dump, lasts) in held.items():
            pipeline.restore(key, lasts, dump)
        pipeline.execute()


@pytest.fixture(scope="module")
def shelf() -> list[World]:
    """The world, once it has been made: what each test begins with."""
    return []


@pytest.fixture
def world(api: Api, app_services: Services, redis_client: Redis, shelf: list[World]) -> World:
    app_services.dismiss()
    if not shelf:
        shelf.append(new_world(api, redis_client))
    restore(redis_client, shelf[0].store)
    return shelf[0]


def operations() -> dict[str, tuple[str, str]]:
    """The method and the path of each operation."""
    return {
        item[method]["operationId"]: (method.upper(), path)
        for path, item in spec()["paths"].items()
        for method in METHODS
        if method in item
    }


def expected(permission: Permission, kind: str, standing: str) -> str:
    """What somebody is told, by the table."""
    if permission.scope is None:
        return OK
    if kind == "none":
        spectator = permission.answers.get("watcher", OK)
        return "token-missing" if permission.needs_token else spectator
    if kind in BAD_TOKENS:
        return "token-invalid"
    if kind not in (permission.scope, "all"):
        return "scope-missing"
    return permission.answers[standing]


class Asked(NamedTuple):
    """One request of the cross, and what the table says of it."""

    kind: str
    standing: str
    method: str
    url: str
    body: Any
    told: str

    @property
    def changes_nothing(self) -> bool:
        """Whether nothing may change, by what the table says."""
        return self.told != OK or self.method == "GET"


def asked(world: World, operation: str, permission: Permission) -> Iterator[Asked]:
    """Every token in every standing."""
    method, path = operations()[operation]
    for standing in permission.answers:
        role, _, anothers = standing.partition(", ")
        seat = OWN_SEAT.get(role, 0)
        parts: Json = {
            **{name: whose.get(standing, whose["own"]) for name, whose in world.things.items()},
            "game_id": world.games.get((role, permission.state)),
            "seat": permission.seat or (1 - seat if anothers else seat),
            "version": 3,
        }
        body = filled(permission.body, parts)
        url = (path + permission.query).format(**parts)
        for kind in TOKENS:
            yield Asked(kind, standing, method, url, body, expected(permission, kind, standing))


def filled(body: Any, parts: Json) -> Any:
    if not isinstance(body, dict):
        return body
    return {k: v.format(**parts) if isinstance(v, str) else v for k, v in body.items()}


def told(api: Api, world: World, one: Asked) -> str:
    """What the service says."""
    answer = api.ask(one.method, one.url, json=one.body, token=world.tokens[one.kind])
    answer.close()
    if answer.status_code < 300:
        return OK
    return str(answer.json["code"])


def test_the_table_has_every_operation() -> None:
    assert PERMISSIONS.keys() == operations().keys(), "add it to tests/api/permissions.py"


@pytest.mark.parametrize("operation", PERMISSIONS)
def test_each_is_allowed_what_the_table_says(
    api: Api, app_services: Services, world: World, redis_client: Redis, operation: str
) -> None:
    whole = [each for one in PERMISSIONS[operation] for each in asked(world, operation, one)]
    before = kept(redis_client)
    for one in whole:
        if one.changes_nothing:
            assert told(api, world, one) == one.told, one
    assert kept(redis_client) == before
    assert app_services.hub.listeners() == app_services.stream_places.taken() == 0
    for one in whole:
        if not one.changes_nothing:
            assert told(api, world, one) == one.told, one
            restore(redis_client, world.store)


def test_each_looks_through_their_own_seat_or_none(api: Api, world: World) -> None:
    for (role, state), game in world.games.items():
        for kind in ("none", "read", "all"):
            token = world.tokens[kind]
            view = body_of(api.get(f"/v1/games/{game}", token=token))
            seat = OWN_SEAT[role] if role in SEATED and token else None
            assert (view["you"] and view["you"]["seat"]) == seat, (role, state, kind)


def test_an_unlisted_game_is_listed_to_its_players_alone(api: Api, world: World) -> None:
    public = {game for (role, state), game in world.games.items() if is_public(role, state)}
    mine = {game for (role, _state), game in world.games.items() if role in SEATED}
    bens = f"player={world.things['player_id'][ANOTHERS]}"
    lists = {
        "none": {"": public, bens: public},
        "read": {"": public, bens: public | mine, "player=me": mine},
    }
    for kind, expected in lists.items():
        for query, games in expected.items():
            page = body_of(api.get(f"/v1/games?limit=100&{query}", token=world.tokens[kind]))
            assert {item["id"] for item in page["items"]} == games, (kind, query)
