"""The status for a terminal: what is wrong comes first, then the engine, then the shards that are worst."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from firnline_infra.redshift.status import view_lines
from firnline_infra.runtimes.service import Run
from firnline_infra.status.model import CheckStatus, EnvironmentStatus, ShardStatus, StandbyStatus
from firnline_ingest.ledger.engine_report import EngineProblem
from firnline_ingest.ledger.standby import BY_HAND
from firnline_ingest.terminal import folded, in_a_line, printable, text_table

MOST_SHARDS, MOST_PROBLEMS, SHARDS_NAMED = 40, 10, 3
UNCOMMITTED_S = 60
OLD_S = 7 * 86_400
"""A result of drift or audit says nothing of today after that."""


def status_text(found: EnvironmentStatus) -> str:
    engine = (folded(sentence, indent="  ") for sentence in _engine(found))
    parts = (engine, _problems(found), _shards(found), _views(found), _incidents(found), _rest(found))
    return printable("\n\n".join("\n".join(lines) for part in parts if (lines := list(part))))


def _engine(found: EnvironmentStatus) -> Iterator[str]:
    yield from _holder(found)
    if found.standby:
        yield _standby(found.standby)
    yield from map(_run, found.service.runs)
    if found.service.last_run:
        yield _run(found.service.last_run)
    for newest in found.service.deployments[:1]:
        yield f"Deployment {newest.number}, {newest.outcome.value}: {newest.hash[:12]}, by {newest.by}, {newest.began}"
        if newest.told:
            yield newest.told


def _holder(found: EnvironmentStatus) -> Iterator[str]:
    report = found.report
    if not found.holder:
        yield f"{found.application}: no engine is running."
        if report and report.ended_ms:
            yield f"The last engine ended at {_time(report.ended_ms)}, after {report.epochs:,} epochs."
        return
    heartbeat = "alive" if found.is_beating else f"no heartbeat{_since(found)}: it was killed, or is frozen"
    whose = {"": "", BY_HAND: ", started by hand"}.get(found.whose, f", of run {found.whose}")
    yield f"{found.application}: {found.holder}{whose}; {heartbeat}."
    if not found.is_beating:
        again = "start it again where it was started" if found.whose == BY_HAND else "firnline deploy starts it again"
        yield f"Nothing is read. Next: firnline logs says what it wrote last; {again}."
    last = found.service.last_run
    if found.is_beating and last is not None and last.id == found.whose:
        yield f"Its run {last.id} is {last.state}, and its engine reads on. Next: firnline stop ends it."
    if found.version:
        yield f"Version {found.version}, configuration {found.configuration[:12]}{_epochs(found)}."
    if found.rows_by:
        yield f"Rows are made by {found.rows_by}."
    if found.waiting:
        yield f"{found.waiting} shards wait: executors or cores are too few for them (FL-1211, docs/resharding.md)."


def _since(found: EnvironmentStatus) -> str:
    """An engine writes the row of each shard that it reads every half a minute."""
    if not found.heard_ms:
        return ""
    return f", nothing heard of it since {_time(found.heard_ms)} ({duration((found.at_ms - found.heard_ms) / 1000)})"


def _epochs(found: EnvironmentStatus) -> str:
    if found.report is None or not found.is_own_report:
        return ", no epoch has ended yet"
    ago_s = max(0, found.at_ms - found.report.at_ms) / 1000
    return f", {found.report.epochs:,} epochs, the last one ended {duration(ago_s)} ago"


def _problems(found: EnvironmentStatus) -> Iterator[str]:
    if not found.problems or found.report is None:
        return
    whose = "Problems" if found.is_own_report else "Problems of the engine before"
    causes = found.causes
    yield f"{whose} ({len(causes)})"
    shown = causes[:MOST_PROBLEMS]
    for each in shown:
        yield from _problem(each.problem, each.shards, found.at_ms, is_running=found.is_own_report)
    if (more := found.report.all_problems - sum(max(1, len(each.shards)) for each in shown)) > 0:
        yield f"{more:,} more: firnline status -o json has them."


def _problem(problem: EngineProblem, shards: Sequence[str], now_ms: int, *, is_running: bool) -> Iterator[str]:
    of = "/".join(filter(None, (problem.stream, problem.shard))) or "the engine"
    if len(shards) > 1:
        more = f" and {len(shards) - SHARDS_NAMED:,} more" if len(shards) > SHARDS_NAMED else ""
        of = f"{problem.stream}, {len(shards):,} shards: {', '.join(shards[:SHARDS_NAMED])}{more}"
    since = f"since {_time(problem.since_ms)} ({duration((now_ms - problem.since_ms) / 1000)})"
    tries = f"met {problem.tries} times" if problem.tries > 1 else "met once"
    again = "tried again with each epoch"
    if problem.next_try_ms:
        again = f"tried again in {duration(max(0, problem.next_try_ms - now_ms) / 1000)}"
    yield ""
    yield f"{problem.id}  {of}"
    yield from _wrapped(f"{since}, {tries}" + (f", {again}" if is_running else ""))
    yield from _wrapped(problem.what)
    yield from _wrapped(f"Next: {problem.next_step}")


def _wrapped(text: str) -> list[str]:
    return folded(text, first="  ", indent="  ").splitlines()


def _shards(found: EnvironmentStatus) -> Iterator[str]:
    if not found.shards:
        return
    worst = sorted(found.shards, key=_rank)
    shown = worst[:MOST_SHARDS]
    rows = [
        (each.stream, each.shard, _how(each), _seconds(each.behind_s), _left(each.time_to_trim_s))
        for each in sorted(shown, key=lambda each: (each.stream, each.shard))
    ]
    yield text_table(("stream", "shard", "", "committed up to", "data loss in"), rows)
    if len(worst) > MOST_SHARDS:
        yield f"{len(worst) - MOST_SHARDS:,} more, with less lag: firnline status -o json, or --serve, shows all."
    yield from _rejected(found.shards)


def _views(found: EnvironmentStatus) -> Iterator[str]:
    if found.views:
        yield from view_lines(found.views, found.at)


def _rank(shard: ShardStatus) -> tuple[bool, bool, float]:
    """Shards that should be read, and are not; then by lag."""
    return not (shard.should_be_read and not shard.is_read), shard.has_ended, -(shard.behind_s or 0)


def _rejected(shards: Sequence[ShardStatus]) -> Iterator[str]:
    """A line a stream whose table has refused rows."""
    for name in dict.fromkeys(each.stream for each in shards):
        if count := sum(each.rejected_rows for each in shards if each.stream == name):
            yield f"{count:,} rows of {name} were rejected by its table: firnline audit tells which, and why (docs/audit.md)."


def _incidents(found: EnvironmentStatus) -> Iterator[str]:
    if found.incidents:
        rows = [
            (_time(each.last_ms), f"{each.stream}/{each.shard}", each.kind, each.detail) for each in found.incidents
        ]
        yield text_table(("last incidents", "shard", "kind", "what"), rows)


def _rest(found: EnvironmentStatus) -> Iterable[str]:
    yield from (_check(each, found.at_ms) for each in found.checks)
    yield from found.notes


def _check(check: CheckStatus, now_ms: int) -> str:
    age_s = max(0.0, now_ms / 1000 - check.moment.timestamp())
    where = f", in {check.ran_in}" if check.ran_in else ""
    old = f" This was {duration(age_s)} ago." if age_s > OLD_S else ""
    return in_a_line(f"Last {check.name}, {check.at}{where}: {check.summary}.{old}")


def _standby(found: StandbyStatus) -> str:
    so_far = "everything is up" if found.state == "ready" else "it is coming up"
    waits = (
        "takes over once the application is free" if found.is_promoted else "waits for its deploy, and ends by itself"
    )
    return f"Stands by: {found.holder}, of run {found.whose} ({found.hash[:12]}); {so_far}, and it {waits}."


def _run(run: Run) -> str:
    since = f" since {run.since:%FT%TZ}" if run.since else ""
    again = f", attempt {run.attempt}" if run.attempt > 1 else ""
    why = f" ({run.reason})" if run.reason else ""
    return f"Run {run.id}: {run.state}{since}{again}, {run.hash[:12] or 'of unknown content'}{why}"


def _how(shard: ShardStatus) -> str:
    if shard.has_ended:
        return "ended"
    if shard.uncommitted_s >= UNCOMMITTED_S and not shard.is_paused:
        waits = f"{duration(shard.uncommitted_s)}, {shard.uncommitted_rows:,} rows"
        return f"NOT COMMITTED {waits} {shard.problem}".rstrip()
    if shard.is_idle and not shard.is_paused:
        return f"read, idle {duration(shard.idle_s or 0)}"
    how = "paused" if shard.is_paused else "read" if shard.is_read else "NOT READ"
    return f"{how} {shard.problem}".rstrip()


def _seconds(seconds: float | None) -> str:
    return "nothing yet" if seconds is None else f"{duration(seconds)} ago"


def _left(seconds: float | None) -> str:
    """The time left to the oldest record that is not accounted for."""
    return "" if seconds is None else duration(seconds)


def duration(seconds: float) -> str:
    """The duration in the largest unit of which there are two: 90 min, 47 h, 5 days."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def _time(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%FT%TZ}"
