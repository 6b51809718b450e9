"""Packing what ended some time ago, a few games at a time. Done twice, it does nothing."""

from collections.abc import Iterable

from events.packer import Packer
from service.game.state import is_over
from service.table import UNREADABLE
from service.wiring import Services
from service.workers.reading import report

AT_ONCE = 5
"""Games that are packed before the ticker looks at its clocks again: some 30 ms of work."""


def pack_finished(parts: Services, shards: Iterable[str]) -> int:
    """Pack the games of some shards that ended longest ago; how many that were."""
    packer, now = Packer(parts.client), parts.store.now()
    until = now - parts.settings.pack_after * 1000
    packed = 0
    for game in packer.ready(shards, until, AT_ONCE):
        try:
            if is_over(parts.table.look(game).game) and packer.pack(game):
                packed += 1
                continue
        except UNREADABLE as fault:
            report(game, fault)
        packer.postpone(game, now)
    return packed
