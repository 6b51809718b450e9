"""The examples of openapi.yaml are what the service answers, down to the last hash."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson
import pytest

from events import catalogue
from events.catalogue import Event, GameCreated, RoundDealt
from events.store import Recorded
from events.vocabulary import (
    Bid,
    BotLevel,
    Card,
    Cause,
    GameId,
    PlayerId,
    Seat,
    Trump,
    hand_of,
)
from service.api.problems import Problem, document
from service.game.position import fold
from service.views.event_view import frames
from service.views.open_view import open_view
from service.views.replay_view import replay, rounds
from tests.api.conftest import Api
from tests.api.spec import part

TOLD: dict[str, Any] = {
    name: shown["value"] for name, shown in part("/components/examples").items()
}
WHOLE, ANA = TOLD["replay"], PlayerId("p_fS4ukI94gL9yKjSS")
GAME = GameId(WHOLE["id"])
TYPES = {"bid": catalogue.BidMade}
READ: Mapping[str, Any] = {
    "bid": Bid,
    "card": Card,
    "trump": Trump,
    "level": BotLevel,
    "seat": Seat,
    "dealer": Seat,
}
CAUSES = {"player": Cause.PLAYER, "bot": Cause.BOT, "system": Cause.SYSTEM}


def events() -> Iterator[Event]:
    """The log behind the replay, made from nothing but the replay."""
    deals = iter(WHOLE["rounds"])
    for told in WHOLE["events"]:
        kind: Any = TYPES.get(told["type"]) or getattr(
            catalogue, told["type"].title().replace("_", "")
        )
        values = {
            field.name: READ.get(field.name, lambda value: value)(told[field.name])
            for field in fields(kind)
            if field.name in told
        }
        if kind is GameCreated:
            values["seed"] = bytes.fromhex(WHOLE["fairness"]["seed"])
        if kind is RoundDealt:
            dealt = next(deals)
            values["hands"] = tuple(hand_of(map(Card, hand)) for hand in dealt["hands"])
            values["dead_hand"] = hand_of(map(Card, dealt["dead_hand"]))
        yield kind(**values)


LOG = [
    Recorded(
        told["version"],
        round(datetime.fromisoformat(told["at"]).timestamp() * 1000),
        bytes(8),
        CAUSES[told["by"]["kind"]],
        event,
    )
    for told, event in zip(WHOLE["events"], events(), strict=True)
]


def without_names(shape: Any) -> Any:
    """The shape as JSON, without what is added from players' accounts."""
    made = orjson.loads(orjson.dumps(shape))
    for seat in made.get("seats", []):
        if seat["player"]:
            seat["player"] = {"id": seat["player"]["id"]}
    return made


def test_the_replay_and_its_rounds_are_what_the_code_makes_of_its_log() -> None:
    now = fold(GAME, LOG)
    assert now is not None
    assert without_names(replay(LOG, now, None)) == without_names(WHOLE)
    assert TOLD["rounds"] == {"items": rounds(LOG, now, None)}


def test_the_view_face_up_is_the_games_own() -> None:
    then = fold(GAME, LOG[: TOLD["open_view"]["version"]])
    assert then is not None
    assert without_names(open_view(then)) == without_names(TOLD["open_view"])


def test_the_frames_are_the_games_own() -> None:
    page = TOLD["event_page"]
    after = page["items"][0]["version"] - 1
    assert orjson.loads(orjson.dumps(frames(GAME, LOG, ANA, after, 100))) == page["items"]


def test_the_seed_opens_the_commitment() -> None:
    fairness = WHOLE["fairness"]
    assert sha256(bytes.fromhex(fairness["seed"])).hexdigest() == fairness["commitment"]


def hashed(view: dict[str, Any]) -> str:
    """The SHA-256 that a client computes of a view: sorted keys, no white space, no names."""
    kept = {
        key: value
        for key, value in without_names(view).items()
        if key not in ("view_hash", "rematch")
    }
    return sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).hexdigest()


@pytest.mark.parametrize("name", ["your_turn", "waiting_for_players"])
def test_the_hash_of_a_view_is_its_own(name: str) -> None:
    assert hashed(TOLD[name]) == TOLD[name]["view_hash"]


@pytest.mark.parametrize(("path", "name"), [("/v1/rules", "rules_sheet"), ("/v1/bots", "bot_list")])
def test_a_sheet_is_the_services_own(api: Api, path: str, name: str) -> None:
    assert api.get(path).json == TOLD[name]


@pytest.mark.parametrize("name", [name for name, value in TOLD.items() if "retryable" in value])
def test_a_problem_is_the_services_own(name: str) -> None:
    told = TOLD[name]
    expected = document(Problem(told["code"], told["detail"]))
    assert {member: told[member] for member in expected} == expected
