"""No byte that anybody receives during a round names a card that they may not know."""

import re
from typing import Any

import pytest

from events.vocabulary import Card
from tests.api.conftest import Api

SPELLED = re.compile(rb"(?<![A-Za-z0-9_-])(" + "|".join(Card).encode() + rb")(?![A-Za-z0-9_-])")
FREE = re.compile(rb'"[gpt]_[A-Za-z0-9_-]+"|"[0-9a-f]{64}"')


def named(answer: Any) -> set[str]:
    """Every card that an answer names: status line, headers and body, ids and hashes left out."""
    raw = str(answer.headers).encode() + b"\n" + answer.get_data()
    return {found.decode() for found in SPELLED.findall(FREE.sub(b"", raw))}


class Watcher:
    """A seat or a spectator, and the cards that they may know of each round."""

    def __init__(self, api: Api, path: str, token: str | None) -> None:
        self._api, self._path, self._token = api, path, token

    def answers(self, version: int) -> list[Any]:
        """Everything that can be asked about the game, refused questions included."""
        paths = [
            "", "?as=spectator", "/events", f"/events?after={max(0, version - 5)}", "/rounds",
            "/replay", "/replay?seat=0", "/replay?seat=1", "/replay?seat=all",
            f"?version={version}", f"?version={max(1, version - 1)}", f"/replay/{version}",
            f"/replay/{version}?seat=0", f"/replay/{version}?seat=1", f"/replay/{version}?seat=all",
        ]  # fmt: skip
        answers = [self._api.get(f"{self._path}{path}", token=self._token) for path in paths]
        link = f"/g/{self._path.rpartition('/')[2]}"
        answers.append(self._api.get(link, headers={"Accept": "text/html"}, token=self._token))
        for body in (
            {"type": "pass"},
            {"type": "bid", "bid": "1"},
            {"type": "name_trump", "trump": "low"},
        ):
            if self._token is None:
                answers.append(self._api.post(f"{self._path}/actions", json=body))
        return answers


def public_cards(view: dict[str, Any]) -> set[str]:
    """The cards of a spectator's view: this round's and the last trick's."""
    played = view["round"] or {"trick": None, "tricks": []}
    tricks = [*played["tricks"], played["trick"] or {"plays": []}]
    tricks.append(view["last_trick"] or {"plays": []})
    return {play["card"] for trick in tricks for play in trick["plays"]}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_game_names_no_hidden_card(api: Api, players: int) -> None:
    _one, token = api.new_player("One")
    _two, other = api.new_player("Two")
    seats = [{"kind": "me"}, {"kind": "open"}, *({"kind": "bot"} for _seat in range(players - 2))]
    rules = {"target_score": 1, "no_trump": "high_low"}
    view = api.new_game(token, players=players, seats=seats, rules=rules)
    path = f"/v1/games/{view['id']}"
    view = api.post(f"{path}/seats", token=other).json
    watchers = {None: Watcher(api, path, None), 0: Watcher(api, path, token)}
    looked = 0
    while view["status"] == "in_progress" and view["round"]["number"] == 1:
        open_view = api.get(path).json
        allowed = public_cards(open_view)
        hand = api.get(path, token=token).json["you"]["hand"]
        for seat, watcher in watchers.items():
            known = allowed | (set(hand) | set(_dealt(api, path, token)) if seat == 0 else set())
            for answer in watcher.answers(open_view["version"]):
                assert named(answer) <= known, (seat, answer.request.path, answer.get_data())
                looked += 1
        view = _step(api, path, [token, other], view)
    assert looked > 300


def _dealt(api: Api, path: str, token: str) -> list[str]:
    """Seat 0's own cards as dealt."""
    hands = api.get(f"{path}/rounds", token=token).json["items"][-1]["hands"]
    assert [hand is None for hand in hands[1:]] == [True] * (len(hands) - 1)
    return list(hands[0])


def _step(api: Api, path: str, tokens: list[str], view: dict[str, Any]) -> dict[str, Any]:
    seat = view["turn"]["seats"][0]
    if seat >= len(tokens):
        api.bots_play(path.rpartition("/")[2])
    else:
        own = api.get(path, token=tokens[seat]).json
        refused = api.post(
            f"{path}/actions", json={"type": "name_trump", "trump": "low"}, token=tokens[1 - seat]
        )
        assert not named(refused)
        action = own["you"]["legal_actions"][-1 if own["phase"] == "play" else 0]
        api.post(f"{path}/actions", json=action, token=tokens[seat])
    return dict(api.get(path).json)
