"""What people do to an environment past its stack, each with the one finding that has to come of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import DynamoLedger
from tests.infra.drift.conftest import Made

STRANGER = "arn:aws:iam::999988887777:root"


@dataclass(frozen=True)
class Change:
    does: Callable[[], object]
    object: str
    path: str


def policy(action: str, resource: str, **more: Any) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": resource, **more}]}
    )


def changes(made: Made) -> Iterator[Change]:
    yield from _data(made)
    yield from _principals(made)
    yield from _snowflake(made)
    yield from _rights(made)
    yield from {"dev": _dev, "staging": _staging, "prod": _prod}[made.name](made)


def _data(made: Made) -> Iterator[Change]:
    app, kinesis, dynamodb, s3 = made.application, made.aws("kinesis"), made.aws("dynamodb"), made.aws("s3")
    stream, ledger = "kinesis stream orders", f"dynamodb table {app}"
    bucket = blueprint_of(made.spec).names.bucket
    arn = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]["StreamARN"]
    hours = {"StreamName": "orders", "RetentionPeriodHours": 200}
    yield Change(lambda: kinesis.increase_stream_retention_period(**hours), stream, "retentionPeriod")
    yield Change(lambda: kinesis.add_tags_to_stream(StreamName="orders", Tags={"who": "me"}), stream, "tags.who")
    letting_in = policy("kinesis:GetRecords", arn, Principal={"AWS": STRANGER})
    yield Change(lambda: kinesis.put_resource_policy(ResourceARN=arn, Policy=letting_in), stream, "resource policy")
    continuous = {"PointInTimeRecoveryEnabled": False}
    recovery = {"TableName": app, "PointInTimeRecoverySpecification": continuous}
    yield Change(lambda: dynamodb.update_continuous_backups(**recovery), ledger, "pointInTimeRecovery.enabled")
    table = dynamodb.describe_table(TableName=app)["Table"]["TableArn"]
    opening = policy("dynamodb:GetItem", table, Principal={"AWS": STRANGER})
    yield Change(lambda: dynamodb.put_resource_policy(ResourceArn=table, Policy=opening), ledger, "resource policy")
    off = {"Bucket": bucket, "VersioningConfiguration": {"Status": "Suspended"}}
    versioning = "s3 bucket versioning"
    yield Change(lambda: s3.put_bucket_versioning(**off), f"{versioning} {bucket}", "versioningConfiguration.status")
    public = {
        "BlockPublicAcls": True,
        "IgnorePublicAcls": True,
        "BlockPublicPolicy": False,
        "RestrictPublicBuckets": True,
    }
    yield Change(
        lambda: s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=public),
        f"s3 bucket public access block {bucket}",
        "blockPublicPolicy",
    )
    reading = policy("s3:GetObject", f"arn:aws:s3:::{bucket}/*", Principal={"AWS": STRANGER})
    yield Change(lambda: s3.put_bucket_policy(Bucket=bucket, Policy=reading), f"s3 bucket policy {bucket}", "policy")
    secrets, secret = made.aws("secretsmanager"), f"{app}/snowflake/reader"
    told = policy("secretsmanager:GetSecretValue", "*", Principal={"AWS": STRANGER})
    yield Change(
        lambda: secrets.put_resource_policy(SecretId=secret, ResourcePolicy=told),
        f"secretsmanager secret {secret}",
        "resource policy",
    )


def _principals(made: Made) -> Iterator[Change]:
    iam, role = made.aws("iam"), f"{made.application}-engine"
    name, whole = {"RoleName": role}, f"iam role {role}"
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": STRANGER}}
    widened = iam.get_role(**name)["Role"]["AssumeRolePolicyDocument"]
    widened = json.dumps({**widened, "Statement": [*widened["Statement"], trust]})
    yield Change(lambda: iam.update_assume_role_policy(**name, PolicyDocument=widened), whole, "assumeRolePolicy")
    more = policy("s3:*", "*")
    put = iam.put_role_policy
    yield Change(lambda: put(**name, PolicyName="firnline", PolicyDocument=more), "iam role policy firnline", "policy")
    yield Change(lambda: put(**name, PolicyName="extra", PolicyDocument=more), whole, "inline policy extra")
    arn = iam.create_policy(PolicyName="by-hand", PolicyDocument=more)["Policy"]["Arn"]
    yield Change(lambda: iam.attach_role_policy(**name, PolicyArn=arn), whole, f"attached policy {arn}")


def _snowflake(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    database, reader, ingest = f"FIRNLINE_{up}", f"FIRNLINE_{up}_READER", f"FIRNLINE_{up}_INGEST"
    table, user = f"{database}.RAW.ORDERS", f"snowflake service user {ingest}"
    yield made_by(made, f"ALTER DATABASE {database} SET COMMENT = 'mine'", f"snowflake database {database}", "comment")
    switched = f"ALTER TABLE {table} SET ERROR_LOGGING = FALSE"
    yield made_by(made, switched, f"snowflake table {table}", "ERROR_LOGGING")
    kept = f"ALTER TABLE {table} SET DATA_RETENTION_TIME_IN_DAYS = 0"
    yield made_by(made, kept, f"snowflake table {table}", "dataRetentionTimeInDays")
    second = blueprint_of(made.spec).landing.users[1].public_key
    yield made_by(made, f"ALTER USER {ingest} SET RSA_PUBLIC_KEY_2 = '{second}'", user, "rsaPublicKey2")
    yield made_by(made, f"ALTER USER {reader} SET DISABLED = TRUE", f"snowflake service user {reader}", "disabled")


def _rights(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    table, reader, ingest = f"FIRNLINE_{up}.RAW.ORDERS", f"FIRNLINE_{up}_READER", f"FIRNLINE_{up}_INGEST"
    roles = "snowflake account role"
    given = f"GRANT INSERT ON TABLE {table} TO ROLE {reader}"
    yield made_by(made, given, f"{roles} {reader}", f"INSERT on TABLE {table}")
    future = f"GRANT SELECT ON FUTURE TABLES IN SCHEMA FIRNLINE_{up}.RAW TO ROLE {ingest}"
    yield made_by(made, future, f"{roles} {ingest}", f"future SELECT on FIRNLINE_{up}.RAW.<TABLE>")
    made.sql("CREATE ROLE IF NOT EXISTS ANALYST")
    handed = f"GRANT ROLE {reader} TO ROLE ANALYST"
    yield made_by(made, handed, f"{roles} {reader}", "granted to role ANALYST")
    yield made_by(made, f"GRANT ROLE ANALYST TO ROLE {ingest}", f"{roles} {ingest}", "USAGE on ROLE ANALYST")
    taken = f"GRANT ROLE ANALYST TO USER {ingest}"
    yield made_by(made, taken, f"snowflake service user {ingest}", "role ANALYST")


def _dev(made: Made) -> Iterator[Change]:
    yield running_engine(made)
    yield made_by(
        made,
        "ALTER SCHEMA FIRNLINE_DEV.RAW SET COMMENT = 'mine'",
        "snowflake schema FIRNLINE_DEV.RAW",
        "comment",
    )


def _staging(made: Made) -> Iterator[Change]:
    kms, alias = made.aws("kms"), f"alias/{made.application}"
    key = kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"]
    grant = {"KeyId": key, "GranteePrincipal": STRANGER, "Operations": ["Decrypt"], "Name": "lent"}
    yield Change(lambda: kms.create_grant(**grant), f"kms key {alias}", "grant lent")
    yield Change(lambda: kms.disable_key_rotation(KeyId=key), f"kms key {alias}", "rotation")
    pipe = "FIRNLINE_STAGING.RAW.CLICKS_TYPED"
    yield made_by(made, f"ALTER PIPE {pipe} SET COMMENT = 'mine'", f"snowflake pipe {pipe}", "comment")


def _prod(made: Made) -> Iterator[Change]:
    kms, alias = made.aws("kms"), f"alias/{made.application}"
    key = kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"]
    grant = {"KeyId": key, "GranteePrincipal": STRANGER, "Operations": ["Decrypt"], "Name": "lent"}
    yield Change(lambda: kms.create_grant(**grant), f"kms key {alias}", "grant lent")
    open_to_all = {"Effect": "Allow", "Principal": {"AWS": STRANGER}, "Action": "kms:Decrypt", "Resource": "*"}
    policy = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    policy["Statement"].append(open_to_all)
    put = {"KeyId": key, "PolicyName": "default", "Policy": json.dumps(policy)}
    yield Change(lambda: kms.put_key_policy(**put), f"kms key {alias}", "policy")
    lake = "FIRNLINE_PROD.LAKE.CLICKS"
    off = f"ALTER ICEBERG TABLE {lake} SET ERROR_LOGGING = FALSE"
    yield made_by(made, off, f"snowflake iceberg table {lake}", "ERROR_LOGGING")
    network = "FIRNLINE_PROD_NETWORK"
    opened = f"ALTER NETWORK POLICY {network} SET ALLOWED_IP_LIST = ('0.0.0.0/0')"
    yield made_by(made, opened, f"snowflake network policy {network}", "allowedIpLists")
    ssm = made.aws("ssm")
    yield Change(
        lambda: ssm.put_parameter(Name="/firnline/prod/ledger-table", Value="another", Type="String", Overwrite=True),
        "ssm parameter /firnline/prod/ledger-table",
        "insecureValue",
    )
    volume = "FIRNLINE_PROD_LAKE"
    closed = f"ALTER EXTERNAL VOLUME {volume} SET ALLOW_WRITES = FALSE"
    yield made_by(made, closed, f"snowflake external volume {volume}", "allowWrites")


def made_by(made: Made, statement: str, object_: str, path: str) -> Change:
    return Change(lambda: made.sql(statement), object_, path)


def running_engine(made: Made) -> Change:
    """It was started with an older configuration, and beats."""
    ledger = DynamoLedger(made.aws("dynamodb"), made.application)

    def start() -> None:
        ledger.begin_run(Run("old", "a machine", configuration="0" * 16, version="0.1.0"), None)

    return Change(start, f"engine application {made.application}", "configuration")
