"""Players' own streams and turns over real processes: nothing is lost, whatever ends or is cut."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.e2e.listeners import Listener, cut_again_and_again
from tests.e2e.running import Running, eventually, service
from tests.e2e.tables import act, new_game, play

PATH = "/v1/me"
LAST = "0-0"


@pytest.fixture(scope="module")
def own() -> Iterator[Running]:
    with service() as started:
        yield started


def heard(listener: Listener, path: str | None = None) -> list[str]:
    """What a listener was told of a game, or of all games."""
    game = path and path.rpartition("/")[2]
    bodies = [frame.body for frame in listener.events()]
    return [body["topic"] for body in bodies if game in (None, body["game"])]


def end(listeners: list[Listener]) -> None:
    """Let them go: a player's stream does not end by itself."""
    for listener in listeners:
        listener.last = "end"
        listener.cut(0)
    for listener in listeners:
        listener.join(30)


def test_clients_cut_again_and_again_hear_what_one_that_is_not_hears(own: Running) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    steady = [Listener(own, PATH, token, LAST) for token in (ana, ben)]
    cut = [Listener(own, PATH, token, LAST) for token in [ana, ben] * 3]
    paths = []
    for _ in range(3):
        paths.append(new_game(own, ana, "me", "open", "bot", target=4))
        own.ask("POST", f"{paths[-1]}/seats", token=ben)
    games = [threading.Thread(target=play, args=(own, path, [ana, ben], 0.1)) for path in paths]
    for game in games:
        game.start()
    cut_again_and_again(cut, lambda: not any(game.is_alive() for game in games))
    everybody = [*steady, *cut]
    eventually(
        lambda: all(Counter(heard(each))["finished"] == len(paths) for each in everybody),
        "every end",
    )
    end(everybody)
    for number, listener in enumerate(cut):
        assert listener.events() == steady[number % 2].events()
        assert listener.connections > 1
    for listener in steady:
        ids = [tuple(map(int, str(frame.id).split("-"))) for frame in listener.events()]
        assert ids == sorted(set(ids))
        for path in paths:
            assert Counter(heard(listener, path))["started"] == 1
            assert "your_turn" in heard(listener, path)


@pytest.mark.parametrize("name", ["gunicorn", "follow"])
def test_what_happens_while_a_process_stands_still_is_heard_after(own: Running, name: str) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    path = new_game(own, ana, "me", "open", "open")
    listener = Listener(own, PATH, ana, LAST)
    eventually(lambda: listener.connections == 1, "the stream")
    pids = sorted(own.children(name))
    for pid in pids[-1:]:
        os.kill(pid, signal.SIGSTOP)
    resume = threading.Timer(3, os.kill, (pids[-1], signal.SIGCONT))
    resume.start()
    own.ask("POST", f"{path}/seats", token=ben)
    eventually(lambda: "seat_taken" in heard(listener, path), "the bell")
    resume.join()
    end([listener])


@pytest.mark.parametrize("name", ["follow", "events unixsocket"])
def test_what_happens_while_a_process_is_restarted_is_heard_after(own: Running, name: str) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    path = new_game(own, ana, "me", "open")
    listener = Listener(own, PATH, ana, LAST)
    eventually(lambda: listener.connections == 1, "the stream")
    os.kill(own.children(name)[0], signal.SIGKILL)
    sat = 0
    deadline = time.monotonic() + 30
    while sat != 200 and time.monotonic() < deadline:
        sat = own.ask("POST", f"{path}/seats", token=ben)[0]
        time.sleep(0.1)
    eventually(lambda: {"seat_taken", "started"} <= {*heard(listener, path)}, "the bell")
    end([listener])


def test_a_worker_that_ends_sends_its_streams_and_waits_elsewhere(own: Running) -> None:
    token = own.join("Ana")
    listener = Listener(own, PATH, token, LAST)
    eventually(lambda: listener.connections == 1, "the stream")
    answers: list[tuple[int, object]] = []
    path = "/v1/me/turns?after=0-0&wait=9"
    waiting = threading.Thread(target=lambda: answers.append(own.ask("GET", path, token=token)))
    waiting.start()
    time.sleep(0.5)
    began = time.monotonic()
    os.kill(min(own.children("gunicorn")), signal.SIGHUP)
    eventually(lambda: bool(listener.of_type("reconnect")), "to be sent away", 10)
    waiting.join()
    assert time.monotonic() - began < 3
    assert listener.of_type("reconnect")[0].body["reason"] == "closing"
    assert answers == [(200, {"items": [], "cursor": "0-0"})]
    eventually(lambda: listener.connections > 1, "another connection")
    game = new_game(own, token, "me", "bot")
    eventually(lambda: "started" in heard(listener, game), "the bell")
    end([listener])


def test_a_turn_that_begins_answers_who_waits_for_it(own: Running) -> None:
    ana, ben = own.join("Ana"), own.join("Ben")
    path, seen = new_game(own, ana, "me", "open"), 0
    own.ask("POST", f"{path}/seats", token=ben)
    cursors = dict.fromkeys((ana, ben), LAST)
    while seen < 12:
        for token in (ana, ben):
            query = f"/v1/me/turns?after={cursors[token]}&wait=1"
            page = own.ask("GET", query, token=token)[1]
            cursors[token] = page["cursor"]
            for item in page["items"]:
                assert item["view"]["you"]["legal_actions"]
                act(own, path, [token])
                seen += 1


def test_two_workers_of_one_player_play_each_turn_once(own: Running) -> None:
    token = own.join("Ana")
    path = new_game(own, token, "me", "bot", target=2)
    answers: list[tuple[int, int]] = []

    def work() -> None:
        cursor = LAST
        while own.ask("GET", path)[1]["status"] == "in_progress":
            page = own.ask("GET", f"/v1/me/turns?after={cursor}&wait=1", token=token)[1]
            cursor = page["cursor"]
            for item in page["items"]:
                address, body = f"/v1/games/{item['game']}/actions", item["view"]["you"]
                matching = {"If-Match": str(item["version"])}
                status, _said = own.ask(
                    "POST", address, body["legal_actions"][0], token, **matching
                )
                answers.append((item["version"], status))

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    done = [version for version, status in answers if status == 200]
    assert len(done) == len(set(done)) > 5
    assert {status for _version, status in answers} <= {200, 409, 412}
