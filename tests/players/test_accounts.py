"""Players and tokens in a real store: what a secret opens, what is kept, whose name is shown."""

from collections.abc import Callable
from typing import cast

import pytest
from redis import Redis

from events.vocabulary import PlayerId
from service.players.accounts import SCOPES, Players, PlayerUnknown

NOW = 1_800_000_000_000


def test_a_player_is_there_with_a_token_for_everything(redis_client: Redis) -> None:
    players = Players(redis_client)
    account, token = players.create("Ana", NOW, is_bot=False)
    assert players.get(account.id) == account
    caller = players.caller(token.secret)
    assert caller is not None
    assert (caller.player, caller.token_id, caller.is_bot) == (account.id, token.id, False)
    assert caller.scopes == frozenset(SCOPES)


def test_ids_and_secrets_have_their_shapes_and_never_repeat(redis_client: Redis) -> None:
    players = Players(redis_client)
    made = [players.create(None, NOW, is_bot=False) for _player in range(50)]
    assert all(account.id.startswith("p_") for account, _token in made)
    assert all(token.id.startswith("t_") for _account, token in made)
    assert all(token.secret.startswith("pepper_") for _account, token in made)
    assert len({account.id for account, _token in made}) == 50
    assert len({token.secret for _account, token in made}) == 50


@pytest.mark.parametrize("change", ["", "x", "pepper_", "{secret}x", "{id}", "{player}", "\x00"])
def test_what_is_no_secret_opens_nothing(redis_client: Redis, change: str) -> None:
    players = Players(redis_client)
    account, token = players.create("Ana", NOW, is_bot=False)
    tried = change.format(secret=token.secret, id=token.id, player=account.id)
    assert players.caller(tried) is None


def test_no_key_or_value_holds_a_secret(redis_client: Redis) -> None:
    _account, token = Players(redis_client).create("Ana", NOW, is_bot=False)
    random_part = token.secret.removeprefix("pepper_").encode()
    keys = cast(list[bytes], redis_client.keys("*"))
    assert len(keys) == 3
    assert not any(random_part in key + cast(bytes, redis_client.dump(key)) for key in keys)


def test_a_caller_costs_one_command(redis_client: Redis) -> None:
    players = Players(redis_client)
    _account, token = players.create("Ana", NOW, is_bot=False)
    assert commands_of(redis_client, lambda: players.caller(token.secret)) == 1


def test_names_are_read_once_in_a_while_and_ones_own_change_shows_at_once(
    redis_client: Redis,
) -> None:
    players = Players(redis_client)
    account, _token = players.create("Ana", NOW, is_bot=False)
    assert players.accounts([account.id])[account.id].name == "Ana"
    assert commands_of(redis_client, lambda: players.accounts([account.id])) == 0
    players.rename(account.id, " Anna ")
    assert players.accounts([account.id])[account.id].name == "Anna"
    assert players.get(account.id).name == "Anna"


def test_unknown_players_are_left_out(redis_client: Redis) -> None:
    players = Players(redis_client)
    nobody = PlayerId("p_nobody")
    assert players.accounts([nobody]) == {}
    with pytest.raises(PlayerUnknown):
        players.get(nobody)
    with pytest.raises(PlayerUnknown):
        players.rename(nobody, "Ana")
    assert redis_client.keys("*") == []


def test_a_bad_name_makes_nobody(redis_client: Redis) -> None:
    with pytest.raises(ValueError, match="visible"):
        Players(redis_client).create("\u200d", NOW, is_bot=False)
    assert redis_client.keys("*") == []


def commands_of(client: Redis, act: Callable[[], object]) -> int:
    """How many commands a server handles for something."""

    def handled() -> int:
        info = cast(dict[str, int], client.info("stats"))
        return info["total_commands_processed"]

    before = handled()
    act()
    return handled() - before - 1
