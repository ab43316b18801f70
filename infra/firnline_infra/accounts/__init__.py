"""The AWS account and the Snowflake account that a command works in: the real ones, or those that an installed package brings.

A command says which it means; nothing is guessed. Before anything is written, `check` compares them with the
specification.
"""

from firnline_infra.accounts.accounts import Accounts, PulumiPlace, TerraformPlace
from firnline_infra.accounts.check import check_aws, check_snowflake, checked_session

__all__ = ["Accounts", "PulumiPlace", "TerraformPlace", "check_aws", "check_snowflake", "checked_session"]
