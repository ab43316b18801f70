"""Objects that were recreated under their names, past the stack and the engine."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ChannelEntry
from firnline_ingest.snowflake.target import made_text
from firnline_ingest.values import Fence, ShardKey, TargetTable
from tests.infra.drift.conftest import Change, Made

SCHEMA, CLICKS, TYPED = "FIRNLINE_STAGING.RAW", "CLICKS", "CLICKS_TYPED"
BEFORE = "2026-01-01T00:00:00.000+00:00"


def engine_wrote(made: Made, *, table: str = "", pipe: str = "") -> None:
    """Into staging's clicks: when its table and its pipe were made, as the ledger has it; as they are where absent."""
    ledger, key = DynamoLedger(made.aws("dynamodb"), made.application), ShardKey("clicks", 1, "shardId-000000000000")
    held = ledger.read(key)
    row = ledger.take(key, held.fence if held else Fence(), "an engine", TrimHorizon())
    if held is None:
        ledger.set_mark("clicks", StreamMark(key.incarnation), None)
    times = table or _created_on(made, "TABLES", CLICKS), pipe or _created_on(made, "PIPES", TYPED)
    target = TargetTable(*SCHEMA.split("."), CLICKS, times[0], TYPED, times[1])
    ledger.write(replace(row, channels=MappingProxyType({"a channel": ChannelEntry(target)})))


def _created_on(made: Made, kinds: str, name: str) -> str:
    columns, rows = made.environment.query(f"SHOW {kinds} IN SCHEMA {SCHEMA}", login="admin")
    (found,) = (row for row in rows if row[columns.index("name")] == name)
    return made_text(found[columns.index("created_on")])


def replaced(made: Made) -> Iterator[Change]:
    """As the ledger sees it: what is there now was made later."""
    if made.name == "staging":
        anew = partial(engine_wrote, made, table=BEFORE, pipe=BEFORE)
        yield Change(anew, f"snowflake table {SCHEMA}.{CLICKS}", "created_on")
        yield Change(anew, f"snowflake pipe {SCHEMA}.{TYPED}", "created_on")
    if made.name == "prod":
        volume, location = "FIRNLINE_PROD_LAKE", "STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://elsewhere/'"
        added = f"ALTER EXTERNAL VOLUME {volume} ADD STORAGE_LOCATION = (NAME = 'x' {location} {ROLE})"
        yield made.by_sql(added, f"snowflake external volume {volume}", "storageLocations")


ROLE = "STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::999988887777:role/theirs' STORAGE_AWS_EXTERNAL_ID = 'theirs'"
