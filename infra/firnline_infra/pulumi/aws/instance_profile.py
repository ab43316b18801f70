"""Through what a machine of a cluster is the engine."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.runtime import InstanceProfile as InstanceProfileArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["InstanceProfile", "InstanceProfileArgs"]


class InstanceProfile(pulumi.ComponentResource):
    """Creates an instance profile with one role: what runs on a machine that has it is that role.

    >>> profile = InstanceProfile("profile", InstanceProfileArgs(name="orders-engine", role="orders-engine"))

    To adopt: `pulumi import aws:iam/instanceProfile:InstanceProfile NAME-profile PROFILE`.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: InstanceProfileArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:InstanceProfile", name, None, opts)
        profile = aws.iam.InstanceProfile(
            f"{name}-profile", name=args.name, role=as_input(args.role), tags=args.tags, opts=child_of(self)
        )
        self.name = profile.name
        self.register_outputs({"name": self.name})
