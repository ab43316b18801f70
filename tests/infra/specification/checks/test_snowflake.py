from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.infra.specification.checks.tables import COLUMNS, FAST, ICEBERG, VOLUME, interactive
from tests.infra.specifications import one_pipeline, problems, told


@pytest.mark.parametrize(
    ("volumes", "expected"),
    [
        ([], "expected one of: SNOWFLAKE_MANAGED."),
        ([{"name": "vs"}], "did you mean 'VS'?"),
    ],
)
def test_an_iceberg_table_lies_in_a_declared_volume(volumes: list[Any], expected: str) -> None:
    assert problems(**one_pipeline(**ICEBERG), snowflake={"external_volumes": volumes}) == [
        f"pipelines[0].external_volume: V is not among snowflake.external_volumes; {expected}"
    ]
    assert problems(**one_pipeline(**ICEBERG), snowflake={"external_volumes": [{"name": '"V"'}]}) == []


def test_volumes_are_told_apart_in_snowflake_and_in_aws() -> None:
    volumes = [{"name": name} for name in ("lake_1", '"LAKE-1"', "LAKE_1")]
    named = [{"name": name, "bucket": "mine"} for name in ("x", "y")]
    assert problems(snowflake={"external_volumes": [*volumes, *named]}) == told(
        "snowflake.external_volumes[1].bucket:…already the bucket of snowflake.external_volumes[0]…",
        "snowflake.external_volumes[1].name:…",
        "snowflake.external_volumes[2].name:…",
        "snowflake.external_volumes[4].bucket:…",
    )


def test_a_volume_has_another_bucket_than_the_engine() -> None:
    volume = {"name": "lake", "bucket": "lake-bucket"}
    assert problems(aws={"bucket": {"name": "lake-bucket"}}, snowflake={"external_volumes": [volume]}) == told(
        "…lake-bucket is already the bucket of aws.bucket; give another."
    )


def test_interactive_tables_and_their_warehouse_come_together() -> None:
    table = [interactive(columns=COLUMNS)]
    assert problems(pipelines=table) == told("snowflake.interactive_warehouse: is required, because pipelines[0]…")
    assert problems(snowflake=FAST) == told("snowflake.interactive_warehouse: no pipeline has table_kind: interactive…")
    assert problems(
        pipelines=table, snowflake={"interactive_warehouse": {"name": "fast"}, "warehouse": "FAST"}
    ) == told("…FAST is also snowflake.warehouse, which exists already…")


def test_what_asks_for_policies_needs_a_warehouse_to_ask_in() -> None:
    none = {"warehouse": None}
    assert problems(snowflake=none) == []
    assert problems(snowflake={"key_pair_only": True, **none}) == told(
        "snowflake.warehouse: is required because of snowflake.key_pair_only: …"
    )
    assert problems(snowflake={"key_pair_only": True}) == []
    table = one_pipeline(**ICEBERG)
    assert problems(**table, snowflake={**VOLUME, **none}) == told("…because of pipelines[0].table_kind: iceberg: …")
    assert problems(**table, snowflake=VOLUME) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            {"allowed_networks": ["192.0.2.0/24", "2001:db8::/32"]},
            ["snowflake.allowed_networks[1]: 2001:db8::/32 is of IPv6…"],
            id="networks are of IPv4",
        ),
        pytest.param(
            {"allowed_networks": ["192.0.2.1/24"]},
            ["snowflake.allowed_networks[0]: is not a network…"],
            id="a host is not a network",
        ),
        pytest.param(
            {"account": "xy12345"},
            ["snowflake.account: expected <organisation>-<account>…"],
            id="the account is named with its organisation",
        ),
        pytest.param(
            {"ingest": {"user": "FIRNLINE"}, "reader": {"user": '"FIRNLINE"'}},
            ["snowflake.reader.user:…", "snowflake.reader.role:…"],
            id="engine and reader are different users",
        ),
        pytest.param(
            {"reader": {"granted_to": ["ANALYST", "FIRNLINE_DEV_INGEST", "firnline_dev_reader"]}},
            ["snowflake.reader.granted_to[1]:…", "snowflake.reader.granted_to[2]:…"],
            id="the reader is granted to others",
        ),
    ],
)
def test_accounts_networks_and_users_are_as_snowflake_has_them(change: dict[str, Any], expected: list[str]) -> None:
    assert problems(snowflake=change) == told(*expected)


@pytest.mark.parametrize("who", ["ingest", "reader"])
def test_neither_has_the_role_that_deploys(who: str) -> None:
    assert problems(snowflake={"deploy_role": "DEPLOY", who: {"role": "deploy"}}) == told(f"snowflake.{who}.role: …")


@pytest.mark.parametrize("who", ["deploy", "ingest", "reader"])
def test_nobody_who_changes_anything_previews(who: str) -> None:
    assert problems(snowflake={"preview_role": f"firnline_dev_{who}"}) == told(
        f"snowflake.preview_role: FIRNLINE_DEV_{who.upper()} is also snowflake.{who}…"
    )


@pytest.mark.parametrize("who", ["deploy_role", "preview_role"])
@pytest.mark.parametrize("role", ["accountadmin", "SYSADMIN"])
def test_ci_is_no_administrator(who: str, role: str) -> None:
    assert problems(snowflake={who: role}) == told(f"snowflake.{who}: …is Snowflake's own role…")
    assert problems(snowflake={who: '"accountadmin"'}) == []


@pytest.mark.parametrize("who", ["ingest", "reader"])
@pytest.mark.parametrize("origin", ["create", "adopt"])
def test_neither_the_engine_nor_the_reader_is_an_administrator(who: str, origin: str) -> None:
    user = {"user": "U", "origin": origin} if origin == "adopt" else {}
    assert problems(snowflake={who: {**user, "role": "accountadmin"}}) == told(
        f"snowflake.{who}.role: ACCOUNTADMIN is Snowflake's own role…"
    )
    own = one_pipeline(ingest={**user, "role": "SYSADMIN"})
    assert problems(**own) == told("pipelines[0].ingest.role: SYSADMIN is Snowflake's own role…")


def test_no_role_is_everybodys() -> None:
    for path in ("deploy_role", "preview_role", "ingest.role", "reader.role"):
        section, _, field = path.partition(".")
        given = {section: {field: "PUBLIC"} if field else "PUBLIC"}
        assert problems(snowflake=given) == told(f"snowflake.{path}: PUBLIC is everybody's role…")


def test_each_place_has_a_key_of_its_own() -> None:
    key = rsa.generate_private_key(65537, 2048).public_key()
    pem = key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode()
    ingest, reader = {"slot_1": pem, "slot_2": pem}, {"slot_2": pem}
    assert problems(snowflake={"ingest": {"public_keys": ingest}, "reader": {"public_keys": reader}}) == told(
        "snowflake.ingest.public_keys.slot_2: is the same key…", "snowflake.reader.public_keys.slot_2: is the same key…"
    )


def test_each_user_has_a_secret_of_its_own() -> None:
    secret = {"secret_arn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-a1B2c3"}
    assert problems(snowflake={"ingest": secret, "reader": secret}) == told(
        "snowflake.reader.secret_arn: is also snowflake.ingest.secret_arn…"
    )


@pytest.mark.parametrize("name", ['"say ""hi"""', '"a(b"', '"a)b"', '"a|b"'])
def test_a_name_is_one_that_the_provider_can_read(name: str) -> None:
    """Else `up` makes what comes before it, and stops there."""
    pipe = {"name": name, "select": "$1:KINESISMETADATA"}
    snowflake = {
        "ingest": {"user": name},
        "reader": {"role": name, "granted_to": [name]},
        "preview_role": name,
        "network_policy": {"name": name},
        "authentication_policy": name,
    }
    found = problems(**one_pipeline(database=name, schema=name, table=name, pipe=pipe), snowflake=snowflake)
    told_of_it = {each.partition(":")[0] for each in found if "the Snowflake provider can't read" in each}
    assert sorted(told_of_it) == [
        *(f"pipelines[0].{each}" for each in ("database", "pipe.name", "schema", "table")),
        *("snowflake.authentication_policy", "snowflake.ingest.role", "snowflake.ingest.user"),
        *("snowflake.network_policy.name", "snowflake.preview_role"),
        *("snowflake.reader.granted_to[0]", "snowflake.reader.role"),
    ]


def test_any_other_name_between_quotes_will_do() -> None:
    odd = '"it\'s a.b-c/d%_ $\\"'
    assert problems(**one_pipeline(database=odd, schema=odd, table=odd)) == []
