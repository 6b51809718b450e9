#!/usr/bin/env python3
"""Check a replay of Pepper without trusting the service that gave it.

    python3 verify_replay.py game.json        a file that GET /v1/games/{id}/replay gave
    curl -s …/replay | python3 verify_replay.py -

One file and the standard library: its own reading of the rules (the R-numbers are those of the
rules of the game) and of docs/fair-shuffle.md. It checks that the seed opens the commitment, that
every deal is the one that the seed gives, that every action was legal, every trick, point and
score, who sat where, and the hash of the whole log. It says `ok`, or the first fault, and exits 0,
or 1 for a fault, or 2 for a file that is no replay of an ended game. Names of players are not
checked: they are today's.
"""

import hmac
import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

Json = dict[str, Any]
SUITS, RANKS = "CDHS", "9TJQKA"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
COLOUR_MATE = {"C": "S", "S": "C", "D": "H", "H": "D"}
PEPPERS = ("small_pepper", "big_pepper")
OPTIONS: dict[str, tuple[Any, ...]] = {
    "all_pass": ("stick_dealer", "redeal"),
    "auction": ("pass_out", "reopen", "single_round"),
    "no_trump": ("high", "high_low", "off"),
    "set_penalty": ("flat", "bid"),
    "pepper_alone": (False, True),
    "first_lead": ("declarer", "left_of_dealer"),
    "tie": ("all_win", "play_on"),
}
KINDS = ("player", "bot", "timeout", "system")
RULES_VERSION, LAST_ROUND, MOST_THROWN_IN = 1, 1000, 3


class Fault(Exception):
    """The first thing in a replay that cannot be, and where."""


class Unreadable(Exception):
    """What was given is no replay of an ended game."""


def require(is_so: bool, why: str) -> None:  # noqa: FBT001  (reads as a sentence)
    """Raises Fault unless something is so."""
    if not is_so:
        raise Fault(why)


def number(value: int) -> bytes:
    """Four bytes, big-endian."""
    return value.to_bytes(4, "big")


def canonical(value: object) -> bytes:
    """JSON with sorted keys and no white space, in UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


class Shuffler:
    """The dealer and the decks that a seed gives (docs/fair-shuffle.md)."""

    def __init__(self, seed: bytes, game: str, entropies: list[str | None]) -> None:
        parts = [game.encode(), *((entropy or "").encode() for entropy in entropies)]
        self._seed = seed
        self._prefix = b"".join(number(len(part)) + part for part in parts)

    def first_dealer(self, players: int) -> int:
        """The dealer of round 1 (R6)."""
        return self._below(players, self._stream(0))

    def deck(self, round_number: int) -> list[str]:
        """A round's cards in the order in which they are dealt."""
        stream, deck = self._stream(round_number), list(DECK)
        for last in range(23, 0, -1):
            other = self._below(last + 1, stream)
            deck[last], deck[other] = deck[other], deck[last]
        return deck

    def _stream(self, draw: int) -> Iterator[int]:
        message = self._prefix + number(4) + number(draw)
        block = 0
        while True:
            yield from hmac.digest(self._seed, message + number(block), "sha256")
            block += 1

    @staticmethod
    def _below(limit: int, stream: Iterator[int]) -> int:
        while True:
            byte = next(stream)
            if byte < 256 // limit * limit:
                return byte % limit


def counts_as(card: str, trump: str | None) -> str:
    """The suit that a card counts as (R4)."""
    rank, suit = card[0], card[1]
    if trump in SUITS_NAMED and rank == "J" and COLOUR_MATE[suit] == trump:
        return str(trump)
    return suit


SUITS_NAMED = tuple(SUITS)


def order_in_trick(card: str, trump: str, led: str) -> tuple[int, int]:
    """Larger takes the trick (R2, R3, R16, `low`)."""
    suit, height = counts_as(card, trump), RANKS.index(card[0])
    if trump == "low":
        return (1, -height) if suit == led else (0, 0)
    if suit == trump:
        bower = {True: 11, False: 10}[card[1] == trump]
        return (2, bower if card[0] == "J" else height)
    return (1, height) if suit == led else (0, 0)


def sorted_hand(cards: list[str]) -> list[str]:
    """Clubs, diamonds, hearts, spades, high to low."""
    return sorted(cards, key=lambda card: (SUITS.index(card[1]), -RANKS.index(card[0])))


class Place:
    """Who has a seat."""

    def __init__(self) -> None:
        self.kind, self.acting = "open", False
        self.player: str | None = None
        self.level: str | None = None
        self.entropy: str | None = None

    def told(self, seat: int, players: int) -> Json:
        """As the replay shows it, without names."""
        return {
            "seat": seat,
            "side": seat % 2 if players == 4 else seat,
            "kind": self.kind,
            "player": {"id": self.player} if self.player else None,
            "level": self.level,
        }


class Game:
    """A game as its public events make it; each event is checked before it counts."""

    def __init__(self, told: Json, seed: bytes) -> None:
        self.id = str(told["id"])
        self.players = int(told["players"])
        self.rules: Json = {}
        self.clock: Json | None = None
        self.seed, self.commitment = seed, ""
        self.places = [Place() for _seat in range(self.players)]
        self.phase = "created"
        self.rounds: list[Json] = []
        self.hands: list[list[str]] = []
        self.scores = [0] * (2 if self.players == 4 else self.players)
        self.thrown_in = 0
        self.winners: list[int] | None = None
        self.shuffler: Shuffler | None = None
        self.turn: int | None = None
        self.passed: set[int] = set()
        self.trick: list[tuple[int, str]] = []
        self.alone: int | None = None

    # Before and around the play

    def apply(self, event: Json) -> None:
        """One more event; raises Fault."""
        kind = str(event["type"])
        step: Callable[[Json], None] | None = getattr(self, f"on_{kind}", None)
        if step is None:
            raise Fault(f"no event is called {kind}")
        require(self.phase not in ("finished", "aborted"), "the game was over")
        require((kind == "game_created") == (self.phase == "created"), "a game is created once")
        seat = event.get("seat", 0)
        require(type(seat) is int and 0 <= seat < self.players, "no such seat")
        self.check_by(event)
        step(event)

    def check_by(self, event: Json) -> None:
        """Who did it may have done it."""
        by, acts = event["by"], event["type"] in ("bid", "passed", "trump_named", "card_played")
        require(by["kind"] in KINDS, "nobody of this kind acts")
        place = self.places[event["seat"]] if "seat" in event else None
        level = place.level if place and by["kind"] == "bot" else None
        require(by.get("level") == level, "the bot has another level")
        if not acts or place is None:
            return
        is_bots = place.kind == "bot" or place.acting
        require((by["kind"] == "bot") == is_bots, "somebody else acts at this seat")
        require(by["kind"] != "system", "nobody acts for a player but bots")
        require(by["kind"] != "timeout" or self.clock is not None, "no clock runs")

    def on_game_created(self, event: Json) -> None:
        """The rules, the commitment, and open seats."""
        self.rules, self.clock, self.phase = event["rules"], event["clock"], "gathering"
        require(event["players"] == self.players, "another number of players")
        require(event["rules_version"] == RULES_VERSION, "rules that this file does not know")
        target = self.rules["target_score"]
        require(type(target) is int and 1 <= target <= 1000, "no such target")
        for name, values in OPTIONS.items():
            require(self.rules[name] in values, f"no such {name}")
        require(not self.rules["pepper_alone"] or self.players == 4, "alone with four players only")
        self.commitment = event["commitment"]
        require(self.commitment == sha256(self.seed).hexdigest(), "the seed is another one")

    def on_seat_taken(self, event: Json) -> None:
        """A player sits down, or moves before the start."""
        place = self.places[event["seat"]]
        require(place.kind == "open", "the seat was taken")
        elsewhere = [other for other in self.places if other.player == event["player"]]
        require(not elsewhere or self.phase == "gathering", "the player had a seat")
        for other in elsewhere:
            other.__init__()  # type: ignore[misc]  # as it was made
        kept = place.entropy
        place.__init__()  # type: ignore[misc]  # as it was made
        place.kind, place.player, place.entropy = "human", event["player"], kept

    def on_seat_left(self, event: Json) -> None:
        """A seat is open again; after the start a bot goes on acting there."""
        place = self.places[event["seat"]]
        if self.phase == "gathering":
            place.__init__()  # type: ignore[misc]  # as it was made
            return
        require(place.kind == "human" and place.acting, "nobody has left this seat")
        place.kind, place.player = "open", None

    def on_seat_invited(self, event: Json) -> None:
        """An open seat is kept for somebody."""
        require(self.phase == "gathering", "the game had started")
        require(self.places[event["seat"]].kind == "open", "the seat was taken")
        self.places[event["seat"]].__init__()  # type: ignore[misc]  # as it was made

    def on_bot_seated(self, event: Json) -> None:
        """A bot has a seat."""
        place = self.places[event["seat"]]
        require(self.phase == "gathering", "the game had started")
        require(place.kind != "human", "a person has this seat")
        place.__init__()  # type: ignore[misc]  # as it was made
        place.kind, place.level = "bot", event["level"]

    def on_entropy_given(self, event: Json) -> None:
        """A person adds to the shuffle."""
        place, entropy = self.places[event["seat"]], event["entropy"]
        require(self.phase == "gathering", "entropy is frozen at the start")
        require(place.kind == "human", "nobody has this seat")
        is_printable = isinstance(entropy, str) and all(" " <= sign <= "~" for sign in entropy)
        require(is_printable and 1 <= len(entropy) <= 64, "1 to 64 printable ASCII characters")
        place.entropy = entropy

    def on_game_started(self, _event: Json) -> None:
        """Everybody sits; the shuffles are fixed."""
        require(self.phase == "gathering", "the game had started")
        require(all(place.kind != "open" for place in self.places), "a seat was open")
        self.shuffler = Shuffler(self.seed, self.id, [place.entropy for place in self.places])
        self.phase = "between rounds"

    def on_seat_handed_over(self, event: Json) -> None:
        """A bot acts for a person."""
        place = self.places[event["seat"]]
        require(self.phase != "gathering" and place.kind == "human", "no person plays there")
        place.acting, place.level = True, event["level"]

    def on_seat_taken_back(self, event: Json) -> None:
        """A person acts again."""
        place = self.places[event["seat"]]
        require(place.kind == "human" and place.acting, "no bot acts for a person there")
        place.acting, place.level = False, None

    def on_clock_extended(self, event: Json) -> None:
        """Time is given back."""
        require(self.clock is not None and event["seat"] == self.turn, "no clock runs there")

    def on_game_aborted(self, _event: Json) -> None:
        """The end, before the first call."""
        calls = [call for played in self.rounds for call in played["auction"]]
        require(not calls and len(self.rounds) < 2, "too late to abort")
        self.phase = "aborted"

    # The auction

    def on_round_dealt(self, event: Json) -> None:
        """The deal that the seed gives (R6 to R8)."""
        require(self.phase == "between rounds" and self.shuffler is not None, "no time to deal")
        assert self.shuffler is not None  # noqa: S101  (required above)
        count = len(self.rounds) + 1
        if count == 1:
            dealer = self.shuffler.first_dealer(self.players)
        else:
            dealer = (self.rounds[-1]["dealer"] + 1) % self.players
        require(event["dealer"] == dealer, f"seat {dealer} deals")
        piles = 3 if self.players == 2 else self.players
        hands: list[list[str]] = [[] for _pile in range(piles)]
        for at, card in enumerate(self.shuffler.deck(count)):
            turn = at % piles
            is_dead = self.players == 2 and turn == 2
            hands[2 if is_dead else (dealer + 1 + turn) % self.players].append(card)
        dead = sorted_hand(hands.pop()) if self.players == 2 else None
        self.hands = [sorted_hand(hand) for hand in hands]
        nothing = [0] * len(self.scores)
        self.rounds.append(
            {
                "number": count,
                "dealer": dealer,
                "hands": [list(hand) for hand in self.hands],
                "dead_hand": dead,
                "auction": [],
                "contract": None,
                "tricks": [],
                "tricks_won": nothing,
                "points": None,
                "scores": None,
            }
        )
        self.phase, self.turn, self.passed = "auction", (dealer + 1) % self.players, set()
        self.alone = None

    def on_bid(self, event: Json) -> None:
        """A higher bid (R9, R11)."""
        self.check_turn("auction", event)
        highest = self.highest()
        bids = self.bids()
        require(event["bid"] in bids, "no bid of this game")
        is_higher = highest is None or bids.index(event["bid"]) > bids.index(highest["call"])
        require(is_higher, "not higher than the highest bid")
        self.call(event["seat"], event["bid"])

    def on_passed(self, event: Json) -> None:
        """A pass (R13)."""
        self.check_turn("auction", event)
        require(not self.must_bid(), "the dealer had to bid")
        self.call(event["seat"], "pass")

    def bids(self) -> list[str]:
        """The bids, low to high (R9)."""
        return [*"12345", *([] if self.players == 4 else "67"), *PEPPERS]

    def highest(self) -> Json | None:
        """The highest bid and whose it is."""
        made = [call for call in self.rounds[-1]["auction"] if call["call"] != "pass"]
        return made[-1] if made else None

    def must_bid(self) -> bool:
        """Whether the dealer may not pass (R13, R24)."""
        played = self.rounds[-1]
        if self.highest() or self.turn != played["dealer"]:
            return False
        redeals = self.rules["all_pass"] == "redeal"  # noqa: S105  (a rule, no password)
        may_throw_in = redeals and self.thrown_in < MOST_THROWN_IN
        return not may_throw_in and len(played["auction"]) == self.players - 1

    def call(self, seat: int, call: str) -> None:
        """Note a call, and what it ends."""
        played = self.rounds[-1]
        played["auction"].append({"seat": seat, "call": call})
        if call == "pass":
            self.passed.add(seat)
        else:
            self.passed.discard(seat)
        if not self.auction_is_over():
            self.turn = self.next_to_call(seat)
            return
        highest = self.highest()
        if highest is None:
            self.throw_in()
            return
        declarer, bid = highest["seat"], highest["call"]
        played["contract"] = {"declarer": declarer, "bid": bid, "trump": None}
        if self.rules["pepper_alone"] and bid in PEPPERS:
            self.alone = (declarer + 2) % 4
        self.phase, self.turn = "naming_trump", declarer

    def auction_is_over(self) -> bool:
        """R12, R13, `reopen`, `single_round`."""
        calls = [str(call["call"]) for call in self.rounds[-1]["auction"]]
        if "big_pepper" in calls:
            return True
        kind, has_bid = self.rules["auction"], any(call != "pass" for call in calls)
        if kind == "single_round":
            return len(calls) == self.players
        silent = self.players - 1 if has_bid else self.players
        if kind == "reopen":
            return len(calls) >= silent and set(calls[-silent:]) == {"pass"}
        return len(self.passed) == silent

    def next_to_call(self, seat: int) -> int:
        """Who calls next."""
        after = (seat + 1) % self.players
        while self.rules["auction"] == "pass_out" and after in self.passed:
            after = (after + 1) % self.players
        return after

    def throw_in(self) -> None:
        """Nobody bid: no points (`redeal`)."""
        played = self.rounds[-1]
        played["points"], played["scores"] = [0] * len(self.scores), list(self.scores)
        self.thrown_in += 1
        self.end_round(is_scored=False)

    # The play

    def check_turn(self, phase: str, event: Json) -> None:
        """It is the time for this, and this seat's turn."""
        require(self.phase == phase, f"the game was in {self.phase}")
        require(self.turn == event["seat"], f"it was the turn of seat {self.turn}")

    def on_trump_named(self, event: Json) -> None:
        """What the declarer names (R14)."""
        self.check_turn("naming_trump", event)
        allowed = [*SUITS]
        if self.rules["no_trump"] != "off":
            allowed.append("none")
        if self.rules["no_trump"] == "high_low":
            allowed.append("low")
        require(event["trump"] in allowed, "not to be named in this game")
        played = self.rounds[-1]
        played["contract"]["trump"] = event["trump"]
        leader = event["seat"]
        if self.rules["first_lead"] == "left_of_dealer":
            leader = (played["dealer"] + 1) % self.players
        self.phase, self.trick, self.turn = "play", [], self.skip(leader)

    def skip(self, seat: int) -> int:
        """This seat, or the next if its player sits out (`pepper_alone`)."""
        return (seat + 1) % self.players if seat == self.alone else seat

    def on_card_played(self, event: Json) -> None:
        """A card from the hand that follows suit (R15)."""
        self.check_turn("play", event)
        seat, card = event["seat"], event["card"]
        hand, trump = self.hands[seat], self.rounds[-1]["contract"]["trump"]
        require(card in hand, "the seat did not hold this card")
        if self.trick:
            led = counts_as(self.trick[0][1], trump)
            follows = [held for held in hand if counts_as(held, trump) == led]
            require(not follows or card in follows, "the seat could follow suit")
        hand.remove(card)
        self.trick.append((seat, card))
        self.turn = self.skip((seat + 1) % self.players)
        if len(self.trick) == self.players - (self.alone is not None):
            self.take_trick(trump)

    def take_trick(self, trump: str) -> None:
        """The strongest card takes the trick (R16, R17)."""
        played, led = self.rounds[-1], counts_as(self.trick[0][1], trump)
        winner = max(self.trick, key=lambda play: order_in_trick(play[1], trump, led))[0]
        played["tricks"].append(
            {
                "leader": self.trick[0][0],
                "winner": winner,
                "plays": [{"seat": seat, "card": card} for seat, card in self.trick],
            }
        )
        side = winner % 2 if self.players == 4 else winner
        won = list(played["tricks_won"])
        won[side] += 1
        played["tricks_won"], self.trick, self.turn = won, [], winner
        if len(played["tricks"]) == (6 if self.players == 4 else 8):
            self.score()

    def score(self) -> None:
        """R19 to R22."""
        played = self.rounds[-1]
        contract, points = played["contract"], list(played["tricks_won"])
        all_tricks, bid = (6 if self.players == 4 else 8), contract["bid"]
        declarer = contract["declarer"]
        side = declarer % 2 if self.players == 4 else declarer
        owed = all_tricks if bid in PEPPERS else int(bid)
        worth = 2 * all_tricks if bid == "big_pepper" else all_tricks
        if points[side] < owed:
            is_own = self.rules["set_penalty"] == "bid" and bid not in PEPPERS
            points[side] = -(owed if is_own else worth)
        elif bid == "big_pepper":
            points[side] = worth
        self.scores = [before + won for before, won in zip(self.scores, points, strict=True)]
        played["points"], played["scores"] = points, list(self.scores)
        self.thrown_in = 0
        self.end_round(is_scored=True)

    def end_round(self, *, is_scored: bool) -> None:
        """Another round, or the end (R23, R24)."""
        best = max(self.scores)
        top = [side for side, score in enumerate(self.scores) if score == best]
        is_won = is_scored and best >= self.rules["target_score"]
        is_tied = len(top) > 1 and self.rules["tie"] == "play_on"
        self.phase, self.turn = "between rounds", None
        if len(self.rounds) >= LAST_ROUND or (is_won and not is_tied):
            self.phase, self.winners = "finished", top


def log_hash(game: str, seed: bytes, events: list[Json], deals: list[Json]) -> str:
    """The hash of the whole log (docs/fair-shuffle.md, "The log's hash")."""
    chain, dealt = sha256(game.encode()).digest(), iter(deals)
    for event in events:
        hashed = {**event, "by": event["by"]["kind"]}
        if event["type"] == "round_dealt":
            deal = next(dealt)
            hands = [*deal["hands"], deal["dead_hand"] or []]
            lists = [sorted(hand, key=DECK.index) for hand in hands]
            hashed["hands"] = hmac.digest(seed, b"deal" + canonical(lists), "sha256").hex()
        chain = sha256(chain + canonical(hashed)).digest()
    return chain.hex()


def same(told: Json, name: str, made: object) -> None:
    """A part of the replay is what its events make of it."""
    require(told[name] == made and type(told[name]) is type(made), f"{name}: not what happened")


def check(told: Json) -> None:
    """Check a whole replay; raises Fault, Unreadable."""
    try:
        seed = bytes.fromhex(told["fairness"]["seed"])
    except (KeyError, TypeError, ValueError):
        raise Unreadable("no seed: not a replay of a game that has ended") from None
    try:
        _check(told, seed)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
        raise Fault(f"a part is missing or malformed: {fault!r}") from None


def _check(told: Json, seed: bytes) -> None:
    require(len(seed) == 32, "a seed has 32 bytes")
    require(told["players"] in (2, 3, 4), "no such number of players")
    game, before = Game(told, seed), ""
    for version, event in enumerate(told["events"], 1):
        try:
            require(event["version"] == version, "versions have no gaps")
            require(event["at"] >= before, "time went back")
            game.apply(event)
        except Fault as fault:
            raise Fault(f"version {version}, {event['type']}: {fault}") from None
        before = event["at"]
    require(game.phase in ("finished", "aborted"), "the game has not ended")
    for at, (played, round_made) in enumerate(zip(told["rounds"], game.rounds, strict=False), 1):
        for name, value in round_made.items():
            require(played[name] == value, f"round {at}, {name}: not what happened")
    same(told, "rounds", game.rounds)
    _check_frame(told, game)
    made = log_hash(game.id, seed, told["events"], game.rounds)
    require(told["log_hash"] == made, f"log_hash: the log's is {made}")


def _check_frame(told: Json, game: Game) -> None:
    """What stands around the events and rounds."""
    events = told["events"]
    same(told, "version", len(events))
    same(told, "status", game.phase)
    same(told, "rules", {**game.rules, "version": RULES_VERSION})
    same(told, "created_at", events[0]["at"])
    same(told, "finished_at", events[-1]["at"])
    same(told, "scores", game.scores)
    same(told, "winners", game.winners)
    places = [place.told(seat, game.players) for seat, place in enumerate(game.places)]
    seats = [{**place, "player": _without_name(place["player"])} for place in told["seats"]]
    require(seats == places, "seats: not who sat there at the end")
    fairness = told["fairness"]
    same(fairness, "commitment", game.commitment)
    same(fairness, "entropy", [place.entropy for place in game.places])


def _without_name(player: Json | None) -> Json | None:
    return player and {"id": player["id"]}


def main(arguments: list[str]) -> int:
    """Check the file that is named."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if arguments[0] == "-":
            told = json.load(sys.stdin)
        else:
            with open(arguments[0], encoding="utf-8") as file:  # noqa: PTH123  (one file, no more)
                told = json.load(file)
        check(told)
    except Fault as fault:
        print(f"fault: {fault}")
        return 1
    except (Unreadable, ValueError, OSError, RecursionError) as fault:
        print(f"unreadable: {fault}", file=sys.stderr)
        return 2
    print(f"ok: {told['id']}, {len(told['events'])} events, {len(told['rounds'])} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
