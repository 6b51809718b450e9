"""Who may do what: each operation with the scope that it needs and what each standing is told."""

from typing import Any, NamedTuple

Answers = dict[str, str]
OK = "ok"
"""Any answer of success; other answers are the code of a problem."""

ROLES = ("creator", "guest", "watcher", "stranger")
"""The caller founded the game, sat down in it, finds it in the lobby, or was just told its id."""

SEATED = ("creator", "guest")
ANOTHERS = "another's"


class Permission(NamedTuple):
    """What an operation asks for: `scope` None reads no token, `needs_token` refuses none at all.

    `answers` by standing: what follows when the token is good enough. A standing is a role in a
    game, `<role>, another's` at another's seat, or "own" and "another's" of other things.
    `state` is of the game; `query` and `body` are sent, `seat` is fixed or the standing's own.
    """

    scope: str | None
    answers: Answers
    body: Any = None
    query: str = ""
    state: str = "running"
    seat: int | None = None
    needs_token: bool = True


def everyone(answer: str = OK) -> Answers:
    """The same for every role."""
    return dict.fromkeys(ROLES, answer)


def seated(answer: str, others: str) -> Answers:
    """For who sits at the table, and for who does not."""
    return {role: answer if role in SEATED else others for role in ROLES}


def creator(answer: str) -> Answers:
    """For the creator alone."""
    return {**everyone("not-creator"), "creator": answer}


def at_seats(own: str, anothers: str, outside: str) -> Answers:
    """At one's own seat, at another's, and for who has none."""
    told = seated(own, outside)
    return {**told, **{f"{role}, another's": anothers for role in SEATED}}


def of_page(scope: str | None, **more: Any) -> list[Permission]:
    """Without any game."""
    return [Permission(scope, {"own": OK}, **more)]


def of_thing(scope: str, others: str, **more: Any) -> list[Permission]:
    """Of something that belongs to a player."""
    return [Permission(scope, {"own": OK, ANOTHERS: others}, **more)]


def reads(*states: str, query: str = "", **more: Any) -> list[Permission]:
    """A game that everybody may look at."""
    return [
        Permission("read", everyone(), query=query, state=state, needs_token=False, **more)
        for state in states
    ]


STATES = ("open", "running", "finished")
HIDDEN = "hidden-until-finished"
BY_SEAT = "?seat={seat}"
ANYWHERE = at_seats(OK, OK, OK)

PERMISSIONS: dict[str, list[Permission]] = {
    "getOpenapi": of_page(None),
    "getDocs": of_page(None),
    "getHealth": of_page(None),
    "getReadiness": of_page(None),
    "getMetrics": of_page(None),
    "getProblem": of_page(None),
    "createPlayer": of_page(None, body={"name": "Dee"}),
    "getRules": of_page("read", needs_token=False),
    "getBots": of_page("read", needs_token=False),
    "listGames": of_page("read", needs_token=False),
    "getPlayer": [Permission("read", {"own": OK, ANOTHERS: OK}, needs_token=False)],
    "getMe": of_page("read"),
    "listTurns": of_page("read"),
    "listInvitations": of_page("read"),
    "streamMe": of_page("read"),
    "renameMe": of_page("account", body={"name": "Anna"}),
    "eraseMe": of_page("account", query="?confirm={me}"),
    "exportMe": of_page("account"),
    "createLinkCode": of_page("account"),
    "createRecoveryCode": of_page("account"),
    "createToken": of_page("account", body={"name": "Phone", "scopes": ["account"]}),
    "listTokens": of_page("account"),
    "revokeToken": of_thing("account", "token-unknown"),
    "createWebhook": of_page(
        "webhooks", body={"url": "https://example.org/new", "events": ["turn"]}
    ),
    "listWebhooks": of_page("webhooks"),
    "getWebhook": of_thing("webhooks", "webhook-unknown"),
    "changeWebhook": of_thing("webhooks", "webhook-unknown", body={"enabled": False}),
    "deleteWebhook": of_thing("webhooks", "webhook-unknown"),
    "testWebhook": of_thing("webhooks", "webhook-unknown"),
    "createGame": of_page("play", body={"players": 4}),
    "getGame": reads(*STATES),
    "getRounds": reads(*STATES),
    "getEvents": reads(*STATES),
    "streamGame": [*reads(*STATES), *reads("running", query="?presence=true&snapshot=true")],
    "openLink": reads(*STATES),
    "getReplay": [
        *reads(*STATES),
        Permission("read", at_seats(OK, HIDDEN, HIDDEN), query=BY_SEAT, needs_token=False),
        Permission("read", ANYWHERE, query=BY_SEAT, state="finished", needs_token=False),
    ],
    "getReplayAt": [
        *reads("finished"),
        Permission("read", seated(OK, HIDDEN), needs_token=False),
        Permission("read", at_seats(OK, HIDDEN, HIDDEN), query=BY_SEAT, needs_token=False),
        Permission("read", ANYWHERE, query=BY_SEAT, state="finished", needs_token=False),
    ],
    "startGame": [Permission("play", creator("seats-still-open"), state="open")],
    "abortGame": [
        Permission("play", creator(OK), state="open"),
        Permission("play", creator("too-late-to-abort")),
    ],
    "rematch": [Permission("play", seated(OK, "not-seated"), state="finished")],
    "takeAnySeat": [
        Permission("play", everyone(), state="open"),
        Permission("play", seated(OK, "no-open-seat")),
    ],
    "takeSeat": [
        Permission("play", at_seats(OK, "seat-taken", "seat-taken"), state="open"),
        Permission("play", at_seats(OK, "already-seated", "seat-taken")),
    ],
    "leaveSeat": [
        Permission(
            "play",
            {**at_seats(OK, "not-seated", "not-seated"), "creator, another's": OK},
            state="open",
        ),
        Permission(
            "play",
            {**at_seats(OK, "not-seated", "not-seated"), "creator, another's": "already-started"},
        ),
    ],
    "seatBot": [Permission("play", creator(OK), {"level": "club"}, state="open", seat=2)],
    "invitePlayer": [Permission("play", creator(OK), {"player": "{other}"}, state="open", seat=2)],
    "giveEntropy": [
        Permission(
            "play",
            at_seats(OK, "not-seated", "not-seated"),
            {"entropy": "dice"},
            state="open",
        ),
    ],
    "act": [
        Permission("play", seated(OK, "not-seated"), {"type": "bid", "bid": "3"}),
        Permission(
            "play", seated("not-started", "not-seated"), {"type": "bid", "bid": "3"}, state="open"
        ),
    ],
}
