from typing import Any

import pytest

from tests.infra.specification.checks.tables import COLUMNS, interactive
from tests.infra.specifications import one_pipeline, pipeline, problems, told

ACCOUNT = "123456789012"
KEY_FORM = "arn:aws:kms:{region}:{account}:key/8c0f4b5e"
TOPIC_FORM = "arn:aws:sns:{region}:{account}:oncall"
SECRET = "arn:aws:secretsmanager:{region}:{account}:secret:key-a1B2c3"
HERE = {"region": "eu-central-1", "account": ACCOUNT}
TOPIC, KEY = TOPIC_FORM.format(**HERE), KEY_FORM.format(**HERE)
STATE = f"firnline-dev-state-{ACCOUNT}-eu-central-1"
REGISTRY = "pipelines[0].format.registry.login"
NAMED = {"bucket": {"name": "lake"}, "runtime": {"role": "engine"}}


def test_a_bucket_is_left_out_where_the_engine_runs_here_and_nothing_lasts() -> None:
    skip, nobody, brief = {"origin": "skip"}, {"trust": "nobody"}, {"durability": "EPHEMERAL"}
    assert problems(aws={"bucket": skip, "runtime": nobody}, **brief) == []
    assert problems(aws={"bucket": skip, "runtime": nobody}) == told(
        "…durability: PROTECTED needs 'create' or 'adopt'…"
    )
    assert problems(aws={"bucket": skip}, **brief) == told("…without a place that emr-serverless reaches…")
    named = {"bucket": {**skip, "name": "mine"}, "runtime": nobody}
    assert problems(aws=named, **brief) == told("aws.bucket.name: belongs to…")


@pytest.mark.parametrize("trust", ["static-keys", "nobody"])
def test_a_role_is_named_where_one_is_made(trust: str) -> None:
    expected = told(f"aws.runtime.role: no role is created with trust: {trust}…")
    assert problems(aws={"runtime": {"trust": trust, "role": "engine"}}) == expected
    assert problems(aws={"runtime": {"role": "engine"}}) == []


def test_what_is_adopted_is_named_and_left_as_it_is() -> None:
    streams = [
        {"name": "orders", "origin": "adopt", "shards": 2},
        {"name": "clicks", "key_arn": KEY},
        {"name": "none", "origin": "skip"},
    ]
    assert problems(aws={"key": {"origin": "adopt"}, "bucket": {"origin": "adopt"}}, streams=streams) == told(
        "aws.key: give arn with origin: adopt, and only then…",
        "aws.bucket: give the name of the bucket to adopt…",
        "streams[0]: origin: adopt leaves the stream as it is; remove shards…",
        "streams[1]: key_arn belongs to origin: adopt; a stream that is created has the environment's key…",
        "streams[2]: a stream is created or adopted; without one there is nothing to read…",
    )
    assert problems(streams=[{"name": "orders", "origin": "adopt", "key_arn": KEY, "consumers": ["fraud"]}]) == []


def arns_of(place: dict[str, str]) -> dict[str, Any]:
    key, secret = KEY_FORM.format(**place), SECRET.format(**place)
    login = {"secret_arn": secret, "secret_key_arn": key}
    registry = {"url": "https://registry.acme.com", "login": login}
    return {
        "aws": {"key": {"origin": "adopt", "arn": key}},
        "streams": [{"name": "orders", "origin": "adopt", "key_arn": key}],
        "alarms": {"topics": [TOPIC_FORM.format(**place)]},
        "snowflake": {"ingest": {"secret_arn": secret}},
        "redshift": {"workgroup": {}, **login, "views": [{"stream": "orders"}]},
        **one_pipeline(format={"type": "avro", "framing": "confluent", "registry": registry}),
    }


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ({"region": "eu-west-1"}, "is of region eu-west-1; expected eu-central-1, as in aws.region."),
        ({"account": "210987654321"}, "is of account 210987654321; expected 123456789012, as in aws.account."),
    ],
)
def test_an_arn_of_elsewhere_is_refused_wherever_it_is_given(elsewhere: dict[str, str], expected: str) -> None:
    assert problems(**arns_of(HERE)) == []
    paths = ["aws.key.arn", "streams[0].key_arn", "alarms.topics[0]", "snowflake.ingest.secret_arn"]
    logins = [f"{of}.{field}" for of in ("redshift", REGISTRY) for field in ("secret_arn", "secret_key_arn")]
    assert problems(**arns_of({**HERE, **elsewhere})) == [f"{path}: {expected}" for path in (*paths, *logins)]


def test_a_boundary_is_of_this_account_or_of_aws_itself() -> None:
    for owner, found in {ACCOUNT: 0, "aws": 0, "210987654321": 1}.items():
        assert len(problems(aws={"permissions_boundary": f"arn:aws:iam::{owner}:policy/fence"})) == found


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("aws.key.arn", {"aws": {"key": {"origin": "adopt", "arn": f"arn:aws:kms:eu-central-1:{ACCOUNT}:key/*"}}}),
        ("aws.runtime.role_arn", {"aws": {"runtime": {"role_arn": f"arn:aws:iam::{ACCOUNT}:role/*"}}}),
        ("snowflake.ingest.secret_arn", {"snowflake": {"ingest": {"secret_arn": f"{SECRET.format(**HERE)}*"}}}),
    ],
)
def test_an_arn_names_one_thing_and_is_no_pattern(path: str, change: dict[str, Any]) -> None:
    """They become the resources of policies, where a star would be every key, role or secret of the account."""
    assert problems(**change) == told(f"{path}: has to be the ARN of …")


def test_an_arn_is_of_the_partition_of_its_region() -> None:
    assert problems(aws={"region": "cn-north-1"}) == [
        "aws.partition: 'aws' does not have the region cn-north-1; expected 'aws-cn'."
    ]
    assert problems(aws={"region": "us-gov-west-1", "partition": "aws-us-gov"}) == []
    of_china = "arn:aws-cn:iam::123456789012:policy/fence"
    assert problems(aws={"permissions_boundary": of_china}) == told(
        "…is of partition aws-cn; expected aws, as in aws.partition."
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            {"application": "a" * 58},
            [
                f"application: gives the engine's role the name '{'a' * 58}-engine' of 65 characters; 64 are allowed. "
                "Shorten application by 1, or give aws.runtime.role.",
                "application: gives the bucket the name …of 84 characters; 63 are allowed. "
                "Shorten application by 21, or give aws.bucket.name.",
            ],
            id="a name that is too long says what shortens it",
        ),
        pytest.param({"application": "a" * 58, "aws": NAMED}, [], id="naming what is made outright is enough"),
        pytest.param(
            {"application": "a" * 64, "aws": {**NAMED, "runtime": {"trust": "nobody"}}},
            [],
            id="a name that nothing has may be long",
        ),
        pytest.param(
            {"application": "a" * 64, "aws": {**NAMED, "runtime": {"trust": "static-keys"}}},
            ["application: gives the engine's user the name…"],
            id="a user has a name too",
        ),
        pytest.param(
            {"name": "a" * 32, "aws": {"region": "ap-southeast-1"}},
            ["…of 69 characters; 63 are allowed. Shorten name by 6, or give aws.bucket.name."],
            id="the environment is named where there is no application",
        ),
        pytest.param(
            {"snowflake": {"external_volumes": [{"name": "v" * 60}]}},
            [
                f"…gives the role of {'V' * 60} the name…or give a shorter snowflake.external_volumes[0].name.",
                "…or give snowflake.external_volumes[0].bucket.",
            ],
            id="what a volume is made of fits too",
        ),
    ],
)
def test_a_made_up_name_is_no_longer_than_aws_takes(change: dict[str, Any], expected: list[str]) -> None:
    assert problems(**change) == told(*expected)


def test_what_redshift_has_of_the_name_fits_too() -> None:
    """IAM's limit is that of a role; a workgroup has neither capitals nor dots."""
    redshift = {"cluster": {"identifier": "c"}, "views": [{"stream": "orders"}]}
    assert problems(application="a" * 56, aws=NAMED, redshift=redshift) == told(
        "…of 65 characters; 64 are allowed. Shorten application by 1."
    )
    made = {"workgroup": {}, "views": redshift["views"]}
    assert problems(application="Shop.Dev", redshift=made) == [
        "application: gives the workgroup the name 'Shop.Dev'; expected 3 to 64 small letters, digits and hyphens. Name it "
        "otherwise, or give redshift.workgroup.name."
    ]
    assert problems(application="Shop.Dev", redshift={**made, "workgroup": {"name": "shop"}}) == []
    assert problems(name="a--b", redshift={**redshift, "cluster": {}}) == told(
        "name: gives the cluster of Redshift the name 'firnline-a--b'; expected a small letter…"
        "Name it otherwise, or give redshift.cluster.identifier."
    )


def test_an_alarm_of_a_consumer_fits_too() -> None:
    stream, consumer = "s" * 128, "c" * 120
    assert problems(
        streams=[{"name": stream, "consumers": [consumer]}],
        pipelines=[pipeline(stream, reader={"fan_out": {"consumer": consumer}})],
        alarms={"topics": [TOPIC]},
    ) == told("name: gives an alarm of a consumer the name …of 266 characters; 255 are allowed. Shorten name by 11.")


def test_a_dashboard_and_a_repository_are_spelt_as_their_services_take_them() -> None:
    assert problems(application="shop.dev", metrics={"dashboard": True}) == [
        "application: gives the dashboard the name 'shop.dev'; expected letters, digits, _ and -. Name it otherwise."
    ]
    pods = {"trust": "static-keys", "namespace": "n", "service_account": "s", "kubernetes": {"keys_secret": "k"}}
    for application in ("shop--dev", "shop-", "shop._dev"):
        assert problems(application=application, aws={"runtime": pods}) == told(
            f"application: gives the image repository the name '{application}'; expected …"
            "or give aws.runtime.kubernetes.image."
        )
    assert problems(application="Shop.dev", aws={"runtime": pods}) == []


def test_the_migration_table_is_named_after_the_ledger() -> None:
    table = "t" * 246
    assert problems(ledger={"table": table}) == []
    assert problems(ledger={"table": table, "migration": True}) == told(
        "ledger.table: gives the migration's table the name…256 characters; 255 are allowed. Shorten it by 1."
    )


def test_dynamodb_wants_three_characters() -> None:
    assert problems(application="ab") == told(
        "application: gives the ledger the name 'ab'; DynamoDB wants 3 characters at least…"
    )
    assert problems(application="ab", ledger={"table": "ab-ledger"}) == []


@pytest.mark.parametrize("name", ["xn--lake", "sthree-lake", "lake-s3alias", "lake--x-s3"])
def test_a_bucket_has_no_name_that_s3_keeps_for_itself(name: str) -> None:
    assert problems(aws={"bucket": {"name": name}}) == told(f"aws.bucket.name: '{name}' is not a name that S3 takes…")


def test_a_bucket_that_would_begin_with_a_hyphen_is_told() -> None:
    expected = "aws.bucket.name: '-123456789012-eu-central-1' is not a name that S3 takes…"
    assert problems(application="___") == told(expected)


@pytest.mark.parametrize("origin", ["create", "adopt"])
def test_nobody_who_deploys_gets_the_bucket_of_the_state(origin: str) -> None:
    assert problems(aws={"bucket": {"origin": origin, "name": STATE}}) == [
        f"aws.bucket.name: {STATE} is named as the buckets of Pulumi's state are; give another."
    ]
    for volume in ({"name": "STATE"}, {"name": "LAKE", "bucket": STATE}):
        assert problems(snowflake={"external_volumes": [volume]}) == told(
            f"snowflake.external_volumes[0].bucket: {STATE} is named as…"
        )
    assert problems(snowflake={"external_volumes": [{"name": "STATES"}]}) == []


def test_an_environment_is_not_named_as_what_another_ones_bootstrap_makes() -> None:
    assert problems(name="dev-state") == told(
        f"aws.bucket.name: {STATE} is named as…",
        "name: gives the key the alias firnline-dev-state, as keys of Pulumi's state have…",
    )
    assert problems(name="dev-state", aws={"bucket": {"name": "mine"}, "key": {"origin": "skip"}}) == []
    assert problems(name="dev-preview") == told(
        "name: dev-preview is what GitHub's environment for previews of 'dev' is called…"
    )


@pytest.mark.parametrize("role", ["deploy-firnline-dev", "preview-firnline-dev"])
def test_the_engine_is_not_who_deploys(role: str) -> None:
    for field, value in {"role": role, "role_arn": f"arn:aws:iam::123456789012:role/teams/{role}"}.items():
        assert problems(aws={"runtime": {field: value}}) == [
            f"aws.runtime.{field}: {role} is a role of CI; the engine needs one of its own."
        ]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("/firnline/dev", []),
        ("/a" * 14, []),
        ("/a" * 15, ["…has 15 levels, and one is added; 15 are allowed…"]),
        ("/AWS-things", ["…begin with neither aws nor ssm…"]),
        ("/" + "a" * 960, ["…1011 are allowed…"]),
    ],
)
def test_parameters_lie_where_systems_manager_lets_them(prefix: str, expected: list[str]) -> None:
    assert problems(publication={"ssm_prefix": prefix}) == told(*expected)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"aws:owner": "me"}, "the prefix aws: belongs to AWS itself"),
        ({"AWS:owner": "me"}, "the prefix aws: belongs to AWS itself"),
        ({"firnline:owner": "me"}, "the prefix firnline: belongs to Firnline"),
        ({"k" * 129: "v"}, "a key has 1 to 128 characters, this one has 129"),
        ({"": "v"}, "a key has 1 to 128 characters, this one has 0"),
        ({"owner": "v" * 257}, "a value has up to 256 characters, this one has 257"),
        ({"owner": "me; you"}, "AWS takes letters, digits, spaces"),
        ({"owner": "me\nyou"}, "AWS takes letters, digits, spaces"),
        ({"Owner": "a", "owner": "b"}, "IAM does not tell it from 'Owner'"),
        ({f"tag{number}": "" for number in range(48)}, "48 are given; AWS takes 50 on an object, and 3 of them are"),
    ],
)
def test_tags_that_aws_would_refuse_are_refused(tags: dict[str, str], expected: str) -> None:
    assert problems(tags=tags) == told(f"…{expected}…")


def test_tags_that_aws_takes_are_taken() -> None:
    tags = {"cost centre": "Größe: 1/2 = 0.5 + x@y_z-", "k" * 128: "v" * 256, "empty": ""}
    assert problems(tags=tags) == []
    assert problems(tags={f"tag{number}": "" for number in range(47)}) == []


def test_tags_are_what_the_engines_service_takes() -> None:
    """The patterns of CreateApplication and CreateVirtualCluster, in botocore's models."""
    network = {"subnets": ["subnet-0a1b2c3d"], "security_group": {"vpc": "vpc-0a1b2c3d"}}
    on_serverless = {"runtime": {"trust": "emr-serverless", "emr_serverless": network}}
    on_eks = {"trust": "emr-eks", "oidc_provider": "o/id", "cluster": "c", "namespace": "n", "emr_eks": {}}
    umlaut, empty = {"Owner": "Jörg"}, {"Note": ""}
    assert problems(aws=on_serverless, tags=umlaut) == told("tags.Owner: EMR Serverless takes letters of ASCII, …")
    assert problems(aws={"runtime": on_eks}, tags=empty) == told("tags.Note: EMR on EKS takes neither key nor value…")
    assert problems(aws={"runtime": on_eks}, tags={" ": "v"}) == told("tags. : EMR on EKS takes neither key nor value…")
    assert problems(aws=on_serverless, tags=empty) == problems(aws={"runtime": on_eks}, tags=umlaut) == []


def test_a_log_group_has_a_name_that_cloudwatch_takes() -> None:
    """CreateLogGroup, in botocore's model."""
    network = {"subnets": ["subnet-0a1b2c3d"], "security_group": {"vpc": "vpc-0a1b2c3d"}}
    for name, expected in (("aws/firnline", told("…log_group: has to be the name of a CloudWatch…")), ("/aws/x", [])):
        runtime = {"trust": "emr-serverless", "emr_serverless": {**network, "log_group": name}}
        assert problems(aws={"runtime": runtime}) == expected


def test_what_is_given_twice_is_told() -> None:
    assert problems(
        streams=[{"name": "orders", "shard_metrics": ["IncomingBytes"] * 2, "consumers": ["a", "b", "a"]}],
        pipelines=[interactive(cluster_by=["ID", "id"], columns=COLUMNS)],
        snowflake={
            "allowed_networks": ["192.0.2.0/24"] * 2,
            "reader": {"granted_to": ["ANALYST", "analyst"]},
            "interactive_warehouse": {"name": "FAST"},
        },
        alarms={"topics": [TOPIC] * 2},
    ) == [
        "streams[0].shard_metrics[1]: IncomingBytes is given twice.",
        "streams[0].consumers[2]: a is given twice.",
        "pipelines[0].cluster_by[1]: ID is given twice.",
        "snowflake.allowed_networks[1]: 192.0.2.0/24 is given twice.",
        "snowflake.reader.granted_to[1]: ANALYST is given twice.",
        "alarms.topics[1]: arn:aws:sns:eu-central-1:123456789012:oncall is given twice.",
    ]


def test_an_alarm_tells_five_topics_at_most() -> None:
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(5)]}) == []
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(6)]}) == [
        "alarms.topics: 6 are given; an alarm tells 5 topics."
    ]


NO_REGION = "aws.region: has to be an AWS region…"


@pytest.mark.parametrize(
    ("region", "expected"),
    [("eu-central-1", []), ("ap-southeast-7", []), ("eu-centrl-1", [NO_REGION]), ("eu-1", [NO_REGION])],
)
def test_a_region_is_made_of_the_words_that_aws_has(region: str, expected: list[str]) -> None:
    assert problems(aws={"region": region})[:1] == told(*expected)


@pytest.mark.parametrize("account", ["ORG-ACCOUNT.snowflakecomputing.com", "org-account.eu.snowflakecomputing.cn"])
def test_an_account_is_no_host(account: str) -> None:
    assert problems(snowflake={"account": account}) == told(
        "snowflake.account: has to be ORGANISATION-ACCOUNT, without https://…"
    )
