"""The browser's example of a stream, run by Node: cut in the middle of a frame, it goes on."""

import contextlib
import json
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import Json, Running
from tests.e2e.tables import new_game
from tests.e2e.test_examples import EXAMPLES, node

FOLLOW = """
const [module, game, token] = process.argv.slice(1);
const { frames } = await import(module);
for await (const frame of frames(game, { token, after: 0 })) console.log(JSON.stringify(frame));
"""
CUT_IN = 6
EVENT = b'{"type":"event"'


class CutOnce:
    """A TCP proxy that loses its first connection in the middle of an event."""

    def __init__(self, target: str, event: int) -> None:
        host, _, port = target.removeprefix("http://").partition(":")
        self._target, self._event = (host, int(port)), event
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked: list[str] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def _accept(self) -> None:
        with self._listener, contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                self._serve(client)

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as self._server:
            asked = client.recv(65536)
            self.asked.append(asked.decode())
            self._server.sendall(asked)
            with contextlib.suppress(OSError):
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        said = b""
        while data := self._server.recv(65536):
            said += data
            parts = said.split(EVENT)
            if len(self.asked) == 1 and len(parts) > self._event:
                kept = len(EVENT.join([*parts[: self._event], b""]))
                client.sendall(data[: kept - len(said)] if kept < len(said) else data)
                return
            client.sendall(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()


@pytest.fixture
def line(running: Running) -> Iterator[CutOnce]:
    made = CutOnce(running.url, CUT_IN)
    yield made
    made.close()


def followed(game: str, token: str) -> list[Json]:
    """The frames of a whole game, as the example gives them."""
    module = (EXAMPLES / "stream.mjs").as_uri()
    command = [node(), "--input-type=module", "-e", FOLLOW, module, game, token]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(said) for said in ended.stdout.splitlines()]


def test_it_goes_on_where_it_was_cut(running: Running, line: CutOnce) -> None:
    token = running.join("Ana")
    path = new_game(running, token, "me", "bot")
    running.ask("DELETE", f"{path}/seats/0", token=token)
    *events, end = followed(line.url + path, token)
    version = running.ask("GET", path)[1]["version"]
    assert [frame["version"] for frame in events] == list(range(1, version + 1))
    assert end["type"] == "end"
    sent = [re.findall(r"last-event-id: (\d+)", asked, re.IGNORECASE) for asked in line.asked]
    assert sent == [["0"], [str(CUT_IN - 1)]]


def test_it_says_why_it_is_refused(running: Running) -> None:
    path = new_game(running, running.join("Ana"), "me", "open")
    with pytest.raises(AssertionError, match="token"):
        followed(running.url + path, "pepper_nobody")


def test_the_page_is_whole(tmp_path: Path) -> None:
    page = (EXAMPLES / "stream.html").read_text()
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert re.findall(r"""(?:from|src=|href=)\s*["'](.*?)["']""", page) == ["./stream.mjs"]
    (tmp_path / "page.mjs").write_text(script)
    checked = subprocess.run([node(), "--check", tmp_path / "page.mjs"], capture_output=True)
    assert checked.returncode == 0, checked.stderr
