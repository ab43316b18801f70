"""Several shards at a time, each in a thread. Where one fails, or somebody interrupts, the others end in a moment."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event

from firnline_infra.audit.findings import ShardFindings

SHARDS_AT_ONCE = 8

Sleep = Callable[[float], None]


class Stopped(Exception):
    """This shard was given up, because the audit is over."""


def audit_shards(
    shard_ids: Iterable[str],
    audit: Callable[[str, Sleep], ShardFindings],
    *,
    on_shard: Callable[[ShardFindings], None],
) -> list[ShardFindings]:
    """By shard id. `audit` has to sleep with what it is given; `on_shard` is called here, as shards are done."""
    stop = Event()

    def sleep(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    found: list[ShardFindings] = []
    with ThreadPoolExecutor(SHARDS_AT_ONCE, thread_name_prefix="audit") as pool:
        futures = [pool.submit(audit, shard_id, sleep) for shard_id in sorted(shard_ids)]
        try:
            for future in as_completed(futures):
                found.append(future.result())
                on_shard(found[-1])
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return sorted(found, key=lambda findings: findings.shard_id)
