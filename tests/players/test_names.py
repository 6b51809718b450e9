"""Names: any script and emoji, as people count characters; nothing that hides or misleads."""

import pytest

from service.players.names import MOST_GRAPHEMES, clean_name

PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
FAMILY = "👩\u200d👩\u200d👧"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "name", ["Ana", "Ζωή", "شکیبا", PERSIAN, "शक्ति", "王 小明", "-", "7", FAMILY, SCOTLAND]
)
def test_a_name_in_any_script_is_kept(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("name", ["\U0001fae8", "\U0001fae9", "Ana \U0001fac6"])
def test_emoji_of_recent_years_are_names(name: str) -> None:
    assert clean_name(name) == name


def test_a_name_is_trimmed_and_composed() -> None:
    assert clean_name(" \u3000 Ame\u0301lie\t") == "Am\u00e9lie"


@pytest.mark.parametrize("grapheme", ["x", "नि", FAMILY])
def test_characters_are_counted_as_people_count_them(grapheme: str) -> None:
    longest = MOST_GRAPHEMES if grapheme != FAMILY else 400 // len(FAMILY.encode())
    assert clean_name(grapheme * longest) == grapheme * longest
    with pytest.raises(ValueError, match="at most"):
        clean_name(grapheme * (longest + 1))


@pytest.mark.parametrize(
    "name",
    [
        "a\nb",
        "a\U000e0061\U000e007f",
        "a\x00b",
        "a\x7fb",
        "a\u0085b",
        "a\u2028b",
        "Ana\u202eanA",
        "\u2066Ana",
        "a\u200fb",
        "a\ufeffb",
        "a\u00adb",
        "a\ud800b",
        "a\ue000b",
        "a\u0378b",
        "a\U000fffffb",
    ],
)
def test_what_hides_or_turns_text_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no control"):
        clean_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "\u3000", "\u200d", "\u0301", "\u3164", "\u2800", "\u115f\u1160", "\ufe0f"]
)
def test_a_name_has_something_to_see(name: str) -> None:
    with pytest.raises(ValueError, match="visible"):
        clean_name(name)
