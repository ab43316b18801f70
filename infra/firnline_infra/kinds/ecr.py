"""ECR: where the engine's image lies, and who else may reach it."""

from collections.abc import Iterator

from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, present


def _policies(subject: Subject) -> Iterator[Difference]:
    """The stack writes none: nodes of the account pull by their own role's policy."""
    ecr, name = subject.clients("ecr"), subject.wanted.name
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
    made=lambda blueprint: present(blueprint.runtime.repository),
    arn=lambda arns, repository: arns.repository(repository.name),
    exists=Lookup(
        "ecr",
        "describe_repositories",
        request=lambda wanted: {"repositoryNames": [wanted.name]},
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
