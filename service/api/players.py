"""Players: a first token at once, who one is, what one is called."""

from typing import Any

from flask import Blueprint, Response

from events.vocabulary import PlayerId
from service.api.answers import json_response
from service.api.attempts import attempt
from service.api.auth import caller_with, reader
from service.api.bodies import request_json
from service.api.problems import Problem
from service.api.schemas import NEW_PLAYER, PLAYER_ID, RENAME, loaded
from service.api.services import current
from service.api.tokens import token_shape
from service.players.accounts import (
    SCOPES,
    Account,
    PlayerUnknown,
    new_player_id,
    new_token,
)
from service.views.canonical import rfc3339

players = Blueprint("players", __name__)
SECRET = {"Cache-Control": "no-store"}


@players.post("/v1/players")
def create_player() -> Response:
    """A new anonymous player and their first token."""
    with attempt(None) as tried:
        body = loaded(NEW_PLAYER, request_json(is_optional=True))
        if tried.is_done:
            account = _made_before(new_player_id(tried.draw))
            token = new_token(SCOPES, tried.at, tried.draw)
        else:
            account, token = current().players.create(
                body.get("name"), tried.at, is_bot=body.get("bot", False), draw=tried.draw
            )
    answer = {"player": _shape(account), "token": token.secret, "token_info": token_shape(token)}
    return json_response(
        answer, 201, {**SECRET, **tried.headers, "Location": f"/v1/players/{account.id}"}
    )


def _made_before(player: PlayerId) -> Account:
    try:
        return current().players.get(player)
    except PlayerUnknown:
        detail = "The player made under this key was erased."
        raise Problem("idempotency-key-reused", detail) from None


@players.get("/v1/players/<player_id>")
def get_player(player_id: str) -> Response:
    """A player as everybody sees them."""
    reader()
    return json_response(profile_of(player_id))


@players.get("/v1/me")
def get_me() -> Response:
    """The caller."""
    return json_response(profile_of(caller_with("read").player))


@players.patch("/v1/me")
def rename_me() -> Response:
    """Another name for the caller."""
    who = caller_with("account")
    body = loaded(RENAME, request_json())
    try:
        current().players.rename(who.player, body["name"])
    except PlayerUnknown:
        raise Problem("player-unknown") from None
    return json_response(profile_of(who.player))


def _account(player_id: str) -> Account:
    if not PLAYER_ID.fullmatch(player_id):
        raise Problem("player-unknown")
    try:
        return current().players.get(PlayerId(player_id))
    except PlayerUnknown:
        raise Problem("player-unknown") from None


def _shape(account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "bot": account.is_bot,
        "created_at": rfc3339(account.created_at),
    }


def profile_of(player_id: str) -> dict[str, Any]:
    """A player and how their games ended; a Problem if there is none of this id."""
    account = _account(player_id)
    return {**_shape(account), "games": current().lobby.profile(account.id)._asdict()}
