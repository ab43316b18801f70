"""The engine's configuration, from the specification and from what only exists once an environment was made."""

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from firnline_infra.blueprint.bucket_layout import (
    LETTERS_FOLDER,
    checkpoint_folder,
    folder,
    has_bucket,
    makes_bucket,
    s3_url,
    spark_url,
)
from firnline_infra.blueprint.proxy import run_options
from firnline_infra.blueprint.spark_s3 import spark_s3_settings
from firnline_infra.blueprint.storage import key_value
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import table_of
from firnline_infra.specification.partition import snowflake_url
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.service_users import INGEST, NamedUser, user_of
from firnline_ingest.config.access import AwsOptions
from firnline_ingest.config.document import parse
from firnline_ingest.config.metrics import DEFAULT_NAMESPACE, MetricsConfig, MetricsOptions
from firnline_ingest.config.pipeline import PipelineOptions
from firnline_ingest.config.reader import Registration
from firnline_ingest.config.routes import Unmatched

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


@part
class EngineInputs(Definition):
    """Outputs of a created environment that the engine's configuration needs. Nothing secret, only where a secret is found."""

    private_keys: Mapping[str, Mapping[str, Value]]
    """Of each user that writes, as `firnline keys` calls it: exactly one of file, env, secret_arn."""
    dead_letters: Mapping[str, Value]
    """Exactly one of folder, s3, stream (the engine's `dead_letters`)."""
    spark_checkpoint: str
    consumers: Mapping[str, Value] = field(default_factory=dict)
    """The ARN of the consumer by which a stream is read, for those that are not polled."""
    aws_endpoints: Mapping[str, str] = field(default_factory=dict)
    """A URL per service; the public endpoints where empty."""
    aws_options: Mapping[str, Any] = field(default_factory=dict)
    """What differs from the defaults of the engine's AwsOptions."""
    snowflake_url: str | None = None
    """The account's public URL by default."""
    snowflake_ca_file: str | None = None
    spark_master: str | None = None
    spark_conf: Mapping[str, str] = field(default_factory=dict)


KEY_VARIABLE = "FIRNLINE_PRIVATE_KEY"
"""The variable that holds the private key of an engine that runs with `trust: nobody`, without a secret in AWS; with the stream's
name behind it, that of a pipeline's own user."""
CHECKPOINT_OF_ONE_MACHINE = "/var/lib/firnline/checkpoint"
LETTERS_OF_ONE_MACHINE = "/var/lib/firnline/dead-letters"
ONE_MACHINE = "local[*]"
"""The Spark master that keeps all workers where the dead letters' folder is."""
SHORTEST_SESSION = 2  # of a role's session, which CloudTrail shows; the longest is an application's longest name


def engine_inputs(environment: Environment) -> EngineInputs:
    """The inputs, as far as the specification says them; the secret's ARN may be a reference to the secret that is made."""
    letters = _dead_letters(environment)
    return EngineInputs(
        private_keys={each.key: _private_key(each) for each in environment.users if each.writes},
        dead_letters=letters,
        consumers={pipeline.stream: arn for pipeline in environment.pipelines if (arn := consumer_of(pipeline))},
        spark_checkpoint=spark_url(environment, checkpoint_folder(environment))
        if has_bucket(environment)
        else CHECKPOINT_OF_ONE_MACHINE,
        spark_master=ONE_MACHINE if "folder" in letters else None,
        aws_endpoints={str(service): url for service, url in environment.network.endpoints.items()},
        aws_options=environment.aws.runtime.changed(AwsOptions.model_fields),
        snowflake_ca_file=None if environment.snowflake.ca_file is None else str(environment.snowflake.ca_file),
        snowflake_url=snowflake_url(environment.spec),
    )


def _dead_letters(environment: Environment) -> dict[str, Value]:
    """A bucket that is made encrypts with the environment's key by itself; an adopted one is told to."""
    letters, key_arn = environment.dead_letters, key_value(environment)
    if letters.stream is not None:
        return {"stream": letters.stream}
    if letters.folder is not None or not has_bucket(environment):
        return {"folder": letters.folder or LETTERS_OF_ONE_MACHINE}
    place: dict[str, Value] = {"s3": s3_url(environment, folder(environment, LETTERS_FOLDER))}
    return place if makes_bucket(environment) or key_arn is None else {**place, "kms_key_arn": key_arn}


def _private_key(user: NamedUser) -> dict[str, Value]:
    if user.options.private_key is not None:
        return user.options.private_key.changed()
    if user.has_secret:
        return {"secret_arn": secret_of(user)}
    own = "" if user.key == INGEST else f"_{re.sub('[^A-Z0-9]', '_', user.key.upper())}"
    return {"env": f"{KEY_VARIABLE}{own}"}


def secret_of(user: NamedUser) -> Value:
    return user.options.secret_arn or Reference(f"secret/{user.key}")


def engine_config(environment: Environment, inputs: EngineInputs) -> dict[str, Any]:
    """A document that `firnline_ingest.config` reads; what is absent in it keeps the engine's default."""
    names, common = environment.names, _common_user(environment)
    return {
        "version": 1,
        "application": names.application,
        "aws": {"region": environment.aws.region, "endpoints": dict(inputs.aws_endpoints), **inputs.aws_options},
        "ledger": {"table": names.ledger_table},
        "snowflake": _present(
            account=environment.snowflake.account,
            **_login(common, inputs),
            url=inputs.snowflake_url,
            ca_file=inputs.snowflake_ca_file,
        ),
        "pipelines": [
            _pipeline(environment, pipeline, inputs, _access(environment, pipeline))
            for pipeline in environment.pipelines
        ],
        **_patterns(environment, inputs),
        "dead_letters": dict(inputs.dead_letters),
        "spark": _present(
            checkpoint=inputs.spark_checkpoint, master=inputs.spark_master, conf=_spark_conf(environment, inputs)
        ),
        **run_options(environment),
        **({"metrics": metrics} if (metrics := metrics_config(environment).changed()) else {}),
    }


def metrics_config(environment: Environment) -> MetricsConfig:
    """CloudWatch makes metrics of what comes into a log group, and of nothing else."""
    section = environment.aws.runtime.emr_serverless or environment.aws.runtime.emr_eks
    has_log_group = section is not None and section.log_group is not None
    if environment.metrics.cloudwatch is not None:
        has_log_group = environment.metrics.cloudwatch
    passed_on = {name: getattr(environment.metrics, name) for name in MetricsOptions.model_fields}
    return MetricsConfig.model_construct(**passed_on, cloudwatch=DEFAULT_NAMESPACE if has_log_group else None)


def _spark_conf(environment: Environment, inputs: EngineInputs) -> dict[str, str]:
    """Returns Spark's settings; those that were given win."""
    is_in_s3 = "://" in inputs.spark_checkpoint
    return {**(spark_s3_settings(environment, inputs.aws_endpoints.get("s3")) if is_in_s3 else {}), **inputs.spark_conf}


def document_text(document: Mapping[str, Any]) -> str:
    """The configuration as the engine's file holds it."""
    return json.dumps(document, indent=2) + "\n"


def document_hash(document: Mapping[str, Any]) -> str:
    """The hash that the engine logs at its start. Raises ConfigError for what the engine would not take."""
    return _parsed(document).content_hash


def hashed_text(document: Mapping[str, Any]) -> str:
    """The text that `document_hash` begins the SHA-256 of. Raises ConfigError for what the engine would not take."""
    return _parsed(document).hashed_text


def _parsed(document: Mapping[str, Any]) -> "EngineConfig":
    from firnline_ingest.config.model import EngineConfig  # only a whole document is checked

    return parse(EngineConfig, dict(document), "engine.json")


def _common_user(environment: Environment) -> NamedUser:
    """Returns the engine's user for pipelines without one of their own; if all have one, the first."""
    return environment.users[0]


def _login(user: NamedUser, inputs: EngineInputs) -> dict[str, Any]:
    named = {"user": str(user.principal.user), "role": str(user.principal.role)}
    return {**named, "private_key": dict(inputs.private_keys[user.key])}


def _pipeline(
    environment: Environment, pipeline: Pipeline, inputs: EngineInputs, access: dict[str, Any] | None
) -> dict[str, Any]:
    """Returns its options as the specification says them, and what only an environment knows."""
    user = user_of(environment.spec, pipeline)
    own = _present(
        login=None if user == _common_user(environment) else _login(user, inputs),
        table=str(table_of(pipeline).parts[-1]),
        access=access,
        pipe=str(Identifier.parse(pipeline.pipe.name)) if pipeline.pipe else None,
        pipe_rows=str(pipeline.pipe.rows) if pipeline.pipe and pipeline.pipe.rows != "one" else None,
        reader=_reader(pipeline, inputs),
        pipe_selects=_selects(pipeline) or None,
        routes=_routes(pipeline),
    )
    return {"stream": pipeline.stream, **pipeline.changed(PipelineOptions.model_fields), **own}


def _access(environment: Environment, pipeline: Pipeline) -> dict[str, Any] | None:
    """Returns how the engine reaches a stream that is not where it is: its region, and a role or its ARN.

    None where the engine's own rights open the stream, in its own region and account.
    """
    source = environment.source(pipeline.stream)
    stream, region = source.options, source.region
    found: dict[str, Any] = stream.access.changed() | ({} if region == environment.aws.region else {"region": region})
    if source.is_opened_by_its_policy:
        found["arn"] = stream.arn
    if stream.role_arn is not None:
        application = environment.names.application
        session = {} if len(application) < SHORTEST_SESSION else {"session_name": application}
        external = {} if stream.external_id is None else {"external_id": stream.external_id}
        found["roles"] = [{"arn": stream.role_arn, **session, **external}]
    return found or None


def _patterns(environment: Environment, inputs: EngineInputs) -> dict[str, list[dict[str, Any]]]:
    """Into the pipeline's own table: braces in its name are not places of a template."""
    patterns = []
    for pipeline in environment.pipelines:
        if pipeline.stream_pattern is not None:
            options = _pipeline(environment, pipeline, inputs, None)  # they are found where the engine is
            del options["stream"]
            options["table"] = options["table"].replace("{", "{{").replace("}", "}}")
            patterns.append({"streams": pipeline.stream_pattern, **options})
    return {"patterns": patterns} if patterns else {}


def _selects(pipeline: Pipeline) -> bool:
    """Returns whether a SELECT may do so at one of its tables: of another's pipe, which a route finds by name, nobody knows."""
    return pipeline.pipe_selects or any(each.pipe_selects or each.pipe is not None for each in pipeline.routed)


def _routes(pipeline: Pipeline) -> dict[str, Any] | None:
    routes = pipeline.routes
    if routes is None:
        return None
    tables = {value: str(Identifier.parse(each.table)) for each in routes.tables for value in each.values}
    return _present(
        key=routes.key,
        tables=tables,
        unmatched=None if routes.unmatched is Unmatched.DEAD_LETTER else routes.unmatched.value,
    )


def _reader(pipeline: Pipeline, inputs: EngineInputs) -> dict[str, Any] | None:
    if pipeline.reader == "polling":
        return None
    fan_out = pipeline.reader.fan_out
    if fan_out.registration is Registration.NONE:
        return {"fan_out": {"consumer_arn": inputs.consumers[pipeline.stream]}}
    return {"fan_out": _present(registration=fan_out.registration.value, consumer=fan_out.consumer)}


def consumer_of(pipeline: Pipeline) -> Value | None:
    """The one that it reads by, and does not register itself; None where it polls."""
    if pipeline.reader == "polling" or pipeline.reader.fan_out.registration is not Registration.NONE:
        return None
    fan_out = pipeline.reader.fan_out
    return fan_out.consumer_arn or Reference(f"consumer/{pipeline.stream}/{fan_out.consumer}")


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
