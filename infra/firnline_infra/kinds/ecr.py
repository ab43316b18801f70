"""ECR: where the engine's image lies, and who else may reach it."""

import json
from collections.abc import Iterator

from firnline_infra.blueprint.storage import key_value
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, own_name
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.specification.model import Durability

KEPT_IMAGES = 100


def repositories(environment: Environment) -> Iterator[Component]:
    """A repository for the engine's images: a tag stays what it was, and each image is scanned when it is pushed."""
    if not environment.aws.runtime.has_repository:
        return
    key_arn = key_value(environment)
    repository = Resource(
        REPOSITORY.terraform_type,
        "engine-images-repository",
        {
            "name": environment.names.repository,
            "image_tag_mutability": "IMMUTABLE",
            "image_scanning_configuration": {"scan_on_push": True},
            "encryption_configuration": [{"encryption_type": "KMS", "kms_key": key_arn}] if key_arn else None,
            "force_delete": environment.durability is Durability.EPHEMERAL,
            "tags": environment.tags("runtime"),
        },
    )
    oldest = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": KEPT_IMAGES}
    rule = {"rulePriority": 1, "description": "The newest are kept.", "selection": oldest, "action": {"type": "expire"}}
    policy = {"repository": repository["name"], "policy": json.dumps({"rules": [rule]})}
    lifecycle = Resource(LIFECYCLE.terraform_type, "engine-images-lifecycle", policy)
    outputs = {"repository_url": repository["repository_url"]}
    yield Component("ImageRepository", "engine-images", (repository, lifecycle), outputs)


def _policies(subject: Subject) -> Iterator[Difference]:
    """The stack writes none: nodes of the account pull by their own role's policy."""
    ecr, name = subject.clients("ecr"), own_name(subject.wanted)
    try:
        found = ecr.get_repository_policy(repositoryName=name)["policyText"]
    except ecr.exceptions.RepositoryPolicyNotFoundException:
        return
    yield Difference.unwanted("policy", found, f"aws ecr delete-repository-policy --repository-name {name}")


REPOSITORY = Kind(
    "aws:ecr/repository:Repository",
    "image repository",
    import_id="{name}",
    service="ecr",
    rows=repositories,
    arn=lambda arns, row: arns.repository(own_name(row)),
    exists=Lookup(
        "ecr",
        "describe_repositories",
        request=lambda wanted: {"repositoryNames": [own_name(wanted)]},
        answer="repositories",
    ),
    rights=(
        Right("Makes it.", create="CreateRepository"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeRepositories ListTagsForResource"),
        Right(
            "Scans images when they are pushed, and keeps tags what they were.",
            update="PutImageScanningConfiguration PutImageTagMutability",
        ),
        Right("Removes it, with its images where the environment is EPHEMERAL.", delete="DeleteRepository"),
    ),
    comparisons=(Comparison(what="policy", actions="GetRepositoryPolicy", find=_policies),),
)
LIFECYCLE = Kind(
    "aws:ecr/lifecyclePolicy:LifecyclePolicy",
    "lifecycle of image repository",
    service="ecr",
    rows=repositories,
    arns=REPOSITORY.own_arns,
    rights=(
        Right(
            "How many images are kept.",
            create="PutLifecyclePolicy",
            read="GetLifecyclePolicy",
            delete="DeleteLifecyclePolicy",
        ),
    ),
)
