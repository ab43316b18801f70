"""Programs in process, against the real embedded services; what they made is looked at with boto3 and the connector."""

import asyncio
import contextvars
import gc
import os
import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pulumi
import pulumi_aws as aws
import pulumi_snowflake as snowflake
import pytest

from firnline_local.errors import UnknownTypeToken
from firnline_local.pulumi.errors import (
    ConfigurationRefused,
    DeletionRefused,
    ImportRefused,
    InputsRefused,
    NotInProcess,
    ServiceRefused,
)
from firnline_local.pulumi.in_process.application import ProgramApplication
from tests.fakes.kinesis import made_active

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
Program = Any


@pytest.fixture
def name() -> str:
    return f"apply-{uuid4().hex[:8]}"


@pytest.fixture
def application(local_environment: "RunningEnvironment") -> Iterator[ProgramApplication]:
    application = ProgramApplication(local_environment)
    yield application
    application.destroy()


def up(application: ProgramApplication, program: Program, **options: Any) -> dict[str, Any]:
    return application.up(program, stack="dev", project="firnline", **options)


def stream(name: str, *, hours: int = 24, **options: Any) -> Program:
    def program() -> None:
        made = aws.kinesis.Stream(
            "orders",
            name=name,
            shard_count=1,
            retention_period=hours,
            opts=pulumi.ResourceOptions(**options),
        )
        pulumi.export("arn", made.arn)

    return program


def hours_of(environment: "RunningEnvironment", name: str) -> int:
    found = environment.client("kinesis").describe_stream_summary(StreamName=name)
    return int(found["StreamDescriptionSummary"]["RetentionPeriodHours"])


def streams(environment: "RunningEnvironment") -> list[str]:
    return list(environment.client("kinesis").list_streams()["StreamNames"])


class Landing(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:Landing", name, None, opts)
        database = snowflake.Database("database", name=name, opts=pulumi.ResourceOptions(parent=self))
        schema = snowflake.Schema(
            "schema", name="RAW", database=database.name, opts=pulumi.ResourceOptions(parent=self)
        )
        self.name = schema.fully_qualified_name
        self.register_outputs({"name": self.name})


def test_components_and_outputs_of_one_resource_in_the_inputs_of_another(application: ProgramApplication) -> None:
    database = f"APPLY_{uuid4().hex[:8].upper()}"
    outputs = up(application, lambda: pulumi.export("name", Landing(database).name))
    assert outputs == {"name": f'"{database}"."RAW"'}
    assert [(record.token, record.name) for record in application.resources] == [
        ("snowflake:index/database:Database", "database"),
        ("snowflake:index/schema:Schema", "schema"),
    ]
    assert application.resources[1].urn == (
        "urn:pulumi:dev::firnline::firnline:index:Landing$snowflake:index/schema:Schema::schema"
    )


def test_a_made_up_name_is_spelt_as_the_service_takes_it(application: ProgramApplication) -> None:
    def program() -> None:
        aws.kms.Alias("Data", target_key_id=aws.kms.Key("key").key_id)
        aws.s3.Bucket("Lake")

    up(application, program)
    ids = {record.name: record.id for record in application.resources}
    assert re.fullmatch("alias/Data-[0-9a-f]{7}", ids["Data"])
    assert re.fullmatch("lake-[0-9a-f]{7}", ids["Lake"])


def test_what_must_wait_is_made_later(application: ProgramApplication, name: str) -> None:
    def program() -> None:
        later = pulumi.ResourceOptions(depends_on=[aws.kinesis.Stream("first", name=name, shard_count=1)])
        aws.iam.User("second", name=name, opts=later)
        aws.iam.User("third", name=f"{name}-3")

    up(application, program)
    order = [record.name for record in application.resources]
    assert order.index("first") < order.index("second")
    assert set(order) == {"first", "second", "third"}


def test_applied_again_it_changes_what_differs_and_only_that(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    first = up(application, stream(name))
    made = application.resources
    assert up(application, stream(name)) == first
    assert application.resources == made
    up(application, stream(name, hours=48))
    assert hours_of(local_environment, name) == 48
    assert [record.id for record in application.resources] == [record.id for record in made]


def test_what_was_changed_or_removed_behind_its_back_is_repaired(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    up(application, stream(name))
    kinesis = local_environment.client("kinesis")
    kinesis.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=72)
    up(application, stream(name))
    assert hours_of(local_environment, name) == 24
    kinesis.delete_stream(StreamName=name)
    kinesis.get_waiter("stream_not_exists").wait(StreamName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 10})
    up(application, stream(name))
    assert hours_of(local_environment, name) == 24


def test_what_the_program_no_longer_names_is_deleted(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    up(application, stream(name))
    up(application, lambda: None)
    assert application.resources == []
    assert name not in streams(local_environment)


def test_what_cannot_be_changed_is_replaced(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    up(application, stream(name))
    up(application, stream(f"{name}-2"))
    assert f"{name}-2" in streams(local_environment)
    assert name not in streams(local_environment)


def test_ignored_changes_stay_as_they_are(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    up(application, stream(name))
    up(application, stream(name, hours=48, ignore_changes=["retentionPeriod"]))
    assert hours_of(local_environment, name) == 24


def test_an_adopted_resource_is_read_and_not_made(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    made_active(local_environment.client("kinesis"), name)
    outputs = up(application, stream(name, import_=name))
    assert outputs["arn"] == application.resources[0].id
    with pytest.raises(ServiceRefused, match="ResourceInUseException"):
        up(ProgramApplication(local_environment), stream(name))


def test_an_adoption_that_differs_is_refused_by_the_name_of_the_difference(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    with pytest.raises(ImportRefused, match="there is none"):
        up(application, stream(name, import_=name))
    made_active(local_environment.client("kinesis"), name)
    with pytest.raises(ImportRefused, match="differs from the program in retentionPeriod"):
        up(application, stream(name, hours=48, import_=name))
    local_environment.client("kinesis").delete_stream(StreamName=name)


def test_a_protected_resource_survives_and_stays_known(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    up(application, stream(name, protect=True))
    with pytest.raises(DeletionRefused, match="orders is protected"):
        application.destroy()
    assert name in streams(local_environment)
    up(application, stream(name))


def test_mistakes_are_refused_before_anything_is_made(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    def program() -> None:
        aws.kinesis.Stream("orders", name=name, shard_count=1, encryption_type="AES", retention_period="long")

    with pytest.raises(
        InputsRefused, match=r"(?s)retentionPeriod: expected a number.*encryptionType: 'AES' is none of"
    ):
        up(application, program)
    assert name not in streams(local_environment)


def test_after_a_failure_what_was_made_is_known_and_what_depends_on_it_is_not_begun(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    local_environment.client("kinesis").create_stream(StreamName=name, ShardCount=1)

    def program() -> None:
        user = aws.iam.User("user", name=name)
        taken = aws.kinesis.Stream("taken", name=name, shard_count=1, opts=pulumi.ResourceOptions(depends_on=[user]))
        aws.iam.User("after", name=taken.arn.apply(lambda _: f"{name}-2"))

    with pytest.raises(ServiceRefused, match=r"(?s)taken: CreateStream was refused.*pulumi import"):
        up(application, program)
    assert [record.name for record in application.resources] == ["user"]
    local_environment.client("kinesis").delete_stream(StreamName=name)


def test_an_exception_of_the_program_is_the_callers(application: ProgramApplication, name: str) -> None:
    def program() -> None:
        stream(name)()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        up(application, program)
    assert [record.name for record in application.resources] == ["orders"]


def test_a_type_that_nothing_makes_is_refused_by_name(application: ProgramApplication) -> None:
    with pytest.raises(UnknownTypeToken, match="aws:sqs/queue:Queue"):
        up(application, lambda: aws.sqs.Queue("queue") and None)


def test_a_provider_of_the_programs_own_is_for_this_account_or_none(
    application: ProgramApplication, local_environment: "RunningEnvironment", name: str
) -> None:
    def program(account: str) -> None:
        provider = aws.Provider("here", region="us-east-1", allowed_account_ids=[account])
        stream(name, provider=provider)()

    up(application, lambda: program(aws.get_caller_identity().account_id))
    assert name in streams(local_environment)
    with pytest.raises(ConfigurationRefused, match="111111111111"):
        up(application, lambda: program("111111111111"))


def test_the_configuration_of_the_stack_is_the_providers_and_the_programs(
    application: ProgramApplication, name: str
) -> None:
    with pytest.raises(ConfigurationRefused, match="eu-central-1 is not here"):
        up(application, stream(name), config={"aws:region": "eu-central-1"})

    def program() -> None:
        pulumi.export("said", pulumi.Config().require("word"))
        pulumi.export("region", aws.get_region_output().region)

    assert up(application, program, config={"firnline:word": "hello"}) == {"said": "hello", "region": "us-east-1"}


def test_a_secret_reaches_the_service_as_it_is(application: ProgramApplication, name: str) -> None:
    def program() -> None:
        user = aws.iam.User("user", name=name, tags={"open": "o"})
        parameter = aws.ssm.Parameter(
            "parameter", name=f"/{name}", type="SecureString", value=pulumi.Output.secret("hush")
        )
        pulumi.export("value", parameter.value)
        pulumi.export("user", user.name)

    assert up(application, program) == {"value": "hush", "user": name}


@pytest.mark.parametrize(
    "program",
    [
        lambda: pulumi.export("all", pulumi.StackReference("org/foundation/dev").outputs),
        lambda: pulumi.export("shards", aws.kinesis.Stream.get("orders", "orders").shard_count),
    ],
    ids=["a stack", "a resource"],
)
def test_what_only_the_engine_looks_up_is_refused(application: ProgramApplication, program: Program) -> None:
    with pytest.raises(NotInProcess, match="the engine's ReadResource"):
        up(application, program)


def test_nothing_of_it_is_left_in_the_process(application: ProgramApplication, name: str) -> None:
    settings = (pulumi.runtime.settings.SETTINGS.monitor, pulumi.runtime.get_root_resource(), pulumi.get_stack())
    variables = dict(contextvars.copy_context())
    environ, threads = dict(os.environ), threading.active_count()
    up(application, stream(name))
    assert settings == (
        pulumi.runtime.settings.SETTINGS.monitor,
        pulumi.runtime.get_root_resource(),
        pulumi.get_stack(),
    )
    assert dict(contextvars.copy_context()) == variables
    assert dict(os.environ) == environ
    assert threading.active_count() <= threads
    gc.collect()  # a loop, a socket or a coroutine that was left open would warn here


def test_it_can_be_called_where_an_event_loop_runs(application: ProgramApplication, name: str) -> None:
    async def call() -> dict[str, Any]:
        return up(application, stream(name))

    assert asyncio.run(call())["arn"].endswith(name)
