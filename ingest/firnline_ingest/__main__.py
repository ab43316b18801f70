"""`python -m firnline_ingest run | drain | stop | validate | resume | deregister | migrate --config FILE`."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from firnline_ingest.errors import FirnlineError

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig

REFUSED, INTERRUPTED = 2, 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None, *, program: str = "python -m firnline_ingest") -> int:
    """Returns the exit status (docs/runbook.md lists them). `program` is what a person typed."""
    try:
        from firnline_ingest.aws.configuration import read_config  # here, where a Ctrl-C leaves no trace

        options = _parser(program).parse_args(arguments)
        commands = {
            "run": _run,
            "drain": _drain,
            "stop": _stop,
            "validate": _validate,
            "resume": _resume,
            "deregister": _deregister,
            "migrate": _migrate,
        }
        return commands[options.command](read_config(options.config), options)
    except FirnlineError as error:
        print(error, file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser(program: str) -> argparse.ArgumentParser:
    from firnline_ingest.migration import command as migrate_command

    parser = argparse.ArgumentParser(prog=program, description="Kinesis to Snowflake, once.")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=f"{summary} {more}".strip())
        added.add_argument(
            "--config",
            required=True,
            metavar="FILE",
            help="The engine's configuration: engine.json, or s3://bucket/key.",
        )
        return added

    run = command(
        "run",
        "Read the streams into Snowflake until stopped.",
        "Exit status: 0 done, 2 refused, 4 a shard or a pipeline failed, 5 another engine took over; 128 and the number of a "
        "signal that left rows unproven.",
    )
    end = run.add_mutually_exclusive_group()
    end.add_argument("--available-now", action="store_true", help="Take in what has arrived by now, and end.")
    end.add_argument(
        "--until",
        type=_moment,
        metavar="TIME",
        help="Take in what arrived up to this time, ISO 8601 with an offset, and end: with initial_position a window.",
    )
    command(
        "drain",
        "Finish what was begun, and take in nothing new.",
        "Before a change of format, transforms, routes or metadata: with the configuration that made the rows, what is committed "
        "is counted and proven, and records that other tables lack are added up to there. Exit status as of run.",
    )
    command("stop", "Ask the running engine to prove its last rows and end.")
    command(
        "validate", "Check machine, ledger, streams and tables; change nothing.", "Exit status: 0 all is good, 2 not."
    )
    deregister = command(
        "deregister",
        "Give up the consumers that the engine registered.",
        "The engine must not run meanwhile; it registers them again when it starts, unless it polls by then.",
    )
    deregister.add_argument("--stream", help="Those of one stream; of all streams where absent.")
    migration = command("migrate", migrate_command.SUMMARY, migrate_command.MORE)
    migrate_command.add_arguments(migration)
    _add_decisions(
        command("resume", "Decide about shards that the engine refused.", "The engine must not run meanwhile.")
    )
    return parser


def _add_decisions(resume: argparse.ArgumentParser) -> None:
    resume.add_argument("--stream", required=True, help="The stream of the shards.")
    resume.add_argument("--shard", help="One shard; all of the stream that have not ended where absent.")
    decision = resume.add_mutually_exclusive_group(required=True)
    decision.add_argument(
        "--from",
        dest="start",
        choices=("proven", "horizon"),
        help="Go on after the last row that is proven, or at the oldest record that the stream still has.",
    )
    decision.add_argument(
        "--accept-errors", metavar="TOKEN", help="Rejected rows up to this offset token stop the shard no more."
    )
    resume.add_argument(
        "--table", help="With --accept-errors: the one that rejected them, where the pipeline has several."
    )


def _moment(text: str) -> datetime:
    from firnline_ingest.values import moment

    try:
        return moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _run(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.dead_letters import check_place
    from firnline_ingest.ledger.provision import BEAT_READ_TIMEOUT_S, open_ledger
    from firnline_ingest.logs import configure_logs
    from firnline_ingest.spark.machine import check_java, check_spark, make_folder
    from firnline_ingest.spark.signals import EndingSignals

    configure_logs()
    with EndingSignals() as signals:
        check_java()
        check_spark()
        check_place(config)
        if config.dead_letters.folder is not None:
            make_folder(config.dead_letters.folder)
        ledger = open_ledger(config, read_timeout_s=BEAT_READ_TIMEOUT_S)
        if signals.ending.is_set():
            return 0
        from firnline_ingest.ledger.registration import deregister_own, register_eagerly, registrar_of, tell_unused
        from firnline_ingest.spark.job import EngineJob
        from firnline_ingest.spark.standing_by import standby_limit_s

        registrar = registrar_of(config, ledger)
        register_eagerly(config, registrar, signals.ending.wait)
        tell_unused(config, ledger)
        is_bounded = options.available_now or options.until is not None
        job = EngineJob(
            config,
            ledger,
            is_bounded=is_bounded,
            until=options.until,
            signals=signals,
            standby_s=standby_limit_s(),
        )
        status = job.run()
        if is_bounded and status == 0:
            deregister_own(config, registrar, _sleep)  # the run is over, and `ending` says so to whoever waits
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all that is left is the interpreter's own end
    if job.has_loose_ends:
        _end_at_once(status)
    return status


def _drain(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.spark.beginning import NOTHING_NEW

    return _run(config, argparse.Namespace(**{**vars(options), "available_now": False, "until": NOTHING_NEW}))


def _end_at_once(status: int) -> NoReturn:
    """Without waiting for threads that hang."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _stop(config: "EngineConfig", _options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.lease import is_alive
    from firnline_ingest.ledger.provision import open_ledger

    ledger = open_ledger(config)
    found = ledger.current_run()
    run = ledger.request_stop(found.run_id) if found else None
    if run is None:
        print(f"No engine runs as application {config.application!r}.")
    elif is_alive(ledger, run):
        print(f"Asked {run.holder} to stop; it proves its last rows first, which takes some seconds.")
    else:
        print(
            f"Asked {run.holder} to stop, but its heart does not beat: it was killed, or is frozen. Nothing has to be"
        )
        print("stopped then: the next start takes its place after ten seconds.")
    standby = ledger.standby()
    if standby is not None and standby.is_coming:
        print(
            f"{standby.holder} was let in by a deploy, and takes the application over then: stop it as well, once it has."
        )
    return 0


def _validate(config: "EngineConfig", _options: argparse.Namespace) -> int:
    from firnline_ingest.validate import validate

    problems = 0
    for check in validate(config):
        print(f"{'ok  ' if check.problem is None else 'FAIL'}  {check.name}: {check.problem or check.found}")
        problems += check.problem is not None
    return REFUSED if problems else 0


def _deregister(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.lease import RunLease, held
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.ledger.registration import deregister_all, registrar_of

    ledger = open_ledger(config)
    with held(RunLease(ledger, config.application)) as heart:
        registrar = registrar_of(config, ledger)
        given_up = deregister_all(config, registrar, _sleep, options.stream, make_sure=heart.make_sure)
    for arn in given_up:
        print(f"Deregistered {arn}.")
    if not given_up:
        print(
            "The engine has registered no consumer that is still there; one that it did not register it leaves alone."
        )
    return 0


def _sleep(seconds: float) -> bool:
    import time

    time.sleep(seconds)
    return False


def _resume(config: "EngineConfig", options: argparse.Namespace) -> int:
    import time

    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.ledger.incarnation import is_replaced
    from firnline_ingest.ledger.lease import RunLease
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.ledger.resume import accept_errors, accepted_table, begin_anew, decide, resume_from
    from firnline_ingest.ledger.row import ResumeFrom, ShardRow
    from firnline_ingest.values import Position

    now_ms = int(time.time() * 1000)
    pipeline = config.find_pipeline(options.stream)
    table = accepted_table(pipeline.tables if pipeline else ("",), options.table) if options.accept_errors else ""

    def decision(row: ShardRow) -> ShardRow:
        if options.accept_errors:
            return accept_errors(row, Position.from_token(options.accept_errors), now_ms, table=table)
        return resume_from(row, ResumeFrom(options.start), now_ms)

    ledger = open_ledger(config)
    access = config.access_of(options.stream)
    incarnation = read_lineage(kinesis_client(config.aws, access=access), options.stream).incarnation
    if options.start == ResumeFrom.HORIZON and is_replaced(ledger, options.stream, incarnation):
        begin_anew(ledger, RunLease(ledger, config.application), options.stream, incarnation, now_ms)
        print(f"{options.stream}: the stream that is there now is read from its oldest record.")
        return 0
    for key in decide(ledger, RunLease(ledger, config.application), incarnation, options.shard, decision):
        print(f"{key}: decided, and kept in the ledger as an incident.")
    return 0


def _migrate(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.migration.command import migrate

    return migrate(config, options)


def _step_out_of_the_way() -> None:
    """Run as a file, as by spark-submit, our folder is where Python looks first, and our `snowflake` hides everybody's."""
    ours = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != ours]


if __name__ == "__main__":
    if not __package__:
        _step_out_of_the_way()
    sys.exit(main())
