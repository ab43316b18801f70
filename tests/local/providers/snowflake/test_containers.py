"""Databases and schemas."""

from firnline_local.providers.snowflake.containers import DATABASE, SCHEMA


def test_a_database_lives_and_repairs(live) -> None:
    inputs = {"name": "M_DB", "comment": "it's", "dataRetentionTimeInDays": 2, "logLevel": "INFO"}
    with live(DATABASE, inputs) as made:
        assert made.made.id == "M_DB"
        made.drifts("ALTER DATABASE M_DB SET COMMENT = 'x'", comment="x")
        made.drifts("ALTER DATABASE M_DB UNSET COMMENT", comment="")
        made.drifts("ALTER DATABASE M_DB SET DATA_RETENTION_TIME_IN_DAYS = 3", dataRetentionTimeInDays=3)
        made.drifts("ALTER DATABASE M_DB UNSET LOG_LEVEL", logLevel=None)
        made.drifts("ALTER DATABASE M_DB SET TASK_AUTO_RETRY_ATTEMPTS = 3", taskAutoRetryAttempts=3)
        assert made.changes_to(name="m lower", comment=None, logLevel="OFF") == {
            "name": "m lower",
            "comment": "",
            "isTransient": False,
            "dataRetentionTimeInDays": 2,
            "logLevel": "OFF",
            "fullyQualifiedName": '"m lower"',
        }


def test_a_transient_database_may_drop_its_public_schema(live, clients) -> None:
    with live(DATABASE, {"name": "m_tx", "isTransient": True, "dropPublicSchemaOnCreation": True}):
        assert clients.rows('SHOW SCHEMAS IN DATABASE "m_tx"') == []


def test_a_schema_lives_and_repairs(live) -> None:
    inputs = {"database": "PROVIDED_DB", "name": "SCH", "comment": "c", "withManagedAccess": "true"}
    with live(SCHEMA, inputs) as made:
        assert made.made.id == '"PROVIDED_DB"."SCH"'
        made.drifts("ALTER SCHEMA PROVIDED_DB.SCH SET COMMENT = 'x'", comment="x")
        made.drifts("ALTER SCHEMA PROVIDED_DB.SCH DISABLE MANAGED ACCESS", withManagedAccess="false")
        made.drifts("ALTER SCHEMA PROVIDED_DB.SCH SET PIPE_EXECUTION_PAUSED = TRUE", pipeExecutionPaused=True)
        changed = made.changes_to(name="sch.2", withManagedAccess=None, dataRetentionTimeInDays=3)
        assert changed["fullyQualifiedName"] == '"PROVIDED_DB"."sch.2"'
        assert (changed["withManagedAccess"], changed["dataRetentionTimeInDays"]) == ("false", 3)


def test_an_inherited_parameter_is_not_the_schema_s_own(live, clients) -> None:
    with live(SCHEMA, {"database": "PROVIDED_DB", "name": "SCH", "isTransient": "true"}) as made:
        clients.execute("ALTER DATABASE PROVIDED_DB SET LOG_LEVEL = 'WARN'")
        assert "logLevel" not in made.read()
        clients.execute("ALTER DATABASE PROVIDED_DB UNSET LOG_LEVEL")


def test_public_is_altered_into_what_is_wanted(clients) -> None:
    inputs = {"database": "PROVIDED_DB", "name": "PUBLIC", "comment": "ours", "withManagedAccess": "true"}
    made = SCHEMA.create(inputs, clients)
    assert (made.properties["comment"], made.properties["withManagedAccess"]) == ("ours", "true")
    assert SCHEMA.update(made.id, inputs, {**inputs, "comment": ""}, clients)["comment"] == ""


def test_import_needs_the_id_alone(live, clients) -> None:
    with live(DATABASE, {"name": "M_DB", "comment": "c"}) as made:
        assert DATABASE.read('"M_DB"', {}, clients) == DATABASE.read("M_DB", {}, clients) == made.read()
    with live(SCHEMA, {"database": "PROVIDED_DB", "name": "SCH", "comment": "c"}) as made:
        assert SCHEMA.read(made.made.id, {}, clients) == made.read()
