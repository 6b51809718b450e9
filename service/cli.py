"""The `pepper` command. Each subcommand loads only what it needs."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import cast

from environs import EnvError

from events.vocabulary import BotLevel
from service.embedded import Server, die_with_parent, run_embedded
from service.settings import Durability, Settings, settings_from_environment

Command = Callable[[argparse.Namespace, Settings], None]
DEFAULT_URL = "http://127.0.0.1:8000"
URL_HELP = f"where the service is ({DEFAULT_URL})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one subcommand."""
    asked = _parser().parse_args(arguments)
    if supervisor := os.environ.pop("PEPPER_SUPERVISOR", ""):
        # An RQ worker may lose a SIGTERM while its server goes too, and would wait for it for ever.
        die_with_parent(signal.SIGKILL, int(supervisor))
    try:
        settings = settings_from_environment()
    except EnvError as fault:
        raise SystemExit(f"pepper: {fault}") from None
    cast(Command, asked.run)(asked, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pepper", description="The card game Pepper, served.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Command, about: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(run=run)
        return command

    add("serve", _serve, "Run everything: servers, web, follower and workers.")
    add("web", _web, "Answer HTTP.")
    add("follow", _follow, "Follow the feeds: wake bots, keep lists and inboxes, tell webhooks.")
    add("tick", _tick, "Do what is due: end turns, revive games, go on with what was begun.")
    add("work", _work, "Play bots' turns.")
    add("deliver", _deliver, "Deliver the messages of webhooks.")
    add("rebuild", _rebuild, "Make the lists of games anew from their logs.")
    verify = add("verify", _verify, "Fold every log again; name what cannot be. Exits with 0 or 1.")
    verify.add_argument("game", nargs="*", help="ids of games: all if none is named")
    add("embedded", _embedded, "Run one of the embedded servers.").add_argument(
        "server", choices=("events", "queue")
    )
    play = add("play", _play, "Play a game in the terminal against bots, over HTTP.")
    play.add_argument("--url", default=DEFAULT_URL, help=URL_HELP)
    play.add_argument("--players", type=int, choices=(2, 3, 4), default=4, help="4 if not said")
    play.add_argument("--level", choices=[level.value for level in BotLevel], default="club")
    play.add_argument("--name", help="what you are called")
    simulate = add("simulate", _simulate, "Play whole games of bots, without a server.")
    simulate.add_argument("--players", type=int, choices=(2, 3, 4), default=4, help="4 if not said")
    simulate.add_argument("--games", type=_count, default=100, help="how many: 100 if not said")
    simulate.add_argument("--levels", default="club", help="one level, or one a seat by commas")
    simulate.add_argument("--seed", type=int, default=1, help="the same seed, the same games")
    replay = add("replay", _replay, "Show a game, trick by trick.")
    replay.add_argument("game", help="its id, or its link, of which only the id counts")
    replay.add_argument("--url", default=DEFAULT_URL, help=URL_HELP)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _serve(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.supervise import serve

    serve(settings)


def _web(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.logs import configure_logs
    from service.web_server import run_web

    configure_logs("web")
    run_web(settings)


def _follow(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.logs import configure_logs
    from service.workers.follower import run_follower

    configure_logs("follower")
    run_follower(settings)


def _tick(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.logs import configure_logs
    from service.workers.ticker import run_ticker

    configure_logs("ticker")
    run_ticker(settings)


def _work(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.logs import configure_logs
    from service.workers.jobs import bot_queue
    from service.workers.worker import run_worker

    configure_logs("worker")
    run_worker(settings, bot_queue)


def _deliver(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.logs import configure_logs
    from service.workers.webhook_jobs import webhook_queue
    from service.workers.worker import run_worker

    configure_logs("webhooks")
    run_worker(settings, webhook_queue)


def _rebuild(_asked: argparse.Namespace, settings: Settings) -> None:
    from service.operations.progress import games_shown
    from service.operations.reaching import reached
    from service.wiring import services
    from service.workers.rebuild import rebuild

    with reached(settings):
        parts = services(settings)
        made = rebuild(parts, games_shown(parts.store))
        print(f"{made} games")  # noqa: T201  (the command's output)


def _verify(asked: argparse.Namespace, settings: Settings) -> None:
    from service.operations.reaching import reached
    from service.operations.verify import verify
    from service.wiring import services

    with reached(settings):
        sys.exit(not verify(services(settings), asked.game))


def _embedded(asked: argparse.Namespace, settings: Settings) -> None:
    fsync = "everysec" if settings.durability is Durability.RELAXED else "always"
    run_embedded(cast(Server, asked.server), settings.data, fsync)


def _play(asked: argparse.Namespace, _settings: Settings) -> None:
    from service.terminal.play import play

    play(asked.url, asked.players, asked.level, asked.name)


def _simulate(asked: argparse.Namespace, _settings: Settings) -> None:
    from service.terminal.simulation import simulate

    simulate(asked.players, asked.games, asked.levels.split(","), asked.seed)


def _replay(asked: argparse.Namespace, _settings: Settings) -> None:
    from service.terminal.replay import replay

    replay(asked.url, asked.game)
