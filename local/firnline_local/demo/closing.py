"""The demo's end: the configuration it used, what changes for a real account, and what to try next."""

import json
from pathlib import Path

from firnline_infra.specification import EnvironmentSpec
from firnline_local.demo.screen import Screen

FOR_A_REAL_ACCOUNT = (
    ("aws.endpoints", "leave out: the region's public endpoints"),
    ("snowflake.account, user, role", "your account, and the service user made for this pipeline"),
    ("snowflake.url, ca_file", "leave out, unless you reach Snowflake privately"),
    ("snowflake.private_key", '{"secret_arn": "arn:aws:secretsmanager:…"}'),
    ("dead_letters", '{"s3": "s3://…/dead-letters/"}'),
    ("spark.checkpoint", "a folder that outlives the machine"),
    ("spark.master", "leave out under spark-submit"),
)


def show_configuration(screen: Screen, config_file: Path) -> None:
    screen.step("The engine.json that was used")
    for line in json.dumps(json.loads(config_file.read_text(encoding="utf-8")), indent=2).splitlines():
        screen.show(line)
    screen.step("For a real account these lines change (docs/first-real-run.md)")
    screen.table(("line", "becomes"), FOR_A_REAL_ACCOUNT)


def show_what_to_try(screen: Screen, folder: Path, spec: EnvironmentSpec) -> None:
    pipeline = spec.pipelines[0]
    table = f"{pipeline.database}.{pipeline.schema_}.{pipeline.table}"
    screen.step("It is still running. In another terminal, from this folder:")
    for command in (
        f'.venv/bin/firnline local sql --folder {folder} "SELECT KIND, COUNT(*), AVG(TOTAL) FROM {table} GROUP BY KIND"',
        f".venv/bin/firnline local put --folder {folder} {pipeline.stream} my-events.ndjson",
        f'eval "$(.venv/bin/firnline local env --folder {folder})"; '
        f".venv/bin/firnline run --config {folder / 'engine.json'} --available-now",
    ):
        screen.show(command)
    screen.say("Ctrl-C ends it.")
