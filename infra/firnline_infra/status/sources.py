"""Sources of a status: that of an environment with a runtime of its own, or of an engine.json that somebody runs by hand."""

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from firnline_infra.blueprint import blueprint_of
from firnline_infra.observe.migration_table import told_migration_table, told_of
from firnline_infra.redshift import RedshiftViews
from firnline_infra.redshift.status import ViewStatus
from firnline_infra.rollout.environment import EngineEnvironment, unknown_run
from firnline_infra.rollout.left_consumers import told_unused
from firnline_infra.rollout.streams import pipelines_by_stream, streams_of_configuration
from firnline_infra.runtimes.service import RunState
from firnline_infra.status.checks import FOLDER, embedded_at, last_checks
from firnline_infra.status.history import NOT_DEPLOYED, History, history_in_cloudwatch, where_kept
from firnline_infra.status.letters import letters_of
from firnline_infra.status.model import ServiceStatus
from firnline_infra.status.reader import StatusReader
from firnline_infra.status.server import StatusServer
from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger

MOST_DEPLOYMENTS = 8


def reader_of_environment(engine: EngineEnvironment, *, checks_in: Sequence[Path] = (FOLDER,)) -> StatusReader:
    """Raises StartedByHand, WrongAwsAccount or AwsUnreachable."""
    engine.check()
    ledger = engine.ledger

    def streams() -> Mapping[str, int]:
        return {name: each.idle_after_seconds for name, each in pipelines_by_stream(engine.spec, ledger).items()}

    return StatusReader(
        application=engine.application,
        ledger=ledger,
        streams=streams,
        service=lambda: _service(engine),
        letters=lambda: letters_of(config) if (config := engine.deployed_config()) else None,
        checks=lambda: last_checks(
            engine.application, checks_in, embedded_at=embedded_at({}, engine.accounts.variables)
        ),
        views=lambda: _views(engine),
        notes=lambda: [*told_unused(engine.spec, ledger), *told_of(engine.spec, engine.accounts.aws("dynamodb"))],
        kept_history=lambda: _history(engine),
    )


def _history(engine: EngineEnvironment) -> History:
    config = engine.deployed_config()
    if config is None:
        return NOT_DEPLOYED
    namespace = config.metrics.cloudwatch
    if namespace is None:
        return where_kept(config.metrics)
    return history_in_cloudwatch(engine.accounts.aws("cloudwatch"), namespace, engine.application)


def _views(engine: EngineEnvironment) -> Sequence[ViewStatus]:
    if engine.spec.redshift is None:
        return ()
    destination = blueprint_of(engine.spec).redshift
    return RedshiftViews(destination, engine.accounts.aws, engine.say).status() if destination else ()


def _service(engine: EngineEnvironment) -> ServiceStatus:
    runs = engine.runtime.runs(engine.application)
    deployments = tuple(islice(engine.records.newest_first(), MOST_DEPLOYMENTS))
    newest = next((each for each in deployments if each.run), None)
    last = None
    if newest is not None and newest.run not in {run.id for run in runs}:
        last = engine.runtime.look(unknown_run(newest.run))
    is_known = last is not None and last.state is not RunState.UNKNOWN
    return ServiceStatus(runs=tuple(runs), last_run=last if is_known else None, deployments=deployments)


def reader_of_config(config: EngineConfig, *, checks_in: Sequence[Path] = (FOLDER,)) -> StatusReader:
    """A reader of any engine's status, however it was started: reads what its configuration names."""
    dynamodb = dynamodb_client(config.aws)
    ledger = DynamoLedger(dynamodb, config.ledger.table)

    def streams() -> Mapping[str, int]:
        found = {name: config.find_pipeline(name) for name in streams_of_configuration(config, ledger)}
        return {name: pipeline.idle_after_seconds for name, pipeline in found.items() if pipeline is not None}

    return StatusReader(
        application=config.application,
        ledger=ledger,
        streams=streams,
        letters=lambda: letters_of(config),
        notes=lambda: list(
            told_migration_table(dynamodb, config.ledger.table, "firnline migrate --config FILE --finish")
        ),
        kept_history=lambda: where_kept(config.metrics),
        checks=lambda: last_checks(
            config.application, checks_in, embedded_at=embedded_at(config.aws.endpoints, os.environ)
        ),
    )


def page_of_config(config: EngineConfig, *, checks_in: Sequence[Path] = (FOLDER,)) -> StatusServer:
    """The page of `reader_of_config`, on a free port."""
    return StatusServer(reader_of_config(config, checks_in=checks_in))
