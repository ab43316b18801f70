"""Of an engine on Kubernetes: as whom its pods run in AWS, and where its images are."""

import pulumi

from firnline_infra.blueprint.runtime import ImageRepositoryDefinition as ImageRepositoryArgs
from firnline_infra.blueprint.runtime import PodIdentityAssociationDefinition as PodIdentityAssociationArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_runtime import image_repository, pod_identity_association

__all__ = ["ImageRepository", "ImageRepositoryArgs", "PodIdentityAssociation", "PodIdentityAssociationArgs"]


class PodIdentityAssociation(RenderedComponent):
    """Creates an association of EKS Pod Identity: the pods of one service account of one cluster are the role.

    The service account need not be there yet, and neither need be a pod; the cluster has to have the Pod Identity agent.

    >>> association = PodIdentityAssociation("engine", PodIdentityAssociationArgs(
    ...     cluster="platform", namespace="ingest", service_account="engine",
    ...     role_arn="arn:aws:iam::111122223333:role/orders-engine",
    ... ))

    To adopt: `pulumi import aws:eks/podIdentityAssociation:PodIdentityAssociation NAME-association CLUSTER,ID`.
    """

    association_id: pulumi.Output[str]

    def __init__(self, name: str, args: PodIdentityAssociationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(pod_identity_association(name, args), opts)
        self.association_id = self.made["association_id"]


class ImageRepository(RenderedComponent):
    """Creates a repository of ECR whose tags stay what they were, and whose images are scanned when they are pushed.

    >>> images = ImageRepository("images", ImageRepositoryArgs(name="orders-engine"))

    To adopt: `pulumi import aws:ecr/repository:Repository NAME-repository REPOSITORY`.
    """

    repository_url: pulumi.Output[str]

    def __init__(self, name: str, args: ImageRepositoryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(image_repository(name, args), opts)
        self.repository_url = self.made["repository_url"]
