"""The embedded environment in the place of the two accounts. Questions, sweep and contract find it by the variables that name
any account; `firnline`'s own commands see FIRNLINE_LOCAL_FOLDER, which its plugins need, and work in it as with --local.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.specification import load_spec
from firnline_local.environment import LocalEnvironment
from firnline_local.pulumi.admission import variables as admission
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment

SPECIFICATION = Path(__file__).parents[2] / "stacks" / "environments" / "local.yaml"
"""Of another environment than the one that a run makes: the account is one that has others in it."""


@contextmanager
def embedded(folder: Path) -> Iterator[Mapping[str, str]]:
    """The variables that whoever has such an account would have set."""
    with LocalEnvironment(folder, load_spec(SPECIFICATION), is_provisioned=False) as environment:
        home = PulumiHome.write(environment.folder.engine / "home")
        cli = home.cli(find_cli())
        pulumi = home.variables(backend=f"file://{folder}", passphrase="", environment={})
        yield {
            **variables_of(environment),
            **{name: value for name, value in pulumi.items() if name.startswith("PULUMI_")},
            "PULUMI": str(cli.parent),
        }


def variables_of(environment: RunningEnvironment) -> dict[str, str]:
    endpoints, login = environment.endpoints, environment.logins["admin"]
    organization, _, account = endpoints.snowflake_account.partition("-")
    url = urlsplit(endpoints.snowflake)
    return {
        **endpoints.aws_variables,
        **admission(environment),
        "SNOWFLAKE_ORGANIZATION_NAME": organization,
        "SNOWFLAKE_ACCOUNT_NAME": account,
        "SNOWFLAKE_USER": login.user,
        "SNOWFLAKE_ROLE": login.role,
        "SNOWFLAKE_AUTHENTICATOR": "SNOWFLAKE_JWT",
        "SNOWFLAKE_PRIVATE_KEY": login.private_key_file.read_text(encoding="ascii"),
        "SNOWFLAKE_HOST": url.hostname or "",
        "SNOWFLAKE_PORT": str(url.port),
        "SSL_CERT_FILE": str(endpoints.ca_file),
    }
