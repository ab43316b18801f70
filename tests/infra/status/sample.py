"""An environment's status as an operator may meet it: for the page's tests, and for the pictures in the documentation."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from firnline_infra.redshift.status import ViewStatus
from firnline_infra.rollout.records import DeploymentRecord, Outcome
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.status.history import History
from firnline_infra.status.model import (
    CheckStatus,
    EnvironmentStatus,
    IncidentStatus,
    LetterReason,
    LetterStatus,
    ServiceStatus,
    ShardStatus,
)
from firnline_infra.status.reader import StatusReader
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, MinuteCounts

AT = datetime(2026, 11, 23, 14, 5, 12, tzinfo=UTC)
DAY_S = 86_400
VIEW = ViewStatus(
    name="public.orders", stream="orders", is_there=True, auto_refresh=True, refreshed="2026-11-23 14:05:02",
    outcome="Refresh successfully updated MV incrementally", refreshed_well="2026-11-23 14:05:02", stale_after_minutes=60,
    newest="2026-11-23 14:05:11", scanned=12_004, skipped=0, blocked_by="",
)  # fmt: skip # a paragraph, not a column
LAGS_S = (0.4, 1.2, 0.7, 3.8, 0.3, 14.0, 0.6, 2.2)
INJECTED = "<img src=x onerror=alert(1)>"
REFUSED = EngineProblem(
    id="FL-3011",
    what="User FIRNLINE_PROD may not write to LAKE.RAW.CLICKS: Insufficient privileges to operate on table 'CLICKS'.",
    next_step="GRANT INSERT, SELECT ON TABLE LAKE.RAW.CLICKS TO ROLE FIRNLINE_PROD_INGEST;",
    stream="clicks",
    since_ms=round((AT - timedelta(minutes=17)).timestamp() * 1000),
    tries=4,
    next_try_ms=round((AT + timedelta(minutes=3)).timestamp() * 1000),
    has_stopped=True,
)
THROTTLED = EngineProblem(
    id="FL-2004",
    what="Kinesis refused reads of orders/shardId-000000000005 for their rate: another consumer reads the same shard.",
    next_step="give the pipeline a consumer of its own (reader: fan_out).",
    stream="orders",
    shard="shardId-000000000005",
    since_ms=round((AT - timedelta(seconds=80)).timestamp() * 1000),
    tries=3,
)


def ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def shard(stream: str, number: int, lag_s: float, **others: Any) -> ShardStatus:
    told: dict[str, Any] = {
        "is_read": True, "behind_s": lag_s + 1.6, "read_behind_s": lag_s, "sent_s": 0.3, "unproven": True,
        "rows": 4_812_004 + 91_733 * number, "idle_s": None, "is_idle": False, "time_to_trim_s": DAY_S - lag_s,
        "retention_s": DAY_S, "has_ended": False, "is_paused": False,
    }  # fmt: skip # a paragraph, not a column
    return ShardStatus(stream=stream, shard=f"shardId-{number:012}", **{**told, **others})


def ended(stream: str, number: int, *children: int) -> ShardStatus:
    told = {"is_read": False, "has_ended": True, "read_behind_s": None, "time_to_trim_s": None, "unproven": False}
    names = tuple(f"shardId-{child:012}" for child in children)
    return shard(stream, number, 5400.0, children=names, **told)


def few() -> tuple[ShardStatus, ...]:
    """Shard 1 of orders was split in two; 2 and 3 were merged."""
    orders = [ended("orders", 1, 4, 5), ended("orders", 2, 6), ended("orders", 3, 6)]
    orders += [shard("orders", number, lag_s) for number, lag_s in zip((0, 4, 5, 6), LAGS_S, strict=False)]
    told = {"is_read": False, "problem": "FL-3011", "read_behind_s": None, "sent_s": 1020.0, "unproven": False}
    clicks = [shard("clicks", number, 1020.0 + 7 * number, **told) for number in range(2)]
    idle = shard("audit-log", 0, 0.0, is_idle=True, idle_s=5400.0, behind_s=12.0, unproven=False, sent_s=5400.0)
    return (idle, *clicks, *sorted(orders, key=lambda each: each.shard))


def many(count: int = 1000) -> tuple[ShardStatus, ...]:
    chance = random.Random(7)
    found = [shard("orders", number, round(chance.expovariate(1.2), 1)) for number in range(count)]
    for number in chance.sample(range(count), count // 40):
        found[number] = shard("orders", number, chance.uniform(15, 900))
    for number in chance.sample(range(count), 3):
        told = {"is_read": False, "problem": "FL-2004", "time_to_trim_s": 6_000.0}
        found[number] = shard("orders", number, 79_000.0, **told)
    return tuple(found)


def minutes(hours: int = 3) -> tuple[MinuteCounts, ...]:
    chance, last = random.Random(3), int(AT.timestamp()) // 60
    found = []
    for ago in range(hours * 60):
        wave = 24_000 + 9_000 * math.sin(ago / 23) + chance.uniform(-2500, 2500)
        rows = round(wave * (0.12 if 70 < ago < 76 else 1))
        lag_ms = round(1000 * (chance.uniform(0.3, 2.5) + (60 * (76 - ago) / 6 if 70 < ago < 76 else 0)))
        letters, rejected = (round(chance.expovariate(0.5)) if ago % 11 == 0 else 0), (3 if ago == 41 else 0)
        found.append(MinuteCounts("orders", last - ago, rows + letters, rows, rows * 512, letters, rejected, lag_ms))
    return tuple(reversed(found))


def deployment(number: int, outcome: Outcome, told: str, **others: Any) -> DeploymentRecord:
    began = (AT - timedelta(days=3 * (15 - number), hours=2)).isoformat(timespec="seconds")
    hash_ = f"{number * 7919:04x}3fa09c1b22d8"
    return DeploymentRecord(
        number=number, hash=hash_, job={}, by="github-actions", began=began, outcome=outcome, told=told, **others
    )


def letters() -> LetterStatus:
    samples = [
        {"key": "orders@1/shardId-000000000004/1.parse", "detail": "no JSON: unexpected end at byte 118", "text": text}
        for text in ('{"id": 8812, "total": 12.', INJECTED)
    ]
    return LetterStatus(
        where="s3://firnline-prod-123456789012/dead-letters/",
        reasons=(
            LetterReason(stream="orders", reason="not-json", count=31, last_arrived=AT.isoformat(), samples=samples),
            LetterReason(
                stream="clicks", reason="too-large", count=2, last_arrived=AT.isoformat(), samples=samples[:1]
            ),
        ),
        is_complete=True,
    )


def status(*problems: EngineProblem, shards: tuple[ShardStatus, ...] | None = None, **others: Any) -> EnvironmentStatus:
    report = EngineReport(
        run_id="5f2c", at_ms=ms(AT), began_ms=ms(AT - timedelta(hours=31)), epochs=3_712, version="0.1.0",
        problems=problems, all_problems=len(problems), minutes=minutes(),
    )  # fmt: skip # a paragraph, not a column
    run = Run(id="00fmt3vq1s9k8g0p", hash="1b4f", state=RunState.RUNNING, since=AT - timedelta(hours=31), attempt=2)
    told = "run 00fmt3vq1s9k8g0p reads 8 shards; nothing was read for at most 11 s"
    incident = IncidentStatus(
        stream="orders", shard="shardId-000000000000", kind="resumed", last_ms=ms(AT - timedelta(hours=5)), count=1,
        detail="A person accepted 3 rejected rows of LAKE.RAW.ORDERS.",
    )  # fmt: skip # a paragraph, not a column
    found = EnvironmentStatus(
        application="firnline-prod",
        at_ms=ms(AT),
        service=ServiceStatus(
            runs=(run,),
            deployments=(
                deployment(14, Outcome.GOOD, told),
                deployment(13, Outcome.FAILED, "FL-3006: LAKE.RAW.ORDERS_V2 does not exist; deployment 12 goes on"),
                deployment(12, Outcome.GOOD, "run 00fmt1… reads 6 shards", went_back_to=10),
            ),
        ),
        holder="process 71 on ip-10-0-12-81",
        whose="00fmt3vq1s9k8g0p",
        is_beating=True,
        heard_ms=ms(AT),
        version="0.1.0",
        configuration="1b4f3fa09c1b22d8a71c",
        waiting=0,
        report=report,
        is_own_report=True,
        standby=None,
        shards=shards if shards is not None else few(),
        incidents=(incident,),
        letters=letters(),
        checks=(
            CheckStatus(
                application="firnline-prod",
                name="drift",
                at=AT.isoformat(),
                exit_status=0,
                summary="no difference in 143 properties",
            ),
            CheckStatus(
                application="firnline-prod",
                name="audit",
                at=AT.isoformat(),
                exit_status=0,
                summary="PROVEN: 91,204,117 records",
            ),
        ),
    )
    return replace(found, **others)


def good() -> EnvironmentStatus:
    shards = [each for each in few() if each.stream != "clicks"]
    found = status(shards=(*shards, *(shard("clicks", number, 0.4 + number) for number in range(2))))
    assert found.report is not None
    counted = tuple(replace(each, rejected_rows=0) for each in found.minutes)
    return replace(found, report=replace(found.report, minutes=counted))


DAY = History(
    where="CloudWatch, namespace Firnline, by 5 minutes.",
    points=tuple(
        {"minute": int(AT.timestamp()) // 60 - ago, "rows": 120_000, "dead_letters": 7 if ago == 700 else 0,
         "rejected_rows": 0, "lag_ms": None if 300 < ago < 400 else 900 + ago}
        for ago in range(1435, -1, -5)
    ),
)  # fmt: skip # a paragraph, not a column


class SampleReader:
    """A StatusReader that knows everything already."""

    application = "firnline-prod"

    def __init__(self, found: EnvironmentStatus | Exception) -> None:
        self.found = found
        self.reads = 0

    def read(self, *, with_letters: bool = False) -> EnvironmentStatus:
        self.reads += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def history(self) -> History:
        return DAY

    @classmethod
    def of(cls, found: EnvironmentStatus | Exception) -> StatusReader:
        return cast("StatusReader", cls(found))
