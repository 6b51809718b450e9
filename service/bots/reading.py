"""What a seat can work out from its view while tricks are played: suits, voids, cards unseen.

Cards and suits are numbers and sets of them bit masks, as in service/rules/ranking.py.
"""

from typing import NamedTuple

from events.vocabulary import CARDS, Bid, Trump
from service.rules.ranking import STRENGTHS, SUIT_MASKS, SUIT_NUMBERS
from service.views.shapes import PlayShape, RoundShape, SeatView

NUMBERS = {card.value: card.number for card in CARDS}
ALL_CARDS = (1 << len(CARDS)) - 1
_STRONGEST = 20


class Reading(NamedTuple):
    """A trick as the seat on turn sees it, with what the earlier ones gave away.

    `plays` are (seat, card) of this trick, `later` the seats that play to it after this one;
    `voids` holds for each seat the suits it is known to be out of, `held` how many cards it has;
    `hidden` is how many unseen cards nobody plays: the dead hand, a partner who sits out.
    """

    seat: int
    partner: int | None
    opponents: tuple[int, ...]
    declarer: int
    bid: Bid
    trump: int
    hand: int
    playable: tuple[int, ...]
    plays: tuple[tuple[int, int], ...]
    later: tuple[int, ...]
    unseen: int
    voids: tuple[int, ...]
    held: tuple[int, ...]
    hidden: int

    @property
    def trump_suit(self) -> int | None:
        """The trump suit, None when there is none."""
        return self.trump if self.trump < len(SUIT_MASKS[0]) else None

    @property
    def is_declaring(self) -> bool:
        """Whether this seat's side owes the contract."""
        return self.declarer in (self.seat, self.partner)

    @property
    def led(self) -> int | None:
        """The suit led to the trick, None on lead."""
        return self.suit(self.plays[0][1]) if self.plays else None

    def suit(self, card: int) -> int:
        """The suit that a card counts as."""
        return SUIT_NUMBERS[self.trump][card]

    def cards_of(self, suit: int) -> int:
        """Every card that counts as the suit."""
        return SUIT_MASKS[self.trump][suit]

    def strength(self, card: int, led: int) -> int:
        """How strong a card is when a suit was led; 0 cannot win."""
        return STRENGTHS[self.trump][led][card]

    def winning(self) -> tuple[int, int]:
        """The seat that is taking the trick so far, and the strength of its card."""
        led = self.suit(self.plays[0][1])
        seat, card = max(self.plays, key=lambda play: self.strength(play[1], led))
        return seat, self.strength(card, led)

    def better(self, card: int) -> int:
        """The unseen cards that beat this one in its own suit."""
        return self.stronger(card) & self.unseen

    def stronger(self, card: int) -> int:
        """The cards that beat this one in its own suit."""
        suit = self.suit(card)
        return STRONGER[self.trump][suit][self.strength(card, suit)] & self.cards_of(suit)

    def chance_without(self, seat: int, suit: int, cards: int) -> float:
        """How likely it is that a seat holds none of these many unseen cards of a suit."""
        if not cards or self.voids[seat] >> suit & 1:
            return 1.0
        places = self.hidden + sum(
            held
            for other, held in enumerate(self.held)
            if other != self.seat and not self.voids[other] >> suit & 1
        )
        chance, held = 1.0, self.held[seat]
        for taken in range(cards):
            chance *= max(0.0, 1 - held / max(places - taken, held))
        return chance

    def chance_beaten(self, seat: int, led: int, strength: int) -> float:
        """How likely it is that a seat can beat a card of this strength, following or ruffing."""
        stronger = STRONGER[self.trump][led][strength] & self.unseen
        following = (stronger & self.cards_of(led)).bit_count()
        chance = 1 - self.chance_without(seat, led, following)
        trumps = self.trump_suit
        if trumps is None or led == trumps:
            return chance
        ruffs = (stronger & self.cards_of(trumps)).bit_count()
        is_void = self.chance_without(seat, led, (self.cards_of(led) & self.unseen).bit_count())
        return chance + is_void * (1 - self.chance_without(seat, trumps, ruffs))

    def trumps_against(self) -> int:
        """How many trumps the opponents may hold between them."""
        trumps = self.trump_suit
        if trumps is None or all(self.voids[seat] >> trumps & 1 for seat in self.opponents):
            return 0
        return (self.unseen & self.cards_of(trumps)).bit_count()


def cards_of(mask: int) -> list[int]:
    """The cards of a set."""
    return [card for card in range(len(CARDS)) if mask >> card & 1]


def mask_of(cards: list[str]) -> int:
    """The set of these cards."""
    return sum(1 << NUMBERS[card] for card in cards)


class NotOnTurn(ValueError):
    """The view is not of a seat that is to act."""


def read_trick(view: SeatView) -> Reading:
    """What the seat on turn to play a card knows; raises NotOnTurn."""
    you, this = view["you"], view["round"]
    if you is None or this is None or not you["legal_actions"]:
        raise NotOnTurn
    contract, trick = this["contract"], this["trick"]
    if contract is None or contract["trump"] is None or trick is None:
        raise NotOnTurn
    seat, plays = you["seat"], trick["plays"]
    trump = Trump(contract["trump"]).number
    partner, opponents = _company(view, seat, contract["declarer"])
    others = (*opponents, partner) if partner is not None else opponents
    unseen = ALL_CARDS & ~(mask_of(you["hand"]) | _seen(this))
    held = tuple(0 if place["sits_out"] else place["cards"] for place in view["seats"])
    return Reading(
        seat=seat,
        partner=partner,
        opponents=opponents,
        declarer=contract["declarer"],
        bid=Bid(contract["bid"]),
        trump=trump,
        hand=mask_of(you["hand"]),
        playable=tuple(NUMBERS[body["card"]] for body in you["legal_actions"]),
        plays=tuple((play["seat"], NUMBERS[play["card"]]) for play in plays),
        later=_later(view["players"], seat, others, plays),
        unseen=unseen,
        voids=_voids(view["players"], this, trump),
        held=held,
        hidden=unseen.bit_count() - sum(held[other] for other in others),
    )


def _company(view: SeatView, seat: int, declarer: int) -> tuple[int | None, tuple[int, ...]]:
    if view["players"] < 4:
        return None, tuple(other for other in range(view["players"]) if other != seat)
    partner, opponents = (seat + 2) % 4, ((seat + 1) % 4, (seat + 3) % 4)
    if not any(place["sits_out"] for place in view["seats"]):
        return partner, opponents
    return (None, opponents) if seat == declarer else (partner, (declarer,))


def _later(
    players: int, seat: int, others: tuple[int, ...], plays: list[PlayShape]
) -> tuple[int, ...]:
    played = {play["seat"] for play in plays}
    clockwise = ((seat + step) % players for step in range(1, players))
    return tuple(other for other in clockwise if other in others and other not in played)


def _seen(this: RoundShape) -> int:
    seen = 0
    for plays in _all_plays(this):
        seen |= mask_of([play["card"] for play in plays])
    return seen


def _all_plays(this: RoundShape) -> list[list[PlayShape]]:
    plays = [trick["plays"] for trick in this["tricks"]]
    return [*plays, this["trick"]["plays"]] if this["trick"] else plays


def _voids(players: int, this: RoundShape, trump: int) -> tuple[int, ...]:
    suits, voids = SUIT_NUMBERS[trump], [0] * players
    for plays in _all_plays(this):
        followed = [suits[NUMBERS[play["card"]]] for play in plays]
        for play, suit in zip(plays, followed, strict=True):
            if suit != followed[0]:
                voids[play["seat"]] |= 1 << followed[0]
    return tuple(voids)


STRONGER: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(
        tuple(
            sum(1 << card.number for card in CARDS if strengths[card.number] > strength)
            for strength in range(_STRONGEST)
        )
        for strengths in by_suit
    )
    for by_suit in STRENGTHS
)
"""By trump, suit led and strength: the cards that are stronger."""
