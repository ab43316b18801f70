from collections.abc import Callable
from typing import Any

import pytest

from tests.infra.specification.checks.conftest import COLUMNS

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
KEY = "arn:aws:kms:eu-central-1:123456789012:key/8c0f4b5e"


def test_a_bucket_is_left_out_where_the_engine_runs_here_and_nothing_lasts(problems: Problems, aws: Part) -> None:
    skip, nobody = {"origin": "skip"}, {"trust": "nobody"}
    assert problems(aws=aws(bucket=skip, runtime=nobody), durability="EPHEMERAL") == []
    (problem,) = problems(aws=aws(bucket=skip, runtime=nobody))
    assert "durability: PROTECTED needs 'create' or 'adopt'" in problem
    (problem,) = problems(aws=aws(bucket=skip), durability="EPHEMERAL")
    assert "without a place that emr-serverless reaches" in problem
    (problem,) = problems(aws=aws(bucket={**skip, "name": "mine"}, runtime=nobody), durability="EPHEMERAL")
    assert problem.startswith("aws.bucket.name: belongs to")


@pytest.mark.parametrize("trust", ["static-keys", "nobody"])
def test_a_role_is_named_where_one_is_made(problems: Problems, aws: Part, trust: str) -> None:
    (problem,) = problems(aws=aws(runtime={"trust": trust, "role": "engine"}))
    assert problem.startswith(f"aws.runtime.role: no role is made with trust: {trust}")
    assert problems(aws=aws(runtime={"role": "engine"})) == []


def test_what_is_adopted_is_named_and_left_as_it_is(problems: Problems, aws: Part) -> None:
    found = problems(
        aws=aws(key={"origin": "adopt"}, bucket={"origin": "adopt"}),
        streams=[
            {"name": "orders", "origin": "adopt", "shards": 2},
            {"name": "clicks", "key_arn": KEY},
            {"name": "none", "origin": "skip"},
        ],
    )
    assert [problem.partition(" (")[0] for problem in found] == [
        "aws.key: give arn with origin: adopt, and only then",
        "aws.bucket: give the name of the bucket to adopt",
        "streams[0]: origin: adopt leaves the stream as it is; remove shards",
        "streams[1]: key_arn belongs to origin: adopt; a stream that is made has the environment's key",
        "streams[2]: a stream is created or adopted; without one there is nothing to read",
    ]
    assert problems(streams=[{"name": "orders", "origin": "adopt", "key_arn": KEY, "consumers": ["fraud"]}]) == []


KEY_FORM = "arn:aws:kms:{region}:{account}:key/8c0f4b5e"
TOPIC_FORM = "arn:aws:sns:{region}:{account}:oncall"
SECRET = "arn:aws:secretsmanager:{region}:{account}:secret:key-a1B2c3"
HERE = {"region": "eu-central-1", "account": "123456789012"}


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ({"region": "eu-west-1"}, "is of region eu-west-1; expected eu-central-1, as in aws.region."),
        ({"account": "210987654321"}, "is of account 210987654321; expected 123456789012, as in aws.account."),
    ],
)
def test_an_arn_of_elsewhere_is_refused_wherever_it_is_given(
    problems: Problems, aws: Part, snowflake: Part, elsewhere: dict[str, str], expected: str
) -> None:
    def document(place: dict[str, str]) -> dict[str, Any]:
        return {
            "aws": aws(key={"origin": "adopt", "arn": KEY_FORM.format(**place)}),
            "streams": [{"name": "orders", "origin": "adopt", "key_arn": KEY_FORM.format(**place)}],
            "alarms": {"topics": [TOPIC_FORM.format(**place)]},
            "snowflake": snowflake(ingest={"secret_arn": SECRET.format(**place)}),
            "redshift": {
                "workgroup": {},
                "secret_arn": SECRET.format(**place),
                "secret_key_arn": KEY_FORM.format(**place),
                "views": [{"stream": "orders"}],
            },
        }

    assert problems(**document(HERE)) == []
    paths = ["aws.key.arn", "streams[0].key_arn", "alarms.topics[0]", "snowflake.ingest.secret_arn"]
    paths += ["redshift.secret_arn", "redshift.secret_key_arn"]
    assert problems(**document({**HERE, **elsewhere})) == [f"{path}: {expected}" for path in paths]


def test_a_registrys_login_of_another_account_is_refused_before_a_boundary_does(problems: Problems) -> None:
    def document(account: str) -> dict[str, Any]:
        place = {**HERE, "account": account}
        login = {"secret_arn": SECRET.format(**place), "secret_key_arn": KEY_FORM.format(**place)}
        registry = {"url": "https://registry.acme.com", "login": login}
        of = {"type": "avro", "framing": "confluent", "registry": registry}
        return {"pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW", "format": of}]}

    assert problems(**document(HERE["account"])) == []
    expected = "is of account 210987654321; expected 123456789012, as in aws.account."
    place = "pipelines[0].format.registry.login"
    assert problems(**document("210987654321")) == [
        f"{place}.{field}: {expected}" for field in ("secret_arn", "secret_key_arn")
    ]


def test_a_boundary_is_of_this_account_or_of_aws_itself(problems: Problems, aws: Part) -> None:
    for owner, found in {"123456789012": 0, "aws": 0, "210987654321": 1}.items():
        policy = f"arn:aws:iam::{owner}:policy/fence"
        assert len(problems(aws=aws(permissions_boundary=policy))) == found


def test_an_arn_names_one_thing_and_is_no_pattern(problems: Problems, aws: Part, snowflake: Part) -> None:
    """They become the resources of policies, where a star would be every key, role or secret of the account."""
    account = "123456789012"
    given: dict[str, dict[str, Any]] = {
        "aws.key.arn": {"aws": aws(key={"origin": "adopt", "arn": f"arn:aws:kms:eu-central-1:{account}:key/*"})},
        "aws.runtime.role_arn": {"aws": aws(runtime={"role_arn": f"arn:aws:iam::{account}:role/*"})},
        "snowflake.ingest.secret_arn": {
            "snowflake": snowflake(ingest={"secret_arn": f"arn:aws:secretsmanager:eu-central-1:{account}:secret:pay*"})
        },
    }
    for path, change in given.items():
        (problem,) = problems(**change)
        assert problem.startswith(f"{path}: has to be the ARN of "), problem


def test_an_arn_is_of_the_partition_of_its_region(problems: Problems, aws: Part) -> None:
    (problem,) = problems(aws=aws(region="cn-north-1"))
    assert problem == "aws.partition: 'aws' does not have the region cn-north-1; expected 'aws-cn'."
    assert problems(aws=aws(region="us-gov-west-1", partition="aws-us-gov")) == []
    (problem,) = problems(aws=aws(permissions_boundary="arn:aws-cn:iam::123456789012:policy/fence"))
    assert problem.endswith("is of partition aws-cn; expected aws, as in aws.partition.")


def test_a_made_up_name_that_is_too_long_says_what_shortens_it(problems: Problems) -> None:
    role, bucket = problems(application="a" * 58)
    assert role == (
        f"application: gives the engine's role the name '{'a' * 58}-engine' of 65 characters; 64 are allowed. "
        "Shorten application by 1, or give aws.runtime.role."
    )
    assert bucket.startswith("application: gives the bucket the name ")
    assert bucket.endswith("of 84 characters; 63 are allowed. Shorten application by 21, or give aws.bucket.name.")


def test_naming_it_outright_is_enough(problems: Problems, aws: Part) -> None:
    named = aws(bucket={"name": "lake"}, runtime={"role": "engine"})
    assert problems(application="a" * 58, aws=named) == []


def test_a_name_that_nothing_has_may_be_long(problems: Problems, aws: Part) -> None:
    bucket = {"name": "lake"}
    assert problems(application="a" * 64, aws=aws(bucket=bucket, runtime={"trust": "nobody"})) == []
    (problem,) = problems(application="a" * 64, aws=aws(bucket=bucket, runtime={"trust": "static-keys"}))
    assert problem.startswith("application: gives the engine's user the name")


def test_the_environment_is_named_where_there_is_no_application(problems: Problems, aws: Part) -> None:
    (problem,) = problems(name="a" * 32, aws=aws(region="ap-southeast-1"))
    assert problem.endswith("of 69 characters; 63 are allowed. Shorten name by 6, or give aws.bucket.name.")


def test_what_a_volume_is_made_of_fits_too(problems: Problems, snowflake: Part, aws: Part) -> None:
    volumes = [{"name": "v" * 60}]
    role, bucket = problems(snowflake=snowflake(external_volumes=volumes))
    assert f"gives the role of {'V' * 60} the name" in role
    assert role.endswith("or give a shorter snowflake.external_volumes[0].name.")
    assert bucket.endswith("or give snowflake.external_volumes[0].bucket.")


def test_what_redshift_has_of_the_name_fits_too(problems: Problems, aws: Part) -> None:
    """IAM's limit is that of a role; a workgroup has neither capitals nor dots."""
    redshift = {"cluster": {"identifier": "c"}, "views": [{"stream": "orders"}]}
    named = aws(bucket={"name": "lake"}, runtime={"role": "engine"})
    (role,) = problems(application="a" * 56, aws=named, redshift=redshift)
    assert role.endswith("of 65 characters; 64 are allowed. Shorten application by 1.")
    made = {"workgroup": {}, "views": redshift["views"]}
    (group,) = problems(application="Shop.Dev", redshift=made)
    assert group == (
        "application: gives the workgroup the name 'Shop.Dev'; expected 3 to 64 small letters, digits and hyphens. Name it "
        "otherwise, or give redshift.workgroup.name."
    )
    assert problems(application="Shop.Dev", redshift={**made, "workgroup": {"name": "shop"}}) == []
    (cluster,) = problems(name="a--b", redshift={**redshift, "cluster": {}})
    assert cluster.startswith("name: gives the cluster of Redshift the name 'firnline-a--b'; expected a small letter")
    assert cluster.endswith("Name it otherwise, or give redshift.cluster.identifier.")


def test_an_alarm_of_a_consumer_fits_too(problems: Problems) -> None:
    stream, consumer = "s" * 128, "c" * 120
    reader = {"fan_out": {"consumer": consumer}}
    (problem,) = problems(
        streams=[{"name": stream, "consumers": [consumer]}],
        pipelines=[{"stream": stream, "database": "D", "schema": "S", "reader": reader}],
        alarms={"topics": ["arn:aws:sns:eu-central-1:123456789012:on-call"]},
    )
    assert problem.startswith("name: gives an alarm of a consumer the name ")
    assert problem.endswith("of 266 characters; 255 are allowed. Shorten name by 11.")


def test_a_dashboard_and_a_repository_are_spelt_as_their_services_take_them(problems: Problems, aws: Part) -> None:
    (dashboard,) = problems(application="shop.dev", metrics={"dashboard": True})
    assert dashboard == (
        "application: gives the dashboard the name 'shop.dev'; expected letters, digits, _ and -. Name it otherwise."
    )
    pods = {"trust": "static-keys", "namespace": "n", "service_account": "s", "kubernetes": {"keys_secret": "k"}}
    for application in ("shop--dev", "shop-", "shop._dev"):
        (repository,) = problems(application=application, aws=aws(runtime=pods))
        assert repository.startswith(f"application: gives the image repository the name '{application}'; expected ")
        assert repository.endswith("or give aws.runtime.kubernetes.image.")
    assert problems(application="Shop.dev", aws=aws(runtime=pods)) == []


def test_the_migration_table_is_named_after_the_ledger(problems: Problems) -> None:
    table = "t" * 246
    assert problems(ledger={"table": table}) == []
    (problem,) = problems(ledger={"table": table, "migration": True})
    assert problem.startswith("ledger.table: gives the migration's table the name")
    assert problem.endswith("256 characters; 255 are allowed. Shorten it by 1.")


def test_dynamodb_wants_three_characters(problems: Problems) -> None:
    (problem,) = problems(application="ab")
    assert problem.startswith("application: gives the ledger the name 'ab'; DynamoDB wants 3 characters at least")
    assert problems(application="ab", ledger={"table": "ab-ledger"}) == []


@pytest.mark.parametrize("name", ["xn--lake", "sthree-lake", "lake-s3alias", "lake--x-s3"])
def test_a_bucket_has_no_name_that_s3_keeps_for_itself(problems: Problems, aws: Part, name: str) -> None:
    (problem,) = problems(aws=aws(bucket={"name": name}))
    assert problem.startswith(f"aws.bucket.name: '{name}' is no name that S3 takes")


STATE = "firnline-dev-state-123456789012-eu-central-1"


@pytest.mark.parametrize("origin", ["create", "adopt"])
def test_nobody_who_deploys_gets_the_bucket_of_the_state(
    problems: Problems, aws: Part, snowflake: Part, origin: str
) -> None:
    (problem,) = problems(aws=aws(bucket={"origin": origin, "name": STATE}))
    assert problem == f"aws.bucket.name: {STATE} is named as the buckets of Pulumi's state are; give another."
    for volume in ({"name": "STATE"}, {"name": "LAKE", "bucket": STATE}):
        (problem,) = problems(name="dev", snowflake=snowflake(external_volumes=[volume]))
        assert problem.startswith(f"snowflake.external_volumes[0].bucket: {STATE} is named as")
    assert problems(name="dev", snowflake=snowflake(external_volumes=[{"name": "STATES"}])) == []


def test_an_environment_is_not_named_as_what_another_ones_bootstrap_makes(problems: Problems, aws: Part) -> None:
    bucket, alias = problems(name="dev-state")
    assert bucket.startswith(f"aws.bucket.name: {STATE} is named as")
    assert alias.startswith("name: gives the key the alias firnline-dev-state, as keys of Pulumi's state have")
    assert problems(name="dev-state", aws=aws(bucket={"name": "mine"}, key={"origin": "skip"})) == []
    (problem,) = problems(name="dev-preview")
    assert problem.startswith("name: dev-preview is what GitHub's environment for previews of 'dev' is called")


@pytest.mark.parametrize("role", ["deploy-firnline-dev", "preview-firnline-dev"])
def test_the_engine_is_not_who_deploys(problems: Problems, aws: Part, role: str) -> None:
    arn = f"arn:aws:iam::123456789012:role/teams/{role}"
    for field, value in {"role": role, "role_arn": arn}.items():
        (problem,) = problems(name="dev", aws=aws(runtime={field: value}))
        assert problem == f"aws.runtime.{field}: {role} is a role of CI; the engine needs one of its own."


def test_a_bucket_that_would_begin_with_a_hyphen_is_told(problems: Problems) -> None:
    (problem,) = problems(application="___")
    assert problem.startswith("aws.bucket.name: '-123456789012-eu-central-1' is no name that S3 takes")


def test_parameters_lie_where_systems_manager_lets_them(problems: Problems) -> None:
    def about(prefix: str) -> list[str]:
        return problems(publication={"ssm_prefix": prefix})

    assert about("/firnline/dev") == []
    assert about("/a" * 14) == []
    (problem,) = about("/a" * 15)
    assert "has 15 levels, and one is added; 15 are allowed" in problem
    (problem,) = about("/AWS-things")
    assert "begin with neither aws nor ssm" in problem
    (problem,) = about("/" + "a" * 960)
    assert "1011 are allowed" in problem


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
def test_tags_that_aws_would_refuse_are_refused(problems: Problems, tags: dict[str, str], expected: str) -> None:
    (problem,) = problems(tags=tags)
    assert expected in problem


def test_tags_that_aws_takes_are_taken(problems: Problems) -> None:
    tags = {"cost centre": "Größe: 1/2 = 0.5 + x@y_z-", "k" * 128: "v" * 256, "empty": ""}
    assert problems(tags=tags) == []
    assert problems(tags={f"tag{number}": "" for number in range(47)}) == []


TOPIC = "arn:aws:sns:eu-central-1:123456789012:oncall"


def test_tags_are_what_the_engines_service_takes(problems: Problems, aws: Part) -> None:
    """The patterns of CreateApplication and CreateVirtualCluster, in botocore's models."""
    network = {"subnets": ["subnet-0a1b2c3d"], "security_group": {"vpc": "vpc-0a1b2c3d"}}
    on_serverless = aws(runtime={"trust": "emr-serverless", "emr_serverless": network})
    on_eks = aws(runtime={"trust": "emr-eks", "oidc_provider": "o/id", "cluster": "c", "namespace": "n", "emr_eks": {}})
    umlaut, empty = {"Owner": "Jörg"}, {"Note": ""}
    (problem,) = problems(aws=on_serverless, tags=umlaut)
    assert problem.startswith("tags.Owner: EMR Serverless takes letters of ASCII, ")
    (problem,) = problems(aws=on_eks, tags=empty)
    assert problem.startswith("tags.Note: EMR on EKS takes no value that is empty")
    assert problems(aws=on_serverless, tags=empty) == problems(aws=on_eks, tags=umlaut) == []


def test_what_is_given_twice_is_told(problems: Problems, pipeline: Part, snowflake: Part) -> None:
    found = problems(
        streams=[{"name": "orders", "shard_metrics": ["IncomingBytes"] * 2, "consumers": ["a", "b", "a"]}],
        pipelines=[
            pipeline(
                table_kind="interactive",
                cluster_by=["ID", "id"],
                columns=COLUMNS,
            )
        ],
        snowflake=snowflake(
            allowed_networks=["192.0.2.0/24"] * 2,
            reader={"granted_to": ["ANALYST", "analyst"]},
            interactive_warehouse={"name": "FAST"},
        ),
        alarms={"topics": [TOPIC] * 2},
    )
    assert found == [
        "streams[0].shard_metrics[1]: IncomingBytes is given twice.",
        "streams[0].consumers[2]: a is given twice.",
        "pipelines[0].cluster_by[1]: ID is given twice.",
        "snowflake.allowed_networks[1]: 192.0.2.0/24 is given twice.",
        "snowflake.reader.granted_to[1]: ANALYST is given twice.",
        "alarms.topics[1]: arn:aws:sns:eu-central-1:123456789012:oncall is given twice.",
    ]


def test_an_alarm_tells_five_topics_at_most(problems: Problems) -> None:
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(5)]}) == []
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(6)]}) == [
        "alarms.topics: 6 are given; an alarm tells 5 topics."
    ]


@pytest.mark.parametrize(
    ("region", "is_one"),
    [
        ("eu-central-1", True),
        ("ap-southeast-7", True),
        ("eu-centrl-1", False),
        ("eu-1", False),
    ],
)
def test_a_region_is_made_of_the_words_that_aws_has(problems: Problems, aws: Part, region: str, is_one: bool) -> None:
    found = problems(aws=aws(region=region))
    assert (found == []) is is_one
    assert is_one or found[0].startswith("aws.region: has to be an AWS region")


@pytest.mark.parametrize("account", ["ORG-ACCOUNT.snowflakecomputing.com", "org-account.eu.snowflakecomputing.cn"])
def test_an_account_is_no_host(problems: Problems, snowflake: Part, account: str) -> None:
    (problem,) = problems(snowflake=snowflake(account=account))
    assert problem.startswith("snowflake.account: has to be ORGANISATION-ACCOUNT, without https://")
