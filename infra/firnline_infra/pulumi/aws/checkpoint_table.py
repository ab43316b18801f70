"""The table that fences shards and remembers where they are."""

import pulumi

from firnline_infra.blueprint.aws import LedgerTable as CheckpointTableArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_storage import checkpoint_table

__all__ = ["CheckpointTable", "CheckpointTableArgs"]


class CheckpointTable(RenderedComponent):
    """Creates the ledger's DynamoDB table: encrypted, on demand, restorable to any second; and its companion while another
    consumer's checkpoints are taken over.

    >>> table = CheckpointTable("ledger", CheckpointTableArgs(name="firnline-orders"))

    To adopt: `pulumi import aws:dynamodb/table:Table NAME-table TABLE`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: CheckpointTableArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(checkpoint_table(name, args), opts)
        self.name, self.arn = self.made["name"], self.made["arn"]
