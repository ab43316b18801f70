"""Snowflake resources in the embedded Snowflake: one file per Pulumi type, in the words of pulumi-snowflake 2.22.0.

They speak SQL through the real connector, the statements that the stock provider sends; ids are the stock provider's too.
"""
