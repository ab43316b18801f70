"""Objects that were recreated under their names, past the stack and the engine."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

from firnline_infra.blueprint.storage import secret_definitions
from firnline_infra.environment import Environment
from firnline_infra.kinds.storage import external_volumes
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
    return made_text(_shown(made, kinds, name)["created_on"])


def _shown(made: Made, kinds: str, name: str) -> dict[str, Any]:
    columns, rows = made.environment.query(f"SHOW {kinds} IN SCHEMA {SCHEMA}", login="admin")
    (found,) = (row for row in rows if row[columns.index("name")] == name)
    return dict(zip(columns, found, strict=True))


def replaced(made: Made) -> Iterator[Change]:
    """The ledger sees it so: what is there now was made later."""
    if made.name == "staging":
        table = partial(engine_wrote, made, table=BEFORE)
        yield Change(table, f"snowflake table {SCHEMA}.{CLICKS}", "created_on")
        both = partial(engine_wrote, made, table=BEFORE, pipe=BEFORE)
        yield Change(both, f"snowflake pipe {SCHEMA}.{TYPED}", "created_on")
        pipe = f"{SCHEMA}.{TYPED}"
        found = _shown(made, "PIPES", TYPED)["definition"]
        was, now = (RECREATED.format(pipe=pipe, definition=each) for each in (found, found.replace("page.url", "url")))
        columns, rows = made.environment.query(f"SHOW GRANTS ON PIPE {pipe}", login="admin")
        grants = [dict(zip(columns, row, strict=True)) for row in rows]
        given = "; ".join(GIVEN.format(pipe=pipe, **each) for each in grants if each["privilege"] != "OWNERSHIP")
        yield made.by_sql(now, f"snowflake pipe {pipe}", "copyStatement", undo=f"{was}; {given}")
    if made.name == "prod":
        volume, location = "FIRNLINE_PROD_LAKE", "STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://elsewhere/'"
        (own,) = external_volumes(Environment.of(made.spec))
        alter = f"ALTER EXTERNAL VOLUME {volume}"
        theirs, ours = (_location(made, volume, external_id) for external_id in ("theirs", own.external_id))
        removed = f"{alter} REMOVE STORAGE_LOCATION '{own.location}'"
        spare = f"{alter} ADD STORAGE_LOCATION = (NAME = 'spare' {location} {ROLE})"
        around = f"{spare}; {removed}; {alter} ADD STORAGE_LOCATION = ({{}}); {alter} REMOVE STORAGE_LOCATION 'spare'"
        another, back = around.format(theirs), around.format(ours)
        yield made.by_sql(another, f"snowflake external volume {volume}", "storageLocations", undo=back)
        added = f"ALTER EXTERNAL VOLUME {volume} ADD STORAGE_LOCATION = (NAME = 'x' {location} {ROLE})"
        yield made.by_sql(added, f"snowflake external volume {volume}", "storageLocations")


def made_again(made: Made, token: str) -> None:
    """The state sees it so: what is there now was made a day after the stack made its own."""
    made.stack.created[token] = made.stack.made_at - timedelta(days=1)
    vars(made).pop("_checks", None)  # they know the state as it was


def secret(made: Made) -> Iterator[Change]:
    """Recreated with the value, the version and the tags that it had: its ARN alone tells."""
    recorded = [each.name for each in secret_definitions(Environment.of(made.spec)) if each.existing_arn is not None]
    for name in recorded[:1]:
        anew = partial(_recreated, made.aws("secretsmanager"), name)
        yield Change(anew, f"secretsmanager secret {name}", "arn")


def _recreated(secrets: Any, name: str) -> None:
    found, value = secrets.describe_secret(SecretId=name), secrets.get_secret_value(SecretId=name)
    secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
    kept = {"SecretString": value["SecretString"], "ClientRequestToken": value["VersionId"]}
    kept |= {each: found[each] for each in ("Description", "KmsKeyId", "Tags") if each in found}
    secrets.create_secret(Name=name, **kept)


def _location(made: Made, volume: str, external_id: str) -> str:
    rows = made.environment.query(f"DESCRIBE EXTERNAL VOLUME {volume}", login="admin")[1]
    (found,) = (json.loads(row[3]) for row in rows if row[1] == "STORAGE_LOCATION_1")
    kept = ("NAME", "STORAGE_PROVIDER", "STORAGE_BASE_URL", "STORAGE_AWS_ROLE_ARN")
    key = f"ENCRYPTION = (TYPE = '{found['ENCRYPTION_TYPE']}' KMS_KEY_ID = '{found['ENCRYPTION_KMS_KEY_ID']}')"
    named = " ".join(f"{each} = '{found[each]}'" for each in kept)
    return f"{named} STORAGE_AWS_EXTERNAL_ID = '{external_id}' {key}"


RECREATED = (
    "CREATE OR REPLACE PIPE {pipe} COMMENT = 'Firnline staging firnline-staging' AS {definition}; "
    "GRANT OWNERSHIP ON PIPE {pipe} TO ROLE FIRNLINE_STAGING_DEPLOY"
)
GIVEN = "GRANT {privilege} ON PIPE {pipe} TO ROLE {grantee_name}"
ROLE = "STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::999988887777:role/theirs' STORAGE_AWS_EXTERNAL_ID = 'theirs'"
