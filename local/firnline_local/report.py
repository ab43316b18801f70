"""How to reach an environment, for people and for programs. Paths of keys, never keys."""

from collections.abc import Iterator
from typing import Any

from firnline_local.endpoints import AWS_SERVICES
from firnline_local.folder import Folder
from firnline_local.state import EnvironmentState

Line = tuple[str, str]
BOOTSTRAPPED = {"admin"}
"""The logins that there are before anything of a specification is made."""


def report_document(folder: Folder, state: EnvironmentState, *, is_provisioned: bool) -> dict[str, Any]:
    document: dict[str, Any] = state.model_dump(mode="json", exclude={"engine_config"})
    document |= {
        "folder": str(folder.path),
        "variables": {**state.endpoints.aws_variables, "SSL_CERT_FILE": str(state.endpoints.ca_file)},
    }
    if is_provisioned:
        document["engine_config"] = str(folder.engine_config)
    else:
        document["logins"] = {name: login for name, login in document["logins"].items() if name in BOOTSTRAPPED}
    return document


def report_table(folder: Folder, state: EnvironmentState, *, is_provisioned: bool) -> str:
    """Of an environment that is not provisioned, what is there: its servers, and its administrator."""
    lines = [*_servers(state), *_logins(state, is_provisioned=is_provisioned)]
    if is_provisioned:
        lines += [*_pipelines(state), ("engine's configuration", str(folder.engine_config))]
    lines.append(("logs", str(folder.logs)))
    width = max(len(name) for name, _ in lines)
    table = "\n".join(f"  {name.ljust(width)}  {value}" for name, value in lines)
    empty = "" if is_provisioned else " and empty"
    return f"The embedded environment {state.name!r} is up{empty}; Ctrl-C ends it.\n\n{table}"


def _servers(state: EnvironmentState) -> list[Line]:
    endpoints = state.endpoints
    keys = endpoints.aws_variables["AWS_ACCESS_KEY_ID"]
    return [
        ("Kinesis", endpoints.kinesis),
        ("other AWS", f"{endpoints.aws} ({', '.join(AWS_SERVICES)})"),
        ("EMR Serverless", endpoints.runtimes),
        ("AWS keys", f"{keys} / {keys}, region {endpoints.region}, account {endpoints.aws_account}"),
        ("Snowflake", f"{endpoints.snowflake}, account {endpoints.snowflake_account}"),
        ("CA file", str(endpoints.ca_file)),
        ("  for the streaming SDK", "environment variable SSL_CERT_FILE"),
        (
            "  for the connector",
            "parameter custom_root_store_path (5.x), environment variable REQUESTS_CA_BUNDLE (4.x)",
        ),
    ]


def _logins(state: EnvironmentState, *, is_provisioned: bool) -> Iterator[Line]:
    for name, login in state.logins.items():
        if is_provisioned or name in BOOTSTRAPPED:
            yield f"user {name}", f"{login.user}, key {login.private_key_file}"


def _pipelines(state: EnvironmentState) -> Iterator[Line]:
    for each in state.engine_config["pipelines"]:
        yield "pipeline", f"{each['stream']} -> {each['database']}.{each['schema']}.{each['table']}"
