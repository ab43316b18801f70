"""Checks that what a new engine opens at its start is there, with the deployer's rights while nothing was stopped.

What these rights do not show is said, and keeps no deploy from going on: the engine has rights of its own, and its own words.
"""

from collections.abc import Callable, Iterator
from functools import partial

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import if_there
from firnline_infra.accounts.check import checked_session
from firnline_infra.observe.grants import grants_with_inherited
from firnline_infra.observe.lookup import listed
from firnline_infra.runtimes.service import Problem
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.config.access import HERE
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableForeign, LedgerTableMissing

READABLE = ("ACTIVE", "UPDATING")
"""States of a stream in which its shards can be listed and read (Kinesis API reference, StreamDescriptionSummary)."""


def refused_at_start(
    config: EngineConfig, spec: EnvironmentSpec, accounts: Accounts, say: Callable[[str], None]
) -> list[Problem]:
    """Returns what the engine of `config` would be refused: streams, ledger, tables and pipes that are not there."""
    found: list[Problem] = []
    looks = {"the ledger": partial(_ledger, config, accounts), "Snowflake": partial(_targets, config, spec, accounts)}
    for pipeline in config.pipelines:
        if pipeline.access == HERE:
            looks[f"stream {pipeline.stream}"] = partial(_stream, pipeline.stream, accounts)
        else:
            say(
                f"Not asked before the start: stream {pipeline.stream}, which the engine reaches by an access of its own."
            )
    for what, look in looks.items():
        try:
            found += look()
        except FirnlineError as error:
            say(f"Not asked before the start: {what}. {error.what}")
    return found


def _ledger(config: EngineConfig, accounts: Accounts) -> Iterator[Problem]:
    try:
        DynamoLedger(accounts.aws("dynamodb"), config.ledger.table).check()
    except (LedgerTableMissing, LedgerTableForeign) as error:
        if not (config.ledger.create and isinstance(error, LedgerTableMissing)):
            yield Problem(what=error.what, next_step=error.next_step)


def _stream(name: str, accounts: Accounts) -> Iterator[Problem]:
    ask = accounts.aws("kinesis").describe_stream_summary
    answer = if_there("kinesis:DescribeStreamSummary", f"stream {name}", ask, StreamName=name)
    state = answer["StreamDescriptionSummary"]["StreamStatus"] if answer else "not there"
    if state not in READABLE:
        step = "firnline preview says whether it would be made; one that is CREATING can be read in a minute or so."
        yield Problem(what=f"Stream {name} is {state}.", next_step=step)


def _targets(config: EngineConfig, spec: EnvironmentSpec, accounts: Accounts) -> Iterator[Problem]:
    """A table that SHOW does not list, and on which the engine's role has a grant all the same, is another owner's."""
    with checked_session(spec, accounts) as session:
        for pipeline in config.pipelines:
            role = Identifier.parse(config.logged_in_for(pipeline).snowflake.role)
            granted = {each.name for each in grants_with_inherited(session, role) or ()}
            for word, name in _opened(pipeline):
                parts = tuple(part.name for part in name.parts)
                if parts not in granted and listed(session, word, name) is None:
                    yield Problem(
                        what=f"{word.capitalize()} {name} of stream {pipeline.stream} is not there, or can't be seen, and role "
                        f"{role} has no right on it.",
                        next_step="UNDROP TABLE has a dropped one again, and answers that it exists where another owner has it "
                        "by now; firnline drift says what else is missing.",
                    )


def _opened(pipeline: PipelineConfig) -> Iterator[tuple[str, QualifiedName]]:
    where = QualifiedName.of(pipeline.database, pipeline.schema_).parts
    yield from (("TABLE", QualifiedName((*where, Identifier(each)))) for each in pipeline.tables)
    if pipeline.pipe is not None:
        yield "PIPE", QualifiedName((*where, Identifier.parse(pipeline.pipe)))
