"""How a club player plays a card: for the trick if it is likely taken, keeping what may take later.

Every card is weighed alike: the chance that the side takes this trick with it, less what the card
may still be good for. So partner's sure trick gets the lowest card, a trick is taken as cheaply as
it can be, and a loser is thrown when there is nothing to win. The weights were fitted by duplicate
matches against themselves.
"""

from service.bots.reading import Reading

MASTER, NEXT_BEST, LOSER = 0.45, 0.25, 0.15
TRUMP_UNDER_EACH_BETTER, RUFF = 0.74, 0.35
DRAW_WITH_MASTER, DRAW_WITH_OTHER, LEAD_TRUMP_AGAINST = 0.6, 0.24, -0.4
PARTNER_TRIES, PARTNER_IS_OVERPLAYED = 0.5, 0.6
LAST_TRICKS, LAST_TRICKS_WORTH = 2, 0.8
CASH = 0.0
CASH_LONG = 0.0
CASH_TRUMP = 0.0
_HIGHER_IS_DEARER = 0.001


def play(reading: Reading) -> int:
    """The card to play."""
    return max(reading.playable, key=lambda card: (value(reading, card), -card))


def value(reading: Reading, card: int) -> float:
    """How good it is to play a card now, in tricks."""
    later = worth_keeping(reading, card)
    if reading.hand.bit_count() <= LAST_TRICKS:
        later *= LAST_TRICKS_WORTH
    now = chance_of_trick(reading, card)
    return now - later if reading.plays else now - later + _plan(reading, card)


def chance_of_trick(reading: Reading, card: int) -> float:
    """How likely it is that the seat's side takes the trick after this card."""
    led = reading.suit(card) if reading.led is None else reading.led
    strength = reading.strength(card, led)
    is_ours = True
    if reading.plays:
        winner, best = reading.winning()
        if best >= strength:
            is_ours, strength = winner == reading.partner, best
    if is_ours:
        return _chance_to_hold(reading, led, strength)
    return _chance_that_partner_takes(reading, led, strength)


def _chance_to_hold(reading: Reading, led: int, strength: int) -> float:
    chance = 1.0
    for seat in reading.later:
        if seat != reading.partner:
            chance *= 1 - reading.chance_beaten(seat, led, strength)
    if reading.partner in reading.later:
        rescue = reading.chance_beaten(reading.partner, led, strength)
        chance += (1 - chance) * rescue * PARTNER_TRIES
    return chance


def _chance_that_partner_takes(reading: Reading, led: int, strength: int) -> float:
    if reading.partner not in reading.later:
        return 0.0
    chance = reading.chance_beaten(reading.partner, led, strength)
    return chance if reading.later[-1] == reading.partner else chance * PARTNER_IS_OVERPLAYED


def worth_keeping(reading: Reading, card: int) -> float:
    """What a card may still be good for in a later trick, in tricks."""
    suit = reading.suit(card)
    better = reading.better(card).bit_count()
    dearer = _HIGHER_IS_DEARER * reading.strength(card, suit)
    if suit == reading.trump_suit:
        return max(TRUMP_UNDER_EACH_BETTER**better, RUFF) + dearer
    held = reading.hand & reading.cards_of(suit)
    if not better:
        return MASTER + dearer
    is_guarded = held.bit_count() > better == 1 and not held & reading.stronger(card)
    return (NEXT_BEST if is_guarded else LOSER) + dearer


def _plan(reading: Reading, card: int) -> float:
    if reading.suit(card) != reading.trump_suit:
        return 0.0
    if not reading.is_declaring:
        return LEAD_TRUMP_AGAINST
    if reading.declarer != reading.seat or not reading.trumps_against():
        return 0.0
    return DRAW_WITH_OTHER if reading.better(card) else DRAW_WITH_MASTER
