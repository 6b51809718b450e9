"""Settings: what holds where nothing is set."""

import pytest

from service.settings import Durability, settings_from_environment


@pytest.mark.parametrize("said", [None, "fsync", "relaxed", "replicated"])
def test_the_promise_is_one_of_three(said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PEPPER_DURABILITY", raising=False)
    if said is not None:
        monkeypatch.setenv("PEPPER_DURABILITY", said)
    promised = settings_from_environment().durability
    assert promised is (Durability.FSYNC if said is None else Durability(said))
