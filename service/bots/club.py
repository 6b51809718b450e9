"""A club player: counts trumps and voids, bids by hand value, knows whose trick is partner's."""

from random import Random

from events.vocabulary import Bid, Trump
from service.bots import club_auction, club_play
from service.bots.auction_reading import AuctionReading
from service.bots.reading import Reading


def call(reading: AuctionReading, _random: Random) -> Bid | None:
    """The call that brings most on average, None to pass."""
    return club_auction.call(reading)


def name_trump(reading: AuctionReading, _random: Random) -> Trump:
    """The trump under which the contract is worth most."""
    return club_auction.name_trump(reading)


def play(reading: Reading, _random: Random) -> int:
    """The card that does most for the side's tricks."""
    return club_play.play(reading)
