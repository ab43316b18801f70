"""The embedded environment as the plugins of the Pulumi engine: `python -m firnline_local.pulumi.engine aws|snowflake|python`.

The engine starts them in place of `pulumi-resource-aws`, `pulumi-resource-snowflake` and `pulumi-language-python`. The two
providers serve one running environment. The language host runs the program: an engine that was built from its Go modules brings
none, and the stock one does not promise that the program ends when the engine does.
"""
