"""ECR: repositories of images, and how long images are kept.

Rules: terraform-provider-aws 6, `resourceRepository` and `resourceLifecyclePolicy` (internal/service/ecr/).
"""

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, arn_as, made_by, sends, tags_by
from firnline_local.providers.aws.values import as_list, json_like
from firnline_local.providers.kind import Properties, Rules

BY_ECR = [{"encryptionType": "AES256"}]
"""What a repository has without an encryption of its own."""


def _look(it: Subject) -> Properties:
    found = it.client.describe_repositories(repositoryNames=[it.id])["repositories"][0]
    return {**found, "tags": it.client.list_tags_for_resource(resourceArn=found["repositoryArn"])["tags"]}


def _remove(it: Subject) -> None:
    it.ask("delete_repository", force=bool(it.value("forceDelete")))


REPOSITORY = AwsKind(
    type="aws:ecr/repository:Repository",
    service="ecr",
    rules=Rules.of(
        "name encryptionConfigurations region",
        defaults={
            "encryptionConfigurations": BY_ECR,
            "forceDelete": False,
            "imageScanningConfiguration": {"scanOnPush": False},
            "imageTagMutability": "MUTABLE",
            "tags": {},
        },
        values={
            "imageTagMutability": "MUTABLE IMMUTABLE",
            "encryptionConfigurations.encryptionType": "AES256 KMS KMS_DSSE",
        },
    ),
    fields={
        "name": "repositoryName",
        "imageTagMutability": "imageTagMutability",
        "imageScanningConfiguration": WireField("imageScanningConfiguration", sent=dict),
        "encryptionConfigurations": WireField(
            "encryptionConfiguration", sent=lambda given: given[0], like=lambda found, _: [found]
        ),
    },
    outputs={"arn": "repositoryArn", "registryId": "registryId", "repositoryUrl": "repositoryUri"},
    kept="forceDelete",
    by="repositoryName",
    nested={"encryptionConfigurations": frozenset({"encryptionType", "kmsKey"})},
    make=made_by("create_repository", "{name}", tags=as_list, under="tags"),
    look=_look,
    updates=(
        sends("put_image_tag_mutability", "imageTagMutability"),
        sends("put_image_scanning_configuration", "imageScanningConfiguration"),
    ),
    tags=tags_by("tag_resource", "untag_resource", words=("tags", "tagKeys"), where=arn_as("resourceArn")),
    remove=_remove,
    gone="RepositoryNotFoundException",
)


LIFECYCLE_POLICY = AwsKind(  # the service has one operation to make and to replace one
    type="aws:ecr/lifecyclePolicy:LifecyclePolicy",
    service="ecr",
    rules=Rules.of("repository region", json="policy"),
    fields={
        "repository": "repositoryName",
        "policy": WireField("lifecyclePolicyText", like=json_like),
    },
    outputs={"registryId": "registryId"},
    by="repositoryName",
    make=made_by("put_lifecycle_policy", "{repository}"),
    look=lambda it: it.ask("get_lifecycle_policy"),
    updates=(sends("put_lifecycle_policy", "policy"),),
    remove=lambda it: it.ask("delete_lifecycle_policy"),
    gone="LifecyclePolicyNotFoundException RepositoryNotFoundException",
)
KINDS = (REPOSITORY, LIFECYCLE_POLICY)
