"""Following suit, and who takes a trick (R15, R16). Cards are numbers, hands bit masks."""

from events.vocabulary import Hand
from service.rules.ranking import STRENGTHS, SUIT_MASKS, SUIT_NUMBERS


def legal_plays(hand: Hand, lead: int | None, trump: int) -> Hand:
    """The cards that may be played to a trick: those that follow suit, or any if none can."""
    if lead is None:
        return hand
    following = hand & SUIT_MASKS[trump][SUIT_NUMBERS[trump][lead]]
    return Hand(following) if following else hand


def strongest(plays: tuple[int, ...], trump: int) -> int:
    """Which play of a trick takes it, counted from the lead."""
    strengths = STRENGTHS[trump][SUIT_NUMBERS[trump][plays[0]]]
    powers = [strengths[card] for card in plays]
    return powers.index(max(powers))
