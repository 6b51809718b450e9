"""A line to a server that breaks at the worst moment."""

import contextlib
import socket
import threading


class AnswerEater:
    """A TCP proxy that lets the server act, then cuts the line before its answer, n times."""

    def __init__(self, target: str, answers_to_eat: int) -> None:
        self._target, self._left = target, answers_to_eat
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def _accept(self) -> None:
        with self._listener, contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                threading.Thread(target=self._pump, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        self._asked = b""
        with client, server, contextlib.suppress(OSError):
            while data := client.recv(65536):
                self._asked = data
                server.sendall(data)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                is_append = b"EVALSHA" in self._asked and not data.startswith(b"-NOSCRIPT")
                if is_append and self._left:
                    self._left -= 1
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(data)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
