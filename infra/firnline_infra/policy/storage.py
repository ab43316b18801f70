"""Rules for what holds data in AWS, and for the networks around it."""

import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from firnline_infra.policy.access import PAST_POLICIES, denied
from firnline_infra.policy.declared import DeclaredResource, DeclaredStack, is_known, listed
from firnline_infra.policy.rule import Breach, PolicyRule, text_of, unless, wanted

BUCKET = "aws_s3_bucket"
CLOSED = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
GRANTS_BY_ACL = ("aws_s3_bucket_acl", "aws_s3_object", "aws_s3_bucket_object", "aws_s3_object_copy")
ALGORITHMS = ("AES256", "aws:kms", "aws:kms:dsse")
BY_DEFAULT = "rule.apply_server_side_encryption_by_default"
KEYS = {
    "aws_kinesis_stream": "kms_key_id",
    "aws_dynamodb_table": "server_side_encryption.kms_key_arn",
    "aws_s3_bucket_server_side_encryption_configuration": f"{BY_DEFAULT}.kms_master_key_id",
    "snowflake_external_volume": "storage_location.encryption_kms_key_id",
    "aws_redshift_cluster": "kms_key_id",
}
"""The argument in which each kind names its key. A secret has Secrets Manager's own, which is there before the environment's
is."""
UNUSED_KEY = {
    "server_side_encryption.enabled": (False,),
    f"{BY_DEFAULT}.sse_algorithm": ("AES256",),
    "storage_location.encryption_type": ("NONE", "AWS_SSE_S3"),
}
"""What leaves a key that is named unused."""
LEAST = {
    "aws_kinesis_stream": ("retention_period", 48),
    "aws_secretsmanager_secret": ("recovery_window_in_days", 7),
    "aws_kms_key": ("deletion_window_in_days", 7),
    "aws_cloudwatch_log_group": ("retention_in_days", 7),
    "aws_redshift_cluster": ("automated_snapshot_retention_period", 7),
    "aws_dynamodb_table": ("point_in_time_recovery.recovery_period_in_days", 7),
}
"""How long a protected environment keeps what, in the argument's unit. Kinesis' own 24 hours are a night, not a weekend."""
LONG_BY_DEFAULT = ("aws_kms_key", "aws_secretsmanager_secret", "aws_dynamodb_table")
"""30 days, and 35."""
LONGEST_ROTATION_DAYS = 366
LIFECYCLE, LEAST_DAYS = "aws_s3_bucket_lifecycle_configuration", 7
DATA = (
    *("aws_kinesis_stream", "aws_dynamodb_table", BUCKET, "aws_kms_key", "aws_secretsmanager_secret"),
    *(
        "aws_redshiftserverless_namespace",
        "aws_redshift_cluster",
        "snowflake_database",
        "snowflake_schema",
        "snowflake_table",
    ),
    *("snowflake_iceberg_table", "snowflake_external_volume"),
)
GUARDS: dict[str, dict[str, bool]] = {
    "aws_dynamodb_table": {"deletion_protection_enabled": True, "ttl.enabled": False},
    "aws_kinesis_stream": {"enforce_consumer_deletion": False},
    BUCKET: {"force_destroy": False},
    "aws_emr_cluster": {"termination_protection": True},
}
"""What the service, or the provider, refuses by itself, or would do."""
ALLOWED = ("allowed_ip_list", "value_list", "value_lists")
"""The arguments of network policies and rules that list addresses; the last is Pulumi's name."""
NARROWEST = {4: 8, 6: 16}
"""Bits of a network's prefix, by the version of IP; fewer are half of the world."""
OWN_TAGS = ("firnline:environment", "firnline:application", "firnline:component")
MIGRATION = "_migration"
"""The ending of the name of the migration's table, which nothing protects: it goes when the migration is over."""
UNTAGGED = (
    *(
        "aws_cloudwatch_dashboard",
        "aws_iam_role_policy",
        "aws_iam_user_policy",
        "aws_iam_group_policy",
        "aws_kms_alias",
        "aws_ecr_lifecycle_policy",
        "aws_ecr_repository_policy",
        "aws_scheduler_schedule",
        "aws_sns_topic_policy",
        "aws_sns_topic_subscription",
    ),
    *("aws_iam_user_policy_attachment", "aws_iam_role_policy_attachment", "aws_iam_group_policy_attachment"),
    *PAST_POLICIES,
)
"""Types without tags in the AWS provider, as the settings of a bucket are."""
SECRETS = (
    *("aws_secretsmanager_secret_version", "aws_iam_access_key", "aws_iam_user_login_profile"),
    *("tls_private_key", "random_password", "snowflake_user", "snowflake_legacy_service_user"),
    "snowflake_user_programmatic_access_token",
)
PASSWORDS = ("password", "master_password", "admin_user_password", "master_user_password", "secret_string")
PRIVATE_KEY = re.compile(r"PRIVATE KEY-----|MI[\w+/]{1,6}IBADANBgkqhkiG9w0BAQEF")
"""A private key in PEM, or what is between the lines of one: PKCS #8 of RSA."""
UNSEEN = (
    *("aws_cloudformation_stack", "aws_cloudformation_stack_set", "aws_cloudcontrolapi_resource"),
    *("aws_servicecatalog_provisioned_product", "command:local:Command", "command:remote:Command"),
)


def _public(bucket: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    blocks = list(stack.settings_of(bucket, "aws_s3_bucket_public_access_block"))
    if not blocks:
        yield Breach("aws_s3_bucket_public_access_block", "all four switches", "nothing")
    for block in blocks:
        for switch in CLOSED:
            yield from unless(block, switch, True)
    owners = list(stack.settings_of(bucket, "aws_s3_bucket_ownership_controls"))
    found = [each.at("rule.object_ownership") for each in owners]
    if found != ["BucketOwnerEnforced"]:
        yield Breach("rule.object_ownership", "BucketOwnerEnforced", text_of(found))
    yield from unless(bucket, "acl", None, "private")
    for _ in bucket.blocks("grant"):
        yield Breach("grant", "nothing", "an access control list")


def _given_by_acl(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    yield from unless(resource, "acl", None, "private")
    for grant in resource.blocks("access_control_policy"):
        yield Breach("access_control_policy", "nothing", text_of(sorted(grant)))


def _without_tls(bucket: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    policies = list(stack.settings_of(bucket, "aws_s3_bucket_policy"))
    refused = any(_refuses_plain(bucket, each) for policy in policies for each in denied(policy))
    if not refused and all(is_known(policy.at("policy")) for policy in policies):
        yield Breach("aws_s3_bucket_policy", "Deny where aws:SecureTransport is false", "nothing that does")


def _refuses_plain(bucket: DeclaredResource, statement: Any) -> bool:
    """True if the statement refuses anything that anybody asks of the bucket and its objects without TLS."""
    bools = (statement.get("Condition") or {}).get("Bool") or {}
    said = {key.lower(): [str(one).lower() for one in listed(value)] for key, value in bools.items()}
    resources = [str(each).partition(":::")[2] for each in listed(statement.get("Resource"))]
    name = str(bucket.at("bucket"))
    return (
        statement.get("Principal") in ("*", {"AWS": "*"}, {"AWS": ["*"]})
        and said == {"aws:securetransport": ["false"]}
        and set(statement["Condition"]) == {"Bool"}
        and listed(statement.get("Action")) in (["s3:*"], ["*"])
        and (set(resources) >= {name, f"{name}/*"} or not is_known(name))
    )


def _plain(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    if resource.type == "aws_kinesis_stream":
        yield from unless(resource, "encryption_type", "KMS")
        return
    if resource.type == "aws_redshift_cluster":
        yield from unless(resource, "encrypted", "true", True)
        return
    settings = list(stack.settings_of(resource, "aws_s3_bucket_server_side_encryption_configuration"))
    if not settings:
        yield Breach("aws_s3_bucket_server_side_encryption_configuration", " or ".join(ALGORITHMS), "nothing")
    for each in settings:
        yield from unless(each, f"{BY_DEFAULT}.sse_algorithm", *ALGORITHMS)


def _key_of(resource: DeclaredResource) -> str | None:
    """The account's key that encrypts it; None where that is one of AWS's own."""
    found = resource.at(KEYS[resource.type])
    is_off = any(resource.at(path) in values for path, values in UNUSED_KEY.items())
    return None if is_off or found is None or "alias/aws/" in str(found) else str(found)


def _without_own_key(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    """An environment that has a key has it for all that it keeps; `key: {origin: skip}` has none."""
    has_one = stack.must_protect or any(_key_of(each) for each in stack.of(*KEYS))
    if has_one and _key_of(resource) is None:
        yield Breach(KEYS[resource.type], "the environment's key", text_of(resource.at(KEYS[resource.type])))


def _expired(settings: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    for rule in settings.blocks("rule") if stack.is_protected else ():
        for block, unit in (("expiration", "days"), ("noncurrent_version_expiration", "noncurrent_days")):
            for said in listed(rule.get(block)):
                days = said.get(unit)
                if days is not None and is_known(days) and days < LEAST_DAYS:
                    yield Breach(f"rule.{block}.{unit}", f"at least {LEAST_DAYS}", text_of(days))
                if said.get("date") is not None:
                    yield Breach(f"rule.{block}.date", "days after it was written", text_of(said["date"]))


def _short(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    if resource.type == LIFECYCLE:
        yield from _expired(resource, stack)
        return
    path, least = LEAST[resource.type]
    found = resource.at(path)
    if not stack.is_protected or not is_known(found):
        return
    is_endless = found in (None, 0) and resource.type == "aws_cloudwatch_log_group"
    is_default = found is None and resource.type in LONG_BY_DEFAULT
    if not is_endless and not is_default and (found is None or found < least):
        yield Breach(path, f"at least {least}", text_of(found))


def _without_versions(bucket: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    settings = list(stack.settings_of(bucket, "aws_s3_bucket_versioning"))
    if not settings:
        yield Breach("aws_s3_bucket_versioning", "Enabled", "nothing")
    for each in settings:
        yield from unless(each, "versioning_configuration.status", "Enabled")


def _unprotected(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    tables = [f"{each.at('name')}{MIGRATION}" for each in stack.of("aws_dynamodb_table")]
    if not stack.is_protected or (resource.type == "aws_dynamodb_table" and resource.at("name") in tables):
        return
    if resource.type in DATA and not resource.is_protected:
        yield Breach("prevent_destroy", "true", "false")
    for path, value in GUARDS.get(resource.type, {}).items():
        found = resource.at(path)
        if is_known(found) and bool(found) is not value:
            yield Breach(path, text_of(value), text_of(found))


def _open_network(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    for block in (*resource.blocks("ingress"), resource.arguments):
        is_inward = block is not resource.arguments or resource.at("type") == "ingress" or "ingress" in resource.type
        for path in ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6", *ALLOWED):
            found = {each for each in map(str, listed(block.get(path))) if _is_everywhere(each)}
            if found and (is_inward or path in ALLOWED):
                yield Breach(path, "the networks that are meant", text_of(sorted(found)))
    yield from unless(resource, "publicly_accessible", None, False)


def _is_everywhere(text: str) -> bool:
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return False
    return network.prefixlen < NARROWEST[network.version]


def _untagged(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    if not resource.type.startswith("aws_") or resource.type.startswith("aws_s3_bucket_") or resource.type in UNTAGGED:
        return
    tags = resource.at("tags") or {}
    missing = [each for each in OWN_TAGS if is_known(tags) and not tags.get(each)]
    if missing:
        yield Breach("tags", text_of(OWN_TAGS), f"without {text_of(missing)}")


def _secret_in_state(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    if resource.type in SECRETS:
        yield Breach("", "nothing of this type", resource.type)
    for name, value in resource.arguments.items():
        if PRIVATE_KEY.search(str(value)):
            yield Breach(name, "no private key", "one")
        is_secret = name in PASSWORDS or (name == "value" and resource.at("type") == "SecureString")
        if value and is_secret:
            yield Breach(name, "no secret, or its write-only form", "one")


def _seldom_rotated(key: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    yield from unless(key, "enable_key_rotation", True)
    days = key.at("rotation_period_in_days")
    if days is not None and is_known(days) and days > LONGEST_ROTATION_DAYS:
        yield Breach("rotation_period_in_days", f"at most {LONGEST_ROTATION_DAYS}", text_of(days))


def _unseen(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    yield Breach("", "the resources themselves", resource.type)


RULES = (
    PolicyRule(
        "public-bucket",
        "A bucket could be opened to the public, or an object's writer could own it.",
        (BUCKET,),
        _public,
        "block public access by all four switches, and let the bucket's owner own every object.",
    ),
    PolicyRule(
        "acl",
        "An access control list gives rights past the bucket's policy.",
        GRANTS_BY_ACL,
        _given_by_acl,
        "remove the ACL; policies say who may read.",
        judges_alone=True,
    ),
    PolicyRule(
        "tls",
        "A bucket answers requests without TLS.",
        (BUCKET,),
        _without_tls,
        "a bucket policy that denies s3:* to everybody where aws:SecureTransport is false, on the bucket and its objects.",
    ),
    PolicyRule(
        "encryption",
        "Data is not encrypted at rest.",
        ("aws_kinesis_stream", BUCKET, "aws_redshift_cluster"),
        _plain,
        "encrypt it, with the environment's key if there is one.",
    ),
    PolicyRule(
        "own-key",
        "The environment has a key of the account's, and this is encrypted with one of AWS's.",
        tuple(KEYS),
        _without_own_key,
        "name the environment's key (aws.key), or the adopted stream's own.",
    ),
    PolicyRule(
        "retention",
        "Data of a protected environment expires before a mistake is noticed.",
        (*LEAST, LIFECYCLE),
        _short,
        "keep it longer: streams[].retention_hours for a stream.",
    ),
    PolicyRule(
        "versioning",
        "Objects that are overwritten or deleted in a bucket can't be restored.",
        (BUCKET,),
        _without_versions,
        "enable versioning.",
    ),
    PolicyRule(
        "protection",
        "A store of a protected environment's data can be deleted by mistake.",
        (*DATA, *(type_ for type_ in GUARDS if type_ not in DATA)),
        _unprotected,
        "durability: PROTECTED for the environment; protect for a resource of your own.",
    ),
    PolicyRule(
        "point-in-time-recovery",
        "The ledger can't be restored to a point in time.",
        ("aws_dynamodb_table",),
        wanted("point_in_time_recovery.enabled", True),
        "enable point-in-time recovery.",
        judges_alone=True,
    ),
    PolicyRule(
        "key-rotation",
        "A key keeps its material for ever, or for years.",
        ("aws_kms_key",),
        _seldom_rotated,
        "enable_key_rotation: true, each year at least.",
        judges_alone=True,
    ),
    PolicyRule(
        "open-network",
        "A door is open to every network.",
        (
            *("aws_security_group", "aws_security_group_rule", "aws_vpc_security_group_ingress_rule"),
            *(
                "snowflake_network_policy",
                "snowflake_network_rule",
                "aws_redshiftserverless_workgroup",
                "aws_redshift_cluster",
            ),
        ),
        _open_network,
        "name the networks: snowflake.allowed_networks, network.vpc_endpoints.clients.",
        judges_alone=True,
    ),
    PolicyRule(
        "tags",
        "A resource has not the tags by which it is known as the environment's.",
        (),
        _untagged,
        "give it the environment's tags.",
        judges_alone=True,
    ),
    PolicyRule(
        "secret-in-state",
        "A key or a password would be in the state, and in every plan.",
        (),
        _secret_in_state,
        "put it into its secret with `firnline keys`.",
        judges_alone=True,
    ),
    PolicyRule(
        "unseen",
        "A template or a command makes what no rule sees.",
        UNSEEN,
        _unseen,
        "declare what it makes. One that is meant so: an entry with its reason in ENV.policy.yaml.",
        judges_alone=True,
    ),
)
