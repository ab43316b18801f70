"""Settings that a shell, or a job of CI, needs before Pulumi or Terraform is run: places and names, nothing secret."""

from collections.abc import Mapping

from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.template import backend_url

BACKEND = "PULUMI_BACKEND_URL"


def settings(environment: Environment, user: str) -> dict[str, str]:
    """The settings that are not the specification's: the program says which account and which role."""
    return {
        "AWS_REGION": environment.aws.region,
        BACKEND: backend_url(environment),
        "SNOWFLAKE_USER": user,
        "SNOWFLAKE_ROLE": user,  # the bootstrap makes both under one name; the provider reads it, and keeps it in no state
    }


def settings_file(environment: Environment, user: str, of_tool: Mapping[str, str] | None = None) -> str:
    """The settings for a shell: `set -a; . ./dev.env; set +a`. `of_tool` is what another tool than Pulumi has in place of
    its backend."""
    lines = {**settings(environment, user), "SNOWFLAKE_AUTHENTICATOR": "SNOWFLAKE_JWT"}
    if of_tool is not None:
        lines = {**{name: each for name, each in lines.items() if name != BACKEND}, **of_tool}
    return (
        f"# To deploy environment {environment.name} by hand. Nothing secret is in here, and nothing secret belongs here:\n"
        f"#   AWS        AWS_PROFILE, or another of the SDK's ways, for account {environment.aws.account}\n"
        f'#   Snowflake  export SNOWFLAKE_PRIVATE_KEY="$(cat key.pem)", the private half for {user}\n'
        + "".join(f"{name}={_quoted(value)}\n" for name, value in lines.items())
    )


def _quoted(text: str) -> str:
    """The text quoted for a shell, whatever is in it: an identifier may have quotes of its own."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
