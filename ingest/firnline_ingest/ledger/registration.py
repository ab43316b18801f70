"""Registers the consumers that the engine reads by, and deregisters them: never one that the ledger does not know as its own.

Registering again what is there does nothing. A stop of the engine deregisters nothing, because the next one goes on with the
consumer; the end of a bounded run does, and a person's `firnline deregister`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from firnline_ingest.config.access import HERE
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.reader import FanOutReader, Registration, registered_by_engine
from firnline_ingest.config.retries import RegistrationRetry
from firnline_ingest.errors import FirnlineError, KinesisError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.clients import PerAccess
from firnline_ingest.kinesis.consumer_errors import ConsumerForeign, ConsumerUnready
from firnline_ingest.kinesis.lineage import read_summary
from firnline_ingest.kinesis.registering import (
    ACTIVE,
    Consumer,
    NameTaken,
    deregister_consumer,
    find_consumer,
    register_consumer,
)
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.ledger.consumer import ConsumerRecord, left_over, since

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

Answer = TypeVar("Answer")
Wait = Callable[[float], bool]
"""Sleeps for some seconds; true where there is no point in waiting any longer."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registrar:
    """Registers the consumers of one application."""

    client_of: Callable[[str], "KinesisClient"]
    """By stream: one that does not try again by itself, because an answer that was lost has to be known."""
    ledger: PlanLedger

    def arn_of(self, stream: str, stream_arn: str, name: str, now_ms: int) -> str:
        """The ARN of the application's own consumer, which is registered if there is none; `now_ms` is at most the
        service's time.

        Raises ConsumerForeign, ConsumersExhausted, ConsumerUnready until it is active, the errors of kinesis/errors.py and
        of the ledger.
        """
        record = self.ledger.consumer(stream, name)
        found = find_consumer(self.client_of(stream), stream, stream_arn, name)
        if found is None:
            asked = ConsumerRecord(stream, name, uuid4().hex, since(record, now_ms))
            found = self._registered(stream_arn, asked, record)
        elif found.status != "DELETING":
            if record is None or not record.is_of(found):
                raise ConsumerForeign(stream, found.arn)
            if not record.arn:
                self.ledger.set_consumer(replace(record, arn=found.arn), record)
        if found.status != ACTIVE:
            raise ConsumerUnready(stream, found.arn, f"it is {found.status}.")
        return found.arn

    def _registered(self, stream_arn: str, asked: ConsumerRecord, before: ConsumerRecord | None) -> Consumer:
        if not self.ledger.set_consumer(asked, before):
            raise ConsumerUnready(asked.stream, asked.name, "another engine of this application registers it.")
        try:
            made = register_consumer(self.client_of(asked.stream), asked.stream, stream_arn, asked.name)
        except NameTaken as error:  # by another engine since it was looked for, or by us, and the list is behind
            if before is None or not self.ledger.set_consumer(before, asked):
                self.ledger.forget_consumer(asked)
            raise ConsumerUnready(
                asked.stream, asked.name, "there is one of that name, which the list of consumers does not have yet."
            ) from error
        self.ledger.set_consumer(replace(asked, arn=made.arn), asked)
        log.info("consumer.registered", extra={"stream": asked.stream, "consumer": made.arn})
        return made

    def deregister(self, record: ConsumerRecord) -> str | None:
        """Forgets the record, and removes its consumer if it is still there; says which one that was."""
        arn = record.arn or self._unheard(record)
        if arn:
            deregister_consumer(self.client_of(record.stream), record.stream, arn)
            log.info("consumer.deregistered", extra={"stream": record.stream, "consumer": arn})
        self.ledger.forget_consumer(record)
        return arn

    def _unheard(self, record: ConsumerRecord) -> str | None:
        summary = read_summary(self.client_of(record.stream), record.stream)
        found = find_consumer(self.client_of(record.stream), record.stream, summary.arn, record.name)
        return found.arn if found is not None and record.is_of(found) else None


def registrar_of(config: EngineConfig, ledger: PlanLedger) -> Registrar:
    """The registrar of all streams; one that no pipeline reads any more is expected where the engine is."""
    access = {pipeline.stream: pipeline.access for pipeline in config.pipelines}
    clients = PerAccess(kinesis_client(config.aws), lambda access: kinesis_client(config.aws, access=access))
    return Registrar(lambda stream: clients.of(access.get(stream, HERE)), ledger)


def register_eagerly(config: EngineConfig, registrar: Registrar, wait: Wait) -> None:
    """Registers consumers before the engine reads anything. Raises what `Registrar.arn_of` raises; waits for what passes as
    `retries.register_stream_consumer` says."""
    for pipeline in config.pipelines:
        if isinstance(pipeline.reader, FanOutReader) and pipeline.reader.fan_out.registration is Registration.EAGER:
            name = registered_by_engine(pipeline.reader, config.application)
            assert name is not None, "an eager one has a name"
            ask = partial(_ask, registrar, pipeline.stream, name)
            _patiently(ask, config.retries.register_stream_consumer, wait)


def _ask(registrar: Registrar, stream: str, name: str) -> None:
    summary = read_summary(registrar.client_of(stream), stream)
    registrar.arn_of(stream, summary.arn, name, summary.told_ms)


def _patiently(attempt: Callable[[], Answer], retry: RegistrationRetry, wait: Wait) -> Answer | None:
    """Tries again until `wait` gives up, then returns None. Raises what does not pass, or passes too late."""
    waited_s, tries, failures = 0.0, 0, 0
    while True:
        try:
            return attempt()
        except KinesisError as error:
            failures += not isinstance(error, ConsumerUnready)
            if not error.is_retryable or waited_s >= retry.timeout_seconds or retry.is_over(failures):
                raise
        tries += 1
        pause_s = retry.longest_s(tries)
        if wait(pause_s):
            return None
        waited_s += pause_s


def deregister_all(
    config: EngineConfig,
    registrar: Registrar,
    wait: Wait,
    stream: str | None = None,
    *,
    make_sure: Callable[[], None] = lambda: None,
) -> list[str]:
    """Every consumer that the ledger knows as the application's own, or that of one stream; the ARNs of those removed.

    `make_sure` is called before each try, and raises where an engine may have begun to read by them.
    """
    retry, records = config.retries.deregister_stream_consumer, registrar.ledger.consumers()

    def deregister(record: ConsumerRecord) -> str | None:
        make_sure()
        return registrar.deregister(record)

    chosen = [record for record in records if stream in (None, record.stream)]
    return [arn for record in chosen if (arn := _patiently(partial(deregister, record), retry, wait))]


def unused_consumers(config: EngineConfig, ledger: PlanLedger) -> list[ConsumerRecord]:
    """The consumers that the engine registered and that no pipeline of this configuration reads by: they are paid for."""
    names = {
        pipeline.stream: registered_by_engine(pipeline.reader, config.application) for pipeline in config.pipelines
    }
    return left_over(ledger.consumers(), names)


def tell_unused(config: EngineConfig, ledger: PlanLedger) -> None:
    """Reports unused consumers when an engine starts. A ledger that does not answer is reported elsewhere."""
    try:
        unused = unused_consumers(config, ledger)
    except FirnlineError:
        return
    for record in unused:
        extra = {"stream": record.stream, "consumer": record.arn or record.name, "next": "firnline deregister"}
        log.warning("consumer.unused", extra=extra)


def deregister_own(config: EngineConfig, registrar: Registrar, wait: Wait) -> None:
    """Deregisters, after a bounded run, the consumers that it registered. A refusal is reported and left to `firnline
    deregister`."""
    names = {
        pipeline.stream: registered_by_engine(pipeline.reader, config.application) for pipeline in config.pipelines
    }
    if not any(names.values()):
        return
    retry = config.retries.deregister_stream_consumer
    try:
        for record in registrar.ledger.consumers():
            if record.name == names.get(record.stream):
                _patiently(partial(registrar.deregister, record), retry, wait)
    except FirnlineError as error:
        log.warning("consumer.left", extra={"problem": error.id, "what": error.what, "next": "firnline deregister"})
