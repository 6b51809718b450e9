"""What a game's log must be, after what its clients asked and were told. Pure."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tests.chaos.client import Asked

Json = dict[str, Any]
FOLLOWS = ("game_started", "round_dealt", "game_aborted")
"""Events that may be part of the append of an action."""

_BODIES = {
    "passed": ("pass", None),
    "bid": ("bid", "bid"),
    "trump_named": ("name_trump", "trump"),
    "card_played": ("play_card", "card"),
}


class Finding(NamedTuple):
    """Something that must not be: lost, doubled, reordered, or a gap."""

    kind: str
    what: str


class Step(NamedTuple):
    """One action in a log: where its append ends, who acted, and with what body."""

    version: int
    end: int
    player: str
    body: Json


def steps(replay: Json) -> list[Step]:
    """The actions of persons in a public replay, in the log's order."""
    events = replay["events"]
    made = []
    for at, event in enumerate(events):
        if event["type"] not in _BODIES or event["by"]["kind"] != "player":
            continue
        end = at
        while end + 1 < len(events) and events[end + 1]["type"] in FOLLOWS:
            end += 1
        player = replay["seats"][event["seat"]]["player"]["id"]
        made.append(Step(event["version"], events[end]["version"], player, _body(event)))
    return made


def _body(event: Json) -> Json:
    kind, field = _BODIES[event["type"]]
    return {"type": kind} if field is None else {"type": kind, field: event[field]}


def findings(replay: Json, asked: Sequence[Asked]) -> list[Finding]:
    """Everything that is wrong with a game's log."""
    numbers = [event["version"] for event in replay["events"]]
    found = []
    if numbers != list(range(1, len(numbers) + 1)):
        found.append(Finding("gap", f"versions {numbers}"))
    unexplained = steps(replay)
    for request in asked:
        if request.is_accepted:
            step = _step_of(request, unexplained)
            if step is None:
                found.append(Finding("lost", f"{request.body} of version {request.version}"))
            else:
                unexplained.remove(step)
    found += _not_asked(unexplained, asked)
    return found + _out_of_order(asked)


def _step_of(request: Asked, unexplained: Iterable[Step]) -> Step | None:
    """The step that a request was told to be; its first version follows the one it named."""
    for step in unexplained:
        is_same = (step.player, step.body) == (request.player, request.body)
        is_where_it_said = request.if_match in (None, step.version - 1)
        if is_same and is_where_it_said and step.end == request.version:
            return step
    return None


def _not_asked(unexplained: Iterable[Step], asked: Iterable[Asked]) -> list[Finding]:
    """Steps that no request explains: each that was never answered may have made one at most."""
    unanswered = [request for request in asked if request.status is None]
    found = []
    for step in unexplained:
        for request in unanswered:
            if (step.player, step.body) == (request.player, request.body):
                unanswered.remove(request)
                break
        else:
            found.append(Finding("doubled", f"{step.body} at version {step.version}"))
    return found


def _out_of_order(asked: Iterable[Asked]) -> list[Finding]:
    """Requests sent after another's answer, but done before it."""
    done = sorted(
        (request for request in asked if request.is_accepted), key=lambda each: each.answered
    )
    return [
        Finding("reordered", f"{after.body}: version {after.version} after {before.version}")
        for before, after in pairwise(done)
        if before.answered <= after.sent and (before.version or 0) >= (after.version or 0)
    ]


def longest_wait_for_bot(events: Sequence[tuple[int, bool]]) -> int:
    """The most milliseconds before a bot's event, from each event's time and whether a bot's."""
    waits = [at - before for (before, _bot), (at, is_bot) in pairwise(events) if is_bot]
    return max(waits, default=0)
