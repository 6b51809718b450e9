"""docs/fair-shuffle.md is what the service and the offline verifier both do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from events.vocabulary import CARDS, GameId
from service.rules.fair_shuffle import commitment, first_dealer, shuffled_deck
from tools.verify_replay import Shuffler

DOCUMENT = Path(__file__).parents[2] / "docs" / "fair-shuffle.md"
VECTORS: list[dict[str, Any]] = json.loads(
    re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[0]
)


def test_there_are_enough_vectors() -> None:
    assert len(VECTORS) >= 10
    assert {len(vector["entropy"]) for vector in VECTORS} == {2, 3, 4}


@pytest.mark.parametrize("vector", VECTORS)
def test_the_service_deals_them(vector: dict[str, Any]) -> None:
    seed, game, entropy = bytes.fromhex(vector["seed"]), GameId(vector["game"]), vector["entropy"]
    assert commitment(seed) == vector["commitment"]
    assert first_dealer(seed, game, entropy, len(entropy)) == vector["first_dealer"]
    deck = [CARDS[card].value for card in shuffled_deck(seed, game, entropy, vector["round"])]
    assert " ".join(deck) == vector["deck"]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_verifier_deals_them(vector: dict[str, Any]) -> None:
    shuffler = Shuffler(bytes.fromhex(vector["seed"]), vector["game"], vector["entropy"])
    assert shuffler.first_dealer(len(vector["entropy"])) == vector["first_dealer"]
    assert " ".join(shuffler.deck(vector["round"])) == vector["deck"]
