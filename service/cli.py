"""The `pepper` command. Each subcommand loads only what it needs."""

import argparse
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
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
    _add_operations(add)
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


def _add_operations(add: Callable[[str, Command, str], argparse.ArgumentParser]) -> None:
    def operation(name: str, about: str) -> argparse.ArgumentParser:
        return add(name, _operation(name), about)

    operation("doctor", "Say what is wrong with this installation, and what to do.")
    operation("rebuild", "Make anew what follows from the logs; the service may run.")
    verify = operation("verify", "Fold every log again; name what cannot be. Exits with 0 or 1.")
    verify.add_argument("game", nargs="*", help="ids of games: all if none is named")
    backup = operation("backup", "Write all games and players to a file; the service may run.")
    backup.add_argument("file", type=Path, help="where to; it must not be there yet")
    restore = operation("restore", "Put back what a backup holds; only the servers may run.")
    restore.add_argument("file", type=Path, help="what `pepper backup` wrote")
    restore.add_argument("--replace", action="store_true", help="drop what is in the store")
    restore.add_argument(
        "--erased", type=Path, help="ids of players to erase again, as `pepper erased` prints them"
    )
    operation("erased", "Print the ids of all erased players.")


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


def _operation(name: str) -> Command:
    def run(asked: argparse.Namespace, settings: Settings) -> None:
        from service.operations import commands

        commands.COMMANDS[name](asked, settings)

    return run


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
