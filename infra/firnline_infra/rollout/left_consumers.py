"""Consumers for fan-out that an engine registered, and by which nothing reads, now or soon: they are paid for until they go."""

from typing import Protocol

from firnline_infra.accounts import Accounts
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_ingest.ledger.consumer import ConsumerRecord, left_over
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerForbidden, LedgerTableMissing


class ConsumerRecords(Protocol):
    """The ledger."""

    def consumers(self) -> list[ConsumerRecord]: ...


def unused(spec: EnvironmentSpec, ledger: ConsumerRecords) -> list[ConsumerRecord]:
    """No pipeline of the specification reads by them. None where the ledger may not be asked: the engine's log tells, too."""
    application = Names.of(spec).application
    wanted = {
        pipeline.stream: None if pipeline.reader == "polling" else pipeline.reader.fan_out.registered_as(application)
        for pipeline in spec.pipelines
    }
    return left_over(_records(ledger), wanted)


def outlasting(spec: EnvironmentSpec, ledger: ConsumerRecords) -> list[ConsumerRecord]:
    """The consumers that stay when the environment is destroyed: those of streams that are not its own."""
    own = {each.name for each in spec.streams if each.origin is Origin.CREATE}
    return [record for record in _records(ledger) if record.stream not in own]


def told_unused(spec: EnvironmentSpec, ledger: ConsumerRecords) -> list[str]:
    return [
        f"{_named(record)} was registered by the engine, and no pipeline reads by it: it is paid for until "
        "`firnline deregister`, while no engine runs."
        for record in unused(spec, ledger)
    ]


def told_outlasting(spec: EnvironmentSpec, accounts: Accounts) -> list[str]:
    """The consumers that will stay, in a person's words; asked before anything is removed."""
    ledger = DynamoLedger(accounts.aws("dynamodb"), Names.of(spec).ledger_table)
    return [
        f"{_named(record)} was registered by the engine, and stays: its stream is not this environment's. It is paid for until "
        "`firnline deregister`, which knows it as long as the environment is there."
        for record in outlasting(spec, ledger)
    ]


def _named(record: ConsumerRecord) -> str:
    return f"Consumer {record.arn or record.name} of stream {record.stream}"


def _records(ledger: ConsumerRecords) -> list[ConsumerRecord]:
    try:
        return ledger.consumers()
    except (LedgerForbidden, LedgerTableMissing):
        return []
