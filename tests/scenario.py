"""Given events, when a command, then events or a refusal: how tests of the decider read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from events.catalogue import Event, RoundDealt
from events.store import Entry, Recorded
from events.vocabulary import CARDS, Cause, GameId, PlayerId, Seat, hand_of
from service.game.commands import Command, CreateGame, SeatWish
from service.game.decide import Chance, decide, legal_actions
from service.game.evolve import evolve
from service.game.founding import found
from service.game.position import Position, fold
from service.game.refusals import Reason, Refusal
from service.game.state import Game, is_bots, is_over, seat_to_act
from service.rules.house_rules import OptionValue

GAME = GameId("g_0scenario")
SEED = bytes(range(32))
ALICE, BOB, CAROL, DAVE = (PlayerId(f"p_{name}") for name in ("alice", "bob", "carol", "dave"))
CHANCE = Chance(SEED, GAME)


@dataclass(frozen=True)
class Decided:
    """What a command led to, to be compared."""

    decision: tuple[Event, ...] | Refusal

    def then(self, *events: Event) -> None:
        """Exactly these events."""
        assert self.decision == events

    def then_refused(self, reason: Reason) -> None:
        """This refusal."""
        assert isinstance(self.decision, Refusal), self.decision
        assert self.decision.reason is reason


@dataclass(frozen=True)
class Given:
    """A game after some events."""

    game: Game

    def when(self, command: Command, cause: Cause = Cause.PLAYER) -> Decided:
        """What the decider makes of a command."""
        return Decided(decide(self.game, command, CHANCE, cause))


def given(*events: Event) -> Given:
    """The game that these events make."""
    game: Game | None = None
    for event in events:
        game = evolve(game, event)
    assert game is not None
    return Given(game)


def founded(
    players: int = 4,
    seats: Sequence[str] | None = None,
    start: str = "auto",
    rules: Mapping[str, OptionValue] | None = None,
    *,
    allow_bots: bool = True,
) -> tuple[Event, ...]:
    """The first events of a game by Alice: she and bots unless `seats` says otherwise."""
    kinds = seats or ("me", *("bot",) * (players - 1))
    wishes = tuple(
        SeatWish("player", player=PlayerId(kind)) if kind.startswith("p_") else SeatWish(kind)
        for kind in kinds
    )
    events = found(
        CreateGame(ALICE, players, wishes, rules or {}, start=start, allow_bots=allow_bots), CHANCE
    )
    assert not isinstance(events, Refusal), events
    return events


def dealt(*hands: str, dealer: int = 3, dead_hand: str = "") -> RoundDealt:
    """A deal by name: `dealt("JS AS …", "…", …)`."""
    masks = tuple(hand_of(card for card in CARDS if card in hand.split()) for hand in hands)
    return RoundDealt(Seat(dealer), masks, hand_of(c for c in CARDS if c in dead_hand.split()))


class Played(NamedTuple):
    """A whole game as its log."""

    log: list[Recorded]

    @property
    def final(self) -> Position:
        """The position after the last entry."""
        return self.at(len(self.log))

    def at(self, version: int) -> Position:
        """The position at a version."""
        position = fold(GAME, self.log[:version])
        assert position is not None
        return position


def record(entries: Sequence[Entry]) -> list[Recorded]:
    """A log of these entries, a second apart."""
    return [
        Recorded(version, 1_700_000_000_000 + version * 1000, b"command%d" % (version % 10), *entry)
        for version, entry in enumerate(entries, 1)
    ]


def random_game(
    rng: Random, players: int, rules: dict[str, OptionValue], stop_after: int | None = None
) -> Played:
    """A game of legal random actions; bids are timid, so that it ends soon."""
    chance = Chance(rng.randbytes(32), GAME)
    wishes = (SeatWish("me"), *(SeatWish("bot") for _ in range(players - 1)))
    founding = found(CreateGame(ALICE, players, wishes, rules), chance)
    assert not isinstance(founding, Refusal), founding
    entries = [Entry(Cause.PLAYER, event) for event in founding]
    game = given(*founding).game
    while not is_over(game) and (stop_after is None or len(entries) < stop_after):
        actions = legal_actions(game)
        action = actions[min(rng.randrange(len(actions)), rng.randrange(len(actions)))]
        seat = seat_to_act(game)
        assert seat is not None
        cause = Cause.BOT if is_bots(game.setup.places[seat]) else Cause.PLAYER
        decision = decide(game, action, chance, cause)
        assert not isinstance(decision, Refusal), decision
        for event in decision:
            game = evolve(game, event)
            entries.append(Entry(cause, event))
    return Played(record(entries))
