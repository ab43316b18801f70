"""Secrets of Secrets Manager, without a value: that is never a resource's; and parameters of Systems Manager.

Rules: terraform-provider-aws, `resourceSecret` (internal/service/secretsmanager/secret.go; read there in a version before 6) and
`resourceParameter` (internal/service/ssm/parameter.go, of 6).
"""

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, document, made_by, on, sends, tags_by
from firnline_local.providers.aws.values import as_list
from firnline_local.providers.kind import Form, Properties, Rules


def _look_at_secret(it: Subject) -> Properties | None:
    """A secret that is waiting to be deleted counts as deleted."""
    found = it.ask("describe_secret")
    if "DeletedDate" in found:
        return None
    return {**found, "ResourcePolicy": it.ask("get_resource_policy").get("ResourcePolicy")}


def _set_policy(it: Subject) -> None:
    if it.inputs.get("policy"):
        it.ask("put_resource_policy", **it.request("policy"))
    else:
        it.ask("delete_resource_policy")


def _remove_secret(it: Subject) -> None:
    """The secret's name stays taken for as many days as it can be restored; for none where that is 0."""
    days = it.value("recoveryWindowInDays")
    it.ask("delete_secret", **({"RecoveryWindowInDays": days} if days else {"ForceDeleteWithoutRecovery": True}))


SECRET = AwsKind(
    type="aws:secretsmanager/secret:Secret",
    service="secretsmanager",
    rules=Rules.of(
        "name namePrefix region",
        defaults={
            "description": "",
            "forceOverwriteReplicaSecret": False,
            "kmsKeyId": None,
            "recoveryWindowInDays": 30,
            "tags": {},
        },
        conflicts="name namePrefix",
        forms={
            "name": Form(r"[0-9A-Za-z/_+=.@-]+", "a text of letters, digits and /_+=.@-"),
            "recoveryWindowInDays": Form(
                r"\d+", "0, or in the range (7 - 30)", lambda text: int(text) == 0 or 7 <= int(text) <= 30
            ),
        },
        lengths={"name": (1, 512)},
        json="policy",
    ),
    fields={
        "name": "Name",
        "description": WireField("Description", absent=""),
        "kmsKeyId": "KmsKeyId",
        "policy": document("ResourcePolicy"),
    },
    outputs={
        "id": "ARN",
        "arn": "ARN",
        # Nothing tells the window of one that is imported, and unknown is 0 to the provider: it is deleted at once
        # (hashicorp/terraform-provider-aws issue 42139).
        "recoveryWindowInDays": lambda it, _: it.value("recoveryWindowInDays") if it.inputs else 0,
    },
    kept="forceOverwriteReplicaSecret",
    carried="recoveryWindowInDays",
    by="SecretId",
    make=made_by("create_secret", "ARN", tags=as_list),
    later="policy",
    look=_look_at_secret,
    updates=(sends("update_secret", "description kmsKeyId"), on("policy", _set_policy)),
    tags=tags_by("tag_resource", "untag_resource"),
    remove=_remove_secret,
    looks_before=True,
    gone="ResourceNotFoundException",
)


def _look_at_parameter(it: Subject) -> Properties:
    found = it.ask("get_parameter", WithDecryption=True)["Parameter"]
    filters = [{"Key": "Name", "Option": "Equals", "Values": [it.id]}]
    described = it.client.describe_parameters(ParameterFilters=filters)["Parameters"][0]
    tags = it.client.list_tags_for_resource(ResourceType="Parameter", ResourceId=it.id)["TagList"]
    insecure = found["Value"] if it.inputs.get("insecureValue") is not None else None
    return {**described, **found, "Insecure": insecure, "Tags": tags}


PARAMETER = AwsKind(
    type="aws:ssm/parameter:Parameter",
    service="ssm",
    rules=Rules.of(
        "name dataType region",
        replaced_where={"tier": lambda before, now: (before, now) == ("Advanced", "Standard")},
        defaults={"allowedPattern": None, "description": "", "tags": {}},
        values={
            "dataType": "text aws:ec2:image aws:ssm:integration",
            "type": "String StringList SecureString",
            "tier": "Standard Advanced Intelligent-Tiering",
        },
        conflicts="value insecureValue valueWo",
        one_of="value insecureValue valueWo",
        lengths={"name": (1, 2048), "allowedPattern": (0, 1024), "description": (0, 1024)},
    ),
    fields={
        "name": "Name",
        "type": "Type",
        "value": "Value",
        "insecureValue": WireField("Value", "Insecure"),
        "description": WireField("Description", absent=""),
        "keyId": "KeyId",
        "tier": WireField("Tier", absent="Standard"),
        "allowedPattern": "AllowedPattern",
    },
    outputs={"arn": "ARN", "version": "Version"},
    carried="arn",
    by="Name",
    make=made_by("put_parameter", "{name}", tags=as_list),
    look=_look_at_parameter,
    updates=(
        on(
            "value insecureValue type description keyId tier allowedPattern",
            lambda it: it.client.put_parameter(**it.request(), Overwrite=True),
        ),
    ),
    tags=tags_by(
        "add_tags_to_resource",
        "remove_tags_from_resource",
        where=lambda it: {"ResourceType": "Parameter", "ResourceId": it.id},
    ),
    remove=lambda it: it.ask("delete_parameter"),
    gone="ParameterNotFound",
)
KINDS = (SECRET, PARAMETER)
