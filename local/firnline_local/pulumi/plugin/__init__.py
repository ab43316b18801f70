"""The embedded environment as a provider plugin of the Pulumi engine: `python -m firnline_local.pulumi.plugin aws`.

The engine starts it in place of `pulumi-resource-aws` and `pulumi-resource-snowflake`, and speaks pulumirpc.ResourceProvider
to it. It serves one running environment, and ends when the engine does.
"""
