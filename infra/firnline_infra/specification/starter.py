"""The first specification of an environment: what a person has to say, written so that the rest is found easily."""

from dataclasses import dataclass

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.load import parse_spec
from firnline_infra.specification.model import Durability
from firnline_infra.specification.names import bootstrap_names


@dataclass(frozen=True, kw_only=True)
class Answers:
    name: str
    region: str
    aws_account: str
    snowflake_account: str
    warehouse: str
    streams: tuple[str, ...]
    database: str
    schema: str
    subnets: tuple[str, ...] = ()
    """Of EMR Serverless; the engine is started by hand where there are none."""
    vpc: str = ""
    durability: Durability = Durability.PROTECTED


def first_spec(answers: Answers, source: str) -> str:
    """YAML that passes every check. Raises ConfigError with all that is wrong with the answers; `source` names it."""
    spec = parse_spec(_document(answers, boundary=None), source)
    return _document(answers, boundary=Arns(spec).policy(bootstrap_names(spec).boundary))


def _document(answers: Answers, *, boundary: str | None) -> str:
    fence = f"  permissions_boundary: {boundary} # made by `firnline bootstrap`\n" if boundary else ""
    return (
        "# yaml-language-server: $schema=schema.json\n"
        f"# Environment {answers.name}. Every field: docs/spec.md, or `firnline spec reference`. What is not given has its\n"
        "# default, and the defaults are the safe ones.\n"
        "version: 1\n"
        f"name: {_quoted(answers.name)} # part of every name that is made up\n"
        f"durability: {answers.durability.value} # {_MEANING[answers.durability]}\n"
        "\n"
        "aws:\n"
        f"  region: {_quoted(answers.region)}\n"
        f"  account: {_quoted(answers.aws_account)} # every command refuses to work in another one\n"
        f"{fence}"
        "  runtime:\n"
        "    trust: emr-serverless # or emr-ec2, irsa, pod-identity, static-keys, nobody\n"
        f"{_runtime(answers)}"
        "\n"
        "snowflake:\n"
        f"  account: {_quoted(answers.snowflake_account)}\n"
        f"  warehouse: {_quoted(answers.warehouse)} # exists already; the audit asks in it, the engine needs none\n"
        "  # allowed_networks: [192.0.2.0/24] # from where engine and reader may connect\n"
        "\n"
        "streams:\n"
        + "".join(
            f"  - name: {_quoted(stream)} # on demand; `shards: 4` for provisioned\n" for stream in answers.streams
        )
        + "\n"
        "pipelines:\n"
        + "".join(
            f"  - stream: {_quoted(stream)}\n"
            f"    database: {_quoted(answers.database)}\n"
            f"    schema: {_quoted(answers.schema)}\n"
            for stream in answers.streams
        )
    )


def _runtime(answers: Answers) -> str:
    """The section with which `firnline up` ends in an engine that runs."""
    if not answers.subnets:
        return (
            "    # No section of a runtime: `firnline run` starts the engine by hand. docs/runtimes has the sections.\n"
        )
    subnets = ", ".join(map(_quoted, answers.subnets))
    return (
        "    emr_serverless:\n"
        f"      subnets: [{subnets}] # private, with a route to Snowflake; two zones are better\n"
        f"      security_group: {{vpc: {_quoted(answers.vpc)}}}\n"
    )


_MEANING = {
    Durability.PROTECTED: "what holds data is never destroyed; EPHEMERAL lets it go with the environment",
    Durability.EPHEMERAL: "everything goes with the environment, data too; PROTECTED keeps it",
}


def _quoted(text: str) -> str:
    """For YAML, whatever a person typed."""
    return "'" + text.replace("'", "''") + "'"
