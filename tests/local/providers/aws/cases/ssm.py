"""Parameters."""

from firnline_local.providers.aws import secrets

from .case import Case, fresh

CASES = [
    Case(
        kind=secrets.PARAMETER,
        inputs=lambda _: {
            "name": f"/firnline/{fresh('parameter')}",
            "type": "String",
            "value": "{}",
            "description": "config",
            "tags": {"a": "1"},
        },
        taken="ParameterAlreadyExists",
        behind={
            "value": lambda c, i: c.aws("ssm").put_parameter(Name=i, Value="x", Type="String", Overwrite=True),
            "type": lambda c, i: c.aws("ssm").put_parameter(
                Name=i, Value="{}", Type="SecureString", Description="config", Overwrite=True
            ),
            "description": lambda c, i: c.aws("ssm").put_parameter(
                Name=i, Value="{}", Type="String", Description="x", Overwrite=True
            ),
            "tags": lambda c, i: c.aws("ssm").remove_tags_from_resource(
                ResourceType="Parameter", ResourceId=i, TagKeys=["a"]
            ),
        },
        changes={"value": "[]", "description": "other", "tags": {"b": "2"}, "tier": "Advanced", "type": "SecureString"},
    ),
]
