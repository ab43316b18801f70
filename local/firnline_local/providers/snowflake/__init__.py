"""Snowflake resources in the embedded Snowflake: one row a type, one file a family, in the words of pulumi-snowflake 2.22.0.

They speak SQL through the real connector, the statements that the stock provider sends; ids are the stock provider's too.

"Provider source" is snowflakedb/terraform-provider-snowflake 2, read at commits around 2.22.0 and not at that one; what 2.20.0
sends and reads was seen on the wire. Where both differ, the latter counts, and the file says so. The provider takes keywords
in any case, and true and false as texts; `values` are the one spelling that is taken here.
"""
