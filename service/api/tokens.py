"""Tokens: further ones for other devices and programs, and an end to those that are lost."""

from typing import Any

from flask import Blueprint, Response, request

from service.api.answers import json_response
from service.api.auth import caller, caller_with
from service.api.bodies import request_json
from service.api.idempotency import attempt
from service.api.problems import Problem
from service.api.schemas import (
    NEW_TOKEN,
    NOTHING,
    USE_LINK_CODE,
    USE_RECOVERY_CODE,
    loaded,
)
from service.api.services import current
from service.players.accounts import Caller, NewToken
from service.players.codes import LINK_CODE_SECONDS, LinkCodes, Tries
from service.players.recovery import Recovery
from service.players.tokens import (
    MakerRevoked,
    TokenInfo,
    Tokens,
    TokenUnknown,
    TooManyTokens,
    further_token,
)
from service.views.canonical import rfc3339

tokens = Blueprint("tokens", __name__)
NOT_KEPT = {"Cache-Control": "no-store"}


@tokens.post("/v1/tokens")
def create_token() -> Response:
    """A further token of the caller's, at most as able and as long-lived as the one sent."""
    known = caller()
    sent = request_json() if known is None or "account" in known.scopes else {}
    if "link_code" in sent:
        return _linked(loaded(USE_LINK_CODE, sent))
    if "recovery_code" in sent:
        return _recovered(loaded(USE_RECOVERY_CODE, sent))
    who = caller_with("account")
    body = loaded(NEW_TOKEN, sent)
    scopes: list[str] = sorted(set(body["scopes"]), key=body["scopes"].index)
    if not who.scopes.issuperset(scopes):
        raise Problem("scope-missing", "A token gives away no scope that it does not have.")
    lasts = body.get("expires_in")
    with attempt(who.player) as tried:
        expires_at = None if lasts is None else tried.at + lasts * 1000
        token = further_token(who, body["name"], scopes, tried.at, expires_at, tried.draw)
        if not tried.is_done:
            _admit(who, token)
    return _shown(token, tried.headers)


def _admit(who: Caller, token: NewToken) -> None:
    try:
        Tokens(current().client).admit(who, token)
    except TooManyTokens:
        raise Problem("too-many-tokens") from None
    except MakerRevoked:
        raise Problem("token-invalid") from None


@tokens.post("/v1/me/link-code")
def create_link_code() -> Response:
    """A code that another device may change for a token like the one sent, once and soon."""
    who = caller_with("account")
    loaded(NOTHING, request_json(is_optional=True))
    ends = current().table.now() + LINK_CODE_SECONDS * 1000
    code = LinkCodes(current().client).make(who)
    return json_response({"code": code, "expires_at": rfc3339(ends)}, 201, NOT_KEPT)


@tokens.post("/v1/me/recovery-code")
def create_recovery_code() -> Response:
    """A code in place of the last one, for the day on which every token is lost."""
    who = caller_with("account")
    loaded(NOTHING, request_json(is_optional=True))
    code = Recovery(current().client).make(who.player, current().table.now())
    return json_response({"code": code}, 201, NOT_KEPT)


def _count_try() -> None:
    if seconds := Tries(current().client).wait(request.remote_addr or ""):
        raise Problem("rate-limited", headers={"Retry-After": str(seconds)})


def _linked(body: dict[str, Any]) -> Response:
    _count_try()
    client = current().client
    maker = LinkCodes(client).use(body["link_code"])
    # A code dies with the token that asked for it, so that revoking a thief's token is enough.
    if maker is None or not Tokens(client).is_held(maker.player, maker.token_id):
        raise Problem("code-invalid")
    now = current().table.now()
    name = body.get("name", "Linked device")
    try:
        return _made(maker, name, sorted(maker.scopes), now, None)
    except MakerRevoked:
        raise Problem("code-invalid") from None


def _recovered(body: dict[str, Any]) -> Response:
    _count_try()
    name, now = body.get("name", "Recovered"), current().table.now()
    token = Recovery(current().client).use(body["recovery_code"], name, now)
    if token is None:
        raise Problem("code-invalid")
    return _shown(token)


def _made(who: Caller, name: str, scopes: list[str], now: int, ends: int | None) -> Response:
    try:
        made = Tokens(current().client).make(who, name, scopes, now, ends)
    except TooManyTokens:
        raise Problem("too-many-tokens") from None
    return _shown(made)


def _shown(made: NewToken, headers: dict[str, str] | None = None) -> Response:
    answer = {"token": made.secret, "token_info": token_shape(made)}
    return json_response(answer, 201, {**NOT_KEPT, **(headers or {})})


@tokens.get("/v1/tokens")
def list_tokens() -> Response:
    """The caller's tokens that are good now, without their secrets."""
    who = caller_with("account")
    infos = Tokens(current().client).infos(who.player)
    items = [{**token_shape(info), "current": info.id == who.token_id} for info in infos]
    return json_response({"items": items}, 200, NOT_KEPT)


@tokens.delete("/v1/tokens/<token_id>")
def revoke_token(token_id: str) -> Response:
    """The end of one of the caller's tokens, perhaps the one sent."""
    who = caller_with("account")
    try:
        Tokens(current().client).revoke(who.player, token_id)
    except TokenUnknown:
        raise Problem("token-unknown") from None
    return Response(status=204, headers=NOT_KEPT)


def token_shape(token: NewToken | TokenInfo) -> dict[str, Any]:
    """A token as answers show it: all but its secret."""
    return {
        "id": token.id,
        "name": token.name,
        "scopes": list(token.scopes),
        "created_at": rfc3339(token.created_at),
        "expires_at": None if token.expires_at is None else rfc3339(token.expires_at),
    }
