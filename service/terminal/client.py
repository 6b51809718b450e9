"""A small client of our own HTTP API, for the terminal."""

import json
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

Json = dict[str, Any]
TIMEOUT = 10


class Refused(Exception):
    """The service answered with a problem; `problem` is its document."""

    def __init__(self, problem: Json) -> None:
        super().__init__(problem.get("detail") or problem.get("title"))
        self.problem = problem


class Client:
    """One player's connection; raises SystemExit if no service answers."""

    def __init__(self, url: str, token: str | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise SystemExit(f"pepper: {url} is no http address")
        self._url, self._token = url.rstrip("/"), token

    def signed_in(self, token: str) -> "Client":
        """The same service, with a token."""
        return Client(self._url, token)

    def get(self, path: str) -> Json:
        """A GET's answer."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: Json) -> Json:
        """A POST's answer; raises Refused."""
        return self._ask("POST", path, body)

    def delete(self, path: str) -> Json:
        """A DELETE's answer; raises Refused."""
        return self._ask("DELETE", path, None)

    def _ask(self, method: str, path: str, body: Json | None) -> Json:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310  (checked in __init__)
            self._url + path, data=data, headers=headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310  (as above)
                return dict(json.load(answer))
        except HTTPError as refused:
            raise Refused(_document(refused)) from None
        except (OSError, HTTPException) as fault:
            raise SystemExit(
                f"pepper: {self._url} does not answer: {getattr(fault, 'reason', fault)} "
                "(`make run` starts it; --url says where it is)"
            ) from None


def _document(refused: HTTPError) -> Json:
    try:
        return dict(json.load(refused))
    except ValueError:
        return {"title": f"HTTP {refused.code}"}
