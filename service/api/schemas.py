"""The bodies that are accepted: strict types, no unknown fields, one instance a schema."""

import re
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate, validates_schema

from events.vocabulary import Bid, BotLevel, Card, OnTimeout, Trump
from service.api.problems import Problem
from service.players.accounts import SCOPES
from service.players.names import clean_name
from service.rules.house_rules import CHOICES, HIGHEST_TARGET, LOWEST_TARGET
from service.webhooks.addresses import LONGEST_URL
from service.webhooks.vocabulary import Topic

ENTROPY = re.compile(r"[\x20-\x7e]{1,64}")
LONGEST_TOKEN = 10 * 365 * 24 * 60 * 60
"""The most seconds that a token made to end may last."""
SHORTEST_TURN, LONGEST_TURN = 5, 7 * 24 * 3600
"""Seconds that a game with a clock may give a person for each turn."""

PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{1,40}")


class StrictBoolean(fields.Boolean):
    """true or false, nothing that merely looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Whole(fields.Integer):
    """A whole number; as in JSON Schema 4.0 is one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(_as_whole(value), attr, data, **kwargs)


def _as_whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class BidField(fields.Enum[Bid]):
    """A bid by its spelling; a number is accepted for it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Bid, by_value=True, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        number = _as_whole(value)
        spelled = str(number) if type(number) is int else value
        return super()._deserialize(spelled, attr, data, **kwargs)


class Name(fields.String):
    """A player's name, cleaned."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return clean_name(text)
        except ValueError as fault:
            raise ValidationError(str(fault)) from fault


def _entropy(**kwargs: Any) -> fields.String:
    return fields.String(
        validate=validate.Regexp(
            re.compile(ENTROPY.pattern + r"\Z"), error="1 to 64 printable ASCII characters"
        ),
        **kwargs,
    )


def _level() -> fields.Enum[BotLevel]:
    return fields.Enum(BotLevel, by_value=True)


def _player_id(**kwargs: Any) -> fields.String:
    return fields.String(
        validate=validate.Regexp(re.compile(PLAYER_ID.pattern + r"\Z"), error="not a player id"),
        **kwargs,
    )


def _one_of(*choices: str, **kwargs: Any) -> fields.String:
    return fields.String(validate=validate.OneOf(choices), **kwargs)


class Body(Schema):
    """A JSON object whose unknown fields are refused."""

    class Meta:
        """Unknown fields are errors."""

        unknown = RAISE


class NewPlayerBody(Body):
    """{"name": "Ana", "bot": false}"""

    name = Name(allow_none=True)
    bot = StrictBoolean()


class RenameBody(Body):
    """{"name": "Ana"}"""

    name = Name(required=True)


class NewTokenBody(Body):
    """{"name": "My bot", "scopes": ["read", "play"], "expires_in": 86400}"""

    name = Name(required=True)
    scopes = fields.List(_one_of(*SCOPES), required=True, validate=validate.Length(min=1))
    expires_in = Whole(validate=validate.Range(1, LONGEST_TOKEN))


class UseLinkCodeBody(Body):
    """{"link_code": "7ZK3M9QX0T4B", "name": "Phone"}"""

    link_code = fields.String(required=True)
    name = Name()


class UseRecoveryCodeBody(Body):
    """{"recovery_code": "7ZK3M9QX0T4BH8W2R5VNC1DE", "name": "New phone"}"""

    recovery_code = fields.String(required=True)
    name = Name()


def _topics(**kwargs: Any) -> fields.List[str]:
    return fields.List(_one_of(*Topic), validate=validate.Length(min=1), **kwargs)


class NewWebhookBody(Body):
    """{"url": "https://example.org/pepper", "events": ["turn"]}"""

    url = fields.String(required=True, validate=validate.Length(1, LONGEST_URL))
    events = _topics(required=True)


class ChangeWebhookBody(Body):
    """{"enabled": true}"""

    url = fields.String(validate=validate.Length(1, LONGEST_URL))
    events = _topics()
    enabled = StrictBoolean()


class SeatWishBody(Body):
    """{"kind": "bot", "level": "club"}"""

    kind = _one_of("open", "me", "bot", "player", required=True)
    level = _level()
    player = _player_id()

    @validates_schema
    def _only_what_fits(self, data: dict[str, Any], **_kwargs: Any) -> None:
        if "level" in data and data.get("kind") != "bot":
            raise ValidationError("only for kind bot", "level")
        if ("player" in data) != (data.get("kind") == "player"):
            raise ValidationError("goes with kind player, and is needed there", "player")


class RulesBody(Body):
    """{"target_score": 30, "no_trump": "high_low"}"""

    target_score = Whole(validate=validate.Range(LOWEST_TARGET, HIGHEST_TARGET))
    all_pass = _one_of(*CHOICES["all_pass"])
    auction = _one_of(*CHOICES["auction"])
    no_trump = _one_of(*CHOICES["no_trump"])
    set_penalty = _one_of(*CHOICES["set_penalty"])
    pepper_alone = StrictBoolean()
    first_lead = _one_of(*CHOICES["first_lead"])
    tie = _one_of(*CHOICES["tie"])


class ClockBody(Body):
    """{"turn_seconds": 60, "on_timeout": "bot_plays"}"""

    turn_seconds = Whole(required=True, validate=validate.Range(SHORTEST_TURN, LONGEST_TURN))
    on_timeout = fields.Enum(OnTimeout, by_value=True, load_default=OnTimeout.BOT_PLAYS)


class NewGameBody(Body):
    """{"players": 4}"""

    players = Whole(required=True, validate=validate.OneOf((2, 3, 4)))
    seats = fields.List(fields.Nested(SeatWishBody), validate=validate.Length(2, 4))
    rules = fields.Nested(RulesBody)
    clock = fields.Nested(ClockBody, allow_none=True)
    visibility = _one_of("unlisted", "public")
    start = _one_of("auto", "manual")
    hints = StrictBoolean()
    allow_bots = StrictBoolean()


class TakeSeatBody(Body):
    """{"seat": 2, "entropy": "my dice"}"""

    seat = Whole(validate=validate.Range(0, 3))
    entropy = _entropy()


class SitBody(Body):
    """{"entropy": "my dice"}"""

    entropy = _entropy()


class EntropyBody(Body):
    """{"entropy": "my dice"}"""

    entropy = _entropy(required=True)


class BotSeatBody(Body):
    """{"level": "club"}"""

    level = fields.Enum(BotLevel, by_value=True, required=True)


class InviteBody(Body):
    """{"player": "p_…"}"""

    player = _player_id(required=True)


class NoBody(Body):
    """{}"""


class ActionBody(Body):
    """What all actions have: their type."""

    type = fields.String(required=True)


class BidBody(ActionBody):
    """{"type": "bid", "bid": "3"}"""

    bid = BidField(required=True)


class PassBody(ActionBody):
    """{"type": "pass"}"""


class NameTrumpBody(ActionBody):
    """{"type": "name_trump", "trump": "H"}"""

    trump = fields.Enum(Trump, by_value=True, required=True)


class PlayCardBody(ActionBody):
    """{"type": "play_card", "card": "JS"}"""

    card = fields.Enum(
        Card, by_value=True, required=True, error_messages={"unknown": "not a card, see /v1/rules"}
    )


NEW_PLAYER, RENAME, NEW_GAME = NewPlayerBody(), RenameBody(), NewGameBody()
NEW_TOKEN, USE_LINK_CODE = NewTokenBody(), UseLinkCodeBody()
USE_RECOVERY_CODE = UseRecoveryCodeBody()
NEW_WEBHOOK, CHANGE_WEBHOOK = NewWebhookBody(), ChangeWebhookBody()
TAKE_SEAT, SIT, ENTROPY_BODY = TakeSeatBody(), SitBody(), EntropyBody()
BOT_SEAT, INVITE, NOTHING = BotSeatBody(), InviteBody(), NoBody()
ACTIONS: dict[str, Schema] = {
    "bid": BidBody(),
    "pass": PassBody(),
    "name_trump": NameTrumpBody(),
    "play_card": PlayCardBody(),
}


def loaded(schema: Schema, body: dict[str, Any]) -> dict[str, Any]:
    """The body's fields by a schema; raises a Problem that names each bad one."""
    try:
        return dict(schema.load(body))
    except ValidationError as fault:
        raise Problem("invalid-body", errors=_messages(fault)) from None


def loaded_action(body: dict[str, Any]) -> dict[str, Any]:
    """An action's fields; raises a Problem that names each bad one."""
    kind = body.get("type")
    schema = ACTIONS.get(kind) if isinstance(kind, str) else None
    if schema is None:
        raise Problem("invalid-body", errors={"type": [f"one of {', '.join(ACTIONS)}"]})
    return loaded(schema, body)


def _messages(fault: ValidationError) -> dict[str, Any]:
    messages = fault.messages
    return messages if isinstance(messages, dict) else {"body": messages}
