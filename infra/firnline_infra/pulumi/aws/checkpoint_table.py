"""The table that fences shards and remembers where they are."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import LedgerTable as CheckpointTableArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["CheckpointTable", "CheckpointTableArgs"]


class CheckpointTable(pulumi.ComponentResource):
    """Creates the ledger's DynamoDB table: encrypted, on demand, restorable to any second; and its companion while another
    consumer's checkpoints are taken over.

    >>> table = CheckpointTable("ledger", CheckpointTableArgs(name="firnline-orders"))

    To adopt: `pulumi import aws:dynamodb/table:Table NAME-table TABLE`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: CheckpointTableArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:CheckpointTable", name, None, opts)
        table = self._table(f"{name}-table", args)
        if args.migration_table is not None:
            self._table(f"{name}-migration", args.migration_table)
        self.name, self.arn = table.name, table.arn
        self.register_outputs({"name": self.name, "arn": self.arn})

    def _table(self, name: str, args: CheckpointTableArgs) -> aws.dynamodb.Table:
        own_key = args.key_arn is None
        return aws.dynamodb.Table(
            name,
            name=args.name,
            billing_mode=args.billing_mode,
            hash_key=args.hash_key,
            range_key=args.range_key,
            attributes=[{"name": key, "type": args.key_type} for key in (args.hash_key, args.range_key)],
            point_in_time_recovery={"enabled": args.point_in_time_recovery},
            server_side_encryption=None if own_key else {"enabled": True, "kms_key_arn": as_input(args.key_arn)},
            deletion_protection_enabled=args.is_deletion_protected,
            tags=args.tags,
            opts=child_of(self, durability=args.durability),
        )
