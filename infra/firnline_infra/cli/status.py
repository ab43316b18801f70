"""`firnline status`"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firnline_infra.rollout.status import ShardStatus, StandbyStatus, Status
    from firnline_infra.runtimes.service import Run

NOT_RUNNING, BY_HAND = 3, "by hand"


@click.command()
@environment_argument
@accounts_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of tables.")
def status(environment: Path, accounts: ChosenAccounts, as_json: bool) -> None:
    """Show the engine and the progress of each shard.

    Asks the runtime and the ledger; changes nothing. Exit status: 0 an engine is alive, 3 none is, 2 the check
    could not be completed.
    """
    import json

    from firnline_infra.cli.rollout import engine_of

    found = engine_of(environment, accounts).status()
    click.echo(json.dumps(found.as_document(), indent=2) if as_json else text_of(found))
    raise SystemExit(0 if found.is_beating else NOT_RUNNING)


def text_of(found: "Status") -> str:
    from firnline_infra.terminal import text_table

    lines = [_engine(found), *([_standby(found.standby)] if found.standby else []), *(_run(run) for run in found.runs)]
    if newest := found.deployment:
        lines.append(
            f"Deployment {newest.number}, {newest.outcome.value}: {newest.hash[:12]}, by {newest.by}, {newest.began}"
        )
        lines += [f"  {newest.told}"] if newest.told else []
    if found.shards:
        rows = [
            (each.stream, each.shard, _how(each), _behind(each.behind_s), _left(each.time_to_trim_s))
            for each in found.shards
        ]
        lines += ["", text_table(("stream", "shard", "", "accounted for, up to", "dropped unread in"), rows)]
    lines += _rejected(found.shards)
    if found.incidents:
        incidents = [
            (_time(each.last_ms), f"{each.stream}/{each.shard}", each.kind, each.detail) for each in found.incidents
        ]
        lines += ["", text_table(("last incidents", "shard", "kind", "what"), incidents)]
    return "\n".join([*lines, *(["", *found.notes] if found.notes else [])])


def _rejected(shards: "Sequence[ShardStatus]") -> list[str]:
    """A line a stream whose table has refused rows."""
    streams = dict.fromkeys(each.stream for each in shards)
    counts = {name: sum(each.rejected_rows for each in shards if each.stream == name) for name in streams}
    return [
        f"{count:,} rows of {stream} were rejected by its table: firnline audit tells which, and why (docs/audit.md)."
        for stream, count in counts.items()
        if count
    ]


def _engine(found: "Status") -> str:
    if not found.holder:
        return f"{found.application}: no engine is running."
    heartbeat = "alive" if found.is_beating else "no heartbeat: it was killed, or is frozen"
    whose = {"": "", BY_HAND: ", started by hand"}.get(found.whose, f", of run {found.whose}")
    told = f"{found.application}: {found.holder}{whose}; {heartbeat}."
    if found.waiting:
        told += f"\n{found.waiting} shards wait: executors or cores are too few for them (FL-1211, docs/resharding.md)."
    return told


def _standby(found: "StandbyStatus") -> str:
    so_far = "everything is up" if found.state == "ready" else "it is coming up"
    waits = (
        "takes over once the application is free" if found.is_promoted else "waits for its deploy, and ends by itself"
    )
    return f"Stands by: {found.holder}, of run {found.whose} ({found.hash[:12]}); {so_far}, and it {waits}."


def _run(run: "Run") -> str:
    since = f" since {run.since:%FT%TZ}" if run.since else ""
    again = f", attempt {run.attempt}" if run.attempt > 1 else ""
    why = f" ({run.reason})" if run.reason else ""
    return f"Run {run.id}: {run.state}{since}{again}, {run.hash[:12] or 'of unknown content'}{why}"


def _how(shard: "ShardStatus") -> str:
    if shard.has_ended:
        return "ended"
    if shard.is_idle and not shard.is_paused:
        return f"read, idle for {_long(shard.idle_s or 0)}"
    return "paused" if shard.is_paused else "read" if shard.is_read else "NOT READ"


def _behind(seconds: float | None) -> str:
    return "nothing yet" if seconds is None else f"{seconds:,.0f} s ago"


def _left(seconds: float | None) -> str:
    """Of the oldest record that is not accounted for."""
    return "" if seconds is None else _long(seconds)


def _long(seconds: float) -> str:
    """In the largest unit of which there are two: 90 min, 47 h, 5 days."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def _time(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%FT%TZ}"
