"""`run` and `drain`: the engine itself."""

import argparse
import signal
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command
from firnline_ingest.terminal import end_at_once
from firnline_ingest.values import moment

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.spark.signals import EndingSignals


def add_ends(parser: argparse.ArgumentParser) -> None:
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--available-now", action="store_true", help="Take in what has arrived by now, and end.")
    end.add_argument(
        "--until",
        type=_moment,
        metavar="TIME",
        help="Take in what arrived up to this time, ISO 8601 with an offset, and end: with initial_position a window.",
    )


def _moment(text: str) -> datetime:
    try:
        return moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.logs import configure_logs
    from firnline_ingest.spark.signals import EndingSignals

    configure_logs()
    with EndingSignals() as signals:
        ledger = _prepared(config)
        if signals.ending.is_set():
            return 0
        with _checkpoint(config, options, ledger) as own:
            status, has_loose_ends = _run_job(own, options, ledger, signals)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all that is left is the interpreter's own end
    if has_loose_ends:
        end_at_once(status)
    return status


def _checkpoint(
    config: "EngineConfig", options: argparse.Namespace, ledger: "DynamoLedger"
) -> AbstractContextManager["EngineConfig"]:
    from firnline_ingest.spark.beginning import NOTHING_NEW
    from firnline_ingest.spark.drain_checkpoint import drain_checkpoint

    return drain_checkpoint(config, ledger) if options.until == NOTHING_NEW else nullcontext(config)


def _prepared(config: "EngineConfig") -> "DynamoLedger":
    """Checks what the machine and the configuration need before anything is read, and opens the ledger."""
    from firnline_ingest.dead_letters import check_place
    from firnline_ingest.ledger.provision import BEAT_READ_TIMEOUT_S, open_ledger
    from firnline_ingest.spark.machine import check_java, check_proxy, check_spark, make_folder

    check_java()
    check_spark()
    if config.proxy is not None:
        check_proxy(config)
    check_place(config)
    if config.goes_by_file:
        from firnline_ingest.dead_letters.file_pipe import load_package

        load_package()
    if config.dead_letters.folder is not None:
        make_folder(config.dead_letters.folder)
    return open_ledger(config, read_timeout_s=BEAT_READ_TIMEOUT_S)


def _run_job(
    config: "EngineConfig", options: argparse.Namespace, ledger: "DynamoLedger", signals: "EndingSignals"
) -> tuple[int, bool]:
    """Returns the exit status, and whether threads are left that hang."""
    from firnline_ingest.ledger.registration import deregister_own, register_eagerly, registrar_of, tell_unused
    from firnline_ingest.spark.job import EngineJob
    from firnline_ingest.spark.standing_by import standby_limit_s

    registrar = registrar_of(config, ledger)
    register_eagerly(config, registrar, signals.ending.wait)
    tell_unused(config, ledger)
    is_bounded = options.available_now or options.until is not None
    job = EngineJob(
        config, ledger, is_bounded=is_bounded, until=options.until, signals=signals, standby_s=standby_limit_s()
    )
    status = job.run()
    if is_bounded and status == 0:
        from firnline_ingest.commands.deregister import sleep

        deregister_own(config, registrar, sleep)  # the run is over, and `ending` says so to engines that wait
    return status, job.has_loose_ends


def drain(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.spark.beginning import NOTHING_NEW

    return run(config, argparse.Namespace(**{**vars(options), "available_now": False, "until": NOTHING_NEW}))


RUN = Command(
    name="run",
    summary="Read the streams into Snowflake until stopped.",
    more="Exit status: 0 done, 2 refused, 4 a shard or a pipeline failed, 5 another engine took over; 128 and the number of a "
    "signal that left rows unproven.",
    add_arguments=add_ends,
    run=run,
)
DRAIN = Command(
    name="drain",
    summary="Drain in-flight records and exit.",
    more="Before a change of format, transforms, routes or metadata: with the configuration that made the rows, what is "
    "committed is counted and proven, and records that other tables lack are added up to there. Exit status as of run.",
    run=drain,
)
