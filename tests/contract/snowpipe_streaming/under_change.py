"""An engine's driver and one shard of it, epoch after epoch, against the embedded Snowflake and through the real SDK.

What the driver does (it looks at the table and judges receipts) and what a process does (it reads, appends, proves) are the
engine's own parts; only Spark between them is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firnline_ingest.errors import FirnlineError, SnowflakeError
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.schemas import SchemaRegistries
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt, ShardProblem
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.steps import EpochStep, Observer, unobserved
from firnline_ingest.snowflake.listing import Statements
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.columns import ColumnWatch
from firnline_ingest.spark.policy import ShardPolicy
from firnline_ingest.spark.table_watch import TableWatch
from firnline_ingest.values import ShardKey
from tests.ingest.shard.conftest import World as ShardWorld

World = Any  # of conftest.py
EPOCH_S = 0.1
MOST_EPOCHS = 300
CHANNEL = "shard"
MADE = "CREATE TABLE ORDERS (N NUMBER, V VARCHAR, KINESISMETADATA OBJECT) {} ERROR_LOGGING = TRUE"
GRANTED = "GRANT INSERT, EVOLVE SCHEMA ON TABLE ORDERS TO ROLE INGEST"


@dataclass
class Engine:
    """An engine of one pipeline into ORDERS, with one shard."""

    world: World
    folder: Path
    pipeline: dict[str, Any] = field(default_factory=dict)
    session: Statements | None = None
    now_s: float = 0.0
    """Of the policy's clock and the catalog's: a test lets the time pass after which what stopped is tried again."""
    observer: Observer = unobserved

    def __post_init__(self) -> None:
        self.shard = ShardWorld(self.folder)
        self.config = self.world.engine_config()
        (configured,) = self.config.pipelines
        asked = configured.model_copy(update={"table": "ORDERS"})
        self.asked = asked.model_validate(asked.model_dump(by_alias=True) | self.pipeline)
        self.catalog = TargetCatalog(self.config, self.session, clock=lambda: self.now_s)
        self.columns, self.tables = ColumnWatch(), TableWatch()
        self.policy = ShardPolicy(clock=lambda: self.now_s)
        self.epoch = 0
        self.put = 0
        self.group = self._process()

    def close(self) -> None:
        self.group.close()

    def start_again(self) -> None:
        """Another process, with nothing remembered."""
        self.group, self.policy = self._process(), ShardPolicy(clock=lambda: self.now_s)

    def _process(self) -> ShardGroup:
        channels = self.world.channels(missing_patience_s=0.2)
        self.new_columns = NewColumns.of(self.config) if self.asked.adds_columns else None
        services = self.shard.services(
            channels=channels,
            new_columns=self.new_columns,
            schemas=SchemaRegistries(self.config.aws),
            observer=self._observe,
            run_id="run",
            reopen_delay_s=0.02,
            prove_every_s=0.05,
            counter_settle_s=0.05,
        )
        return ShardGroup(services)

    def _observe(self, step: EpochStep, key: ShardKey) -> None:
        self.observer(step, key)

    def records(self, count: int, **more: Any) -> None:
        """Into the stream, numbered on."""
        for _ in range(count):
            self.shard.stream.put({"n": self.put, **more})
            self.put += 1

    def pause(self) -> None:
        """`firnline pipeline pause`: no epoch asks for the shard, which proves what it sent and gives its channel back."""
        self.group.finish()

    def resume(self) -> None:
        self.group = self._process()

    def run_epoch(self) -> list[Receipt]:
        """Runs an epoch as spark/epoch.py does."""
        self.epoch += 1
        try:
            (state,) = self.catalog.states([self.asked]).values()
        except SnowflakeError as error:
            state = error
        if isinstance(state, FirnlineError):
            receipts = [Receipt.of_pipeline("events", self.epoch, ShardProblem.of(state))]
        else:
            receipts = self._with(state)
        self.columns.sighted(receipts)
        self.policy.judge(receipts)
        return receipts

    def _with(self, state: TargetState) -> list[Receipt]:
        self.tables.look(self.catalog, {"events": state})
        self.columns.look(self.catalog, {"events": state})
        key = self.shard.key()
        if self.policy.leaves_out(key):
            return []
        work = self.shard.work(epoch=self.epoch, target=state.target, channel=CHANNEL, pipeline=self.asked)
        return self.group.run([work], Deadline.after(EPOCH_S))

    def until(self, is_enough: Callable[[], object], most: int = MOST_EPOCHS) -> list[Receipt]:
        """Epoch after epoch; the receipts. Fails where `most` are not enough."""
        receipts = []
        for _ in range(most):
            receipts += self.run_epoch()
            if is_enough():
                return receipts
        raise AssertionError([(receipt.epoch, str(receipt.state), receipt.problem) for receipt in receipts])

    @property
    def stopped(self) -> ShardProblem | None:
        """The problem that stands still, and why."""
        return next((one.problem for one in self.policy.stopped.values()), None)

    @property
    def proven_through(self) -> int | None:
        """The number of the last record that is proven."""
        through = self.shard.row.read_through
        numbers = (int(record.sequence_number) for record in self.shard.stream.records)
        known = [n for n, number in enumerate(numbers) if through and number <= through.sequence_number]
        return max(known, default=None)

    @property
    def proven(self) -> int:
        """Count of rows of the shard's channel that are proven, in the ledger."""
        row = self.shard.ledger.read(self.shard.key())
        entry = row.channels.get(CHANNEL) if row else None
        return entry.proven.rows_inserted if entry else 0


def numbers(sql: Callable[[str], list[tuple[Any, ...]]], table: str = "ORDERS") -> list[int]:
    return [int(number) for (number,) in sql(f"SELECT N FROM {table}")]
