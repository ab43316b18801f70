"""The embedded environment in the place of the two accounts. All is found by the variables that name any account,
by `firnline`'s commands too: only Pulumi's plugins are told what they serve.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.pulumi_cli.binary import version_of
from firnline_infra.specification import load_spec
from firnline_local.environment import LocalEnvironment
from firnline_local.pulumi.admission import variables as admission
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment
from tests.live.job_life import RUNNING_IN

SPECIFICATION = Path(__file__).parents[2] / "stacks" / "environments" / "local.yaml"
"""Of another environment than the one that a run makes: the account is one that has others in it."""


@contextmanager
def embedded(folder: Path) -> Iterator[Mapping[str, str]]:
    """The variables that whoever has such an account would have set."""
    with LocalEnvironment(folder, load_spec(SPECIFICATION), is_provisioned=False) as environment:
        home = PulumiHome.write(environment.folder.engine / "home")
        shim = _for_plugins_alone(folder / "bin", home.cli(find_cli()), admission(environment))
        pulumi = home.variables(backend=f"file://{folder}", passphrase="", environment={})
        yield {
            **variables_of(environment),
            **{name: value for name, value in pulumi.items() if name.startswith("PULUMI_")},
            "PULUMI": str(shim.parent),
            RUNNING_IN: str(environment.folder.path),
        }


def _for_plugins_alone(folder: Path, cli: Path, variables: Mapping[str, str]) -> Path:
    """A `pulumi` that tells its plugins which environment they serve: `firnline` itself is not told.

    It answers by itself which version it is: a CLI that does not answer in time is passed over for another one.
    """
    shim = folder / "pulumi"
    folder.mkdir(parents=True)
    told = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    answer = f'if [ "$*" = version ]; then echo {shlex.quote(str(version_of(cli)))}; exit; fi\n'
    shim.write_text(f'#!/bin/sh\n{answer}{told}exec {shlex.quote(str(cli))} "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    return shim


def variables_of(environment: RunningEnvironment) -> dict[str, str]:
    endpoints, login = environment.endpoints, environment.logins["admin"]
    organization, _, account = endpoints.snowflake_account.partition("-")
    url = urlsplit(endpoints.snowflake)
    return {
        **endpoints.aws_variables,
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
