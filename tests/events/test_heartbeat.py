"""Heartbeats: a gap between two is an outage, and time in it is known."""

from redis import Redis

from events.heartbeat import LONGEST_GAP, Heartbeat

BEAT, OUTAGES = "pepper:{3}:beat", "pepper:{3}:outages"


def last_beat(client: Redis) -> int:
    return int(client.get(BEAT) or 0)


def test_before_any_beat_the_service_is_not_there(redis_client: Redis) -> None:
    assert not Heartbeat(redis_client).is_fresh("3", 0)


def test_a_beat_is_fresh_for_a_while(redis_client: Redis) -> None:
    heartbeat = Heartbeat(redis_client)
    heartbeat.beat()
    at = last_beat(redis_client)
    assert heartbeat.is_fresh("3", at + LONGEST_GAP)
    assert not heartbeat.is_fresh("3", at + LONGEST_GAP + 1)


def test_beats_in_time_are_no_outage(redis_client: Redis) -> None:
    heartbeat = Heartbeat(redis_client)
    heartbeat.beat()
    heartbeat.beat()
    assert heartbeat.away("3", 0, 2**50) == 0


def test_a_gap_is_an_outage(redis_client: Redis) -> None:
    heartbeat = Heartbeat(redis_client)
    heartbeat.beat()
    began = last_beat(redis_client) - 10_000
    redis_client.set(BEAT, began)
    heartbeat.beat()
    ended = last_beat(redis_client)
    assert heartbeat.away("3", 0, 2**50) == ended - began
    assert heartbeat.away("3", began + 2000, ended - 500) == ended - began - 2500
    assert heartbeat.away("3", ended, ended + 5000) == 0
    assert heartbeat.away("4", 0, 2**50) == 0


def test_a_beat_of_a_store_whose_clock_went_back_moves_nothing_back(redis_client: Redis) -> None:
    heartbeat = Heartbeat(redis_client)
    heartbeat.beat()
    ahead = last_beat(redis_client) + 60_000
    redis_client.set(BEAT, ahead)
    heartbeat.beat()
    assert last_beat(redis_client) == ahead
    assert redis_client.zcard(OUTAGES) == 0
