"""Cases of images' places."""

import json
from typing import Any

from firnline_local.providers.aws import ecr
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, a_key, fresh


def rules(kept: int) -> str:
    oldest = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": kept}
    return json.dumps({"rules": [{"rulePriority": 1, "selection": oldest, "action": {"type": "expire"}}]})


def repository_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "name": fresh("repository"),
        "imageTagMutability": "IMMUTABLE",
        "imageScanningConfiguration": {"scanOnPush": True},
        "encryptionConfigurations": [{"encryptionType": "KMS", "kmsKey": a_key(clients)}],
        "tags": {"a": "1"},
    }


def policy_inputs(clients: Clients) -> dict[str, Any]:
    repository = ecr.REPOSITORY.create({"name": fresh("repository")}, clients).id
    return {"repository": repository, "policy": rules(10)}


def mutable(clients: Clients, id_: str) -> None:
    clients.aws("ecr").put_image_tag_mutability(repositoryName=id_, imageTagMutability="MUTABLE")


def unscanned(clients: Clients, id_: str) -> None:
    off = {"scanOnPush": False}
    clients.aws("ecr").put_image_scanning_configuration(repositoryName=id_, imageScanningConfiguration=off)


def untagged(clients: Clients, id_: str) -> None:
    arn = f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/{id_}"
    clients.aws("ecr").untag_resource(resourceArn=arn, tagKeys=["a"])


def other_rules(clients: Clients, id_: str) -> None:
    clients.aws("ecr").put_lifecycle_policy(repositoryName=id_, lifecyclePolicyText=rules(1))


CASES = [
    Case(
        kind=ecr.REPOSITORY,
        inputs=repository_inputs,
        taken="RepositoryAlreadyExistsException",
        behind={"imageTagMutability": mutable, "imageScanningConfiguration": unscanned, "tags": untagged},
        changes={
            "imageTagMutability": "MUTABLE",
            "imageScanningConfiguration": {"scanOnPush": False},
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=ecr.LIFECYCLE_POLICY,
        inputs=policy_inputs,
        taken=None,
        behind={"policy": other_rules},
        changes={"policy": rules(20)},
    ),
]
