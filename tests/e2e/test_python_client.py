"""A Python client made from openapi.yaml by a generator, with nothing added by hand."""

import compileall
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.api.spec import METHODS, spec
from tests.e2e.running import Running

ROOT = Path(__file__).parents[2]
GENERATE = [str(Path(sys.executable).with_name("openapi-python-client")), "generate"]
SOURCES = ["--path", str(ROOT / "openapi.yaml")]
SOURCES += ["--config", str(ROOT / "tests" / "clients" / "python" / "generator.yaml")]
NAMES = {
    "Arabic": "ليلى بنت عمر",
    "Hebrew": "רות 7",
    "Han": "王小明",
    "Devanagari": "अनुष्का",
    "Thai": "น้ำผึ้ง",
    "Greek": "Ἀθηνᾶ",
    "Hangul": "김하늘",
    "Amharic": "ሰላም",
    "a family of emoji": "👩‍👩‍👧‍👦 & 🃏",
    "flags and skin": "🇮🇸🏴󠁧󠁢󠁷󠁬󠁳󠁿👍🏽",
    "markup": "<b>Ana</b> \"'\\&amp;",
    "outside the first plane": "𐌰𐌽𐌰 𓆣",
}

Operation = Callable[[str], Any]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The generated package's folder, on the path; a warning of the generator is an error."""
    folder = tmp_path_factory.mktemp("generated")
    target = ["--meta", "none", "--output-path", str(folder / "pepper_client")]
    made = subprocess.run(
        [*GENERATE, *SOURCES, *target, "--fail-on-warning"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield folder / "pepper_client"
    sys.path.remove(str(folder))


@pytest.fixture
def operation(generated: Path) -> Operation:
    """Gives an operation's module by `<tag>.<name>`."""
    return lambda name: import_module(f"pepper_client.api.{name}")


@pytest.fixture
def models(generated: Path) -> Any:
    return import_module("pepper_client.models")


@pytest.fixture
def anybody(generated: Path, running: Running) -> Iterator[Any]:
    """A client without a token."""
    with import_module("pepper_client").Client(running.url) as client:
        yield client


@pytest.fixture
def join(running: Running, anybody: Any, operation: Operation, models: Any) -> Iterator[Any]:
    """Makes a player of a name: the player, and a client with their token."""
    package, create = import_module("pepper_client"), operation("players.create_player").sync
    with ExitStack() as clients:

        def make(name: str) -> tuple[Any, Any]:
            made = create(client=anybody, body=models.NewPlayer(name=name))
            client = package.AuthenticatedClient(running.url, made.token, timeout=30.0)
            return made.player, clients.enter_context(client)

        yield make


def test_every_operation_is_generated_and_compiles(generated: Path) -> None:
    assert compileall.compile_dir(str(generated), quiet=1)
    made = {file.stem for file in (generated / "api").glob("*/*.py")} - {"__init__"}
    assert made == {
        re.sub("([A-Z])", lambda capital: f"_{capital[1].lower()}", item[method]["operationId"])
        for item in spec()["paths"].values()
        for method in METHODS
        if method in item
    }


def test_it_plays_a_whole_game_against_the_bots(
    operation: Operation, models: Any, join: Any
) -> None:
    player, client = join("Ana")
    wish = models.NewGame(
        players=models.NewGamePlayers.VALUE_4, rules=models.ChosenRules(target_score=10)
    )
    view = operation("games.create_game").sync(client=client, body=wish)
    assert isinstance(view, models.View)
    assert view.seats[0].player.id == player.id
    final = _played(operation, models, client, view)
    assert final.status is models.Status.FINISHED
    replay = operation("replays.get_replay").sync(final.id, client=client)
    assert replay.scores == final.scores
    assert [event.version for event in replay.events] == list(range(1, final.version + 1))


def _played(operation: Operation, models: Any, client: Any, view: Any) -> Any:
    """The view of a game at its end: always the first legal action, each on the version seen."""
    while view.status is models.Status.IN_PROGRESS:
        if view.you.legal_actions:
            view = operation("play.act").sync(
                view.id,
                client=client,
                body=view.you.legal_actions[0],
                if_match=f'"{view.version}"',
                prefer="wait=20",
            )
            assert isinstance(view, models.View), view
        else:
            wait = {"after": view.version, "wait": 20}
            operation("replays.get_events").sync(view.id, client=client, **wait)
            view = operation("games.get_game").sync(view.id, client=client)
    return view


def test_a_refusal_is_a_problem_with_its_code(
    operation: Operation, models: Any, anybody: Any, join: Any
) -> None:
    _player, client = join("Ana")
    missing = operation("games.get_game").sync_detailed("g_0none", client=client)
    assert missing.status_code == 404
    assert isinstance(missing.parsed, models.Problem)
    assert missing.parsed.code is models.ProblemCode.GAME_UNKNOWN
    unnamed = operation("players.get_me").sync(client=anybody)
    assert unnamed.code is models.ProblemCode.TOKEN_MISSING


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_name_in_any_script_comes_back_as_it_went_in(
    name: str, operation: Operation, models: Any, anybody: Any, join: Any
) -> None:
    player, client = join(name)
    assert player.name == name
    assert operation("players.get_player").sync(player.id, client=anybody).name == name
    body = models.NewGame(players=models.NewGamePlayers.VALUE_2)
    game = operation("games.create_game").sync(client=client, body=body)
    seen = operation("games.get_game").sync(game.id, client=anybody)
    assert [seat.player.name for seat in seen.seats if seat.player] == [name]
    operation("players.rename_me").sync(client=client, body=models.Rename(name=name[::-1].strip()))
    operation("players.rename_me").sync(client=client, body=models.Rename(name=name))
    assert operation("players.get_me").sync(client=client).name == name
