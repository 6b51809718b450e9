"""A novice: knows the rules and high cards from low ones, counts nothing, is at times careless."""

from random import Random

from events.vocabulary import Bid, Trump
from service.bots.auction_reading import AuctionReading
from service.bots.reading import Reading, cards_of
from service.rules.ranking import STRENGTHS, SUIT_MASKS
from service.rules.scoring import tricks_owed

TIMID, CARELESS, FORGETS_PARTNER = 0.25, 0.1, 0.3
TRUMP_TRICK, TOP_CARD_TRICK, PARTNERS_TRICKS = 0.75, 0.8, 1.0
_ACE = 6


def call(reading: AuctionReading, random: Random) -> Bid | None:
    """The lowest bid if the hand looks good for it, None to pass."""
    lowest = reading.bids[0] if reading.bids else None
    if lowest is None or not reading.may_pass:
        return lowest
    tricks = guess(reading, name_trump(reading, random)) - (random.random() < TIMID)
    return lowest if tricks >= tricks_owed(lowest, reading.players) else None


def name_trump(reading: AuctionReading, _random: Random) -> Trump:
    """The trump under which the hand looks best."""
    return max(reading.trumps, key=lambda trump: guess(reading, trump))


def guess(reading: AuctionReading, trump: Trump) -> float:
    """How many tricks a hand seems to be good for: its trumps and the top cards beside them."""
    tricks = PARTNERS_TRICKS if reading.players == 4 else 0.0
    for suit, mask in enumerate(SUIT_MASKS[trump.number]):
        held = cards_of(reading.hand & mask)
        if suit == trump.number:
            tricks += TRUMP_TRICK * len(held)
        else:
            strengths = STRENGTHS[trump.number][suit]
            tricks += TOP_CARD_TRICK * sum(strengths[card] == _ACE for card in held)
    return tricks


def play(reading: Reading, random: Random) -> int:
    """High to a trick that is not partner's, low to one that is, now and then anything."""
    if random.random() < CARELESS:
        return random.choice(reading.playable)
    led = reading.led
    if led is None:
        return max(reading.playable, key=lambda card: (_height(reading, card), card))
    lowest = min(reading.playable, key=lambda card: (_height(reading, card), card))
    winner, best = reading.winning()
    if winner == reading.partner and random.random() >= FORGETS_PARTNER:
        return lowest
    highest = max(reading.playable, key=lambda card: reading.strength(card, led))
    return highest if reading.strength(highest, led) > best else lowest


def _height(reading: Reading, card: int) -> int:
    return reading.strength(card, reading.suit(card))
