"""To its last trick no answer names a hidden card: what is hidden is read in the store's log."""

import re
from random import Random
from typing import Any

import orjson
import pytest

from events.vocabulary import CARDS, GameId, cards_in
from service.game.state import Acting
from service.wiring import Services
from tests.api.conftest import Api

NAMED = re.compile(rf"(?<![\w-])(?:{'|'.join(card.value for card in CARDS)})(?![\w-])")
SEATS: dict[int, list[dict[str, str]]] = {
    2: [{"kind": "me"}, {"kind": "open"}],
    3: [{"kind": "me"}, {"kind": "bot", "level": "novice"}, {"kind": "open"}],
    4: [{"kind": "me"}, {"kind": "bot"}, {"kind": "open"}, {"kind": "open"}],
}
BAD_ACTIONS: list[Any] = [
    {"type": "pass", "card": "?"},
    {"type": "play_card", "card": "10H"},
    {"type": "play_card"},
    {"type": "play_card", "card": 3},
    {"type": "name_trump", "trump": "X"},
    {"type": "bid", "bid": "0"},
    {"type": "claim"},
    [],
]


class Watched:
    """A game in play, and what is hidden from each seat right now."""

    def __init__(self, api: Api, parts: Services, players: int) -> None:
        self.api, self._table = api, parts.table
        self.tokens = {0: api.new_player()[1]}
        made = api.new_game(
            self.tokens[0], players=players, seats=SEATS[players], rules={"target_score": 8}
        )
        self.id, self.path = GameId(made["id"]), f"/v1/games/{made['id']}"
        for seat, wish in enumerate(SEATS[players]):
            if wish["kind"] == "open":
                self.tokens[seat] = api.new_player()[1]
                api.post(f"{self.path}/seats/{seat}", token=self.tokens[seat])
        self.checked = 0
        self.stranger = api.new_player()[1]
        self.dealt, self.round = (0, 0), 0
        """The number of the round, and the version that dealt it."""

    def hidden_from(self, seat: int | None) -> set[str]:
        """The cards in others' hands and the dead hand."""
        game = self._table.look(self.id).game
        if not isinstance(game, Acting):
            return set()
        self.round = game.dealt.number
        hands = [hand for other, hand in enumerate(game.hands) if other != seat]
        return {card.value for hand in (*hands, game.dealt.dead_hand) for card in cards_in(hand)}

    def next_turn(self) -> dict[str, Any] | None:
        """The view of the person on turn once bots have played, None at the end."""
        self.api.bots_play(self.id)
        view = self.api.get(self.path).json
        if view["status"] != "in_progress":
            return None
        if view["round"]["number"] != self.dealt[0]:
            dealt = [e for e in self._events() if e["event"]["type"] == "round_dealt"]
            self.dealt = (view["round"]["number"], dealt[-1]["version"])
        own = self.api.get(self.path, token=self.tokens[view["turn"]["seats"][0]]).json
        assert isinstance(own, dict)
        return own

    def _events(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while page := self.api.get(f"{self.path}/events?after={len(found)}").json["items"]:
            found += page
        return found

    def check(self, answer: Any, seat: int | None) -> None:
        """Fails if an answer, headers included, names a card hidden from this seat."""
        hidden = self.hidden_from(seat)
        named = hidden & set(NAMED.findall(f"{answer.headers}\n{this_round(answer, self.round)}"))
        self.checked += 1
        assert not named, (seat, answer.request.url, answer.get_data(as_text=True))


def this_round(answer: Any, number: int) -> str:
    """An answer's text; of past rounds, whose cards are in play again, only what is hidden yet."""
    if answer.mimetype != "application/json":
        return str(answer.get_data(as_text=True))
    document = answer.json
    for place in ("rounds", "items"):
        for past in document.get(place, [])[: number - 1]:
            if "hands" in past:
                shown = [hand for hand in past["hands"] if hand is not None]
                assert len(shown) <= 1
                assert past["dead_hand"] is None
                past.clear()
    last = document.get("last_trick")
    if last and last["round"] < number:
        document["last_trick"] = None
    if "events" in document:
        dealt = [e["version"] for e in document["events"] if e["type"] == "round_dealt"]
        document["events"] = [e for e in document["events"] if e["version"] >= dealt[-1]]
    return orjson.dumps(document).decode()


def questions(game: Watched, version: int, chance: Random) -> list[str]:
    """What anybody may ask about a game in this round."""
    then = chance.randint(game.dealt[1], version)
    seat = chance.randrange(4)
    link = f"/g/{game.id}"
    asked = ["", "?as=spectator", "/rounds", "/replay", f"/replay?seat={seat}", f"?version={then}"]
    asked += [f"/events?after={game.dealt[1] - 1}", f"/events?after={version - 1}&as=spectator"]
    asked += [f"/replay/{then}", f"/replay/{then}?seat={seat}", f"/replay/{then}?seat=all"]
    return [*(f"{game.path}{path}" for path in asked), link, "/v1/games", "/v1/games?player=me"]


def likely(view: dict[str, Any], chance: Random) -> Any:
    """A legal action with which a game comes to an end: low bids, any card."""
    legal = view["you"]["legal_actions"]
    return legal[0] if view["phase"] == "auction" else chance.choice(legal)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_answer_names_a_hidden_card(api: Api, app_services: Services, players: int) -> None:
    game, chance, rounds = Watched(api, app_services, players), Random(players), 0
    while (view := game.next_turn()) is not None:
        rounds = max(rounds, view["round"]["number"])
        api.lobby_notices(game.id)
        viewers = [*game.tokens.items(), (None, None), (None, game.stranger)]
        for seat, token in viewers if rounds < 2 else [chance.choice(viewers)]:
            for url in questions(game, view["version"], chance):
                game.check(api.get(url, token=token), seat)
            game.check(api.get(f"/g/{game.id}", token=token, headers={"Accept": "text/html"}), seat)
            for body in BAD_ACTIONS:
                answer = api.post(f"{game.path}/actions", json=body, token=token)
                assert answer.status_code >= 400
                game.check(answer, seat)
        body = likely(view, chance)
        seat = view["you"]["seat"]
        game.check(api.post(f"{game.path}/actions", json=body, token=game.tokens[seat]), seat)
    assert game.checked > 1000


def test_a_refusal_is_the_same_wherever_the_card_is(api: Api, app_services: Services) -> None:
    game = Watched(api, app_services, 2)
    while (view := game.next_turn()) is not None and view["round"]["number"] == 1:
        token, seat = game.tokens[view["you"]["seat"]], view["you"]["seat"]
        answers = {
            api.post(
                f"{game.path}/actions", json={"type": "play_card", "card": card}, token=token
            ).get_data()
            for card in game.hidden_from(seat)
        }
        assert len(answers) == 1, "one answer for a card in the other hand and in the dead hand"
        api.post(f"{game.path}/actions", json=likely(view, Random(1)), token=token)
