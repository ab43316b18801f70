"""The first specification of an environment: what a person has to say, written so that the rest is found easily."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.load import parse_spec
from firnline_infra.specification.model import Durability
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.specification.other_connectors import TakenOver
from firnline_infra.specification.partition import partition_of_region


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
    runtime: str
    """Where the engine runs: a name of RUNTIMES. What follows is asked for where it runs there."""
    subnets: tuple[str, ...] = ()
    vpc: str = ""
    cluster: str = ""
    namespace: str = ""
    operator: str = ""
    context: str = ""
    durability: Durability = Durability.PROTECTED
    taken_over: TakenOver | None = None
    """Of another connector's configuration."""


def first_spec(answers: Answers, source: str) -> str:
    """YAML that passes every check. Raises ConfigError with all that is wrong with the answers; `source` names it."""
    spec = parse_spec(_document(answers, boundary=None), source)
    return _document(answers, boundary=Arns(spec).policy(bootstrap_names(spec).boundary))


def _document(answers: Answers, *, boundary: str | None) -> str:
    taken = answers.taken_over
    fence = f"  permissions_boundary: {boundary} # made by `firnline bootstrap`\n" if boundary else ""
    return (
        "# yaml-language-server: $schema=schema.json\n"
        f"# Environment {answers.name}. `firnline spec reference` has every field. Fields that are not given have "
        f"their defaults, and the\n"
        "# defaults are the safe ones.\n"
        "version: 1\n"
        f"name: {_quoted(answers.name)} # part of every name that is made up\n"
        f"{_application(taken)}"
        f"durability: {answers.durability.value} # {_MEANING[answers.durability]}\n"
        "\n"
        "aws:\n"
        f"  region: {_quoted(answers.region)}\n"
        f"  account: {_quoted(answers.aws_account)} # every command refuses to work in another one\n"
        f"{fence}"
        "  runtime:\n"
        f"{RUNTIMES[answers.runtime](answers)}"
        "\n"
        "snowflake:\n"
        f"  account: {_quoted(answers.snowflake_account)}\n"
        f"  warehouse: {_quoted(answers.warehouse)} # exists already; the audit asks in it, the engine needs none\n"
        "  # allowed_networks: [192.0.2.0/24] # from where engine and reader may connect\n"
        f"{_reading(answers) if taken is None else _as_taken_over(answers, taken)}"
    )


def _reading(answers: Answers) -> str:
    return (
        "\nstreams:\n"
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


def _application(taken: TakenOver | None) -> str:
    return f"application: {_quoted(taken.application)}\n" if taken is not None and taken.application else ""


def _as_taken_over(answers: Answers, taken: TakenOver) -> str:
    """Returns what the other configuration says, then what of it has no counterpart."""
    pipelines = [{"database": answers.database, "schema": answers.schema} | each for each in taken.pipelines]
    ordered = [{"stream": each["stream"], **each} for each in pipelines]
    snowflake = "".join(f"  {line}\n" for line in _yaml(taken.snowflake).splitlines()) if taken.snowflake else ""
    parts = [
        {"streams": [_placed(each, answers, taken) for each in taken.streams]},
        {"pipelines": ordered},
        *({name: taken.sections[name]} for name in taken.sections),
    ]
    left = _commented(f"Of {taken.connector}, without counterpart:", taken)
    return snowflake + "".join(f"\n{_yaml(part)}" for part in parts) + left


def _placed(stream: dict[str, Any], answers: Answers, taken: TakenOver) -> dict[str, Any]:
    """Returns the stream with its ARN where it is in another region than the environment, and of the same account."""
    if (region := taken.regions.get(stream["name"])) is None:
        return stream
    place = f"arn:{partition_of_region(region)}:kinesis:{region}:{answers.aws_account}"
    return stream | {"arn": f"{place}:stream/{stream['name']}"}


def _commented(title: str, taken: TakenOver) -> str:
    lines: Iterable[str] = (f"#   {each}" for each in taken.left)
    return "\n".join(["", f"# {title}", *lines, ""]) if taken.left else ""


def _yaml(part: Any) -> str:
    return str(yaml.safe_dump(part, sort_keys=False, allow_unicode=True, width=110))


def _emr_serverless(answers: Answers) -> str:
    return (
        "    trust: emr-serverless\n"
        "    emr_serverless:\n"
        f"      subnets: [{', '.join(map(_quoted, answers.subnets))}] # private, a route to Snowflake; two zones are better\n"
        f"      security_group: {{vpc: {_quoted(answers.vpc)}}} # made; lets nothing in\n"
    )


def _emr_ec2(answers: Answers) -> str:
    return "    trust: emr-ec2\n    emr_ec2: # a cluster for the engine alone\n" + "".join(
        f"      subnet: {_quoted(subnet)} # private, with a route to Snowflake\n" for subnet in answers.subnets[:1]
    )


def _pods(answers: Answers) -> str:
    return (
        "    trust: pod-identity # of EKS; or irsa, by an OpenID Connect provider\n"
        f"    cluster: {_quoted(answers.cluster)}\n"
        f"    namespace: {_quoted(answers.namespace)} # exists already\n"
    )


def _emr_eks(answers: Answers) -> str:
    return f"{_pods(answers)}    emr_eks:\n      architecture: arm64 # the nodes'; or x86_64\n"


def _kubernetes(answers: Answers) -> str:
    return (
        f"{_pods(answers)}"
        "    service_account: engine # made\n"
        "    kubernetes:\n"
        f"      operator: {_quoted(answers.operator)} # has to be in the cluster\n"
        f"      context: {_quoted(answers.context)} # of the kubeconfig\n"
        "      architecture: arm64 # the nodes'; or x86_64. Its image is built into a repository that is created\n"
    )


def _by_hand(_: Answers) -> str:
    return (
        "    trust: emr-serverless # or emr-ec2, irsa, pod-identity, static-keys, nobody\n"
        "    # No section of a runtime: `firnline run` starts the engine by hand. `firnline spec reference` has the sections.\n"
    )


RUNTIMES = {
    "emr-serverless": _emr_serverless,
    "emr-ec2": _emr_ec2,
    "emr-eks": _emr_eks,
    "kubernetes": _kubernetes,
    "by-hand": _by_hand,
}
"""How `aws.runtime` begins; with each of them but the last `firnline up` ends in an engine that runs."""
_MEANING = {
    Durability.PROTECTED: "what holds data is never destroyed; EPHEMERAL lets it go with the environment",
    Durability.EPHEMERAL: "everything goes with the environment, data too; PROTECTED keeps it",
}


def _quoted(text: str) -> str:
    """The text quoted for YAML, whatever a person typed."""
    return "'" + text.replace("'", "''") + "'"
