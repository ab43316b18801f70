"""KMS and Secrets Manager."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import EncryptionKeyDefinition, SecretDefinition
from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.iam.normal_form import same_policy
from firnline_infra.blueprint.iam.resource_policies import key_policy
from firnline_infra.blueprint.iam.statement import Effect
from firnline_infra.blueprint.storage import secret_definitions, secret_version
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.kinds.asking import DENIED, NOT_THERE, resource_policy, unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.iam import ROLE, USER
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, own_name
from firnline_infra.kinds.resource import Component, PolicyText, Resource
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.origin import Origin

ARN = "arn"
ADMINISTRATION = (
    *("kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:DisableKey", "kms:DisableKeyRotation", "kms:TagResource"),
    *("kms:UntagResource", "kms:CreateAlias", "kms:UpdateAlias", "kms:DeleteAlias", "kms:UpdateKeyDescription"),
    *("kms:EnableKey", "kms:EnableKeyRotation", "kms:RotateKeyOnDemand", "kms:CancelKeyDeletion"),
    *("kms:ImportKeyMaterial", "kms:DeleteImportedKeyMaterial", "kms:ReplicateKey", "kms:UpdatePrimaryRegion"),
)
GRANTS = ("kms:CreateGrant", "kms:RevokeGrant")
OF_A_SERVICE = (".amazonaws.com", ".amazonaws.com.cn")
ENABLED, UNUSABLE = "Enabled", "nothing can be encrypted or read with it"


NOT_REPORTED = ("recovery_window_in_days", "force_overwrite_replica_secret")
"""What no API reports of a secret that exists, and an import would compare. So the state of one that was taken over has no
window, and the provider deletes it at once (terraform-provider-aws, `resourceSecretDelete`; its issue 42139)."""


def encryption_key(name: str, args: EncryptionKeyDefinition) -> Component:
    key = Resource(
        KEY.terraform_type,
        f"{name}-key",
        {
            "description": args.description,
            "policy": PolicyText(args.policy),
            "enable_key_rotation": args.is_rotated,
            "deletion_window_in_days": args.deletion_window_days,
            "tags": args.tags,
        },
        durability=args.durability,
    )
    alias = {"name": f"alias/{args.alias}", "target_key_id": key["key_id"]}
    return Component(
        "EncryptionKey", name, (key, Resource(ALIAS.terraform_type, f"{name}-alias", alias)), {"arn": key["arn"]}
    )


def environment_key_policy(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """The account's IAM policies say who uses and who administers it, because who writes to a stream is known to them
    alone; those that the environment itself has may never administer it, whatever an IAM policy says.
    """
    environment = blueprint.environment
    arns, names = environment.arns, environment.bootstrap
    ci = map(arns.role, (names.deployer_role, names.previewer_role))
    theirs = (*ci, *ROLE.own_arns(blueprint, arns), *USER.own_arns(blueprint, arns))
    denied: dict[str, dict[str, Value | tuple[Value, ...]]] = {"ArnEquals": {"aws:PrincipalArn": theirs}}
    return (
        *key_policy(account_root=arns.account_root),
        PolicyStatement(
            sid="EnvironmentAdministersNothing",
            effect=Effect.DENY,
            actions=ADMINISTRATION,
            resources=("*",),
            principals={"AWS": "*"},
            conditions=denied,
        ),
        PolicyStatement(
            sid="EnvironmentGrantsToServicesAlone",
            effect=Effect.DENY,
            actions=GRANTS,
            resources=("*",),
            principals={"AWS": "*"},
            # A request that does not say it comes from a service is one of theirs.
            conditions={**denied, "BoolIfExists": {"kms:GrantIsForAWSResource": "false"}},
        ),
    )


def secrets(environment: Environment) -> Iterator[Component]:
    """The secrets of the users whose keys are in Secrets Manager. One that `firnline keys` has made is taken over."""
    for each in secret_definitions(environment):
        made = secret(f"secret-{each.user}", each)
        yield replace(made, gives={Reference(f"secret/{each.user}"): made.outputs["arn"]})


def secret(name: str, args: SecretDefinition) -> Component:
    """No version of it is ever a resource: then the key would be in a state file."""
    made = Resource(
        SECRET.terraform_type,
        f"{name}-secret",
        {
            "name": args.name,
            "description": args.description,
            "kms_key_id": args.key_arn,
            "recovery_window_in_days": args.recovery_days,
            "tags": args.tags,
        },
        durability=args.durability,
        import_id=args.existing_arn,
        is_retained=args.retain_on_delete,
        ignore_changes=NOT_REPORTED if args.existing_arn else (),
    )
    return Component("Secret", name, (made,), {"arn": made["arn"]})


def _all_secrets(blueprint: Blueprint) -> list[Resource]:
    return SECRET.all_rows(blueprint)


def secret_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """The ARNs of secrets by name, whatever six letters the file of keys has: a secret that is recreated has others."""
    return tuple(secret_arn_of(secret, arns) for secret in _all_secrets(blueprint))


def secret_arn_of(secret: Resource, arns: Arns) -> str:
    by_name = arns.secret(own_name(secret))
    if secret.import_id is None or fnmatchcase(secret.import_id, by_name):
        return by_name
    return secret.import_id


def secret_arns_by_name(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """The same for who asks for secrets by name, also before they are there."""
    return tuple(
        arn
        for each in _all_secrets(blueprint)
        for arn in (arns.secret_by_name(own_name(each)), secret_arn_of(each, arns))
    )


def _secret(clients: Clients, inputs: Properties) -> Sequence[str]:
    secrets = clients("secretsmanager")
    described = unless(NOT_THERE, lambda: secrets.describe_secret(SecretId=inputs["name"]))
    return [described["ARN"]] if described and "DeletedDate" not in described else []


def _keys(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A key has no name: it is identified by its tags, one of which allows the deployer to describe it."""
    kms = clients("kms")
    wanted = inputs.get("tags") or {}
    ids = [key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _key_tags(kms, id_).items() and _is_kept(kms, id_)]


def _key_tags(kms: Any, key_id: str) -> dict[str, str]:
    """No tags for a key that we are not allowed to describe."""

    def read() -> dict[str, str]:
        pages = kms.get_paginator("list_resource_tags").paginate(KeyId=key_id)
        return {tag["TagKey"]: tag["TagValue"] for page in pages for tag in page["Tags"]}

    return unless(DENIED, read) or {}


def _is_kept(kms: Any, key_id: str) -> bool:
    state: str = kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"]
    return state != "PendingDeletion"


@dataclass(frozen=True)
class KeyInUse:
    """The environment's key: the bootstrap's, or an adopted one, of which nothing but its state is compared."""

    name: str
    """The alias of the bootstrap's; the ARN of an adopted one."""
    id: str
    """The recorded ARN; the alias where none is recorded yet."""
    is_own: bool


def key_in_use(blueprint: Blueprint) -> list[KeyInUse]:
    environment = blueprint.environment
    alias, arn = f"alias/{environment.names.key_alias}", environment.aws.key.arn
    match environment.aws.key.origin:
        case Origin.CREATE:
            return [KeyInUse(alias, arn or alias, is_own=True)]
        case Origin.ADOPT if arn:
            return [KeyInUse(arn, arn, is_own=False)]
        case _:
            return []


def why_unusable(kms: Any, key_id: str) -> str | None:
    """The key's state, and when it goes; None while it is enabled."""
    answer: Any = unless(NOT_THERE, lambda: kms.describe_key(KeyId=key_id))
    if answer is None:
        return "gone"
    found = answer["KeyMetadata"]
    if found["KeyState"] == ENABLED:
        return None
    until = f", gone on {found['DeletionDate']:%Y-%m-%d}" if found.get("DeletionDate") else ""
    return f"{found['KeyState']}{until}"


def _state(subject: Subject) -> Iterator[Difference]:
    if (found := why_unusable(subject.clients("kms"), subject.wanted.id)) is not None:
        id_ = subject.wanted.id
        step = (
            f"find out who did it and why. Until then {UNUSABLE}, and once it is gone all that it encrypts is lost: "
            f"aws kms cancel-key-deletion --key-id {id_} and aws kms enable-key --key-id {id_}, as an administrator"
        )
        yield Difference(path="state", expected=ENABLED, found=found, next_step=step)


def _alias(subject: Subject) -> Iterator[Difference]:
    """Compares the alias, by which people and tools find the key; the environment itself goes by its ARN."""
    key = subject.wanted
    if not key.is_own or key.id == key.name:
        return
    kms = subject.clients("kms")
    answer: Any = unless(NOT_THERE, lambda: kms.describe_key(KeyId=key.name))
    found = answer["KeyMetadata"]["Arn"] if answer else "no key"
    if found != key.id:
        step = (
            f"find out who moved it and why; then aws kms update-alias --alias-name {key.name} --target-key-id {key.id}"
        )
        yield Difference(path="target", expected=key.id, found=found, next_step=step)


def _grants(subject: Subject) -> Iterator[Difference]:
    """DynamoDB has grants of its own for the tables that it encrypts; a grant of anybody else's is one made by hand."""
    if not subject.wanted.is_own:
        return
    pages = subject.clients("kms").get_paginator("list_grants").paginate(KeyId=subject.wanted.id)
    for grant in (each for page in pages for each in page["Grants"]):
        if not grant["GranteePrincipal"].endswith(OF_A_SERVICE):
            found = f"{', '.join(grant['Operations'])} for {grant['GranteePrincipal']}"
            step = f"aws kms revoke-grant --grant-id {grant['GrantId']}"
            yield Difference.unwanted(f"grant {grant.get('Name') or grant['GrantId']}", found, step)


def _key_policy(subject: Subject) -> Iterator[Difference]:
    if not subject.wanted.is_own:
        return
    wanted = policy_document(environment_key_policy(subject.blueprint), str)
    answer = subject.clients("kms").get_key_policy(KeyId=subject.wanted.id, PolicyName="default")
    found = json.loads(answer["Policy"])
    if not same_policy(found, wanted):
        yield Difference(
            path="policy",
            expected=json.dumps(wanted["Statement"]),
            found=json.dumps(found.get("Statement")),
            next_step="find out who wrote it and why; then give it the policy that `firnline bootstrap` renders",
        )


def _rotation(subject: Subject) -> Iterator[Difference]:
    """AWS says no of a key that is disabled, whatever is set: its state is the finding then."""
    kms, id_ = subject.clients("kms"), subject.wanted.id
    if not subject.wanted.is_own or kms.get_key_rotation_status(KeyId=id_)["KeyRotationEnabled"]:
        return
    if why_unusable(kms, id_) is None:
        step = f"aws kms enable-key-rotation --key-id {id_}, as an administrator"
        yield Difference(path="rotation", expected="each year", found="none", next_step=step)


def _secret_policy(subject: Subject) -> str | None:
    text: str | None = (
        subject.clients("secretsmanager").get_resource_policy(SecretId=own_name(subject.wanted)).get("ResourcePolicy")
    )
    return text


def _value(subject: Subject) -> Iterator[Difference]:
    """Compares which version is the current one, which tells whose value it is (`secret_version`); the value itself is not
    read.
    """
    secret, name = subject.wanted, own_name(subject.wanted)
    found = subject.clients("secretsmanager").describe_secret(SecretId=name)
    (slots,) = (each.options.public_keys for each in subject.environment.users if each.secret == name)
    ours = {secret_version(each) for each in (slots.slot_1, slots.slot_2) if each}
    if secret.import_id not in (None, found["ARN"]):
        step = "find out who recreated it and why; then `firnline keys create` writes the ARN that is there"
        yield Difference(path=ARN, expected=str(secret.import_id), found=found["ARN"], next_step=step)
    if _is_made_by_us(found, secret):
        for id_, stages in (found.get("VersionIdsToStages") or {}).items():
            if "AWSCURRENT" in stages and id_ not in ours:
                step = "move AWSCURRENT back to it (aws secretsmanager update-secret-version-stage), or `firnline keys rotate`"
                step = f"find out who wrote it and why; then {step}"
                wanted = f"version {' or '.join(sorted(ours))}" if ours else "a key that the specification names"
                yield Difference(path="value", expected=wanted, found=f"version {id_}", next_step=step)
    if found.get("RotationEnabled"):
        step = f"aws secretsmanager cancel-rotate-secret --secret-id {name}"
        yield Difference.unwanted("rotation", f"by {found.get('RotationLambdaARN', 'Secrets Manager')}", step)
    for each in found.get("ReplicationStatus") or ():
        step = f"aws secretsmanager remove-regions-from-replication --secret-id {name}"
        yield Difference.unwanted(f"replica in {each['Region']}", str(each.get("Status")), step)
    for each in found.get("CrossAccountReplicas") or ():
        copy = each["ReplicaSecretARN"]
        step = "aws secretsmanager disassociate-cross-account-replica"
        step = f"{step} --secret-id {name}, and `firnline keys rotate`: another account has the key"
        yield Difference.unwanted(f"replica {copy}", str(each.get("ReplicationStatus")), step)


def _is_made_by_us(found: Any, secret: Resource) -> bool:
    """`firnline keys` gives its secrets these tags; another's value is its own affair."""
    tags = {each["Key"]: each["Value"] for each in found.get("Tags") or ()}
    ours = secret.arguments["tags"]
    return bool(ours) and ours.items() <= tags.items()


KEY = Kind(
    "aws:kms/key:Key",
    "key",
    import_id=_keys,
    service="kms",
    exists=Lookup("kms", "describe_key", "KeyId"),
    rights=(),
    comparisons=(
        Comparison(what="state", actions="DescribeKey", find=_state),
        Comparison(what="alias", actions="DescribeKey", find=_alias),
        Comparison(what="grants", actions="ListGrants", find=_grants),
        Comparison(what="policy", actions="GetKeyPolicy", find=_key_policy),
        Comparison(what="rotation", actions="GetKeyRotationStatus", find=_rotation),
    ),
    drift_instances=key_in_use,
)
"""The bootstrap makes the environment's key, and no stack does: an `up` needs no right to it beside its use."""
ALIAS = Kind(
    "aws:kms/alias:Alias",
    "alias of key",
    import_id="{name}",
    service="kms",
    rights=(),
)
SECRET = Kind(
    "aws:secretsmanager/secret:Secret",
    "secret",
    import_id=_secret,
    service="secretsmanager",
    arns=secret_arns_by_name,
    rows=secrets,
    exists=Lookup("secretsmanager", "describe_secret", "SecretId"),
    rights=(
        Right("Makes it, without a value, though AWS would take one.", create="CreateSecret"),
        Right(COMPARE, read="DescribeSecret GetResourcePolicy"),
        Right(
            "Its description and its key. AWS would take a value too: by it, the deployer can't "
            "read the private key, but could overwrite it, and Snowflake would refuse the engine "
            "until it is put right. Nothing leaks.",
            update="UpdateSecret",
        ),
        Right(TAGS, create="TagResource", update="TagResource UntagResource"),
        Right("Removes it with its environment.", delete="DeleteSecret"),
    ),
    comparisons=(
        Comparison(what="policy", actions="GetResourcePolicy", find=resource_policy(_secret_policy)),
        Comparison(what="value, rotation and replicas", actions="DescribeSecret", find=_value),
    ),
    drift_instances=_all_secrets,
)
