"""Volumes, warehouses and networks."""

from collections.abc import Iterator
from ipaddress import IPv6Network, ip_network

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, volume_names
from firnline_infra.specification.pipeline import TableKind
from firnline_ingest.errors import did_you_mean


def _volumes_are_declared(spec: EnvironmentSpec) -> Iterator[str]:
    names = [volume.name for volume in spec.snowflake.external_volumes]
    for index, pipeline in enumerate(spec.pipelines):
        volume = pipeline.external_volume
        if volume is not None and volume not in names:
            yield (
                f"pipelines[{index}].external_volume: {volume} is not among snowflake.external_volumes; "
                f"{did_you_mean(volume, names)}"
            )


def _volumes_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    """In Snowflake, and in what is made for them in AWS, where fewer characters are allowed."""
    names: dict[str, int] = {}
    buckets: dict[str, str] = {Names.of(spec).bucket: "aws.bucket"}
    roles: dict[str, str] = {Names.of(spec).engine_role: "the engine"}
    for index, volume in enumerate(spec.snowflake.external_volumes):
        path, derived = f"snowflake.external_volumes[{index}]", volume_names(spec, volume)
        if names.setdefault(volume.name, index) != index:
            yield f"{path}.name: {volume.name} is already the name of another volume."
            continue
        if (other := buckets.setdefault(derived.bucket, path)) != path:
            yield f"{path}.bucket: {derived.bucket} is already the bucket of {other}; give another."
        if (other := roles.setdefault(derived.role, path)) != path:
            yield f"{path}.name: gives the IAM role {derived.role}, which is already that of {other}; give another name."


def _interactive_tables_have_their_warehouse(spec: EnvironmentSpec) -> Iterator[str]:
    """Only such a warehouse answers within a second from them, and without them it serves nothing."""
    warehouse = spec.snowflake.interactive_warehouse
    interactive = [index for index, each in enumerate(spec.pipelines) if each.table_kind is TableKind.INTERACTIVE]
    if interactive and warehouse is None:
        yield (
            f"snowflake.interactive_warehouse: is required, because pipelines[{interactive[0]}] has table_kind: "
            f"interactive; give it a name."
        )
    if warehouse is not None and not interactive:
        yield "snowflake.interactive_warehouse: no pipeline has table_kind: interactive; remove it, or it only costs."
    if warehouse is not None and warehouse.name == spec.snowflake.reader_warehouse:
        yield (
            f"snowflake.interactive_warehouse.name: {warehouse.name} is also the reader_warehouse, which exists already; "
            f"this one is made here and needs a name of its own."
        )


def _networks_are_of_ipv4(spec: EnvironmentSpec) -> Iterator[str]:
    """docs.snowflake.com/en/sql-reference/sql/create-network-policy, ALLOWED_IP_LIST."""
    for index, network in enumerate(spec.snowflake.allowed_networks):
        if isinstance(ip_network(network), IPv6Network):
            yield f"snowflake.allowed_networks[{index}]: {network} is of IPv6; Snowflake's list takes IPv4 networks."


def _the_account_names_its_organisation(spec: EnvironmentSpec) -> Iterator[str]:
    """The provider takes the two apart; an account's locator alone would reach the engine and not Pulumi."""
    organisation, _, account = spec.snowflake.account.partition("-")
    if not (organisation and account):
        yield f"snowflake.account: expected <organisation>-<account>, as in the account's URL, got {spec.snowflake.account!r}."


CHECKS = (
    _the_account_names_its_organisation,
    _volumes_are_declared,
    _volumes_are_distinct,
    _interactive_tables_have_their_warehouse,
    _networks_are_of_ipv4,
)
