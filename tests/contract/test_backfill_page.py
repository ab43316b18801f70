"""docs/backfill.md as somebody follows it: its SQL, its configuration and its commands, on the embedded environment."""

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from firnline_ingest.__main__ import main
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

EngineWithoutSpark = Any  # of conftest.py
pytestmark = pytest.mark.contract
PAGE = (Path(__file__).parents[2] / "docs" / "backfill.md").read_text()
DATABASE = "LAKE_OF_BACKFILL"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def here(text: str) -> str:
    """With the names of the embedded environment."""
    ours = {"LAKE": DATABASE, "FIRNLINE_DEV_INGEST": "FIRNLINE_LOCAL_INGEST", "orders": "backfilled"}
    text = text.replace("FIRNLINE_DEV_READER", "FIRNLINE_LOCAL_READER")
    return re.sub(r"\b(LAKE|FIRNLINE_DEV_INGEST|orders)\b(?!-)", lambda found: ours[found[1]], text)


@pytest.fixture
def lake(local_environment: RunningEnvironment) -> Iterator[RunningEnvironment]:
    """A stream, and the table that the real engine has made rows of."""
    for statement in (
        f"CREATE DATABASE {DATABASE}",
        f"CREATE SCHEMA {DATABASE}.RAW",
        f"CREATE TABLE {DATABASE}.RAW.ORDERS (KINESISMETADATA OBJECT, N NUMBER)",
        *(f"GRANT USAGE ON DATABASE {DATABASE} TO ROLE FIRNLINE_LOCAL_{who}" for who in ("INGEST", "READER")),
        *(f"GRANT USAGE ON SCHEMA {DATABASE}.RAW TO ROLE FIRNLINE_LOCAL_{who}" for who in ("INGEST", "READER")),
    ):
        local_environment.query(statement, login="admin")
    made_active(local_environment.client("kinesis"), "backfilled", shards=2)
    yield local_environment
    local_environment.query(f"DROP DATABASE {DATABASE}", login="admin")
    local_environment.client("kinesis").delete_stream(StreamName="backfilled")


def test_the_page_ends_in_a_proof(
    lake: RunningEnvironment,
    engine_of: Callable[..., EngineWithoutSpark],
    tmp_path: Path,
) -> None:
    lake.put_events("backfilled", [{"n": n} for n in range(10)])
    time.sleep(0.005)  # times of arrival are in milliseconds
    began = datetime.now(UTC)
    began = began.replace(microsecond=began.microsecond // 1000 * 1000)
    lake.put_events("backfilled", [{"n": 10}, b"no json", {"n": 11, "new": "a"}])
    ended = datetime.now(UTC)
    make, use = blocks("sql")
    for statement in filter(None, map(str.strip, here(make).split(";"))):
        lake.query(statement, login="admin")

    (changed,) = blocks("json")
    document = json.loads(here(changed))
    (pipeline,) = document["pipelines"]
    pipeline["initial_position"]["timestamp"] = began.isoformat()
    engine = engine_of(
        application=document["application"],
        pipeline=pipeline,
        ledger=document["ledger"],
        dead_letters={"folder": str(tmp_path / "letters")},
    )
    assert engine.run() == [None, None]

    run, audit = (here(line).split() for line in "\n".join(blocks("console")).splitlines() if line.strip())
    file = tmp_path / "backfill.json"
    file.write_text(engine.config.model_dump_json(by_alias=True, exclude_none=True))
    assert main(["validate", "--config", str(file)]) == 0
    told = CliRunner().invoke(firnline, [run[1], "--help"]).output
    assert [word for word in run if word.startswith("--") and word not in told] == []
    given = {
        "backfill.json": str(file),
        "reader.p8": str(lake.logins["reader"].private_key_file),
        "2026-11-17T00:00:00Z": began.isoformat(),
        "2026-11-18T00:00:00Z": ended.isoformat(),
    }
    said = CliRunner().invoke(firnline, [given.get(word, word) for word in audit[1:]])
    assert said.exit_code == 0, said.output
    assert "PROVEN" in said.output
    assert lake.query(here(use).strip().rstrip(";"), login="admin")[1] == [(2,)]
