"""Load of an engine with a number of shards on Spark, DynamoDB, S3 and Snowflake. The intervals are the engine's own
(ingest/firnline_ingest/shard), which a test compares.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from firnline_infra.blueprint.size import (
    UNKNOWN_SHARDS,
    Size,
    core_nodes_of,
    shards_of,
    size_of,
    size_of_specification,
    streams_read,
    tables_of,
    workers_gb,
)
from firnline_infra.environment import Environment
from firnline_infra.estimate.metadata import metadata_bytes
from firnline_infra.kinds.ecr import KEPT_IMAGES
from firnline_infra.runtimes.machine_prices import MIB_PER_GB
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.redshift import ViewRefresh
from firnline_infra.specification.runtimes.emr_ec2 import vcpus_of

SECONDS_A_MONTH = 30 * 24 * 3600
LEDGER_WRITE_S, HEARTBEAT_S = 5.0, 22.5
"""The time between two writes of a shard's row: while records flow, and of an idle shard on average."""
ROW_BYTES, CHANNEL_BYTES, UNIT_BYTES = 1000, 600, 1024
"""The size of a shard's row in the ledger: without channels, each channel's part, and what a unit of DynamoDB's takes."""
MARKS_BYTES = 3100
"""The size of what the row of a pipeline with a query keeps beside: up to 26 marks (docs/design/ledger.md, `left_out`)."""
UNITS_OF_A_PARTITION = 1000
"""DynamoDB's limit a second for one key; a stream's rows have one."""
OFFSET_BYTES = 110
"""The size of one shard in Spark's offset: its id, and a sequence number of 56 digits with what is behind it."""
CHECKPOINT_REQUESTS = 26
"""The requests of an epoch to S3: 24 that write, copy or list, and 26 that read at a twelfth of the price (docs/s3.md:
counted with Apache's S3A, not on an account)."""
CPU_MS_PER_MB, CPU_MS_PER_READ = 21.8, 2.96
"""docs/performance.md, last run of the part about shards: a megabyte without its reads, and a read that brings something."""
SLOW_READ_S = 1.0
TASK_CORES = 2 / 3
"""How busy a task may be, which has one core: shards that bring half as much again for a while do not fall behind."""
FULLER_TASKS = (128, 64)
CPU_MS_PER_IDLE_READ = 5.2
"""docs/performance.md: 64 idle shards are expected to take 0.167 of a core, all processes, at a read in two seconds each."""
IMAGE_GB, BASE_IMAGE_GB = 0.13, 1.0
"""The size of the layers that an image has of its own (docs/build.md: an archive is at most 112 MB, S3A's jars 12), and of
its base, which lies in the repository once; the base was not measured."""
CHANNELS_OF_A_PIPE = 2000
"""Snowflake's limit, which its support can raise; a stream's shards have a channel each, through one pipe."""


@dataclass(frozen=True, kw_only=True)
class RedshiftLoad:
    """Load of reading streams into Redshift. Compute is counted if its size and its hours are known from the specification."""

    place: str
    """For a person: workgroup analytics."""
    base_capacity: int | None
    """RPUs of a workgroup of Redshift Serverless that the stack makes; None where it makes none."""
    nodes: tuple[int, str] | None
    """How many of which type, of a cluster that the stack makes; None where it makes none."""
    is_busy: bool
    """True if a view is refreshed by itself: Redshift works, and is paid, as long as records arrive."""
    scheduled_a_month: float
    """Refreshes that `refresh_every_minutes` begins, of all views."""

    @classmethod
    def of(cls, spec: EnvironmentSpec) -> Self | None:
        section = spec.redshift
        if section is None:
            return None
        made, cluster = section.workgroup, section.cluster
        name = (made and made.name) or Names.of(spec).application
        return cls(
            place=f"cluster {section.cluster_name(name)}" if cluster else f"workgroup {name}",
            nodes=(cluster.nodes, cluster.node_type) if cluster and cluster.origin is Origin.CREATE else None,
            base_capacity=made.base_capacity if made and made.origin is Origin.CREATE else None,
            is_busy=any(view.refresh is ViewRefresh.AUTO for view in section.views),
            scheduled_a_month=sum(
                SECONDS_A_MONTH / 60 / view.refresh_every_minutes
                for view in section.views
                if view.refresh_every_minutes
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Load:
    """Load of one application, at a rate that is the same all month."""

    shards: int
    mb_per_s: float
    """The rate of all shards together."""
    size: Size
    epoch_s: float = 30.0
    tables: int = 1
    """How many tables each shard is written into: the pipeline's own and those that its routes lead to."""
    has_query: bool = False
    """True if a pipeline has a query, whose shards have larger rows in the ledger."""
    fan_out: float = 0.0
    """The part of the shards that the engine reads by consumers of enhanced fan-out, between 0 and 1."""
    made: float = 0.0
    """The part of the shards that belong to streams with a number of shards that the stack makes."""
    on_demand_streams: int = 0
    """How many streams on demand the stack makes."""
    on_demand: float = 0.0
    """The part of the shards, and so of the records, that is in those streams."""
    cluster_cores: int = 0
    """The cores of the machines of an EMR cluster that the stack makes for the engine; 0 where it makes none."""
    redshift: RedshiftLoad | None = None
    idle_read_s: float = 2.0
    """The time between two reads of a polled shard to which nothing comes."""
    read_s: float = 0.21
    """The time between two reads of a polled shard whose records arrive as time goes by."""
    shards_per_task: int = 32
    """How many shards a task has at most."""
    applications: int = 1
    """How many applications share the shards; `size` is of one of them."""
    metadata_bytes: float = 0.0
    """What the metadata adds to a row at most, on average of the shards."""
    record_bytes: float | None = None
    """How large a record is on average; None where nobody said."""
    kept_images: int = 0
    """The most images that the environment's own repository keeps; 0 where it has none."""

    @classmethod
    def of(
        cls,
        spec: EnvironmentSpec,
        *,
        shards: int | None = None,
        mb_per_s: float | None = None,
        record_bytes: float | None = None,
    ) -> Self:
        """The load of a specification; of another number of shards with the sizes that follow from that, divided among its
        streams as they are. 0.3 MB/s a shard where no rate is given: a third of what a shard takes.
        """
        environment = Environment.of(spec)
        count, tables = shards or shards_of(environment), tables_of(environment)
        has_query = any(pipeline.query is not None for pipeline in spec.pipelines)
        applications = math.ceil(count / split_shards(tables, has_query=has_query))
        is_of_specification = shards is None and applications == 1
        size = (
            size_of_specification(environment)
            if is_of_specification
            else size_of(math.ceil(count / applications), shards_per_task=spec.epoch.shards_per_task)
        )
        read = {stream.name: stream.shards or UNKNOWN_SHARDS for stream in streams_read(environment)}
        own = [stream for stream in streams_read(environment) if stream.origin is Origin.CREATE]
        by_consumer = {pipeline.stream for pipeline in spec.pipelines if pipeline.reader != "polling"}

        def part(names: Iterable[str]) -> float:
            return sum(read.get(name, 0) for name in names) / max(1, sum(read.values()))

        return cls(
            shards=count,
            mb_per_s=mb_per_s or 0.3 * count,
            size=size,
            epoch_s=spec.epoch.seconds,
            tables=tables,
            has_query=has_query,
            applications=applications,
            shards_per_task=spec.epoch.shards_per_task,
            read_s=spec.polling.interval_ms / 1000,
            fan_out=part(by_consumer),
            made=part(stream.name for stream in own if stream.shards is not None),
            on_demand_streams=sum(stream.shards is None for stream in own),
            on_demand=part(stream.name for stream in own if stream.shards is None),
            cluster_cores=_cluster_cores(spec, size),
            redshift=RedshiftLoad.of(spec),
            idle_read_s=max(spec.polling.interval_ms, spec.polling.idle_interval_ms) / 1000,
            metadata_bytes=sum(metadata_bytes(each) * part([each.stream]) for each in spec.pipelines),
            record_bytes=record_bytes,
            kept_images=KEPT_IMAGES if spec.aws.runtime.has_repository else 0,
        )

    @property
    def cores(self) -> int:
        """The cores that are paid for, of all applications."""
        return self.applications * (self.cluster_cores or self.size.cores)

    @property
    def memory_mib(self) -> int:
        """The memory of all applications."""
        return self.applications * self.size.memory_mib

    @property
    def workers_mib(self) -> int:
        """The memory of the workers of EMR Serverless that have room for all applications."""
        return self.applications * workers_gb(self.size) * MIB_PER_GB

    @property
    def shards_of_an_application(self) -> int:
        return math.ceil(self.shards / self.applications)

    @property
    def gb_a_month(self) -> float:
        return self.mb_per_s * SECONDS_A_MONTH / 1000

    @property
    def ingested_gb_a_month(self) -> float:
        """Returns what Snowflake ingests: the records, and where their size is known the metadata of their rows."""
        return self.gb_a_month * (1 + (self.metadata_bytes / self.record_bytes if self.record_bytes else 0))

    @property
    def busy_cores(self) -> float:
        """The cores that the records take, and the reads that bring them.

        A shard that is at its tip is read every `read_s`, however little each read brings.
        """
        return self.mb_per_s * CPU_MS_PER_MB / 1000 + self.reading_cores

    @property
    def reading_cores(self) -> float:
        """The part of the busy cores that is reads."""
        return self.shards * (1 - self.fan_out) / self.read_s * CPU_MS_PER_READ / 1000

    @property
    def with_slow_reads(self) -> "Load | None":
        """The same shards, read once in SLOW_READ_S, in tasks of twice as many or more; None where they are not that thin, or
        fit into one task.
        """
        slow = replace(self, read_s=max(self.read_s, SLOW_READ_S))
        fits = [most for most in FULLER_TASKS if slow.busy_cores / self.shards * most <= TASK_CORES]
        is_one_task = self.shards_of_an_application <= self.shards_per_task
        if self.fan_out == 1 or is_one_task or not fits or fits[0] < 2 * self.shards_per_task:
            return None
        return replace(slow, shards_per_task=fits[0])

    @property
    def idle_reads_per_s(self) -> float:
        """GetRecords, while no shard has records."""
        return self.shards * (1 - self.fan_out) / self.idle_read_s

    @property
    def idle_cores(self) -> float:
        return self.idle_reads_per_s * CPU_MS_PER_IDLE_READ / 1000

    @property
    def image_gb(self) -> float:
        """The size of a full repository."""
        return BASE_IMAGE_GB + self.kept_images * IMAGE_GB if self.kept_images else 0.0

    @property
    def channels(self) -> int:
        """One a shard and table."""
        return self.shards * self.tables

    @property
    def units_a_write(self) -> int:
        return units_a_write(self.tables, has_query=self.has_query)

    @property
    def split_shards(self) -> int:
        return split_shards(self.tables, has_query=self.has_query)

    @property
    def ledger_writes_per_s(self) -> float:
        """The writes at most: every shard has records all the time."""
        return self.shards / LEDGER_WRITE_S

    @property
    def ledger_units_a_month(self) -> float:
        return self.ledger_writes_per_s * self.units_a_write * SECONDS_A_MONTH

    @property
    def offset_kb(self) -> float:
        """The size of each file that Spark's checkpoint gets for an epoch."""
        return self.shards * OFFSET_BYTES / 1000

    @property
    def s3_requests_a_month(self) -> float:
        return self.applications * SECONDS_A_MONTH / self.epoch_s * CHECKPOINT_REQUESTS


def units_a_write(tables: int, *, has_query: bool = False) -> int:
    """DynamoDB's units of a write of a shard's row, with a channel for each table."""
    return math.ceil((ROW_BYTES + tables * CHANNEL_BYTES + has_query * MARKS_BYTES) / UNIT_BYTES)


def split_shards(tables: int, *, has_query: bool = False) -> int:
    """Shards of one stream from which a limit of Snowflake's or of DynamoDB's is near. A table has a pipe of its own."""
    units = units_a_write(tables, has_query=has_query)
    return min(CHANNELS_OF_A_PIPE, math.floor(UNITS_OF_A_PARTITION * LEDGER_WRITE_S / units))


def _cluster_cores(spec: EnvironmentSpec, size: Size) -> int:
    section = spec.aws.runtime.emr_ec2
    if section is None or section.origin is Origin.ADOPT:
        return 0
    primary_and_core = 1 + (section.core_nodes or core_nodes_of(size))
    return primary_and_core * (vcpus_of(section.instance_type) or 0)
