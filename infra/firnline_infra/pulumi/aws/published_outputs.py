"""Where others read what was made."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import PublishedOutputs as PublishedOutputsArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["PublishedOutputs", "PublishedOutputsArgs"]


class PublishedOutputs(pulumi.ComponentResource):
    """Creates parameters of Systems Manager in clear text: a preview shows what changes, and nothing in them is secret.

    >>> from firnline_infra.blueprint.aws import Parameter
    >>> table = Parameter(name="/orders/ledger-table", value="firnline-orders")
    >>> published = PublishedOutputs("published", PublishedOutputsArgs(parameters=(table,)))

    To adopt: `pulumi import aws:ssm/parameter:Parameter NAME-PARAMETER PARAMETER`.
    """

    def __init__(self, name: str, args: PublishedOutputsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:PublishedOutputs", name, None, opts)
        for parameter in args.parameters:
            aws.ssm.Parameter(
                f"{name}-{parameter.name.rpartition('/')[2]}",
                name=parameter.name,
                type="String",
                insecure_value=as_input(parameter.value),
                description=parameter.description,
                tags=parameter.tags,
                opts=child_of(self),
            )
        self.register_outputs({})
