"""Every host that an environment needs: for its engine, for CI, for whoever operates it.

Hosts of AWS are those of its endpoints page, and Snowflake's of `SYSTEM$ALLOWLIST`. What only Snowflake knows is a pattern
here, unless the specification names it (`network.snowflake_hosts`).
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from urllib.parse import urlsplit

from firnline_infra.blueprint.registries import registries, uses_glue
from firnline_infra.environment import Environment
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.partition import is_private, snowflake_domain, snowflake_host
from firnline_infra.specification.runtime import Trust

HTTPS, HTTP = 443, 80


class Party(StrEnum):
    ENGINE = "engine"
    CI = "ci"
    OPERATOR = "operator"


ALL = (Party.ENGINE, Party.CI, Party.OPERATOR)
HANDS = (Party.CI, Party.OPERATOR)
"""Who deploys, from a pipeline or by hand."""


@part
class Destination(Definition):
    host: str
    """With `*` where only Snowflake knows the rest."""
    port: int = HTTPS
    needed_by: tuple[Party, ...]
    why: str
    endpoint: str = ""
    """The service of a VPC endpoint that leads there without the internet; empty where there is none."""

    @property
    def is_pattern(self) -> bool:
        return "*" in self.host


def egress(environment: Environment) -> tuple[Destination, ...]:
    """Sorted by host, each once with everybody who needs it."""
    merged: dict[tuple[str, int], Destination] = {}
    for each in (
        *_aws(environment),
        *_registries(environment),
        *_snowflake(environment),
        *_proxy(environment),
        *_tools(),
    ):
        before = merged.setdefault((each.host, each.port), each)
        needed_by = tuple(party for party in Party if party in {*before.needed_by, *each.needed_by})
        why = before.why if each.why in before.why else f"{before.why}; {each.why}"
        merged[each.host, each.port] = replace(before, needed_by=needed_by, why=why)
    return tuple(sorted(merged.values(), key=lambda each: (each.host, each.port)))


def _aws(environment: Environment) -> Iterator[Destination]:
    section, partition = environment.network.vpc_endpoints, environment.partition
    made = {each.value for each in (*section.gateways, *section.interfaces)} if section else set[str]()
    for service, needed_by, why in _services(environment):
        is_made = service.rpartition(".")[2] in made
        for host in partition.hosts(service, environment.aws.region):
            public = Destination(
                host=host,
                needed_by=needed_by,
                why=f"{why}; in the VPC by the endpoint that is created" if is_made else why,
                endpoint=partition.endpoint_service(_without_bucket(service), environment.aws.region),
            )
            yield from _through_endpoints(environment, service, public)
    for region in sorted({stream.region for stream in environment.sources} - {environment.aws.region}):
        host = partition.host("kinesis", region)
        yield Destination(host=host, needed_by=(Party.ENGINE, Party.OPERATOR), why="streams of another region")
    opened = {(each.region, each.account) for each in environment.sources if each.is_opened_by_its_policy}
    for region, account in sorted(opened):
        for kind in ("data", "control"):  # where botocore sends a request by ARN
            host = partition.host(f"{account}.{kind}-kinesis", region)
            yield Destination(
                host=host, needed_by=(Party.ENGINE, Party.OPERATOR), why="streams of another account, by ARN"
            )
    yield Destination(host=partition.iam_host, needed_by=HANDS, why="roles and policies")


def _without_bucket(service: str) -> str:
    """The service of a host, which may have a bucket or a registry in front."""
    return "dkr.ecr" if service.endswith(".dkr.ecr") else "s3" if service.endswith(".s3") else service


def _through_endpoints(environment: Environment, service: str, public: Destination) -> Iterator[Destination]:
    """The engine takes the endpoint that the specification names; CI and operators are elsewhere."""
    own = {str(name): url for name, url in environment.network.endpoints.items()}.get(service)
    if own is None or Party.ENGINE not in public.needed_by:
        yield public
        return
    host, _, port = own.removeprefix("https://").partition(":")
    yield replace(public, host=host, port=int(port or HTTPS), needed_by=(Party.ENGINE,))
    if others := tuple(party for party in public.needed_by if party is not Party.ENGINE):
        yield replace(public, needed_by=others)


def _services(environment: Environment) -> Iterator[tuple[str, tuple[Party, ...], str]]:
    runtime = environment.aws.runtime
    yield "kinesis", ALL, "the streams"
    yield "dynamodb", ALL, "the ledger"
    yield "sts", ALL, "credentials"
    if runtime.trust is not Trust.NOBODY:
        yield "secretsmanager", ALL, "the private keys"
    if environment.aws.bucket.origin is not Origin.SKIP:
        yield "s3", ALL, "checkpoint, configuration, dead letters, Pulumi's state"
        yield f"{environment.names.bucket}.s3", ALL, "the same, by the bucket's own name"
        yield "logs", (Party.ENGINE, Party.OPERATOR), "the engine's logs, if its runtime sends them there"
    yield (
        "kms",
        HANDS,
        "the keys of the environment and of Pulumi's state; the engine reaches them through other services",
    )
    if uses_glue(environment):
        yield "glue", (Party.ENGINE, Party.OPERATOR), "the schemas that records were written with"
    for service, why in environment.alarms.hosts.items():
        yield service, HANDS, why
    if environment.publication.ssm_prefix:
        yield "ssm", HANDS, "published outputs"
    if runtime.kubernetes is not None and runtime.kubernetes.image is None:
        yield "api.ecr", HANDS, "whether the engine's image is there"
        yield f"{environment.aws.account}.dkr.ecr", ALL, "the engine's image"
    starts = {
        "emr-serverless": runtime.emr_serverless,
        "emr-containers": runtime.emr_eks,
        "elasticmapreduce": runtime.emr_ec2,
        "eks": runtime.kubernetes,
    }
    for service, section in starts.items():
        if section is not None:
            yield service, HANDS, "starts the engine and asks after it"


def _registries(environment: Environment) -> Iterator[Destination]:
    """Operators ask them too: `firnline audit` decodes records as the engine does."""
    for registry in registries(environment):
        url = urlsplit(registry.url)
        port = url.port or (HTTPS if url.scheme == "https" else HTTP)
        why = "the schemas that records were written with"
        yield Destination(host=url.hostname or "", port=port, needed_by=(Party.ENGINE, Party.OPERATOR), why=why)


def _snowflake(environment: Environment) -> Iterator[Destination]:
    """`firnline dead-letters replay` sends rows and stages files as the engine's SDK does."""
    account, domain = snowflake_host(environment.spec), snowflake_domain(environment.spec)
    yield Destination(
        host=account, needed_by=ALL, why="Snowflake's account: sessions, tokens, the host that takes rows"
    )
    if environment.network.snowflake_hosts:
        for each in environment.network.snowflake_hosts:
            host, _, port = each.partition(":")
            yield Destination(host=host, port=int(port or HTTPS), needed_by=ALL, why="named by SYSTEM$ALLOWLIST")
        return
    rows = "the host that takes rows, which the account names"
    yield Destination(host=f"*.{domain}", needed_by=(Party.ENGINE, Party.OPERATOR), why=rows)
    ocsp = f"ocsp.{account if is_private(account) else domain}"
    yield Destination(host=ocsp, port=HTTP, needed_by=ALL, why="whether certificates were revoked")
    stage = environment.partition.host("*.s3", "*")
    why = "Snowflake's internal stage: the SDK uploads there what does not go inline"
    if any(pipeline.goes_by_file for pipeline in environment.pipelines):
        why += ", and the driver the files of rows that no channel takes (oversize_rows)"
    yield Destination(host=stage, needed_by=(Party.ENGINE, Party.OPERATOR), why=why)


def _proxy(environment: Environment) -> Iterator[Destination]:
    if environment.proxy is not None:
        why = "the HTTP proxy, which leads to the others"
        yield Destination(host=environment.proxy.host, port=environment.proxy.port, needed_by=(Party.ENGINE,), why=why)


def _tools() -> Iterator[Destination]:
    for host, why in {
        "pypi.org": "packages",
        "files.pythonhosted.org": "packages",
        "get.pulumi.com": "Pulumi's CLI and plugins",
        "api.github.com": "Pulumi's plugins",
        "github.com": "Pulumi's plugins, actions",
    }.items():
        yield Destination(host=host, needed_by=HANDS, why=f"{why}, or a mirror of yours")
