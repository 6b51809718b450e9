"""Leases: one owner a shard, and another soon after it is gone."""

from redis import Redis

from events.leases import LEASE_MS, Leases, lease_key
from events.vocabulary import SHARDS


class Time:
    """A clock that a test turns on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def leases(client: Redis, owner: str) -> tuple[Leases, Time]:
    time = Time()
    return Leases(client, "ticker", owner, time), time


def test_one_owner_has_all_and_another_none(redis_client: Redis) -> None:
    one, other = leases(redis_client, "one")[0], leases(redis_client, "other")[0]
    assert one.held() == frozenset(SHARDS)
    assert other.held() == frozenset()


def test_a_lease_is_renewed_before_it_runs_out(redis_client: Redis) -> None:
    one, time = leases(redis_client, "one")
    one.held()
    redis_client.pexpire(lease_key("7", "ticker"), 600)
    one.held()
    assert int(redis_client.pttl(lease_key("7", "ticker"))) <= 600
    time.now += LEASE_MS / 3000
    one.held()
    assert int(redis_client.pttl(lease_key("7", "ticker"))) > 600


def test_what_ran_out_goes_to_another(redis_client: Redis) -> None:
    (one, time), (other, _time) = leases(redis_client, "one"), leases(redis_client, "other")
    one.held()
    redis_client.delete(lease_key("7", "ticker"))
    assert other.held() == {"7"}
    time.now += LEASE_MS / 3000
    assert one.held() == frozenset(SHARDS) - {"7"}


def test_what_is_given_back_is_free_at_once(redis_client: Redis) -> None:
    one, other = leases(redis_client, "one")[0], leases(redis_client, "other")[0]
    one.held()
    other.held()
    other.release()
    one.release()
    assert other.held() == frozenset(SHARDS)
