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
    yield from _doors(made)
    yield from _to_others(made)
    yield from _settings(made)
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


def _doors(made: Made) -> Iterator[Change]:
    """Ways out for records, and into the engine, that no provider looks at."""
    app, kinesis, dynamodb, s3 = made.application, made.aws("kinesis"), made.aws("dynamodb"), made.aws("s3")
    bucket = blueprint_of(made.spec).names.bucket
    stream, ledger, whole = "kinesis stream orders", f"dynamodb table {app}", f"s3 bucket {bucket}"
    arn = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]["StreamARN"]
    listening = {"StreamARN": arn, "ConsumerName": "spy"}
    yield Change(lambda: kinesis.register_stream_consumer(**listening), stream, "consumer spy")
    expiry = {"TableName": app, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "at"}}
    yield Change(lambda: dynamodb.update_time_to_live(**expiry), ledger, "ttl")
    yield Change(lambda: _replicated(made, bucket), whole, "replication away")
    topic = {"Id": "told", "TopicArn": "arn:aws:sns:eu-central-1:999988887777:a", "Events": ["s3:ObjectCreated:*"]}
    notified = {"Bucket": bucket, "NotificationConfiguration": {"TopicConfigurations": [topic]}}
    yield Change(lambda: s3.put_bucket_notification_configuration(**notified), whole, "notification told")
    secrets, secret = made.aws("secretsmanager"), f"{app}/snowflake/ingest"
    put = secrets.put_secret_value
    yield Change(lambda: put(SecretId=secret, SecretString="another"), f"secretsmanager secret {secret}", "value")
    if url := made.stack.outputs["engine_config_url"]:
        key = url.removeprefix(f"s3://{bucket}/")
        changed = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read()) | {"application": "another"}
        document = {
            "Bucket": bucket,
            "Key": key,
            "Body": json.dumps(changed).encode(),
            "ContentType": "application/json",
        }
        object_ = "s3 bucket objectv2 engine configuration"
        yield Change(lambda: s3.put_object(**document), object_, "content")


def _replicated(made: Made, bucket: str) -> None:
    s3 = made.aws("s3")
    enabled = {"Status": "Enabled"}
    s3.create_bucket(Bucket=f"{bucket}-away", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    s3.put_bucket_versioning(Bucket=f"{bucket}-away", VersioningConfiguration=enabled)
    status = s3.get_bucket_versioning(Bucket=bucket)["Status"]
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=enabled)
    rule = {"ID": "away", "Priority": 1, "Filter": {"Prefix": ""}, **enabled}
    rule |= {
        "Destination": {"Bucket": f"arn:aws:s3:::{bucket}-away"},
        "DeleteMarkerReplication": {"Status": "Disabled"},
    }
    replication = {"Role": "arn:aws:iam::999988887777:role/copies", "Rules": [rule]}
    s3.put_bucket_replication(Bucket=bucket, ReplicationConfiguration=replication)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": status})


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


def _to_others(made: Made) -> Iterator[Change]:
    """Rights on the environment's objects, and its roles, that went to anybody."""
    up = made.name.upper()
    schema, deploy, preview = f"FIRNLINE_{up}.RAW", f"FIRNLINE_{up}_DEPLOY", f"FIRNLINE_{up}_PREVIEW"
    table, roles = f"{schema}.ORDERS", "snowflake account role"
    for privilege in ("INSERT", "DELETE", "SELECT"):
        path = f"{privilege} to role ANALYST"
        yield made_by(made, f"GRANT {privilege} ON TABLE {table} TO ROLE ANALYST", f"snowflake table {table}", path)
    future = f"GRANT SELECT ON FUTURE TABLES IN SCHEMA {schema} TO ROLE ANALYST"
    yield made_by(made, future, f"snowflake schema {schema}", "future SELECT on TABLE to role ANALYST")
    all_of = f"GRANT SELECT ON FUTURE TABLES IN DATABASE FIRNLINE_{up} TO ROLE ANALYST"
    yield made_by(made, all_of, f"snowflake database FIRNLINE_{up}", "future SELECT on TABLE to role ANALYST")
    writes = f"GRANT INSERT ON TABLE {table} TO ROLE {preview}"
    yield made_by(made, writes, f"{roles} {preview}", f"INSERT on TABLE {table}")
    yield made_by(made, f"GRANT ROLE ANALYST TO ROLE {deploy}", f"{roles} {deploy}", "USAGE on ROLE ANALYST")
    made.sql("CREATE ROLE IF NOT EXISTS AUDITOR")
    yield made_by(made, f"GRANT ROLE {deploy} TO ROLE AUDITOR", f"{roles} {deploy}", "granted to role AUDITOR")
    keys = f"GRANT MODIFY PROGRAMMATIC AUTHENTICATION METHODS ON USER FIRNLINE_{up}_INGEST TO ROLE ANALYST"
    path = "MODIFY PROGRAMMATIC AUTHENTICATION METHODS to role ANALYST"
    yield made_by(made, keys, f"snowflake service user FIRNLINE_{up}_INGEST", path)


def _settings(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    schema, days = f"FIRNLINE_{up}.RAW", "DATA_RETENTION_TIME_IN_DAYS"
    path = "dataRetentionTimeInDays"
    yield made_by(made, f"ALTER SCHEMA {schema} SET {days} = 0", f"snowflake schema {schema}", path)
    database = f"FIRNLINE_{up}"
    yield made_by(made, f"ALTER DATABASE {database} SET {days} = 0", f"snowflake database {database}", path)
    ingest, reader = f"FIRNLINE_{up}_INGEST", f"FIRNLINE_{up}_READER"
    token = f"ALTER USER {ingest} ADD PROGRAMMATIC ACCESS TOKEN spare"
    yield made_by(made, token, f"snowflake service user {ingest}", "programmatic access token")
    federated = f"ALTER USER {reader} SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = '{STRANGER}')"
    yield made_by(made, federated, f"snowflake service user {reader}", "workload identity")
    null = f"ALTER TABLE {schema}.ORDERS ADD COLUMN SPARE VARCHAR NOT NULL"
    yield made_by(made, null, f"snowflake table {schema}.ORDERS", "column SPARE nullable")


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
    yield Change(lambda: kms.disable_key(KeyId=key), f"kms key {alias}", "state")
    pipe = "FIRNLINE_STAGING.RAW.CLICKS_TYPED"
    yield made_by(made, f"ALTER PIPE {pipe} SET COMMENT = 'mine'", f"snowflake pipe {pipe}", "comment")
    fixed = "FIRNLINE_STAGING.RAW.CLICKS"
    added = f"ALTER TABLE {fixed} ADD COLUMN SPARE VARCHAR"
    yield made_by(made, added, f"snowflake table {fixed}", "column SPARE")
    paused = f"ALTER PIPE {pipe} SET PIPE_EXECUTION_PAUSED = TRUE"
    yield made_by(made, paused, f"snowflake pipe {pipe}", "executionState")


def _prod(made: Made) -> Iterator[Change]:
    kms, alias = made.aws("kms"), f"alias/{made.application}"
    key = kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"]
    grant = {"KeyId": key, "GranteePrincipal": STRANGER, "Operations": ["Decrypt"], "Name": "lent"}
    yield Change(lambda: kms.create_grant(**grant), f"kms key {alias}", "grant lent")
    open_to_all = {"Effect": "Allow", "Principal": {"AWS": STRANGER}, "Action": "kms:Decrypt", "Resource": "*"}
    own = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    own["Statement"].append(open_to_all)
    put = {"KeyId": key, "PolicyName": "default", "Policy": json.dumps(own)}
    yield Change(lambda: kms.put_key_policy(**put), f"kms key {alias}", "policy")
    yield Change(lambda: kms.disable_key_rotation(KeyId=key), f"kms key {alias}", "rotation")
    moved = {"AliasName": alias, "TargetKeyId": kms.create_key()["KeyMetadata"]["KeyId"]}
    yield Change(lambda: kms.update_alias(**moved), f"kms key {alias}", "target")
    kinesis = made.aws("kinesis")
    stream = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]["StreamARN"]
    fraud = kinesis.describe_stream_consumer(StreamARN=stream, ConsumerName="fraud")["ConsumerDescription"][
        "ConsumerARN"
    ]
    opened = policy("kinesis:SubscribeToShard", fraud, Principal={"AWS": STRANGER})
    let_in = {"ResourceARN": fraud, "Policy": opened}
    yield Change(lambda: kinesis.put_resource_policy(**let_in), "kinesis stream consumer fraud", "resource policy")
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
