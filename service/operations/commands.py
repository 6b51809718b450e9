"""The operator's commands: each reaches the event server, does its work and says how it went."""

import argparse
import sys
from collections.abc import Callable

from service.operations.archive import Damaged
from service.operations.backup import backup
from service.operations.doctor import doctor
from service.operations.progress import games_shown, say
from service.operations.reaching import reached
from service.operations.restore import Refused, erased_players, restore
from service.operations.verify import verify
from service.settings import Settings
from service.wiring import events_client, services
from service.workers.rebuild import rebuild


def _backup(asked: argparse.Namespace, settings: Settings) -> None:
    with reached(settings):
        try:
            keys = backup(services(settings), asked.file)
        except OSError as fault:
            sys.exit(f"pepper: {asked.file}: {fault.strerror or 'it is there already'}")
    say(f"{keys} keys in {asked.file}")


def _restore(asked: argparse.Namespace, settings: Settings) -> None:
    with reached(settings):
        try:
            named = asked.erased.read_text().split() if asked.erased else ()
            games = restore(services(settings), asked.file, named, replace=asked.replace)
        except (Damaged, Refused) as fault:
            sys.exit(f"pepper: {asked.file}: {fault}; nothing was written")
        except OSError as fault:
            sys.exit(f"pepper: {fault.filename}: {fault.strerror}")
    say(f"{games} games")


def _erased(_asked: argparse.Namespace, settings: Settings) -> None:
    with reached(settings):
        for player in sorted(set(erased_players(events_client(settings)))):
            say(player)


def _verify(asked: argparse.Namespace, settings: Settings) -> None:
    with reached(settings):
        sys.exit(not verify(services(settings), asked.game))


def _rebuild(_asked: argparse.Namespace, settings: Settings) -> None:
    with reached(settings):
        parts = services(settings)
        made = rebuild(parts, games_shown(parts.store))
        say(f"{made} games")


def _doctor(_asked: argparse.Namespace, settings: Settings) -> None:
    sys.exit(not doctor(services(settings)))


COMMANDS: dict[str, Callable[[argparse.Namespace, Settings], None]] = {
    "backup": _backup,
    "restore": _restore,
    "erased": _erased,
    "verify": _verify,
    "rebuild": _rebuild,
    "doctor": _doctor,
}
"""What `pepper` runs, by the command's name."""
