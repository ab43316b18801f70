from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import Names, Principal, VolumeNames, bootstrap_names, table_of, volume_names
from tests.infra.specifications import one_pipeline, smallest


def test_names_follow_from_the_environment() -> None:
    assert Names.of(smallest(name="dev-eu")) == Names(
        application="firnline-dev-eu",
        ledger_table="firnline-dev-eu",
        key_alias="firnline-dev-eu",
        bucket="firnline-dev-eu-123456789012-eu-central-1",
        engine_role="firnline-dev-eu-engine",
        engine_user="firnline-dev-eu-engine",
        ingest_secret="firnline-dev-eu/snowflake/ingest",
        reader_secret="firnline-dev-eu/snowflake/reader",
        access_key_secret="firnline-dev-eu/aws/engine",
        repository="firnline-dev-eu",
        redshift_role="firnline-dev-eu-redshift",
        redshift_refresh_role="firnline-dev-eu-redshift-refresh",
        alarm_topic="firnline-dev-eu-alarms",
        ingest=Principal(user=Identifier("FIRNLINE_DEV_EU_INGEST"), role=Identifier("FIRNLINE_DEV_EU_INGEST")),
        ingest_of={
            "orders": Principal(user=Identifier("FIRNLINE_DEV_EU_INGEST"), role=Identifier("FIRNLINE_DEV_EU_INGEST"))
        },
        reader=Principal(user=Identifier("FIRNLINE_DEV_EU_READER"), role=Identifier("FIRNLINE_DEV_EU_READER")),
        deploy_role=Identifier("FIRNLINE_DEV_EU_DEPLOY"),
        preview_role=Identifier("FIRNLINE_DEV_EU_PREVIEW"),
        network_policy=Identifier("FIRNLINE_DEV_EU_NETWORK"),
        authentication_policy=Identifier("FIRNLINE_DEV_EU_KEY_PAIR_ONLY"),
        warehouse=Identifier("SMALL"),
        interactive_warehouse=None,
        readers=(),
    )


def test_an_alias_has_no_dots_and_is_of_one_application() -> None:
    """KMS takes none."""
    dotted, dashed = smallest(application="shop.eu"), smallest(application="shop-eu")
    assert Names.of(dotted).key_alias == "shop-eu-969d2014"
    assert bootstrap_names(dotted).state_key_alias == "shop-eu-969d2014-state"
    assert Names.of(dashed).key_alias == "shop-eu"


def test_a_name_that_is_given_is_kept() -> None:
    names = Names.of(
        smallest(
            application="clicks",
            ledger={"table": "clicks-ledger"},
            snowflake={"ingest": {"user": "loader"}, "reader": {"role": '"Audit"'}},
        )
    )
    assert (names.application, names.ledger_table) == ("clicks", "clicks-ledger")
    assert names.ingest == Principal(user=Identifier("LOADER"), role=Identifier("LOADER"))
    assert names.reader == Principal(user=Identifier("CLICKS_DEV_READER"), role=Identifier("Audit"))


def test_a_table_is_named_by_the_pipeline_or_by_its_stream() -> None:
    (from_stream,) = smallest().pipelines
    assert table_of(from_stream).sql == '"LAKE"."RAW"."ORDERS"'
    (given,) = smallest(**one_pipeline(table='"Orders"')).pipelines
    assert table_of(given).sql == '"LAKE"."RAW"."Orders"'


def test_a_volume_has_a_bucket_a_role_and_an_external_id_of_its_own() -> None:
    volume = {"name": '"Lake_1"'}
    document = smallest(snowflake={"external_volumes": [volume]})
    names = volume_names(document, document.snowflake.external_volumes[0])
    assert names == VolumeNames(
        bucket="firnline-dev-lake-1-123456789012-eu-central-1",
        role="firnline-dev-lake-1-volume",
        external_id=names.external_id,
    )
    other = smallest(name="prod", snowflake={"external_volumes": [volume]})
    assert volume_names(other, other.snowflake.external_volumes[0]).external_id != names.external_id


def test_a_bucket_is_named_by_what_s3_takes_of_the_application() -> None:
    assert Names.of(smallest(application="Lake.v2_")).bucket == "lake-v2-123456789012-eu-central-1"


def test_two_teams_with_an_environment_of_one_name_share_no_name_in_snowflake() -> None:
    def named(application: str) -> set[Identifier]:
        document = smallest(application=application)
        names = Names.of(document)
        users = (names.ingest, names.reader)
        return {
            *(name for user in users for name in (user.user, user.role)),
            *(names.deploy_role, names.network_policy, names.authentication_policy),
            names.preview_role,
        }

    assert not named("shop") & named("payments")
    assert Identifier("SHOP_DEV_DEPLOY") in named("shop")
    assert Identifier("SHOP_DEV_DEPLOY") in named("shop-dev"), "the environment's name is not said twice"
    assert Identifier("_4_5_DEV_DEPLOY") in named("4.5")


def test_every_name_in_snowflake_can_be_given() -> None:
    given = {
        "ingest": {"user": "A", "role": "B"},
        "reader": {"user": "C", "role": "D"},
        "deploy_role": "E",
        "preview_role": "F",
        "allowed_networks": ["192.0.2.0/24"],
        "network_policy": {"name": "G"},
        "key_pair_only": True,
        "authentication_policy": "H",
        "warehouse": "W",
    }
    document = smallest(snowflake=given)
    names = Names.of(document)
    found = (names.ingest, names.reader, names.deploy_role, names.network_policy, names.authentication_policy)
    assert found == (
        Principal(user=Identifier("A"), role=Identifier("B")),
        Principal(user=Identifier("C"), role=Identifier("D")),
        *map(Identifier, "EGH"),
    )
    assert names.preview_role == Identifier("F")
