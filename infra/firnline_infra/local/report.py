"""How to reach an environment, for people and for programs. Paths of keys, never keys."""

import json
from typing import Any

from firnline_infra.local.endpoints import AWS_SERVICES
from firnline_infra.local.folder import Folder
from firnline_infra.local.state import State


def report_json(folder: Folder, state: State) -> str:
    """One line, so that a program can read it from a process that goes on."""
    document: dict[str, Any] = state.model_dump(mode="json", exclude={"engine_config"})
    document |= {
        "folder": str(folder.path),
        "engine_config": str(folder.engine_config),
        "variables": {**state.endpoints.aws_variables, "SSL_CERT_FILE": str(state.endpoints.ca_file)},
    }
    return json.dumps(document)


def report_table(folder: Folder, state: State) -> str:
    endpoints = state.endpoints
    pipelines = state.engine_config["pipelines"]
    targets = [f"{each['stream']} -> {each['database']}.{each['schema']}.{each['table']}" for each in pipelines]
    keys = endpoints.aws_variables["AWS_ACCESS_KEY_ID"]
    lines = [
        ("Kinesis", endpoints.kinesis),
        ("other AWS", f"{endpoints.aws} ({', '.join(AWS_SERVICES)})"),
        ("AWS keys", f"{keys} / {keys}, region {endpoints.region}, account {endpoints.aws_account}"),
        ("Snowflake", f"{endpoints.snowflake}, account {endpoints.snowflake_account}"),
        ("CA file", str(endpoints.ca_file)),
        ("  for the streaming SDK", "environment variable SSL_CERT_FILE"),
        (
            "  for the connector",
            "parameter custom_root_store_path (5.x), environment variable REQUESTS_CA_BUNDLE (4.x)",
        ),
        *((f"user {name}", f"{each.user}, key {each.private_key_file}") for name, each in state.logins.items()),
        *(("pipeline", target) for target in targets),
        ("engine's configuration", str(folder.engine_config)),
        ("logs", str(folder.logs)),
    ]
    width = max(len(name) for name, _ in lines)
    table = "\n".join(f"  {name.ljust(width)}  {value}" for name, value in lines)
    return f"The embedded environment {state.name!r} is up; Ctrl-C ends it.\n\n{table}"
