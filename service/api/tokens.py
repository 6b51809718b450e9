"""Tokens: further ones for other devices and programs, and an end to those that are lost."""

from typing import Any

from flask import Blueprint, Response, request

from service.api.answers import json_response
from service.api.attempts import Attempt, attempt
from service.api.auth import caller, caller_with
from service.api.bodies import request_json
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
from service.players.codes import LINK_CODE_SECONDS, LinkCodes, Tries, link_code
from service.players.recovery import Recovery, recovered_token, recovery_code
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
        return _linked(sent)
    if "recovery_code" in sent:
        return _recovered(sent)
    who = caller_with("account")
    with attempt(who) as tried:
        token = _further(who, loaded(NEW_TOKEN, sent), tried)
        if not tried.is_done:
            _admit(who, token)
    return _shown(token, tried.headers)


def _further(who: Caller, body: dict[str, Any], tried: Attempt) -> NewToken:
    scopes: list[str] = sorted(set(body["scopes"]), key=body["scopes"].index)
    if not who.scopes.issuperset(scopes):
        raise Problem("scope-missing", "A token gives away no scope that it does not have.")
    lasts = body.get("expires_in")
    expires_at = None if lasts is None else tried.at + lasts * 1000
    return further_token(who, body["name"], scopes, tried.at, expires_at, tried.draw)


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
    with attempt(who) as tried:
        loaded(NOTHING, request_json(is_optional=True))
        if tried.is_done:
            code = link_code(tried.draw)
        else:
            code = LinkCodes(current().client).make(who, tried.draw)
    ends = rfc3339(tried.at + LINK_CODE_SECONDS * 1000)
    return json_response({"code": code, "expires_at": ends}, 201, {**NOT_KEPT, **tried.headers})


@tokens.post("/v1/me/recovery-code")
def create_recovery_code() -> Response:
    """A code in place of the last one, for the day on which every token is lost."""
    who = caller_with("account")
    with attempt(who) as tried:
        loaded(NOTHING, request_json(is_optional=True))
        if tried.is_done:
            code = recovery_code(tried.draw)
        else:
            code = Recovery(current().client).make(who.player, tried.at, tried.draw)
    return json_response({"code": code}, 201, {**NOT_KEPT, **tried.headers})


def _count_try(tried: Attempt) -> None:
    if seconds := Tries(current().client).wait(request.remote_addr or "", tried.draw):
        raise Problem("rate-limited", headers={"Retry-After": str(seconds)})


def _linked(sent: dict[str, Any]) -> Response:
    with attempt(None) as tried:
        body = loaded(USE_LINK_CODE, sent)
        if not tried.is_done:
            _count_try(tried)
        maker = LinkCodes(current().client).use(body["link_code"], tried.draw)
        if maker is None:
            raise Problem("code-invalid")
        name, scopes = body.get("name", "Linked device"), sorted(maker.scopes)
        token = further_token(maker, name, scopes, tried.at, None, tried.draw)
        if not tried.is_done:
            _admit_linked(maker, token)
    return _shown(token, tried.headers)


def _admit_linked(maker: Caller, token: NewToken) -> None:
    # A code dies with the token that asked for it, so that revoking a thief's token is enough.
    try:
        Tokens(current().client).admit(maker, token)
    except MakerRevoked:
        raise Problem("code-invalid") from None
    except TooManyTokens:
        raise Problem("too-many-tokens") from None


def _recovered(sent: dict[str, Any]) -> Response:
    with attempt(None) as tried:
        body = loaded(USE_RECOVERY_CODE, sent)
        name = body.get("name", "Recovered")
        if tried.is_done:
            token = recovered_token(name, tried.at, tried.draw)
        else:
            token = _recover(body["recovery_code"], name, tried)
    return _shown(token, tried.headers)


def _recover(code: str, name: str, tried: Attempt) -> NewToken:
    _count_try(tried)
    token = Recovery(current().client).use(code, name, tried.at, tried.draw)
    if token is None:
        raise Problem("code-invalid")
    return token


def _shown(made: NewToken, headers: dict[str, str]) -> Response:
    answer = {"token": made.secret, "token_info": token_shape(made)}
    return json_response(answer, 201, {**NOT_KEPT, **headers})


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
