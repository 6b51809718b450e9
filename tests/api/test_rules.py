"""The rules sheet says what the rules say; the numbers here are the box's, not the code's."""

from typing import Any

import pytest

from service.api.rules_text import MEANINGS, VALUE_MEANINGS, rules_sheet, rules_text
from service.rules.house_rules import HouseRules, options

NUMBERS = {2: "1234567", 3: "1234567", 4: "12345"}
HAND = {2: 8, 3: 8, 4: 6}
SHEET = rules_sheet()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bids_are_worth_what_the_rules_say(players: int) -> None:
    hand = HAND[players]

    def worth(bid: str, tricks: int, made: int | None, flat: int, by_bid: int) -> dict[str, Any]:
        failed = {"flat": flat, "bid": by_bid}
        return {"bid": bid, "tricks": tricks, "made": made, "failed": failed}

    assert SHEET["scoring"][str(players)] == [
        *(worth(number, int(number), None, -hand, -int(number)) for number in NUMBERS[players]),
        worth("small_pepper", hand, None, -hand, -hand),
        worth("big_pepper", hand, 2 * hand, -2 * hand, -2 * hand),
    ]


def test_partners_face_each_other() -> None:
    assert SHEET["sides"] == {"2": [[0], [1]], "3": [[0], [1], [2]], "4": [[0, 2], [1, 3]]}


def test_every_house_rule_and_every_value_has_a_meaning() -> None:
    assert MEANINGS.keys() == options(HouseRules()).keys() == SHEET["options"].keys()
    for name, option in SHEET["options"].items():
        values = [str(value).lower() for value in option.get("values", [])]
        assert list(VALUE_MEANINGS.get(name, {})) == values, name


def test_the_text_tells_every_house_rule_and_every_other_value() -> None:
    told = rules_text()
    for name, option in SHEET["options"].items():
        assert f"`{name}`" in told
        for value in option.get("values", []):
            assert value == option["default"] or value is True or f"`{value}`" in told
