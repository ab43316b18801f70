"""Estimates are arithmetic over the engine's own intervals, the sizes of the blueprint and a file of prices."""

import json
import re
from dataclasses import fields, replace
from datetime import date
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from firnline_infra.blueprint.prices import Standing, prices
from firnline_infra.blueprint.size import size_of
from firnline_infra.cli.main import firnline
from firnline_infra.estimate.cost import costs
from firnline_infra.estimate.load import (
    CPU_MS_PER_MB,
    CPU_MS_PER_READ,
    HEARTBEAT_S,
    LEDGER_WRITE_S,
    MARKS_BYTES,
    OFFSET_BYTES,
    Load,
)
from firnline_infra.estimate.text import estimate_document, estimate_text
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.runtime import SECTIONS
from firnline_infra.specification.runtimes.emr_ec2 import vcpus_of
from firnline_infra.specification.runtimes.options import Architecture
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.ledger.left_out import MOST_MARKS, LeftOutMark
from firnline_ingest.values import Position
from tests.infra.runtimes.environments import ENVIRONMENTS, spec_of

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "estimate.md").read_text()


def load_of(shards: int) -> Load:
    return Load(shards=shards, mb_per_s=0.3 * shards, size=size_of(shards))


def test_the_intervals_are_the_engines() -> None:
    from firnline_ingest.shard.work import ShardServices

    defaults = {field.name: field.default for field in fields(ShardServices)}
    assert defaults["write_every_s"] == LEDGER_WRITE_S
    assert defaults["heartbeat_every_s"] * 0.75 == HEARTBEAT_S  # between a half and a whole one, by chance


def test_the_offset_of_a_shard_is_as_long_as_the_engine_writes_it() -> None:
    from firnline_ingest.kinesis.start import After
    from firnline_ingest.spark.planner import SourceOffset
    from firnline_ingest.values import Position

    starts = {f"shardId-{each:012d}": After(Position(int("4" * 56), 1, 1)).text for each in range(500)}
    written = len(json.dumps(SourceOffset(1, {"orders@1700000000": starts}).as_document()))
    assert 0.85 < written / (500 * OFFSET_BYTES) <= 1.0


@pytest.mark.parametrize(
    ("shards", "cores", "writes", "offset_kb"), [(10, 4, 2, 1.1), (500, 34, 100, 55), (10_000, 632, 2000, 1100)]
)
def test_what_an_engine_needs_grows_with_its_shards(shards: int, cores: int, writes: float, offset_kb: float) -> None:
    load = load_of(shards)
    assert (load.size.cores, load.ledger_writes_per_s, load.offset_kb) == (cores, writes, offset_kb)
    assert load.busy_cores < load.size.slots / 2


def test_the_cpu_of_a_megabyte_and_of_a_read_are_those_that_the_bench_wrote_down() -> None:
    measured = (
        (ROOT / "docs" / "performance.md")
        .read_text()
        .partition("<!-- bench: shards -->")[2]
        .partition("<!-- /bench -->")[0]
    )
    for row, used in (("a MB, without its reads", CPU_MS_PER_MB), ("a read of theirs", CPU_MS_PER_READ)):
        (found,) = re.findall(rf"^\| {row} \| ([\d.]+) CPU ms", measured, re.MULTILINE)
        assert float(found) == used, row


def test_reads_that_bring_little_are_counted_beside_the_megabytes() -> None:
    """At 0.3 MB/s a read brings 63 KB: most of a shard's cost is its reads (docs/performance.md, thin shards)."""
    thin, full = load_of(500), replace(load_of(100), mb_per_s=150.0)
    assert thin.mb_per_s == full.mb_per_s
    assert thin.busy_cores > 2 * full.busy_cores
    assert replace(thin, read_s=1.0).busy_cores < thin.busy_cores
    assert PollingConfig().interval_ms == 1000 * thin.read_s


def test_thin_shards_are_told_to_be_read_less_often_by_fuller_tasks() -> None:
    """500 shards at 0.3 MB/s: two thirds of the busy cores are reads; once in a second, 64 shards keep 0.6 of one busy."""
    text = " ".join(estimate_text(load_of(500), []).split())
    assert "Thin shards: 7.0 of the 10.3 busy cores are reads, one of each shard in 210 ms." in text
    assert "`polling.interval_ms: 1000` all of it takes 4.8 cores" in text
    assert "`epoch.shards_per_task: 64`" in text
    assert "`epoch.shards_per_task: 128`" in estimate_text(replace(load_of(500), mb_per_s=25.0), [])


@pytest.mark.parametrize(
    "load",
    [
        load_of(32),
        replace(load_of(500), mb_per_s=500.0),
        replace(load_of(500), shards_per_task=64),
        replace(load_of(500), fan_out=1.0),
    ],
    ids=["one task", "full shards", "fuller tasks", "nothing is polled"],
)
def test_nobody_else_is_told_so(load: Load) -> None:
    assert "Thin shards" not in estimate_text(load, [])


def test_more_shards_than_an_application_can_have_are_counted_as_several_applications() -> None:
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    spec = parse_spec(yaml.safe_dump(document), "dev")
    whole, one = Load.of(spec, shards=5000), Load.of(spec, shards=1667)
    assert (whole.applications, whole.shards_of_an_application) == (3, 1667)
    assert (whole.cores, whole.memory_mib) == (3 * one.cores, 3 * one.memory_mib)
    text = estimate_text(whole, costs(whole, "emr_serverless", Architecture.ARM64))
    assert "3, of 1,667 shards each" in text
    assert "Split:" in text
    assert Load.of(spec, shards=2000).applications == 1


def test_each_table_of_a_pipeline_is_a_channel_and_a_part_of_the_ledgers_row() -> None:
    one, five = load_of(500), replace(load_of(500), tables=5)
    assert (one.channels, one.units_a_write, one.split_shards) == (500, 2, 2000)
    assert (five.channels, five.units_a_write, five.split_shards) == (2500, 4, 1250)
    assert five.ledger_units_a_month == 2 * one.ledger_units_a_month
    assert "500, 2,500" in estimate_text(five, [])


def test_the_row_of_a_pipeline_with_a_query_has_what_it_dropped_beside() -> None:
    queried = replace(load_of(500), has_query=True)
    assert (queried.units_a_write, queried.split_shards) == (5, 1000)
    mark = LeftOutMark(Position(int("4" * 56)), 999_999_999, (1 << 64) - 1, 1_795_000_000_000)
    assert 0.9 * MARKS_BYTES < (MOST_MARKS + 2) * len(mark.text) <= MARKS_BYTES


@pytest.mark.parametrize("kind", SECTIONS)
def test_each_runtime_has_a_price_and_the_records_cost_the_same_on_each_way(kind: str) -> None:
    made = costs(load_of(500), kind, Architecture.ARM64)
    assert all(cost.usd > 0 for cost in made)
    assert len({round(cost.usd, 6) for cost in made if cost.part == "Snowpipe Streaming"}) == 1
    assert {cost.way for cost in made} == {"Firnline", "Firehose", "Openflow BYOC"}


def test_memory_of_emr_serverless_is_paid_in_the_sizes_that_workers_come_in() -> None:
    """8 vCPUs come with 16, 20, 24 … GB: an executor of 17 GB is one of 20. Pods are paid for what they ask."""
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())

    def machines(executor_mib: int, kind: str) -> float:
        size = {"executors": 1, "executor_cores": 8, "executor_memory_mib": executor_mib, "overhead_mib": 1024}
        document["aws"]["runtime"] = {"size": size}
        return parts(parse_spec(yaml.safe_dump(document), "dev"), kind)[f"machines ({kind})"]

    assert machines(16 * 1024, "emr_serverless") == machines(19 * 1024, "emr_serverless")
    assert machines(19 * 1024, "emr_serverless") < machines(20 * 1024, "emr_serverless")
    assert machines(16 * 1024, "emr_eks") < machines(19 * 1024, "emr_eks")


def parts(spec: EnvironmentSpec, kind: str) -> dict[str, float]:
    return {cost.part: cost.usd for cost in costs(Load.of(spec), kind, Architecture.ARM64)}


def test_enhanced_fan_out_is_paid_by_shard_hour_and_by_volume() -> None:
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    (stream,), (pipeline,) = document["streams"], document["pipelines"]
    stream |= {"shards": 100, "consumers": ["engine"]}
    polled = parse_spec(yaml.safe_dump(document), "dev")
    pipeline["reader"] = {"fan_out": {"consumer": "engine"}}
    consumed = parse_spec(yaml.safe_dump(document), "dev")
    assert "consumers (fan-out)" not in parts(polled, "emr_serverless")
    # 100 shards for 720 hours at 0.015, and 77,760 GB at 0.013
    assert parts(consumed, "emr_serverless")["consumers (fan-out)"] == pytest.approx(1080 + 1010.88)
    assert parts(consumed, "emr_serverless")["shards of streams that are made"] == pytest.approx(1080)


def test_reads_of_idle_shards_are_counted_as_the_engine_makes_them_and_kinesis_bills_none() -> None:
    """64 shards, a read in two seconds each: the bench's own case."""
    polled = load_of(64)
    assert polled.idle_reads_per_s == 32
    assert polled.idle_cores == pytest.approx(0.167, abs=0.005)
    assert "32 a second, 0.2 cores; Kinesis bills none" in estimate_text(polled, [])
    assert replace(polled, fan_out=0.5).idle_reads_per_s == 16
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    shards = Load.of(parse_spec(yaml.safe_dump(document), "dev")).shards
    for interval_ms, idle_ms, pause_s in ((210, 5000, 5), (2000, 1000, 2)):
        document["polling"] = {"interval_ms": interval_ms, "idle_interval_ms": idle_ms}
        assert Load.of(parse_spec(yaml.safe_dump(document), "dev")).idle_reads_per_s == shards / pause_s
    assert PollingConfig().idle_interval_ms == 1000 * polled.idle_read_s


def test_the_images_that_the_environments_own_repository_keeps_are_counted() -> None:
    """The base counts once, and the newest hundred, a GB of which costs 0.1."""
    own, given = spec_of("dev", "kubeflow", kubernetes={}), spec_of("dev", "kubeflow")
    part = "images in ECR, at most"
    assert parts(own, "kubernetes")[part] == pytest.approx((1 + 100 * 0.13) * 0.1)
    assert part not in parts(given, "kubernetes")


def test_a_cluster_that_is_made_is_counted_whole_and_an_adopted_one_by_the_engines_part() -> None:
    """The cluster has a primary node, and a core node for each executor and the driver; 4 vCPUs each."""
    made = spec_of("dev", "emr_ec2", size={"shards": 4})
    load = Load.of(made)
    assert (load.cores, load.size.cores) == (12, 4)
    hour = 12 * prices()["ec2_vcpu_hour_arm64"].price * 1.25
    assert parts(made, "emr_ec2")["machines (emr_ec2)"] == pytest.approx(hour * 720)
    adopted = spec_of("dev", "emr_ec2", emr_ec2={"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"})
    assert Load.of(adopted).cores == Load.of(adopted).size.cores


SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:redshift-AbCdEf"
ADOPTED = "arn:aws:redshift-serverless:eu-central-1:111122223333:workgroup/0f1e2d3c"


@pytest.mark.parametrize(
    ("section", "view", "usd", "said"),
    [
        ({"workgroup": {"base_capacity": 16}}, {}, 16 * 0.36 * 720, "keep workgroup firnline-dev at work"),
        ({"workgroup": {}}, {"refresh": "manual"}, None, "8 RPUs are 2.88 USD an hour"),
        (
            {"workgroup": {}, "secret_arn": SECRET},
            {"refresh": "manual", "refresh_every_minutes": 15},
            8 * 0.36 * 48,
            "2,880 scheduled refreshes a month",
        ),
        (
            {"workgroup": {}, "secret_arn": SECRET},
            {"refresh_every_minutes": 15},
            8 * 0.36 * 720,
            "at work",
        ),
        (
            {"workgroup": {"origin": "adopt", "name": "analytics", "arn": ADOPTED}},
            {},
            None,
            "workgroup analytics exists",
        ),
        ({"cluster": {"origin": "adopt", "identifier": "reports"}}, {}, None, "cluster reports exists"),
        (
            {"cluster": {"nodes": 2}},
            {},
            2 * 0.543 * 720,
            "cluster firnline-dev has 2 x ra3.large, paid while nothing runs",
        ),
        ({"cluster": {"node_type": "rg.xlarge"}}, {}, None, "whose price is not known here"),
    ],
)
def test_a_workgroup_that_is_made_is_counted_and_what_is_not_is_said(
    section: dict[str, object], view: dict[str, str], usd: float | None, said: str
) -> None:
    document = yaml.safe_load((ENVIRONMENTS / "dev.yaml").read_text())
    stream = document["streams"][0]["name"]
    document["redshift"] = {**section, "views": [{"stream": stream, **view}]}
    load = Load.of(parse_spec(yaml.safe_dump(document), "dev"))
    made = costs(load, "emr_serverless", Architecture.ARM64)
    assert [cost.usd for cost in made if cost.way.startswith("Redshift")] == (
        [] if usd is None else [pytest.approx(usd)]
    )
    assert said in " ".join(estimate_text(load, made).split())
    assert said in " ".join(estimate_document(load, made)["remarks"])
    assert {cost.way for cost in costs(replace(load, redshift=None), "emr_serverless", Architecture.ARM64)} == {
        *("Kinesis, with each", "Firnline", "Firehose", "Openflow BYOC")
    }


@pytest.mark.parametrize(
    ("instance_type", "vcpus"),
    [("m7g.xlarge", 4), ("m7g.large", 2), ("c7g.16xlarge", 64), ("c7i.metal-24xl", 96), ("m5.metal", None)],
)
def test_an_instance_types_size_says_its_vcpus(instance_type: str, vcpus: int | None) -> None:
    assert vcpus_of(instance_type) == vcpus


def test_every_price_says_when_and_where_it_is_from() -> None:
    for price in prices().values():
        assert date.fromisoformat(price.date) <= date.today()
        assert price.source
        assert price.price > 0


def test_the_page_has_every_price_with_its_standing() -> None:
    for name, price in prices().items():
        assert (
            f"| `{name}` | {price.price} | {price.what} | {price.date} | {price.standing.value}: {price.source} |"
            in PAGE
        )
    assert Standing.PRIMARY.value not in re.findall(r"\| (\w+): ", PAGE)


@pytest.mark.parametrize("shards", [10, 500, 10_000])
def test_the_pages_examples_are_the_commands_answers(shards: int) -> None:
    dev = str(ROOT / "stacks" / "environments" / "dev.yaml")
    result = CliRunner().invoke(firnline, ["estimate", dev, "--shards", str(shards)])
    assert result.exit_code == 0, result.output
    needs, table, *_ = result.output.split("\n\n")
    assert needs in PAGE
    assert table in PAGE
    assert ("Split:" in result.output) == (shards == 10_000)
