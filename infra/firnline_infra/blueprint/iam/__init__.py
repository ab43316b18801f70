"""IAM as data: statements for the engine, trusts, the policies of keys and buckets."""

from firnline_infra.blueprint.iam.statement import Conditions, Effect, PolicyStatement, policy_document

__all__ = ["Conditions", "Effect", "PolicyStatement", "policy_document"]
