"""Streams that patterns find, over a real client and the embedded Kinesis."""

from typing import Any

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.kinesis.errors import StreamForbidden
from firnline_ingest.kinesis.matching import PatternsOverlap, all_pipelines, list_streams, resolved
from firnline_local.kinesis import FakeKinesis
from tests.fakes import configs
from tests.fakes.kinesis import client_of, faults_of, only_counted, refused


class Account:
    def __init__(self) -> None:
        self.kinesis = FakeKinesis()
        self.client = client_of(self.kinesis)

    def has(self, *streams: str) -> "Account":
        for stream in streams:
            self.kinesis.create_stream(stream)
        return self


def config(*patterns: str, **options: Any) -> EngineConfig:
    return configs.config(patterns=[configs.matching(pattern, **options) for pattern in patterns])


@pytest.fixture
def account() -> Account:
    return Account()


def test_more_streams_than_a_page_holds_are_all_found(account: Account) -> None:
    names = [f"s{number:03}" for number in range(250)]
    account.has(*names)
    account.kinesis.faults.replace([only_counted("ListStreams")])
    assert sorted(list_streams(account.client).names) == names
    (counted,) = faults_of(account.kinesis)
    assert counted["calls"] == 3


def test_named_streams_and_those_that_match_are_read_and_no_others(account: Account) -> None:
    account.has("events", "clicks-eu", "clicks-us", "other")
    found = all_pipelines(config("clicks-.*", table="CLICKS"), account.client)
    assert [(each.stream, each.table) for each in found] == [
        ("events", None),
        ("clicks-eu", "CLICKS"),
        ("clicks-us", "CLICKS"),
    ]
    told = resolved(config("clicks-.*"), account.client)
    assert (len(told.pipelines), told.patterns) == (3, [])


def test_an_overlap_is_refused_with_both_patterns_and_the_stream_that_shows_it(account: Account) -> None:
    account.has("clicks-eu", "clicks-us")
    with pytest.raises(PatternsOverlap) as refused:
        all_pipelines(config("clicks-.*", ".*-us"), account.client)
    assert all(part in refused.value.what for part in ("'clicks-.*'", "'.*-us'", "'clicks-us'"))


def test_a_right_that_is_missing_is_named(account: Account) -> None:
    account.kinesis.faults.replace([refused("ListStreams", "AccessDeniedException")])
    with pytest.raises(StreamForbidden, match="kinesis:ListStreams"):
        list_streams(account.client)
