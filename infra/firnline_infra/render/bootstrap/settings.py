"""Settings that a shell, or a job of CI, needs before Pulumi or Terraform is run: places and names, nothing secret."""

from collections.abc import Mapping

from firnline_infra.render.bootstrap.template import backend_url
from firnline_infra.specification.model import EnvironmentSpec

BACKEND = "PULUMI_BACKEND_URL"


def settings(spec: EnvironmentSpec, user: str) -> dict[str, str]:
    """The settings that are not the specification's: the program says which account and which role."""
    return {
        "AWS_REGION": spec.aws.region,
        BACKEND: backend_url(spec),
        "SNOWFLAKE_USER": user,
        "SNOWFLAKE_ROLE": user,  # the bootstrap makes both under one name; the provider reads it, and keeps it in no state
    }


def settings_file(spec: EnvironmentSpec, user: str, of_tool: Mapping[str, str] | None = None) -> str:
    """The settings for a shell: `set -a; . ./dev.env; set +a`. `of_tool` is what another tool than Pulumi has in place of
    its backend."""
    lines = {**settings(spec, user), "SNOWFLAKE_AUTHENTICATOR": "SNOWFLAKE_JWT"}
    if of_tool is not None:
        lines = {**{name: each for name, each in lines.items() if name != BACKEND}, **of_tool}
    return (
        f"# To deploy environment {spec.name} by hand. Nothing secret is in here, and nothing secret belongs here:\n"
        f"#   AWS        AWS_PROFILE, or another of the SDK's ways, for account {spec.aws.account}\n"
        f'#   Snowflake  export SNOWFLAKE_PRIVATE_KEY="$(cat key.pem)", the private half for {user}\n'
        + "".join(f"{name}={_quoted(value)}\n" for name, value in lines.items())
    )


def _quoted(text: str) -> str:
    """The text quoted for a shell, whatever is in it: an identifier may have quotes of its own."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
