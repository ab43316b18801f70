"""Size of an engine, from the number of its shards. The figures are those of docs/performance.md, at its bounds.

A task reads up to 32 shards with one thread each, and occupies one core. At the most that shards give (2 MB a second while
catching up) 32 of them take 0.8 of a core. Rows never cross the JVM: memory is needed beside it, for the Python workers.
"""

import math

from firnline_infra.environment import Environment
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.runtimes.emr_serverless import worker_gb

MIB_PER_CORE = 1024
"""Of the JVM's heap, and the same again beside it: 2 GiB a core is the least that EMR Serverless gives, and twice what a
worker with 32 shards was seen to take."""
HEADROOM = 2
"""A reshard that doubles the shards needs no new size."""
CORES_OF_AN_EXECUTOR = 4
SHARDS_OF_A_SMALL_DRIVER = 1000
UNKNOWN_SHARDS = 4
"""What AWS begins a stream on demand with; the specification's `size.shards` says better."""


@part
class Size(Definition):
    """The size of one job. `overhead_mib` is what each executor has beside its JVM, `driver_overhead_mib` the driver."""

    driver_cores: int
    driver_memory_mib: int
    driver_overhead_mib: int
    executors: int
    executor_cores: int
    executor_memory_mib: int
    overhead_mib: int

    @property
    def slots(self) -> int:
        """Tasks that run at once."""
        return self.executors * self.executor_cores

    @property
    def cores(self) -> int:
        return self.driver_cores + self.slots

    @property
    def memory_mib(self) -> int:
        """The memory of driver and executors together, JVMs and what is beside them."""
        executor = self.executor_memory_mib + self.overhead_mib
        return self.driver_memory_mib + self.driver_overhead_mib + self.executors * executor


def size_of(shards: int, *, shards_per_task: int = 32) -> Size:
    """The smallest size that reads `shards` shards with twice as many in sight."""
    slots = HEADROOM * math.ceil(shards / shards_per_task)
    cores = min(slots, CORES_OF_AN_EXECUTOR)
    driver = 2 if shards <= SHARDS_OF_A_SMALL_DRIVER else 4
    return Size(
        driver_cores=driver,
        driver_memory_mib=driver * MIB_PER_CORE,
        driver_overhead_mib=driver * MIB_PER_CORE,
        executors=math.ceil(slots / cores),
        executor_cores=cores,
        executor_memory_mib=cores * MIB_PER_CORE,
        overhead_mib=cores * MIB_PER_CORE,
    )


def core_nodes_of(size: Size) -> int:
    """The core nodes of an EMR cluster: one for each executor, and one for the driver, which YARN puts onto a core node."""
    return size.executors + 1


def shards_of(environment: Environment) -> int:
    """The shards that the pipelines read, as far as the specification knows: `size.shards` wins."""
    if environment.aws.runtime.size.shards is not None:
        return environment.aws.runtime.size.shards
    return sum(stream.shards or UNKNOWN_SHARDS for stream in streams_read(environment))


def streams_read(environment: Environment) -> list[StreamOptions]:
    """The streams that pipelines read."""
    read = {pipeline.stream for pipeline in environment.pipelines}
    return [stream for stream in environment.streams if stream.name in read]


def tables_of(environment: Environment) -> int:
    """The most that a shard is written into."""
    return max(1 + len(pipeline.routed) for pipeline in environment.pipelines)


def size_of_specification(environment: Environment) -> Size:
    """Returns the size; what the specification sets outright wins, and cores that it gives bring their memory with them."""
    given = environment.aws.runtime.size
    usual = size_of(shards_of(environment), shards_per_task=environment.spec.epoch.shards_per_task)
    driver, executor = given.driver_cores or usual.driver_cores, given.executor_cores or usual.executor_cores
    return Size(
        driver_cores=driver,
        driver_memory_mib=given.driver_memory_mib or driver * MIB_PER_CORE,
        driver_overhead_mib=driver * MIB_PER_CORE,
        executors=given.executors or math.ceil(usual.slots / executor),
        executor_cores=executor,
        executor_memory_mib=given.executor_memory_mib or executor * MIB_PER_CORE,
        overhead_mib=given.overhead_mib or executor * MIB_PER_CORE,
    )


def workers_gb(size: Size) -> int:
    """Returns the memory of the workers that EMR Serverless runs a job of this size on."""
    driver = worker_gb(size.driver_cores, size.driver_memory_mib + size.driver_overhead_mib)
    return driver + size.executors * worker_gb(size.executor_cores, size.executor_memory_mib + size.overhead_mib)
