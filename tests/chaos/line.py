"""The line between the service and its event server: it cuts after the append, before the answer.

`python -m tests.chaos.line SERVER LINE EACH SEED CUTS`: one in EACH answers to scripts is eaten and
its connection cut, and a byte is added to the file CUTS.
"""

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from pathlib import Path
from random import Random

CHUNK = 65536
BROKEN = (OSError, asyncio.IncompleteReadError)


class Line:
    """A proxy between two unix sockets."""

    def __init__(self, server: str, each: int, chance: Random, cuts: Path) -> None:
        self._server, self._each, self._chance, self._cuts = server, each, chance, cuts

    async def serve(self, path: Path) -> None:
        """Hand bytes on for ever."""
        path.unlink(missing_ok=True)
        listening = await asyncio.start_unix_server(self._connected, path)
        await listening.serve_forever()

    async def _connected(self, asking: StreamReader, answering: StreamWriter) -> None:
        try:
            answers, requests = await asyncio.open_unix_connection(self._server)
        except OSError:
            answering.transport.abort()
            return
        asked = _Asked()
        both = [
            asyncio.ensure_future(self._hand_on(asking, requests, asked)),
            asyncio.ensure_future(self._answer(answers, answering, asked)),
        ]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        requests.transport.abort()
        answering.transport.abort()

    async def _hand_on(self, asking: StreamReader, requests: StreamWriter, asked: "_Asked") -> None:
        with suppress(*BROKEN):
            while data := await asking.read(CHUNK):
                asked.is_script = b"EVALSHA" in data
                requests.write(data)
                await requests.drain()

    async def _answer(
        self, answers: StreamReader, answering: StreamWriter, asked: "_Asked"
    ) -> None:
        with suppress(*BROKEN):
            while data := await answers.read(CHUNK):
                has_run = asked.is_script and not data.startswith(b"-NOSCRIPT")
                if has_run and self._chance.random() * self._each < 1:
                    with self._cuts.open("ab") as cuts:
                        cuts.write(b".")
                    return
                answering.write(data)
                await answering.drain()


class _Asked:
    """Whether what a connection asked last was a script."""

    is_script = False


def main() -> None:
    """Be the line until killed."""
    server, path, each, seed, cuts = sys.argv[1:]
    line = Line(server, int(each), Random(seed), Path(cuts))
    asyncio.run(line.serve(Path(path)))


if __name__ == "__main__":
    main()
